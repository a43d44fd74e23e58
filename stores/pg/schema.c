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

typedef struct {
    abdb_text tables, views;
    abdb_text digested; /* all that makes the views */
} texts;

static abdb_status texts_make(texts *t, abdb_error *err)
{
    static const char *const besides[] = {"rights.sql", "citus.sql", "gather.sql", "gathered.sql"};

    for (const abdb_embedded *f = abdb_pg_tables; f->name; f++) abdb_text_puts(&t->tables, f->text);
    abdb_text_puts(&t->tables, abdb_dialect("warehouse.sql"));
    for (const abdb_embedded *f = abdb_views; f->name; f++) {
        const char *other = abdb_dialect(f->name); /* PostgreSQL's form of it */

        abdb_text_puts(&t->views, *other ? other : f->text);
    }
    abdb_text_puts(&t->digested, abdb_text_get(&t->views));
    for (size_t i = 0; i < sizeof besides / sizeof besides[0]; i++)
        abdb_text_puts(&t->digested, abdb_dialect(besides[i]));
    return t->tables.failed || t->views.failed || t->digested.failed
               ? ABDB_FAIL(err, ABDB_NOMEM, "the tables of a warehouse")
               : ABDB_OK;
}

static void texts_free(texts *t)
{
    abdb_text_free(&t->tables);
    abdb_text_free(&t->views);
    abdb_text_free(&t->digested);
}

/* The views and the rights. On Citus the tables are spread first, and the views made twice, for the
 * coordinator alone. */
static abdb_status make_views(abdb_server *s, const texts *t, abdb_error *err)
{
    static const char has[] = "SELECT count(*) FROM pg_extension WHERE extname = 'citus'";
    const char *views = abdb_text_get(&t->views);
    const char *digest[] = {abdb_text_get(&t->tables), abdb_text_get(&t->digested)};
    PGresult *result = NULL;
    long long citus;
    abdb_status st = ABDB_OK;

    TRY(abdb_server_number(s, has, &citus, err));
    if (citus) TRY(abdb_server_do(s, abdb_dialect("citus.sql"), err));
    TRY(abdb_server_do(s, "SELECT months()", err));
    if (citus) TRY(abdb_server_do(s, "SET LOCAL citus.enable_ddl_propagation = off", err));
    TRY(abdb_server_do(s, views, err));
    if (citus) {
        TRY(abdb_server_do(s, abdb_dialect("gather.sql"), err));
        TRY(abdb_server_do(s, "SET LOCAL search_path = abdb_whole, abdb", err));
        TRY(abdb_server_do(s, views, err));
        TRY(abdb_server_do(s, abdb_dialect("gathered.sql"), err));
        TRY(abdb_server_do(
            s, "SET LOCAL search_path = abdb; SET LOCAL citus.enable_ddl_propagation = on", err));
    }
    TRY(abdb_server_do(s, abdb_dialect("rights.sql"), err));
    TRY(abdb_server_ask(s, "INSERT INTO warehouse (tables, views) VALUES (md5($1), md5($2))", 2,
                        digest, "", &result, err));
    PQclear(result);
done:
    return st;
}

static abdb_status make(abdb_server *s, const texts *t, abdb_error *err)
{
    abdb_status st = ABDB_OK;

    TRY(abdb_server_do(s, "CREATE SCHEMA abdb", err));
    TRY(abdb_server_do(s, abdb_text_get(&t->tables), err));
    TRY(make_views(s, t, err));
done:
    return st;
}

static abdb_status upgrade(abdb_server *s, const texts *t, abdb_error *err)
{
    abdb_status st = ABDB_OK;

    /* today's tables in a schema of their own, beside those that are there */
    TRY(abdb_server_do(s,
                       "DROP SCHEMA IF EXISTS abdb_new, abdb_whole CASCADE; CREATE SCHEMA abdb_new;"
                       "SET LOCAL search_path = abdb_new",
                       err));
    TRY(abdb_server_do(s, abdb_text_get(&t->tables), err));
    TRY(abdb_server_do(s, "SET LOCAL search_path = abdb", err));
    TRY(abdb_server_do(s, abdb_dialect("upgrade.sql"), err));
    TRY(make_views(s, t, err));
done:
    return st;
}

/* Is there a warehouse (*there), and is it of this build (*same)? */
static abdb_status look(abdb_server *s, const texts *t, bool *there, bool *same, abdb_error *err)
{
    const char *digest[] = {abdb_text_get(&t->tables), abdb_text_get(&t->digested)};
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
                        2, digest, "n", &result, err));
    *same = PQntuples(result) > 0;
    PQclear(result);
done:
    return st;
}

abdb_status abdb_warehouse_open(abdb_server *s, bool may_make, bool may_upgrade, const char **word,
                                abdb_error *err)
{
    texts t = {0};
    bool there, same;
    abdb_status st = ABDB_OK;

    TRY(texts_make(&t, err));
    TRY(look(s, &t, &there, &same, err));
    *word = same ? "current" : "other";
    if (!there && !may_make)
        TRY(ABDB_FAIL(err, ABDB_USAGE, "there is no warehouse of abdb: `abdb push` makes one"));
    if (there && (same || !may_upgrade)) goto done;
    TRY(abdb_server_begin(s, "BEGIN; SELECT pg_advisory_xact_lock(7091, 0)", err));
    TRY(look(s, &t, &there, &same, err));
    if (!same) {
        *word = there ? "upgraded" : "made";
        TRY((there ? upgrade : make)(s, &t, err));
    }
    TRY(abdb_server_commit(s, err));
done:
    if (st != ABDB_OK && PQtransactionStatus(s->link) != PQTRANS_IDLE)
        PQclear(PQexec(s->link, "ROLLBACK"));
    texts_free(&t);
    return st;
}
