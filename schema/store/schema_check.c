/* schema_check.c - compares tables and views of a file with this program's; see schema_check.h. */
#include "schema/store/schema_check.h"

#include <ctype.h>
#include <string.h>

#include "schema/core/text.h"
#include "schema/functions/authorizer.h"

enum { OBJECTS_MAX = 256 };

typedef struct {
    bool is_view, seen;
    const char *name, *text; /* of the whole statement; neither ends in a zero byte */
    size_t name_size, size;
} object;

/* The objects made by schema/ddl and schema/views. */
typedef struct {
    object object[OBJECTS_MAX];
    size_t count;
} expected_objects;

static bool is_identifier_char(char c)
{
    return isalnum((unsigned char)c) || c == '_';
}

/* Adds SQL without comments, and without blanks but for one between two words: two texts that
 * differ only in layout become equal. Quoted text is copied unchanged. */
static void append_sql_without_comments_and_blanks(abdb_text *out, const char *sql)
{
    bool blank = false;

    while (*sql) {
        if (sql[0] == '-' && sql[1] == '-') {
            sql += strcspn(sql, "\n");
        } else if (isspace((unsigned char)*sql)) {
            blank = true;
            sql++;
        } else if (*sql == '\'' || *sql == '"') {
            const char *end = strchr(sql + 1, *sql); /* a doubled quote begins the next piece */
            size_t size = end ? (size_t)(end - sql) + 1 : strlen(sql);

            abdb_text_add(out, sql, size);
            sql += size;
            blank = false;
        } else {
            const char *text = abdb_text_get(out);
            size_t size = strcspn(sql + 1, " \t\n\r-'\"") + 1;

            if (blank && out->size && is_identifier_char(text[out->size - 1]) &&
                is_identifier_char(*sql))
                abdb_text_puts(out, " ");
            abdb_text_add(out, sql, size);
            sql += size;
            blank = false;
        }
    }
}

const char *abdb_skip_sql_blanks_and_comments(const char *sql)
{
    for (;;) {
        sql += strspn(sql, " \n\t");
        if (strncmp(sql, "--", 2) != 0) return sql;
        sql += strcspn(sql, "\n");
    }
}

/* The end of the statement that begins there: its ';' outside of quotes and comments, or the end of
 * the text. */
static const char *find_statement_end(const char *sql)
{
    while (*(sql += strcspn(sql, ";-'\"")) && *sql != ';') {
        const char *end = *sql != '-' ? strchr(sql + 1, *sql) : sql;

        if (!end) return sql + strlen(sql);
        if (sql[0] == '-' && sql[1] == '-') end += strcspn(sql, "\n") - 1;
        sql = end + 1;
    }
    return sql;
}

/* Finds the tables and views that a file makes. False: there are too many. */
static bool append_tables_and_views_created_by_sql(expected_objects *e, const char *sql)
{
    static const char *const begin[] = {"CREATE TABLE ", "CREATE VIEW "};

    while (*(sql = abdb_skip_sql_blanks_and_comments(sql))) {
        const char *end = find_statement_end(sql);

        for (int k = 0; k < 2; k++) {
            object *o = &e->object[e->count];

            if (strncmp(sql, begin[k], strlen(begin[k])) != 0) continue;
            if (e->count == OBJECTS_MAX) return false;
            *o = (object){.is_view = k, .name = sql + strlen(begin[k]), .text = sql};
            while (is_identifier_char(o->name[o->name_size])) o->name_size++;
            o->size = (size_t)(end - sql);
            e->count++;
        }
        sql = *end ? end + 1 : end;
    }
    return true;
}

static object *find_expected_object(expected_objects *e, const char *name)
{
    for (size_t i = 0; i < e->count; i++)
        if (strlen(name) == e->object[i].name_size &&
            sqlite3_strnicmp(name, e->object[i].name, (int)e->object[i].name_size) == 0)
            return &e->object[i];
    return NULL;
}

/* Has a file the same SQL of an object? Most often byte for byte, as SQLite keeps statements as
 * written; else layout and comments are removed from both. False, and *failed: no memory. */
static bool same_sql_ignoring_layout(const object *own, const char *sql, bool *failed)
{
    abdb_text plain = {0}, wanted = {0}, copy = {0};
    size_t size = strlen(sql);
    bool same = size == own->size && memcmp(sql, own->text, size) == 0;

    if (same) return true;
    abdb_text_add(&copy, own->text, own->size);
    append_sql_without_comments_and_blanks(&wanted, abdb_text_get(&copy));
    append_sql_without_comments_and_blanks(&plain, sql);
    *failed = plain.failed || wanted.failed || copy.failed;
    same = !*failed && strcmp(abdb_text_get(&plain), abdb_text_get(&wanted)) == 0;
    abdb_text_free(&plain);
    abdb_text_free(&wanted);
    abdb_text_free(&copy);
    return same;
}

/* Would a table or view of that name hide a table function of SQL, which abdb's own SQL calls? */
static bool hides_sql_table_function(const char *name)
{
    const abdb_sql_function *f = abdb_sql_function_find(name);

    return (f && strcmp(f->group, "table") == 0) || sqlite3_strnicmp(name, "pragma_", 7) == 0;
}

