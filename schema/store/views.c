/* views.c - the views of schema/views in a file, or lent to a connection; see db.h.
 *
 * Views are derived, so they are dropped and made anew whenever their text changes. A file that is
 * only read keeps its own; where they differ from this program's, temporary views of the connection
 * hide them.
 */
#include <stdio.h>
#include <string.h>

#include "schema/core/record.h"
#include "schema/core/text.h"
#include "schema/store/db.h"
#include "schema/store/digest.h"
#include "schema/store/schema_check.h"

/* The table `metric` is schema/core/metric.def, as the views join it. */
static abdb_status fill_metric_table(abdb_db *db, abdb_error *err)
{
    sqlite3_stmt *statement;
    int code;

    code = sqlite3_prepare_v2(db->sql, "INSERT OR REPLACE INTO metric VALUES (?, ?, ?, ?, ?)", -1,
                              &statement, NULL);
    for (size_t i = 0; i < abdb_metric_count && code == SQLITE_OK; i++) {
        const char *text[] = {abdb_metrics[i].name, abdb_metrics[i].unit, abdb_metrics[i].better,
                              abdb_metrics[i].metric_class, abdb_metrics[i].meaning};

        for (int c = 0; c < 5; c++) sqlite3_bind_text(statement, c + 1, text[c], -1, SQLITE_STATIC);
        code = sqlite3_step(statement) == SQLITE_DONE ? sqlite3_reset(statement) : SQLITE_ERROR;
    }
    sqlite3_finalize(statement);
    return code == SQLITE_OK ? ABDB_OK : abdb_db_report_sqlite_error(db, err, "metrics");
}

/* Is it a statement that makes a view? *name is the view's, of *size bytes. */
static bool find_name_if_create_view(const char *sql, const char **name, int *size)
{
    static const char begin[] = "CREATE VIEW ";

    if (strncmp(sql, begin, sizeof begin - 1) != 0) return false;
    *name = sql + sizeof begin - 1;
    *size = (int)strcspn(*name, " \n(");
    return true;
}

/* Drops the views of this program and of the program that made the file's; all others stay. */
abdb_status abdb_views_drop_made_by_abdb(abdb_db *db, abdb_error *err)
{
    static const char made[] =
        "SELECT printf('DROP VIEW %w;', name) FROM main.sqlite_schema WHERE type = 'view' AND"
        " (name IN (SELECT value FROM json_each(?1)) OR name IN (SELECT m.value FROM json_each("
        "  (SELECT value FROM meta WHERE key = 'views.made' AND json_valid(value))) m))";
    abdb_text drops = {0}, names = {0};
    sqlite3_stmt *s = NULL;
    sqlite3_int64 objects = 0;
    int code;
    abdb_status st = ABDB_OK;

    TRY(abdb_db_query_integer_or_0(db, "SELECT count(*) FROM main.sqlite_schema", &objects, err));
    if (!objects) return ABDB_OK;
    abdb_schema_append_names_as_json(true, &names);
    code = sqlite3_prepare_v2(db->sql, made, -1, &s, NULL);
    if (code == SQLITE_OK) code = sqlite3_bind_text(s, 1, abdb_text_get(&names), -1, SQLITE_STATIC);
    if (code == SQLITE_OK)
        while ((code = sqlite3_step(s)) == SQLITE_ROW)
            abdb_text_puts(&drops, abdb_sql_text_or_empty(s, 0));
    if (code != SQLITE_DONE)
        st = abdb_db_report_sqlite_error(db, err, "views");
    else
        st = abdb_db_exec(db, abdb_text_get(&drops), err);
done:
    sqlite3_finalize(s);
    abdb_text_free(&drops);
    abdb_text_free(&names);
    return st;
}

/* The digests of this program's views, and of the file's views as recorded ("": none).
 */
