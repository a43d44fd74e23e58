/* migrate.c - tables from schema/ddl and schema/migrations, views from schema/views; see db.h.
 *
 * schema/ddl are today's tables: a new file gets them at once. A file of schema/migrations takes an
 * older database one version on; facts are never rewritten, tables are only added to. Views are
 * derived, so they are dropped and made anew whenever their text changes.
 */
#include <stdio.h>
#include <string.h>

#include "schema/core/record.h"
#include "schema/core/text.h"
#include "schema/store/db.h"
#include "schema/store/digest.h"

static const abdb_embedded *pretended;

void abdb_schema_pretend(const abdb_embedded *migrations)
{
    pretended = migrations;
}

static int count_of(const abdb_embedded *files)
{
    int count = 0;

    while (files && files[count].name) count++;
    return count;
}

/* The migration from version `from` on; those that a test makes up come last. */
static const abdb_embedded *migration(int from)
{
    int real = count_of(abdb_migrations);

    return from <= real ? &abdb_migrations[from - 1] : &pretended[from - real - 1];
}

int abdb_schema_version(void)
{
    return 1 + count_of(abdb_migrations) + count_of(pretended);
}

static abdb_status fill_metrics(abdb_db *db, abdb_error *err)
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
    return code == SQLITE_OK ? ABDB_OK : abdb_db_fail(db, err, "metrics");
}

static abdb_status drop_views(abdb_db *db, abdb_error *err)
{
    abdb_text drops = {0};
    sqlite3_stmt *statement = NULL;
    abdb_status st = ABDB_OK;
    int code = sqlite3_prepare_v2(
        db->sql, "SELECT printf('DROP VIEW %w;', name) FROM sqlite_schema WHERE type = 'view'", -1,
        &statement, NULL);

    if (code == SQLITE_OK)
        while ((code = sqlite3_step(statement)) == SQLITE_ROW)
            abdb_text_puts(&drops, (const char *)sqlite3_column_text(statement, 0));
    sqlite3_finalize(statement);
    if (code != SQLITE_DONE)
        st = abdb_db_fail(db, err, "views");
    else
        st = abdb_db_exec(db, abdb_text_get(&drops), err);
    abdb_text_free(&drops);
    return st;
}

static abdb_status apply(abdb_db *db, const abdb_embedded *file, const char *folder,
                         abdb_error *err)
{
    abdb_status st = abdb_db_exec(db, file->text, err);

    return st == ABDB_OK ? st : abdb_context(err, "schema/%s/%s", folder, file->name);
}

abdb_status abdb_schema_apply(abdb_db *db, int from, abdb_error *err)
{
    int to = abdb_schema_version();
    char pragma[96];
    abdb_status st = ABDB_OK;

    TRY(drop_views(db, err)); /* a table cannot be made anew under views that read it */
    for (int i = 0; from == 0 && abdb_ddl[i].name; i++) TRY(apply(db, &abdb_ddl[i], "ddl", err));
    for (int i = from; from > 0 && i < to; i++) TRY(apply(db, migration(i), "migrations", err));
    snprintf(pragma, sizeof pragma, "PRAGMA application_id = %d; PRAGMA user_version = %d",
             ABDB_APPLICATION_ID, to);
    TRY(abdb_db_exec(db, pragma, err));
done:
    return st;
}

/* The digest of the views of this program, and of the one that made those in the file ("": none).
 */
static abdb_status views_digests(const abdb_db *db, char want[ABDB_SHA256_HEX],
                                 char have[ABDB_SHA256_HEX], abdb_error *err)
{
    abdb_text all = {0};
    sqlite3_stmt *statement = NULL;
    bool failed;

    for (int i = 0; abdb_views[i].name; i++) abdb_text_puts(&all, abdb_views[i].text);
    for (size_t i = 0; i < abdb_metric_count; i++) abdb_text_puts(&all, abdb_metrics[i].meaning);
    abdb_sha256_hex(abdb_text_get(&all), all.size, want);
    failed = all.failed;
    abdb_text_free(&all);
    *have = '\0';
    if (sqlite3_prepare_v2(db->sql,
                           "SELECT value FROM meta WHERE key = 'views' AND EXISTS"
                           " (SELECT 1 FROM sqlite_schema WHERE type = 'view')",
                           -1, &statement, NULL) == SQLITE_OK &&
        sqlite3_step(statement) == SQLITE_ROW)
        snprintf(have, ABDB_SHA256_HEX, "%s", (const char *)sqlite3_column_text(statement, 0));
    sqlite3_finalize(statement);
    return failed ? ABDB_FAIL(err, ABDB_NOMEM, "views") : ABDB_OK;
}

abdb_status abdb_views_current(const abdb_db *db, bool *current, abdb_error *err)
{
    char want[ABDB_SHA256_HEX], have[ABDB_SHA256_HEX];
    abdb_status st = views_digests(db, want, have, err);

    *current = st == ABDB_OK && strcmp(have, want) == 0;
    return st;
}

abdb_status abdb_views_apply(abdb_db *db, abdb_error *err)
{
    char want[ABDB_SHA256_HEX], have[ABDB_SHA256_HEX], *sql = NULL;
    abdb_status st = ABDB_OK;

    TRY(views_digests(db, want, have, err));
    if (strcmp(have, want) == 0) return ABDB_OK;
    TRY(drop_views(db, err));
    TRY(abdb_db_exec(db, "DELETE FROM column_doc", err));
    for (int i = 0; abdb_views[i].name; i++) {
        st = abdb_db_exec(db, abdb_views[i].text, err);
        if (st != ABDB_OK) return abdb_context(err, "schema/views/%s", abdb_views[i].name);
    }
    TRY(fill_metrics(db, err));
    sql = sqlite3_mprintf("INSERT OR REPLACE INTO meta VALUES ('views', %Q)", want);
    TRY(abdb_db_exec(db, sql, err));
done:
    sqlite3_free(sql);
    return st;
}
