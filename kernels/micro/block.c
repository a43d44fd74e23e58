/* block.c - one transformer block of GPT-2 (Radford et al. 2019; d=1600, 25 heads: GPT-2 XL):
 *
 *   h = x + attention(norm(x) Wqkv + bqkv) Wo + bo        causal, d / heads wide
 *   y = h + gelu(norm(h) Wfc + bfc) Wpr + bpr             4 d wide inside
 *
 *   pass=forward    x and parameters to y
 *   pass=backward   x, parameters and dy to dx and the gradient of every parameter; what forward
 * keeps is there when the clock starts
 *
 * x, y: batch x sequence rows of d. Parameters are one tensor of rows of d: Wqkv (d x 3d), Wo, Wfc
 * (d x 4d), Wpr (4d x d), bqkv, bo, bfc, bpr, then gains and shifts of both norms.
 *
 * Work of n = batch x sequence tokens: 24 n d^2 and 4 d for each query and key seen, forward; twice
 * that backward (what is computed again is not counted). Bytes of all tensors once.
 *
 * A whole block of the usual size takes longer to check than to run a hundred times: it is checked
 * at `small`. Bound, of the largest element of a row (or 1/8 of the tensor's): (4d +
 * sequence + 64) 2^-24; of bf16 and f16, whose dozen intermediate results are each rounded, 16 u:
 * 2^-4 and 2^-7. */
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/kernel.h"
#include "kernels/micro/edges.h"

enum { X, P, Y, DY = 2, DX, DP };

typedef struct {
    size_t batch, sequence, d, heads, n;
    int backward;
} block_sizes;

/* The sizes that the parameters ask for; n = batch x sequence tokens. d is a multiple of 32 and
 * of heads, and heads are even wide. */
static abdb_status block_parse_params(abdb_problem *p, block_sizes *s, abdb_error *err)
{
    static const char *const passes[] = {"forward", "backward", NULL};
    abdb_status st = ABDB_OK;

    TRY(abdb_param_choice_index_or_first(p, "pass", passes, &s->backward, err));
    TRY(abdb_param_parse_size_and_store_default(p, "batch", 8, 1e5, &s->batch, err));
    TRY(abdb_param_parse_size_and_store_default(p, "sequence", 1024, 1e6, &s->sequence, err));
    TRY(abdb_param_parse_size_and_store_default(p, "d", 1600, 65536, &s->d, err));
    TRY(abdb_param_parse_size_and_store_default(p, "heads", 25, 1024, &s->heads, err));
    s->n = s->batch * s->sequence;
    if (s->d % s->heads || s->d % 32 || s->d / s->heads % 2)
        TRY(ABDB_FAIL(
            err, ABDB_USAGE,
            "transformer-block: d is a multiple of 32 and of heads, heads are even wide"));
done:
    return st;
}

static block_sizes block_sizes_of_problem(const abdb_problem *p)
{
    abdb_problem copy = *p;
    abdb_error err;
    block_sizes s = {0};

    (void)!block_parse_params(&copy, &s, &err);
    return s;
}

/* Forward: X, P in, Y out; backward: X, P, dY in, dX, dP out. X and Y are n x d; the parameters
 * P lie in 12d + 13 rows of d. */
static abdb_status block_parse_params_and_setup_tensors(abdb_problem *p,
                                                        const abdb_machine_caches *limits,
                                                        abdb_error *err)
{
    block_sizes s;
    abdb_dtype dtype;
    abdb_status st = ABDB_OK;

    (void)limits;
    TRY(block_parse_params(p, &s, err));
    TRY(abdb_param_parse_allowed_dtype(p, ABDB_F32, ABDB_NETWORK_DTYPES, &dtype, err));
    p->tensors = s.backward ? 5 : 3;
    for (int i = 0; i < p->tensors; i++)
        p->tensor[i] = abdb_tensor_contiguous(
            dtype, i >= (s.backward ? DX : Y) ? ABDB_OUT : ABDB_IN,
            i == P || (s.backward && i == DP) ? 12 * s.d + 13 : s.n, s.d, 0, 0);
done:
    return st;
}

/* Where parameters begin: matrices, which come first, in units of d x d elements; then vectors, in
 * units of d. The 13 are bqkv (3), bo, bfc (4), bpr, gain and shift of both norms. */
