/* gemm.c - C(M,N) = A(M,K) x B(K,N), row-major, contiguous; batch=n: n such products, of matrices
 * one after another. weights=packed: B is brought into the form that the implementation likes best
 * before the clock starts.
 * Work: 2MNK operations, s(MK + KN + MN) bytes (beta is 0), n times. Reference: dot products in
 * double, of f64 in long double. Bound: (K + 2) u |A||B| per element (Higham, Accuracy and
 * Stability, 3.5). bf16, f16: sums in f32, the result rounded once: (K + 2) 2^-24 |A||B| + u |C|, u
 * of the format, f16 of a C of 2^-14 at least. tf32, e4m3, e5m2: sums in f32, C too. i8: sums in
 * i32, exact. Products of whole numbers are exact in all formats, and then all of C is
 * checked. */
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/kernel.h"

/* Rows and columns of A, B and C are sizes {m,k}, {k,n}, {m,n}: see `rows` and `columns` below. */
enum { A, B, C, SIZE_MAX_ELEMENTS = 1 << 30 };

static abdb_status shape(abdb_problem *p, const abdb_limits *limits, abdb_error *err)
{
    static const char *const names[3] = {"m", "n", "k"}, *const layouts[] = {"plain", "packed",
                                                                             NULL};
    static const int rows[3] = {0, 2, 0}, columns[3] = {2, 1, 1};
    double n = abdb_param_number(p, "n", 1024);
    size_t size[3], batch = 1;
    int layout;
    abdb_dtype dtype, result;
    abdb_status st = ABDB_OK;

    (void)limits;
    TRY(abdb_param_dtype(p, ABDB_F32, ~(1u << ABDB_I32), &dtype, err));
    result = dtype == ABDB_BF16 || dtype == ABDB_F16 ? dtype : abdb_dtype_sums(dtype);
    TRY(abdb_param_word(p, "weights", layouts, &layout, err));
    for (int i = 0; i < 3; i++) TRY(abdb_param_size(p, names[i], n, 1e6, &size[i], err));
    if (abdb_param_text(p, "batch")) TRY(abdb_param_size(p, "batch", 1, 1e6, &batch, err));
    p->tensors = 3;
    for (int i = 0; i < 3; i++) {
        size_t r = size[rows[i]], c = size[columns[i]];

        if ((double)r * (double)c * (double)batch > SIZE_MAX_ELEMENTS)
            return ABDB_FAIL(err, ABDB_LIMIT, "gemm: a matrix of more than 2^30 elements");
        p->tensor[i] =
            abdb_tensor_of(i == C ? result : dtype, i == C ? ABDB_OUT : ABDB_IN,
                           batch > 1 ? batch : r, batch > 1 ? r : c, batch > 1 ? c : 0, 0);
    }
done:
    return st;
}

/* The last dimension of a tensor (1: columns) or the one before (2: rows), of a batch or not. */
static size_t side(const abdb_problem *p, int tensor, int from_last)
{
    return p->tensor[tensor].dim[p->tensor[tensor].rank - from_last];
}

static void work(const abdb_problem *p, abdb_work *out)
{
    out->ops = 2 * (double)abdb_tensor_count(&p->tensor[C]) * (double)side(p, A, 1);
    out->bytes = abdb_problem_bytes(p);
}

