/* compare_text.h - the sentences of a comparison, shared by its screen and its tables. */
#ifndef ABDB_QUERY_COMPARE_LINES_H
#define ABDB_QUERY_COMPARE_LINES_H

#include "query/answer/report.h"
#include "query/compare/compare.h"

/* "H200-SXM" where a set is of one device, else its selection. */
const char *abdb_set_device_or_selection(const abdb_set *set);
/* Is a factor one that people want to read (not the other half of another)? */
bool abdb_factor_is_displayed(const char *factor);
size_t abdb_count_shown_pairs(const abdb_comparison *c, size_t contender);

/* Each appends to out. */
void abdb_append_exploratory_stamp_if_refused(const abdb_comparison *c, abdb_text *out);
void abdb_append_set_headings(const abdb_comparison *c, abdb_text *out);
void abdb_append_factors_shared_by_shown_pairs(const abdb_comparison *c, abdb_text *out);
void abdb_append_comparability_line(const abdb_comparison *c, size_t contender, abdb_text *out);
/* Factors that differ with their values, or the names of factors unknown on a side. */
void abdb_append_contender_differing_factors(const abdb_comparison *c, size_t contender,
                                             bool only_unknown, abdb_text *out);
/* Refusals, legend, omitted results, prices and footnotes as notes of t. */
ABDB_MUST_USE abdb_status abdb_add_comparison_notes(const abdb_comparison *c, abdb_db *db,
                                                    abdb_table *t, abdb_error *err);

#endif
