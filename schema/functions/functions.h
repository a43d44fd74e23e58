/* functions.h - SQL functions in C, linked into abdb and built as the loadable extension abdb.so.
 * functions.def lists them all with their arguments and meaning; here are the scalar ones, and the
 * statistics are in statistics.h.
 */
#ifndef ABDB_FUNCTIONS_H
#define ABDB_FUNCTIONS_H

#include "schema/functions/sqlite.h"

/* Registers all functions on db; returns SQLite's code. */
int abdb_functions_register(sqlite3 *db);

#endif
