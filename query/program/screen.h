/* screen.h - what verbs that print rows share. */
#ifndef ABDB_QUERY_SCREEN_H
#define ABDB_QUERY_SCREEN_H

#include "query/answer/report.h"
#include "query/program/cli.h"

enum { ABDB_LINK_LIMIT_S = 6 * 3600 };

/* --timeout, or the default. ABDB_USAGE: not a number of seconds. */
ABDB_MUST_USE abdb_status abdb_timeout(const abdb_args *args, double *seconds, abdb_error *err);
/* The same of push and pull, whose default is ABDB_LINK_LIMIT_S. */
ABDB_MUST_USE abdb_status abdb_link_limit(const abdb_args *args, double *seconds, abdb_error *err);
/* The database that the options name, opened to be read and guarded by --timeout. */
ABDB_MUST_USE abdb_status abdb_open_guarded(const abdb_args *args, abdb_db **db, abdb_error *err);
/* Prints as -o, --json, --columns, --brief and --out say, on a terminal through a pager; the
 * deadline is over with. --brief takes the notes out of the table. */
ABDB_MUST_USE abdb_status abdb_print_table(const abdb_args *args, abdb_table *table,
                                           abdb_error *err);
/* Do the options ask for a format for programs (csv, json, jsonl)? */
bool abdb_is_for_programs(const abdb_args *args);
/* The values of a report's parameters out of the options; NULL: not given. */
void abdb_report_values(const abdb_report *report, const abdb_args *args, const char **value);

#endif
