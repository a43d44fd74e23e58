/* table_output.h - shared functions of verbs that print rows. */
#ifndef ABDB_QUERY_SCREEN_H
#define ABDB_QUERY_SCREEN_H

#include "query/answer/report.h"
#include "query/cli/command_line.h"
#include "query/warehouse/stream.h"

/* Defaults of push and pull. Silence: a server makes the views of a large warehouse meanwhile. */
enum { ABDB_LINK_ALL_S = 6 * 3600, ABDB_LINK_SILENCE_S = 600 };

/* --timeout, or the default. ABDB_USAGE: not a number of seconds. */
ABDB_MUST_USE abdb_status abdb_parse_timeout_option(const abdb_args *args, double *seconds,
                                                    abdb_error *err);
/* The warehouse of push and pull: its URL, the URL without a password for messages, and
 * the limits of --timeout and --wait. */
typedef struct {
    const char *url, *shown;
    abdb_stream_limits limits;
} abdb_store_address;
/* Fills it from the first positional word, in which the password is masked, so that a list of
 * processes does not show it. ABDB_USAGE: not a number of seconds. */
ABDB_MUST_USE abdb_status abdb_parse_store_arguments_mask_password(const abdb_args *args,
                                                                   abdb_arena *arena,
                                                                   abdb_store_address *store,
                                                                   abdb_error *err);
/* The database that the options name, opened to be read and guarded by --timeout. */
ABDB_MUST_USE abdb_status abdb_open_guarded_readonly_db(const abdb_args *args, abdb_db **db,
                                                        abdb_error *err);
/* Prints according to -o, --json, --columns, --brief and --out, on a terminal through a pager, and
 * ends the deadline. --brief removes the notes from the table. */
ABDB_MUST_USE abdb_status abdb_print_table_by_options_end_deadline(const abdb_args *args,
                                                                   abdb_table *table,
                                                                   abdb_error *err);
/* Do the options name a format for programs (csv, json, jsonl)? */
bool abdb_format_is_for_programs(const abdb_args *args);
/* The values of a report's parameters out of the options; NULL: not given. */
void abdb_report_values_from_args(const abdb_report *report, const abdb_args *args,
                                  const char **value);
/* The words from positional[first] on, joined by commas; NULL: none. From arena. */
const char *abdb_join_positional_words_by_commas(const abdb_args *args, int first,
                                                 abdb_arena *arena);
/* The words behind the name of a report: its --selection, where it has one. ABDB_USAGE: it has
 * none; the message names the option that takes the word. */
ABDB_MUST_USE abdb_status abdb_set_words_as_selection(const abdb_report *report,
                                                      const abdb_args *args, int first, sqlite3 *db,
                                                      const char **value, abdb_arena *arena,
                                                      abdb_error *err);

#endif
