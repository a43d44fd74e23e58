/* gemm.c - C(M,N) = A(M,K) x B(K,N), row-major, contiguous.
 * Work: 2MNK operations, s(MK + KN + MN) bytes (beta is 0). Reference: dot products in long double.
 * Bound: (K + 2) u |A||B| per element (Higham, Accuracy and Stability, 3.5). bf16: sums in f32, the
 * result rounded once: (K + 2) 2^-24 + 2^-8. i8: sums in i32, exact. */
#include <math.h>
#include <stdio.h>

#include "kernels/kernel.h"

enum { A, B, C, SIZE_MAX_ELEMENTS = 1 << 30, ROOM = 24 };

static abdb_status shape(abdb_problem *p, const abdb_limits *limits, abdb_error *err)
{
    static _Thread_local char room[3][ROOM];
    static const char *const names[3] = {"m", "n", "k"};
    const char *dtype_name = abdb_param_text(p, "dtype");
    double n = abdb_param_number(p, "n", 1024), size[3];
    abdb_dtype dtype;
    abdb_status st = ABDB_OK;

    (void)limits;
    TRY(abdb_dtype_find(&dtype, dtype_name ? dtype_name : "f32", err));
    for (int i = 0; i < 3; i++) {
        size[i] = abdb_param_number(p, names[i], n);
        if (!(size[i] >= 1 && size[i] <= 1e6 && size[i] == floor(size[i])))
            return ABDB_FAIL(err, ABDB_USAGE, "gemm: %s wants a whole number from 1 to 1000000",
                             names[i]);
        TRY(abdb_param_set(p, names[i], size[i], room[i], ROOM, err));
    }
    if (size[0] * size[2] > SIZE_MAX_ELEMENTS || size[2] * size[1] > SIZE_MAX_ELEMENTS ||
        size[0] * size[1] > SIZE_MAX_ELEMENTS)
        return ABDB_FAIL(err, ABDB_LIMIT, "gemm: a matrix of more than 2^30 elements");
    if (dtype == ABDB_I32)
        return ABDB_FAIL(err, ABDB_USAGE, "gemm: i32 is the dtype of the result of i8");
    p->tensors = 3;
    p->tensor[A] = (abdb_tensor){.dtype = dtype,
                                 .role = ABDB_IN,
                                 .rank = 2,
                                 .dim = {(size_t)size[0], (size_t)size[2]},
                                 .stride = {(ptrdiff_t)size[2], 1}};
    p->tensor[B] = (abdb_tensor){.dtype = dtype,
                                 .role = ABDB_IN,
                                 .rank = 2,
                                 .dim = {(size_t)size[2], (size_t)size[1]},
                                 .stride = {(ptrdiff_t)size[1], 1}};
    p->tensor[C] = (abdb_tensor){.dtype = dtype == ABDB_I8 ? ABDB_I32 : dtype,
                                 .role = ABDB_OUT,
                                 .rank = 2,
                                 .dim = {(size_t)size[0], (size_t)size[1]},
                                 .stride = {(ptrdiff_t)size[1], 1}};
done:
    return st;
}

static void work(const abdb_problem *p, abdb_work *out)
{
    double m = (double)p->tensor[C].dim[0], n = (double)p->tensor[C].dim[1];
    double k = (double)p->tensor[A].dim[1], s = (double)abdb_dtype_size(p->tensor[A].dtype);

    out->ops = 2 * m * n * k;
    out->bytes = s * (m * k + k * n) + (double)abdb_dtype_size(p->tensor[C].dtype) * m * n;
}

static void reference(const abdb_problem *p, const size_t *row, size_t count, double *out,
                      double *magnitude)
{
    size_t n = p->tensor[C].dim[1], k = p->tensor[A].dim[1];

    for (size_t r = 0; r < count; r++)
        for (size_t j = 0; j < n; j++) {
            long double sum = 0;
            double size = 0;

            for (size_t i = 0; i < k; i++) {
                long double term = (long double)abdb_tensor_get(&p->tensor[A], row[r] * k + i) *
                                   abdb_tensor_get(&p->tensor[B], i * n + j);

                sum += term;
                size += fabs((double)term);
            }
            out[r * n + j] = (double)sum;
            magnitude[r * n + j] = size;
        }
}

static double bound(const abdb_problem *p)
{
    abdb_dtype dtype = p->tensor[A].dtype;
    double sum = abdb_dtype_unit_roundoff(dtype == ABDB_BF16 ? ABDB_F32 : dtype);

    return ((double)p->tensor[A].dim[1] + 2) * sum +
           (dtype == ABDB_BF16 ? abdb_dtype_unit_roundoff(ABDB_BF16) : 0);
}

const abdb_kernel abdb_kernel_gemm = {
    "gemm",    "matrix product C = A x B",
    "gemm@1",  "n=1024 (and m, k, by default n)  dtype=f32|f64|bf16|i8  cache=hot|cold",
    shape,     work,
    reference, bound,
    NULL};
