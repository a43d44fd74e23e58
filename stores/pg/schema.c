/* schema.c - the tables and views of a warehouse; see schema.h. */
#include "stores/pg/schema.h"

#include <stdlib.h>
#include <string.h>

const char *abdb_dialect(const char *name)
{
    const abdb_embedded *file = abdb_pg_dialect;

    while (file->name && strcmp(file->name, name) != 0) file++;
    return file->name ? file->text : "";
}

/* All tables, and all views with the rights on both. */
static void texts(abdb_text *tables, abdb_text *views)
{
    for (const abdb_embedded *f = abdb_pg_tables; f->name; f++) abdb_text_puts(tables, f->text);
    abdb_text_puts(tables, abdb_dialect("warehouse.sql"));
    abdb_text_puts(views, abdb_dialect("postgresql.sql"));
    for (const abdb_embedded *f = abdb_views; f->name; f++)
        if (strcmp(f->name, "005_stored.sql") != 0) abdb_text_puts(views, f->text);
    abdb_text_puts(views, abdb_dialect("rights.sql"));
}

static abdb_status make(abdb_server *s, const char *tables, const char *views, abdb_error *err)
{
    const char *digest[] = {tables, views};
    PGresult *result = NULL;
    abdb_status st = ABDB_OK;

    TRY(abdb_server_do(s, "CREATE SCHEMA abdb", err));
    TRY(abdb_server_do(s, tables, err));
    TRY(abdb_server_do(s, views, err));
    TRY(abdb_server_do(s, "SELECT months()", err));
    TRY(abdb_server_ask(s, "INSERT INTO warehouse (tables, views) VALUES (md5($1), md5($2))", 2,
                        digest, &result, err));
    PQclear(result);
done:
    return st;
}

static abdb_status upgrade(abdb_server *s, const char *tables, const char *views, abdb_error *err)
{
    const char *digest[] = {tables, views};
    PGresult *result = NULL;
    abdb_status st = ABDB_OK;

    /* today's tables in a schema of their own, beside those that are there */
    TRY(abdb_server_do(s,
                       "DROP SCHEMA IF EXISTS abdb_new CASCADE; CREATE SCHEMA abdb_new;"
                       "SET LOCAL search_path = abdb_new",
                       err));
    TRY(abdb_server_do(s, tables, err));
    TRY(abdb_server_do(s, "SET LOCAL search_path = abdb", err));
    TRY(abdb_server_do(s, abdb_dialect("upgrade.sql"), err));
    TRY(abdb_server_do(s, views, err));
    TRY(abdb_server_do(s, "SELECT months()", err));
    TRY(abdb_server_ask(s, "INSERT INTO warehouse (tables, views) VALUES (md5($1), md5($2))", 2,
                        digest, &result, err));
    PQclear(result);
done:
    return st;
}

/* Is there a warehouse (*there), and is it of this build (*same)? */
static abdb_status look(abdb_server *s, const char *tables, const char *views, bool *there,
                        bool *same, abdb_error *err)
{
    const char *digest[] = {tables, views};
    PGresult *result = NULL;
    long long is;
    abdb_status st = ABDB_OK;

    *there = *same = false;
    TRY(abdb_server_number(s,
                           "SELECT count(*) FROM pg_tables WHERE schemaname = 'abdb' AND"
                           " tablename = 'warehouse'",
                           &is, err));
    *there = is > 0;
    if (!*there) goto done;
    TRY(abdb_server_ask(s,
                        "SELECT 1 FROM (SELECT tables, views FROM abdb.warehouse ORDER BY made DESC"
                        " LIMIT 1) w WHERE tables = md5($1) AND views = md5($2)",
                        2, digest, &result, err));
    *same = PQntuples(result) > 0;
    PQclear(result);
done:
    return st;
}

abdb_status abdb_warehouse_open(abdb_server *s, bool may_make, bool may_upgrade, const char **word,
                                abdb_error *err)
{
    abdb_text tables = {0}, views = {0};
    bool there, same;
    abdb_status st = ABDB_OK;

    texts(&tables, &views);
    if (tables.failed || views.failed) TRY(ABDB_FAIL(err, ABDB_NOMEM, "the tables of a warehouse"));
    TRY(look(s, abdb_text_get(&tables), abdb_text_get(&views), &there, &same, err));
    *word = same ? "current" : "other";
    if (!there && !may_make)
        TRY(ABDB_FAIL(err, ABDB_USAGE, "there is no warehouse of abdb: `abdb push` makes one"));
    if (there && (same || !may_upgrade)) goto done;
    TRY(abdb_server_do(s, "BEGIN; SELECT pg_advisory_xact_lock(7091, 0)", err));
    TRY(look(s, abdb_text_get(&tables), abdb_text_get(&views), &there, &same, err));
    if (!same) {
        *word = there ? "upgraded" : "made";
        TRY((there ? upgrade : make)(s, abdb_text_get(&tables), abdb_text_get(&views), err));
    }
    TRY(abdb_server_do(s, "COMMIT", err));
done:
    if (st != ABDB_OK && PQtransactionStatus(s->link) != PQTRANS_IDLE)
        PQclear(PQexec(s->link, "ROLLBACK"));
    abdb_text_free(&tables);
    abdb_text_free(&views);
    return st;
}
