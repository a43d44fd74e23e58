/* change_point.h - where a series changes its level.
 *
 * The stretch of a series that stands out best from the rest, by ranks (Mann-Whitney, standardised;
 * a stretch may begin or end where the series does, then it is one split), is held against the best
 * stretches of the same values in ABDB_SHUFFLES random orders, of many series in more: p is of the
 * best of all, so it is corrected for all places that were looked at. Where it is evidence, its
 * parts are looked at again (circular binary segmentation: Olshen and others, 2004), and each end
 * that neighbouring levels do not bear out goes. Fixed seed: equal series, equal answer.
 */
#ifndef ABDB_CORE_CHANGE_H
#define ABDB_CORE_CHANGE_H

#include <stdbool.h>
#include <stddef.h>

#include "schema/core/error.h"

enum { ABDB_SHUFFLES = 9999, ABDB_CHANGES_MAX = 64, ABDB_PART_LEAST = 3 };

typedef struct {
    size_t at;    /* the first value of the new level */
    double p;     /* of the best stretch, times the series looked at; at most 1 */
    double ratio; /* median from here to the next change / median since the last one */
} abdb_change;

/* Changes of x[0..n), positive and finite, in order. series: how many series are looked at
 * together. A change needs p at most alpha, also between the levels on both sides of it, and a
 * ratio of 1 + effect or more, up or down; of more than ABDB_CHANGES_MAX the first found are kept.
 * ABDB_DATA: a value is none. ABDB_LIMIT: of so many series none could show a change, as orders are
 * not shuffled without end: more than 20,000 at alpha 0.01, and x has values enough for one. */
ABDB_MUST_USE abdb_status abdb_find_change_points(const double *x, size_t n, size_t series,
                                                  double alpha, double least_relative_change,
                                                  abdb_change out[ABDB_CHANGES_MAX], size_t *count,
                                                  abdb_error *err);

#endif
