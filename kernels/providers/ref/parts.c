/* parts.c - parts of networks in plain C: every number in double, rounded once; see
 * kernels/workloads/parts.h. */
#include "kernels/workloads/parts.h"

#include <math.h>
#include <stdlib.h>

#include "kernels/providers/ref/ref.h"

typedef struct {
    abdb_dtype dtype;
    double *row; /* working memory */
} ref_parts_state;

static double parts_get_element_f64(const ref_parts_state *s, const void *at, size_t i)
{
    abdb_tensor t = {.dtype = s->dtype, .data = (void *)(uintptr_t)at};

    return abdb_tensor_get_f64(&t, i);
}

static void parts_set_element_rounded(const ref_parts_state *s, void *at, size_t i, double value)
{
    abdb_tensor t = {.dtype = s->dtype, .data = at};

    abdb_tensor_set_rounded(&t, i, value);
}

/* Of wide numbers. */
static ref_parts_state state_with_wide_dtype(const ref_parts_state *s)
{
    return (ref_parts_state){abdb_wide_dtype_f64_or_f32(s->dtype), NULL};
}

static const char *ref_parts_refuse_nothing(const abdb_problem *p, abdb_dtype dtype, size_t d,
                                            size_t columns)
{
    (void)p, (void)dtype, (void)d, (void)columns;
    return NULL;
}

static void ref_parts_close(void *self)
{
    ref_parts_state *s = self;

    free(s->row);
    free(s);
}

/* The state is the format alone; rows come later. ABDB_NOMEM. */
static abdb_status ref_parts_open(void **self, const abdb_problem *p, abdb_dtype dtype,
                                  abdb_error *err)
{
    ref_parts_state *s = calloc(1, sizeof *s);

    (void)p;
    if (!s) return ABDB_FAIL(err, ABDB_NOMEM, "parts");
    s->dtype = dtype;
    *self = s;
    return ABDB_OK;
}

static size_t ref_gemm_no_work_bytes(void *self, const abdb_part_gemm *x)
{
    (void)self, (void)x;
    return 0;
}

static size_t ref_attention_work_bytes(void *self, const abdb_part_attention *x, bool backward)
{
    (void)self, (void)backward;
    return (2 + 3 * x->d) * x->sequence * sizeof(double);
}

static size_t ref_row_ops_work_bytes(void *self, size_t columns)
{
    (void)self;
    return 2 * columns * sizeof(double);
}

static abdb_status ref_parts_alloc_workspace(void *self, size_t bytes, abdb_error *err)
{
    ref_parts_state *s = self;

    s->row = malloc(bytes ? bytes : 1);
    return s->row ? ABDB_OK : ABDB_FAIL(err, ABDB_NOMEM, "%zu bytes to work in", bytes);
}

/* C[i][j] = act(sum over k of A[i][k] B[k][j] + bias[j]); lda and ldc 0: rows side by side. Sums
 * in double. */
static void ref_gemm_bias_relu(void *self, const abdb_part_gemm *x)
{
    const ref_parts_state *s = self;

    size_t lda = x->lda ? x->lda : x->ta ? x->m : x->k, ldc = x->ldc ? x->ldc : x->n;

    for (size_t i = 0; i < x->m; i++)
        for (size_t j = 0; j < x->n; j++) {
            double sum = x->bias ? parts_get_element_f64(s, x->bias, j) : 0;

            for (size_t k = 0; k < x->k; k++)
                sum += parts_get_element_f64(s, x->a, x->ta ? k * lda + i : i * lda + k) *
                       parts_get_element_f64(s, x->b, x->tb ? j * x->k + k : k * x->n + j);
            parts_set_element_rounded(s, x->c, i * ldc + j,
                                      x->act == ABDB_ACT_RELU && sum < 0 ? 0 : sum);
        }
}

/* out[b][t][j] = sum over l of table[t][index[t][b][l]][j]; rows of out are `apart` apart. */
static void ref_embedding_bag_sums(void *self, const abdb_part_embedding_bags *x)
{
    const ref_parts_state *s = self;

    for (size_t b = 0; b < x->batch; b++)
        for (size_t t = 0; t < x->tables; t++)
            for (size_t j = 0; j < x->columns; j++) {
                const int32_t *index = x->index + (t * x->batch + b) * x->lookups;
                double sum = 0;

                for (size_t l = 0; l < x->lookups; l++)
                    sum += parts_get_element_f64(s, x->table,
                                                 (t * x->rows + (size_t)index[l]) * x->columns + j);
                parts_set_element_rounded(s, x->out, b * x->sample_stride + t * x->columns + j,
                                          sum);
            }
}

