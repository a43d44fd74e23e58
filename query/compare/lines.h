/* lines.h - the sentences of a comparison, shared by its screen and its tables. */
#ifndef ABDB_QUERY_COMPARE_LINES_H
#define ABDB_QUERY_COMPARE_LINES_H

#include "query/answer/report.h"
#include "query/compare/compare.h"

/* A copy that belongs to the table; never NULL. */
const char *abdb_kept(abdb_table *table, const char *text);
/* One more note, if there is room. */
void abdb_note(abdb_table *table, const char *text);
/* "H200-SXM" where a set is of one device, else its selection. */
const char *abdb_set_label(const abdb_set *set);
/* Is a factor one that people want to read (not the other half of another)? */
bool abdb_is_shown_once(const char *factor);
size_t abdb_shown_pairs(const abdb_comparison *c, size_t contender);

/* Each appends to out. */
void abdb_compare_stamp(const abdb_comparison *c, abdb_text *out);
void abdb_compare_heads(const abdb_comparison *c, abdb_text *out);
void abdb_compare_same(const abdb_comparison *c, abdb_text *out);
void abdb_compare_standing(const abdb_comparison *c, size_t contender, abdb_text *out);
/* Factors that differ with their values, or the names of those unknown on a side. */
void abdb_compare_differing(const abdb_comparison *c, size_t contender, bool unknown,
                            abdb_text *out);
/* Refusals, legend, what was left out, prices and footnotes as notes of t. */
ABDB_MUST_USE abdb_status abdb_compare_tail(const abdb_comparison *c, abdb_db *db, abdb_table *t,
                                            abdb_error *err);

#endif
