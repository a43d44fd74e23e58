/* report_catalog.h - lists reports by the question that they answer, and searches all of
 * them. */
#ifndef ABDB_PROGRAM_CATALOG_H
#define ABDB_PROGRAM_CATALOG_H

#include "query/answer/table.h"
#include "schema/core/error.h"
#include "schema/store/db.h"

/* Reports grouped by question, all or the first dozen; the user's own come last. */
void abdb_print_report_catalog_through_pager(bool all);
/* The functions that SQL may call, as rows: function, arguments, origin, group, meaning. The texts
 * are constants. */
ABDB_MUST_USE abdb_status abdb_list_sql_functions_in_table(abdb_table *out, abdb_error *err);
/* The same as rows of name, group and question, for -o and --json. The caller frees the table. */
ABDB_MUST_USE abdb_status abdb_list_reports_in_table(abdb_table *out, abdb_error *err);
/* Reports, figures and columns of public views (columns only where db is not NULL) whose names or
 * meanings contain every word of `words`. ABDB_USAGE: none does. */
ABDB_MUST_USE abdb_status abdb_print_catalog_matches_or_fail(abdb_db *db, const char *words,
                                                             abdb_error *err);

#endif