/* --- attention -------------------------------------------------------------------------------- */

/* Element e of the row of qkv: which 0 the query, 1 the key, 2 the value. */
static size_t qkv_head_offset(const abdb_part_attention *x, size_t row, size_t which, size_t head)
{
    return row * 3 * x->heads * x->d + (which * x->heads + head) * x->d;
}

/* Scores of a query with the keys that it sees, scaled. */
static void causal_attention_scores_of_query(const ref_parts_state *s, const abdb_part_attention *x,
                                             size_t sequence_first_row, size_t query, size_t head,
                                             double *out)
{
    double scale = 1 / sqrt((double)x->d);

    for (size_t j = 0; j <= query; j++) {
        size_t q = qkv_head_offset(x, sequence_first_row + query, 0, head),
               k = qkv_head_offset(x, sequence_first_row + j, 1, head);

        out[j] = 0;
        for (size_t e = 0; e < x->d; e++)
            out[j] += parts_get_element_f64(s, x->qkv, q + e) *
                      parts_get_element_f64(s, x->qkv, k + e) * scale;
    }
}

/* out of one query and head: sum over j <= query of softmax(scores)[j] v[j]; l: the log of the
 * sum of exp(scores). first: the sequence's first row. */
static void causal_attention_row_and_logsumexp(const ref_parts_state *s,
                                               const abdb_part_attention *x,
                                               size_t sequence_first_row, size_t query, size_t head)
{
    ref_parts_state log_sums = state_with_wide_dtype(s);
    size_t width = x->heads * x->d, rows = x->batch * x->sequence;
    double most = -INFINITY, sum = 0, *p = s->row;

    causal_attention_scores_of_query(s, x, sequence_first_row, query, head, p);
    for (size_t j = 0; j <= query; j++) most = fmax(most, p[j]);
    for (size_t j = 0; j <= query; j++) sum += p[j] = exp(p[j] - most);
    parts_set_element_rounded(&log_sums, x->l, head * rows + sequence_first_row + query,
                              most + log(sum));
    for (size_t e = 0; e < x->d; e++) {
        double out = 0;

        for (size_t j = 0; j <= query; j++)
            out += p[j] / sum *
                   parts_get_element_f64(s, x->qkv,
                                         qkv_head_offset(x, sequence_first_row + j, 2, head) + e);
        parts_set_element_rounded(s, x->out, (sequence_first_row + query) * width + head * x->d + e,
                                  out);
    }
}

/* Adds what a query gives to the gradients of a head: of queries, keys and values, d of each row
 * after one another. */
static void accumulate_dq_dk_dv_of_query(const ref_parts_state *s, const abdb_part_attention *x,
                                         size_t sequence_first_row, size_t query, size_t head)
{
    ref_parts_state log_sums = state_with_wide_dtype(s);
    size_t width = x->heads * x->d, rows = x->batch * x->sequence, all = x->sequence * x->d,
           out = (sequence_first_row + query) * width + head * x->d,
           q = qkv_head_offset(x, sequence_first_row + query, 0, head);
    double *p = s->row, *dp = p + x->sequence, *dq = dp + x->sequence, *dk = dq + all,
           *dv = dk + all, along = 0, scale = 1 / sqrt((double)x->d),
           l = parts_get_element_f64(&log_sums, x->l, head * rows + sequence_first_row + query);

    causal_attention_scores_of_query(s, x, sequence_first_row, query, head, p);
    for (size_t j = 0; j <= query; j++) {
        size_t v = qkv_head_offset(x, sequence_first_row + j, 2, head);

        p[j] = exp(p[j] - l);
        dp[j] = 0;
        for (size_t e = 0; e < x->d; e++) {
            dp[j] += parts_get_element_f64(s, x->dout, out + e) *
                     parts_get_element_f64(s, x->qkv, v + e);
            dv[j * x->d + e] += p[j] * parts_get_element_f64(s, x->dout, out + e);
        }
        along += p[j] * dp[j];
    }
    for (size_t j = 0; j <= query; j++) {
        size_t k = qkv_head_offset(x, sequence_first_row + j, 1, head);
        double ds = p[j] * (dp[j] - along) * scale;

        for (size_t e = 0; e < x->d; e++) {
            dq[query * x->d + e] += ds * parts_get_element_f64(s, x->qkv, k + e);
            dk[j * x->d + e] += ds * parts_get_element_f64(s, x->qkv, q + e);
        }
    }
}

