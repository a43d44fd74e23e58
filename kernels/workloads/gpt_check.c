/* gpt_check.c - a small network's loss, gradients and updates against plain loops in double; see
 * gpt_check.h. */
#include "kernels/workloads/gpt_check.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/workloads/gpt_reference.h"
#include "kernels/workloads/device_memory.h"
#include "kernels/workloads/token_source.h"

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
static void loss_and_gradient_bounds_of_dtype(abdb_dtype dtype, double *loss, double *gradient)
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
} gpt_verification;

/* A worse error is kept; NaN is the worst. */
static void update_worst_error(gpt_verification *c, double error)
{
    if (!(error <= c->error)) c->error = isnan(error) ? INFINITY : error;
}

/* So many numbers of the device in double. */
static abdb_status download_scaled_as_f64(const gpt_verification *c, double *out, size_t n,
                                          abdb_dtype dtype, const void *data, double scale,
                                          abdb_error *err)
{
    abdb_tensor t = {.dtype = dtype, .data = malloc(n * abdb_dtype_size(dtype))};
    abdb_status st = ABDB_OK;

    if (!t.data) return ABDB_FAIL(err, ABDB_NOMEM, "a check");
    TRY(abdb_device_download(c->g.stage, t.data, data, n * abdb_dtype_size(dtype), err));
    for (size_t i = 0; i < n; i++) out[i] = abdb_tensor_get_f64(&t, i) * scale;
done:
    free(t.data);
    return st;
}

/* Brings parameters, master weights and both moments to the host in double, c->n numbers each. */
static abdb_status download_weights_and_moments(const gpt_verification *c, double *p, double *w,
                                                double *m, double *v, abdb_error *err)
{
    const abdb_gpt *g = &c->g;
    abdb_dtype wide = abdb_wide_dtype_f64_or_f32(g->s.dtype);
    abdb_status st = ABDB_OK;

    TRY(download_scaled_as_f64(c, p, c->n, g->s.dtype, g->p, 1, err));
    TRY(download_scaled_as_f64(c, w, c->n, wide, g->w, 1, err));
    TRY(download_scaled_as_f64(c, m, c->n, wide, g->m, 1, err));
    TRY(download_scaled_as_f64(c, v, c->n, wide, g->v, 1, err));
done:
    return st;
}

/* One step up to its update. */
static abdb_status run_micro_batches_and_download_gradients(gpt_verification *c, abdb_error *err)
{
    abdb_gpt *g = &c->g;
    abdb_dtype dtype;
    const void *gradient;
    double scale, loss;
    abdb_status st = ABDB_OK;

    TRY(abdb_gpt_clear_gradient_sums(g, err));
    c->loss = 0;
    for (size_t i = 0; i < TIMES; i++) {
        int32_t *token = c->token + i * ROWS, *target = c->target + i * ROWS;

        for (size_t b = 0; b < MICRO; b++)
            abdb_tokens_draw_sequence_and_targets(&c->source, SEQUENCE, token + b * SEQUENCE,
                                                  target + b * SEQUENCE);
        TRY(abdb_gpt_forward_backward_and_allreduce(g, token, target, &loss, err));
        c->loss += loss / (TIMES * ROWS);
    }
    gradient = abdb_gpt_get_gradient_with_dtype_and_scale(g, &dtype, &scale);
    TRY(download_scaled_as_f64(c, c->gradient, c->n, dtype, gradient, scale, err));
    TRY(download_weights_and_moments(c, c->p, c->w, c->m, c->v, err));
done:
    return st;
}

/* --- gradients -------------------------------------------------------------------------------- */

typedef struct {
    size_t first, count;
} parameter_tensor;

/* Tensors of parameters, one after another, each from its first to the next one's. */
static size_t list_parameter_tensors(const abdb_gpt_shape *s, parameter_tensor *out)
{
    size_t first[PIECES + 1], count = 0, kept = 0;
    bool has[PIECES];

    first[count] = 0;
    has[count++] = true;
    first[count] = abdb_gpt_positions_offset(s);
    has[count++] = true;
    for (size_t i = 0; i < LAYERS; i++)
        for (int k = 0; k < ABDB_GPT_MATRICES; k++) {
            first[count] = abdb_gpt_matrix_offset(s, i, k);
            has[count++] = true;
        }
    for (size_t i = 0; i < LAYERS; i++)
        for (int k = 0; k < ABDB_GPT_VECTORS; k++) {
            first[count] = abdb_gpt_vector_offset(s, i, k);
            has[count++] = s->bias || !abdb_gpt_vector_is_bias(k);
        }
    first[count] = abdb_gpt_last_norm_gain_offset(s);
    has[count++] = true;
    first[count] = abdb_gpt_last_norm_gain_offset(s) + s->d;
    has[count++] = s->bias;
    first[count] = abdb_gpt_parameter_count(s);
    for (size_t i = 0; i < count; i++)
        if (has[i]) out[kept++] = (parameter_tensor){first[i], first[i + 1] - first[i]};
    return kept;
}

