/* dlrm_check.c - results of a recommendation model against plain loops in double; see
 * dlrm_check.h. Beside each number goes what rounding may have made of it: the deviation of errors
 * that are independent (Higham and Mary 2019), u times the root of the squares of what was added
 * up, carried from layer to layer. A result may be wrong by eight of these. */
#include "kernels/workloads/dlrm_check.h"

#include <math.h>
#include <stdlib.h>

enum { ROWS = 997, BATCH = 64, SAMPLES = 8, DEVIATIONS = 8 };

/* Numbers, and the squares of their errors' deviations. */
typedef struct {
    double *value, *square;
} numbers;

typedef struct {
    const abdb_dlrm *d;
    double sums, format; /* squares of unit roundoffs: of sums, of what is kept */
    numbers x0, x, y, z;
} walk;

static double get(const walk *w, const char *at, size_t i)
{
    abdb_tensor t = {.dtype = w->d->s.dtype, .data = (void *)(uintptr_t)at};

    return abdb_tensor_get(&t, i);
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
        double sum = l->bias ? get(w, l->bias, j) : 0, terms = sum * sum, square = 0;

        for (size_t i = 0; i < l->in; i++) {
            double by = get(w, l->w, i * l->out + j), term = x.value[i] * by;

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

static void look_up(const walk *w, size_t sample, size_t table)
{
    const abdb_dlrm_shape *s = &w->d->s;
    const int32_t *index = w->d->index + (table * s->batch + sample) * s->lookups;

    for (size_t j = 0; j < s->width; j++) {
        double sum = 0, terms = 0;

        for (size_t l = 0; l < s->lookups; l++) {
            double term = get(w, w->d->tables, (table * s->rows + (size_t)index[l]) * s->width + j);

            sum += term;
            terms += term * term;
        }
        keep(w, w->x0, (table + 1) * s->width + j, sum, w->sums * (double)s->lookups * terms);
    }
}

static void cross(const walk *w, size_t layer)
{
    affine(w, &w->d->down[layer], w->x, false, w->y);
    affine(w, &w->d->up[layer], w->y, false, w->z);
    for (size_t j = 0; j < w->d->s.joined; j++) {
        double by = w->x0.value[j], inner = w->z.value[j] + get(w, w->d->shift[layer], j),
               product = by * inner, sum = product + w->x.value[j],
               square = w->z.square[j] * by * by + w->x0.square[j] * inner * inner +
                        w->x.square[j] + 2 * w->sums * (product * product + sum * sum);

        keep(w, w->x, j, sum, square);
    }
}

/* How wrong the result of a sample is, over its bound. */
static double error_of(const walk *w, size_t sample)
{
    const abdb_dlrm_shape *s = &w->d->s;
    numbers out = w->z;
    double got = get(w, w->d->out, sample), wrong;

    for (size_t i = 0; i < s->dense; i++) {
        w->x.value[i] = get(w, w->d->dense, sample * s->dense + i);
        w->x.square[i] = 0;
    }
    perceive(w, w->d->bottom, s->bottoms, true, w->x, w->x0);
    for (size_t t = 0; t < s->tables; t++) look_up(w, sample, t);
    for (size_t j = 0; j < s->joined; j++) {
        w->x.value[j] = w->x0.value[j];
        w->x.square[j] = w->x0.square[j];
    }
    for (size_t i = 0; i < s->crosses; i++) cross(w, i);
    perceive(w, w->d->top, s->tops, false, w->x, out);
    wrong = fabs(got - out.value[0]) / (DEVIATIONS * sqrt(out.square[0]) + 1e-300);
    return isnan(wrong) ? INFINITY : wrong;
}

abdb_status abdb_dlrm_compare(const abdb_dlrm *d, size_t samples, double *error, abdb_error *err)
{
    const abdb_dlrm_shape *s = &d->s;
    size_t most = s->joined > s->rank ? s->joined : s->rank;
    walk w = {.d = d};
    double *room, u;

    for (size_t i = 0; i < s->bottoms; i++) most = s->bottom[i] > most ? s->bottom[i] : most;
    for (size_t i = 0; i < s->tops; i++) most = s->top[i] > most ? s->top[i] : most;
    most = s->dense > most ? s->dense : most;
    room = calloc(8 * most, sizeof *room);
    if (!room) return ABDB_FAIL(err, ABDB_NOMEM, "a check");
    w.x0 = (numbers){room, room + most};
    w.x = (numbers){room + 2 * most, room + 3 * most};
    w.y = (numbers){room + 4 * most, room + 5 * most};
    w.z = (numbers){room + 6 * most, room + 7 * most};
    u = abdb_dtype_unit_roundoff(abdb_parts_wide(s->dtype));
    w.sums = u * u;
    u = abdb_dtype_unit_roundoff(s->dtype);
    w.format = u * u;
    samples = samples < s->batch ? samples : s->batch;
    *error = 0;
    for (size_t i = 0; i < samples; i++) { /* the first, the last and some between */
        size_t sample = samples > 1 ? i * (s->batch - 1) / (samples - 1) : 0;

        *error = fmax(*error, error_of(&w, sample));
    }
    free(room);
    return ABDB_OK;
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
    abdb_dlrm_draw(&d, 5);
    abdb_dlrm_infer(&d);
    TRY(abdb_dlrm_compare(&d, SAMPLES, error, err));
done:
    abdb_dlrm_close(&d);
    return st;
}
