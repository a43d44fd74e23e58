/* warehouse_schema.c - the tables and views of a warehouse; see warehouse_schema.h. */
#include "stores/pg/warehouse_schema.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "stores/pg/access.h"

const char *abdb_find_dialect_sql_or_empty(const char *name)
{
    const abdb_embedded *file = abdb_pg_dialect;

    while (file->name && strcmp(file->name, name) != 0) file++;
    return file->name ? file->text : "";
}

typedef struct {
    abdb_text tables, views;
    abdb_text digested; /* all that makes the views */
} texts;

/* The SQL of tables and views for PostgreSQL, and the text whose digest separates this build's
 * schema from another's. */
static abdb_status collect_schema_sql_of_this_build(texts *t, abdb_error *err)
{
    static const char *const besides[] = {"rights.sql", "citus.sql", "gather.sql", "gathered.sql"};

    for (const abdb_embedded *f = abdb_pg_tables; f->name; f++) abdb_text_puts(&t->tables, f->text);
    abdb_text_puts(&t->tables, abdb_find_dialect_sql_or_empty("warehouse.sql"));
    for (const abdb_embedded *f = abdb_views; f->name; f++) {
        const char *other = abdb_find_dialect_sql_or_empty(f->name); /* PostgreSQL's form of it */

        abdb_text_puts(&t->views, *other ? other : f->text);
    }
    abdb_text_puts(&t->digested, abdb_text_get(&t->views));
    for (size_t i = 0; i < sizeof besides / sizeof besides[0]; i++)
        abdb_text_puts(&t->digested, abdb_find_dialect_sql_or_empty(besides[i]));
    return t->tables.failed || t->views.failed || t->digested.failed
               ? ABDB_FAIL(err, ABDB_NOMEM, "the tables of a warehouse")
               : ABDB_OK;
}

static void free_schema_sql(texts *t)
{
    abdb_text_free(&t->tables);
    abdb_text_free(&t->views);
    abdb_text_free(&t->digested);
}

/* The views and the rights. On Citus the tables are spread first, and the views made twice, for the
 * coordinator alone. */
static abdb_status create_views_and_rights_record_digests(abdb_server *s, const texts *t,
                                                          abdb_error *err)
{
    static const char has[] = "SELECT count(*) FROM pg_extension WHERE extname = 'citus'";
    const char *views = abdb_text_get(&t->views);
    const char *digest[] = {abdb_text_get(&t->tables), abdb_text_get(&t->digested)};
    PGresult *result = NULL;
    long long citus;
    abdb_status st = ABDB_OK;

    TRY(abdb_server_query_number_or_0(s, has, &citus, err));
    if (citus) TRY(abdb_server_execute(s, abdb_find_dialect_sql_or_empty("citus.sql"), err));
    TRY(abdb_server_execute(s, "SELECT months()", err));
    if (citus) TRY(abdb_server_execute(s, "SET LOCAL citus.enable_ddl_propagation = off", err));
    TRY(abdb_server_execute(s, views, err));
    if (citus) {
        TRY(abdb_server_execute(s, abdb_find_dialect_sql_or_empty("gather.sql"), err));
        TRY(abdb_server_execute(s, "SET LOCAL search_path = abdb_whole, abdb", err));
        TRY(abdb_server_execute(s, views, err));
        TRY(abdb_server_execute(s, abdb_find_dialect_sql_or_empty("gathered.sql"), err));
        TRY(abdb_server_execute(
            s, "SET LOCAL search_path = abdb; SET LOCAL citus.enable_ddl_propagation = on", err));
    }
    TRY(abdb_server_execute(s, abdb_find_dialect_sql_or_empty("rights.sql"), err));
    TRY(abdb_server_query_and_validate_columns(
        s, "INSERT INTO warehouse (tables, views) VALUES (md5($1), md5($2))", 2, digest, "",
        &result, err));
    PQclear(result);
done:
    return st;
}

/* Makes the schema, tables, views and rights. A schema abdb that somebody made beforehand is used
 * where it is empty. */
static abdb_status create_warehouse_unless_schema_is_used(abdb_server *s, const texts *t,
                                                          abdb_error *err)
{
    static const char schemas[] = "SELECT count(*) FROM pg_namespace WHERE nspname = 'abdb'",
                      others[] = "SELECT count(*) FROM pg_class c JOIN pg_namespace n ON n.oid ="
                                 " c.relnamespace WHERE n.nspname = 'abdb'";
    long long schema, relations;
    abdb_status st = ABDB_OK;

    TRY(abdb_server_query_number_or_0(s, schemas, &schema, err));
    TRY(abdb_server_query_number_or_0(s, others, &relations, err));
    if (relations)
        TRY(ABDB_FAIL(err, ABDB_IO,
                      "the schema abdb there holds tables that are not abdb's: name another"
                      " database, or rename that schema"));
    if (!schema) TRY(abdb_access_refuse_if_schema_creation_is_denied(s, err));
    if (!schema) TRY(abdb_server_execute(s, "CREATE SCHEMA abdb", err));
    TRY(abdb_server_execute(s, abdb_text_get(&t->tables), err));
    TRY(create_views_and_rights_record_digests(s, t, err));
done:
    return st;
}

/* Updates tables, columns, checks, indexes, functions, views and rights to this build, also where
 * some were dropped. Adds to `message` the tables that had to be made. */
