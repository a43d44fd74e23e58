/* gemm.c - C(M,N) = act(A(M,K) x B(K,N) + beta C + bias), row-major, contiguous; batch=n: n such
 * products, of matrices one after another.
 *
 *   transpose=nn  nt: B is stored N x K; tn: A is stored K x M; tt: both
 *   beta=0        1: the old C is added (alpha is 1)
 *   epilogue=none bias: a number for each column is added; then relu: max(x, 0); gelu: x s(2
 *                 sqrt(2/pi) (x + 0.044715 x^3)), s the logistic function; silu: x s(x); bias-relu,
 *                 bias-gelu, bias-silu: both. GELU and SiLU are not of i8, whose sums are whole
 *   weights=packed  B is brought into the implementation's own form before the clock starts
 *   products=bf16x3  of f32: each number is the sum of two of bf16, and of their four products the
 *                 least is omitted: 16 of the 24 bits
 *
 * Work: (2K + e) MN operations, e being 1 of beta, 1 of a bias, and 1, 9, 4 of ReLU, GELU, SiLU (as
 * in elementwise.c); s(MK + KN) bytes and those of C, of beta twice, and of the bias; n times.
 * Reference: dot products in double, of f64 in long double. Bound: (K + 4) u (|A||B| + |C| +
 * |bias|) per element (Higham, Accuracy and Stability, 3.5). bf16, f16: sums in f32, the result
 * rounded once: (K + 4) 2^-24 of that + u |C|, u of the format, f16 of a C of 2^-14 at least. tf32,
 * e4m3, e5m2: sums in f32, C too. i8: sums in i32, exact. GELU and SiLU have derivatives below
 * 1.13, and may be wrong by 33 u |x| (1 + |z|) themselves, z being the argument of s. Products of
 * whole numbers are exact in all formats, and then all of C is checked, with a ReLU row by row. */
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/kernel.h"
#include "kernels/micro/edges.h"

enum { A, B, C, BIAS, SIZE_MAX_ELEMENTS = 1 << 30 };
/* No activation has a larger derivative: that of GELU is 1.129, of SiLU 1.0998. */
static const double steepest = 1.13;

/* The words of the parameters, in this order; epilogue 4 and above has a bias too. */
static const char *const transposes[] = {"nn", "nt", "tn", "tt", NULL};
static const char *const betas[] = {"0", "1", NULL};
static const char *const epilogues[] = {"none",      "relu",      "gelu",      "silu", "bias",
                                        "bias-relu", "bias-gelu", "bias-silu", NULL};
static const char *const layouts[] = {"plain", "packed", NULL};
static const char *const products[] = {"own", "bf16x3", NULL};
/* What products=bf16x3 leaves out of a product, relative: the least, and the rests of both. */
static const double left_out = 3 * 0x1p-16;

/* All but the sizes. */
static abdb_status gemm_parse_transpose_beta_epilogue_layout(const abdb_problem *p, abdb_gemm *g,
                                                             bool *bias, abdb_error *err)
{
    int transpose, beta, epilogue, layout, product;
    abdb_status st = ABDB_OK;

    TRY(abdb_param_choice_index_or_first(p, "transpose", transposes, &transpose, err));
    TRY(abdb_param_choice_index_or_first(p, "beta", betas, &beta, err));
    TRY(abdb_param_choice_index_or_first(p, "epilogue", epilogues, &epilogue, err));
    TRY(abdb_param_choice_index_or_first(p, "weights", layouts, &layout, err));
    TRY(abdb_param_choice_index_or_first(p, "products", products, &product, err));
    *g = (abdb_gemm){.ta = transpose >= 2,
                     .tb = transpose % 2,
                     .beta = beta == 1,
                     .packed = layout == 1,
                     .bf16x3 = product == 1,
                     .act = epilogue % 4};
    *bias = epilogue >= 4;
done:
    return st;
}

