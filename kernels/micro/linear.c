/* linear.c - a layer of weights, Y(M,N) = X(M,K) x W(K,N), whose weights are pruned or quantised:
 *
 *   weights=f32  sparsity=s: a share s of W is 0. pattern=unstructured: each weight for itself;
 *                block: whole blocks of 64 (along K) x 32 (along N); 2:4: of each four weights
 *                along K two are 0, and s is 0.5
 *   weights=i8   a scale for each column; with activations=i8 X is of bytes too, with a scale for
 *                each row
 *   weights=i4   two in a byte along K, the even one in the lower half, stored plus 8; a scale for
 *                each 32 along K and each column
 *
 * Work: 2 M N K (1 - s) operations; bytes of X, Y, scales and of the weights that are left, but not
 * of what says where those are. The implementation brings W into its own form before the clock
 * starts.
 *
 * Bound: (K + 32) 2^-24 of the terms' magnitudes. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/kernel.h"
#include "kernels/micro/edges.h"

enum { X, W, Y, X_SCALE, W_SCALE, BLOCK_K = 64, BLOCK_N = 32, GROUP = 32 };
enum { F32, I8, I4 };
enum { UNSTRUCTURED, BLOCK, TWO_OF_FOUR };

typedef struct {
    size_t m, n, k;
    int weights, pattern, bytes; /* bytes: X of i8 */
    double sparsity;
} linear_sizes;

/* The sizes and forms that the parameters ask for. Blocks want K in whole blocks of 64 and N of
 * 32, i4 whole groups of 32 along K, 2:4 a multiple of 4; only weights=f32 are pruned. */
static abdb_status linear_parse_params(abdb_problem *p, linear_sizes *s, abdb_error *err)
{
    static const char *const weights[] = {"f32", "i8", "i4", NULL},
                             *const patterns[] = {"unstructured", "block", "2:4", NULL},
                             *const activations[] = {"f32", "i8", NULL};
    abdb_status st = ABDB_OK;

    TRY(abdb_param_choice_index_or_first(p, "weights", weights, &s->weights, err));
    TRY(abdb_param_choice_index_or_first(p, "pattern", patterns, &s->pattern, err));
    TRY(abdb_param_choice_index_or_first(p, "activations", activations, &s->bytes, err));
    TRY(abdb_param_parse_size_and_store_default(p, "m", 128, 1e6, &s->m, err));
    TRY(abdb_param_parse_size_and_store_default(p, "n", 4096, 1e6, &s->n, err));
    TRY(abdb_param_parse_size_and_store_default(p, "k", 4096, 1e6, &s->k, err));
    s->sparsity = abdb_param_number(p, "sparsity", s->pattern == TWO_OF_FOUR ? 0.5 : 0);
    if (!(s->sparsity >= 0 && s->sparsity < 1) || (s->sparsity > 0 && s->weights != F32) ||
        (s->pattern == TWO_OF_FOUR && s->sparsity != 0.5))
        TRY(ABDB_FAIL(
            err, ABDB_USAGE,
            "linear: sparsity from 0 to below 1, of weights=f32; of pattern=2:4 it is 0.5"));
    if (s->bytes && s->weights != I8)
        TRY(ABDB_FAIL(err, ABDB_USAGE, "linear: activations=i8 wants weights=i8"));
    if ((double)s->k * (double)s->n > 0x1p30 || (s->weights == I4 && s->k % GROUP) ||
        (s->pattern == BLOCK && (s->k % BLOCK_K || s->n % BLOCK_N)) ||
        (s->pattern == TWO_OF_FOUR && s->k % 4))
        TRY(ABDB_FAIL(
            err, ABDB_USAGE,
            "linear: K is a multiple of 64 and N of 32 for blocks, K of 32 for i4 and of 4 "
            "for 2:4; up to 2^30 weights"));
done:
    return st;
}

static linear_sizes linear_sizes_of_problem(const abdb_problem *p)
{
    abdb_problem copy = *p;
    abdb_error err;
    linear_sizes s = {0};

    (void)!linear_parse_params(&copy, &s, &err);
    return s;
}

/* X: M x K, W: K x N (i4: K / 2 x N bytes), Y: M x N of f32. Scales: one for each row of X (i8),
 * one for each column of W (i8) or for each group of 32 of a column (i4); else a tensor of one
 * element. */
