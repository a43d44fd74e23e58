/* side_prices.h - each side of a comparison at prices of its own: --provider OCI,Verda and
 * --price-date 2026-01-31,2026-09-30 have one value for each side, in their order. */
#ifndef ABDB_COMPARE_SIDE_PRICES_H
#define ABDB_COMPARE_SIDE_PRICES_H

#include "query/compare/result_set.h"

/* Are values divided by dollars, and is there a list of providers or days? */
bool abdb_sides_have_own_prices(const abdb_normalisation *measure);
/* The normalisation of one of the sides (from 0); texts are from arena. ABDB_USAGE: a list has
 * another number of values than there are sides. */
ABDB_MUST_USE abdb_status abdb_set_normalisation_of_side(abdb_normalisation *out,
                                                         const abdb_normalisation *measure,
                                                         size_t side, size_t sides,
                                                         abdb_arena *arena, abdb_error *err);

#endif