/* The loss a step along a direction, by plain loops. */
static double reference_loss_moved_along_direction(const gpt_verification *c,
                                                   const parameter_tensor *along,
                                                   const double *direction, double step,
                                                   double *room)
{
    memcpy(room, c->p, c->n * sizeof *room);
    for (size_t i = 0; i < along->count; i++) room[along->first + i] += step * direction[i];
    return abdb_gpt_reference_mean_loss(&c->g.s, room, MICRO * TIMES, c->token, c->target);
}

/* How wrong the gradient of a tensor is, over its bound: along itself (which 0), or along a random
 * direction, in which errors as large as the gradient show as its length / sqrt(count). */
static double gradient_error_along_direction(const gpt_verification *c,
                                             const parameter_tensor *tensor,
                                             size_t direction_number, double bound, double *room)
{
    const double *g = c->gradient + tensor->first;
    double length = 0, ours = 0, unit = 1 / sqrt((double)tensor->count), *direction = room + c->n,
           theirs;

    for (size_t i = 0; i < tensor->count; i++) length += g[i] * g[i];
    length = sqrt(length);
    if (!(length > 0)) return INFINITY; /* every tensor has one */
    for (size_t i = 0; i < tensor->count; i++) {
        bool up = abdb_random_bits_at(direction_number, tensor->first + i) & 1;

        direction[i] = direction_number == 0 ? g[i] / length : up ? unit : -unit;
        ours += g[i] * direction[i];
    }
    theirs = (reference_loss_moved_along_direction(c, tensor, direction, apart, room) -
              reference_loss_moved_along_direction(c, tensor, direction, -apart, room)) /
             (2 * apart);
    return fabs(ours - theirs) / (bound * length * (direction_number == 0 ? 1 : 4 * unit));
}

/* Compares the gradient of every tensor of parameters, along itself and along random directions,
 * with differences of the reference's loss; keeps the worst error in units of its bound. */
static abdb_status verify_gradients_by_finite_differences(gpt_verification *c, abdb_error *err)
{
    parameter_tensor tensor[PIECES];
    size_t count = list_parameter_tensors(&c->g.s, tensor);
    double bound, unused, worst = 0;
    bool failed = false;

    loss_and_gradient_bounds_of_dtype(c->g.s.dtype, &unused, &bound);
#pragma omp parallel for schedule(dynamic, 1) reduction(max : worst) reduction(|| : failed)
    for (size_t i = 0; i < count * DIRECTIONS; i++) {
        double *room = calloc(2 * c->n, sizeof *room), error = INFINITY;

        if (room)
            error = gradient_error_along_direction(c, &tensor[i / DIRECTIONS], i % DIRECTIONS,
                                                   bound, room);
        else
            failed = true;
        free(room);
        worst = error <= worst ? worst : isnan(error) ? INFINITY : error;
    }
    update_worst_error(c, worst);
    return failed ? ABDB_FAIL(err, ABDB_NOMEM, "a check of gradients") : ABDB_OK;
}

/* --- updates ---------------------------------------------------------------------------------- */

