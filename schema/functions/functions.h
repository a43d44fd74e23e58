/* functions.h - SQL functions in C, linked into abdb and built as the loadable extension abdb.so.
 *   abdb_fold(TEXT)               a name without case and punctuation
 *   to_unit(NUMBER, FROM, TO)     unit conversion; another dimension is an error
 *   key_number(KEY)               entry_key, spec_key or price_key of a printed key: indexed
 *   key_ordinal(KEY)              place of a result in its entry, the last part of its printed key
 *   offer_fits(DEVICES, NODES, OFFERED)  1: an offer of so many devices together holds a node of a
 *                                 system of DEVICES on NODES (core/offer.h). NULL: not known
 * and the statistics of statistics.h.
 */
#ifndef ABDB_FUNCTIONS_H
#define ABDB_FUNCTIONS_H

#include "schema/functions/sqlite.h"

/* Registers all functions on db; returns SQLite's code. */
int abdb_functions_register(sqlite3 *db);

#endif
