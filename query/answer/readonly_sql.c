/* readonly_sql.c - read-only SQL into tables; see report.h.
 *
 * Three locks, each sufficient alone: the file is opened read-only, query_only is set, and an
 * authorizer refuses everything but reading, and every function that functions.def does not list.
 * While a report keeps rows, two remain: the authorizer allows temporary tables, which need
 * query_only to be off. Functions that touch files are not registered at all. Time is limited
 * by a deadline, a value by its size, all memory of SQLite together by memory_max.
 */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "query/answer/deadline.h"
#include "query/answer/report.h"
#include "query/answer/sql_rows.h"
#include "schema/functions/authorizer.h"

enum { PROGRESS_STEPS = 10000, VALUE_SIZE_MAX = 256 << 20 }; /* an archive's members have room */
static const sqlite3_int64 memory_max = 2ll << 30;

static int interrupt_at_deadline(void *unused)
{
    (void)unused;
    return abdb_deadline_has_passed();
}

abdb_status abdb_restrict_db_to_reads_begin_deadline(abdb_db *db, double timeout_s, abdb_error *err)
{
    abdb_status st;

    abdb_sql_install_authorizer(db->sql, ABDB_SQL_ALL); /* it may read only, from before */
    st = abdb_db_exec(db,
                      "PRAGMA query_only = ON; PRAGMA cache_size = -65536;"
                      "PRAGMA temp_store = MEMORY",
                      err);
    if (st != ABDB_OK) return st;
    sqlite3_limit(db->sql, SQLITE_LIMIT_ATTACHED, 0);
    sqlite3_limit(db->sql, SQLITE_LIMIT_LENGTH, VALUE_SIZE_MAX);
    sqlite3_hard_heap_limit64(memory_max);
    abdb_sql_install_authorizer(db->sql, ABDB_SQL_READING);
    abdb_deadline_begin_and_arm_alarm(timeout_s);
    sqlite3_progress_handler(db->sql, PROGRESS_STEPS, interrupt_at_deadline, NULL);
    return ABDB_OK;
}

/* "no such column: devic": the nearest name of that kind, from arena, or NULL. SQLite has no code
 * for it, so its words are read; other words only lose the suggestion. */
static const char *nearest_schema_name_for_sql_error(abdb_db *db, const char *message,
                                                     abdb_arena *arena)
{
    static const struct {
        const char *says, *names;
    } kinds[] = {{"no such column: ", "SELECT DISTINCT column_name FROM v_column"},
                 {"no such table: ",
                  "SELECT name FROM sqlite_schema WHERE type = 'view' AND name GLOB 'v_*'"},
                 {"no such function: ", "PRAGMA function_list"}};
    enum { KIND_FUNCTION = 2 };
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
            const char *text = abdb_sql_text_or_empty(s, 0);
            const abdb_sql_function *f = abdb_sql_function_find(text);

            if (i == KIND_FUNCTION && (!f || f->refused)) continue;
            names[count] = abdb_arena_copy(arena, text, strlen(text));
            count += names[count] != NULL;
        }
        sqlite3_finalize(s);
        dot = strrchr(name, '.');
        near = abdb_nearest_name(dot ? dot + 1 : name, names, count);
        break;
    }
    return near;
}

/* Where a column is that there is, but not here: "; it is in v_result, v_spec"; from arena. */
static const char *format_hint_of_views_with_column(abdb_db *db, const char *name,
                                                    abdb_arena *arena)
{
    static const char sql[] =
        "SELECT group_concat(view, ', ') FROM (SELECT DISTINCT view FROM v_column"
        " WHERE column_name = ?1 ORDER BY view = 'v_result' DESC, view LIMIT 3)";
    const char *views = NULL;
    sqlite3_stmt *s = NULL;

    if (sqlite3_prepare_v2(db->sql, sql, -1, &s, NULL) != SQLITE_OK) return NULL;
    sqlite3_bind_text(s, 1, name, -1, SQLITE_STATIC);
    if (sqlite3_step(s) == SQLITE_ROW && sqlite3_column_type(s, 0) != SQLITE_NULL)
        views = abdb_arena_printf(arena, "; it is in %s", abdb_sql_text_or_empty(s, 0));
    sqlite3_finalize(s);
    return views;
}

/* The keyword that a word of a statement that is none nearly is: FROM for "form". NULL: none. */
static const char *find_keyword_meant_by_misspelling(const char *sql)
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
            if (abdb_damerau_distance_ignoring_case(word, keywords[i]) == 1) return keywords[i];
        sql += size ? size : 1;
    }
    return NULL;
}

