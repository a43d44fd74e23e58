/* compare_table.h - a comparison for people: its sides, their shared factors, for each contender
 * the differing factors and ratios, and the refused pairs with reasons. */
#ifndef ABDB_QUERY_COMPARE_SCREEN_H
#define ABDB_QUERY_COMPARE_SCREEN_H

#include "query/answer/report.h"
#include "query/compare/compare.h"

/* The comparison as one table with notes, for markdown, HTML and LaTeX. */
ABDB_MUST_USE abdb_status abdb_comparison_to_display_table(const abdb_comparison *c, abdb_db *db,
                                                           abdb_table *out, abdb_error *err);
/* The screen: heads, a block for each contender, and below them everything that must be said, with
 * the footnotes of MLPerf last; brief: only how much that is. The deadline is over when printing
 * begins. */
ABDB_MUST_USE abdb_status abdb_print_comparison(const abdb_comparison *c, abdb_db *db, bool brief,
                                                FILE *out, abdb_error *err);

/* A prefix with its factor: {1e12, "T"}. */
typedef struct {
    double factor;
    const char *prefix;
} abdb_unit_prefix;
/* The prefix that suits a value of this unit: TFLOP/s, ms; 1 where units take none. */
abdb_unit_prefix abdb_pick_unit_prefix(double value, const char *unit);
/* The number that stands before the prefix and the unit: "12.3". */
void abdb_format_value_divided_by_prefix(double value, abdb_unit_prefix scale, char out[32]);

#endif