/* dq, dk, dv of one head of one sequence, summed in double over its queries, then rounded into
 * dqkv. */
static void compute_and_store_dqkv_of_head(const ref_parts_state *s, const abdb_part_attention *x,
                                           size_t sequence_first_row, size_t head)
{
    size_t all = x->sequence * x->d;
    double *sums = s->row + 2 * x->sequence;

    for (size_t i = 0; i < 3 * all; i++) sums[i] = 0;
    for (size_t q = 0; q < x->sequence; q++)
        accumulate_dq_dk_dv_of_query(s, x, sequence_first_row, q, head);
    for (size_t i = 0; i < 3 * all; i++)
        parts_set_element_rounded(
            s, x->dqkv,
            qkv_head_offset(x, sequence_first_row + i % all / x->d, i / all, head) + i % x->d,
            sums[i]);
}

/* Causal attention of every batch and head, or its gradients. */
static void ref_causal_attention_or_gradients(void *self, const abdb_part_attention *x,
                                              bool backward)
{
    const ref_parts_state *s = self;

    for (size_t b = 0; b < x->batch; b++)
        for (size_t h = 0; h < x->heads; h++) {
            if (backward) compute_and_store_dqkv_of_head(s, x, b * x->sequence, h);
            for (size_t q = 0; q < x->sequence && !backward; q++)
                causal_attention_row_and_logsumexp(s, x, b * x->sequence, q, h);
        }
}

/* --- rows ------------------------------------------------------------------------------------- */

static double gelu_derivative(double x)
{
    double a = 2 * sqrt(2 / M_PI), s = 1 / (1 + exp(-a * (x + 0.044715 * x * x * x)));

    return s + x * s * (1 - s) * a * (1 + 3 * 0.044715 * x * x);
}

/* mean, and scale = 1 / sqrt(variance + 1e-5), of a row of x. */
static void row_mean_and_inverse_std(const ref_parts_state *s, const abdb_part_row_op *x,
                                     size_t row, double *mean, double *scale)
{
    double n = (double)x->columns, square = 0;

    *mean = 0;
    for (size_t j = 0; j < x->columns; j++)
        *mean += parts_get_element_f64(s, x->x, row * x->columns + j) / n;
    for (size_t j = 0; j < x->columns; j++) {
        double v = parts_get_element_f64(s, x->x, row * x->columns + j) - *mean;

        square += v * v / n;
    }
    *scale = 1 / sqrt(square + 1e-5);
}

static double vector_element_or_zero(const ref_parts_state *s, const void *vector, size_t j)
{
    return vector ? parts_get_element_f64(s, vector, j) : 0;
}

/* dx = scale (d gain - mean(d gain) - hat mean(d gain hat)) (+ add), hat = (x - mean) scale, d =
 * kept; adds d hat and d to the sums of dgain and dshift. */
static void layernorm_row_backward_and_param_sums(const ref_parts_state *s,
                                                  const abdb_part_row_op *x, size_t row)
{
    size_t n = x->columns, at = row * n;
    double mean, scale, sum = 0, along = 0, *dgain = s->row, *dshift = s->row + n;

    row_mean_and_inverse_std(s, x, row, &mean, &scale);
    for (size_t j = 0; j < n; j++) {
        double hat = (parts_get_element_f64(s, x->x, at + j) - mean) * scale,
               d = parts_get_element_f64(s, x->kept, at + j);

        dgain[j] += d * hat;
        dshift[j] += d;
        sum += d * parts_get_element_f64(s, x->gain, j) / (double)n;
        along += d * parts_get_element_f64(s, x->gain, j) * hat / (double)n;
    }
    for (size_t j = 0; j < n; j++) {
        double hat = (parts_get_element_f64(s, x->x, at + j) - mean) * scale,
               back = parts_get_element_f64(s, x->kept, at + j) *
                          parts_get_element_f64(s, x->gain, j) -
                      sum - hat * along;

        parts_set_element_rounded(s, x->out, at + j,
                                  scale * back +
                                      (x->add ? parts_get_element_f64(s, x->add, at + j) : 0));
    }
}

