/* gpt_net.c - a GPT-like network that learns; see gpt_net.h. The order of the parts is that of
 * kernels/micro/block.c, with what stands around the blocks. */
#include "kernels/workloads/gpt_net.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/workloads/device_memory.h"

const double abdb_gpt_beta1 = 0.9, abdb_gpt_beta2 = 0.95, abdb_gpt_epsilon = 1e-8,
             abdb_gpt_decay = 0.1;

/* --- parts, each a span ----------------------------------------------------------------------- */

static const char *parameter_address(const abdb_gpt *g, const char *from, size_t element)
{
    return from + element * g->size;
}

static const void *layer_matrix_address(const abdb_gpt *g, size_t layer, int matrix_kind)
{
    return parameter_address(g, g->p, abdb_gpt_matrix_offset(&g->s, layer, matrix_kind));
}

/* NULL: the network has none. */
static const void *layer_vector_address_or_null(const abdb_gpt *g, size_t layer, int vector_kind)
{
    if (!g->s.bias && abdb_gpt_vector_is_bias(vector_kind)) return NULL;
    return parameter_address(g, g->p, abdb_gpt_vector_offset(&g->s, layer, vector_kind));
}

static void *gradient_address(const abdb_gpt *g, size_t element)
{
    return g->g + element * g->size;
}

static void *vector_gradient_address_or_null(const abdb_gpt *g, size_t layer, int which)
{
    if (!g->s.bias && abdb_gpt_vector_is_bias(which)) return NULL;
    return gradient_address(g, abdb_gpt_vector_offset(&g->s, layer, which));
}

static void run_gemm_in_span(const abdb_gpt *g, const char *name, abdb_part_gemm x)
{
    double m = (double)x.m, n = (double)x.n, k = (double)x.k;

    abdb_span_enter(g->stage->spans, name, "gemm");
    g->stage->parts->gemm(g->parts, &x);
    abdb_span_leave_and_add_work(g->stage->spans, 2 * m * n * k,
                                 (double)g->size * (m * k + k * n + m * n));
}

/* `arrays` of rows x columns are read or written, with so many operations an element. */
static void run_row_op_in_span(const abdb_gpt *g, const char *name, abdb_part_row_op x, double ops,
                               double arrays)
{
    double elements = (double)x.rows * (double)x.columns;

    abdb_span_enter(g->stage->spans, name, "elementwise");
    g->stage->parts->row_op(g->parts, &x);
    abdb_span_leave_and_add_work(g->stage->spans, ops * elements,
                                 arrays * (double)g->size * elements);
}

/* Attention of a layer, or its gradients, in a span that counts 4 (10) operations for each
 * number of a query and token that it sees. */
static void run_attention_in_span(const abdb_gpt *g, abdb_part_attention x, bool backward)
{
    double width = (double)(x.heads * x.d), n = (double)(x.batch * x.sequence),
           seen = n * (double)(x.sequence + 1) / 2;

    abdb_span_enter(g->stage->spans, "attention", "attention");
    g->stage->parts->attention(g->parts, &x, backward);
    abdb_span_leave_and_add_work(g->stage->spans, (backward ? 10 : 4) * width * seen,
                                 (double)g->size * (backward ? 8 : 4) * width * n);
}

/* The arguments of a layer's attention: qkv is rows x 3d, out rows x d, l a log-sum for each
 * head and row. */
static abdb_part_attention attention_args_of_layer(const abdb_gpt *g, const abdb_gpt_layer *a)
{
    return (abdb_part_attention){.batch = g->s.micro,
                                 .heads = g->s.heads,
                                 .sequence = g->s.sequence,
                                 .d = g->s.d / g->s.heads,
                                 .qkv = a->qkv,
                                 .out = a->att,
                                 .l = a->l};
}

/* out = layernorm(x) gain + shift, rows x d, in a span. */
static void run_layernorm(const abdb_gpt *g, void *out, const void *x, const void *gain,
                          const void *shift)
{
    run_row_op_in_span(g, "norm",
                       (abdb_part_row_op){.what = ABDB_ROWS_NORM,
                                          .rows = g->rows,
                                          .columns = g->s.d,
                                          .x = x,
                                          .gain = gain,
                                          .shift = shift,
                                          .out = out},
                       7, 2);
}

