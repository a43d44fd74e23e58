/* unknown_factors.h - factors without a known meaning (ingest/read/unknown_factor.h,
 * data/rules/factors.csv): a difference is printed, and never hidden as COMPARABLE; identifiers,
 * such as a seed or the name of a host, which differ in every row of a file, are ignored.
 */
#ifndef ABDB_COMPARE_UNKNOWN_FACTORS_H
#define ABDB_COMPARE_UNKNOWN_FACTORS_H

#include "query/compare/compare.h"

/* Is it a factor of this member that no dictionary describes and no workload gives a role? */
bool abdb_factor_meaning_is_unknown(const abdb_rulebook *book, const abdb_set *set, size_t member,
                                    const char *factor);
/* Has the factor another value in every row of the files of both members? Files of fewer rows than
 * ABDB_IDENTIFIER_ROWS give false; of a long one the rows near the member are read. */
enum { ABDB_IDENTIFIER_ROWS = 4 };
ABDB_MUST_USE abdb_status abdb_factor_is_unique_in_every_row(bool *is_unique, sqlite3 *db,
                                                             const abdb_set *set_a, size_t a,
                                                             const abdb_set *set_b, size_t b,
                                                             const char *factor, abdb_error *err);
/* "n_cpu_moe 0|36, meaning unknown": the unknown factors by which one member differs from another,
 * but for identifiers, the first few; "" where there are none. From arena. */
ABDB_MUST_USE abdb_status abdb_describe_differences_of_unknown_meaning(
    const char **out, sqlite3 *db, const abdb_rulebook *book, const abdb_set *set, size_t first,
    size_t own, abdb_arena *arena, abdb_error *err);

#endif