static abdb_status linear_parse_params_and_setup_tensors(abdb_problem *p,
                                                         const abdb_machine_caches *limits,
                                                         abdb_error *err)
{
    linear_sizes s;
    abdb_status st = ABDB_OK;

    (void)limits;
    TRY(linear_parse_params(p, &s, err));
    p->tensors = 5;
    p->tensor[X] = abdb_tensor_contiguous(s.bytes ? ABDB_I8 : ABDB_F32, ABDB_IN, s.m, s.k, 0, 0);
    p->tensor[W] = abdb_tensor_contiguous(s.weights ? ABDB_I8 : ABDB_F32, ABDB_IN,
                                          s.weights == I4 ? s.k / 2 : s.k, s.n, 0, 0);
    p->tensor[Y] = abdb_tensor_contiguous(ABDB_F32, ABDB_OUT, s.m, s.n, 0, 0);
    p->tensor[X_SCALE] = abdb_tensor_contiguous(ABDB_F32, ABDB_IN, s.bytes ? s.m : 1, 0, 0, 0);
    p->tensor[W_SCALE] = abdb_tensor_contiguous(
        ABDB_F32, ABDB_IN, s.weights == I4 ? s.k / GROUP : 1, s.weights ? s.n : 1, 0, 0);
done:
    return st;
}

/* Of four weights down a column the two of the least magnitude become 0, which is how a network is
 * pruned to 2:4 (Mishra et al. 2021). n: from a row to the next. */
static void zero_two_smallest_of_four(float *w, size_t row_stride)
{
    for (int away = 0; away < 2; away++) {
        int least = -1;

        for (int i = 0; i < 4; i++)
            if (w[(size_t)i * row_stride] != 0 &&
                (least < 0 ||
                 fabsf(w[(size_t)i * row_stride]) < fabsf(w[(size_t)least * row_stride])))
                least = i;
        if (least >= 0) w[(size_t)least * row_stride] = 0;
    }
}

/* Sets a share of the weights to 0: single ones or blocks at random with probability `sparsity`,
 * or the two smallest of each four down a column. */
static void zero_weights_by_sparsity_pattern(const abdb_problem *p, uint64_t seed)
{
    linear_sizes s = linear_sizes_of_problem(p);
    uint64_t state = abdb_random_bits_at(seed, 0);
    float *w = p->tensor[W].data;
    /* A weight goes where 32 random bits are below this. */
    double limit = s.sparsity * 0x1p32;

    if (s.sparsity == 0) return;
    if (s.pattern == TWO_OF_FOUR) {
        for (size_t i = 0; i < s.k; i += 4)
            for (size_t j = 0; j < s.n; j++) zero_two_smallest_of_four(w + i * s.n + j, s.n);
        return;
    }
    if (s.pattern == UNSTRUCTURED) {
        for (size_t i = 0; i < s.k * s.n; i++)
            if ((double)(abdb_xorshift64_next(&state) >> 32) < limit) w[i] = 0;
        return;
    }
    for (size_t i = 0; i < s.k; i += BLOCK_K)
        for (size_t j = 0; j < s.n; j += BLOCK_N) {
            if ((double)(abdb_xorshift64_next(&state) >> 32) >= limit) continue;
            for (size_t r = 0; r < BLOCK_K; r++)
                memset(w + (i + r) * s.n + j, 0, BLOCK_N * sizeof *w);
        }
}

static void linear_prepare_scales_and_prune_weights(const abdb_problem *p, uint64_t seed)
{
    for (int t = X_SCALE; t <= W_SCALE; t++) /* a scale is positive */
        for (size_t i = 0; i < abdb_tensor_element_count(&p->tensor[t]); i++)
            abdb_tensor_set_rounded(&p->tensor[t], i,
                                    (1 + abdb_tensor_get_f64(&p->tensor[t], i) / 2) / 127);
    zero_weights_by_sparsity_pattern(p, seed);
}

/* A row of Y whose elements are one product each, of an odd number of 24 bits in X and a weight, of
 * f32 of as many: who drops or splits bits rounds it otherwise. Other rows of X are 0 there. */
