/* shape.c - tables and views of a file against those of this program; see shape.h. */
#include "schema/store/shape.h"

#include <ctype.h>
#include <string.h>

#include "schema/core/text.h"

enum { OBJECTS_MAX = 256 };

typedef struct {
    bool is_view, seen;
    const char *name, *text; /* of the whole statement; neither ends in a zero byte */
    size_t name_size, size;
} object;

/* What schema/ddl and schema/views make. */
typedef struct {
    abdb_text text;
    object object[OBJECTS_MAX];
    size_t count;
} expected;

static bool is_word(char c)
{
    return isalnum((unsigned char)c) || c == '_';
}

/* Adds SQL without comments, and without blanks but for one between two words: two texts that
 * differ in layout alone become equal. What stands in quotes is copied as it is. */
static void add_plain(abdb_text *out, const char *sql)
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

            if (blank && out->size && is_word(text[out->size - 1]) && is_word(*sql))
                abdb_text_puts(out, " ");
            abdb_text_add(out, sql, size);
            sql += size;
            blank = false;
        }
    }
}

/* The end of the statement that begins there: its ';' outside of quotes, or the end of the text. */
static const char *end_of(const char *sql)
{
    while (*sql && *sql != ';') {
        if (*sql == '\'' || *sql == '"') {
            const char *end = strchr(sql + 1, *sql);

            if (!end) return sql + strlen(sql);
            sql = end;
        }
        sql++;
    }
    return sql;
}

/* Finds the tables and views in the plain text of all files. False: there are too many. */
static bool list_objects(expected *e)
{
    static const char *const begin[] = {"CREATE TABLE ", "CREATE VIEW "};
    const char *at = abdb_text_get(&e->text);

    while (*at) {
        const char *end = end_of(at);

        for (int k = 0; k < 2; k++) {
            object *o = &e->object[e->count];

            if (strncmp(at, begin[k], strlen(begin[k])) != 0) continue;
            if (e->count == OBJECTS_MAX) return false;
            *o = (object){.is_view = k, .name = at + strlen(begin[k]), .text = at};
            while (is_word(o->name[o->name_size])) o->name_size++;
            o->size = (size_t)(end - at);
            e->count++;
        }
        at = *end ? end + 1 : end;
    }
    return true;
}

static object *find(expected *e, const char *name)
{
    for (size_t i = 0; i < e->count; i++)
        if (strlen(name) == e->object[i].name_size &&
            sqlite3_strnicmp(name, e->object[i].name, (int)e->object[i].name_size) == 0)
            return &e->object[i];
    return NULL;
}

/* One row of sqlite_schema. */
static abdb_status look_at(const abdb_db *db, expected *e, sqlite3_stmt *s, bool tables,
                           bool *views, abdb_error *err)
{
    const char *type = abdb_sql_text(s, 0), *name = abdb_sql_text(s, 1), *on = abdb_sql_text(s, 2);
    abdb_text plain = {0};
    object *own = find(e, strcmp(type, "trigger") == 0 ? on : name);
    bool same;
    abdb_status st = ABDB_OK;

    if (!own || strcmp(type, "index") == 0) return ABDB_OK;
    if (strcmp(type, "trigger") == 0)
        return ABDB_FAIL(err, ABDB_DB,
                         "%s: a trigger, %s, stands on abdb's %s, which has none: whoever made this"
                         " file can change what is written to it. Drop the trigger with sqlite3, or"
                         " do not use the file",
                         db->path, name, on);
    add_plain(&plain, abdb_sql_text(s, 3));
    same = plain.size == own->size && strncmp(abdb_text_get(&plain), own->text, own->size) == 0;
    if (plain.failed)
        st = ABDB_FAIL(err, ABDB_NOMEM, "looking at %s", db->path);
    else if (own->is_view && strcmp(type, "view") == 0)
        *views &= same;
    else if (own->is_view || strcmp(type, "table") != 0 || (tables && !same))
        st = ABDB_FAIL(err, ABDB_DB,
                       "%s: its %s %s is not the one that abdb makes: an abdb of before the first"
                       " release made the file, or somebody changed it. Import its files again, or"
                       " ask for an export (abdb export) and import that",
                       db->path, type, name);
    own->seen = true;
    abdb_text_free(&plain);
    return st;
}

static abdb_status look_at_all(abdb_db *db, expected *e, bool tables, bool *views, abdb_error *err)
{
    sqlite3_stmt *s = NULL;
    abdb_status st = ABDB_OK;
    int code = sqlite3_prepare_v2(
        db->sql, "SELECT type, name, tbl_name, sql FROM main.sqlite_schema", -1, &s, NULL);

    while (st == ABDB_OK && (code == SQLITE_OK || code == SQLITE_ROW)) {
        code = sqlite3_step(s);
        if (code == SQLITE_ROW) st = look_at(db, e, s, tables, views, err);
        if (code != SQLITE_ROW) break;
    }
    if (st == ABDB_OK && code != SQLITE_DONE) st = abdb_db_fail(db, err, "what it holds");
    sqlite3_finalize(s);
    for (size_t i = 0; st == ABDB_OK && i < e->count; i++) {
        const object *o = &e->object[i];

        if (o->is_view)
            *views &= o->seen;
        else if (tables && !o->seen)
            st = ABDB_FAIL(
                err, ABDB_DB,
                "%s has no table %.*s, which every abdb database has: an abdb of before the first"
                " release made the file, or it is not whole. Import its files again",
                db->path, (int)o->name_size, o->name);
    }
    return st;
}

static bool expect(expected *e)
{
    for (int i = 0; abdb_schema_ddl()[i].name; i++) add_plain(&e->text, abdb_schema_ddl()[i].text);
    for (int i = 0; abdb_views[i].name; i++) add_plain(&e->text, abdb_views[i].text);
    return !e->text.failed && list_objects(e);
}

abdb_status abdb_shape_check(abdb_db *db, bool tables, bool *views, abdb_error *err)
{
    expected e = {0};
    abdb_status st;

    *views = true;
    st = expect(&e) ? look_at_all(db, &e, tables, views, err)
                    : ABDB_FAIL(err, ABDB_NOMEM, "looking at %s", db->path);
    abdb_text_free(&e.text);
    return st;
}

void abdb_shape_names(bool views, abdb_text *out)
{
    expected e = {0};
    const char *before = "[";

    out->failed |= !expect(&e);
    for (size_t i = 0; i < e.count; i++) {
        if (e.object[i].is_view != views) continue;
        abdb_text_printf(out, "%s\"%.*s\"", before, (int)e.object[i].name_size, e.object[i].name);
        before = ",";
    }
    abdb_text_puts(out, "]");
    abdb_text_free(&e.text);
}
