/* dlrm_check.c - results of a recommendation model against plain loops in double; see
 * dlrm_check.h. Beside each number goes what rounding may have made of it: the deviation of errors
 * that are independent (Higham and Mary 2019), u times the root of the squares of what was added
 * up, carried from layer to layer. A result may be wrong by eight of these. */
#include "kernels/workloads/dlrm_check.h"

#include <math.h>
#include <stdlib.h>

#include "kernels/workloads/memory.h"

enum { ROWS = 997, BATCH = 64, SAMPLES = 8, DEVIATIONS = 8 };

/* Numbers, and the squares of their errors' deviations. */
typedef struct {
    double *value, *square;
} numbers;

typedef struct {
    const abdb_dlrm *d;
    double sums, format; /* squares of unit roundoffs: of sums, of what is kept */
    numbers x0, x, y, z;
    /* Copies of what the device has: of all before the features; numbers and indices of one
     * sample. */
    char *layers, *some;
    int32_t *index;
} walk;

static double get(const walk *w, const char *at, size_t i)
{
    abdb_tensor t = {.dtype = w->d->s.dtype, .data = (void *)(uintptr_t)at};

    return abdb_tensor_get(&t, i);
}

/* Of what layers have: weights, biases, shifts. */
static double weight(const walk *w, const char *at, size_t i)
{
    return get(w, w->layers + (at - w->d->bottom[0].w), i);
}

/* n numbers from element `first` of the device's on: to w->some. */
static abdb_status take_some(const walk *w, const char *from, size_t first, size_t n,
                             abdb_error *err)
{
    size_t size = w->d->size;

    return abdb_stage_take(w->d->stage, w->some, from + first * size, n * size, err);
}

/* value is kept in the format; square: what it may be wrong by before. */
static void keep(const walk *w, numbers to, size_t i, double value, double square)
{
    to.value[i] = value;
    to.square[i] = square + w->format * value * value;
}

/* to = x weights + bias, or what is positive of it */
static void affine(const walk *w, const abdb_dlrm_layer *l, numbers x, bool positive, numbers to)
{
    for (size_t j = 0; j < l->out; j++) {
        double sum = l->bias ? weight(w, l->bias, j) : 0, terms = sum * sum, square = 0;

        for (size_t i = 0; i < l->in; i++) {
            double by = weight(w, l->w, i * l->out + j), term = x.value[i] * by;

            sum += term;
            terms += term * term;
            square += by * by * x.square[i];
        }
        square += w->sums * (double)(l->in + 1) * terms;
        keep(w, to, j, positive ? fmax(sum, 0) : sum, square);
    }
}

/* An MLP; a ReLU behind its last layer too? */
static void perceive(const walk *w, const abdb_dlrm_layer *of, size_t layers, bool last, numbers x,
                     numbers to)
{
    numbers between[2] = {w->y, w->z};

    for (size_t i = 0; i < layers; i++) {
        numbers out = i + 1 < layers ? between[i % 2] : to;

        affine(w, &of[i], x, i + 1 < layers || last, out);
        x = out;
    }
}

/* Sums of a bag: row by row, as they lie in the device's memory. */
static abdb_status look_up(const walk *w, size_t sample, size_t table, abdb_error *err)
{
    const abdb_dlrm_shape *s = &w->d->s;
    const int32_t *index = w->d->index + (table * s->batch + sample) * s->lookups;
    const char *from = w->d->tables[table / w->d->each];
    size_t first = table % w->d->each * s->rows;
    numbers to = {w->x0.value + (table + 1) * s->width, w->x0.square + (table + 1) * s->width};
    abdb_status st = ABDB_OK;

    TRY(abdb_stage_take(w->d->stage, w->index, index, s->lookups * sizeof *index, err));
    for (size_t j = 0; j < s->width; j++) to.value[j] = to.square[j] = 0;
    for (size_t l = 0; l < s->lookups; l++) {
        TRY(take_some(w, from, (first + (size_t)w->index[l]) * s->width, s->width, err));
        for (size_t j = 0; j < s->width; j++) {
            double term = get(w, w->some, j);

            to.value[j] += term;
            to.square[j] += term * term;
        }
    }
    for (size_t j = 0; j < s->width; j++)
        keep(w, to, j, to.value[j], w->sums * (double)s->lookups * to.square[j]);
done:
    return st;
}

static void cross(const walk *w, size_t layer)
{
    affine(w, &w->d->down[layer], w->x, false, w->y);
    affine(w, &w->d->up[layer], w->y, false, w->z);
    for (size_t j = 0; j < w->d->s.joined; j++) {
        double by = w->x0.value[j], inner = w->z.value[j] + weight(w, w->d->shift[layer], j),
               product = by * inner, sum = product + w->x.value[j],
               square = w->z.square[j] * by * by + w->x0.square[j] * inner * inner +
                        w->x.square[j] + 2 * w->sums * (product * product + sum * sum);

        keep(w, w->x, j, sum, square);
    }
}

