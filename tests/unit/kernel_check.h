/* kernel_check.h - problems made, run and checked by tests of kernels. */
#ifndef ABDB_TESTS_KERNEL_CHECK_H
#define ABDB_TESTS_KERNEL_CHECK_H

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/harness/harness.h"
#include "kernels/providers/ref/ref.h"
#include "kernels/providers/vec/vec.h"
#include "tests/unit/check.h"

static const abdb_limits limits = {32 << 10, 512 << 10, 1 << 20, 2};

__attribute__((unused)) static void make(abdb_problem *p)
{
    for (int i = 0; i < p->tensors; i++) {
        p->tensor[i].data =
            calloc(abdb_tensor_count(&p->tensor[i]), abdb_dtype_size(p->tensor[i].dtype));
        if (p->tensor[i].role != ABDB_OUT) abdb_fill(&p->tensor[i], (unsigned)i);
    }
}

__attribute__((unused)) static void drop(abdb_problem *p)
{
    for (int i = 0; i < p->tensors; i++) free(p->tensor[i].data);
}

/* The largest error over its bound in any row of any output. */
static double worst_error(const abdb_kernel *kernel, const abdb_problem *p)
{
    double worst = 0, bound = kernel->bound(p);

    for (int t = 0; t < p->tensors; t++) {
        size_t rows = p->tensor[t].dim[0], count = abdb_tensor_count(&p->tensor[t]);
        size_t *row = calloc(rows, sizeof *row);
        double *want = calloc(count, sizeof *want), *magnitude = calloc(count, sizeof *magnitude);

        assert_true(row && want && magnitude);
        for (size_t i = 0; i < rows; i++) row[i] = i;
        if (p->tensor[t].role != ABDB_IN) kernel->reference(p, t, row, rows, want, magnitude);
        for (size_t i = 0; p->tensor[t].role != ABDB_IN && i < count; i++) {
            double error = fabs(abdb_tensor_get(&p->tensor[t], i) - want[i]);

            if (!(error <= bound * magnitude[i]))
                worst = fmax(worst, error / (bound * magnitude[i]));
            if (isnan(error)) worst = INFINITY;
        }
        free(row);
        free(want);
        free(magnitude);
    }
    return worst;
}

/* Runs a problem with tensors at an offset of `shift` elements from an aligned address. */
__attribute__((unused)) static double run_shifted(const abdb_kernel *kernel, const abdb_impl *impl,
                                                  abdb_problem *p, size_t shift)
{
    abdb_error err = {0};
    char *base[ABDB_TENSOR_MAX];
    void *state = p;
    const char *why;
    double error;

    assert_ok(kernel->shape(p, &limits, &err));
    for (int i = 0; i < p->tensors; i++) {
        size_t each = abdb_dtype_size(p->tensor[i].dtype);
        size_t size = abdb_tensor_count(&p->tensor[i]) * each + shift * each;

        base[i] = aligned_alloc(64, (size + 63) / 64 * 64);
        memset(base[i], 0xFF, size);
        p->tensor[i].data = base[i] + shift * each;
        if (p->tensor[i].role != ABDB_OUT) abdb_fill(&p->tensor[i], (unsigned)i);
    }
    if (kernel->fill) kernel->fill(p);
    error = -1;
    if (!impl->accepts || impl->accepts(p, &why)) {
        if (impl->prepare) assert_ok(impl->prepare(&state, p, &err));
        impl->launch(state);
        error = worst_error(kernel, p);
        if (impl->close) impl->close(state);
    }
    for (int i = 0; i < p->tensors; i++) free(base[i]);
    return error;
}

__attribute__((unused)) static const char *const sets[] = {"base", "avx2", "avx512"};

/* Is the result right, or the instruction set absent here? */
__attribute__((unused)) static void check(const abdb_kernel *kernel, const abdb_impl *impl,
                                          abdb_problem *p, size_t shift)
{
    double error = run_shifted(kernel, impl, p, shift);

    if (error > 1)
        fail_msg("%s by %s, %s %s %s: error %g", kernel->name, impl->provider, p->param[0].text,
                 p->param[1].text, p->param[2].text, error);
}

/* The problem of a text "name=value ...", which it cuts into pieces. */
__attribute__((unused)) static abdb_problem problem_of(const char *kernel, char *text)
{
    abdb_problem p = {.kernel = kernel};
    char *rest = NULL;

    for (char *word = strtok_r(text, " ", &rest); word; word = strtok_r(NULL, " ", &rest)) {
        char *equals = strchr(word, '='), *end;
        double number = strtod(equals + 1, &end);

        *equals = '\0';
        p.param[p.params++] = (abdb_param){word, equals + 1, *end ? NAN : number};
    }
    return p;
}

#endif
