/* sql_rows.c - rows of one read-only statement into a table; see sql_rows.h. */
#include "query/answer/sql_rows.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Limits for one process; larger results need a LIMIT, or the database file itself. */
enum { ROWS_MAX = 20 * 1000 * 1000 };
static const size_t text_size_max = 2ul << 30;

bool abdb_bind_add_text(abdb_binds *binds, const char *text)
{
    if (binds->count == ABDB_BIND_MAX) return false;
    binds->value[binds->count].num = NAN;
    binds->value[binds->count++].text = text;
    return true;
}

bool abdb_bind_add_number(abdb_binds *binds, double number)
{
    if (!abdb_bind_add_text(binds, NULL)) return false;
    binds->value[binds->count - 1].num = number;
    return true;
}

/* A number that is NaN binds NULL: a value that was not given. */
void abdb_binds_apply(const abdb_binds *binds, sqlite3_stmt *s)
{
    for (size_t i = 0; i < binds->count; i++) {
        if (binds->value[i].text)
            sqlite3_bind_text(s, (int)i + 1, binds->value[i].text, -1, SQLITE_STATIC);
        else if (!isnan(binds->value[i].num))
            sqlite3_bind_double(s, (int)i + 1, binds->value[i].num);
        else
            sqlite3_bind_null(s, (int)i + 1);
    }
}

abdb_status abdb_table_reset_to_sql_columns(sqlite3_stmt *s, abdb_table *t, abdb_error *err)
{
    int count = sqlite3_column_count(s);

    if (count > ABDB_COLUMN_MAX)
        return ABDB_FAIL(err, ABDB_LIMIT, "%d columns; at most %d are shown", count,
                         ABDB_COLUMN_MAX);
    t->columns = t->rows = 0;
    free(t->value);
    t->value = NULL;
    t->capacity = 0;
    for (int i = 0; i < count; i++) {
        const char *said = sqlite3_column_name(s, i);
        char *name = said ? abdb_arena_copy(&t->arena, said, strlen(said)) : NULL;

        for (int n = 2; name && abdb_table_column_index(t, name) >= 0;
             n++) /* JSON would lose one */
            name = abdb_arena_printf(&t->arena, "%s_%d", said, n);
        if (!name) return ABDB_FAIL(err, ABDB_NOMEM, "columns");
        t->column[t->columns++].name = name;
    }
    return ABDB_OK;
}

abdb_status abdb_table_append_current_sql_row(sqlite3_stmt *s, abdb_table *t, abdb_error *err)
{
    abdb_value *v;
    const char *text;

    if (t->rows >= ROWS_MAX)
        return ABDB_FAIL(err, ABDB_LIMIT, "too many rows to hold (%zu); add a LIMIT", t->rows);
    v = abdb_table_append_row(t);
    if (!v) return ABDB_FAIL(err, ABDB_NOMEM, "%zu rows", t->rows);
    for (int i = 0; i < (int)t->columns; i++) {
        switch (sqlite3_column_type(s, i)) {
        case SQLITE_NULL: v[i].kind = ABDB_NULL; break;
        case SQLITE_INTEGER:
            v[i].kind = ABDB_INTEGER;
            v[i].integer = sqlite3_column_int64(s, i);
            break;
        case SQLITE_FLOAT:
            v[i].kind = ABDB_REAL;
            v[i].real = sqlite3_column_double(s, i);
            break;
        default:
            v[i].kind = ABDB_STRING;
            t->text_size += (size_t)sqlite3_column_bytes(s, i);
            if (t->text_size > text_size_max)
                return ABDB_FAIL(err, ABDB_LIMIT, "more than 2 GiB of text; add a LIMIT");
            text = abdb_sql_text_or_null(s, i);
            v[i].text = abdb_arena_copy(&t->arena, text ? text : "",
                                        text ? (size_t)sqlite3_column_bytes(s, i) : 0);
            if (!v[i].text) return ABDB_FAIL(err, ABDB_NOMEM, "%zu rows", t->rows);
        }
    }
    return ABDB_OK;
}

abdb_status abdb_fail_with_sql_read_error(sqlite3 *db, abdb_error *err)
{
    switch (sqlite3_errcode(db) & 0xff) {
    case SQLITE_NOMEM: return ABDB_FAIL(err, ABDB_NOMEM, "reading the database");
    case SQLITE_INTERRUPT:
        return ABDB_FAIL(err, ABDB_LIMIT,
                         "the time-out was reached; --timeout SECONDS allows more");
    case SQLITE_CORRUPT:
        return ABDB_FAIL(err, ABDB_DB,
                         "%s is damaged, or its disk cannot read it (%s); restore a backup, or"
                         " rescue it with sqlite3 .recover",
                         sqlite3_db_filename(db, "main"), sqlite3_errmsg(db));
    default: return ABDB_FAIL(err, ABDB_DB, "cannot read the database: %s", sqlite3_errmsg(db));
    }
}

abdb_status abdb_query_to_table(sqlite3 *db, const char *sql, const abdb_binds *binds,
                                abdb_table *table, abdb_error *err)
{
    sqlite3_stmt *s = NULL;
    int code = sqlite3_prepare_v2(db, sql, -1, &s, NULL);
    abdb_status st = ABDB_OK;

    if (code != SQLITE_OK) TRY(abdb_fail_with_sql_read_error(db, err));
    if (binds) abdb_binds_apply(binds, s);
    TRY(abdb_table_reset_to_sql_columns(s, table, err));
    while ((code = sqlite3_step(s)) == SQLITE_ROW)
        TRY(abdb_table_append_current_sql_row(s, table, err));
    if (code != SQLITE_DONE) TRY(abdb_fail_with_sql_read_error(db, err));
done:
    sqlite3_finalize(s);
    return st;
}

abdb_status abdb_query_with_three_texts_to_table(sqlite3 *db, const char *sql, const char *a,
                                                 const char *b, const char *c, abdb_table *table,
                                                 abdb_error *err)
{
    abdb_binds binds = {0};

    (void)(abdb_bind_add_text(&binds, a) && abdb_bind_add_text(&binds, b) &&
           abdb_bind_add_text(&binds, c));
    return abdb_query_to_table(db, sql, &binds, table, err);
}

const char *abdb_cell_text_or_empty(const abdb_table *table, size_t row, size_t column)
{
    static _Thread_local char number[4][32];
    static _Thread_local int next;

    next = (next + 1) % 4;
    return abdb_value_text(&table->value[row * table->columns + column], number[next]);
}

double abdb_cell_number_or_nan(const abdb_table *table, size_t row, size_t column)
{
    const abdb_value *v = &table->value[row * table->columns + column];

    return v->kind == ABDB_REAL ? v->real : v->kind == ABDB_INTEGER ? (double)v->integer : NAN;
}