/* One row of the operation x->what (parts.h); gradients of vectors are added to s->row. */
static void apply_row_op_and_add_column_sums(const ref_parts_state *s, const abdb_part_row_op *x,
                                             size_t row)
{
    size_t at = row * x->columns;
    double mean = 0, scale = 1, v;

    if (x->what == ABDB_ROWS_NORM_BACK) {
        layernorm_row_backward_and_param_sums(s, x, row);
        return;
    }
    if (x->what == ABDB_ROWS_NORM) row_mean_and_inverse_std(s, x, row, &mean, &scale);
    for (size_t j = 0; j < x->columns; j++) switch (x->what) {
        case ABDB_ROWS_NORM:
            v = (parts_get_element_f64(s, x->x, at + j) - mean) * scale *
                parts_get_element_f64(s, x->gain, j);
            parts_set_element_rounded(s, x->out, at + j,
                                      v + vector_element_or_zero(s, x->shift, j));
            break;
        case ABDB_ROWS_BIAS:
            v = parts_get_element_f64(s, x->x, at + j) + vector_element_or_zero(s, x->gain, j);
            parts_set_element_rounded(s, x->out, at + j,
                                      v + (x->add ? parts_get_element_f64(s, x->add, at + j) : 0));
            break;
        case ABDB_ROWS_CROSS:
            v = parts_get_element_f64(s, x->x, at + j) + vector_element_or_zero(s, x->gain, j);
            parts_set_element_rounded(s, x->out, at + j,
                                      parts_get_element_f64(s, x->kept, at + j) * v +
                                          parts_get_element_f64(s, x->add, at + j));
            break;
        case ABDB_ROWS_GELU:
            v = parts_get_element_f64(s, x->kept, at + j) + vector_element_or_zero(s, x->gain, j);
            parts_set_element_rounded(s, x->kept, at + j, v);
            parts_set_element_rounded(
                s, x->out, at + j, v / (1 + exp(-2 * sqrt(2 / M_PI) * (v + 0.044715 * v * v * v))));
            break;
        case ABDB_ROWS_GELU_BACK:
            v = parts_get_element_f64(s, x->out, at + j) *
                gelu_derivative(parts_get_element_f64(s, x->x, at + j));
            parts_set_element_rounded(s, x->out, at + j, v);
            s->row[j] += v;
            break;
        default: s->row[j] += parts_get_element_f64(s, x->x, at + j);
        }
}

/* The operation on all rows; then dgain and dshift, the sums over rows, columns numbers each. */
static void ref_row_ops_with_column_sums(void *self, const abdb_part_row_op *x)
{
    const ref_parts_state *s = self;

    for (size_t j = 0; j < 2 * x->columns && x->what >= ABDB_ROWS_GELU_BACK; j++) s->row[j] = 0;
    for (size_t r = 0; r < x->rows; r++) apply_row_op_and_add_column_sums(s, x, r);
    for (size_t j = 0; j < x->columns; j++) {
        if (x->dgain) parts_set_element_rounded(s, x->dgain, j, s->row[j]);
        if (x->dshift) parts_set_element_rounded(s, x->dshift, j, s->row[x->columns + j]);
    }
}

/* --- ends of the network ---------------------------------------------------------------------- */

/* table[t] += the sum of x[r] of all rows r whose token is t; position[i] = the sum of x[r] with
 * r mod sequence = i. */
static void add_token_and_set_position_gradients(const ref_parts_state *s,
                                                 const abdb_part_embedding *x)
{
    for (size_t j = 0; j < x->columns; j++) {
        for (size_t t = 0; t < x->vocabulary; t++) {
            double sum = parts_get_element_f64(s, x->table, t * x->columns + j);

            for (int32_t i = x->first[t]; i < x->first[t + 1]; i++)
                sum += parts_get_element_f64(s, x->x, (size_t)x->order[i] * x->columns + j);
            parts_set_element_rounded(s, x->table, t * x->columns + j, sum);
        }
        for (size_t place = 0; place < x->sequence; place++) {
            double sum = 0;

            for (size_t r = place; r < x->rows; r += x->sequence)
                sum += parts_get_element_f64(s, x->x, r * x->columns + j);
            parts_set_element_rounded(s, x->position, place * x->columns + j, sum);
        }
    }
}