abdb_gemm abdb_gemm_from_problem(const abdb_problem *p)
{
    const abdb_tensor *c = &p->tensor[C];
    abdb_gemm g = {0};
    abdb_error err;
    bool bias = false;

    (void)!gemm_parse_transpose_beta_epilogue_layout(
        p, &g, &bias, &err); /* cannot fail: setup_tensors refused bad parameters */
    g.m = c->dim[c->rank - 2];
    g.n = c->dim[c->rank - 1];
    g.batch = c->rank == 3 ? c->dim[0] : 1;
    g.k = abdb_tensor_element_count(&p->tensor[A]) / (g.batch * g.m);
    g.bias = bias ? &p->tensor[BIAS] : NULL;
    return g;
}

bool abdb_gemm_has_bias_or_activation(const abdb_problem *p)
{
    abdb_gemm g = abdb_gemm_from_problem(p);

    return g.bias || g.act;
}

/* Rows by columns, of a batch so many of them. */
static abdb_status gemm_append_matrix(abdb_problem *p, abdb_dtype dtype, abdb_role role,
                                      size_t batch, size_t rows, size_t columns, abdb_error *err)
{
    if ((double)rows * (double)columns * (double)batch > SIZE_MAX_ELEMENTS)
        return ABDB_FAIL(err, ABDB_LIMIT, "gemm: a matrix of more than 2^30 elements");
    p->tensor[p->tensors++] = batch > 1
                                  ? abdb_tensor_contiguous(dtype, role, batch, rows, columns, 0)
                                  : abdb_tensor_contiguous(dtype, role, rows, columns, 0, 0);
    return ABDB_OK;
}

/* A is M x K (K x M where transposed), B K x N (N x K), C M x N, of a batch so many of each; a
 * bias has N numbers. C is in bf16 and f16 as A is, else in the accumulator of A's format. */
static abdb_status gemm_parse_params_and_setup_tensors(abdb_problem *p,
                                                       const abdb_machine_caches *limits,
                                                       abdb_error *err)
{
    double n = abdb_param_number(p, "n", 1024);
    abdb_dtype dtype, result;
    abdb_gemm g;
    size_t batch = 1;
    bool bias;
    abdb_status st = ABDB_OK;

    (void)limits;
    TRY(abdb_param_parse_allowed_dtype(p, ABDB_F32, ~(1u << ABDB_I32), &dtype, err));
    TRY(gemm_parse_transpose_beta_epilogue_layout(p, &g, &bias, err));
    TRY(abdb_param_parse_size_and_store_default(p, "m", n, 1e6, &g.m, err));
    TRY(abdb_param_parse_size_and_store_default(p, "n", n, 1e6, &g.n, err));
    TRY(abdb_param_parse_size_and_store_default(p, "k", n, 1e6, &g.k, err));
    if (abdb_param_text(p, "batch"))
        TRY(abdb_param_parse_size_and_store_default(p, "batch", 1, 1e6, &batch, err));
    if (g.bf16x3 && dtype != ABDB_F32)
        TRY(ABDB_FAIL(err, ABDB_USAGE, "gemm: products=bf16x3 is of f32"));
    if (dtype == ABDB_I8 && g.act > ABDB_ACT_RELU)
        TRY(ABDB_FAIL(err, ABDB_USAGE,
                      "gemm: sums of i8 are whole numbers: of epilogues they have bias, relu and "
                      "bias-relu"));
    result = dtype == ABDB_BF16 || dtype == ABDB_F16 ? dtype : abdb_dtype_accumulator(dtype);
    p->tensors = 0;
    TRY(gemm_append_matrix(p, dtype, ABDB_IN, batch, g.ta ? g.k : g.m, g.ta ? g.m : g.k, err));
    TRY(gemm_append_matrix(p, dtype, ABDB_IN, batch, g.tb ? g.n : g.k, g.tb ? g.k : g.n, err));
    TRY(gemm_append_matrix(p, result, g.beta ? ABDB_INOUT : ABDB_OUT, batch, g.m, g.n, err));
    if (bias) p->tensor[p->tensors++] = abdb_tensor_contiguous(result, ABDB_IN, g.n, 0, 0, 0);
done:
    return st;
}

/* Operations: (2K + beta + bias + activation) M N for each product of a batch; bytes: each tensor
 * once, C twice with beta. */