enum { BQKV, BO = 3, BFC, BPR = 8, G1, B1, G2, B2 };
static size_t block_matrix_offset(size_t d, int which) /* Wqkv, Wo, Wfc, Wpr, and the end */
{
    static const size_t first[] = {0, 3, 4, 8, 12};

    return first[which] * d * d;
}
static size_t block_vector_offset(size_t d, int vector_index)
{
    return 12 * d * d + (size_t)vector_index * d;
}

/* Weights of variance 1 / (inputs), of queries and keys twice as large, so that some keys are
 * looked at more than others; gains around 1, small shifts. Forward every third row of x is so
 * small that the epsilon of its norm counts. */
static void block_prepare_inputs_scale_weights(const abdb_problem *p, uint64_t seed)
{
    size_t d = p->tensor[X].dim[1];
    const abdb_tensor *t = &p->tensor[P], *x = &p->tensor[X];

    (void)seed;
    for (size_t i = 0; p->tensors == 3 && i < abdb_tensor_element_count(x); i++)
        if (i / d % 3 == 2) abdb_tensor_set_rounded(x, i, abdb_tensor_get_f64(x, i) * 0x1p-8);
    for (size_t i = 0; i < abdb_tensor_element_count(t); i++) {
        double value = abdb_tensor_get_f64(t, i),
               inside = (double)(i < block_matrix_offset(d, 3) ? d : 4 * d);

        if (i < block_matrix_offset(d, 4))
            /* A uniform number in [-1, 1] has variance 1/3; times sqrt(3 / inputs) a sum of
             * `inputs` products keeps the variance of what goes in. */
            value *=
                sqrt(3 / inside) * (i < block_matrix_offset(d, 1) && i % (3 * d) < 2 * d ? 2 : 1);
        else
            value =
                value / 8 + ((i >= block_vector_offset(d, G1) && i < block_vector_offset(d, B1)) ||
                             (i >= block_vector_offset(d, G2) && i < block_vector_offset(d, B2)));
        abdb_tensor_set_rounded(t, i, value);
    }
}

static void block_count_work(const abdb_problem *p, abdb_work *out)
{
    block_sizes s = block_sizes_of_problem(p);
    double n = (double)s.n, d = (double)s.d, q = (double)s.sequence;

    out->ops = (s.backward ? 2 : 1) * (24 * n * d * d + 4 * d * (double)s.batch * q * (q + 1) / 2);
    out->bytes = abdb_problem_tensor_bytes(p);
}

/* --- the reference, in double ----------------------------------------------------------------- */

/* All arrays of the reference, in the order of the computation; d... is the gradient of the loss by
 * what follows the d. n = batch x sequence: x, norm1, att, h, norm2, y and their gradients n x d;
 * qkv n x 3d; f (before gelu) and g (after) n x 4d; p and dp as the tensor P; score: one row of a
 * head at a time. `taken` counts the numbers handed out. */
typedef struct {
    block_sizes s;
    double *x, *p, *norm1, *qkv, *score, *att, *h, *norm2, *f, *g, *y;
    double *dy, *dp, *dg, *dn2, *dh, *datt, *dqkv, *dn1, *dx;
    size_t taken;
} block_arrays;

/* `size` numbers more out of room, which is NULL while they are counted. */
static double *carve_or_count_doubles(block_arrays *a, double *memory_or_null, size_t size)
{
    a->taken += size;
    return memory_or_null ? memory_or_null + a->taken - size : NULL;
}

