/* import_session.h - files, archives, pipes and rounds into an open database; what `abdb import`
 * counts.
 */
#ifndef ABDB_QUERY_IMPORTING_H
#define ABDB_QUERY_IMPORTING_H

#include "query/cli/command_line.h"
#include "query/import/input_files.h"
#include "query/import/import_file.h"

enum { IMPORT_FORMATS_MAX = 96 };

/* Input rows and files by what became of them. */
typedef struct {
    abdb_counts rows;
    abdb_mark_tally marks;
    size_t files, known; /* known: imported before */
} import_counts;

typedef struct {
    abdb_writer *writer;
    const abdb_import_options *options;
    bool quiet;
    bool shipped;             /* what is read now comes with abdb: told in the sum */
    bool fresh;               /* the database had nothing but what every new one has */
    abdb_mlperf_round *round; /* result folders, made when all files were seen */
    import_counts total;
    struct {
        const char *format;
        import_counts counts;
    } format[IMPORT_FORMATS_MAX];
    size_t formats;
    size_t refused, gated, passed_over, beside;
    size_t folders_without_log, power_logs; /* of rounds */
    /* Files of the command line, and found files and rounds, that were recognised, and of which
     * nothing was kept. */
    size_t unkept, unkept_found;
    bool kept; /* something of some file was kept, now or in an earlier import */
    abdb_skipped_files skipped;
    /* Archives of the command line, and archives of which nothing was kept, but for those that
     * could not be read. */
    size_t archives_named, archives_without;
    sqlite3_int64 last_price, last_entry; /* of before: what is beyond is new */
} import_session;

/* named: on the command line; else an unknown format is passed over. A failure of the file is said
 * and counted; one of the database, or of the command, is returned. */
ABDB_MUST_USE abdb_status abdb_import_file_archive_or_pipe(import_session *session,
                                                           const char *path, bool named,
                                                           abdb_error *err);
/* What a command that reads the same once more must say, too: " (with --map as now)", or "". */
const char *abdb_import_hint_of_options_to_repeat(const import_session *session);
/* Makes the results of the rounds that were seen, and forgets them. */
ABDB_MUST_USE abdb_status abdb_import_and_free_pending_round(import_session *session,
                                                             abdb_error *err);
/* Reads again the files that had rejected rows (path NULL: all), with what --set said then and what
 * args say now. */
ABDB_MUST_USE abdb_status abdb_import_retry_rejected(import_session *session, abdb_db *db,
                                                     const char *path, const abdb_args *args,
                                                     abdb_error *err);
/* Reads again, with what --set said then, the files that an older version of their importer read
 * (path NULL: all). What is not there any more, or has other bytes, is said and left. */
ABDB_MUST_USE abdb_status abdb_import_refresh_outdated(import_session *session, abdb_db *db,
                                                       const char *path, abdb_error *err);
/* Before the first file: what is there already. */
ABDB_MUST_USE abdb_status abdb_import_remember_last_price_and_entry_ids(import_session *session,
                                                                        abdb_db *db,
                                                                        abdb_error *err);
/* Says that the same bytes were read with other words before, and count twice. */
void abdb_warn_of_import_with_other_overrides(const char *path, const abdb_import_result *unit);
/* One unit: its line, and remarks on what of it was refused or left out. */
void abdb_print_import_result_and_warnings(const import_session *session, const char *path,
                                           const abdb_import_result *unit);
/* What one round brought, in one line. */
void abdb_print_round_result_and_warnings(const import_session *session, const char *root,
                                          const char *format, const import_counts *counts);
/* The summary: by format, and what was left out. */
void abdb_print_import_summary(const import_session *session);
/* Prints which new prices count nowhere: of no known device, so that no result meets them, or of
 * more devices for no more money than fewer. */
ABDB_MUST_USE abdb_status abdb_warn_of_new_prices_of_no_use(const import_session *session,
                                                            abdb_db *db, abdb_error *err);
/* Says what of the new entries no answer per device, watt or dollar will find, and the command that
 * mends it: a line each. */
ABDB_MUST_USE abdb_status abdb_print_next_steps(const import_session *session, abdb_db *db,
                                                abdb_error *err);
void abdb_import_session_close(import_session *session);

#endif