/* One row of sqlite_schema. */
static abdb_status
refuse_changed_table_or_trigger_compare_view(const abdb_db *db, expected_objects *e,
                                             sqlite3_stmt *s, bool require_same_tables,
                                             bool *views_current, abdb_error *err)
{
    const char *type = abdb_sql_text_or_empty(s, 0), *name = abdb_sql_text_or_empty(s, 1),
               *on = abdb_sql_text_or_empty(s, 2);
    object *own = find_expected_object(e, strcmp(type, "trigger") == 0 ? on : name);
    bool same, failed = false;
    abdb_status st = ABDB_OK;

    if ((strcmp(type, "table") == 0 || strcmp(type, "view") == 0) && hides_sql_table_function(name))
        return ABDB_FAIL(err, ABDB_DB,
                         "%s: its %s %s hides the function of that name, which abdb calls: drop it"
                         " with sqlite3, or do not use the file",
                         db->path, type, name);
    if (!own || strcmp(type, "index") == 0) return ABDB_OK;
    if (strcmp(type, "trigger") == 0)
        return ABDB_FAIL(err, ABDB_DB,
                         "%s: a trigger, %s, stands on abdb's %s, which has none: whoever made this"
                         " file can change what is written to it. Drop the trigger with sqlite3, or"
                         " do not use the file",
                         db->path, name, on);
    same = same_sql_ignoring_layout(own, abdb_sql_text_or_empty(s, 3), &failed);
    if (failed)
        st = ABDB_FAIL(err, ABDB_NOMEM, "looking at %s", db->path);
    else if (own->is_view && strcmp(type, "view") == 0)
        *views_current &= same;
    else if (own->is_view || strcmp(type, "table") != 0 || (require_same_tables && !same))
        st = ABDB_FAIL(err, ABDB_DB,
                       "%s: its %s %s is not the one that abdb makes: an abdb of before the first"
                       " release made the file, or somebody changed it. Import its files again, or"
                       " ask for an export (abdb export) and import that",
                       db->path, type, name);
    own->seen = true;
    return st;
}

/* Compares each object in the file with the expected ones. Fails if a table is missing; *views
 * becomes false if a view is missing or differs. */
static abdb_status refuse_changed_or_missing_tables_compare_views(abdb_db *db, expected_objects *e,
                                                                  bool require_tables,
                                                                  bool *views_current,
                                                                  abdb_error *err)
{
    sqlite3_stmt *s = NULL;
    abdb_status st = ABDB_OK;
    int code = sqlite3_prepare_v2(
        db->sql, "SELECT type, name, tbl_name, sql FROM main.sqlite_schema", -1, &s, NULL);

    while (st == ABDB_OK && (code == SQLITE_OK || code == SQLITE_ROW)) {
        code = sqlite3_step(s);
        if (code == SQLITE_ROW)
            st = refuse_changed_table_or_trigger_compare_view(db, e, s, require_tables,
                                                              views_current, err);
        if (code != SQLITE_ROW) break;
    }
    if (st == ABDB_OK && code != SQLITE_DONE)
        st = abdb_db_report_sqlite_error(db, err, "what it holds");
    sqlite3_finalize(s);
    for (size_t i = 0; st == ABDB_OK && i < e->count; i++) {
        const object *o = &e->object[i];

        if (o->is_view)
            *views_current &= o->seen;
        else if (require_tables && !o->seen)
            st = ABDB_FAIL(
                err, ABDB_DB,
                "%s has no table %.*s, which every abdb database has: an abdb of before the first"
                " release made the file, or it is not whole. Import its files again",
                db->path, (int)o->name_size, o->name);
    }
    return st;
}

/* Lists the tables and views that this build creates. False: more than the list has room for. */
static bool list_tables_and_views_of_this_build(expected_objects *e)
{
    bool fits = true;

    for (int i = 0; fits && abdb_schema_ddl_files()[i].name; i++)
        fits = append_tables_and_views_created_by_sql(e, abdb_schema_ddl_files()[i].text);
    for (int i = 0; fits && abdb_views[i].name; i++)
        fits = append_tables_and_views_created_by_sql(e, abdb_views[i].text);
    return fits;
}

abdb_status abdb_schema_refuse_changed_tables_compare_views(abdb_db *db, bool require_tables,
                                                            bool *views_current, abdb_error *err)
{
    expected_objects e = {0};

    *views_current = true;
    return list_tables_and_views_of_this_build(&e)
               ? refuse_changed_or_missing_tables_compare_views(db, &e, require_tables,
                                                                views_current, err)
               : ABDB_FAIL(err, ABDB_LIMIT, "more than %d tables and views", OBJECTS_MAX);
}

void abdb_schema_append_names_as_json(bool views, abdb_text *out)
{
    expected_objects e = {0};
    const char *before = "[";

    out->failed |= !list_tables_and_views_of_this_build(&e);
    for (size_t i = 0; i < e.count; i++) {
        if (e.object[i].is_view != views) continue;
        abdb_text_printf(out, "%s\"%.*s\"", before, (int)e.object[i].name_size, e.object[i].name);
        before = ",";
    }
    abdb_text_puts(out, "]");
}