static void make_row_of_full_precision(const abdb_problem *p, const linear_sizes *s, uint64_t seed)
{
    size_t row = abdb_random_bits_at(seed, 0) % s->m, deep = abdb_random_bits_at(seed, 1) % s->k;

    if (s->m < 4 || s->k < 8 || s->bytes) return;
    for (size_t k = 0; k < s->k; k++) abdb_tensor_set_rounded(&p->tensor[X], row * s->k + k, 0);
    for (size_t i = 0; i < s->m; i++)
        abdb_tensor_set_rounded(&p->tensor[X], i * s->k + deep,
                                i == row ? abdb_random_odd_integer(seed, 2, 24) : 0);
    for (size_t j = 0; s->weights == F32 && j < s->n; j++)
        abdb_tensor_set_rounded(&p->tensor[W], deep * s->n + j,
                                abdb_random_odd_integer(seed, j + 3, 24));
}

/* Whole numbers, and scales that are powers of 2, so small that a sum of K terms of at most 2 most
 * 4 stays within the 24 bits of an f32: the result is exact in any order. i4 and i8 stay the random
 * bytes they are. */
static bool linear_make_exact_inputs_if_sums_fit_f32(const abdb_problem *p, uint64_t seed)
{
    linear_sizes s = linear_sizes_of_problem(p);
    int most = s.weights == I8 ? 127 : 8;

    if ((double)s.k * most * 8 > 0x1p24) return false;
    abdb_fill_nonzero_integers(&p->tensor[X], 2 * seed, 2);
    if (s.weights == F32) abdb_fill_nonzero_integers(&p->tensor[W], 2 * seed + 1, most);
    for (int t = X_SCALE; t <= W_SCALE; t++)
        for (size_t i = 0; i < abdb_tensor_element_count(&p->tensor[t]); i++)
            abdb_tensor_set_rounded(&p->tensor[t], i,
                                    (double)(1 + abdb_random_bits_at(seed, i) % 2));
    make_row_of_full_precision(p, &s, 2 * seed + 500);
    zero_weights_by_sparsity_pattern(p, seed);
    return true;
}

/* 2M operations for each weight that is left; bytes of X, Y, of the weights that are left and of
 * scales of quantised ones. */
static void linear_count_work(const abdb_problem *p, abdb_work *out)
{
    static const double bytes[] = {4, 1, 0.5};
    linear_sizes s = linear_sizes_of_problem(p);
    /* The weights that are not 0. The scales of f32 weights are tensors that nothing reads: not
     * counted. */
    double left = (double)s.k * (double)s.n * (1 - s.sparsity), scales = 0;

    for (int t = X_SCALE; t <= W_SCALE; t++)
        scales += 4 * (double)abdb_tensor_element_count(&p->tensor[t]);
    out->ops = 2 * (double)s.m * left;
    out->bytes = (double)(s.m * s.k) * (s.bytes ? 1 : 4) + 4 * (double)(s.m * s.n) +
                 left * bytes[s.weights] + (s.weights ? scales : 0);
}

/* One weight as it enters the sum: unpacked and times its scale. */
static double dequantised_weight(const abdb_problem *p, const linear_sizes *s, size_t k, size_t n)
{
    int byte;

    if (s->weights == F32) return abdb_tensor_get_f64(&p->tensor[W], k * s->n + n);
    if (s->weights == I8)
        return abdb_tensor_get_f64(&p->tensor[W], k * s->n + n) *
               abdb_tensor_get_f64(&p->tensor[W_SCALE], n);
    byte = ((const uint8_t *)p->tensor[W].data)[k / 2 * s->n + n];
    return ((k % 2 ? byte >> 4 : byte & 15) - 8) *
           abdb_tensor_get_f64(&p->tensor[W_SCALE], k / GROUP * s->n + n);
}

