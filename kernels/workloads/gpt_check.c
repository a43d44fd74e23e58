/* gpt_check.c - a small network's loss, gradients and updates against plain loops in double; see
 * gpt_check.h. */
#include "kernels/workloads/gpt_check.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/workloads/gpt_oracle.h"
#include "kernels/workloads/memory.h"
#include "kernels/workloads/tokens.h"

enum {
    LAYERS = 2,
    WIDTH = 32,
    HEADS = 2,
    VOCABULARY = 37,
    SEQUENCE = 12,
    MICRO = 2,
    TIMES = 2,
    STEPS = 2,
    ROWS = MICRO * SEQUENCE,
    DIRECTIONS = 3, /* the gradient's own, and random ones */
    PIECES = 4 + LAYERS * (ABDB_GPT_MATRICES + ABDB_GPT_VECTORS)
};
const char *const abdb_gpt_check_at =
    "layers=2 d=32 heads=2 vocabulary=37 sequence=12 micro_batch=2 accumulation=2";
/* apart: of what differences are made, along a direction of length 1; their own error is some
 * 1e-9, by the third derivative, and 1e-11 by rounding. */
static const double rate = 0.01, deviation = 0.2, apart = 1e-5;

/* What a format may be wrong by: the loss relative to itself, a gradient relative to its length.
 * f64: what differences give. f32 and bf16: some ten times what was seen (a chain of about 20
 * products, each with sums rounded to the format). */
static void bounds_of(abdb_dtype dtype, double *loss, double *gradient)
{
    *loss = dtype == ABDB_F64 ? 1e-12 : dtype == ABDB_F32 ? 2e-6 : 1e-2;
    *gradient = dtype == ABDB_F64 ? 1e-6 : dtype == ABDB_F32 ? 2e-5 : 6e-2;
}

typedef struct {
    abdb_gpt g;
    abdb_tokens source;
    int32_t token[TIMES * ROWS], target[TIMES * ROWS];
    size_t n;
    double *gradient, *p, *w, *m, *v;      /* before an update */
    double *p_new, *w_new, *m_new, *v_new; /* and behind it */
    unsigned char *mask;                   /* NULL: none */
    double loss, error;
} check;

/* A worse error is kept; NaN is the worst. */
static void note(check *c, double error)
{
    if (!(error <= c->error)) c->error = isnan(error) ? INFINITY : error;
}

/* So many numbers of the device in double. */
static abdb_status fetch(const check *c, double *out, size_t n, abdb_dtype dtype, const void *data,
                         double scale, abdb_error *err)
{
    abdb_tensor t = {.dtype = dtype, .data = malloc(n * abdb_dtype_size(dtype))};
    abdb_status st = ABDB_OK;

    if (!t.data) return ABDB_FAIL(err, ABDB_NOMEM, "a check");
    TRY(abdb_stage_take(c->g.stage, t.data, data, n * abdb_dtype_size(dtype), err));
    for (size_t i = 0; i < n; i++) out[i] = abdb_tensor_get(&t, i) * scale;
done:
    free(t.data);
    return st;
}

static abdb_status fetch_all(const check *c, double *p, double *w, double *m, double *v,
                             abdb_error *err)
{
    const abdb_gpt *g = &c->g;
    abdb_dtype wide = abdb_parts_wide(g->s.dtype);
    abdb_status st = ABDB_OK;

    TRY(fetch(c, p, c->n, g->s.dtype, g->p, 1, err));
    TRY(fetch(c, w, c->n, wide, g->w, 1, err));
    TRY(fetch(c, m, c->n, wide, g->m, 1, err));
    TRY(fetch(c, v, c->n, wide, g->v, 1, err));
done:
    return st;
}

/* One step up to its update. */
static abdb_status learn(check *c, abdb_error *err)
{
    abdb_gpt *g = &c->g;
    abdb_dtype dtype;
    const void *gradient;
    double scale, loss;
    abdb_status st = ABDB_OK;

    TRY(abdb_gpt_begin(g, err));
    c->loss = 0;
    for (size_t i = 0; i < TIMES; i++) {
        int32_t *token = c->token + i * ROWS, *target = c->target + i * ROWS;

        for (size_t b = 0; b < MICRO; b++)
            abdb_tokens_draw(&c->source, SEQUENCE, token + b * SEQUENCE, target + b * SEQUENCE);
        TRY(abdb_gpt_learn(g, token, target, &loss, err));
        c->loss += loss / (TIMES * ROWS);
    }
    gradient = abdb_gpt_gradient(g, &dtype, &scale);
    TRY(fetch(c, c->gradient, c->n, dtype, gradient, scale, err));
    TRY(fetch_all(c, c->p, c->w, c->m, c->v, err));
done:
    return st;
}

