/* screen.h - what verbs that print rows share. */
#ifndef ABDB_QUERY_SCREEN_H
#define ABDB_QUERY_SCREEN_H

#include "query/answer/report.h"
#include "query/program/cli.h"
#include "query/warehouse/stream.h"

/* Defaults of push and pull. Silence: a server makes the views of a large warehouse meanwhile. */
enum { ABDB_LINK_ALL_S = 6 * 3600, ABDB_LINK_SILENCE_S = 600 };

/* --timeout, or the default. ABDB_USAGE: not a number of seconds. */
ABDB_MUST_USE abdb_status abdb_timeout(const abdb_args *args, double *seconds, abdb_error *err);
/* --timeout and --wait of push and pull. ABDB_USAGE: not a number of seconds. */
ABDB_MUST_USE abdb_status abdb_link_limits(const abdb_args *args, abdb_stream_limits *out,
                                           abdb_error *err);
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