/* Y = X W in double, both dequantised: a number times the scale of its row, column or group. */
static void linear_reference_rows_dequantised(const abdb_problem *p, int tensor, const size_t *row,
                                              size_t count, double *out, double *magnitude)
{
    linear_sizes s = linear_sizes_of_problem(p);

    double *w = malloc(s.n * sizeof *w); /* a row of weights */

    (void)tensor;
    for (size_t i = 0; i < count * s.n; i++) out[i] = magnitude[i] = w ? 0 : NAN;
    for (size_t k = 0; w && k < s.k; k++) {
        for (size_t j = 0; j < s.n; j++) w[j] = dequantised_weight(p, &s, k, j);
        for (size_t r = 0; r < count; r++) {
            double x = (s.bytes ? abdb_tensor_get_f64(&p->tensor[X_SCALE], row[r]) : 1) *
                       abdb_tensor_get_f64(&p->tensor[X], row[r] * s.k + k);

            for (size_t j = 0; j < s.n; j++) {
                out[r * s.n + j] += x * w[j];
                magnitude[r * s.n + j] += fabs(x * w[j]);
            }
        }
    }
    free(w);
}

static double x_element_dequantised(const abdb_problem *p, size_t m, size_t k)
{
    return abdb_tensor_get_f64(&p->tensor[X], m * p->tensor[X].dim[1] + k) *
           (p->tensor[X].dtype == ABDB_I8 ? abdb_tensor_get_f64(&p->tensor[X_SCALE], m) : 1);
}

/* For the check of a product, once an element: the format is told by the shape of W (i4 has half
 * the rows), because reading the parameters each time would be slow. */
static double w_element_dequantised(const abdb_problem *p, size_t k, size_t n)
{
    linear_sizes s = {.k = p->tensor[X].dim[1], .n = p->tensor[Y].dim[1]};

    s.weights = p->tensor[W].dtype == ABDB_F32 ? F32 : p->tensor[W].dim[0] == s.k ? I8 : I4;
    return dequantised_weight(p, &s, k, n);
}

/* Marks rows of Y that are not X W by Freivalds' method, without the error bound of the
 * reference. */
static abdb_status linear_mark_wrong_rows_by_freivalds(const abdb_problem *p,
                                                       const abdb_tensor *got, uint64_t seed,
                                                       unsigned char *marks, abdb_error *err)
{
    abdb_freivalds_product q = {.p = p,
                                .a = x_element_dequantised,
                                .b = w_element_dequantised,
                                .c = got,
                                .rows = p->tensor[Y].dim[0],
                                .depth = p->tensor[X].dim[1],
                                .columns = p->tensor[Y].dim[1]};

    return abdb_freivalds_mark_wrong_rows(&q, seed, marks, err);
}

static double linear_norm_bound(const abdb_problem *p, int tensor)
{
    return abdb_sum_norm_bound(&p->tensor[tensor], (double)p->tensor[X].dim[1]);
}

static double linear_error_bound(const abdb_problem *p, int tensor)
{
    (void)tensor;
    return ((double)p->tensor[X].dim[1] + 32) * 0x1p-24;
}

/* Each weight that is left is used once for each row of X: of a few rows, bytes. */
static const char *linear_bottleneck(const abdb_problem *p)
{
    linear_sizes s = linear_sizes_of_problem(p);
    double left = (double)s.k * (double)s.n * (1 - s.sparsity);

    return abdb_bottleneck_by_ops_per_element(2 * (double)s.m * left,
                                              (double)s.m * (double)(s.k + s.n) + left);
}

const abdb_kernel abdb_kernel_linear = {
    .name = "linear",
    .summary = "a layer with pruned or quantised weights: unstructured, blocks, 2:4; i8, i4; i8 "
               "activations",
    .formula = "linear@1",
    .parameters =
        "m=128  n=4096  k=4096  sparsity=0  pattern=unstructured|block|2:4  weights=f32|i8|i4  "
        "activations=f32|i8",
    .names = "m n k sparsity pattern weights activations",
    .setup_tensors = linear_parse_params_and_setup_tensors,
    .count_work = linear_count_work,
    .reference_rows = linear_reference_rows_dequantised,
    .error_bound = linear_error_bound,
    .norm_bound = linear_norm_bound,
    .prepare_inputs = linear_prepare_scales_and_prune_weights,
    .pilot_sizes = "m=128 n=1024 k=1024",
    .bottleneck = linear_bottleneck,
    .make_exact_inputs = linear_make_exact_inputs_if_sums_fit_f32,
    .mark_suspect_rows = linear_mark_wrong_rows_by_freivalds,
    .edge_sizes = abdb_linear_edge_sizes,
    .put_edge_values = abdb_linear_put_edge_values,
};
