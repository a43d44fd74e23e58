/* gpt_net.c - a GPT-like network that learns; see gpt_net.h. The order of the parts is that of
 * kernels/micro/block.c, with what stands around the blocks. */
#include "kernels/workloads/gpt_net.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/workloads/memory.h"

const double abdb_gpt_beta1 = 0.9, abdb_gpt_beta2 = 0.95, abdb_gpt_epsilon = 1e-8,
             abdb_gpt_decay = 0.1;

/* --- parts, each a span ----------------------------------------------------------------------- */

static const char *at(const abdb_gpt *g, const char *from, size_t element)
{
    return from + element * g->size;
}

static const void *matrix(const abdb_gpt *g, size_t layer, int which)
{
    return at(g, g->p, abdb_gpt_matrix(&g->s, layer, which));
}

/* NULL: the network has none. */
static const void *vector(const abdb_gpt *g, size_t layer, int which)
{
    if (!g->s.bias && abdb_gpt_is_bias(which)) return NULL;
    return at(g, g->p, abdb_gpt_vector(&g->s, layer, which));
}

static void *slope(const abdb_gpt *g, size_t element)
{
    return g->g + element * g->size;
}

static void *vector_slope(const abdb_gpt *g, size_t layer, int which)
{
    if (!g->s.bias && abdb_gpt_is_bias(which)) return NULL;
    return slope(g, abdb_gpt_vector(&g->s, layer, which));
}

static void product(const abdb_gpt *g, const char *name, abdb_part_product x)
{
    double m = (double)x.m, n = (double)x.n, k = (double)x.k;

    abdb_span_enter(g->stage->spans, name, "gemm");
    g->stage->parts->product(g->parts, &x);
    abdb_span_leave(g->stage->spans, 2 * m * n * k, (double)g->size * (m * k + k * n + m * n));
}

/* `arrays` of rows x columns are read or written, with so many operations an element. */
static void rows(const abdb_gpt *g, const char *name, abdb_part_rows x, double ops, double arrays)
{
    double elements = (double)x.rows * (double)x.columns;

    abdb_span_enter(g->stage->spans, name, "elementwise");
    g->stage->parts->rows(g->parts, &x);
    abdb_span_leave(g->stage->spans, ops * elements, arrays * (double)g->size * elements);
}

static void attention(const abdb_gpt *g, abdb_part_attention x, bool backward)
{
    double width = (double)(x.heads * x.d), n = (double)(x.batch * x.sequence),
           seen = n * (double)(x.sequence + 1) / 2;

    abdb_span_enter(g->stage->spans, "attention", "attention");
    g->stage->parts->attention(g->parts, &x, backward);
    abdb_span_leave(g->stage->spans, (backward ? 10 : 4) * width * seen,
                    (double)g->size * (backward ? 8 : 4) * width * n);
}

static abdb_part_attention attention_of(const abdb_gpt *g, const abdb_gpt_layer *a)
{
    return (abdb_part_attention){.batch = g->s.micro,
                                 .heads = g->s.heads,
                                 .sequence = g->s.sequence,
                                 .d = g->s.d / g->s.heads,
                                 .qkv = a->qkv,
                                 .out = a->att,
                                 .l = a->l};
}

static void norm(const abdb_gpt *g, void *out, const void *x, const void *gain, const void *shift)
{
    rows(g, "norm",
         (abdb_part_rows){.what = ABDB_ROWS_NORM,
                          .rows = g->rows,
                          .columns = g->s.d,
                          .x = x,
                          .gain = gain,
                          .shift = shift,
                          .out = out},
         7, 2);
}

/* out = x + bias + add; nothing where there is neither. */
static void bias(const abdb_gpt *g, void *out, const void *gain, size_t columns, const void *add)
{
    if (!gain && !add) return;
    rows(g, "bias and residual",
         (abdb_part_rows){.what = ABDB_ROWS_BIAS,
                          .rows = g->rows,
                          .columns = columns,
                          .x = out,
                          .gain = gain,
                          .add = add,
                          .out = out},
         add ? 2 : 1, add ? 3 : 2);
}

