/* table_functions.c - SQLite's side of the table-valued functions: eponymous virtual tables whose
 * hidden columns are the arguments. A call computes all rows at once (xFilter); the cursor then
 * walks them. See table_functions.h. */
#include "query/sql_tables/table_functions.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
    sqlite3_vtab base; /* first: SQLite's */
    const abdb_table_function *function;
    sqlite3 *db;
} module;

typedef struct {
    sqlite3_vtab_cursor base; /* first: SQLite's */
    abdb_table table;
    char *argument[ABDB_ARGUMENTS_MAX];
    size_t row;
} cursor;

/* Declares the table of a function; one with side effects is for top-level SQL only. */
static int vtab_connect(sqlite3 *db, void *aux, int argc, const char *const *argv,
                        sqlite3_vtab **out, char **message)
{
    const abdb_table_function *f = aux;
    int code = sqlite3_declare_vtab(db, f->schema);
    module *m;

    (void)argc, (void)argv, (void)message;
    if (code != SQLITE_OK) return code;
    sqlite3_vtab_config(db, f->needs ? SQLITE_VTAB_DIRECTONLY : SQLITE_VTAB_INNOCUOUS);
    m = sqlite3_malloc(sizeof *m);
    if (!m) return SQLITE_NOMEM;
    *m = (module){.function = f, .db = db};
    *out = &m->base;
    return SQLITE_OK;
}

static int vtab_disconnect(sqlite3_vtab *vtab)
{
    sqlite3_free(vtab);
    return SQLITE_OK;
}

/* idxNum has a bit for each argument that is given; they come in order. */
static int vtab_best_index(sqlite3_vtab *vtab, sqlite3_index_info *info)
{
    const abdb_table_function *f = ((module *)vtab)->function;
    int at[ABDB_ARGUMENTS_MAX] = {-1, -1, -1, -1, -1}, next = 1;

    for (int i = 0; i < info->nConstraint; i++) {
        int argument = info->aConstraint[i].iColumn - f->columns;

        if (argument < 0 || argument >= f->allowed ||
            info->aConstraint[i].op != SQLITE_INDEX_CONSTRAINT_EQ)
            continue;
        if (!info->aConstraint[i].usable) return SQLITE_CONSTRAINT;
        at[argument] = i;
    }
    for (int i = 0; i < f->allowed; i++) {
        if (at[i] < 0) {
            if (i >= f->required) continue;
            vtab->zErrMsg = sqlite3_mprintf("%s wants %d arguments", f->name, f->required);
            return SQLITE_ERROR;
        }
        info->aConstraintUsage[at[i]].argvIndex = next++;
        info->aConstraintUsage[at[i]].omit = 1;
        info->idxNum |= 1 << i;
    }
    /* Dearer than any table, so that the planner calls it seldom: outermost. */
    info->estimatedCost = 1e4;
    info->estimatedRows = 100;
    return SQLITE_OK;
}

/* Opens a cursor without rows. */
static int vtab_open_cursor(sqlite3_vtab *vtab, sqlite3_vtab_cursor **out)
{
    cursor *c = calloc(1, sizeof *c);

    (void)vtab;
    if (!c) return SQLITE_NOMEM;
    *out = &c->base;
    return SQLITE_OK;
}

/* Frees the arguments and rows of a cursor. */
static void clear_cursor(cursor *c)
{
    for (int i = 0; i < ABDB_ARGUMENTS_MAX; i++) {
        free(c->argument[i]);
        c->argument[i] = NULL;
    }
    abdb_table_free(&c->table);
    c->row = 0;
}

static int vtab_close_cursor(sqlite3_vtab_cursor *base)
{
    clear_cursor((cursor *)base);
    free(base);
    return SQLITE_OK;
}

