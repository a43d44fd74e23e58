/* two_sample_test.h - two sets of samples: their difference, and the evidence for it.
 *
 * Side a is the baseline, side b the contender. All values are finite and positive, because ratios
 * are compared; ABDB_DATA otherwise, or where a side is empty. No samples are sorted in place.
 *
 * (1) hl_ratio: Hodges-Lehmann estimate on logarithms: the median of all b/a. Inverse for exchanged
 *     sides.
 * (2) hl_interval: the interval that inverts the Mann-Whitney test (Moses). No interval where the
 *     samples are too few for the confidence.
 * (3) mwu: Mann-Whitney U. Exact up to ABDB_EXACT_MAX samples together, ties included (midranks,
 *     the permutation distribution); beyond that the normal approximation with tie and continuity
 *     correction.
 * (4) tost: two one-sided tests: the larger p of "ratio <= 1/(1+margin)" and "ratio >= 1+margin".
 * (5) boot_ratio: quantile of the ratio of medians over ABDB_RESAMPLES resamples, fixed seed.
 */
#ifndef ABDB_CORE_TWOSAMPLE_H
#define ABDB_CORE_TWOSAMPLE_H

#include <stdbool.h>
#include <stddef.h>

#include "schema/core/error.h"

enum { ABDB_EXACT_MAX = 64, ABDB_RESAMPLES = 10000, ABDB_PAIRS_MAX = 1 << 24 };

typedef struct {
    const double *a, *b;
    size_t m, n; /* of a, of b */
} abdb_two_samples;

ABDB_MUST_USE abdb_status abdb_hodges_lehmann_ratio(const abdb_two_samples *two, double *out,
                                                    abdb_error *err);
/* *has: is there an interval? */
ABDB_MUST_USE abdb_status abdb_hodges_lehmann_interval(const abdb_two_samples *two,
                                                       double confidence, double *low, double *high,
                                                       bool *has, abdb_error *err);
/* p of the two-sided test, and of "b is less" and "b is greater" (each may be NULL). */
ABDB_MUST_USE abdb_status abdb_mann_whitney_p(const abdb_two_samples *two, double *both,
                                              double *less, double *greater, abdb_error *err);
ABDB_MUST_USE abdb_status abdb_equivalence_p_tost(const abdb_two_samples *two, double margin,
                                                  double *p, abdb_error *err);
ABDB_MUST_USE abdb_status abdb_bootstrap_ratio_quantile(const abdb_two_samples *two, double q,
                                                        double *out, abdb_error *err);
/* The same for the median of one set. */
ABDB_MUST_USE abdb_status abdb_bootstrap_median_quantile(const double *x, size_t n, double q,
                                                         double *out, abdb_error *err);

#endif