static void gemm_count_work(const abdb_problem *p, abdb_work *out)
{
    static const double each[] = {[ABDB_ACT_RELU] = 1, [ABDB_ACT_GELU] = 9, [ABDB_ACT_SILU] = 4};
    const abdb_tensor *c = &p->tensor[C];
    abdb_gemm g = abdb_gemm_from_problem(p);
    double elements = (double)abdb_tensor_element_count(c);

    out->ops = elements * (2 * (double)g.k + g.beta + (g.bias != NULL) + each[g.act]);
    out->bytes =
        abdb_problem_tensor_bytes(p) + (g.beta ? elements * (double)abdb_dtype_size(c->dtype) : 0);
}

/* --- the reference ---------------------------------------------------------------------------- */

/* From element (i, 0) of A to the next along K; from (0, j) of B; between rows of A, columns of B.
 */
typedef struct {
    size_t a_row, a_next, b_next, b_column;
} operand_strides;

static operand_strides operand_strides_of(const abdb_gemm *g)
{
    return (operand_strides){.a_row = g->ta ? 1 : g->k,
                             .a_next = g->ta ? g->m : 1,
                             .b_next = g->tb ? 1 : g->n,
                             .b_column = g->tb ? g->k : 1};
}

/* One row of A x B of f64, A from element a and B from b on: sums in long double. */
static void reference_row_long_double(const abdb_problem *p, const abdb_gemm *g, size_t a_offset,
                                      size_t b_offset, double *out, double *magnitude)
{
    const double *x = (const double *)p->tensor[A].data + a_offset,
                 *y = (const double *)p->tensor[B].data + b_offset;
    long double *sum = calloc(g->n, sizeof *sum);
    operand_strides s = operand_strides_of(g);

    for (size_t j = 0; j < g->n; j++) magnitude[j] = sum ? 0 : NAN;
    for (size_t i = 0; sum && i < g->k; i++)
        for (size_t j = 0; j < g->n; j++) {
            long double term = (long double)x[i * s.a_next] * y[i * s.b_next + j * s.b_column];

            sum[j] += term;
            magnitude[j] += fabs((double)term);
        }
    for (size_t j = 0; j < g->n; j++) out[j] = sum ? (double)sum[j] : (double)NAN;
    free(sum);
}

/* `count` rows of A x B of shorter formats, whose products double holds exactly, row r of A from
 * element a[r] on and B from b: rows of B once. */
static void reference_rows_f64(const abdb_problem *p, const abdb_gemm *g, const size_t *a_offsets,
                               size_t count, size_t b_offset, double *out, double *magnitude)
{
    double *row = malloc(g->n * sizeof *row);
    operand_strides s = operand_strides_of(g);
    size_t n = g->n;

    for (size_t i = 0; i < count * n; i++) out[i] = magnitude[i] = row ? 0 : NAN;
    for (size_t i = 0; row && i < g->k; i++) {
        for (size_t j = 0; j < n; j++)
            row[j] = abdb_tensor_get_f64(&p->tensor[B], b_offset + i * s.b_next + j * s.b_column);
        for (size_t r = 0; r < count; r++) {
            double x = abdb_tensor_get_f64(&p->tensor[A], a_offsets[r] + i * s.a_next);

            for (size_t j = 0; j < n; j++) {
                out[r * n + j] += x * row[j];
                magnitude[r * n + j] += fabs(x * row[j]);
            }
        }
    }
    free(row);
}

/* What the sums of an element of C may be wrong by, relative to |A||B| + |C| + |bias|. */
static double gemm_sum_error_bound(const abdb_problem *p)
{
    abdb_gemm g = abdb_gemm_from_problem(p);

    return ((double)g.k + (g.beta || g.bias ? 4 : 2)) *
               abdb_dtype_unit_roundoff(abdb_dtype_accumulator(p->tensor[A].dtype)) +
           (g.bf16x3 ? left_out : 0);
}

static double gemm_error_bound(const abdb_problem *p, int tensor)
{
    return gemm_sum_error_bound(p) + abdb_output_roundoff_or_0_if_accumulator(&p->tensor[tensor]);
}

/* x times the logistic function of z, and the error bound of its evaluation, in roundings. */
static double times_sigmoid_with_error(double x, double z, double *error_roundings)
{
    *error_roundings = 33 * fabs(x) * (1 + fabs(z));
    return x / (1 + exp(-z));
}