/* x[r] = table[token[r]] + position[r mod sequence], or the gradients of table and position. */
static void ref_token_embedding_or_gradients(void *self, const abdb_part_embedding *x,
                                             bool backward)
{
    const ref_parts_state *s = self;

    if (backward) {
        add_token_and_set_position_gradients(s, x);
        return;
    }
    for (size_t r = 0; r < x->rows; r++)
        for (size_t j = 0; j < x->columns; j++)
            parts_set_element_rounded(
                s, x->x, r * x->columns + j,
                parts_get_element_f64(s, x->table, (size_t)x->token[r] * x->columns + j) +
                    parts_get_element_f64(s, x->position, r % x->sequence * x->columns + j));
}

/* Returns the sum over rows of log(sum of exp(x)) - x[target]; x becomes (softmax(x) - 1 at the
 * target) scale. */
static double ref_cross_entropy_sum_replace_by_gradient(void *self,
                                                        const abdb_part_cross_entropy *x)
{
    const ref_parts_state *s = self;
    double all = 0;

    for (size_t r = 0; r < x->rows; r++) {
        size_t at = r * x->columns, target = at + (size_t)x->target[r];
        double most = -INFINITY, sum = 0;

        for (size_t j = 0; j < x->columns; j++)
            most = fmax(most, parts_get_element_f64(s, x->x, at + j));
        for (size_t j = 0; j < x->columns; j++)
            sum += exp(parts_get_element_f64(s, x->x, at + j) - most);
        all += most + log(sum) - parts_get_element_f64(s, x->x, target);
        for (size_t j = 0; j < x->columns; j++)
            parts_set_element_rounded(
                s, x->x, at + j,
                (exp(parts_get_element_f64(s, x->x, at + j) - most) / sum - (at + j == target)) *
                    x->scale);
    }
    return all;
}

static void ref_add_to_wide_sums(void *self, size_t n, const void *x, void *to)
{
    const ref_parts_state *s = self, sums = state_with_wide_dtype(s);

    for (size_t i = 0; i < n; i++)
        parts_set_element_rounded(
            &sums, to, i, parts_get_element_f64(&sums, to, i) + parts_get_element_f64(s, x, i));
}

/* g = gradient scale; m = b1 m + (1 - b1) g; v = b2 v + (1 - b2) g^2; w = w (1 - rate decay) -
 * rate m' / (sqrt(v') + epsilon), m' and v' corrected for their start; 0 where the mask is. out: w
 * in the network's format. */
static void ref_adamw_update(void *self, const abdb_part_adamw *x)
{
    const ref_parts_state *s = self, state = state_with_wide_dtype(s);
    double by_m = 1 / (1 - pow(x->beta1, x->step)), by_v = 1 / (1 - pow(x->beta2, x->step));

    for (size_t i = 0; i < x->n; i++) {
        double g = parts_get_element_f64(x->wide ? &state : s, x->g, i) * x->scale,
               m = x->beta1 * parts_get_element_f64(&state, x->m, i) + (1 - x->beta1) * g,
               v = x->beta2 * parts_get_element_f64(&state, x->v, i) + (1 - x->beta2) * g * g,
               w = parts_get_element_f64(&state, x->w, i) * (1 - x->rate * x->decay);

        w -= x->rate * m * by_m / (sqrt(v * by_v) + x->epsilon);
        if (x->mask && !x->mask[i]) w = 0;
        parts_set_element_rounded(&state, x->m, i, m);
        parts_set_element_rounded(&state, x->v, i, v);
        parts_set_element_rounded(&state, x->w, i, w);
        if (x->out)
            parts_set_element_rounded(
                s, x->out, i, parts_get_element_f64(&state, x->w, i)); /* of what was kept */
    }
}

const abdb_parts abdb_ref_parts = {.why_refused = ref_parts_refuse_nothing,
                                   .open = ref_parts_open,
                                   .close = ref_parts_close,
                                   .gemm_work_bytes = ref_gemm_no_work_bytes,
                                   .attention_work_bytes = ref_attention_work_bytes,
                                   .row_op_work_bytes = ref_row_ops_work_bytes,
                                   .alloc_workspace = ref_parts_alloc_workspace,
                                   .gemm = ref_gemm_bias_relu,
                                   .attention = ref_causal_attention_or_gradients,
                                   .row_op = ref_row_ops_with_column_sums,
                                   .embedding = ref_token_embedding_or_gradients,
                                   .embedding_bags = ref_embedding_bag_sums,
                                   .cross_entropy = ref_cross_entropy_sum_replace_by_gradient,
                                   .add_to_wide = ref_add_to_wide_sums,
                                   .adamw_update = ref_adamw_update,
                                   .decoder = &abdb_ref_decoder};
