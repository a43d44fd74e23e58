/* authorizer.h - limits the statements of a connection: functions by list (functions.def), no
 * virtual table of a file, and reading only where a reader's SQL runs.
 *
 * abdb_sql_open_hardened opens every connection of abdb and restricts it;
 * abdb_sql_harden_connection does so to one that a host of abdb.so opened.
 * abdb_sql_install_authorizer then sets the rights of the next statements.
 */
#ifndef ABDB_FUNCTIONS_AUTHORIZER_H
#define ABDB_FUNCTIONS_AUTHORIZER_H

#include <stdbool.h>
#include <stddef.h>

#include "schema/functions/sqlite.h"

/* A line of functions.def. */
typedef struct {
    const char *name, *arguments;  /* arguments: "" for a function of SQLite */
    const char *origin;            /* "SQLite" or "abdb" */
    const char *group;             /* "scalar", "aggregate", "table", ...; "internal": no reader
                                     * can use it */
    const char *meaning, *refused; /* refused: why no statement may call it, else NULL */
} abdb_sql_function;

/* All of them, in the order of functions.def; the last has no name. */
extern const abdb_sql_function abdb_sql_functions[];

/* The line of a function, or NULL. Every case of the name is the same. */
const abdb_sql_function *abdb_sql_function_find(const char *name);

/* Rights of statements besides calling functions of the list. */
typedef enum {
    ABDB_SQL_ALL,               /* anything */
    ABDB_SQL_READING,           /* read, and run pragmas that change nothing */
    ABDB_SQL_READING_AND_TABLES /* that, and make, fill and drop temporary tables */
} abdb_sql_rights;

/* Restricts a new connection: removes the functions that SQLite's extensions registered and the
 * list does not have, and every module of virtual tables but json_each, json_tree and abdb's own,
 * so that no virtual table of a file is ever constructed. Switches off double-quoted strings, the
 * address functions of FTS3 and trust in the schema, and sets the rights ABDB_SQL_ALL. Returns
 * SQLite's code. */
int abdb_sql_harden_connection(sqlite3 *db);
/* Opens a restricted connection; flags: SQLITE_OPEN_*. Returns SQLite's code; the caller closes *db
 * in any case. */
int abdb_sql_open_hardened(sqlite3 **db, const char *path, int flags);
/* Connects the table functions of the list that are registered, because the authorizer refuses to
 * declare them later; then sets the rights of all statements that are prepared from here on. */
void abdb_sql_install_authorizer(sqlite3 *db, abdb_sql_rights rights);

#endif
