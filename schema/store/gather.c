/* gather.c - rows gathered in memory, ROWS at a time, and the virtual table that reads them; see
 * gather.h. The virtual table is eponymous (it has no xCreate): it exists as soon as its module
 * is registered, leaves nothing in the file, and one INSERT ... SELECT of it takes all waiting
 * rows. The statement asks for the columns that a row has said so far, and has NULL for the others:
 * most rows leave most columns out, and each that is asked for costs. */
#include "schema/store/gather.h"

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

struct abdb_gather {
    abdb_db *db;
    sqlite3_stmt *insert;
    char name[40]; /* of the virtual table; that which is written is behind NAME_BEGINS */
    int columns, waiting;
    uint64_t said,
        asked;   /* columns that any row has said, and those of the statement: bit 0, ... */
    bool failed; /* there was no memory for a text */
    abdb_arena text;
    cell row[]; /* ROWS x columns */
};

/* --- the virtual table ------------------------------------------------------------------------ */

#define NAME_BEGINS "gathered_"

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

/* The statement for all columns that were said. An error ends the unit, so the statement is never
 * undone alone (OR FAIL): that would cost a journal of its own. */
static abdb_status prepare(abdb_gather *g, abdb_error *err)
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
    return code == SQLITE_OK ? ABDB_OK : abdb_db_fail(g->db, err, table);
}

abdb_status abdb_gather_open(abdb_gather **out, abdb_db *db, const char *table, int columns,
                             abdb_error *err)
{
    abdb_gather *g = NULL;

    if (columns > COLUMNS_MAX)
        return ABDB_FAIL(err, ABDB_LIMIT, "%s: more than %d columns", table, COLUMNS_MAX);
    g = calloc(1, sizeof *g + (size_t)ROWS * (size_t)columns * sizeof *g->row);
    if (!g) return ABDB_FAIL(err, ABDB_NOMEM, "rows");
    g->db = db;
    g->columns = columns;
    snprintf(g->name, sizeof g->name, NAME_BEGINS "%s", table);
    if (sqlite3_create_module_v2(db->sql, g->name, &module, g, NULL) != SQLITE_OK) {
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
    g->said |= (uint64_t)1 << (column - 1);
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
    abdb_status st = ABDB_OK;

    if (!g || !g->waiting) return ABDB_OK;
    if (g->failed) return ABDB_FAIL(err, ABDB_NOMEM, "rows");
    if (!g->insert || g->said != g->asked) TRY(prepare(g, err));
    code = sqlite3_step(g->insert);
    sqlite3_reset(g->insert);
    memset(g->row, 0, (size_t)g->waiting * (size_t)g->columns * sizeof *g->row);
    g->waiting = 0;
    abdb_arena_clear(&g->text);
    if (code != SQLITE_DONE) st = abdb_db_fail(g->db, err, "write");
done:
    return st;
}
