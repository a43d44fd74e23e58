/* ask.c - read-only SQL into tables; see report.h.
 *
 * Three locks, each of which would do: the file is opened read-only, query_only is set, and an
 * authorizer refuses everything but reading. While a report keeps rows, two hold: the authorizer
 * lets temporary tables be made, for which query_only has to be off. Functions that touch files
 * are not registered at all. Time is limited by a deadline, a value by its size, all memory of
 * SQLite together by memory_max.
 */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "query/answer/deadline.h"
#include "query/answer/report.h"
#include "query/answer/rows.h"

enum { PROGRESS_STEPS = 10000, VALUE_SIZE_MAX = 256 << 20 }; /* an archive's members have room */
static const sqlite3_int64 memory_max = 2ll << 30;

static int over_time(void *unused)
{
    (void)unused;
    return abdb_deadline_over();
}

/* What SQLite asks before it prepares a statement (a, b, c: table, column, database, as the action
 * has it). What is not allowed here is refused. */
static int authorize(void *unused, int action, const char *a, const char *b, const char *c,
                     const char *d)
{
    static const char *const pragmas[] = {
        "table_info",       "table_xinfo",  "table_list",        "index_list",    "index_info",
        "foreign_key_list", "user_version", "application_id",    "function_list", "compile_options",
        "integrity_check",  "quick_check",  "foreign_key_check", "database_list", "encoding",
        "page_count",       "page_size"};
    (void)unused, (void)c, (void)d;
    switch (action) {
    case SQLITE_SELECT:
    case SQLITE_READ:
    case SQLITE_RECURSIVE: return SQLITE_OK;
    case SQLITE_FUNCTION: return b && strcmp(b, "load_extension") == 0 ? SQLITE_DENY : SQLITE_OK;
    case SQLITE_PRAGMA:
        for (size_t i = 0; i < sizeof pragmas / sizeof pragmas[0]; i++)
            if (a && sqlite3_stricmp(a, pragmas[i]) == 0 &&
                /* The first six take a name as their argument, integrity_check a number; of the
                 * others an argument would set something. */
                (!b || i < 6 || strcmp(pragmas[i], "integrity_check") == 0))
                return SQLITE_OK;
        return SQLITE_DENY;
    default: return SQLITE_DENY;
    }
}

/* The same, and what is temporary may be made and dropped. */
static int authorize_keeping(void *unused, int action, const char *a, const char *b, const char *c,
                             const char *d)
{
    switch (action) {
    case SQLITE_CREATE_TABLE: /* sqlite_stat1 */
    case SQLITE_CREATE_TEMP_TABLE:
    case SQLITE_DROP_TEMP_TABLE:
    case SQLITE_ANALYZE:
    case SQLITE_INSERT:
    case SQLITE_UPDATE:
    case SQLITE_DELETE: return c && strcmp(c, "temp") == 0 ? SQLITE_OK : SQLITE_DENY;
    default: return authorize(unused, action, a, b, c, d);
    }
}

