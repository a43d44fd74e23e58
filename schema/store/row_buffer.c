/* row_buffer.c - rows gathered in memory, ROWS at a time, and the virtual table that reads them;
 * see row_buffer.h. The virtual table is eponymous (it has no xCreate): it exists as soon as its
 * module is registered, leaves nothing in the file, and one INSERT ... SELECT of it takes all
 * waiting rows. The statement reads only columns that some row has set so far, with NULL for the
 * others: most rows leave most columns out, and each column that is read costs time. */
#include "schema/store/row_buffer.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "schema/core/text.h"

enum { ROWS = 256, COLUMNS_MAX = 64 };

typedef struct {
    enum { CELL_NULL, CELL_WHOLE, CELL_NUMBER, CELL_TEXT } kind;
    int size; /* of a text */
    union {
        sqlite3_int64 whole;
        double number;
        const char *text;
    };
} cell;

struct abdb_row_buffer {
    abdb_db *db;
    sqlite3_stmt *insert;
    char name[40]; /* of the virtual table; that which is written is behind NAME_BEGINS */
    int columns, waiting;
    uint64_t said,
        asked;   /* columns that any row has set, and columns of the statement: bit 0, ... */
    bool failed; /* there was no memory for a text */
    abdb_arena text;
    cell row[]; /* ROWS x columns */
};

/* --- the virtual table ------------------------------------------------------------------------ */

#define NAME_BEGINS "gathered_"

typedef struct {
    sqlite3_vtab base;
    abdb_row_buffer *rows;
} gathered;

typedef struct {
    sqlite3_vtab_cursor base;
    int at;
} reader;

static abdb_row_buffer *buffer_of_cursor(sqlite3_vtab_cursor *cursor)
{
    return ((gathered *)cursor->pVtab)->rows;
}

/* Declares the virtual table over the buffered rows, with columns c1, c2, ... */
static int row_vtab_connect(sqlite3 *db, void *rows, int argc, const char *const *argv,
                            sqlite3_vtab **out, char **error)
{
    abdb_row_buffer *g = rows;
    gathered *table = sqlite3_malloc(sizeof *table);
    abdb_text sql = {0};
    int code = SQLITE_NOMEM;

    (void)argc, (void)argv, (void)error;
    for (int i = 0; i < g->columns; i++) abdb_text_printf(&sql, ",c%d", i + 1);
    if (table && !sql.failed) {
        char *declared = sqlite3_mprintf("CREATE TABLE x (%s)", abdb_text_get(&sql) + 1);

        *table = (gathered){.rows = g};
        if (declared) code = sqlite3_declare_vtab(db, declared);
        sqlite3_free(declared);
    }
    abdb_text_free(&sql);
    if (code == SQLITE_OK)
        *out = &table->base;
    else
        sqlite3_free(table);
    return code;
}

static int row_vtab_disconnect(sqlite3_vtab *table)
{
    sqlite3_free(table);
    return SQLITE_OK;
}

static int row_vtab_best_index(sqlite3_vtab *table, sqlite3_index_info *info)
{
    (void)table, (void)info; /* all rows, in their order */
    return SQLITE_OK;
}

/* Opens a cursor before the first buffered row. */
static int row_vtab_open_cursor(sqlite3_vtab *table, sqlite3_vtab_cursor **out)
{
    reader *r = sqlite3_malloc(sizeof *r);

    (void)table;
    if (!r) return SQLITE_NOMEM;
    *r = (reader){0};
    *out = &r->base;
    return SQLITE_OK;
}

static int row_vtab_close_cursor(sqlite3_vtab_cursor *cursor)
{
    sqlite3_free(cursor);
    return SQLITE_OK;
}

static int row_vtab_filter_rewind(sqlite3_vtab_cursor *cursor, int number, const char *name,
                                  int argc, sqlite3_value **argv)
{
    (void)number, (void)name, (void)argc, (void)argv;
    ((reader *)cursor)->at = 0;
    return SQLITE_OK;
}

static int row_vtab_next(sqlite3_vtab_cursor *cursor)
{
    ((reader *)cursor)->at++;
    return SQLITE_OK;
}

static int row_vtab_is_at_end(sqlite3_vtab_cursor *cursor)
{
    return ((reader *)cursor)->at >= buffer_of_cursor(cursor)->waiting;
}

/* Returns one cell of the current row to SQLite; its text stays in the buffer. */
static int row_vtab_result_column(sqlite3_vtab_cursor *cursor, sqlite3_context *context, int column)
{
    const abdb_row_buffer *g = buffer_of_cursor(cursor);
    const cell *c = &g->row[((reader *)cursor)->at * g->columns + column];

    switch (c->kind) {
    case CELL_WHOLE: sqlite3_result_int64(context, c->whole); break;
    case CELL_NUMBER: sqlite3_result_double(context, c->number); break;
    case CELL_TEXT: sqlite3_result_text(context, c->text, c->size, SQLITE_STATIC); break;
    default: break; /* it is NULL already */
    }
    return SQLITE_OK;
}

static int row_vtab_rowid(sqlite3_vtab_cursor *cursor, sqlite3_int64 *out)
{
    *out = ((reader *)cursor)->at;
    return SQLITE_OK;
}

