/* dlrm_check.c - results of a recommendation model against plain loops in double; see
 * dlrm_check.h. Beside each number goes what rounding may have made of it: the deviation of errors
 * that are independent (Higham and Mary 2019), u times the root of the squares of what was added
 * up, carried from layer to layer. A result may be wrong by eight of these. */
#include "kernels/workloads/dlrm_check.h"

#include <math.h>
#include <stdlib.h>

#include "kernels/workloads/device_memory.h"

enum { ROWS = 997, BATCH = 64, SAMPLES = 8, DEVIATIONS = 8 };

/* Numbers, and the squares of their errors' deviations. */
typedef struct {
    double *value, *square;
} values_with_error;

typedef struct {
    const abdb_dlrm *d;
    double sums, format; /* squares of unit roundoffs: of sums, of what is kept */
    values_with_error x0, x, y, z;
    /* Copies of what the device has: of all before the features; numbers and indices of one
     * sample. */
    char *layers, *some;
    int32_t *index;
} reference_model;

static double get_element_as_f64(const reference_model *w, const char *at, size_t i)
{
    abdb_tensor t = {.dtype = w->d->s.dtype, .data = (void *)(uintptr_t)at};

    return abdb_tensor_get_f64(&t, i);
}

/* Of what layers have: weights, biases, shifts. */
static double downloaded_layer_parameter_f64(const reference_model *w, const char *at, size_t i)
{
    return get_element_as_f64(w, w->layers + (at - w->d->bottom[0].w), i);
}

/* n numbers from element `first` of the device's on: to w->some. */
static abdb_status download_elements_to_scratch(const reference_model *w, const char *from,
                                                size_t first, size_t n, abdb_error *err)
{
    size_t size = w->d->size;

    return abdb_device_download(w->d->stage, w->some, from + first * size, n * size, err);
}

/* value is kept in the format; square: what it may be wrong by before. */
static void set_value_and_add_rounding_error(const reference_model *w, values_with_error to,
                                             size_t i, double value, double square)
{
    to.value[i] = value;
    to.square[i] = square + w->format * value * value;
}

/* to = x weights + bias, or what is positive of it */
static void reference_affine_layer_with_error(const reference_model *w, const abdb_dlrm_layer *l,
                                              values_with_error x, bool positive,
                                              values_with_error to)
{
    for (size_t j = 0; j < l->out; j++) {
        double sum = l->bias ? downloaded_layer_parameter_f64(w, l->bias, j) : 0, terms = sum * sum,
               square = 0;

        for (size_t i = 0; i < l->in; i++) {
            double by = downloaded_layer_parameter_f64(w, l->w, i * l->out + j),
                   term = x.value[i] * by;

            sum += term;
            terms += term * term;
            square += by * by * x.square[i];
        }
        square += w->sums * (double)(l->in + 1) * terms;
        set_value_and_add_rounding_error(w, to, j, positive ? fmax(sum, 0) : sum, square);
    }
}

/* An MLP; a ReLU behind its last layer too? */
static void reference_mlp_with_error(const reference_model *w, const abdb_dlrm_layer *of,
                                     size_t layers, bool relu_after_last, values_with_error x,
                                     values_with_error to)
{
    values_with_error between[2] = {w->y, w->z};

    for (size_t i = 0; i < layers; i++) {
        values_with_error out = i + 1 < layers ? between[i % 2] : to;

        reference_affine_layer_with_error(w, &of[i], x, i + 1 < layers || relu_after_last, out);
        x = out;
    }
}

/* Sums of a bag: row by row, as they lie in the device's memory. */
static abdb_status reference_embedding_bag_with_error(const reference_model *w, size_t sample,
                                                      size_t table, abdb_error *err)
{
    const abdb_dlrm_shape *s = &w->d->s;
    const int32_t *index = w->d->index + (table * s->batch + sample) * s->lookups;
    const char *from = w->d->tables[table / w->d->each];
    size_t first = table % w->d->each * s->rows;
    values_with_error to = {w->x0.value + (table + 1) * s->width,
                            w->x0.square + (table + 1) * s->width};
    abdb_status st = ABDB_OK;

    TRY(abdb_device_download(w->d->stage, w->index, index, s->lookups * sizeof *index, err));
    for (size_t j = 0; j < s->width; j++) to.value[j] = to.square[j] = 0;
    for (size_t l = 0; l < s->lookups; l++) {
        TRY(download_elements_to_scratch(w, from, (first + (size_t)w->index[l]) * s->width,
                                         s->width, err));
        for (size_t j = 0; j < s->width; j++) {
            double term = get_element_as_f64(w, w->some, j);

            to.value[j] += term;
            to.square[j] += term * term;
        }
    }
    for (size_t j = 0; j < s->width; j++)
        set_value_and_add_rounding_error(w, to, j, to.value[j],
                                         w->sums * (double)s->lookups * to.square[j]);
done:
    return st;
}

/* x = x0 * (V x W + shift) + x, element by element in double, with the squares of the errors
 * that rounding may have brought. */
