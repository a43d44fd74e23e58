/* functions.h - SQL functions in C, linked into abdb and built as the loadable extension abdb.so.
 *   abdb_fold(TEXT)               a name without case and punctuation
 *   to_unit(NUMBER, FROM, TO)     unit conversion; another dimension is an error
 *   median(X)                     aggregate, NULLs skipped; NULL of no rows
 *   quantile(X, Q)                aggregate, linear between neighbours (Hyndman-Fan type 7)
 *   geomean(X)                    aggregate, of positive numbers; anything else is an error
 */
#ifndef ABDB_FUNCTIONS_H
#define ABDB_FUNCTIONS_H

#include <sqlite3.h>

/* Registers all functions on db; returns SQLite's code. */
int abdb_functions_register(sqlite3 *db);

#endif