static const sqlite3_module module = {.xConnect = row_vtab_connect,
                                      .xBestIndex = row_vtab_best_index,
                                      .xDisconnect = row_vtab_disconnect,
                                      .xOpen = row_vtab_open_cursor,
                                      .xClose = row_vtab_close_cursor,
                                      .xFilter = row_vtab_filter_rewind,
                                      .xNext = row_vtab_next,
                                      .xEof = row_vtab_is_at_end,
                                      .xColumn = row_vtab_result_column,
                                      .xRowid = row_vtab_rowid};

/* --- rows ------------------------------------------------------------------------------------- */

/* The statement for all columns that were said. An error ends the unit, so the statement is never
 * undone alone (OR FAIL): that would cost a journal of its own. */
static abdb_status prepare_insert_of_set_columns(abdb_row_buffer *g, abdb_error *err)
{
    const char *table = g->name + strlen(NAME_BEGINS);
    abdb_text sql = {0};
    int code = SQLITE_NOMEM;

    sqlite3_finalize(g->insert);
    g->insert = NULL;
    abdb_text_printf(&sql, "INSERT OR FAIL INTO %s SELECT ", table);
    for (int i = 0; i < g->columns; i++) {
        if (i) abdb_text_puts(&sql, ",");
        if (g->said >> i & 1)
            abdb_text_printf(&sql, "c%d", i + 1);
        else
            abdb_text_puts(&sql, "NULL");
    }
    abdb_text_printf(&sql, " FROM %s", g->name);
    if (!sql.failed)
        code = sqlite3_prepare_v3(g->db->sql, abdb_text_get(&sql), -1, SQLITE_PREPARE_PERSISTENT,
                                  &g->insert, NULL);
    abdb_text_free(&sql);
    g->asked = g->said;
    return code == SQLITE_OK ? ABDB_OK : abdb_db_report_sqlite_error(g->db, err, table);
}

abdb_status abdb_row_buffer_open(abdb_row_buffer **out, abdb_db *db, const char *table, int columns,
                                 abdb_error *err)
{
    abdb_row_buffer *g = NULL;

    if (columns > COLUMNS_MAX)
        return ABDB_FAIL(err, ABDB_LIMIT, "%s: more than %d columns", table, COLUMNS_MAX);
    g = calloc(1, sizeof *g + (size_t)ROWS * (size_t)columns * sizeof *g->row);
    if (!g) return ABDB_FAIL(err, ABDB_NOMEM, "rows");
    g->db = db;
    g->columns = columns;
    snprintf(g->name, sizeof g->name, NAME_BEGINS "%s", table);
    if (sqlite3_create_module_v2(db->sql, g->name, &module, g, NULL) != SQLITE_OK) {
        abdb_db_report_sqlite_error(db, err, table);
        abdb_row_buffer_discard_and_close(g);
        return ABDB_DB;
    }
    *out = g;
    return ABDB_OK;
}

void abdb_row_buffer_discard_and_close(abdb_row_buffer *g)
{
    if (!g) return;
    sqlite3_finalize(g->insert);
    sqlite3_create_module_v2(g->db->sql, g->name, NULL, NULL, NULL);
    abdb_arena_free(&g->text);
    free(g);
}

static cell *mark_column_get_cell(abdb_row_buffer *g, int column)
{
    g->said |= (uint64_t)1 << (column - 1);
    return &g->row[g->waiting * g->columns + column - 1];
}

void abdb_row_buffer_set_integer(abdb_row_buffer *g, int column, sqlite3_int64 value)
{
    *mark_column_get_cell(g, column) = (cell){.kind = CELL_WHOLE, .whole = value};
}

void abdb_row_buffer_set_double(abdb_row_buffer *g, int column, double value)
{
    *mark_column_get_cell(g, column) = (cell){.kind = CELL_NUMBER, .number = value};
}

void abdb_row_buffer_set_text(abdb_row_buffer *g, int column, const char *text)
{
    size_t size = strlen(text);
    char *copy = abdb_arena_copy(&g->text, text, size);

    *mark_column_get_cell(g, column) = (cell){.kind = CELL_TEXT, .size = (int)size, .text = copy};
    g->failed |= !copy;
}

abdb_status abdb_row_buffer_end_row_insert_if_full(abdb_row_buffer *g, abdb_error *err)
{
    return ++g->waiting < ROWS ? ABDB_OK : abdb_row_buffer_insert_waiting(g, err);
}

abdb_status abdb_row_buffer_insert_waiting(abdb_row_buffer *g, abdb_error *err)
{
    int code;
    abdb_status st = ABDB_OK;

    if (!g || !g->waiting) return ABDB_OK;
    if (g->failed) return ABDB_FAIL(err, ABDB_NOMEM, "rows");
    if (!g->insert || g->said != g->asked) TRY(prepare_insert_of_set_columns(g, err));
    code = sqlite3_step(g->insert);
    sqlite3_reset(g->insert);
    memset(g->row, 0, (size_t)g->waiting * (size_t)g->columns * sizeof *g->row);
    g->waiting = 0;
    abdb_arena_clear(&g->text);
    if (code != SQLITE_DONE) st = abdb_db_report_sqlite_error(g->db, err, "write");
done:
    return st;
}