static abdb_status read_views_digests(abdb_db *db, char own_digest[ABDB_SHA256_HEX],
                                      char file_digest[ABDB_SHA256_HEX], abdb_error *err)
{
    abdb_text all = {0};
    sqlite3_stmt *statement = NULL;
    bool failed;
    int code;

    for (int i = 0; abdb_views[i].name; i++) abdb_text_puts(&all, abdb_views[i].text);
    for (size_t i = 0; i < abdb_metric_count; i++) abdb_text_puts(&all, abdb_metrics[i].meaning);
    abdb_sha256_hex(abdb_text_get(&all), all.size, own_digest);
    failed = all.failed;
    abdb_text_free(&all);
    *file_digest = '\0';
    code = sqlite3_prepare_v2(db->sql,
                              "SELECT value FROM meta WHERE key = 'views' AND EXISTS"
                              " (SELECT 1 FROM sqlite_schema WHERE type = 'view')",
                              -1, &statement, NULL);
    if (code == SQLITE_OK && sqlite3_step(statement) == SQLITE_ROW)
        snprintf(file_digest, ABDB_SHA256_HEX, "%s", abdb_sql_text_or_empty(statement, 0));
    if (code == SQLITE_OK) code = sqlite3_finalize(statement);
    if (code != SQLITE_OK && code != SQLITE_ERROR) /* the latter: a table that is not there yet */
        return abdb_db_report_sqlite_error(db, err, "views");
    return failed ? ABDB_FAIL(err, ABDB_NOMEM, "views") : ABDB_OK;
}

abdb_status abdb_views_are_current(abdb_db *db, bool *current, abdb_error *err)
{
    char want[ABDB_SHA256_HEX], have[ABDB_SHA256_HEX];
    abdb_status st = read_views_digests(db, want, have, err);

    *current = st == ABDB_OK && strcmp(have, want) == 0;
    return st;
}

abdb_status abdb_views_recreate_and_record_digest(abdb_db *db, abdb_error *err)
{
    char want[ABDB_SHA256_HEX], have[ABDB_SHA256_HEX], *sql = NULL;
    abdb_text names = {0};
    abdb_status st = ABDB_OK;

    TRY(read_views_digests(db, want, have, err));
    TRY(abdb_views_drop_made_by_abdb(db, err));
    TRY(abdb_db_exec(db, "DELETE FROM column_doc", err));
    for (int i = 0; abdb_views[i].name; i++) {
        st = abdb_db_exec(db, abdb_views[i].text, err);
        if (st != ABDB_OK)
            return abdb_error_prepend_context(err, "schema/views/%s", abdb_views[i].name);
    }
    TRY(fill_metric_table(db, err));
    abdb_schema_append_names_as_json(true, &names);
    sql = sqlite3_mprintf("INSERT OR REPLACE INTO meta VALUES ('views', %Q), ('views.made', %Q)",
                          want, abdb_text_get(&names));
    if (!sql || names.failed) TRY(ABDB_FAIL(err, ABDB_NOMEM, "views"));
    TRY(abdb_db_exec(db, sql, err));
done:
    sqlite3_free(sql);
    abdb_text_free(&names);
    return st;
}

/* Runs the statements of one file of schema/views, as temporary views of this connection. */
static abdb_status create_temp_views_of_file(abdb_db *db, const abdb_embedded *file,
                                             abdb_error *err)
{
    const char *at = abdb_skip_sql_blanks_and_comments(file->text), *name;
    abdb_status st = ABDB_OK;
    int size;

    while (*at && st == ABDB_OK) {
        sqlite3_stmt *s = NULL;
        const char *next = at;
        char *temporary = find_name_if_create_view(at, &name, &size)
                              ? sqlite3_mprintf("CREATE TEMP VIEW %s", name)
                              : NULL;
        int code = sqlite3_prepare_v2(db->sql, temporary ? temporary : at, -1, &s, &next);

        size_t left = strlen(next); /* of either text: they end alike */

        if (code == SQLITE_OK && sqlite3_step(s) != SQLITE_DONE) code = SQLITE_ERROR;
        if (code != SQLITE_OK) st = abdb_db_report_sqlite_error(db, err, file->name);
        sqlite3_finalize(s);
        at += strlen(at) - left;
        sqlite3_free(temporary);
        at = abdb_skip_sql_blanks_and_comments(at);
    }
    return st;
}

abdb_status abdb_views_create_temporary(abdb_db *db, abdb_error *err)
{
    abdb_status st = ABDB_OK;

    TRY(abdb_db_exec(db,
                     "PRAGMA temp_store = MEMORY;" /* changed later, it would drop them */
                     "CREATE TEMP TABLE metric AS SELECT * FROM main.metric LIMIT 0;"
                     "CREATE TEMP TABLE column_doc AS SELECT * FROM main.column_doc LIMIT 0",
                     err));
    for (int i = 0; abdb_views[i].name; i++)
        TRY(create_temp_views_of_file(db, &abdb_views[i], err));
    TRY(fill_metric_table(db, err));
done:
    return st;
}
