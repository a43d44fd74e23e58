/* sqlite.h - SQLite's interface, for code that is linked into the program and, compiled with
 * ABDB_EXTENSION, into abdb.so, where the host hands it over. */
#ifndef ABDB_FUNCTIONS_SQLITE_H
#define ABDB_FUNCTIONS_SQLITE_H

#ifdef ABDB_EXTENSION
#include <sqlite3ext.h>
extern const sqlite3_api_routines *sqlite3_api;
#else
#include <sqlite3.h>
#endif

/* Column i as text, or NULL where it is NULL: for optional values. */
static inline const char *abdb_sql_text_or_null(sqlite3_stmt *s, int i)
{
    return (const char *)sqlite3_column_text(s, i);
}

/* Column i as text, never NULL: in a damaged file, or without memory, even a column with NOT NULL
 * may give none. */
static inline const char *abdb_sql_text_or_empty(sqlite3_stmt *s, int i)
{
    const char *text = abdb_sql_text_or_null(s, i);

    return text ? text : "";
}

#endif
