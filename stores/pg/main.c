/* main.c - abdb-store-pg: serves a warehouse on PostgreSQL to `abdb push` and `abdb pull`
 * (stores/protocol.md). It is the only part of abdb that is linked with libpq. */
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>

#include "stores/pg/read_entries.h"
#include "stores/pg/upsert.h"
#include "stores/pg/warehouse_schema.h"

static const rlim_t memory_most = (rlim_t)1 << 30; /* twice that of a row, and of an answer */

/* open URL make|read [upgrade] */
static abdb_status handle_open_warehouse(abdb_server *s, const abdb_request *r, abdb_text *reply,
                                         abdb_error *err)
{
    const char *word = "";
    abdb_text besides = {0};
    abdb_status st = ABDB_OK;

    if (r->words < 3 || s->connection)
        return ABDB_FAIL(err, ABDB_USAGE, "open URL make|read [upgrade]");
    TRY(abdb_server_connect_and_set_session(s, r->word[1], err));
    TRY(abdb_warehouse_check_create_or_upgrade(s, strcmp(r->word[2], "make") == 0,
                                               r->words > 3 && strcmp(r->word[3], "upgrade") == 0,
                                               &word, &besides, err));
    abdb_text_printf(reply, "%s PostgreSQL %d.%d%s", word, PQserverVersion(s->connection) / 10000,
                     PQserverVersion(s->connection) % 10000, abdb_text_get(&besides));
done:
    abdb_text_free(&besides);
    return st;
}

/* begin [read]: a transaction; one that writes also makes the month's partitions, and counts its
 * added rows. */
static abdb_status handle_begin_and_make_partitions(abdb_server *s, const abdb_request *r,
                                                    abdb_text *reply, abdb_error *err)
{
    bool reads = r->words > 1 && strcmp(r->word[1], "read") == 0;
    abdb_status st = ABDB_OK;

    (void)reply;
    TRY(abdb_server_begin_and_verify(s,
                                     reads ? "BEGIN ISOLATION LEVEL REPEATABLE READ"
                                           : "BEGIN ISOLATION LEVEL"
                                             " READ COMMITTED",
                                     err));
    if (!reads) TRY(abdb_server_execute(s, "SELECT abdb.months()", err));
    s->added = 0;
    abdb_text_clear(&s->changed_tables);
done:
    return st;
}

/* commit: notes which tables got rows, for deriving, and commits; answers with their number. */
static abdb_status handle_commit_noting_arrivals(abdb_server *s, const abdb_request *r,
                                                 abdb_text *reply, abdb_error *err)
{
    const char *brought = abdb_text_get(&s->changed_tables);
    PGresult *result = NULL;
    abdb_status st = ABDB_OK;

    (void)r;
    if (s->added)
        TRY(abdb_server_query_and_validate_columns(
            s, "INSERT INTO abdb.arrival (brought) VALUES ($1)", 1, &brought, "", &result, err));
    PQclear(result);
    TRY(abdb_server_commit_and_verify(s, err));
    abdb_text_printf(reply, "%ld", s->added);
done:
    return st;
}

/* The derived rows needed after the arrivals: "names" after new spellings or dictionaries,
 * "subjects" after rows that affect which statements are about one result. */
static const char wants_sql[] =
    "SELECT concat_ws(' ', CASE WHEN brought ~ '\\m(description|spec|price|device|model|alias|"
    "decoration)\\M' THEN 'names' END, CASE WHEN brought ~ '\\m(mlperf|source|metric|model|alias|"
    "withdrawal|witness_row|fact)\\M' THEN 'subjects' END) FROM (SELECT string_agg(brought, ' ')"
    " AS brought FROM pg_temp.seen) s";

/* Begins a transaction that no other session can begin at the same time. It must see the data of
 * the moment at which it has the lock, so the session takes the lock first; then the lock becomes
 * the transaction's, whose end releases it in any case. */
static abdb_status begin_transaction_under_advisory_lock(abdb_server *s, abdb_error *err)
{
    abdb_status st = ABDB_OK;

    TRY(abdb_server_execute(s, "SELECT pg_advisory_lock(7091, 2)", err));
    TRY(abdb_server_begin_and_verify(s, "BEGIN ISOLATION LEVEL REPEATABLE READ", err));
    TRY(abdb_server_execute(s, "SELECT pg_advisory_xact_lock(7091, 2), pg_advisory_unlock(7091, 2)",
                            err));
done:
    return st;
}

/* Begins to make derived rows anew in a transaction of its own, and runs settle.sql, which makes
 * the rows that SQL can make. The reply lists the other wanted rows; "nothing", without a
 * transaction, where no arrival waits. */
