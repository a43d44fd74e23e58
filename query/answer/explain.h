/* explain.h - the origin of a number: its facts as a tree, their other uses, how to cite them.
 *
 * Facts are rows of the report `facts`. A report lists the facts of a row in a hidden column
 * `_facts` (keys with blanks between them), or `_facts_COLUMN` for one column.
 */
#ifndef ABDB_QUERY_EXPLAIN_H
#define ABDB_QUERY_EXPLAIN_H

#include "query/answer/report.h"

/* The rows of the report `facts` for these keys, names and claims. */
ABDB_MUST_USE abdb_status abdb_facts_load_by_keys_names_or_claims(abdb_db *db, const char *keys,
                                                                  abdb_table *facts,
                                                                  abdb_error *err);
/* Keys of the facts behind a cell; NULL: the report lists none. */
const char *abdb_fact_keys_of_cell_or_its_row(const abdb_table *table, size_t row, size_t column);
/* Keys of the facts behind all cells, at most so many of each, blanks between them, appended to
 * out. */
void abdb_append_fact_keys_of_table(const abdb_table *table, size_t most_per_cell, abdb_text *out);
/* The tree, with where each fact stands, the file it was read from, and claims that use it. */
void abdb_print_fact_tree(const abdb_table *facts, FILE *out);
/* One line: other reports and figures whose rows, without options, use one of the facts. Runs every
 * report. */
ABDB_MUST_USE abdb_status abdb_print_reports_and_figures_citing_facts(abdb_db *db,
                                                                      const abdb_table *facts,
                                                                      FILE *out, abdb_error *err);
/* The sources of the facts, each once, with the places used. */
void abdb_print_citation_per_source(const abdb_table *facts, bool bibtex, FILE *out);

#endif
