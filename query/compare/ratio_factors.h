/* ratio_factors.h - why one result is a multiple of another: the ratio as a product of factors.
 *
 * Two results of one pair (compare.h) differ in some of: backend, round (of MLPerf: its software),
 * scale (devices of the system), number format, device. A chain of results leads from the one to
 * the other; from each to the next only some of these change, and the quotient of the two values is
 * the factor of this change. So the product of the factors is the ratio, for any chain.
 *
 *   chain: the one with the most steps; of several, the one that changes in the order of the list
 *     above. Between the ends it has the best result of each kind.
 *   joint: properties that no result separates change in one step, as one factor with two names.
 *   devices of the system: of a rate of whole systems, as a factor before the chain, which is of
 *     rates per device then
 *   price, power: of values per dollar or watt, as a factor before the chain
 */
#ifndef ABDB_COMPARE_RATIO_FACTORS_H
#define ABDB_COMPARE_RATIO_FACTORS_H

#include "query/compare/compare.h"

enum { ABDB_RATIO_FACTORS_MAX = 8 };

typedef struct {
    const char *name, *from, *to; /* "number format", "fp8", "fp4" */
    double factor;
    double product;      /* of the factors so far, this one included */
    const char *key;     /* of the result that it leads to; "": none */
    const char *missing; /* of a joint factor: results that would separate it; or NULL */
} abdb_ratio_factor;

typedef struct {
    size_t count;
    abdb_ratio_factor factor[ABDB_RATIO_FACTORS_MAX];
    double ratio; /* contender / baseline, as compare prints it */
} abdb_ratio_factors;

/* Splits the ratio of a pair into its factors; texts are from arena or the comparison's. A pair
 * must have a ratio of two results (not a median). ABDB_UNFAIR: it has none. */
ABDB_MUST_USE abdb_status abdb_split_ratio_into_factors(abdb_ratio_factors *out,
                                                        const abdb_comparison *c,
                                                        const abdb_pair *pair, abdb_arena *arena,
                                                        abdb_error *err);

#endif
