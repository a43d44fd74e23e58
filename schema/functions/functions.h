/* functions.h - SQL functions in C, linked into abdb and built as the loadable extension abdb.so.
 *   abdb_fold(TEXT)               a name without case and punctuation
 *   to_unit(NUMBER, FROM, TO)     unit conversion; another dimension is an error
 *   entry_of(KEY) ordinal_of(KEY) entry_id and ordinal of a result's text key, which are indexed
 * and the statistics of statistics.h.
 */
#ifndef ABDB_FUNCTIONS_H
#define ABDB_FUNCTIONS_H

#include "schema/functions/sqlite.h"

/* Registers all functions on db; returns SQLite's code. */
int abdb_functions_register(sqlite3 *db);

#endif