/* Completes row `row` of C, counted over all the batch: adds C and bias to A x B, which is in out,
 * and applies the activation; magnitudes are relative to the error bound of sums. */
static void finish_reference_row_with_c_bias_activation(const abdb_problem *p, const abdb_gemm *g,
                                                        size_t row, double *out, double *magnitude)
{
    double u = abdb_dtype_unit_roundoff(abdb_dtype_accumulator(p->tensor[A].dtype)),
           s = gemm_sum_error_bound(p);
    bool inexact = gemm_error_bound(p, C) > 0;

    for (size_t j = 0; j < g->n; j++) {
        double was = g->beta ? abdb_tensor_get_f64(&p->tensor[C], row * g->n + j) : 0,
               bias = g->bias ? abdb_tensor_get_f64(g->bias, j) : 0, x = out[j] + was + bias,
               wrong = 0;

        magnitude[j] += fabs(was) + fabs(bias);
        out[j] = g->act == ABDB_ACT_GELU
                     ? times_sigmoid_with_error(
                           x, 2 * sqrt(2 / acos(-1)) * (x + 0.044715 * x * x * x), &wrong)
                 : g->act == ABDB_ACT_SILU ? times_sigmoid_with_error(x, x, &wrong)
                 : g->act == ABDB_ACT_RELU ? (x < 0 ? 0 : x)
                                           : x;
        if (g->act > ABDB_ACT_RELU) magnitude[j] = steepest * magnitude[j] + wrong * u / s;
        if (inexact)
            magnitude[j] = abdb_combine_error_magnitudes(&p->tensor[C], magnitude[j], out[j], s);
    }
}

/* A row of the output is a row of C; of a batch it is a whole matrix. */
static void gemm_reference_rows(const abdb_problem *p, int tensor, const size_t *row, size_t count,
                                double *out, double *magnitude)
{
    bool batch = p->tensor[tensor].rank == 3, longer = p->tensor[A].dtype == ABDB_F64;
    abdb_gemm g = abdb_gemm_from_problem(p);
    size_t each = batch ? g.m : 1, *at = malloc(count * sizeof *at);
    operand_strides s = operand_strides_of(&g);

    for (size_t r = 0; at && r < count; r++) at[r] = row[r] * s.a_row;
    if (at && !batch && !longer) reference_rows_f64(p, &g, at, count, 0, out, magnitude);
    for (size_t r = 0; r < count * each; r++) {
        size_t i = row[r / each] * each + r % each, matrix = batch ? i / g.m : 0,
               a = matrix * g.m * g.k + (i - matrix * g.m) * s.a_row, b = matrix * g.k * g.n;
        double *to = out + r * g.n, *size = magnitude + r * g.n;

        if (longer) reference_row_long_double(p, &g, a, b, to, size);
        if (batch && !longer) reference_rows_f64(p, &g, &a, 1, b, to, size);
        finish_reference_row_with_c_bias_activation(p, &g, i, to, size);
        if (!at) to[0] = NAN;
    }
    free(at);
}

/* GELU and SiLU differ from ReLU, and from one another, near 0 alone: A is as small as leaves sums
 * a standard deviation of 2. */
static void gemm_prepare_inputs_scale_a_for_gelu_silu(const abdb_problem *p, uint64_t seed)
{
    const abdb_tensor *a = &p->tensor[A];
    abdb_gemm g = abdb_gemm_from_problem(p);
    double scale = fmin(1, 6 / sqrt((double)g.k));

    (void)seed;
    if (g.act <= ABDB_ACT_RELU) return;
#pragma omp parallel for schedule(static)
    for (size_t i = 0; i < abdb_tensor_element_count(a); i++)
        abdb_tensor_set_rounded(a, i, scale * abdb_tensor_get_f64(a, i));
}

/* Whole numbers of the input's format whose sums are exact in the format of sums. Where the result
 * is rounded to a format with whole numbers up to 1 / u, most inputs are 0, so that only a handful
 * of sums exceed 1 / u. */