/* out = x + bias + add; nothing where there is neither. */
static void add_bias_and_residual_in_place(const abdb_gpt *g, void *out, const void *gain,
                                           size_t columns, const void *add)
{
    if (!gain && !add) return;
    run_row_op_in_span(g, "bias and residual",
                       (abdb_part_row_op){.what = ABDB_ROWS_BIAS,
                                          .rows = g->rows,
                                          .columns = columns,
                                          .x = out,
                                          .gain = gain,
                                          .add = add,
                                          .out = out},
                       add ? 2 : 1, add ? 3 : 2);
}

/* out = add + what a norm makes of dy at x. */
static void run_layernorm_backward(const abdb_gpt *g, void *out, void *dy, const void *x,
                                   const void *add, const void *gain, void *dgain, void *dshift)
{
    run_row_op_in_span(g, "norm",
                       (abdb_part_row_op){.what = ABDB_ROWS_NORM_BACK,
                                          .rows = g->rows,
                                          .columns = g->s.d,
                                          .x = x,
                                          .kept = dy,
                                          .gain = gain,
                                          .add = add,
                                          .out = out,
                                          .dgain = dgain,
                                          .dshift = dshift},
                       15, add ? 4 : 3);
}

static void sum_rows_to_bias_gradient(const abdb_gpt *g, const void *x, size_t columns, void *out)
{
    if (!out) return;
    run_row_op_in_span(
        g, "bias",
        (abdb_part_row_op){
            .what = ABDB_ROWS_SUM, .rows = g->rows, .columns = columns, .x = x, .dgain = out},
        1, 1);
}

/* --- forward ---------------------------------------------------------------------------------- */

/* Layer i of a->x to y; recompute=yes: its last product is left out where y is NULL. */
static void run_layer_forward(const abdb_gpt *g, size_t i, void *y)
{
    const abdb_gpt_layer *a = &g->layer[i];
    size_t n = g->rows, d = g->s.d;

    run_layernorm(g, a->norm1, a->x, layer_vector_address_or_null(g, i, ABDB_GPT_GAIN1),
                  layer_vector_address_or_null(g, i, ABDB_GPT_SHIFT1));
    run_gemm_in_span(g, "qkv product",
                     abdb_part_gemm_of(n, 3 * d, d, false, false, a->norm1,
                                       layer_matrix_address(g, i, ABDB_GPT_QKV), a->qkv));
    add_bias_and_residual_in_place(g, a->qkv, layer_vector_address_or_null(g, i, ABDB_GPT_BQKV),
                                   3 * d, NULL);
    run_attention_in_span(g, attention_args_of_layer(g, a), false);
    run_gemm_in_span(g, "attention product",
                     abdb_part_gemm_of(n, d, d, false, false, a->att,
                                       layer_matrix_address(g, i, ABDB_GPT_OUT), a->h));
    add_bias_and_residual_in_place(g, a->h, layer_vector_address_or_null(g, i, ABDB_GPT_BOUT), d,
                                   a->x);
    run_layernorm(g, a->norm2, a->h, layer_vector_address_or_null(g, i, ABDB_GPT_GAIN2),
                  layer_vector_address_or_null(g, i, ABDB_GPT_SHIFT2));
    run_gemm_in_span(g, "mlp products",
                     abdb_part_gemm_of(n, 4 * d, d, false, false, a->norm2,
                                       layer_matrix_address(g, i, ABDB_GPT_UP), a->up));
    run_row_op_in_span(g, "gelu",
                       (abdb_part_row_op){.what = ABDB_ROWS_GELU,
                                          .rows = n,
                                          .columns = 4 * d,
                                          .kept = a->up,
                                          .gain = layer_vector_address_or_null(g, i, ABDB_GPT_BUP),
                                          .out = a->gelu},
                       10, 3);
    if (!y) return;
    run_gemm_in_span(g, "mlp products",
                     abdb_part_gemm_of(n, d, 4 * d, false, false, a->gelu,
                                       layer_matrix_address(g, i, ABDB_GPT_DOWN), y));
    add_bias_and_residual_in_place(g, y, layer_vector_address_or_null(g, i, ABDB_GPT_BDOWN), d,
                                   a->h);
}

