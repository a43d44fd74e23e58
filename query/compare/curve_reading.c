/* curve_reading.c - a throughput at a latency limit; see curve_reading.h. */
#include "query/compare/curve_reading.h"

#include <math.h>
#include <stdlib.h>

#include "schema/core/array.h"

/* --- the front -------------------------------------------------------------------------------- */

typedef struct {
    abdb_curve_point at;
    size_t place;
} placed;

/* By latency; of equal ones the larger rate first, then by place. */
static int compare_latency_then_rate(const void *a, const void *b)
{
    const placed *x = a, *y = b;

    if (x->at.latency != y->at.latency) return x->at.latency < y->at.latency ? -1 : 1;
    if (x->at.rate != y->at.rate) return x->at.rate > y->at.rate ? -1 : 1;
    return (x->place > y->place) - (x->place < y->place);
}

/* The points of the front with their places, by latency; the caller frees them. NULL: no memory. */
static placed *sort_out_front(const abdb_curve_point *point, size_t points, size_t *count)
{
    placed *all = calloc(points + 1, sizeof *all);
    double best = -INFINITY;

    *count = 0;
    if (!all) return NULL;
    for (size_t i = 0; i < points; i++) all[i] = (placed){point[i], i};
    abdb_array_sort(all, points, sizeof *all, compare_latency_then_rate);
    for (size_t i = 0; i < points; i++)
        if (all[i].at.rate > best) {
            best = all[i].at.rate;
            all[(*count)++] = all[i];
        }
    return all;
}

/* --- interpolation ---------------------------------------------------------------------------- */

static double slope_between(const placed *a, const placed *b)
{
    return (b->at.rate - a->at.rate) / (b->at.latency - a->at.latency);
}

/* The slope at an end, from its own interval (h, d) and the next; never so steep that the cubic
 * would turn. */
static double slope_at_end(double h, double d, double next_h, double next_d)
{
    double slope = ((2 * h + next_h) * d - h * next_d) / (h + next_h);

    if (slope * d <= 0) return 0;
    return d * next_d <= 0 && fabs(slope) > 3 * fabs(d) ? 3 * d : slope;
}

/* The slope of the monotone cubic at point i of n: inside, the weighted harmonic mean. */
static double monotone_slope(const placed *p, size_t n, size_t i)
{
    double h0, h1, d0, d1;

    if (n == 2) return slope_between(&p[0], &p[1]);
    if (i == 0)
        return slope_at_end(p[1].at.latency - p[0].at.latency, slope_between(&p[0], &p[1]),
                            p[2].at.latency - p[1].at.latency, slope_between(&p[1], &p[2]));
    if (i == n - 1)
        return slope_at_end(p[i].at.latency - p[i - 1].at.latency, slope_between(&p[i - 1], &p[i]),
                            p[i - 1].at.latency - p[i - 2].at.latency,
                            slope_between(&p[i - 2], &p[i - 1]));
    h0 = p[i].at.latency - p[i - 1].at.latency;
    h1 = p[i + 1].at.latency - p[i].at.latency;
    d0 = slope_between(&p[i - 1], &p[i]);
    d1 = slope_between(&p[i], &p[i + 1]);
    if (d0 * d1 <= 0) return 0;
    return 3 * (h0 + h1) / ((2 * h1 + h0) / d0 + (h1 + 2 * h0) / d1);
}

/* The rate at a latency between points i and i + 1 of the front. */
static double interpolate_rate(const placed *p, size_t n, size_t i, double latency,
                               abdb_curve_method method)
{
    double h = p[i + 1].at.latency - p[i].at.latency, t = (latency - p[i].at.latency) / h,
           u = 1 - t;

    if (method == ABDB_CURVE_LINEAR) return u * p[i].at.rate + t * p[i + 1].at.rate;
    return (1 + 2 * t) * u * u * p[i].at.rate + t * t * (3 - 2 * t) * p[i + 1].at.rate +
           t * u * u * h * monotone_slope(p, n, i) - t * t * u * h * monotone_slope(p, n, i + 1);
}

/* --- reading ---------------------------------------------------------------------------------- */

abdb_status abdb_curve_read_at_limit(const abdb_curve_point *point, size_t points, double limit,
                                     abdb_curve_method method, abdb_curve_answer *out,
                                     abdb_error *err)
{
    size_t n, at = 0;
    placed *p = sort_out_front(point, points, &n);

    if (!p) return ABDB_FAIL(err, ABDB_NOMEM, "a curve");
    *out = (abdb_curve_answer){.standing = ABDB_CURVE_TOO_SHORT,
                               .rate = NAN,
                               .shortest = p[0].at.latency,
                               .longest = p[n - 1].at.latency};
    while (at < n && p[at].at.latency <= limit) at++;
    if (at) {
        out->standing = at == n && limit > out->longest ? ABDB_CURVE_CLAMPED : ABDB_CURVE_WITHIN;
        out->low = out->high = p[at - 1].place;
        out->rate = p[at - 1].at.rate;
    }
    if (at && at < n && method != ABDB_CURVE_STEP && p[at - 1].at.latency < limit) {
        out->high = p[at].place;
        out->rate = interpolate_rate(p, n, at - 1, limit, method);
    }
    free(p);
    return ABDB_OK;
}

abdb_status abdb_curve_leave_each_out(const abdb_curve_point *point, size_t points,
                                      abdb_curve_method method, double *error, size_t *errors,
                                      abdb_error *err)
{
    size_t n;
    placed *p = sort_out_front(point, points, &n), *rest = calloc(points + 1, sizeof *rest);

    *errors = 0;
    if (!p || !rest) {
        free(p);
        free(rest);
        return ABDB_FAIL(err, ABDB_NOMEM, "a curve");
    }
    for (size_t i = 1; method != ABDB_CURVE_STEP && i + 1 < n; i++) {
        for (size_t k = 0; k + 1 < n; k++) rest[k] = p[k < i ? k : k + 1];
        error[(*errors)++] =
            fabs(interpolate_rate(rest, n - 1, i - 1, p[i].at.latency, method) / p[i].at.rate - 1);
    }
    free(p);
    free(rest);
    return ABDB_OK;
}