/* --- gradients -------------------------------------------------------------------------------- */

typedef struct {
    size_t first, count;
} piece;

/* Tensors of parameters, one after another, each from its first to the next one's. */
static size_t pieces_of(const abdb_gpt_shape *s, piece *out)
{
    size_t first[PIECES + 1], count = 0, kept = 0;
    bool has[PIECES];

    first[count] = 0;
    has[count++] = true;
    first[count] = abdb_gpt_positions(s);
    has[count++] = true;
    for (size_t i = 0; i < LAYERS; i++)
        for (int k = 0; k < ABDB_GPT_MATRICES; k++) {
            first[count] = abdb_gpt_matrix(s, i, k);
            has[count++] = true;
        }
    for (size_t i = 0; i < LAYERS; i++)
        for (int k = 0; k < ABDB_GPT_VECTORS; k++) {
            first[count] = abdb_gpt_vector(s, i, k);
            has[count++] = s->bias || !abdb_gpt_is_bias(k);
        }
    first[count] = abdb_gpt_gain(s);
    has[count++] = true;
    first[count] = abdb_gpt_gain(s) + s->d;
    has[count++] = s->bias;
    first[count] = abdb_gpt_parameters(s);
    for (size_t i = 0; i < count; i++)
        if (has[i]) out[kept++] = (piece){first[i], first[i + 1] - first[i]};
    return kept;
}

/* The loss a step along a direction, by plain loops. */
static double loss_at(const check *c, const piece *along, const double *direction, double step,
                      double *room)
{
    memcpy(room, c->p, c->n * sizeof *room);
    for (size_t i = 0; i < along->count; i++) room[along->first + i] += step * direction[i];
    return abdb_gpt_loss(&c->g.s, room, MICRO * TIMES, c->token, c->target);
}

/* How wrong the gradient of a tensor is, over its bound: along itself (which 0), or along a random
 * direction, in which errors as large as the gradient show as its length / sqrt(count). */
static double error_along(const check *c, const piece *tensor, size_t which, double bound,
                          double *room)
{
    const double *g = c->gradient + tensor->first;
    double length = 0, ours = 0, unit = 1 / sqrt((double)tensor->count), *direction = room + c->n,
           theirs;

    for (size_t i = 0; i < tensor->count; i++) length += g[i] * g[i];
    length = sqrt(length);
    if (!(length > 0)) return INFINITY; /* every tensor has one */
    for (size_t i = 0; i < tensor->count; i++) {
        bool up = abdb_random_at(which, tensor->first + i) & 1;

        direction[i] = which == 0 ? g[i] / length : up ? unit : -unit;
        ours += g[i] * direction[i];
    }
    theirs =
        (loss_at(c, tensor, direction, apart, room) - loss_at(c, tensor, direction, -apart, room)) /
        (2 * apart);
    return fabs(ours - theirs) / (bound * length * (which == 0 ? 1 : 4 * unit));
}

static abdb_status check_gradients(check *c, abdb_error *err)
{
    piece tensor[PIECES];
    size_t count = pieces_of(&c->g.s, tensor);
    double bound, unused, worst = 0;
    bool failed = false;

    bounds_of(c->g.s.dtype, &unused, &bound);
#pragma omp parallel for schedule(dynamic, 1) reduction(max : worst) reduction(|| : failed)
    for (size_t i = 0; i < count * DIRECTIONS; i++) {
        double *room = calloc(2 * c->n, sizeof *room), error = INFINITY;

        if (room)
            error = error_along(c, &tensor[i / DIRECTIONS], i % DIRECTIONS, bound, room);
        else
            failed = true;
        free(room);
        worst = error <= worst ? worst : isnan(error) ? INFINITY : error;
    }
    note(c, worst);
    return failed ? ABDB_FAIL(err, ABDB_NOMEM, "a check of gradients") : ABDB_OK;
}

/* --- updates ---------------------------------------------------------------------------------- */

