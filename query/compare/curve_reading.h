/* curve_reading.h - reads the throughput of a serving system at a latency limit off its measured
 * points.
 *
 * Only the front of the points counts: a point is dropped where another one has a latency that is
 * not longer and a throughput that is not smaller. On the front both rise together. STEP is the
 * best measured point that keeps the limit. LINEAR and MONOTONE (Fritsch and Carlson's cubic)
 * interpolate the throughput over the latency between the first and the last point of the front: a
 * shorter limit has no answer, a longer one gets the throughput of the last point.
 */
#ifndef ABDB_COMPARE_CURVE_READING_H
#define ABDB_COMPARE_CURVE_READING_H

#include <stddef.h>

#include "schema/core/error.h"

typedef enum { ABDB_CURVE_STEP, ABDB_CURVE_LINEAR, ABDB_CURVE_MONOTONE } abdb_curve_method;

typedef struct {
    double latency, rate; /* finite; a rate above 0 */
} abdb_curve_point;

typedef enum { ABDB_CURVE_TOO_SHORT, ABDB_CURVE_WITHIN, ABDB_CURVE_CLAMPED } abdb_curve_standing;

typedef struct {
    abdb_curve_standing standing;
    double rate;              /* at the limit; NAN: ABDB_CURVE_TOO_SHORT */
    size_t low, high;         /* the points that the limit lies between; equal: one point answers */
    double shortest, longest; /* latencies of the ends of the front */
} abdb_curve_answer;

/* points: at least one. ABDB_NOMEM. */
ABDB_MUST_USE abdb_status abdb_curve_read_at_limit(const abdb_curve_point *point, size_t points,
                                                   double limit, abdb_curve_method method,
                                                   abdb_curve_answer *out, abdb_error *err);
/* The relative error of the interpolated throughput at each inner point of the front, were it not
 * measured: error has room for all points. *errors: how many; 0 where the front has no inner point,
 * or nothing is interpolated. ABDB_NOMEM. */
ABDB_MUST_USE abdb_status abdb_curve_leave_each_out(const abdb_curve_point *point, size_t points,
                                                    abdb_curve_method method, double *error,
                                                    size_t *errors, abdb_error *err);

#endif
