/* row_buffer.h - rows of a table, gathered in memory and stored many at a time. A virtual table
 * hands them to one INSERT, which takes two thirds of the time of binding them as parameters. */
#ifndef ABDB_STORE_GATHER_H
#define ABDB_STORE_GATHER_H

#include "schema/store/db.h"

typedef struct abdb_row_buffer abdb_row_buffer;

/* Rows of a table with so many columns. */
ABDB_MUST_USE abdb_status abdb_row_buffer_open(abdb_row_buffer **out, abdb_db *db,
                                               const char *table, int columns, abdb_error *err);
/* Rows that were not stored are lost. */
void abdb_row_buffer_discard_and_close(abdb_row_buffer *g);

/* Sets column 1, 2, ... of the current row; columns not set are NULL. Text is copied. */
void abdb_row_buffer_set_integer(abdb_row_buffer *g, int column, sqlite3_int64 value);
void abdb_row_buffer_set_double(abdb_row_buffer *g, int column, double value);
void abdb_row_buffer_set_text(abdb_row_buffer *g, int column, const char *text);
/* The row at hand is complete; when there are many, they are stored. */
ABDB_MUST_USE abdb_status abdb_row_buffer_end_row_insert_if_full(abdb_row_buffer *g,
                                                                 abdb_error *err);
/* Inserts the waiting rows; g NULL: there are none. */
ABDB_MUST_USE abdb_status abdb_row_buffer_insert_waiting(abdb_row_buffer *g, abdb_error *err);

#endif