/* Weights, moments and what is kept of them in the format, by AdamW's formulas. */
static abdb_status verify_adamw_update(gpt_verification *c, abdb_error *err)
{
    const abdb_gpt *g = &c->g;
    double u = abdb_dtype_unit_roundoff(abdb_wide_dtype_f64_or_f32(g->s.dtype)),
           by_m = 1 - pow(abdb_gpt_beta1, g->step), by_v = 1 - pow(abdb_gpt_beta2, g->step);
    size_t tables = abdb_gpt_matrix_offset(&g->s, 0, 0),
           matrices = abdb_gpt_element_count_before_vectors(&g->s);
    abdb_status st = ABDB_OK;

    TRY(abdb_parts_get_deferred_error(g->stage, g->parts, err));
    TRY(download_weights_and_moments(c, c->p_new, c->w_new, c->m_new, c->v_new, err));
    for (size_t i = 0; i < c->n; i++) {
        double gradient = c->gradient[i],
               want_m = abdb_gpt_beta1 * c->m[i] + (1 - abdb_gpt_beta1) * gradient,
               want_v = abdb_gpt_beta2 * c->v[i] + (1 - abdb_gpt_beta2) * gradient * gradient,
               want = c->w[i] * (1 - (i < matrices ? rate * abdb_gpt_decay : 0)) -
                      rate * (want_m / by_m) / (sqrt(want_v / by_v) + abdb_gpt_epsilon);
        bool kept = !c->mask || i < tables || i >= matrices || c->mask[i - tables];

        if (!kept) want = 0;
        update_worst_error(c, fabs(c->m_new[i] - want_m) /
                                  (32 * u * (fabs(c->m[i]) + fabs(gradient)) + 1e-30));
        update_worst_error(c, fabs(c->v_new[i] - want_v) / (64 * u * want_v + 1e-30));
        update_worst_error(c, fabs(c->w_new[i] - want) /
                                  (kept ? 8 * u * fabs(c->w[i]) + 256 * u * rate : 1e-30));
        if (c->p_new[i] != abdb_dtype_round_value(g->s.dtype, c->w_new[i]))
            update_worst_error(c, INFINITY);
    }
done:
    return st;
}

/* Is the share of weights at 0 what was asked for, and are they 0? */
static void verify_share_of_zero_weights(gpt_verification *c)
{
    const abdb_gpt *g = &c->g;
    size_t tables = abdb_gpt_matrix_offset(&g->s, 0, 0),
           count = abdb_gpt_element_count_before_vectors(&g->s) - tables, zeros = 0;
    double share = g->s.sparsity, spread = sqrt(share * (1 - share) / (double)count);

    if (!c->mask) return;
    for (size_t i = 0; i < count; i++) zeros += c->p[tables + i] == 0;
    update_worst_error(c, fabs((double)zeros / (double)count - share) / (6 * spread + 1e-30));
}

/* Room for numbers of all parameters, and the mask that was drawn. */
static abdb_status alloc_buffers_and_download_mask(gpt_verification *c, abdb_error *err)
{
    double **const all[] = {&c->gradient, &c->p,     &c->w,     &c->m,    &c->v,
                            &c->p_new,    &c->w_new, &c->m_new, &c->v_new};
    enum { ALL = sizeof all / sizeof all[0] };
    const abdb_gpt_shape *s = &c->g.s;
    size_t masked = abdb_gpt_element_count_before_vectors(s) - abdb_gpt_matrix_offset(s, 0, 0);
    abdb_status st = ABDB_OK;

    c->n = abdb_gpt_parameter_count(s);
    *all[0] = calloc(ALL * c->n, sizeof **all[0]);
    if (!*all[0]) TRY(ABDB_FAIL(err, ABDB_NOMEM, "a check"));
    for (size_t i = 1; i < ALL; i++) *all[i] = *all[0] + i * c->n;
    if (!c->g.mask) goto done;
    c->mask = malloc(masked);
    if (!c->mask) TRY(ABDB_FAIL(err, ABDB_NOMEM, "a check"));
    TRY(abdb_device_download(c->g.stage, c->mask, c->g.mask, masked, err));
done:
    return st;
}

abdb_status abdb_gpt_verify_small_model(const abdb_run_context *stage, const abdb_gpt_shape *of,
                                        double *error, abdb_error *err)
{
    gpt_verification *c = calloc(1, sizeof *c);
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
    loss_and_gradient_bounds_of_dtype(s.dtype, &bound, &unused);
    TRY(abdb_tokens_read_file_or_use_markov_chain(&c->source, NULL, VOCABULARY, 5, err));
    TRY(abdb_gpt_alloc_and_init(&c->g, stage, &s, 3, deviation, true, err));
    TRY(alloc_buffers_and_download_mask(c, err));
    for (int step = 0; step < STEPS; step++) {
        TRY(run_micro_batches_and_download_gradients(c, err));
        want = abdb_gpt_reference_mean_loss(&c->g.s, c->p, MICRO * TIMES, c->token, c->target);
        update_worst_error(c, fabs(c->loss - want) / (bound * want));
        if (step == 0) TRY(verify_gradients_by_finite_differences(c, err));
        verify_share_of_zero_weights(c);
        abdb_gpt_adamw_update(&c->g, rate);
        TRY(verify_adamw_update(c, err));
    }
    *error = c->error;
done:
    abdb_gpt_free(&c->g);
    free(c->gradient);
    free(c->mask);
    free(c);
    return st;
}