static void reference_cross_layer_with_error(const reference_model *w, size_t layer)
{
    reference_affine_layer_with_error(w, &w->d->down[layer], w->x, false, w->y);
    reference_affine_layer_with_error(w, &w->d->up[layer], w->y, false, w->z);
    for (size_t j = 0; j < w->d->s.joined; j++) {
        double by = w->x0.value[j],
               inner = w->z.value[j] + downloaded_layer_parameter_f64(w, w->d->shift[layer], j),
               product = by * inner, sum = product + w->x.value[j],
               square = w->z.square[j] * by * by + w->x0.square[j] * inner * inner +
                        w->x.square[j] + 2 * w->sums * (product * product + sum * sum);

        set_value_and_add_rounding_error(w, w->x, j, sum, square);
    }
}

/* How wrong the result of a sample is, over its bound; *error becomes it where it is larger. */
static abdb_status verify_sample_and_update_worst_error(const reference_model *w, size_t sample,
                                                        double *error, abdb_error *err)
{
    const abdb_dlrm_shape *s = &w->d->s;
    values_with_error out = w->z;
    double wrong;
    abdb_status st = ABDB_OK;

    TRY(download_elements_to_scratch(w, w->d->dense, sample * s->dense, s->dense, err));
    for (size_t i = 0; i < s->dense; i++) {
        w->x.value[i] = get_element_as_f64(w, w->some, i);
        w->x.square[i] = 0;
    }
    reference_mlp_with_error(w, w->d->bottom, s->bottoms, true, w->x, w->x0);
    for (size_t t = 0; t < s->tables; t++)
        TRY(reference_embedding_bag_with_error(w, sample, t, err));
    for (size_t j = 0; j < s->joined; j++) {
        w->x.value[j] = w->x0.value[j];
        w->x.square[j] = w->x0.square[j];
    }
    for (size_t i = 0; i < s->crosses; i++) reference_cross_layer_with_error(w, i);
    reference_mlp_with_error(w, w->d->top, s->tops, false, w->x, out);
    TRY(download_elements_to_scratch(w, w->d->out, sample, 1, err));
    wrong = fabs(get_element_as_f64(w, w->some, 0) - out.value[0]) /
            (DEVIATIONS * sqrt(out.square[0]) + 1e-300);
    *error = fmax(*error, isnan(wrong) ? INFINITY : wrong);
done:
    return st;
}

/* The widest row of numbers of any layer. */
static size_t widest_row_of_all_layers(const abdb_dlrm_shape *s)
{
    size_t most = s->joined > s->rank ? s->joined : s->rank;

    for (size_t i = 0; i < s->bottoms; i++) most = s->bottom[i] > most ? s->bottom[i] : most;
    for (size_t i = 0; i < s->tops; i++) most = s->top[i] > most ? s->top[i] : most;
    return s->dense > most ? s->dense : most;
}

abdb_status abdb_dlrm_verify_spread_samples_of_batch(const abdb_dlrm *d, size_t samples,
                                                     double *error, abdb_error *err)
{
    const abdb_dlrm_shape *s = &d->s;
    size_t most = widest_row_of_all_layers(s), layers = (size_t)(d->dense - d->bottom[0].w);
    double u = abdb_dtype_unit_roundoff(abdb_wide_dtype_f64_or_f32(s->dtype)),
           v = abdb_dtype_unit_roundoff(s->dtype), *room = calloc(8 * most, sizeof *room);
    reference_model w = {.d = d,
                         .sums = u * u,
                         .format = v * v,
                         .layers = malloc(layers),
                         .some = malloc(most * d->size),
                         .index = malloc(s->lookups * sizeof *w.index)};
    abdb_status st = ABDB_OK;

    if (!room || !w.layers || !w.some || !w.index) TRY(ABDB_FAIL(err, ABDB_NOMEM, "a check"));
    w.x0 = (values_with_error){room, room + most};
    w.x = (values_with_error){room + 2 * most, room + 3 * most};
    w.y = (values_with_error){room + 4 * most, room + 5 * most};
    w.z = (values_with_error){room + 6 * most, room + 7 * most};
    TRY(abdb_device_download(d->stage, w.layers, d->bottom[0].w, layers, err));
    samples = samples < s->batch ? samples : s->batch;
    *error = 0;
    for (size_t i = 0; i < samples; i++) /* the first, the last and some between */
        TRY(verify_sample_and_update_worst_error(
            &w, samples > 1 ? i * (s->batch - 1) / (samples - 1) : 0, error, err));
done:
    free(room);
    free(w.layers);
    free(w.some);
    free(w.index);
    return st;
}

abdb_status abdb_dlrm_verify_small_model(const abdb_run_context *stage, const abdb_dlrm_shape *of,
                                         double *error, const char **at, abdb_error *err)
{
    abdb_dlrm_shape s = *of;
    abdb_dlrm d = {0};
    abdb_status st = ABDB_OK;

    *at = s.rows > ROWS     ? s.batch > BATCH ? "rows=997 batch=64" : "rows=997"
          : s.batch > BATCH ? "batch=64"
                            : NULL;
    s.rows = s.rows < ROWS ? s.rows : ROWS;
    s.batch = s.batch < BATCH ? s.batch : BATCH;
    TRY(abdb_dlrm_alloc_and_init(&d, stage, &s, 3, err));
    TRY(abdb_dlrm_draw_features_and_indices(&d, 5, err));
    abdb_dlrm_run_inference(&d);
    TRY(abdb_parts_get_deferred_error(stage, d.parts, err));
    TRY(abdb_dlrm_verify_spread_samples_of_batch(&d, SAMPLES, error, err));
done:
    abdb_dlrm_free(&d);
    return st;
}