/* One row of C of f64: sums in long double, rows of B one after another. */
static void exact_row(const abdb_problem *p, size_t at, size_t b, double *out, double *magnitude)
{
    size_t n = side(p, B, 1), k = side(p, A, 1);
    const double *x = (const double *)p->tensor[A].data + at * k,
                 *y = (const double *)p->tensor[B].data + b;
    long double *sum = calloc(n, sizeof *sum);

    for (size_t j = 0; j < n; j++) magnitude[j] = sum ? 0 : NAN;
    for (size_t i = 0; sum && i < k; i++)
        for (size_t j = 0; j < n; j++) {
            long double term = (long double)x[i] * y[i * n + j];

            sum[j] += term;
            magnitude[j] += fabs((double)term);
        }
    for (size_t j = 0; j < n; j++) out[j] = sum ? (double)sum[j] : (double)NAN;
    free(sum);
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

/* What the sums of an element of C may be wrong by, relative to |A||B|. */
static double sums(const abdb_problem *p)
{
    return ((double)side(p, A, 1) + 2) *
           abdb_dtype_unit_roundoff(abdb_dtype_sums(p->tensor[A].dtype));
}

static double bound(const abdb_problem *p, int tensor)
{
    return sums(p) + abdb_rounded(&p->tensor[tensor]);
}

/* A row of the output is a row of C; of a batch it is a whole matrix. */
static void reference(const abdb_problem *p, int tensor, const size_t *row, size_t count,
                      double *out, double *magnitude)
{
    bool batch = p->tensor[C].rank == 3;
    size_t n = side(p, B, 1), k = side(p, A, 1), each = batch ? side(p, C, 2) : 1;

    if (!batch && p->tensor[A].dtype != ABDB_F64) rows_of(p, row, count, 0, out, magnitude);
    for (size_t r = 0; (batch || p->tensor[A].dtype == ABDB_F64) && r < count * each; r++) {
        size_t at = row[r / each] * each + r % each, b = batch ? at / each * k * n : 0;

        if (p->tensor[A].dtype == ABDB_F64)
            exact_row(p, at, b, out + r * n, magnitude + r * n);
        else
            rows_of(p, &at, 1, b, out + r * n, magnitude + r * n);
    }
    for (size_t i = 0; bound(p, tensor) > 0 && i < count * each * n; i++)
        magnitude[i] = abdb_magnitude(&p->tensor[tensor], magnitude[i], out[i], sums(p));
}

/* Whole numbers that their format has and whose sums are exact in the one that they are summed in;
 * of a result that is rounded, whose format has whole numbers up to 1 / u, few enough that sums
 * stay below that but for a handful. */
static bool exact(const abdb_problem *p, uint64_t seed)
{
    /* `few`: the share of numbers that are not 0. A product is 1 or -1 with the probability few^2,
     * so a sum of k of them has a standard deviation of few sqrt(k), and 1 / u is 8 of those. */
    double k = (double)side(p, A, 1), u = abdb_rounded(&p->tensor[C]);
    double few = u > 0 ? fmin(1, 0.12 / (u * sqrt(k))) : 1;
    abdb_dtype dtype = p->tensor[A].dtype;
    /* k most^2 is at most 2^24 for f32, and 10^6 x 2^20 for f64: both formats hold such sums
     * exactly. */
    int most = dtype == ABDB_F64 ? 1024 : (int)fmin(64, sqrt(0x1p24 / k));

    if (dtype != ABDB_I8) most = (int)fmin(most, 1 / abdb_dtype_unit_roundoff(dtype));

    for (int t = A; t <= B && dtype != ABDB_I8; t++) { /* bytes are whole as they are */
        const abdb_tensor *in = &p->tensor[t];
        uint64_t own = 2 * seed + (uint64_t)t;

        abdb_fill_whole(in, own, u > 0 ? 1 : most);
        for (size_t i = 0; few < 1 && i < abdb_tensor_count(in); i++)
            if ((double)(abdb_random_at(own + 1000, i) >> 11) * 0x1p-53 >= few)
                abdb_tensor_set(in, i, 0);
    }
    return true;
}

static double element_a(const abdb_problem *p, size_t i, size_t k)
{
    return abdb_tensor_get(&p->tensor[A], i * side(p, A, 1) + k);
}

static double element_b(const abdb_problem *p, size_t k, size_t j)
{
    return abdb_tensor_get(&p->tensor[B], k * side(p, B, 1) + j);
}

static abdb_status suspect(const abdb_problem *p, int tensor, uint64_t seed, unsigned char *marks,
                           abdb_error *err)
{
    bool batch = p->tensor[C].rank == 3;
    size_t m = side(p, C, 2), n = side(p, C, 1), k = side(p, A, 1);
    unsigned char *each = batch ? calloc(m, 1) : marks;
    abdb_status st = ABDB_OK;

    (void)tensor;
    if (!each) return ABDB_FAIL(err, ABDB_NOMEM, "a check of a product");
    for (size_t i = 0; st == ABDB_OK && i < (batch ? p->tensor[C].dim[0] : 1); i++) {
        abdb_product q = {p, element_a, element_b, &p->tensor[C], i * m, i * k, i * m, m, k, n};

        st = abdb_suspect_product(&q, seed + i, each, err);
        if (batch && memchr(each, 1, m)) marks[i] = 1;
        if (batch) memset(each, 0, m);
    }
    if (batch) free(each);
    return st;
}

static double near(const abdb_problem *p, int tensor)
{
    return abdb_near_sum(&p->tensor[tensor], (double)side(p, A, 1));
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

const abdb_kernel abdb_kernel_gemm = {
    .name = "gemm",
    .summary = "matrix product C = A x B",
    .formula = "gemm@1",
    .parameters = "n=1024 (and m, k, by default n)  batch=1  "
                  "weights=plain|packed  dtype=f32|f64|tf32|bf16|f16|e4m3|e5m2|i8  cache=hot|cold",
    .names = "m n k batch weights",
    .shape = shape,
    .work = work,
    .reference = reference,
    .bound = bound,
    .near = near,
    .bounded_by = bounded_by,
    .ceiling = ceiling,
    .exact = exact,
    .suspect = suspect,
};
