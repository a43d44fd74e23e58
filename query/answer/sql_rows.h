/* sql_rows.h - rows of one read-only statement into a table. Works on a bare sqlite3, so that the
 * loadable extension can use it inside any program. */
#ifndef ABDB_QUERY_ROWS_H
#define ABDB_QUERY_ROWS_H

#include "query/answer/table.h"
#include "schema/functions/sqlite.h"

enum { ABDB_BIND_MAX = 96 };

/* Values of ?1, ?2, ...; text NULL: the number, and a NaN is NULL. */
typedef struct {
    size_t count;
    struct {
        const char *text;
        double num;
    } value[ABDB_BIND_MAX];
} abdb_binds;

/* False: no room for one more. */
bool abdb_bind_add_text(abdb_binds *binds, const char *text);
bool abdb_bind_add_number(abdb_binds *binds, double number);
void abdb_binds_apply(const abdb_binds *binds, sqlite3_stmt *s);

/* The columns of a statement, of two with one name the second as NAME_2, and no rows yet.
 * ABDB_LIMIT: more than are shown. */
ABDB_MUST_USE abdb_status abdb_table_reset_to_sql_columns(sqlite3_stmt *s, abdb_table *table,
                                                          abdb_error *err);
/* The row at which the statement stands. ABDB_LIMIT: more rows than can be held. */
ABDB_MUST_USE abdb_status abdb_table_append_current_sql_row(sqlite3_stmt *s, abdb_table *table,
                                                            abdb_error *err);
/* Why a statement of ours failed: ABDB_NOMEM, ABDB_LIMIT at the time-out, else ABDB_DB with
 * SQLite's words. */
abdb_status abdb_fail_with_sql_read_error(sqlite3 *db, abdb_error *err);
/* All rows of one statement. binds may be NULL. ABDB_DB: SQLite's words. */
ABDB_MUST_USE abdb_status abdb_query_to_table(sqlite3 *db, const char *sql, const abdb_binds *binds,
                                              abdb_table *table, abdb_error *err);
/* The same, with three texts as ?1, ?2 and ?3; one that the statement does not have may be NULL. */
ABDB_MUST_USE abdb_status abdb_query_with_three_texts_to_table(sqlite3 *db, const char *sql,
                                                               const char *a, const char *b,
                                                               const char *c, abdb_table *table,
                                                               abdb_error *err);
/* Text of a cell; "" where it is NULL. The text is the table's, or the thread's for a number. */
const char *abdb_cell_text_or_empty(const abdb_table *table, size_t row, size_t column);
/* A cell as a number; NAN where it is none. */
double abdb_cell_number_or_nan(const abdb_table *table, size_t row, size_t column);

#endif