abdb_status abdb_guard(abdb_db *db, double timeout_s, abdb_error *err)
{
    /* Asked once before the authorizer is set, which would refuse to let eponymous virtual tables
     * be declared later; they prepare and return nothing. Those that are not registered here just
     * fail. */
    static const char *const functions[] = {
        "SELECT 1 FROM abdb_csv(NULL)",           "SELECT 1 FROM abdb_archive(NULL)",
        "SELECT 1 FROM abdb_compare(NULL, NULL)", "SELECT 1 FROM abdb_offers LIMIT 0",
        "SELECT 1 FROM abdb_choose(NULL)",        "SELECT 1 FROM abdb_roofline(NULL)",
        "SELECT 1 FROM abdb_measure(NULL, NULL)", "SELECT 1 FROM abdb_changes('[]')",
        "SELECT 1 FROM abdb_fleet('[]')",         "SELECT 1 FROM abdb_members(NULL)"};
    abdb_status st;

    sqlite3_set_authorizer(db->sql, NULL, NULL); /* it may have been set before */
    st = abdb_db_exec(db,
                      "PRAGMA query_only = ON; PRAGMA trusted_schema = OFF;"
                      "PRAGMA cache_size = -65536; PRAGMA temp_store = MEMORY;"
                      /* made now, because the authorizer would refuse to declare them */
                      "SELECT 1 FROM json_each('[]'), json_tree('[]')",
                      err);
    for (size_t i = 0; st == ABDB_OK && i < sizeof functions / sizeof functions[0]; i++)
        sqlite3_exec(db->sql, functions[i], NULL, NULL, NULL); /* not all are registered */

    if (st != ABDB_OK) return st;
    sqlite3_db_config(db->sql, SQLITE_DBCONFIG_DEFENSIVE, 1, NULL);
    sqlite3_limit(db->sql, SQLITE_LIMIT_ATTACHED, 0);
    sqlite3_limit(db->sql, SQLITE_LIMIT_LENGTH, VALUE_SIZE_MAX);
    sqlite3_hard_heap_limit64(memory_max);
    sqlite3_set_authorizer(db->sql, authorize, NULL);
    abdb_deadline_begin(timeout_s);
    sqlite3_progress_handler(db->sql, PROGRESS_STEPS, over_time, NULL);
    return ABDB_OK;
}

/* "no such column: devic": the nearest name of that kind, from arena, or NULL. SQLite has no code
 * for it, so its words are read; other words only lose the suggestion. */
static const char *nearest_name(abdb_db *db, const char *message, abdb_arena *arena)
{
    static const struct {
        const char *says, *names;
    } kinds[] = {{"no such column: ", "SELECT DISTINCT column_name FROM v_column"},
                 {"no such table: ",
                  "SELECT name FROM sqlite_schema WHERE type = 'view' AND name GLOB 'v_*'"},
                 {"no such function: ", "PRAGMA function_list"}};
    const char *names[1024], *near = NULL;
    sqlite3_stmt *s = NULL;
    size_t count = 0;

    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
        size_t said = strlen(kinds[i].says);
        const char *name = message + said, *dot;

        if (strncmp(message, kinds[i].says, said) != 0 ||
            sqlite3_prepare_v2(db->sql, kinds[i].names, -1, &s, NULL) != SQLITE_OK)
            continue;
        while (count < sizeof names / sizeof names[0] && sqlite3_step(s) == SQLITE_ROW) {
            const char *text = abdb_sql_text(s, 0);

            names[count] = abdb_arena_copy(arena, text, strlen(text));
            count += names[count] != NULL;
        }
        sqlite3_finalize(s);
        dot = strrchr(name, '.');
        near = abdb_nearest(dot ? dot + 1 : name, names, count);
        break;
    }
    return near;
}

/* Where a column is that there is, but not here: "; it is in v_result, v_spec"; from arena. */
static const char *views_with(abdb_db *db, const char *name, abdb_arena *arena)
{
    static const char sql[] =
        "SELECT group_concat(view, ', ') FROM (SELECT DISTINCT view FROM v_column"
        " WHERE column_name = ?1 ORDER BY view = 'v_result' DESC, view LIMIT 3)";
    const char *views = NULL;
    sqlite3_stmt *s = NULL;

    if (sqlite3_prepare_v2(db->sql, sql, -1, &s, NULL) != SQLITE_OK) return NULL;
    sqlite3_bind_text(s, 1, name, -1, SQLITE_STATIC);
    if (sqlite3_step(s) == SQLITE_ROW)
        views = abdb_arena_printf(arena, "; it is in %s", abdb_sql_text(s, 0));
    sqlite3_finalize(s);
    return views;
}

/* The keyword that a word of a statement that is none nearly is: FROM for "form". NULL: none. */
static const char *nearest_keyword(const char *sql)
{
    static const char *const keywords[] = {"SELECT", "FROM",  "WHERE",    "GROUP", "ORDER",
                                           "HAVING", "LIMIT", "DISTINCT", "JOIN",  NULL};

    while (*sql) {
        size_t size = 0;
        char word[16];

        while (isalnum((unsigned char)sql[size]) || sql[size] == '_') size++;

        if (*sql == '\'' || *sql == '"') { /* no keyword is quoted */
            size = strcspn(sql + 1, (char[]){*sql, 0}) + 1;
            sql += size + (sql[size] != '\0');
            continue;
        }
        snprintf(word, sizeof word, "%.*s", size < sizeof word ? (int)size : 0, sql);
        for (size_t i = 0; keywords[i] && size >= 4; i++)
            if (abdb_distance(word, keywords[i]) == 1) return keywords[i];
        sql += size ? size : 1;
    }
    return NULL;
}