static bool gemm_make_exact_inputs_unless_gelu_silu(const abdb_problem *p, uint64_t seed)
{
    abdb_gemm g = abdb_gemm_from_problem(p);
    /* `few`: the share of numbers that are not 0. A product is 1 or -1 with the probability few^2,
     * so a sum of k of them has a standard deviation of few sqrt(k); 1 / u is 8 deviations. */
    double k = (double)g.k, u = abdb_output_roundoff_or_0_if_accumulator(&p->tensor[C]);
    double few = u > 0 ? fmin(1, 0.12 / (u * sqrt(k))) : 1;
    abdb_dtype dtype = p->tensor[A].dtype;
    /* (k + 2) most^2, with the old C and a bias, is at most 2^24 for f32, and 10^6 x 2^20 for
     * f64: both formats hold such sums exactly. */
    int most = dtype == ABDB_F64 ? 1024 : (int)fmin(64, sqrt(0x1p24 / (k + 2)));

    if (g.act > ABDB_ACT_RELU) return abdb_gemm_put_exact_positive_values(p, &g, seed);
    if (dtype != ABDB_I8) most = (int)fmin(most, 1 / abdb_dtype_unit_roundoff(dtype));

    for (int t = A; t < p->tensors && dtype != ABDB_I8; t++) { /* bytes are whole as they are */
        const abdb_tensor *in = &p->tensor[t];
        uint64_t own = 2 * seed + (uint64_t)t;

        if (in->role == ABDB_OUT) continue;
        abdb_fill_nonzero_integers(in, own, u > 0 ? 1 : most);
        for (size_t i = 0; few < 1 && t <= B && i < abdb_tensor_element_count(in); i++)
            if ((double)(abdb_random_bits_at(own + 1000, i) >> 11) * 0x1p-53 >= few)
                abdb_tensor_set_rounded(in, i, 0);
    }
    abdb_gemm_put_full_precision_rows(p, &g, 2 * seed + 500);
    return true;
}

static void gemm_put_edge_values(const abdb_problem *p, uint64_t seed)
{
    abdb_gemm g = abdb_gemm_from_problem(p);
    abdb_gemm_put_edge_values(p, &g, seed);
}

/* Elements of A and B by their number within all the batch, for the check of a product, once an
 * element: reading the parameters each time would be slow. */
static size_t gemm_inner_dimension_k(const abdb_problem *p)
{
    const abdb_tensor *a = &p->tensor[A], *c = &p->tensor[C];
    size_t m = c->dim[c->rank - 2];

    return a->dim[a->rank - 1] * a->dim[a->rank - 2] / m;
}

static double a_element_by_batch_row(const abdb_problem *p, size_t i, size_t k)
{
    return abdb_tensor_get_f64(&p->tensor[A], i * gemm_inner_dimension_k(p) + k);
}

static double transposed_a_element_by_batch_row(const abdb_problem *p, size_t i, size_t k)
{
    size_t m = p->tensor[A].dim[p->tensor[A].rank - 1], matrix = i / m;

    return abdb_tensor_get_f64(&p->tensor[A],
                               (matrix * gemm_inner_dimension_k(p) + k) * m + i - matrix * m);
}

static double b_element_by_batch_row(const abdb_problem *p, size_t k, size_t j)
{
    return abdb_tensor_get_f64(&p->tensor[B], k * p->tensor[B].dim[p->tensor[B].rank - 1] + j);
}

static double transposed_b_element_by_batch_row(const abdb_problem *p, size_t k, size_t j)
{
    const abdb_tensor *b = &p->tensor[B];
    size_t deep = b->dim[b->rank - 1], n = b->dim[b->rank - 2], matrix = k / deep;

    return abdb_tensor_get_f64(b, (matrix * n + j) * deep + k - matrix * deep);
}

/* What C has beside the product. */
static double c_plus_bias_element(const abdb_problem *p, size_t i, size_t j)
{
    const abdb_tensor *c = &p->tensor[C];
    size_t n = c->dim[c->rank - 1];

    return (c->role == ABDB_INOUT ? abdb_tensor_get_f64(c, i * n + j) : 0) +
           (p->tensors > BIAS ? abdb_tensor_get_f64(&p->tensor[BIAS], j) : 0);
}

/* Marks rows of C that are not A B + beta C + bias, by Freivalds' method; of a batch a row is a
 * whole matrix. ABDB_USAGE: an activation follows. */
