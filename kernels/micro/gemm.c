/* gemm.c - C(M,N) = A(M,K) x B(K,N), row-major, contiguous; batch=n: n such products, of matrices
 * one after another. weights=packed: B is brought into the form that the implementation likes best
 * before the clock starts.
 * Work: 2MNK operations, s(MK + KN + MN) bytes (beta is 0), n times. Reference: dot products in
 * double, of f64 in long double. Bound: (K + 2) u |A||B| per element (Higham, Accuracy and
 * Stability, 3.5). bf16: sums in f32, the result rounded once: (K + 2) 2^-24 + 2^-8. i8: sums in
 * i32, exact. */
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/kernel.h"

enum { A, B, C, SIZE_MAX_ELEMENTS = 1 << 30 };

static abdb_status shape(abdb_problem *p, const abdb_limits *limits, abdb_error *err)
{
    static const char *const names[3] = {"m", "n", "k"}, *const layouts[] = {"plain", "packed",
                                                                             NULL};
    static const int rows[3] = {0, 2, 0}, columns[3] = {2, 1, 1};
    double n = abdb_param_number(p, "n", 1024);
    size_t size[3], batch = 1;
    int layout;
    abdb_dtype dtype;
    abdb_status st = ABDB_OK;

    (void)limits;
    TRY(abdb_param_dtype(p, ABDB_F32, ~(1u << ABDB_I32), &dtype, err));
    TRY(abdb_param_word(p, "weights", layouts, &layout, err));
    for (int i = 0; i < 3; i++) TRY(abdb_param_size(p, names[i], n, 1e6, &size[i], err));
    if (abdb_param_text(p, "batch")) TRY(abdb_param_size(p, "batch", 1, 1e6, &batch, err));
    p->tensors = 3;
    for (int i = 0; i < 3; i++) {
        size_t r = size[rows[i]], c = size[columns[i]];

        if ((double)r * (double)c * (double)batch > SIZE_MAX_ELEMENTS)
            return ABDB_FAIL(err, ABDB_LIMIT, "gemm: a matrix of more than 2^30 elements");
        p->tensor[i] = abdb_tensor_of(i == C && dtype == ABDB_I8 ? ABDB_I32 : dtype,
                                      i == C ? ABDB_OUT : ABDB_IN, batch > 1 ? batch : r,
                                      batch > 1 ? r : c, batch > 1 ? c : 0, 0);
    }
done:
    return st;
}

static size_t side(const abdb_problem *p, int tensor, int from_last)
{
    return p->tensor[tensor].dim[p->tensor[tensor].rank - from_last];
}

static void work(const abdb_problem *p, abdb_work *out)
{
    out->ops = 2 * (double)abdb_tensor_count(&p->tensor[C]) * (double)side(p, A, 1);
    out->bytes = abdb_problem_bytes(p);
}

/* One row of C of f64: sums in long double. */
static void exact_row(const abdb_problem *p, size_t at, size_t b, double *out, double *magnitude)
{
    size_t n = side(p, B, 1), k = side(p, A, 1);
    const double *x = (const double *)p->tensor[A].data + at * k,
                 *y = (const double *)p->tensor[B].data + b;

    for (size_t j = 0; j < n; j++) {
        long double sum = 0;
        double size = 0;

        for (size_t i = 0; i < k; i++) {
            long double term = (long double)x[i] * y[i * n + j];

            sum += term;
            size += fabs((double)term);
        }
        out[j] = (double)sum;
        magnitude[j] = size;
    }
}

/* `count` rows of C of shorter formats, whose products double holds exactly: rows of B once. */
static void rows_of(const abdb_problem *p, const size_t *at, size_t count, size_t b, double *out,
                    double *magnitude)
{
    size_t n = side(p, B, 1), k = side(p, A, 1);
    double *row = malloc(n * sizeof *row);

    for (size_t i = 0; i < count * n; i++) out[i] = magnitude[i] = row ? 0 : NAN;
    for (size_t i = 0; row && i < k; i++) {
        for (size_t j = 0; j < n; j++) row[j] = abdb_tensor_get(&p->tensor[B], b + i * n + j);
        for (size_t r = 0; r < count; r++) {
            double x = abdb_tensor_get(&p->tensor[A], at[r] * k + i);

            for (size_t j = 0; j < n; j++) {
                out[r * n + j] += x * row[j];
                magnitude[r * n + j] += fabs(x * row[j]);
            }
        }
    }
    free(row);
}

/* A row of the output is a row of C; of a batch it is a whole matrix. */
static void reference(const abdb_problem *p, int tensor, const size_t *row, size_t count,
                      double *out, double *magnitude)
{
    bool batch = p->tensor[C].rank == 3;
    size_t n = side(p, B, 1), k = side(p, A, 1), each = batch ? side(p, C, 2) : 1;

    (void)tensor;
    if (!batch && p->tensor[A].dtype != ABDB_F64) {
        rows_of(p, row, count, 0, out, magnitude);
        return;
    }
    for (size_t r = 0; r < count * each; r++) {
        size_t at = row[r / each] * each + r % each, b = batch ? at / each * k * n : 0;

        if (p->tensor[A].dtype == ABDB_F64)
            exact_row(p, at, b, out + r * n, magnitude + r * n);
        else
            rows_of(p, &at, 1, b, out + r * n, magnitude + r * n);
    }
}

static double bound(const abdb_problem *p)
{
    abdb_dtype dtype = p->tensor[A].dtype;
    double sum = abdb_dtype_unit_roundoff(dtype == ABDB_BF16 ? ABDB_F32 : dtype);

    return ((double)side(p, A, 1) + 2) * sum +
           (dtype == ABDB_BF16 ? abdb_dtype_unit_roundoff(ABDB_BF16) : 0);
}

/* Where one side is short each element is used but a few times: bytes, as of one row. */
static const char *bounded_by(const abdb_problem *p)
{
    abdb_work w;

    work(p, &w);
    return abdb_bound_work(w.ops, abdb_problem_elements(p));
}

/* "The best matrix product measured": of those that memory does not hold up. */
static const char *ceiling(const abdb_problem *p)
{
    return strcmp(bounded_by(p), "operations") == 0 ? abdb_peak_of(p->tensor[A].dtype) : NULL;
}

const abdb_kernel abdb_kernel_gemm = {"gemm",
                                      "matrix product C = A x B",
                                      "gemm@1",
                                      "n=1024 (and m, k, by default n)  batch=1  "
                                      "weights=plain|packed  dtype=f32|f64|bf16|i8  cache=hot|cold",
                                      shape,
                                      work,
                                      reference,
                                      bound,
                                      NULL,
                                      NULL,
                                      bounded_by,
                                      ceiling};