/* A mistake in a reader's SQL: where it is, and what was perhaps meant. */
static abdb_status sql_mistake(abdb_db *db, const char *sql, int offset, abdb_error *err)
{
    abdb_arena arena = {0};
    const char *message = abdb_arena_printf(&arena, "%s", sqlite3_errmsg(db->sql)), *near,
               *hint = NULL;
    char place[32] = "", beside[48] = "";
    int line = 1;
    abdb_status st;

    if (!message) return ABDB_FAIL(err, ABDB_NOMEM, "a query");
    near = nearest_name(db, message, &arena);
    if (!near && strstr(message, "syntax error")) near = nearest_keyword(sql);
    if (near && strlen(message) > strlen(near) &&
        strcmp(message + strlen(message) - strlen(near), near) == 0)
        hint = views_with(db, near, &arena);
    else if (near)
        hint = abdb_arena_printf(&arena, ", did you mean '%s'?", near);
    for (int i = 0; i < offset && sql[i]; i++) line += sql[i] == '\n';
    if (offset >= 0) {
        snprintf(place, sizeof place, "line %d: ", line);
        snprintf(beside, sizeof beside, " near '%.30s'", sql + offset);
    }
    st = strncmp(message, "abdb_", 5) == 0 /* of a function of ours: it says all */
             ? ABDB_FAIL(err, ABDB_USAGE, "%s", message)
             : ABDB_FAIL(err, ABDB_USAGE, "%s%s%s%s; `abdb query --schema` shows views and columns",
                         place, message, beside, hint ? hint : "");
    abdb_arena_free(&arena);
    return st;
}

/* What SQLite says of a reader's own SQL, as an error with an exit code and what to do. Its
 * texts are asked only where its codes do not tell. */
static abdb_status sql_fail(abdb_db *db, const char *sql, abdb_error *err)
{
    int code = sqlite3_errcode(db->sql) & 0xff, offset = sqlite3_error_offset(db->sql);

    if (code == SQLITE_INTERRUPT) return abdb_deadline_fail(err);
    if (code == SQLITE_TOOBIG)
        return ABDB_FAIL(err, ABDB_LIMIT, "a text or blob of more than %d MiB",
                         VALUE_SIZE_MAX >> 20);
    if (code == SQLITE_NOMEM)
        return ABDB_FAIL(err, ABDB_LIMIT,
                         "the query wants more than %lld GiB of memory: ask for fewer rows or"
                         " columns",
                         (long long)memory_max >> 30);
    if (code == SQLITE_AUTH)
        return ABDB_FAIL(err, ABDB_USAGE, "`abdb query` only reads: %s", sqlite3_errmsg(db->sql));
    if (strstr(sqlite3_errmsg(db->sql), "no such table: abdb_csv") ||
        strstr(sqlite3_errmsg(db->sql), "no such table: abdb_archive"))
        return ABDB_FAIL(err, ABDB_USAGE, "SQL may not read files here; --allow-files lets it");
    if (strstr(sqlite3_errmsg(db->sql), "no such table: abdb_measure"))
        return ABDB_FAIL(err, ABDB_USAGE, "SQL may not run programs here; --allow-run lets it");
    if (code == SQLITE_IOERR && strncmp(sqlite3_errmsg(db->sql), "abdb_", 5) == 0)
        return ABDB_FAIL(err, ABDB_DB, "%s", sqlite3_errmsg(db->sql)); /* of a function of ours */
    if (code == SQLITE_ERROR) return sql_mistake(db, sql, offset, err);
    return abdb_db_fail(db, err, "query");
}