/* The arguments of the embedding: x[r] = table[token[r]] + position[r mod sequence], or its
 * gradients. */
static abdb_part_embedding embedding_args(const abdb_gpt *g, void *table, void *position, void *x)
{
    return (abdb_part_embedding){.rows = g->rows,
                                 .columns = g->s.d,
                                 .sequence = g->s.sequence,
                                 .vocabulary = g->s.vocabulary,
                                 .token = g->token,
                                 .first = g->first,
                                 .order = g->order,
                                 .table = table,
                                 .position = position,
                                 .x = x};
}

static void run_embedding_in_span(const abdb_gpt *g, void *table, void *position, void *x,
                                  bool backward)
{
    abdb_part_embedding e = embedding_args(g, table, position, x);
    double elements = (double)g->rows * (double)g->s.d;

    abdb_span_enter(g->stage->spans, "embedding", "gather");
    g->stage->parts->embedding(g->parts, &e, backward);
    abdb_span_leave_and_add_work(g->stage->spans, elements, 3 * (double)g->size * elements);
}

/* Embedding, layers, last norm, product with the transposed table, cross entropy. Returns the
 * sum of the losses of all rows; the logits have become their gradients. */
static double run_forward_loss_and_logit_gradients(const abdb_gpt *g)
{
    size_t n = g->rows, d = g->s.d, gain = abdb_gpt_last_norm_gain_offset(&g->s);
    const abdb_gpt_shape *s = &g->s;
    double elements = (double)n * (double)s->vocabulary, loss;

    abdb_span_enter(g->stage->spans, "forward", NULL);
    run_embedding_in_span(g, g->p, g->p + abdb_gpt_positions_offset(s) * g->size,
                          s->layers ? g->layer[0].x : g->last, false);
    for (size_t i = 0; i < s->layers; i++)
        run_layer_forward(g, i, i + 1 < s->layers ? g->layer[i + 1].x : g->last);
    run_layernorm(g, g->normed, g->last, parameter_address(g, g->p, gain),
                  s->bias ? parameter_address(g, g->p, gain + d) : NULL);
    run_gemm_in_span(
        g, "head product",
        abdb_part_gemm_of(n, s->vocabulary, d, false, true, g->normed, g->p, g->logits));
    abdb_span_enter(g->stage->spans, "cross entropy", "elementwise");
    loss = g->stage->parts->cross_entropy(g->parts,
                                          &(abdb_part_cross_entropy){.rows = n,
                                                                     .columns = s->vocabulary,
                                                                     .target = g->target,
                                                                     .scale = 1 / (double)n,
                                                                     .x = g->logits});
    abdb_span_leave_and_add_work(g->stage->spans, 6 * elements, 2 * (double)g->size * elements);
    abdb_span_leave_and_add_work(g->stage->spans, 0, 0);
    return loss;
}

/* --- backward --------------------------------------------------------------------------------- */

/* dc = the gradient of c = a b (b: k x n): da (m x k) and db, which stands in g->g. */
static void run_gemm_weight_and_input_gradients(const abdb_gpt *g, const char *name, const void *dc,
                                                const void *a, const void *b, size_t element,
                                                size_t k, size_t n, void *da)
{
    run_gemm_in_span(
        g, name,
        abdb_part_gemm_of(k, n, g->rows, true, false, a, dc, gradient_address(g, element)));
    run_gemm_in_span(g, name, abdb_part_gemm_of(g->rows, k, n, false, true, dc, b, da));
}

