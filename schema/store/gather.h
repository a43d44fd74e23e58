/* gather.h - rows of a table, gathered in memory and stored many at a time. A virtual table hands
 * them to one INSERT, which takes two thirds of the time of binding them as parameters. */
#ifndef ABDB_STORE_GATHER_H
#define ABDB_STORE_GATHER_H

#include "schema/store/db.h"

typedef struct abdb_gather abdb_gather;

/* Rows of a table with so many columns. */
ABDB_MUST_USE abdb_status abdb_gather_open(abdb_gather **out, abdb_db *db, const char *table,
                                           int columns, abdb_error *err);
/* Those that were not stored are lost. */
void abdb_gather_close(abdb_gather *g);

/* Column 1, 2, ... of the row at hand; what is not said is NULL. Text is copied. */
void abdb_gather_whole(abdb_gather *g, int column, sqlite3_int64 value);
void abdb_gather_number(abdb_gather *g, int column, double value);
void abdb_gather_text(abdb_gather *g, int column, const char *text);
/* The row at hand is complete; when there are many, they are stored. */
ABDB_MUST_USE abdb_status abdb_gather_row(abdb_gather *g, abdb_error *err);
/* Stores those that wait; NULL: there are none. */
ABDB_MUST_USE abdb_status abdb_gather_flush(abdb_gather *g, abdb_error *err);

#endif