static abdb_status gemm_mark_wrong_rows_by_freivalds(const abdb_problem *p, const abdb_tensor *got,
                                                     uint64_t seed, unsigned char *marks,
                                                     abdb_error *err)
{
    abdb_gemm g = abdb_gemm_from_problem(p);
    bool batch = got->rank == 3;
    unsigned char *each;
    abdb_status st = ABDB_OK;

    if (g.act) return ABDB_FAIL(err, ABDB_USAGE, "an activation is not linear");
    each = batch ? calloc(g.m, 1) : marks;
    if (!each) return ABDB_FAIL(err, ABDB_NOMEM, "a check of a product");
    for (size_t i = 0; st == ABDB_OK && i < g.batch; i++) {
        abdb_freivalds_product q = {
            .p = p,
            .a = g.ta ? transposed_a_element_by_batch_row : a_element_by_batch_row,
            .b = g.tb ? transposed_b_element_by_batch_row : b_element_by_batch_row,
            .plus = g.beta || g.bias ? c_plus_bias_element : NULL,
            .c = got,
            .first_a = i * g.m,
            .first_b = i * g.k,
            .first_c = i * g.m,
            .rows = g.m,
            .depth = g.k,
            .columns = g.n};

        st = abdb_freivalds_mark_wrong_rows(&q, seed + i, each, err);
        if (batch && memchr(each, 1, g.m)) marks[i] = 1;
        if (batch) memset(each, 0, g.m);
    }
    if (batch) free(each);
    return st;
}

/* Of results that an activation has made smaller twice that. */
static double gemm_norm_bound(const abdb_problem *p, int tensor)
{
    abdb_gemm g = abdb_gemm_from_problem(p);

    return (g.act ? 2 : 1) *
           (abdb_sum_norm_bound(&p->tensor[tensor], (double)g.k) + (g.bf16x3 ? left_out : 0));
}

/* Where one side is short each element is used but a few times: bytes, as of one row. */
static const char *gemm_bottleneck(const abdb_problem *p)
{
    abdb_work w;

    gemm_count_work(p, &w);
    return abdb_bottleneck_by_ops_per_element(w.ops, abdb_problem_tensor_elements(p));
}

/* The ceiling "the best matrix product measured": of plain products that operations bound. Others
 * have none. */
static const char *gemm_ceiling_metric_if_plain_compute_bound(const abdb_problem *p)
{
    abdb_gemm g = abdb_gemm_from_problem(p);

    if (g.bias || g.act || g.beta || g.bf16x3) return NULL;
    return strcmp(gemm_bottleneck(p), "operations") == 0
               ? abdb_peak_metric_of_dtype(p->tensor[A].dtype)
               : NULL;
}

const abdb_kernel abdb_kernel_gemm = {
    .name = "gemm",
    .summary = "matrix product C = act(A x B + beta C + bias), operands transposed or not",
    .formula = "gemm@1",
    .parameters = "n=1024 (and m, k, by default n)  batch=1  transpose=nn|nt|tn|tt  beta=0|1  "
                  "epilogue=none|bias|relu|gelu|silu|bias-relu|bias-gelu|bias-silu  "
                  "weights=plain|packed  products=own|bf16x3  "
                  "dtype=f32|f64|tf32|bf16|f16|e4m3|e5m2|i8  cache=hot|cold",
    .names = "m n k batch weights transpose beta epilogue products",
    .setup_tensors = gemm_parse_params_and_setup_tensors,
    .count_work = gemm_count_work,
    .reference_rows = gemm_reference_rows,
    .error_bound = gemm_error_bound,
    .norm_bound = gemm_norm_bound,
    .prepare_inputs = gemm_prepare_inputs_scale_a_for_gelu_silu,
    .pilot_sizes = "batch=1 m=512 n=512 k=512",
    .bottleneck = gemm_bottleneck,
    .ceiling_metric = gemm_ceiling_metric_if_plain_compute_bound,
    .make_exact_inputs = gemm_make_exact_inputs_unless_gelu_silu,
    .mark_suspect_rows = gemm_mark_wrong_rows_by_freivalds,
    .edge_sizes = abdb_gemm_edge_sizes,
    .put_edge_values = gemm_put_edge_values,
};