static abdb_status handle_start_deriving_under_lock(abdb_server *s, const abdb_request *r,
                                                    abdb_text *reply, abdb_error *err)
{
    static const char waiting[] = "SELECT count(*) FROM abdb.arrival a WHERE NOT EXISTS (SELECT 1"
                                  " FROM abdb.settled d WHERE d.arrival_id = a.arrival_id)";
    PGresult *wants = NULL;
    long long count;
    abdb_status st = ABDB_OK;

    (void)r;
    TRY(abdb_server_query_number_or_0(s, waiting, &count, err));
    if (!count) {
        abdb_text_puts(reply, "nothing");
        goto done;
    }
    TRY(begin_transaction_under_advisory_lock(s, err));
    TRY(abdb_server_execute(
        s,
        "CREATE TEMP TABLE seen ON COMMIT DROP AS SELECT a.* FROM abdb.arrival a"
        " WHERE NOT EXISTS (SELECT 1 FROM abdb.settled d WHERE d.arrival_id ="
        " a.arrival_id)",
        err));
    TRY(abdb_server_execute(s, abdb_find_dialect_sql_or_empty("settle.sql"), err));
    TRY(abdb_server_query_and_validate_columns(s, wants_sql, 0, NULL, "t", &wants, err));
    if (PQntuples(wants)) abdb_text_puts(reply, PQgetvalue(wants, 0, 0));
done:
    PQclear(wants);
    return st;
}

/* settled: notes the arrivals that were derived and commits, which ends the lock too. */
static abdb_status handle_record_settled_arrivals_and_commit(abdb_server *s, const abdb_request *r,
                                                             abdb_text *reply, abdb_error *err)
{
    abdb_status st = ABDB_OK;

    (void)r;
    (void)reply;
    TRY(abdb_server_execute(s, "INSERT INTO abdb.settled SELECT arrival_id FROM pg_temp.seen",
                            err));
    TRY(abdb_server_commit_and_verify(s, err));
    TRY(abdb_server_execute(s, "SELECT abdb.count_again()", err));
done:
    return st;
}

static abdb_status handle_insert_rows(abdb_server *s, const abdb_request *r, abdb_text *reply,
                                      abdb_error *err)
{
    return abdb_insert_new_rows_count_or_send_rest(s, r, false, reply, err);
}

static abdb_status handle_insert_rows_and_send_lost_keys(abdb_server *s, const abdb_request *r,
                                                         abdb_text *reply, abdb_error *err)
{
    return abdb_insert_new_rows_count_or_send_rest(s, r, true, reply, err);
}

static abdb_status handle_list_spellings(abdb_server *s, const abdb_request *r, abdb_text *reply,
                                         abdb_error *err)
{
    (void)r;
    return abdb_send_distinct_name_spellings(s, reply, err);
}

static const struct {
    const char *word;
    abdb_status (*run)(abdb_server *s, const abdb_request *r, abdb_text *said, abdb_error *err);
} requests[] = {
    {"open", handle_open_warehouse},
    {"begin", handle_begin_and_make_partitions},
    {"commit", handle_commit_noting_arrivals},
    {"missing", abdb_send_missing_keys_or_fail_on_collision},
    {"put", handle_insert_rows},
    {"claim", handle_insert_rows_and_send_lost_keys},
    {"copy", abdb_copy_claimed_rows_into_table},
    {"settle", handle_start_deriving_under_lock},
    {"derived", abdb_replace_derived_table_by_request_rows},
    {"settled", handle_record_settled_arrivals_and_commit},
    {"wanted", abdb_create_wanted_entries_and_artifacts_tables},
    {"fetch", abdb_send_wanted_rows_of_table},
    {"spellings", handle_list_spellings},
};

/* Answers one request. An error rolls back the transaction with all its added rows. */
static void run_request_and_write_answer(abdb_server *s, const abdb_request *r)
{
    abdb_text said = {0};
    abdb_error err = {0};
    abdb_status st;
    size_t i = 0, count = sizeof requests / sizeof requests[0];

    while (i < count && strcmp(requests[i].word, r->word[0]) != 0) i++;
    if (i == count)
        st = ABDB_FAIL(&err, ABDB_USAGE, "no request '%s'", r->word[0]);
    else if (!s->connection && i > 0)
        st = ABDB_FAIL(&err, ABDB_USAGE, "nothing is open");
    else
        st = requests[i].run(s, r, &said, &err);
    if (st != ABDB_OK && s->connection && PQtransactionStatus(s->connection) > PQTRANS_ACTIVE)
        PQclear(PQexec(s->connection, "ROLLBACK"));
    abdb_wire_write_result_escaped_to_stdout(st, abdb_text_get(&said), &err);
    abdb_text_free(&said);
}

/* A server may send rows, notices and errors without end, which libpq collects: that ends as a
 * failure of libpq, not of the machine. Sanitizers need more for themselves. */
static void limit_own_memory_to_1_gib(void)
{
#ifndef __SANITIZE_ADDRESS__
    (void)!setrlimit(RLIMIT_DATA, &(struct rlimit){memory_most, memory_most});
#endif
}

/* Answers requests on standard input until `close` or the end of input. */
int main(void)
{
    abdb_server server = {0};
    abdb_request request;

    limit_own_memory_to_1_gib();
    while (abdb_wire_read_request_from_stdin(&request)) {
        if (strcmp(request.word[0], "close") == 0) break;
        run_request_and_write_answer(&server, &request);
    }
    abdb_server_close(&server);
    return 0;
}