/* Called twice: with NULL to count, then with the memory. */
static void lay_out_or_count_arrays(block_arrays *a, double *memory_or_null)
{
    size_t nd = a->s.n * a->s.d, params = (12 * a->s.d + 13) * a->s.d;

    a->taken = 0;
    a->x = carve_or_count_doubles(a, memory_or_null, nd);
    a->p = carve_or_count_doubles(a, memory_or_null, params);
    a->norm1 = carve_or_count_doubles(a, memory_or_null, nd);
    a->qkv = carve_or_count_doubles(a, memory_or_null, 3 * nd);
    a->score = carve_or_count_doubles(a, memory_or_null, a->s.sequence);
    a->att = carve_or_count_doubles(a, memory_or_null, nd);
    a->h = carve_or_count_doubles(a, memory_or_null, nd);
    a->norm2 = carve_or_count_doubles(a, memory_or_null, nd);
    a->f = carve_or_count_doubles(a, memory_or_null, 4 * nd);
    a->g = carve_or_count_doubles(a, memory_or_null, 4 * nd);
    a->y = carve_or_count_doubles(a, memory_or_null, nd);
    a->dy = carve_or_count_doubles(a, memory_or_null, nd);
    a->dp = carve_or_count_doubles(a, memory_or_null, params);
    a->dg = carve_or_count_doubles(a, memory_or_null, 4 * nd);
    a->dn2 = carve_or_count_doubles(a, memory_or_null, nd);
    a->dh = carve_or_count_doubles(a, memory_or_null, nd);
    a->datt = carve_or_count_doubles(a, memory_or_null, nd);
    a->dqkv = carve_or_count_doubles(a, memory_or_null, 3 * nd);
    a->dn1 = carve_or_count_doubles(a, memory_or_null, nd);
    a->dx = carve_or_count_doubles(a, memory_or_null, nd);
}

/* out(m,n) += a(m,k) b(k,n); ta: a is stored k x m, tb: b is stored n x k. It always adds: all
 * memory was cleared, and residual paths are copied into out before. */
static void gemm_accumulate(double *out, const double *a, const double *b, size_t m, size_t n,
                            size_t k, bool ta, bool tb)
{
    for (size_t i = 0; i < m; i++)
        for (size_t l = 0; l < k; l++) {
            double by = ta ? a[l * m + i] : a[i * k + l];

            if (tb)
                for (size_t j = 0; j < n; j++) out[i * n + j] += by * b[j * k + l];
            else
                for (size_t j = 0; j < n; j++) out[i * n + j] += by * b[l * n + j];
        }
}

static void add_bias_to_rows(double *out, const double *bias, size_t rows, size_t n)
{
    for (size_t i = 0; i < rows * n; i++) out[i] += bias[i % n];
}

static void accumulate_column_sums(double *out, const double *in, size_t rows, size_t n)
{
    for (size_t i = 0; i < rows * n; i++) out[i % n] += in[i];
}

/* Mean of a row, and 1 / sqrt(variance + 1e-5), the epsilon of GPT-2. */
static void row_mean_and_inverse_std(const double *x, size_t d, double *mean, double *scale)
{
    double square = 0;

    *mean = 0;
    for (size_t j = 0; j < d; j++) *mean += x[j] / (double)d;
    for (size_t j = 0; j < d; j++) square += (x[j] - *mean) * (x[j] - *mean) / (double)d;
    *scale = 1 / sqrt(square + 1e-5);
}

/* out[i][j] = (x[i][j] - mean of row i) / its standard deviation x gain[j] + shift[j]; x and out
 * are rows x d. */
static void layernorm_rows(double *out, const double *x, const double *gain, const double *shift,
                           size_t rows, size_t d)
{
    for (size_t i = 0; i < rows; i++) {
        double mean, scale;

        row_mean_and_inverse_std(x + i * d, d, &mean, &scale);
        for (size_t j = 0; j < d; j++)
            out[i * d + j] = (x[i * d + j] - mean) * scale * gain[j] + shift[j];
    }
}

/* With hat = (x - mean) scale and back = dy gain, means being over the row: dx += scale (back -
 * mean(back) - hat mean(back hat)); dgain += dy hat; dshift += dy. */
static void accumulate_layernorm_gradients(double *dx, double *dgain, double *dshift,
                                           const double *dy, const double *x, const double *gain,
                                           size_t rows, size_t d)
{
    for (size_t i = 0; i < rows; i++) {
        double mean, scale, sum = 0, along = 0;

        row_mean_and_inverse_std(x + i * d, d, &mean, &scale);
        for (size_t j = 0; j < d; j++) {
            double hat = (x[i * d + j] - mean) * scale, back = dy[i * d + j] * gain[j];

            sum += back / (double)d;
            along += back * hat / (double)d;
            dgain[j] += dy[i * d + j] * hat;
            dshift[j] += dy[i * d + j];
        }
        for (size_t j = 0; j < d; j++)
            dx[i * d + j] +=
                scale * (dy[i * d + j] * gain[j] - sum - (x[i * d + j] - mean) * scale * along);
    }
}