/* Weights, moments and what is kept of them in the format, by AdamW's formulas. */
static abdb_status check_update(check *c, abdb_error *err)
{
    const abdb_gpt *g = &c->g;
    double u = abdb_dtype_unit_roundoff(abdb_parts_wide(g->s.dtype)),
           by_m = 1 - pow(abdb_gpt_beta1, g->step), by_v = 1 - pow(abdb_gpt_beta2, g->step);
    size_t tables = abdb_gpt_matrix(&g->s, 0, 0), matrices = abdb_gpt_matrices(&g->s);
    abdb_status st = ABDB_OK;

    TRY(abdb_stage_failed(g->stage, g->parts, err));
    TRY(fetch_all(c, c->p_new, c->w_new, c->m_new, c->v_new, err));
    for (size_t i = 0; i < c->n; i++) {
        double slope = c->gradient[i],
               want_m = abdb_gpt_beta1 * c->m[i] + (1 - abdb_gpt_beta1) * slope,
               want_v = abdb_gpt_beta2 * c->v[i] + (1 - abdb_gpt_beta2) * slope * slope,
               want = c->w[i] * (1 - (i < matrices ? rate * abdb_gpt_decay : 0)) -
                      rate * (want_m / by_m) / (sqrt(want_v / by_v) + abdb_gpt_epsilon);
        bool kept = !c->mask || i < tables || i >= matrices || c->mask[i - tables];

        if (!kept) want = 0;
        note(c, fabs(c->m_new[i] - want_m) / (32 * u * (fabs(c->m[i]) + fabs(slope)) + 1e-30));
        note(c, fabs(c->v_new[i] - want_v) / (64 * u * want_v + 1e-30));
        note(c, fabs(c->w_new[i] - want) / (kept ? 8 * u * fabs(c->w[i]) + 256 * u * rate : 1e-30));
        if (c->p_new[i] != abdb_dtype_round(g->s.dtype, c->w_new[i])) note(c, INFINITY);
    }
done:
    return st;
}

/* Is the share of weights at 0 what was asked for, and are they 0? */
static void check_mask(check *c)
{
    const abdb_gpt *g = &c->g;
    size_t tables = abdb_gpt_matrix(&g->s, 0, 0), count = abdb_gpt_matrices(&g->s) - tables,
           zeros = 0;
    double share = g->s.sparsity, spread = sqrt(share * (1 - share) / (double)count);

    if (!c->mask) return;
    for (size_t i = 0; i < count; i++) zeros += c->p[tables + i] == 0;
    note(c, fabs((double)zeros / (double)count - share) / (6 * spread + 1e-30));
}

/* Room for numbers of all parameters, and the mask that was drawn. */
static abdb_status make_room(check *c, abdb_error *err)
{
    double **const all[] = {&c->gradient, &c->p,     &c->w,     &c->m,    &c->v,
                            &c->p_new,    &c->w_new, &c->m_new, &c->v_new};
    enum { ALL = sizeof all / sizeof all[0] };
    const abdb_gpt_shape *s = &c->g.s;
    size_t masked = abdb_gpt_matrices(s) - abdb_gpt_matrix(s, 0, 0);
    abdb_status st = ABDB_OK;

    c->n = abdb_gpt_parameters(s);
    *all[0] = calloc(ALL * c->n, sizeof **all[0]);
    if (!*all[0]) TRY(ABDB_FAIL(err, ABDB_NOMEM, "a check"));
    for (size_t i = 1; i < ALL; i++) *all[i] = *all[0] + i * c->n;
    if (!c->g.mask) goto done;
    c->mask = malloc(masked);
    if (!c->mask) TRY(ABDB_FAIL(err, ABDB_NOMEM, "a check"));
    TRY(abdb_stage_take(c->g.stage, c->mask, c->g.mask, masked, err));
done:
    return st;
}

abdb_status abdb_gpt_check(const abdb_stage *stage, const abdb_gpt_shape *of, double *error,
                           abdb_error *err)
{
    check *c = calloc(1, sizeof *c);
    abdb_gpt_shape s = *of;
    double bound, unused, want;
    abdb_status st = ABDB_OK;

    if (!c) return ABDB_FAIL(err, ABDB_NOMEM, "a check");
    s.layers = LAYERS;
    s.d = WIDTH;
    s.heads = HEADS;
    s.vocabulary = VOCABULARY;
    s.sequence = SEQUENCE;
    s.micro = MICRO;
    s.accumulation = TIMES;
    s.ranks = 1;
    bounds_of(s.dtype, &bound, &unused);
    TRY(abdb_tokens_open(&c->source, NULL, VOCABULARY, 5, err));
    TRY(abdb_gpt_open(&c->g, stage, &s, 3, deviation, true, err));
    TRY(make_room(c, err));
    for (int step = 0; step < STEPS; step++) {
        TRY(learn(c, err));
        want = abdb_gpt_loss(&c->g.s, c->p, MICRO * TIMES, c->token, c->target);
        note(c, fabs(c->loss - want) / (bound * want));
        if (step == 0) TRY(check_gradients(c, err));
        check_mask(c);
        abdb_gpt_update(&c->g, rate);
        TRY(check_update(c, err));
    }
    *error = c->error;
done:
    abdb_gpt_close(&c->g);
    free(c->gradient);
    free(c->mask);
    free(c);
    return st;
}
