/* verify.c - outputs against the reference; see harness.h. */
#include <math.h>
#include <stdint.h>
#include <stdlib.h>

#include "kernels/harness/harness.h"

enum { ROWS = 16, WORK_MAX = 64 << 20 };

void abdb_fill_with(abdb_tensor *tensor, unsigned seed, int how)
{
    uint64_t state = 0x9E3779B97F4A7C15u * (seed + 1u);
    size_t count = abdb_tensor_count(tensor);
    bool whole = tensor->dtype == ABDB_I8 || tensor->dtype == ABDB_I32;

    for (size_t i = 0; i < count; i++) {
        double value = (double)(abdb_random_next(&state) >> 11) * 0x1p-52 - 1;

        abdb_tensor_set(tensor, i,
                        how == ABDB_FILL_ZEROS      ? 0
                        : how == ABDB_FILL_INTEGERS ? floor(4 * value)
                        : whole                     ? 127 * value
                                                    : value);
    }
}

void abdb_fill(abdb_tensor *tensor, unsigned seed)
{
    abdb_fill_with(tensor, seed, ABDB_FILL_UNIFORM);
}

/* The largest error over its bound in sampled rows of one output. */
static abdb_status verify(const abdb_kernel *kernel, const abdb_problem *p, int tensor, double *out,
                          abdb_error *err)
{
    const abdb_tensor *t = &p->tensor[tensor];
    size_t rows = t->dim[0], width = abdb_tensor_count(t) / rows, count = rows < ROWS ? rows : ROWS;
    size_t row[ROWS];
    double *want, *magnitude, bound = kernel->bound(p), worst = 0;

    while (count > 1 && count * width > WORK_MAX) count--;
    for (size_t i = 0; i < count; i++) /* the first, the last, and some between */
        row[i] = count == 1 ? 0 : i * (rows - 1) / (count - 1);
    want = calloc(count * width, sizeof *want);
    magnitude = calloc(count * width, sizeof *magnitude);
    if (!want || !magnitude) {
        free(want);
        free(magnitude);
        return ABDB_FAIL(err, ABDB_NOMEM, "verification");
    }
    kernel->reference(p, tensor, row, count, want, magnitude);
    for (size_t r = 0; r < count; r++)
        for (size_t j = 0; j < width; j++) {
            double got = abdb_tensor_get(t, row[r] * width + j);
            double limit = bound * magnitude[r * width + j],
                   error = fabs(got - want[r * width + j]);
            double ratio = error == 0 ? 0 : limit > 0 ? error / limit : INFINITY;

            if (!isfinite(got) || isnan(ratio)) ratio = INFINITY;
            if (ratio > worst) worst = ratio;
        }
    free(want);
    free(magnitude);
    if (worst > *out) *out = worst;
    return ABDB_OK;
}

abdb_status abdb_verify(const abdb_kernel *kernel, const abdb_problem *p, double *out,
                        abdb_error *err)
{
    abdb_status st = ABDB_OK;

    *out = 0;
    for (int i = 0; i < p->tensors; i++)
        if (p->tensor[i].role != ABDB_IN) TRY(verify(kernel, p, i, out, err));
done:
    return st;
}