/* g->dx: gradient of what layer i gives; becomes that of what it takes. */
static void run_layer_backward_updating_dx(const abdb_gpt *g, size_t i)
{
    const abdb_gpt_layer *a = &g->layer[i];
    size_t n = g->rows, d = g->s.d;
    abdb_part_attention back = attention_args_of_layer(g, a);

    sum_rows_to_bias_gradient(g, g->dx, d, vector_gradient_address_or_null(g, i, ABDB_GPT_BDOWN));
    run_gemm_weight_and_input_gradients(
        g, "mlp products", g->dx, a->gelu, layer_matrix_address(g, i, ABDB_GPT_DOWN),
        abdb_gpt_matrix_offset(&g->s, i, ABDB_GPT_DOWN), 4 * d, d, g->dwide);
    run_row_op_in_span(
        g, "gelu",
        (abdb_part_row_op){.what = ABDB_ROWS_GELU_BACK,
                           .rows = n,
                           .columns = 4 * d,
                           .x = a->up,
                           .out = g->dwide,
                           .dgain = vector_gradient_address_or_null(g, i, ABDB_GPT_BUP)},
        17, 3);
    run_gemm_weight_and_input_gradients(
        g, "mlp products", g->dwide, a->norm2, layer_matrix_address(g, i, ABDB_GPT_UP),
        abdb_gpt_matrix_offset(&g->s, i, ABDB_GPT_UP), d, 4 * d, g->dn);
    run_layernorm_backward(g, g->dh, g->dn, a->h, g->dx,
                           layer_vector_address_or_null(g, i, ABDB_GPT_GAIN2),
                           vector_gradient_address_or_null(g, i, ABDB_GPT_GAIN2),
                           vector_gradient_address_or_null(g, i, ABDB_GPT_SHIFT2));
    sum_rows_to_bias_gradient(g, g->dh, d, vector_gradient_address_or_null(g, i, ABDB_GPT_BOUT));
    run_gemm_weight_and_input_gradients(
        g, "attention product", g->dh, a->att, layer_matrix_address(g, i, ABDB_GPT_OUT),
        abdb_gpt_matrix_offset(&g->s, i, ABDB_GPT_OUT), d, d, g->dn);
    back.dout = g->dn;
    back.dqkv = g->dwide;
    run_attention_in_span(g, back, true);
    sum_rows_to_bias_gradient(g, g->dwide, 3 * d,
                              vector_gradient_address_or_null(g, i, ABDB_GPT_BQKV));
    run_gemm_weight_and_input_gradients(
        g, "qkv product", g->dwide, a->norm1, layer_matrix_address(g, i, ABDB_GPT_QKV),
        abdb_gpt_matrix_offset(&g->s, i, ABDB_GPT_QKV), d, 3 * d, g->dn);
    run_layernorm_backward(g, g->dx, g->dn, a->x, g->dh,
                           layer_vector_address_or_null(g, i, ABDB_GPT_GAIN1),
                           vector_gradient_address_or_null(g, i, ABDB_GPT_GAIN1),
                           vector_gradient_address_or_null(g, i, ABDB_GPT_SHIFT1));
}

/* --- ranks ------------------------------------------------------------------------------------ */

static const abdb_rank_group *rank_group_or_null(const abdb_gpt *g)
{
    return abdb_gpt_rank_count(&g->s) > 1 ? g->stage->crew : NULL;
}

/* Do gradients leave for the other ranks as soon as they are made? */
static bool should_overlap_allreduce_in_last_micro_batch(const abdb_gpt *g)
{
    return g->s.overlap && rank_group_or_null(g) && g->learned + 1 == g->s.accumulation;
}

/* Gradients of elements [first, end) are made: they are added to those of other micro-batches, and
 * after the last of these to those of other ranks. */
