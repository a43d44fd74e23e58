/* gather.c - rows gathered in memory, ROWS at a time, and the virtual table that reads them; see
 * gather.h. The virtual table is eponymous (it has no xCreate): it exists as soon as its module
 * is registered, leaves nothing in the file, and INSERT ... SELECT * FROM it takes all waiting
 * rows. */
#include "schema/store/gather.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "schema/core/text.h"

enum { ROWS = 256 };

typedef struct {
    enum { CELL_NULL, CELL_WHOLE, CELL_NUMBER, CELL_TEXT } kind;
    int size; /* of a text */
    union {
        sqlite3_int64 whole;
        double number;
        const char *text;
    };
} cell;

struct abdb_gather {
    abdb_db *db;
    sqlite3_stmt *insert;
    char name[40]; /* of the virtual table */
    int columns, waiting;
    bool failed; /* there was no memory for a text */
    abdb_arena text;
    cell row[]; /* ROWS x columns */
};

/* --- the virtual table ------------------------------------------------------------------------ */

typedef struct {
    sqlite3_vtab base;
    abdb_gather *rows;
} gathered;

typedef struct {
    sqlite3_vtab_cursor base;
    int at;
} reader;

static abdb_gather *rows_of(sqlite3_vtab_cursor *cursor)
{
    return ((gathered *)cursor->pVtab)->rows;
}

static int connect(sqlite3 *db, void *rows, int argc, const char *const *argv, sqlite3_vtab **out,
                   char **error)
{
    abdb_gather *g = rows;
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

static int disconnect(sqlite3_vtab *table)
{
    sqlite3_free(table);
    return SQLITE_OK;
}

static int plan(sqlite3_vtab *table, sqlite3_index_info *info)
{
    (void)table, (void)info; /* all rows, in their order */
    return SQLITE_OK;
}

static int open_reader(sqlite3_vtab *table, sqlite3_vtab_cursor **out)
{
    reader *r = sqlite3_malloc(sizeof *r);

    (void)table;
    if (!r) return SQLITE_NOMEM;
    *r = (reader){0};
    *out = &r->base;
    return SQLITE_OK;
}

static int close_reader(sqlite3_vtab_cursor *cursor)
{
    sqlite3_free(cursor);
    return SQLITE_OK;
}

static int to_first(sqlite3_vtab_cursor *cursor, int number, const char *name, int argc,
                    sqlite3_value **argv)
{
    (void)number, (void)name, (void)argc, (void)argv;
    ((reader *)cursor)->at = 0;
    return SQLITE_OK;
}

static int to_next(sqlite3_vtab_cursor *cursor)
{
    ((reader *)cursor)->at++;
    return SQLITE_OK;
}

static int at_end(sqlite3_vtab_cursor *cursor)
{
    return ((reader *)cursor)->at >= rows_of(cursor)->waiting;
}

static int read_cell(sqlite3_vtab_cursor *cursor, sqlite3_context *context, int column)
{
    const abdb_gather *g = rows_of(cursor);
    const cell *c = &g->row[((reader *)cursor)->at * g->columns + column];

    switch (c->kind) {
    case CELL_WHOLE: sqlite3_result_int64(context, c->whole); break;
    case CELL_NUMBER: sqlite3_result_double(context, c->number); break;
    case CELL_TEXT: sqlite3_result_text(context, c->text, c->size, SQLITE_STATIC); break;
    default: break; /* it is NULL already */
    }
    return SQLITE_OK;
}

static int read_place(sqlite3_vtab_cursor *cursor, sqlite3_int64 *out)
{
    *out = ((reader *)cursor)->at;
    return SQLITE_OK;
}

static const sqlite3_module module = {.xConnect = connect,
                                      .xBestIndex = plan,
                                      .xDisconnect = disconnect,
                                      .xOpen = open_reader,
                                      .xClose = close_reader,
                                      .xFilter = to_first,
                                      .xNext = to_next,
                                      .xEof = at_end,
                                      .xColumn = read_cell,
                                      .xRowid = read_place};

/* --- rows ------------------------------------------------------------------------------------- */

/* An error ends the unit, so the statement is never undone alone (OR FAIL): that would cost a
 * journal of its own. */
abdb_status abdb_gather_open(abdb_gather **out, abdb_db *db, const char *table, int columns,
                             abdb_error *err)
{
    abdb_gather *g = calloc(1, sizeof *g + (size_t)ROWS * (size_t)columns * sizeof *g->row);
    abdb_text sql = {0};
    int code = SQLITE_NOMEM;

    if (!g) return ABDB_FAIL(err, ABDB_NOMEM, "rows");
    g->db = db;
    g->columns = columns;
    snprintf(g->name, sizeof g->name, "gathered_%s", table);
    abdb_text_printf(&sql, "INSERT OR FAIL INTO %s SELECT * FROM %s", table, g->name);
    if (!sql.failed) code = sqlite3_create_module_v2(db->sql, g->name, &module, g, NULL);
    if (code == SQLITE_OK)
        code = sqlite3_prepare_v3(db->sql, abdb_text_get(&sql), -1, SQLITE_PREPARE_PERSISTENT,
                                  &g->insert, NULL);
    abdb_text_free(&sql);
    if (code != SQLITE_OK) {
        abdb_db_fail(db, err, table);
        abdb_gather_close(g);
        return ABDB_DB;
    }
    *out = g;
    return ABDB_OK;
}

void abdb_gather_close(abdb_gather *g)
{
    if (!g) return;
    sqlite3_finalize(g->insert);
    sqlite3_create_module_v2(g->db->sql, g->name, NULL, NULL, NULL);
    abdb_arena_free(&g->text);
    free(g);
}

static cell *at(abdb_gather *g, int column)
{
    return &g->row[g->waiting * g->columns + column - 1];
}

void abdb_gather_whole(abdb_gather *g, int column, sqlite3_int64 value)
{
    *at(g, column) = (cell){.kind = CELL_WHOLE, .whole = value};
}

void abdb_gather_number(abdb_gather *g, int column, double value)
{
    *at(g, column) = (cell){.kind = CELL_NUMBER, .number = value};
}

void abdb_gather_text(abdb_gather *g, int column, const char *text)
{
    size_t size = strlen(text);
    char *copy = abdb_arena_copy(&g->text, text, size);

    *at(g, column) = (cell){.kind = CELL_TEXT, .size = (int)size, .text = copy};
    g->failed |= !copy;
}

abdb_status abdb_gather_row(abdb_gather *g, abdb_error *err)
{
    return ++g->waiting < ROWS ? ABDB_OK : abdb_gather_flush(g, err);
}

abdb_status abdb_gather_flush(abdb_gather *g, abdb_error *err)
{
    int code;

    if (!g || !g->waiting) return ABDB_OK;
    if (g->failed) return ABDB_FAIL(err, ABDB_NOMEM, "rows");
    code = sqlite3_step(g->insert);
    sqlite3_reset(g->insert);
    memset(g->row, 0, (size_t)g->waiting * (size_t)g->columns * sizeof *g->row);
    g->waiting = 0;
    abdb_arena_clear(&g->text);
    return code == SQLITE_DONE ? ABDB_OK : abdb_db_fail(g->db, err, "write");
}
