/* db.h - the database file: open, create, migrate, close.
 *
 * A file is abdb's when its application_id is ABDB_APPLICATION_ID. Its user_version is 1 and one
 * for each file of schema/migrations; schema/ddl are the tables of today. Opening for reading
 * changes nothing, on a read-only medium too. Opening for writing migrates an older file, after
 * copying it to FILE.vN.bak.
 */
#ifndef ABDB_STORE_DB_H
#define ABDB_STORE_DB_H

#include <limits.h>
#include <stdbool.h>

#include "schema/core/embedded.h"

#include "schema/core/error.h"
#include "schema/functions/sqlite.h"

enum { ABDB_APPLICATION_ID = 0x61626462 }; /* 'abdb' */

typedef enum { ABDB_READ, ABDB_WRITE, ABDB_CREATE } abdb_mode;

/* How long statements wait while another program writes, and a function that is called once after
 * a second of waiting (NULL: none). */
typedef struct {
    double seconds;
    void (*on_long_wait)(const char *path, double seconds);
} abdb_busy_timeout;

typedef struct {
    sqlite3 *sql;
    char *path; /* never one that SQLite takes for a URI */
    abdb_mode mode;
    abdb_busy_timeout patience;
    double waits_since; /* the wait that goes on began then */
    bool long_wait_reported;
    bool lent;    /* the file's views differ from this program's: it reads temporary ones */
    int created;  /* this open made the schema */
    int migrated; /* this open migrated from that version, else 0 */
} abdb_db;

#define ABDB_CACHE_SIZE "-16384" /* of a writer, KiB below 0 */

/* The default of abdb_db_open: ten seconds, silently. */
extern const abdb_busy_timeout abdb_patience_short;

/* Opens path. ABDB_READ and ABDB_WRITE want an abdb database there; ABDB_CREATE makes one where
 * there is none. ABDB_DB: not a database, another program's, newer, damaged, or not accessible;
 * ABDB_BUSY: someone else writes. */
ABDB_MUST_USE abdb_status abdb_db_open(abdb_db **out, const char *path, abdb_mode mode,
                                       abdb_error *err);
/* The same with another patience, which it keeps for all that is done with it. */
ABDB_MUST_USE abdb_status abdb_db_open_with_timeout(abdb_db **out, const char *path, abdb_mode mode,
                                                    const abdb_busy_timeout *patience,
                                                    abdb_error *err);
/* From here on statements wait for other programs, or fail at once. */
void abdb_db_set_busy_wait(abdb_db *db, bool wait);
/* SQLite's busy handler: naps for the turn-th time, and after a second calls on_long_wait, once; 0:
 * the time is over. self: the abdb_db. */
int abdb_db_nap_20_ms_unless_timed_out(void *self, int tries_before);
/* Changes from the log to a rollback journal; SQLite's code. The journal is synced before it
 * counts (synchronous = FULL): SQLite's checksum does not notice a page of it that a power cut
 * tore, and would roll back to zeros (unit/powercut). */
int abdb_db_switch_to_rollback_journal(abdb_db *db);
/* A writer's close puts the log back into the file, unless somebody still reads: at rest a database
 * is one file in rollback mode, which any medium can serve. Where it cannot (a full disk),
 * abdb_db_report_log_left_by_close reports it. */
void abdb_db_close(abdb_db *db);
/* Did a close leave a database in more than one file, and is it still so? ABDB_PARTIAL: yes; err
 * has the path of the rest and the remedy. query/verbs/main.c calls it after every verb. */
ABDB_MUST_USE abdb_status abdb_db_report_log_left_by_close(abdb_error *err);
/* Is a part of the database in a file beside it (-wal, -journal)? log: that file's path. */
bool abdb_db_find_nonempty_wal_or_journal(const char *path, char log[PATH_MAX]);
/* Does another process have the database open? Not for a database that this one has open: closing
 * the descriptor would drop its locks. */
bool abdb_db_is_open_elsewhere(const char *path);
/* Runs statements that return no rows. */
ABDB_MUST_USE abdb_status abdb_db_exec(abdb_db *db, const char *sql, abdb_error *err);
/* The first column of the first row as an integer; 0 when there is no row. */
ABDB_MUST_USE abdb_status abdb_db_query_integer_or_0(abdb_db *db, const char *sql,
                                                     sqlite3_int64 *out, abdb_error *err);
/* Fills err from SQLite's last error on db, with the remedy. */
abdb_status abdb_db_report_sqlite_error(abdb_db *db, abdb_error *err, const char *doing);
/* The version that this build reads and writes. */
int abdb_schema_version(void);
/* Lets tests use invented migrations: lists of the form of abdb_ddl and abdb_migrations; NULL: the
 * real lists. */
void abdb_schema_override_for_tests(const abdb_embedded *ddl, const abdb_embedded *migrations);
const abdb_embedded *abdb_schema_ddl_files(void), *abdb_schema_migration_files(void);
/* Makes today's tables (from 0), or applies the migrations from a version on. Inside a transaction.
 */
ABDB_MUST_USE abdb_status abdb_schema_create_or_migrate(abdb_db *db, int from, abdb_error *err);
/* Does the file record that this build made its views? schema/store/schema_check.h compares their
 * SQL. */
ABDB_MUST_USE abdb_status abdb_views_are_current(abdb_db *db, bool *current, abdb_error *err);
/* Drops the views of this program and of the one that made the file's; all others stay. */
ABDB_MUST_USE abdb_status abdb_views_drop_made_by_abdb(abdb_db *db, abdb_error *err);
/* Makes the views anew. Inside a transaction. */
ABDB_MUST_USE abdb_status abdb_views_recreate_and_record_digest(abdb_db *db, abdb_error *err);

/* Makes this program's views for this connection alone, where the file has none or others. */
ABDB_MUST_USE abdb_status abdb_views_create_temporary(abdb_db *db, abdb_error *err);

/* Embedded text files, made by the Makefile from schema/ddl, schema/migrations and schema/views. */
extern const abdb_embedded abdb_ddl[], abdb_migrations[], abdb_views[]; /* end: name NULL */

#endif