static void accumulate_gradients_and_start_allreduce(const abdb_gpt *g, size_t first, size_t end)
{
    const abdb_rank_group *crew =
        g->learned + 1 == g->s.accumulation ? rank_group_or_null(g) : NULL;
    double n = (double)(end - first);
    char *of = g->sum ? g->sum + first * g->wide : gradient_address(g, first);

    if (g->sum) {
        abdb_span_enter(g->stage->spans, "accumulate", "elementwise");
        g->stage->parts->add_to_wide(g->parts, end - first, gradient_address(g, first), of);
        abdb_span_leave_and_add_work(g->stage->spans, n, n * (double)(g->size + 2 * g->wide));
    }
    if (!crew) return;
    abdb_span_enter(g->stage->spans, "all-reduce", "all-reduce");
    crew->start_allreduce(crew, abdb_wide_dtype_f64_or_f32(g->s.dtype), end - first, of);
    crew->progress(crew);
    abdb_span_leave_and_add_work(g->stage->spans, n, n * (double)g->wide);
}

/* From the gradients of the logits to those of all parameters, in the reverse order; layers are
 * computed again where that was asked, and reduced over ranks as soon as they are whole. */
static void run_backward_pass_with_recompute(const abdb_gpt *g)
{
    size_t n = g->rows, d = g->s.d, gain = abdb_gpt_last_norm_gain_offset(&g->s);
    const abdb_gpt_shape *s = &g->s;

    abdb_span_enter(g->stage->spans, "backward", NULL);
    run_gemm_in_span(
        g, "head product",
        abdb_part_gemm_of(s->vocabulary, d, n, true, false, g->logits, g->normed, g->g));
    run_gemm_in_span(g, "head product",
                     abdb_part_gemm_of(n, d, s->vocabulary, false, false, g->logits, g->p, g->dn));
    run_layernorm_backward(g, g->dx, g->dn, g->last, NULL, parameter_address(g, g->p, gain),
                           gradient_address(g, gain),
                           s->bias ? gradient_address(g, gain + d) : NULL);
    for (size_t i = s->layers; i-- > 0;) {
        if (s->recompute) {
            abdb_span_enter(g->stage->spans, "recompute", NULL);
            run_layer_forward(g, i, NULL);
            abdb_span_leave_and_add_work(g->stage->spans, 0, 0);
        }
        run_layer_backward_updating_dx(g, i);
        if (should_overlap_allreduce_in_last_micro_batch(g))
            accumulate_gradients_and_start_allreduce(g, abdb_gpt_matrix_offset(s, i, 0),
                                                     abdb_gpt_matrix_offset(s, i + 1, 0));
    }
    run_embedding_in_span(g, g->g, gradient_address(g, abdb_gpt_positions_offset(s)), g->dx, true);
    abdb_span_leave_and_add_work(g->stage->spans, 0, 0);
}

/* Tokens and targets, and rows by their token, to the device. */
static abdb_status upload_tokens_targets_and_rows_by_token(abdb_gpt *g, const int32_t *token,
                                                           const int32_t *target, abdb_error *err)
{
    size_t v = g->s.vocabulary, bytes = g->rows * sizeof *token;
    int32_t *order = g->host, *first = g->host + g->rows;
    abdb_status st = ABDB_OK;

    memset(first, 0, (v + 1) * sizeof *first);
    for (size_t r = 0; r < g->rows; r++) first[token[r] + 1]++;
    for (size_t t = 0; t < v; t++) first[t + 1] += first[t];
    for (size_t r = 0; r < g->rows; r++) order[first[token[r]]++] = (int32_t)r;
    for (size_t t = v; t > 0; t--) first[t] = first[t - 1];
    first[0] = 0;
    TRY(abdb_device_upload(g->stage, g->token, token, bytes, err));
    TRY(abdb_device_upload(g->stage, g->target, target, bytes, err));
    TRY(abdb_device_upload(g->stage, g->order, order, bytes, err));
    TRY(abdb_device_upload(g->stage, g->first, first, (v + 1) * sizeof *first, err));
done:
    return st;
}