/* out = add + what a norm makes of dy at x. */
static void norm_back(const abdb_gpt *g, void *out, void *dy, const void *x, const void *add,
                      const void *gain, void *dgain, void *dshift)
{
    rows(g, "norm",
         (abdb_part_rows){.what = ABDB_ROWS_NORM_BACK,
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

static void sum(const abdb_gpt *g, const void *x, size_t columns, void *out)
{
    if (!out) return;
    rows(g, "bias",
         (abdb_part_rows){
             .what = ABDB_ROWS_SUM, .rows = g->rows, .columns = columns, .x = x, .dgain = out},
         1, 1);
}

/* --- forward ---------------------------------------------------------------------------------- */

/* Layer i of a->x to y; recompute=yes: its last product is left out where y is NULL. */
static void layer_forward(const abdb_gpt *g, size_t i, void *y)
{
    const abdb_gpt_layer *a = &g->layer[i];
    size_t n = g->rows, d = g->s.d;

    norm(g, a->norm1, a->x, vector(g, i, ABDB_GPT_GAIN1), vector(g, i, ABDB_GPT_SHIFT1));
    product(g, "qkv product",
            abdb_part_product_of(n, 3 * d, d, false, false, a->norm1, matrix(g, i, ABDB_GPT_QKV),
                                 a->qkv));
    bias(g, a->qkv, vector(g, i, ABDB_GPT_BQKV), 3 * d, NULL);
    attention(g, attention_of(g, a), false);
    product(g, "attention product",
            abdb_part_product_of(n, d, d, false, false, a->att, matrix(g, i, ABDB_GPT_OUT), a->h));
    bias(g, a->h, vector(g, i, ABDB_GPT_BOUT), d, a->x);
    norm(g, a->norm2, a->h, vector(g, i, ABDB_GPT_GAIN2), vector(g, i, ABDB_GPT_SHIFT2));
    product(g, "mlp products",
            abdb_part_product_of(n, 4 * d, d, false, false, a->norm2, matrix(g, i, ABDB_GPT_UP),
                                 a->up));
    rows(g, "gelu",
         (abdb_part_rows){.what = ABDB_ROWS_GELU,
                          .rows = n,
                          .columns = 4 * d,
                          .kept = a->up,
                          .gain = vector(g, i, ABDB_GPT_BUP),
                          .out = a->gelu},
         10, 3);
    if (!y) return;
    product(
        g, "mlp products",
        abdb_part_product_of(n, d, 4 * d, false, false, a->gelu, matrix(g, i, ABDB_GPT_DOWN), y));
    bias(g, y, vector(g, i, ABDB_GPT_BDOWN), d, a->h);
}

static abdb_part_embedding embedding_of(const abdb_gpt *g, void *table, void *position, void *x)
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

static void embed(const abdb_gpt *g, void *table, void *position, void *x, bool backward)
{
    abdb_part_embedding e = embedding_of(g, table, position, x);
    double elements = (double)g->rows * (double)g->s.d;

    abdb_span_enter(g->stage->spans, "embedding", "gather");
    g->stage->parts->embedding(g->parts, &e, backward);
    abdb_span_leave(g->stage->spans, elements, 3 * (double)g->size * elements);
}

static double forward(const abdb_gpt *g)
{
    size_t n = g->rows, d = g->s.d, gain = abdb_gpt_gain(&g->s);
    const abdb_gpt_shape *s = &g->s;
    double elements = (double)n * (double)s->vocabulary, loss;

    abdb_span_enter(g->stage->spans, "forward", NULL);
    embed(g, g->p, g->p + abdb_gpt_positions(s) * g->size, s->layers ? g->layer[0].x : g->last,
          false);
    for (size_t i = 0; i < s->layers; i++)
        layer_forward(g, i, i + 1 < s->layers ? g->layer[i + 1].x : g->last);
    norm(g, g->normed, g->last, at(g, g->p, gain), s->bias ? at(g, g->p, gain + d) : NULL);
    product(g, "head product",
            abdb_part_product_of(n, s->vocabulary, d, false, true, g->normed, g->p, g->logits));
    abdb_span_enter(g->stage->spans, "cross entropy", "elementwise");
    loss = g->stage->parts->loss(g->parts, &(abdb_part_loss){.rows = n,
                                                             .columns = s->vocabulary,
                                                             .target = g->target,
                                                             .scale = 1 / (double)n,
                                                             .x = g->logits});
    abdb_span_leave(g->stage->spans, 6 * elements, 2 * (double)g->size * elements);
    abdb_span_leave(g->stage->spans, 0, 0);
    return loss;
}

/* --- backward --------------------------------------------------------------------------------- */

/* dc = the gradient of c = a b (b: k x n): da (m x k) and db, which stands in g->g. */
static void product_back(const abdb_gpt *g, const char *name, const void *dc, const void *a,
                         const void *b, size_t element, size_t k, size_t n, void *da)
{
    product(g, name, abdb_part_product_of(k, n, g->rows, true, false, a, dc, slope(g, element)));
    product(g, name, abdb_part_product_of(g->rows, k, n, false, true, dc, b, da));
}

/* g->dx: gradient of what layer i gives; becomes that of what it takes. */
static void layer_backward(const abdb_gpt *g, size_t i)
{
    const abdb_gpt_layer *a = &g->layer[i];
    size_t n = g->rows, d = g->s.d;
    abdb_part_attention back = attention_of(g, a);

    sum(g, g->dx, d, vector_slope(g, i, ABDB_GPT_BDOWN));
    product_back(g, "mlp products", g->dx, a->gelu, matrix(g, i, ABDB_GPT_DOWN),
                 abdb_gpt_matrix(&g->s, i, ABDB_GPT_DOWN), 4 * d, d, g->dwide);
    rows(g, "gelu",
         (abdb_part_rows){.what = ABDB_ROWS_GELU_BACK,
                          .rows = n,
                          .columns = 4 * d,
                          .x = a->up,
                          .out = g->dwide,
                          .dgain = vector_slope(g, i, ABDB_GPT_BUP)},
         17, 3);
    product_back(g, "mlp products", g->dwide, a->norm2, matrix(g, i, ABDB_GPT_UP),
                 abdb_gpt_matrix(&g->s, i, ABDB_GPT_UP), d, 4 * d, g->dn);
    norm_back(g, g->dh, g->dn, a->h, g->dx, vector(g, i, ABDB_GPT_GAIN2),
              vector_slope(g, i, ABDB_GPT_GAIN2), vector_slope(g, i, ABDB_GPT_SHIFT2));
    sum(g, g->dh, d, vector_slope(g, i, ABDB_GPT_BOUT));
    product_back(g, "attention product", g->dh, a->att, matrix(g, i, ABDB_GPT_OUT),
                 abdb_gpt_matrix(&g->s, i, ABDB_GPT_OUT), d, d, g->dn);
    back.dout = g->dn;
    back.dqkv = g->dwide;
    attention(g, back, true);
    sum(g, g->dwide, 3 * d, vector_slope(g, i, ABDB_GPT_BQKV));
    product_back(g, "qkv product", g->dwide, a->norm1, matrix(g, i, ABDB_GPT_QKV),
                 abdb_gpt_matrix(&g->s, i, ABDB_GPT_QKV), d, 3 * d, g->dn);
    norm_back(g, g->dx, g->dn, a->x, g->dh, vector(g, i, ABDB_GPT_GAIN1),
              vector_slope(g, i, ABDB_GPT_GAIN1), vector_slope(g, i, ABDB_GPT_SHIFT1));
}

/* --- ranks ------------------------------------------------------------------------------------ */

static const abdb_crew *crew_of(const abdb_gpt *g)
{
    return abdb_gpt_ranks(&g->s) > 1 ? g->stage->crew : NULL;
}

/* Do gradients leave for the other ranks as soon as they are made? */
static bool leaves_early(const abdb_gpt *g)
{
    return g->s.overlap && crew_of(g) && g->learned + 1 == g->s.accumulation;
}

/* Gradients of elements [first, end) are made: they are added to those of other micro-batches, and
 * after the last of these to those of other ranks. */
static void made(const abdb_gpt *g, size_t first, size_t end)
{
    const abdb_crew *crew = g->learned + 1 == g->s.accumulation ? crew_of(g) : NULL;
    double n = (double)(end - first);
    char *of = g->sum ? g->sum + first * g->wide : slope(g, first);

    if (g->sum) {
        abdb_span_enter(g->stage->spans, "accumulate", "elementwise");
        g->stage->parts->add(g->parts, end - first, slope(g, first), of);
        abdb_span_leave(g->stage->spans, n, n * (double)(g->size + 2 * g->wide));
    }
    if (!crew) return;
    abdb_span_enter(g->stage->spans, "all-reduce", "all-reduce");
    crew->start(crew, abdb_parts_wide(g->s.dtype), end - first, of);
    crew->progress(crew);
    abdb_span_leave(g->stage->spans, n, n * (double)g->wide);
}

static void backward(const abdb_gpt *g)
{
    size_t n = g->rows, d = g->s.d, gain = abdb_gpt_gain(&g->s);
    const abdb_gpt_shape *s = &g->s;

    abdb_span_enter(g->stage->spans, "backward", NULL);
    product(g, "head product",
            abdb_part_product_of(s->vocabulary, d, n, true, false, g->logits, g->normed, g->g));
    product(g, "head product",
            abdb_part_product_of(n, d, s->vocabulary, false, false, g->logits, g->p, g->dn));
    norm_back(g, g->dx, g->dn, g->last, NULL, at(g, g->p, gain), slope(g, gain),
              s->bias ? slope(g, gain + d) : NULL);
    for (size_t i = s->layers; i-- > 0;) {
        if (s->recompute) {
            abdb_span_enter(g->stage->spans, "recompute", NULL);
            layer_forward(g, i, NULL);
            abdb_span_leave(g->stage->spans, 0, 0);
        }
        layer_backward(g, i);
        if (leaves_early(g)) made(g, abdb_gpt_matrix(s, i, 0), abdb_gpt_matrix(s, i + 1, 0));
    }
    embed(g, g->g, slope(g, abdb_gpt_positions(s)), g->dx, true);
    abdb_span_leave(g->stage->spans, 0, 0);
}

/* Tokens and targets, and rows by their token, to the device. */
static abdb_status give_tokens(abdb_gpt *g, const int32_t *token, const int32_t *target,
                               abdb_error *err)
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
    TRY(abdb_stage_give(g->stage, g->token, token, bytes, err));
    TRY(abdb_stage_give(g->stage, g->target, target, bytes, err));
    TRY(abdb_stage_give(g->stage, g->order, order, bytes, err));
    TRY(abdb_stage_give(g->stage, g->first, first, (v + 1) * sizeof *first, err));
done:
    return st;
}

abdb_status abdb_gpt_learn(abdb_gpt *g, const int32_t *token, const int32_t *target, double *loss,
                           abdb_error *err)
{
    const abdb_crew *crew = crew_of(g);
    size_t n = abdb_gpt_parameters(&g->s);
    abdb_status st = ABDB_OK;

    TRY(give_tokens(g, token, target, err));
    *loss = forward(g);
    backward(g);
    if (leaves_early(g)) {
        made(g, 0, abdb_gpt_matrix(&g->s, 0, 0));
        made(g, abdb_gpt_matrices(&g->s), n);
    } else {
        made(g, 0, n);
    }
    g->learned++;
    if (crew && g->learned == g->s.accumulation) {
        abdb_span_enter(g->stage->spans, "all-reduce", "all-reduce");
        crew->finish(crew);
        abdb_span_leave(g->stage->spans, 0, 0);
    }
    TRY(abdb_stage_failed(g->stage, g->parts, err));
done:
    return st;
}

/* --- update ----------------------------------------------------------------------------------- */

abdb_status abdb_gpt_begin(abdb_gpt *g, abdb_error *err)
{
    size_t n = abdb_gpt_parameters(&g->s) * g->wide;
    abdb_status st;

    g->learned = 0;
    if (!g->sum) return ABDB_OK;
    abdb_span_enter(g->stage->spans, "clear", "stream");
    st = abdb_stage_clear(g->stage, g->sum, n, err);
    abdb_span_leave(g->stage->spans, 0, (double)n);
    return st;
}

const void *abdb_gpt_gradient(const abdb_gpt *g, abdb_dtype *dtype, double *scale)
{
    *dtype = g->sum ? abdb_parts_wide(g->s.dtype) : g->s.dtype;
    *scale = 1 / (double)(g->s.accumulation * abdb_gpt_ranks(&g->s));
    return g->sum ? g->sum : g->g;
}

/* Elements [first, end). */
static void update(const abdb_gpt *g, size_t first, size_t end, double rate, double decay,
                   const unsigned char *mask)
{
    abdb_dtype dtype;
    double scale, n = (double)(end - first);
    const char *gradient = abdb_gpt_gradient(g, &dtype, &scale);
    bool own = g->w != g->p;

    abdb_span_enter(g->stage->spans, "update", "elementwise");
    g->stage->parts->update(g->parts,
                            &(abdb_part_update){.n = end - first,
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
    abdb_span_leave(
        g->stage->spans, 14 * n,
        n * (double)(abdb_dtype_size(dtype) + 6 * g->wide + (own ? g->size : 0) + (mask != NULL)));
}

void abdb_gpt_update(abdb_gpt *g, double rate)
{
    size_t tables = abdb_gpt_matrix(&g->s, 0, 0), matrices = abdb_gpt_matrices(&g->s);

    g->step++;
    update(g, 0, tables, rate, abdb_gpt_decay, NULL);
    update(g, tables, matrices, rate, abdb_gpt_decay, g->mask);
    update(g, matrices, abdb_gpt_parameters(&g->s), rate, 0, NULL);
}
