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

#endif