/* A remedy for an error of SQLite that is caused by abdb's own restrictions, or NULL. at:
 * the SQL from the place of the mistake on. */
static const char *hint_for_refused_sql_or_null(const char *message, const char *at)
{
    if (strncmp(message, "no such column: ", 16) == 0 && *at == '"')
        return " (a text stands in single quotes; double quotes are for names)";
    if (strncmp(message, "no such module: ", 16) == 0)
        return ": abdb opens no virtual table that a file brings";
    if (strcmp(message, "not authorized") == 0)
        return " (a pragma is a statement of its own here, PRAGMA table_list, not a table)";
    return NULL;
}

/* Names a function that SQL may not call, with the reason, where a message of SQLite is about one:
 * either the connection does not have it or the authorizer refused it. False: it is not. */
static bool set_error_if_sql_function_refused(const char *message, abdb_error *err)
{
    static const char *const begins[] = {"not authorized to use function: ", "no such function: "};

    for (size_t i = 0; i < sizeof begins / sizeof begins[0]; i++) {
        const char *name = message + strlen(begins[i]), *why = "it is not on abdb's list";
        const abdb_sql_function *f;

        if (strncmp(message, begins[i], strlen(begins[i])) != 0) continue;
        f = abdb_sql_function_find(name);
        if (i > 0 && (!f || !f->refused)) return false; /* there is none */
        if (f && f->refused) why = f->refused;
        (void)ABDB_FAIL(err, ABDB_USAGE,
                        "SQL may not call the function %s: %s; `abdb query --functions` lists those"
                        " that it may call",
                        f ? f->name : name, why);
        return true;
    }
    return false;
}

/* Is the text plain words ("best gpu") that do not begin with a keyword of SQL? */
static bool sql_is_mere_words(const char *sql)
{
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789 -.";

    return !sql[strspn(sql, plain)] && strncasecmp(sql, "SELECT ", 7) != 0 &&
           strncasecmp(sql, "WITH ", 5) != 0 && strncasecmp(sql, "VALUES ", 7) != 0;
}

/* Fails with the place of a mistake in a reader's SQL, a part of text, and a suggestion. */
static abdb_status fail_with_sql_position_and_suggestion(abdb_db *db, const char *text,
                                                         const char *sql, int offset,
                                                         abdb_error *err)
{
    abdb_arena arena = {0};
    const char *message = abdb_arena_printf(&arena, "%s", sqlite3_errmsg(db->sql)), *near,
               *hint = NULL;
    char place[32] = "", beside[48] = "";
    int line = 1;
    abdb_status st;

    if (!message) return ABDB_FAIL(err, ABDB_NOMEM, "a query");
    if (strstr(message, "syntax error") && sql_is_mere_words(sql)) {
        st = ABDB_FAIL(err, ABDB_USAGE,
                       "'%s' is neither a report nor SQL: `abdb query --search '%s'` finds reports"
                       " and figures",
                       sql, sql);
        abdb_arena_free(&arena);
        return st;
    }
    near = nearest_schema_name_for_sql_error(db, message, &arena);
    if (!near && strstr(message, "syntax error")) near = find_keyword_meant_by_misspelling(sql);
    if (near && strlen(message) > strlen(near) &&
        strcmp(message + strlen(message) - strlen(near), near) == 0)
        hint = format_hint_of_views_with_column(db, near, &arena);
    else if (near)
        hint = abdb_arena_printf(&arena, ", did you mean '%s'?", near);
    for (const char *c = text; c < sql + offset && *c; c++) line += *c == '\n';
    if (offset >= 0) {
        snprintf(place, sizeof place, "line %d: ", line);
        snprintf(beside, sizeof beside, " near '%.30s'", sql + offset);
    }
    if (!hint) hint = hint_for_refused_sql_or_null(message, offset >= 0 ? sql + offset : "");
    st = strncmp(message, "abdb_", 5) == 0 /* of a function of ours: it says all */
             ? ABDB_FAIL(err, ABDB_USAGE, "%s", message)
             : ABDB_FAIL(err, ABDB_USAGE, "%s%s%s%s; `abdb query --schema` shows views and columns",
                         place, message, beside, hint ? hint : "");
    abdb_arena_free(&arena);
    return st;
}

/* Turns SQLite's error about a reader's SQL into an exit code and a remedy. The texts of SQLite are
 * compared only where its codes are ambiguous. */