abdb_status abdb_gpt_forward_backward_and_allreduce(abdb_gpt *g, const int32_t *token,
                                                    const int32_t *target, double *loss,
                                                    abdb_error *err)
{
    const abdb_rank_group *crew = rank_group_or_null(g);
    size_t n = abdb_gpt_parameter_count(&g->s);
    abdb_status st = ABDB_OK;

    TRY(upload_tokens_targets_and_rows_by_token(g, token, target, err));
    *loss = run_forward_loss_and_logit_gradients(g);
    run_backward_pass_with_recompute(g);
    if (should_overlap_allreduce_in_last_micro_batch(g)) {
        accumulate_gradients_and_start_allreduce(g, 0, abdb_gpt_matrix_offset(&g->s, 0, 0));
        accumulate_gradients_and_start_allreduce(g, abdb_gpt_element_count_before_vectors(&g->s),
                                                 n);
    } else {
        accumulate_gradients_and_start_allreduce(g, 0, n);
    }
    g->learned++;
    if (crew && g->learned == g->s.accumulation) {
        abdb_span_enter(g->stage->spans, "all-reduce", "all-reduce");
        crew->wait_allreduce(crew);
        abdb_span_leave_and_add_work(g->stage->spans, 0, 0);
    }
    TRY(abdb_parts_get_deferred_error(g->stage, g->parts, err));
done:
    return st;
}

/* --- update ----------------------------------------------------------------------------------- */

abdb_status abdb_gpt_clear_gradient_sums(abdb_gpt *g, abdb_error *err)
{
    size_t n = abdb_gpt_parameter_count(&g->s) * g->wide;
    abdb_status st;

    g->learned = 0;
    if (!g->sum) return ABDB_OK;
    abdb_span_enter(g->stage->spans, "clear", "stream");
    st = abdb_device_clear_bytes(g->stage, g->sum, n, err);
    abdb_span_leave_and_add_work(g->stage->spans, 0, (double)n);
    return st;
}

const void *abdb_gpt_get_gradient_with_dtype_and_scale(const abdb_gpt *g, abdb_dtype *dtype,
                                                       double *scale)
{
    *dtype = g->sum ? abdb_wide_dtype_f64_or_f32(g->s.dtype) : g->s.dtype;
    *scale = 1 / (double)(g->s.accumulation * abdb_gpt_rank_count(&g->s));
    return g->sum ? g->sum : g->g;
}

/* A step of AdamW on parameters [first, end), with their moments and gradients. */
static void run_adamw_on_range(const abdb_gpt *g, size_t first, size_t end, double rate,
                               double decay, const unsigned char *mask)
{
    abdb_dtype dtype;
    double scale, n = (double)(end - first);
    const char *gradient = abdb_gpt_get_gradient_with_dtype_and_scale(g, &dtype, &scale);
    bool own = g->w != g->p;

    abdb_span_enter(g->stage->spans, "update", "elementwise");
    g->stage->parts->adamw_update(g->parts,
                                  &(abdb_part_adamw){.n = end - first,
                                                     .g = gradient + first * abdb_dtype_size(dtype),
                                                     .wide = g->sum != NULL,
                                                     .w = g->w + first * g->wide,
                                                     .m = g->m + first * g->wide,
                                                     .v = g->v + first * g->wide,
                                                     .out = own ? g->p + first * g->size : NULL,
                                                     .mask = mask,
                                                     .scale = scale,
                                                     .rate = rate,
                                                     .beta1 = abdb_gpt_beta1,
                                                     .beta2 = abdb_gpt_beta2,
                                                     .epsilon = abdb_gpt_epsilon,
                                                     .decay = decay,
                                                     .step = g->step});
    abdb_span_leave_and_add_work(
        g->stage->spans, 14 * n,
        n * (double)(abdb_dtype_size(dtype) + 6 * g->wide + (own ? g->size : 0) + (mask != NULL)));
}

void abdb_gpt_adamw_update(abdb_gpt *g, double rate)
{
    size_t tables = abdb_gpt_matrix_offset(&g->s, 0, 0),
           matrices = abdb_gpt_element_count_before_vectors(&g->s);

    g->step++;
    run_adamw_on_range(g, 0, tables, rate, abdb_gpt_decay, NULL);
    run_adamw_on_range(g, tables, matrices, rate, abdb_gpt_decay, g->mask);
    run_adamw_on_range(g, matrices, abdb_gpt_parameter_count(&g->s), rate, 0, NULL);
}