/* gelu(x) = x s(z), s the logistic function, z = c (x + 0.044715 x^3), c = 2 sqrt(2/pi), as in
 * elementwise.c; *derivative = s + x s (1 - s) dz/dx. */
static double gelu_with_derivative(double x, double *derivative)
{
    double c = 2 * sqrt(2 / acos(-1)), s = 1 / (1 + exp(-c * (x + 0.044715 * x * x * x)));

    *derivative = s + x * s * (1 - s) * c * (1 + 3 * 0.044715 * x * x);
    return x * s;
}

/* Softmax of the scores of query `i` of sequence b and head h over the keys 0 to i, to a->score;
 * returns the first row of the sequence. The largest score is taken off before the exponential, so
 * that none overflows. */
static size_t fill_causal_softmax_return_first_row(const block_arrays *a, size_t sequence_index,
                                                   size_t head_index, size_t query)
{
    size_t d = a->s.d, wide = d / a->s.heads, first = sequence_index * a->s.sequence;
    const double *q = a->qkv + (first + query) * 3 * d + head_index * wide;
    double most = -INFINITY, sum = 0;

    for (size_t j = 0; j <= query; j++) {
        const double *k = a->qkv + (first + j) * 3 * d + d + head_index * wide;

        a->score[j] = 0;
        for (size_t l = 0; l < wide; l++) a->score[j] += q[l] * k[l] / sqrt((double)wide);
        most = fmax(most, a->score[j]);
    }
    for (size_t j = 0; j <= query; j++) sum += a->score[j] = exp(a->score[j] - most);
    for (size_t j = 0; j <= query; j++) a->score[j] /= sum;
    return first;
}

/* Adds to att, n x d, for each batch, head and token i: the sum over tokens j <= i of
 * softmax(q[i] . k[j] / sqrt(d / heads)) v[j]. q, k, v are the thirds of a row of qkv, n x 3d. */
static void causal_attention_forward(const block_arrays *a)
{
    size_t d = a->s.d, wide = d / a->s.heads;

    for (size_t at = 0; at < a->s.batch * a->s.heads * a->s.sequence; at++) {
        size_t i = at % a->s.sequence, h = at / a->s.sequence % a->s.heads;
        size_t first =
            fill_causal_softmax_return_first_row(a, at / a->s.sequence / a->s.heads, h, i);

        for (size_t j = 0; j <= i; j++)
            for (size_t l = 0; l < wide; l++)
                a->att[(first + i) * d + h * wide + l] +=
                    a->score[j] * a->qkv[(first + j) * 3 * d + 2 * d + h * wide + l];
    }
}

/* For query i, probabilities P, dO = datt and O = att: dV_j += P_j dO; the gradient of a score is
 * P_j (dO . V_j - dO . O) / sqrt(d / heads), of which dQ gets K_j and dK_j gets Q. dO . O is the
 * mean of dO . V_j over P, hence its name. */
static void causal_attention_backward(const block_arrays *a)
{
    size_t d = a->s.d, wide = d / a->s.heads;

    for (size_t at = 0; at < a->s.batch * a->s.heads * a->s.sequence; at++) {
        size_t i = at % a->s.sequence, h = at / a->s.sequence % a->s.heads;
        size_t first =
                   fill_causal_softmax_return_first_row(a, at / a->s.sequence / a->s.heads, h, i),
               q = (first + i) * 3 * d + h * wide;
        const double *back = a->datt + (first + i) * d + h * wide;
        double mean = 0;

        for (size_t l = 0; l < wide; l++) mean += back[l] * a->att[(first + i) * d + h * wide + l];
        for (size_t j = 0; j <= i; j++) {
            size_t k = (first + j) * 3 * d + d + h * wide;
            double dscore = -mean;

            for (size_t l = 0; l < wide; l++) {
                dscore += back[l] * a->qkv[k + d + l];
                a->dqkv[k + d + l] += a->score[j] * back[l];
            }
            dscore *= a->score[j] / sqrt((double)wide);
            for (size_t l = 0; l < wide; l++) {
                a->dqkv[q + l] += dscore * a->qkv[k + l];
                a->dqkv[k + l] += dscore * a->qkv[q + l];
            }
        }
    }
}