/* Takes the arguments and computes all rows of the function at once. */
static int vtab_compute_all_rows(sqlite3_vtab_cursor *base, int given, const char *ignored,
                                 int argc, sqlite3_value **argv)
{
    cursor *c = (cursor *)base;
    module *m = (module *)base->pVtab;
    abdb_error err;

    (void)ignored;
    clear_cursor(c);
    for (int i = 0, next = 0; i < ABDB_ARGUMENTS_MAX && next < argc; i++) {
        const char *text;

        if (!(given & 1 << i)) continue;
        text = (const char *)sqlite3_value_text(argv[next++]);
        if (text && !(c->argument[i] = strdup(text))) return SQLITE_NOMEM;
        if (!text && i < m->function->required) return SQLITE_OK; /* of NULL there are no rows */
    }
    if (m->function->compute_rows(m->db, (const char *const *)c->argument, &c->table, &err) ==
        ABDB_OK)
        return SQLITE_OK;
    sqlite3_free(base->pVtab->zErrMsg);
    base->pVtab->zErrMsg = sqlite3_mprintf("%s: %s", m->function->name, err.message);
    /* a failure of the database has another code than a mistake in the SQL */
    return err.status == ABDB_DB ? SQLITE_IOERR : SQLITE_ERROR;
}

static int vtab_next_row(sqlite3_vtab_cursor *base)
{
    ((cursor *)base)->row++;
    return SQLITE_OK;
}

static int vtab_is_past_end(sqlite3_vtab_cursor *base)
{
    return ((cursor *)base)->row >= ((cursor *)base)->table.rows;
}

/* Returns a cell of the current row, or an argument, to SQLite. */
static int vtab_column_value(sqlite3_vtab_cursor *base, sqlite3_context *context, int i)
{
    const cursor *c = (const cursor *)base;
    const abdb_table_function *f = ((module *)base->pVtab)->function;
    const abdb_value *v;

    if (i >= f->columns && i < f->columns + f->allowed) { /* an argument */
        sqlite3_result_text(context, c->argument[i - f->columns], -1, SQLITE_TRANSIENT);
        return SQLITE_OK;
    }
    v = &c->table.value[c->row * c->table.columns + (size_t)(i < f->columns ? i : i - f->allowed)];
    switch (v->kind) {
    case ABDB_INTEGER: sqlite3_result_int64(context, v->integer); break;
    case ABDB_REAL: sqlite3_result_double(context, v->real); break;
    case ABDB_STRING: /* bytes that are no text have their size in `integer` */
        if (v->integer > 0)
            sqlite3_result_blob64(context, v->text, (sqlite3_uint64)v->integer, SQLITE_TRANSIENT);
        else
            sqlite3_result_text(context, v->text, -1, SQLITE_TRANSIENT);
        break;
    default: sqlite3_result_null(context);
    }
    return SQLITE_OK;
}

static int vtab_row_id(sqlite3_vtab_cursor *base, sqlite3_int64 *out)
{
    *out = (sqlite3_int64)((cursor *)base)->row;
    return SQLITE_OK;
}

static const sqlite3_module methods = {.xConnect = vtab_connect,
                                       .xBestIndex = vtab_best_index,
                                       .xDisconnect = vtab_disconnect,
                                       .xOpen = vtab_open_cursor,
                                       .xClose = vtab_close_cursor,
                                       .xFilter = vtab_compute_all_rows,
                                       .xNext = vtab_next_row,
                                       .xEof = vtab_is_past_end,
                                       .xColumn = vtab_column_value,
                                       .xRowid = vtab_row_id};

int abdb_register_allowed_table_functions(sqlite3 *db, int allow)
{
    const abdb_table_function *const all[] = {
        &abdb_table_csv,      &abdb_table_archive, &abdb_table_compare, &abdb_table_offers,
        &abdb_table_roofline, &abdb_table_measure, &abdb_table_changes, &abdb_table_verdict,
        &abdb_table_choose,   &abdb_table_members, &abdb_table_fleet,   &abdb_table_accept,
        &abdb_table_why,      &abdb_table_curve_at};
    int code = SQLITE_OK;

    for (size_t i = 0; i < sizeof all / sizeof all[0] && code == SQLITE_OK; i++) {
        abdb_table_function *f;

        if (all[i]->needs & ~allow) continue;
        f = malloc(sizeof *f); /* SQLite needs it not const and frees it */
        if (!f) return SQLITE_NOMEM;
        *f = *all[i];
        code = sqlite3_create_module_v2(db, f->name, &methods, f, free);
    }
    return code;
}