static abdb_status upgrade_warehouse_list_made_tables(abdb_server *s, const texts *t,
                                                      abdb_text *message, abdb_error *err)
{
    static const char made[] = "SELECT string_agg(relname, ', ' ORDER BY relname) FROM"
                               " pg_temp.remade HAVING count(*) > 0";
    PGresult *names = NULL;
    abdb_status st = ABDB_OK;

    TRY(abdb_access_refuse_if_role_is_missing(s, ABDB_ACCESS_UPGRADE, err));
    TRY(abdb_access_refuse_if_schema_creation_is_denied(s, err));
    /* today's tables in a schema of their own, beside the existing ones */
    TRY(abdb_server_execute(
        s,
        "DROP SCHEMA IF EXISTS abdb_new, abdb_whole CASCADE; CREATE SCHEMA abdb_new;"
        "SET LOCAL search_path = abdb_new",
        err));
    TRY(abdb_server_execute(s, abdb_text_get(&t->tables), err));
    TRY(abdb_server_execute(s, "SET LOCAL search_path = abdb", err));
    TRY(abdb_server_execute(s, abdb_find_dialect_sql_or_empty("upgrade.sql"), err));
    TRY(create_views_and_rights_record_digests(s, t, err));
    TRY(abdb_server_query_and_validate_columns(s, made, 0, NULL, "t", &names, err));
    if (PQntuples(names))
        abdb_text_printf(message,
                         "; tables that were not there and are empty now: %s. Where they had been"
                         " dropped, a push brings back what stands alone, and not what belonged to"
                         " entries that are still there: for those make the warehouse again (DROP"
                         " SCHEMA abdb CASCADE) and push each file",
                         PQgetvalue(names, 0, 0));
done:
    PQclear(names);
    return st;
}

/* The state of a warehouse in the catalog. */
typedef struct {
    bool there; /* tables of abdb are */
    bool whole; /* its table `warehouse` is, too */
    bool same;  /* tables and views are of this build */
} state;

/* Is the warehouse there, whole, and of this build? */
static abdb_status query_if_warehouse_is_there_whole_current(abdb_server *s, const texts *t,
                                                             state *is, abdb_error *err)
{
    static const char sql[] = "SELECT count(*) FROM pg_tables WHERE schemaname = 'abdb' AND ",
                      *const of[] = {"tablename IN ('entry_row', 'arrival', 'artifact')",
                                     "tablename = 'warehouse'"};
    const char *digest[] = {abdb_text_get(&t->tables), abdb_text_get(&t->digested)};
    PGresult *result = NULL;
    long long count[2];
    char whole[sizeof sql + 80];
    abdb_status st = ABDB_OK;

    *is = (state){0};
    for (int i = 0; i < 2; i++) {
        snprintf(whole, sizeof whole, "%s%s", sql, of[i]);
        TRY(abdb_server_query_number_or_0(s, whole, &count[i], err));
    }
    is->there = count[0] || count[1];
    is->whole = count[1];
    if (!is->whole) goto done;
    TRY(abdb_server_query_and_validate_columns(
        s,
        "SELECT 1 FROM (SELECT tables, views FROM abdb.warehouse ORDER BY made DESC"
        " LIMIT 1) w WHERE tables = md5($1) AND views = md5($2)",
        2, digest, "n", &result, err));
    is->same = PQntuples(result) > 0;
    PQclear(result);
done:
    return st;
}

/* In one transaction, alone: makes the warehouse, or brings it to this build. */
static abdb_status create_or_upgrade_in_locked_transaction(abdb_server *s, const texts *t,
                                                           bool may_upgrade, const char **word,
                                                           abdb_text *message, abdb_error *err)
{
    state is;
    abdb_status st = ABDB_OK;

    TRY(abdb_server_begin_and_verify(s, "BEGIN; SELECT pg_advisory_xact_lock(7091, 0)", err));
    TRY(query_if_warehouse_is_there_whole_current(s, t, &is, err));
    if (!is.there) {
        *word = "made";
        TRY(create_warehouse_unless_schema_is_used(s, t, err));
    } else if (may_upgrade) {
        *word = "upgraded";
        TRY(upgrade_warehouse_list_made_tables(s, t, message, err));
    } else { /* another has made it meanwhile */
        *word = is.same ? "current" : "other";
    }
    TRY(abdb_server_commit_and_verify(s, err));
done:
    return st;
}

abdb_status abdb_warehouse_check_create_or_upgrade(abdb_server *s, bool may_make, bool may_upgrade,
                                                   const char **outcome, abdb_text *message,
                                                   abdb_error *err)
{
    texts t = {0};
    state is;
    abdb_status st = ABDB_OK;

    TRY(collect_schema_sql_of_this_build(&t, err));
    TRY(abdb_access_refuse_if_role_is_missing(s, may_make ? ABDB_ACCESS_PUSH : ABDB_ACCESS_READ,
                                              err));
    TRY(query_if_warehouse_is_there_whole_current(s, &t, &is, err));
    *outcome = is.same ? "current" : "other";
    if (!is.there && !may_make)
        TRY(ABDB_FAIL(err, ABDB_USAGE, "there is no warehouse of abdb: `abdb push` makes one"));
    if (is.there && !is.whole && !may_upgrade)
        TRY(ABDB_FAIL(err, ABDB_IO,
                      "the warehouse lacks the table warehouse: its owner runs `abdb push"
                      " --upgrade`"));
    if (!is.there || may_upgrade)
        TRY(create_or_upgrade_in_locked_transaction(s, &t, may_upgrade, outcome, message, err));
    if (may_make)
        TRY(abdb_access_append_role_problems_for_owner(
            s, strcmp(*outcome, "made") == 0 || strcmp(*outcome, "upgraded") == 0, message, err));
done:
    if (st != ABDB_OK && PQtransactionStatus(s->connection) != PQTRANS_IDLE)
        PQclear(PQexec(s->connection, "ROLLBACK"));
    free_schema_sql(&t);
    return st;
}
