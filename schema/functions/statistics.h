/* statistics.h - statistics as SQL aggregates that are window functions too. NULLs are left out.
 * functions.def lists them with their arguments. Intervals are NULL where the samples are too few.
 * Definitions: schema/core/stats.h and twosample.h.
 */
#ifndef ABDB_FUNCTIONS_STATISTICS_H
#define ABDB_FUNCTIONS_STATISTICS_H

#include "schema/functions/sqlite.h"

/* SQLITE_OK, or SQLite's code. */
int abdb_statistics_register(sqlite3 *db);

#endif
