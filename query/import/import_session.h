/* import_session.h - imports files, archives, pipes and rounds into an open database; the counts of
 * `abdb import`.
 */
#ifndef ABDB_QUERY_IMPORTING_H
#define ABDB_QUERY_IMPORTING_H

#include "query/cli/command_line.h"
#include "query/import/input_files.h"
#include "query/import/import_file.h"

enum { IMPORT_FORMATS_MAX = 96 };

/* Numbers of input rows and files by their outcome. */
typedef struct {
    abdb_counts rows;
    abdb_mark_tally marks;
    size_t files, known; /* known: imported before */
} import_counts;

typedef struct {
    abdb_writer *writer;
    const abdb_import_options *options;
    bool quiet;
    bool shipped;             /* the current file comes with abdb: a line only for rejects */
    bool fresh;               /* the database had only the rows of every new one */
    abdb_mlperf_round *round; /* result folders, made when all files were seen */
    import_counts total;
    struct {
        const char *format;
        import_counts counts;
    } format[IMPORT_FORMATS_MAX];
    size_t formats;
    size_t refused, gated, passed_over, beside;
    size_t folders_without_log, power_logs; /* of rounds */
    /* Files of the command line, and found files and rounds, that were recognised but gave no
     * rows to keep. */
    size_t unkept, unkept_found;
    bool kept; /* something of some file was kept, now or in an earlier import */
    abdb_skipped_files skipped;
    /* Archives of the command line, and readable archives from which nothing was kept. */
    size_t archives_named, archives_without;
    sqlite3_int64 last_price, last_entry; /* before the import: higher numbers are new */
} import_session;

/* named: on the command line; else an unknown format is passed over. A failure of the file is
 * printed and counted; one of the database, or of the command, is returned. */
ABDB_MUST_USE abdb_status abdb_import_file_archive_or_pipe(import_session *session,
                                                           const char *path, bool named,
                                                           abdb_error *err);
/* Options to repeat in a command that reads the same again: " (with --map as now)", or "". */
const char *abdb_import_hint_of_options_to_repeat(const import_session *session);
/* Makes the results of the rounds that were seen, and forgets them. */
ABDB_MUST_USE abdb_status abdb_import_and_free_pending_round(import_session *session,
                                                             abdb_error *err);
/* Reads again the files that had rejected rows (path NULL: all), with the --set values of that
 * import and the values in args. */
ABDB_MUST_USE abdb_status abdb_import_retry_rejected(import_session *session, abdb_db *db,
                                                     const char *path, const abdb_args *args,
                                                     abdb_error *err);
/* Reads again, with their former --set values, files that an older version of their importer read
 * (path NULL: all). A missing or changed file is reported and not read. */
ABDB_MUST_USE abdb_status abdb_import_refresh_outdated(import_session *session, abdb_db *db,
                                                       const char *path, abdb_error *err);
/* Before the first file: notes the highest numbers of existing prices and entries. */
ABDB_MUST_USE abdb_status abdb_import_remember_last_price_and_entry_ids(import_session *session,
                                                                        abdb_db *db,
                                                                        abdb_error *err);
/* Prints that the same bytes were read before with another --set, and count twice. */
void abdb_warn_of_import_with_other_overrides(const char *path, const abdb_import_result *unit);
/* One unit: its line, and remarks on its refused rows and omitted values. */
void abdb_print_import_result_and_warnings(const import_session *session, const char *path,
                                           const abdb_import_result *unit);
/* The counts of one round, in one line. */
void abdb_print_round_result_and_warnings(const import_session *session, const char *root,
                                          const char *format, const import_counts *counts);
/* The summary: counts by format, and omissions. */
void abdb_print_import_summary(const import_session *session);
/* Prints which new prices are never used: for an unknown device, so that no result matches, or for
 * more devices at no higher price than fewer. */
ABDB_MUST_USE abdb_status abdb_warn_of_new_prices_of_no_use(const import_session *session,
                                                            abdb_db *db, abdb_error *err);
/* Prints which new entries are missing from answers per device, watt or dollar, and the command
 * that adds them: a line each. */
ABDB_MUST_USE abdb_status abdb_print_next_steps(const import_session *session, abdb_db *db,
                                                abdb_error *err);
void abdb_import_session_close(import_session *session);

#endif
