/* db.h - the database file: open, create, migrate, close.
 *
 * A file is abdb's when its application_id is ABDB_APPLICATION_ID. user_version counts the files of
 * schema/ddl that were applied. Opening for reading changes nothing, on a read-only medium too.
 * Opening for writing migrates an older file, after copying it to FILE.vN.bak.
 */
#ifndef ABDB_STORE_DB_H
#define ABDB_STORE_DB_H

#include <sqlite3.h>
#include <stdbool.h>

#include "schema/core/embedded.h"

#include "schema/core/error.h"

enum { ABDB_APPLICATION_ID = 0x61626462, ABDB_BUSY_MS = 10000 }; /* 'abdb' */

typedef enum { ABDB_READ, ABDB_WRITE, ABDB_CREATE } abdb_mode;

typedef struct {
    sqlite3 *sql;
    char *path; /* never one that SQLite takes for a URI */
    abdb_mode mode;
    int created;  /* this open made the schema */
    int migrated; /* this open migrated from that version, else 0 */
} abdb_db;

/* Opens path. ABDB_READ and ABDB_WRITE want an abdb database there; ABDB_CREATE makes one where
 * there is none. ABDB_DB: not a database, another program's, newer, damaged, or not accessible;
 * ABDB_BUSY: someone else writes. */
ABDB_MUST_USE abdb_status abdb_db_open(abdb_db **out, const char *path, abdb_mode mode,
                                       abdb_error *err);
/* A writer's close puts the log back into the file, unless somebody still reads: at rest a database
 * is one file in rollback mode, which any medium can serve. */
void abdb_db_close(abdb_db *db);
/* Runs statements that return no rows. */
ABDB_MUST_USE abdb_status abdb_db_exec(abdb_db *db, const char *sql, abdb_error *err);
/* The first column of the first row as an integer; 0 when there is no row. */
ABDB_MUST_USE abdb_status abdb_db_integer(abdb_db *db, const char *sql, sqlite3_int64 *out,
                                          abdb_error *err);
/* Fills err from SQLite's last error on db, with what to do about it. */
abdb_status abdb_db_fail(abdb_db *db, abdb_error *err, const char *doing);
/* Number of DDL files of this build: the version it reads and writes. */
int abdb_schema_version(void);
/* Applies DDL files up to version `to` (tests make old databases with it). Inside a transaction. */
ABDB_MUST_USE abdb_status abdb_schema_apply(abdb_db *db, int from, int to, abdb_error *err);
/* Are the views those of this build? */
ABDB_MUST_USE abdb_status abdb_views_current(const abdb_db *db, bool *current, abdb_error *err);
/* Makes the views anew where they are not those of this build. Inside a transaction. */
ABDB_MUST_USE abdb_status abdb_views_apply(abdb_db *db, abdb_error *err);

/* Embedded text files, made by the Makefile from schema/ddl, schema/views and query/reports. */
extern const abdb_embedded abdb_ddl[], abdb_views[]; /* end: name NULL */

#endif
