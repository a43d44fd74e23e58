/* change_point.h - the changes of level of a series.
 *
 * A series is read run by run, in its order, without regard to later runs, so that a change once
 * found stays found. After each run two tests check the level so far:
 * (1) near: the newest ABDB_NEAR_LEAST to ABDB_NEAR_MOST runs against as many before them, by
 *     medians, against the noise of successive runs (Winsorised, so that neither a step nor a few
 *     outliers make it) and against how far such medians differed before (so that a slow drift is
 *     no step); Student's t. All of them but one in five must be beyond the middle.
 * (2) whole: at run 12, 16, 21, 28, ... the stretch that stands out best by ranks (Mann-Whitney,
 *     standardised), held against the best stretches of the same values in ABDB_SHUFFLES random
 *     orders, of many series in more (circular binary segmentation: Olshen and others, 2004).
 * The chance of a false alarm is divided over all runs, both tests and all series. The place of a
 * change is the split of least absolute deviations of logarithms between its neighbours, with all
 * splits that are nearly as good. Fixed seed: equal series, equal answer.
 */
#ifndef ABDB_CORE_CHANGE_H
#define ABDB_CORE_CHANGE_H

#include <stdbool.h>
#include <stddef.h>

#include "schema/core/error.h"

enum {
    ABDB_SHUFFLES = 9999,
    ABDB_CHANGES_MAX = 64,
    ABDB_PART_LEAST = 3,
    ABDB_NEAR_LEAST = 4,
    ABDB_NEAR_MOST = 8,
    ABDB_RUNS_LEAST = 10 /* of a series that gets a verdict */
};

typedef struct {
    size_t at;        /* the first value of the new level */
    size_t low, high; /* the first and last place that are nearly as good */
    double p;         /* corrected for all places, runs and series in the test; at most 1 */
    double ratio;     /* median from here to the next change / median since the last one */
} abdb_change;

/* The smallest change that a series can show by its newest runs. */
typedef struct {
    double shows; /* the least change, a fraction, that the newest runs of a level would show 99
                        times in 100; NAN: none, however large */
    size_t wants; /* more runs until a verdict on the newest one is due */
} abdb_series_power;

/* Changes of x[0..n), positive and finite, in order. series: how many series are looked at
 * together. A change needs p at most alpha and a ratio of 1 + least_relative_change or more, up or
 * down; of more than ABDB_CHANGES_MAX the first found are kept.
 * ABDB_DATA: a value is none. ABDB_LIMIT: of so many series none could show a change, as orders are
 * not shuffled without end: more than 20,000 at alpha 0.01, and x has values enough for one. */
ABDB_MUST_USE abdb_status abdb_find_change_points(const double *x, size_t n, size_t series,
                                                  double alpha, double least_relative_change,
                                                  abdb_change out[ABDB_CHANGES_MAX], size_t *count,
                                                  abdb_error *err);
/* Of the level that begins at x[from]. */
ABDB_MUST_USE abdb_status abdb_series_find_power(const double *x, size_t n, size_t from,
                                                 size_t series, double alpha,
                                                 abdb_series_power *out, abdb_error *err);
/* change_ranks.c: the stretch [*first, *end) of x[0..n) that stands out best by ranks, if its p, of
 * random orders, is at most alpha; *p is 1 if not. */
ABDB_MUST_USE abdb_status abdb_find_stretch_by_ranks(const double *x, size_t n, double alpha,
                                                     size_t *first, size_t *end, double *p,
                                                     abdb_error *err);

#endif