static abdb_status fail_with_user_sql_error(abdb_db *db, const char *text, const char *sql,
                                            abdb_error *err)
{
    int code = sqlite3_errcode(db->sql) & 0xff, offset = sqlite3_error_offset(db->sql);

    if (code == SQLITE_INTERRUPT) return abdb_deadline_fail_with_time_out(err);
    if (code == SQLITE_TOOBIG)
        return ABDB_FAIL(err, ABDB_LIMIT, "a text or blob of more than %d MiB",
                         VALUE_SIZE_MAX >> 20);
    if (code == SQLITE_NOMEM)
        return ABDB_FAIL(err, ABDB_LIMIT,
                         "the query wants more than %lld GiB of memory: ask for fewer rows or"
                         " columns",
                         (long long)memory_max >> 30);
    if (set_error_if_sql_function_refused(sqlite3_errmsg(db->sql), err)) return err->status;
    if (code == SQLITE_AUTH)
        return ABDB_FAIL(err, ABDB_USAGE, "`abdb query` only reads: %s", sqlite3_errmsg(db->sql));
    if (strstr(sqlite3_errmsg(db->sql), "no such table: abdb_csv") ||
        strstr(sqlite3_errmsg(db->sql), "no such table: abdb_archive"))
        return ABDB_FAIL(err, ABDB_USAGE, "SQL may not read files here; --allow-files lets it");
    if (strstr(sqlite3_errmsg(db->sql), "no such table: abdb_measure"))
        return ABDB_FAIL(err, ABDB_USAGE, "SQL may not run programs here; --allow-run lets it");
    if (code == SQLITE_IOERR && strncmp(sqlite3_errmsg(db->sql), "abdb_", 5) == 0)
        return ABDB_FAIL(err, ABDB_DB, "%s", sqlite3_errmsg(db->sql)); /* of a function of ours */
    if (code == SQLITE_ERROR)
        return fail_with_sql_position_and_suggestion(db, text, sql, offset, err);
    return abdb_db_report_sqlite_error(db, err, "query");
}

/* Binds the parameters of a report by name; numbers as numbers. */
static void bind_report_parameters_by_name(sqlite3_stmt *s, const abdb_report *report,
                                           const char *const *value)
{
    for (int i = 1; i <= sqlite3_bind_parameter_count(s); i++) {
        const char *name = sqlite3_bind_parameter_name(s, i);

        for (size_t p = 0; report && name && p < report->params; p++) {
            double number;

            if (strcmp(name + 1, report->param[p].name) != 0 || !value[p]) continue;
            if (strcmp(report->param[p].type, "text") != 0 &&
                abdb_double_parse(value[p], ABDB_MARK_UNKNOWN, &number))
                sqlite3_bind_double(s, i, number);
            else
                sqlite3_bind_text(s, i, value[p], -1, SQLITE_STATIC);
        }
    }
}

/* Where the text goes on after blanks, comments and empty statements; at its end: "". */
static const char *skip_blanks_comments_and_semicolons(const char *sql)
{
    for (;;) {
        sql += strspn(sql, " \t\r\n\f;");
        if (strncmp(sql, "--", 2) == 0) {
            sql += strcspn(sql, "\n");
        } else if (strncmp(sql, "/*", 2) == 0) {
            const char *end = strstr(sql + 2, "*/");

            sql = end ? end + 2 : sql + strlen(sql); /* as SQLite reads it */
        } else {
            return sql;
        }
    }
}

/* Refuses a second statement after the first one of text; comments are allowed. */
static abdb_status refuse_second_statement(const char *text, const char *rest, abdb_error *err)
{
    int line = 1;

    rest = skip_blanks_comments_and_semicolons(rest);
    if (!*rest) return ABDB_OK;
    for (const char *c = text; c < rest; c++) line += *c == '\n';
    return ABDB_FAIL(err, ABDB_USAGE,
                     "more than one statement: a second begins on line %d with '%.40s'. Ask them"
                     " one at a time, join them with UNION ALL, or type them in `abdb query -i`",
                     line, rest);
}

/* Runs the first statement of sql, a part of text, whose lines errors count; *rest points behind
 * the statement. rest NULL: refuses a further statement before it runs any. */
