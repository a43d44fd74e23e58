/* ratio_factor_rows.h - the factors of the ratios of a comparison, a row each. */
#ifndef ABDB_COMPARE_RATIO_FACTOR_ROWS_H
#define ABDB_COMPARE_RATIO_FACTOR_ROWS_H

#include "query/compare/value_ranges.h"

/* Fills an empty table: work, scenario, per, place, factor, a, b, times, product, ratio, better,
 * result (key), unit, _facts (keys of both ends), _pair (from 1), _note (empty), label (what
 * distinguishes the pair), unlike (why its ratio is no headline) and first_in (percent of the draws
 * of ranges in which the contender is better; ranges NULL or without words: empty). Its notes are
 * a sentence for each pair, the joint factors, each rule that refuses pairs with the results that
 * would meet, and ages of prices. */
ABDB_MUST_USE abdb_status abdb_tabulate_ratio_factors(const abdb_comparison *c,
                                                      const abdb_range_question *ranges,
                                                      abdb_table *t, abdb_error *err);
/* Adds the sentences and joint factors of every pair that has a ratio, as notes. */
ABDB_MUST_USE abdb_status abdb_note_ratio_factors(const abdb_comparison *c, abdb_table *t,
                                                  abdb_error *err);
/* "device 2.00, number format 1.50": the two factors of a pair that are farthest from 1, the larger
 * first; "" where the pair has no ratio that can be split. From arena. */
ABDB_MUST_USE abdb_status abdb_describe_two_largest_ratio_factors(const abdb_comparison *c,
                                                                  const abdb_pair *pair,
                                                                  const char **out,
                                                                  abdb_arena *arena,
                                                                  abdb_error *err);

#endif