static void bind_params(sqlite3_stmt *s, const abdb_report *report, const char *const *value)
{
    for (int i = 1; i <= sqlite3_bind_parameter_count(s); i++) {
        const char *name = sqlite3_bind_parameter_name(s, i);

        for (size_t p = 0; report && name && p < report->params; p++) {
            double number;

            if (strcmp(name + 1, report->param[p].name) != 0 || !value[p]) continue;
            if (strcmp(report->param[p].type, "text") != 0 && abdb_number(value[p], &number))
                sqlite3_bind_double(s, i, number);
            else
                sqlite3_bind_text(s, i, value[p], -1, SQLITE_STATIC);
        }
    }
}

abdb_status abdb_sql_table(abdb_db *db, const char *sql, const abdb_report *report,
                           const char *const *value, abdb_table *table, abdb_error *err)
{
    const char *rest = sql, *now;
    sqlite3_stmt *s = NULL;
    abdb_status st = ABDB_OK;

    while (*rest) {
        int code;

        now = rest;
        if (sqlite3_prepare_v2(db->sql, now, -1, &s, &rest) != SQLITE_OK)
            TRY(sql_fail(db, now, err));
        if (!s) continue; /* white space, a comment */
        if (!sqlite3_stmt_readonly(s))
            TRY(ABDB_FAIL(err, ABDB_USAGE,
                          "`abdb query` only reads; this statement would change"
                          " something: %.60s",
                          now));
        bind_params(s, report, value);
        TRY(abdb_rows_columns(s, table, err));
        while ((code = sqlite3_step(s)) == SQLITE_ROW) TRY(abdb_rows_take(s, table, err));
        if (code != SQLITE_DONE) TRY(sql_fail(db, now, err));
        sqlite3_finalize(s);
        s = NULL;
    }
done:
    sqlite3_finalize(s);
    return st;
}

/* Opens the guard for what is temporary, or closes it again. query_only is off only between the
 * two, while statements of the report itself run. */
static void let_keep(abdb_db *db, bool open)
{
    sqlite3_set_authorizer(db->sql, NULL, NULL);
    sqlite3_exec(db->sql, open ? "PRAGMA query_only = OFF" : "PRAGMA query_only = ON", NULL, NULL,
                 NULL);
    sqlite3_set_authorizer(db->sql, open ? authorize_keeping : authorize, NULL);
}

/* One statement that sqlite3_mprintf gave, to its end. */
static abdb_status keep_step(abdb_db *db, char *sql, const abdb_report *report,
                             const char *const *value, abdb_error *err)
{
    sqlite3_stmt *s = NULL;
    const char *rest = NULL;
    abdb_status st = ABDB_OK;

    if (!sql) return ABDB_FAIL(err, ABDB_NOMEM, "a table of a report");
    if (sqlite3_prepare_v2(db->sql, sql, -1, &s, &rest) != SQLITE_OK) TRY(sql_fail(db, sql, err));
    rest += strspn(rest, " \n");
    if (*rest) TRY(ABDB_FAIL(err, ABDB_USAGE, "a table is one statement, not also: %.60s", rest));
    bind_params(s, report, value);
    if (sqlite3_step(s) != SQLITE_DONE) TRY(sql_fail(db, sql, err));
done:
    sqlite3_finalize(s);
    sqlite3_free(sql);
    return st;
}

abdb_status abdb_sql_keep(abdb_db *db, const char *name, const char *sql, const abdb_report *report,
                          const char *const *value, abdb_error *err)
{
    abdb_status st;

    let_keep(db, true);
    st = keep_step(db, sqlite3_mprintf("CREATE TEMP TABLE \"%w\" AS %s", name, sql), report, value,
                   err);
    if (st == ABDB_OK)
        st = keep_step(db, sqlite3_mprintf("ANALYZE temp.\"%w\"", name), NULL, NULL, err);
    let_keep(db, false);
    return st;
}

void abdb_sql_unkeep(abdb_db *db, const char *name)
{
    char *sql = sqlite3_mprintf("DROP TABLE IF EXISTS temp.\"%w\"", name);

    let_keep(db, true);
    if (sql) sqlite3_exec(db->sql, sql, NULL, NULL, NULL);
    let_keep(db, false);
    sqlite3_free(sql);
}