/* h = x + attention(layernorm(x) Wqkv + bqkv) Wo + bo; y = h + gelu(layernorm(h) Wfc + bfc) Wpr
 * + bpr. x, h, y are n x d, qkv n x 3d, f and g n x 4d; arrays that are added to begin with 0. */
static void block_reference_forward(const block_arrays *a)
{
    size_t n = a->s.n, d = a->s.d;
    const double *p = a->p;
    double derivative;

    layernorm_rows(a->norm1, a->x, p + block_vector_offset(d, G1), p + block_vector_offset(d, B1),
                   n, d);
    gemm_accumulate(a->qkv, a->norm1, p + block_matrix_offset(d, 0), n, 3 * d, d, false, false);
    add_bias_to_rows(a->qkv, p + block_vector_offset(d, BQKV), n, 3 * d);
    causal_attention_forward(a);
    memcpy(a->h, a->x, n * d * sizeof *a->h);
    gemm_accumulate(a->h, a->att, p + block_matrix_offset(d, 1), n, d, d, false, false);
    add_bias_to_rows(a->h, p + block_vector_offset(d, BO), n, d);
    layernorm_rows(a->norm2, a->h, p + block_vector_offset(d, G2), p + block_vector_offset(d, B2),
                   n, d);
    gemm_accumulate(a->f, a->norm2, p + block_matrix_offset(d, 2), n, 4 * d, d, false, false);
    add_bias_to_rows(a->f, p + block_vector_offset(d, BFC), n, 4 * d);
    for (size_t i = 0; i < n * 4 * d; i++) a->g[i] = gelu_with_derivative(a->f[i], &derivative);
    memcpy(a->y, a->h, n * d * sizeof *a->y);
    gemm_accumulate(a->y, a->g, p + block_matrix_offset(d, 3), n, d, 4 * d, false, false);
    add_bias_to_rows(a->y, p + block_vector_offset(d, BPR), n, d);
}

/* Each product y = x W + b backwards, last first: dW = x^T dy, db = the sum of the rows of dy, dx =
 * dy W^T. A residual path passes dy on unchanged: dh and dx begin as its copy. */
static void block_reference_backward(const block_arrays *a)
{
    size_t n = a->s.n, d = a->s.d;
    const double *p = a->p;
    double *dp = a->dp;

    gemm_accumulate(dp + block_matrix_offset(d, 3), a->g, a->dy, 4 * d, d, n, true, false);
    accumulate_column_sums(dp + block_vector_offset(d, BPR), a->dy, n, d);
    gemm_accumulate(a->dg, a->dy, p + block_matrix_offset(d, 3), n, 4 * d, d, false, true);
    for (size_t i = 0; i < n * 4 * d; i++) {
        double derivative;

        gelu_with_derivative(a->f[i], &derivative);
        a->dg[i] *= derivative;
    }
    gemm_accumulate(dp + block_matrix_offset(d, 2), a->norm2, a->dg, d, 4 * d, n, true, false);
    accumulate_column_sums(dp + block_vector_offset(d, BFC), a->dg, n, 4 * d);
    gemm_accumulate(a->dn2, a->dg, p + block_matrix_offset(d, 2), n, d, 4 * d, false, true);
    memcpy(a->dh, a->dy, n * d * sizeof *a->dh);
    accumulate_layernorm_gradients(a->dh, dp + block_vector_offset(d, G2),
                                   dp + block_vector_offset(d, B2), a->dn2, a->h,
                                   p + block_vector_offset(d, G2), n, d);
    gemm_accumulate(dp + block_matrix_offset(d, 1), a->att, a->dh, d, d, n, true, false);
    accumulate_column_sums(dp + block_vector_offset(d, BO), a->dh, n, d);
    gemm_accumulate(a->datt, a->dh, p + block_matrix_offset(d, 1), n, d, d, false, true);
    causal_attention_backward(a);
    gemm_accumulate(dp + block_matrix_offset(d, 0), a->norm1, a->dqkv, d, 3 * d, n, true, false);
    accumulate_column_sums(dp + block_vector_offset(d, BQKV), a->dqkv, n, 3 * d);
    gemm_accumulate(a->dn1, a->dqkv, p + block_matrix_offset(d, 0), n, d, 3 * d, false, true);
    memcpy(a->dx, a->dh, n * d * sizeof *a->dx);
    accumulate_layernorm_gradients(a->dx, dp + block_vector_offset(d, G1),
                                   dp + block_vector_offset(d, B1), a->dn1, a->x,
                                   p + block_vector_offset(d, G1), n, d);
}