static abdb_status run_readonly_statement_into_table(abdb_db *db, const char *text, const char *sql,
                                                     const char **rest, const abdb_report *report,
                                                     const char *const *value, abdb_table *table,
                                                     abdb_error *err)
{
    const char *behind = "";
    sqlite3_stmt *s = NULL;
    abdb_status st = ABDB_OK;
    int code;

    if (sqlite3_prepare_v2(db->sql, sql, -1, &s, &behind) != SQLITE_OK)
        TRY(fail_with_user_sql_error(db, text, sql, err));
    if (!rest) TRY(refuse_second_statement(text, behind, err));
    if (rest) *rest = behind;
    if (!s) return ABDB_OK;
    if (!sqlite3_stmt_readonly(s))
        TRY(ABDB_FAIL(err, ABDB_USAGE,
                      "`abdb query` only reads; this statement would change something: %.60s",
                      sql));
    bind_report_parameters_by_name(s, report, value);
    TRY(abdb_table_reset_to_sql_columns(s, table, err));
    while ((code = sqlite3_step(s)) == SQLITE_ROW)
        TRY(abdb_table_append_current_sql_row(s, table, err));
    if (code != SQLITE_DONE) TRY(fail_with_user_sql_error(db, text, sql, err));
done:
    sqlite3_finalize(s);
    return st;
}

abdb_status abdb_run_next_readonly_statement_and_advance(abdb_db *db, const char **sql,
                                                         abdb_table *table, abdb_error *err)
{
    const char *text = *sql, *first = skip_blanks_comments_and_semicolons(text);

    *sql = "";
    return *first ? run_readonly_statement_into_table(db, text, first, sql, NULL, NULL, table, err)
                  : ABDB_OK;
}

abdb_status abdb_run_readonly_sql(abdb_db *db, const char *sql, const abdb_report *report,
                                  const char *const *value, abdb_table *table, abdb_error *err)
{
    const char *first = skip_blanks_comments_and_semicolons(sql);

    if (!*first)
        return ABDB_FAIL(err, ABDB_USAGE,
                         "there is no SQL statement, only comments or blanks; `abdb query` lists"
                         " what can be asked");
    return run_readonly_statement_into_table(db, sql, first, NULL, report, value, table, err);
}

/* Allows temporary tables, or forbids them again. query_only is off only between the two calls,
 * while statements of the report itself run. */
static void allow_or_forbid_temp_tables(abdb_db *db, bool allow)
{
    abdb_sql_install_authorizer(db->sql, ABDB_SQL_ALL);
    sqlite3_exec(db->sql, allow ? "PRAGMA query_only = OFF" : "PRAGMA query_only = ON", NULL, NULL,
                 NULL);
    abdb_sql_install_authorizer(db->sql, allow ? ABDB_SQL_READING_AND_TABLES : ABDB_SQL_READING);
}

/* One statement that sqlite3_mprintf gave, to its end. */
static abdb_status run_statement_and_free_sql(abdb_db *db, char *sql, const abdb_report *report,
                                              const char *const *value, abdb_error *err)
{
    sqlite3_stmt *s = NULL;
    const char *rest = NULL;
    abdb_status st = ABDB_OK;

    if (!sql) return ABDB_FAIL(err, ABDB_NOMEM, "a table of a report");
    if (sqlite3_prepare_v2(db->sql, sql, -1, &s, &rest) != SQLITE_OK)
        TRY(fail_with_user_sql_error(db, sql, sql, err));
    rest += strspn(rest, " \n");
    if (*rest) TRY(ABDB_FAIL(err, ABDB_USAGE, "a table is one statement, not also: %.60s", rest));
    bind_report_parameters_by_name(s, report, value);
    if (sqlite3_step(s) != SQLITE_DONE) TRY(fail_with_user_sql_error(db, sql, sql, err));
done:
    sqlite3_finalize(s);
    sqlite3_free(sql);
    return st;
}

abdb_status abdb_sql_create_and_analyze_temp_table(abdb_db *db, const char *name, const char *sql,
                                                   const abdb_report *report,
                                                   const char *const *value, abdb_error *err)
{
    abdb_status st;

    allow_or_forbid_temp_tables(db, true);
    st = run_statement_and_free_sql(
        db, sqlite3_mprintf("CREATE TEMP TABLE \"%w\" AS %s", name, sql), report, value, err);
    if (st == ABDB_OK)
        st = run_statement_and_free_sql(db, sqlite3_mprintf("ANALYZE temp.\"%w\"", name), NULL,
                                        NULL, err);
    allow_or_forbid_temp_tables(db, false);
    return st;
}

void abdb_sql_drop_temp_table(abdb_db *db, const char *name)
{
    char *sql = sqlite3_mprintf("DROP TABLE IF EXISTS temp.\"%w\"", name);

    allow_or_forbid_temp_tables(db, true);
    if (sql) sqlite3_exec(db->sql, sql, NULL, NULL, NULL);
    allow_or_forbid_temp_tables(db, false);
    sqlite3_free(sql);
}
