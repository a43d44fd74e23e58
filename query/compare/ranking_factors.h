/* ranking_factors.h - the factors of two results of a ranking. */
#ifndef ABDB_COMPARE_RANKING_FACTORS_H
#define ABDB_COMPARE_RANKING_FACTORS_H

#include "query/compare/rank.h"

/* The two largest factors of the ratio of a ranked row to the first of its group; "" where a rule
 * refuses the pair. From arena. */
ABDB_MUST_USE abdb_status abdb_describe_factors_of_ranked_row(const abdb_ranking *r,
                                                              const abdb_ranked *row,
                                                              const abdb_ranked *first,
                                                              const abdb_normalisation *measure,
                                                              sqlite3 *db, const char **out,
                                                              abdb_arena *arena, abdb_error *err);

#endif