/* Rows of Y, or of dX or dP, in double. The whole block is computed for any of them; magnitude:
 * the largest number of the row, at least 1/8 of the largest of the output. */
static void block_reference_rows_by_whole_block(const abdb_problem *p, int tensor,
                                                const size_t *row, size_t count, double *out,
                                                double *magnitude)
{
    block_sizes s = block_sizes_of_problem(p);
    size_t nd = s.n * s.d, params = (12 * s.d + 13) * s.d;
    block_arrays a = {.s = s};
    const double *want;
    double *room, largest = 0;

    lay_out_or_count_arrays(&a, NULL);
    room = calloc(a.taken, sizeof *room);
    for (size_t i = 0; i < count * s.d; i++) out[i] = magnitude[i] = NAN;
    if (!room) return; /* without memory nothing passes */
    lay_out_or_count_arrays(&a, room);
    for (size_t i = 0; i < nd; i++) a.x[i] = abdb_tensor_get_f64(&p->tensor[X], i);
    for (size_t i = 0; i < params; i++) a.p[i] = abdb_tensor_get_f64(&p->tensor[P], i);
    for (size_t i = 0; s.backward && i < nd; i++) a.dy[i] = abdb_tensor_get_f64(&p->tensor[DY], i);
    block_reference_forward(&a);
    if (s.backward) block_reference_backward(&a);
    want = !s.backward ? a.y : tensor == DX ? a.dx : a.dp;
    for (size_t i = 0; i < (tensor == Y || tensor == DX ? nd : params); i++)
        largest = fmax(largest, fabs(want[i]));
    for (size_t r = 0; r < count; r++) {
        double most = largest / 8; /* of a row of nothing else what others leave */

        memcpy(out + r * s.d, want + row[r] * s.d, s.d * sizeof *out);
        for (size_t j = 0; j < s.d; j++) most = fmax(most, fabs(out[r * s.d + j]));
        for (size_t j = 0; j < s.d; j++) magnitude[r * s.d + j] = most;
    }
    free(room);
}

/* Four times that of one sum: a result has passed through up to a dozen of them in a row. */
static double block_norm_bound(const abdb_problem *p, int tensor)
{
    block_sizes s = block_sizes_of_problem(p);

    return 4 * abdb_sum_norm_bound(&p->tensor[tensor], (double)(4 * s.d + s.sequence));
}

static double block_error_bound(const abdb_problem *p, int tensor)
{
    block_sizes s = block_sizes_of_problem(p);

    return fmax(16 * abdb_output_roundoff_or_0_if_accumulator(&p->tensor[tensor]),
                (double)(4 * s.d + s.sequence + 64) * 0x1p-24);
}

/* Bytes where there are but a few tokens: each reads all parameters. */
static const char *block_bottleneck(const abdb_problem *p)
{
    abdb_work w;

    block_count_work(p, &w);
    return abdb_bottleneck_by_ops_per_element(w.ops, abdb_problem_tensor_elements(p));
}

const abdb_kernel abdb_kernel_block = {
    .name = "transformer-block",
    .summary = "a block of GPT-2, forward and backward",
    .formula = "transformer-block@1",
    .parameters =
        "pass=forward|backward  batch=8  sequence=1024  d=1600  heads=25  dtype=f32|bf16|f16",
    .names = "pass batch sequence d heads",
    .setup_tensors = block_parse_params_and_setup_tensors,
    .count_work = block_count_work,
    .reference_rows = block_reference_rows_by_whole_block,
    .all_rows_at_once = true,
    .error_bound = block_error_bound,
    .norm_bound = block_norm_bound,
    .prepare_inputs = block_prepare_inputs_scale_weights,
    .small_params = "batch=2 sequence=80 d=192 heads=3",
    .bottleneck = block_bottleneck,
    .edge_sizes = abdb_block_edge_sizes,
};