/* How wrong the result of a sample is, over its bound; *error becomes it where it is larger. */
static abdb_status error_of(const walk *w, size_t sample, double *error, abdb_error *err)
{
    const abdb_dlrm_shape *s = &w->d->s;
    numbers out = w->z;
    double wrong;
    abdb_status st = ABDB_OK;

    TRY(take_some(w, w->d->dense, sample * s->dense, s->dense, err));
    for (size_t i = 0; i < s->dense; i++) {
        w->x.value[i] = get(w, w->some, i);
        w->x.square[i] = 0;
    }
    perceive(w, w->d->bottom, s->bottoms, true, w->x, w->x0);
    for (size_t t = 0; t < s->tables; t++) TRY(look_up(w, sample, t, err));
    for (size_t j = 0; j < s->joined; j++) {
        w->x.value[j] = w->x0.value[j];
        w->x.square[j] = w->x0.square[j];
    }
    for (size_t i = 0; i < s->crosses; i++) cross(w, i);
    perceive(w, w->d->top, s->tops, false, w->x, out);
    TRY(take_some(w, w->d->out, sample, 1, err));
    wrong = fabs(get(w, w->some, 0) - out.value[0]) / (DEVIATIONS * sqrt(out.square[0]) + 1e-300);
    *error = fmax(*error, isnan(wrong) ? INFINITY : wrong);
done:
    return st;
}

/* The widest row of numbers of any layer. */
static size_t widest(const abdb_dlrm_shape *s)
{
    size_t most = s->joined > s->rank ? s->joined : s->rank;

    for (size_t i = 0; i < s->bottoms; i++) most = s->bottom[i] > most ? s->bottom[i] : most;
    for (size_t i = 0; i < s->tops; i++) most = s->top[i] > most ? s->top[i] : most;
    return s->dense > most ? s->dense : most;
}

abdb_status abdb_dlrm_compare(const abdb_dlrm *d, size_t samples, double *error, abdb_error *err)
{
    const abdb_dlrm_shape *s = &d->s;
    size_t most = widest(s), layers = (size_t)(d->dense - d->bottom[0].w);
    double u = abdb_dtype_unit_roundoff(abdb_parts_wide(s->dtype)),
           v = abdb_dtype_unit_roundoff(s->dtype), *room = calloc(8 * most, sizeof *room);
    walk w = {.d = d,
              .sums = u * u,
              .format = v * v,
              .layers = malloc(layers),
              .some = malloc(most * d->size),
              .index = malloc(s->lookups * sizeof *w.index)};
    abdb_status st = ABDB_OK;

    if (!room || !w.layers || !w.some || !w.index) TRY(ABDB_FAIL(err, ABDB_NOMEM, "a check"));
    w.x0 = (numbers){room, room + most};
    w.x = (numbers){room + 2 * most, room + 3 * most};
    w.y = (numbers){room + 4 * most, room + 5 * most};
    w.z = (numbers){room + 6 * most, room + 7 * most};
    TRY(abdb_stage_take(d->stage, w.layers, d->bottom[0].w, layers, err));
    samples = samples < s->batch ? samples : s->batch;
    *error = 0;
    for (size_t i = 0; i < samples; i++) /* the first, the last and some between */
        TRY(error_of(&w, samples > 1 ? i * (s->batch - 1) / (samples - 1) : 0, error, err));
done:
    free(room);
    free(w.layers);
    free(w.some);
    free(w.index);
    return st;
}

abdb_status abdb_dlrm_check(const abdb_stage *stage, const abdb_dlrm_shape *of, double *error,
                            const char **at, abdb_error *err)
{
    abdb_dlrm_shape s = *of;
    abdb_dlrm d = {0};
    abdb_status st = ABDB_OK;

    *at = s.rows > ROWS     ? s.batch > BATCH ? "rows=997 batch=64" : "rows=997"
          : s.batch > BATCH ? "batch=64"
                            : NULL;
    s.rows = s.rows < ROWS ? s.rows : ROWS;
    s.batch = s.batch < BATCH ? s.batch : BATCH;
    TRY(abdb_dlrm_open(&d, stage, &s, 3, err));
    TRY(abdb_dlrm_draw(&d, 5, err));
    abdb_dlrm_infer(&d);
    TRY(abdb_stage_failed(stage, d.parts, err));
    TRY(abdb_dlrm_compare(&d, SAMPLES, error, err));
done:
    abdb_dlrm_close(&d);
    return st;
}
