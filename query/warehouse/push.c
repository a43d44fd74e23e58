/* push.c - the facts of a database into a warehouse; see push.h. */
#include "query/warehouse/push.h"

#include <limits.h>

#include "query/answer/output.h"
#include "query/warehouse/encode_rows.h"
#include "query/warehouse/entry_chunks.h"

enum { BATCH = 5000 };

typedef struct {
    abdb_store_client *link;
    abdb_db *db;
    abdb_push_counts *out;
    abdb_error *err;
} pusher;

/* The number of a row, which the store sends back; 0, the number of no row: something else. */
static long long parse_answered_row_number_or_zero(const abdb_store_client *link)
{
    return abdb_digits_parse_prefix_up_to_max_or(link->word[0] ? link->word[0] : "", LLONG_MAX, 0);
}

/* Adds up the store's answer to a put: rows added, and rows that differ from stored ones. */
static void count_added_and_different(pusher *p, const char *table)
{
    const char *said = abdb_text_get(&p->link->result_text);
    unsigned long long added = 0, different = 0;

    said += abdb_digits_parse_prefix(said, 10, &added);
    (void)abdb_digits_parse_prefix(said, 10, &different);
    p->out->rows += (long long)added;
    if (different)
        abdb_text_printf(&p->out->different, "%s%s %llu", p->out->different.size ? ", " : "", table,
                         different);
}

/* Sends the rows of a query into a table of the warehouse and counts rows added and rows that
 * differ there. */
static abdb_status upload_table_rows_count_added(pusher *p, const char *table, const char *sql)
{
    long long rows;
    abdb_status st = ABDB_OK;

    TRY(abdb_send_encoded_rows(p->link, p->db, "put", table, sql, &rows, p->err));
    TRY(abdb_store_read_final_answer(p->link, p->err));
    count_added_and_different(p, table);
done:
    return st;
}

/* Puts keys missing there into temp.absent. sql selects keys and columns that must agree. */
static abdb_status ask_missing_keys_into_temp_absent(pusher *p, const char *table, const char *sql)
{
    sqlite3_stmt *s = NULL;
    long long rows;
    bool more = true;
    abdb_status st = ABDB_OK;

    TRY(abdb_db_exec(p->db, "DELETE FROM temp.absent", p->err));
    TRY(abdb_send_encoded_rows(p->link, p->db, "missing", table, sql, &rows, p->err));
    if (sqlite3_prepare_v2(p->db->sql, "INSERT OR IGNORE INTO temp.absent VALUES (?1)", -1, &s,
                           NULL) != SQLITE_OK)
        TRY(abdb_db_report_sqlite_error(p->db, p->err, table));
    TRY(abdb_db_exec(p->db, "BEGIN", p->err));
    while (more) {
        TRY(abdb_store_read_row_or_final_answer(p->link, &more, p->err));
        if (!more) break;
        sqlite3_bind_int64(s, 1, parse_answered_row_number_or_zero(p->link));
        if (sqlite3_step(s) != SQLITE_DONE) TRY(abdb_db_report_sqlite_error(p->db, p->err, table));
        sqlite3_reset(s);
    }
done:
    sqlite3_finalize(s);
    if (!sqlite3_get_autocommit(p->db->sql)) sqlite3_exec(p->db->sql, "COMMIT", NULL, NULL, NULL);
    return st;
}

/* Sends every dictionary whole; rows that the warehouse has stay as they are. */
static abdb_status upload_dictionaries(pusher *p)
{
    abdb_status st = ABDB_OK;

    for (const char *const *t = abdb_carry_plain; *t; t++) {
        char *sql = sqlite3_mprintf("SELECT * FROM main.%w", *t);

        st = sql ? upload_table_rows_count_added(p, *t, sql)
                 : ABDB_FAIL(p->err, ABDB_NOMEM, "%s", *t);
        sqlite3_free(sql);
        if (st != ABDB_OK) return st;
    }
    return st;
}

/* Sends a table whose number is its key: all its rows, or only missing ones. */
static abdb_status upload_keyed_table(pusher *p, const char *table, bool only_missing)
{
    char *keys = sqlite3_mprintf("SELECT %s_key AS %s_id, %s_key_low FROM main.%w", table, table,
                                 table, table);
    char *where = only_missing
                      ? sqlite3_mprintf("WHERE %s_key IN (SELECT number FROM temp.absent)", table)
                      : sqlite3_mprintf("");
    char *sql = where ? abdb_build_keyed_table_sql(p->db, table, where) : NULL;
    abdb_status st = ABDB_OK;

    if (!keys || !sql) TRY(abdb_db_report_sqlite_error(p->db, p->err, table));
    if (only_missing) TRY(ask_missing_keys_into_temp_absent(p, table, keys));
    TRY(upload_table_rows_count_added(p, table, sql));
done:
    sqlite3_free(keys);
    sqlite3_free(where);
    sqlite3_free(sql);
    return st;
}

/* Everything that is no entry and belongs to none: one transaction, tables in one order for
 * everybody who pushes. */
static abdb_status upload_shared_rows_in_one_transaction(pusher *p)
{
    static const char artifacts[] = "SELECT number AS artifact_id FROM temp.artifact_number";
    abdb_status st = ABDB_OK;

    TRY(abdb_store_request_and_read_answer(p->link, "begin", NULL, p->err));
    TRY(upload_dictionaries(p));
    for (const char *const *t = abdb_carry_few; *t; t++) TRY(upload_keyed_table(p, *t, false));
    TRY(ask_missing_keys_into_temp_absent(p, "artifact", artifacts));
    TRY(upload_table_rows_count_added(p, "artifact", abdb_encoding_sql_of_table("artifact")));
    TRY(upload_table_rows_count_added(p, "reject", abdb_encoding_sql_of_table("reject")));
    TRY(upload_table_rows_count_added(p, "origin", abdb_encoding_sql_of_table("origin")));
    TRY(upload_table_rows_count_added(p, "quantity", abdb_encoding_sql_of_table("quantity")));
    for (const char *const *t = abdb_carry_many; *t; t++) TRY(upload_keyed_table(p, *t, true));
    TRY(upload_table_rows_count_added(
        p, "point_factor", abdb_encoding_sql_of_table("point_factor"))); /* of points, the last */
    TRY(abdb_store_request_and_read_answer(p->link, "commit", NULL, p->err));
done:
    return st;
}

/* Adds the rows of entries that this transaction added. */
static abdb_status upload_rows_of_batch(pusher *p, const char *table, long long *rows)
{
    abdb_status st = ABDB_OK;

    TRY(abdb_send_encoded_rows(p->link, p->db, "copy", table, abdb_encoding_sql_of_table(table),
                               rows, p->err));
    TRY(abdb_store_read_final_answer(p->link, p->err));
done:
    return st;
}

/* Claims the entries of temp.batch, and drops entries that another push has added meanwhile. */
static abdb_status claim_batch_entries_dropping_those_of_others(pusher *p)
{
    long long rows;
    bool more = true;
    abdb_status st = ABDB_OK;

    TRY(abdb_send_encoded_rows(p->link, p->db, "claim", "entry_row",
                               abdb_encoding_sql_of_table("entry_row"), &rows, p->err));
    while (more) {
        char *sql;

        TRY(abdb_store_read_row_or_final_answer(p->link, &more, p->err));
        if (!more) break;
        sql = sqlite3_mprintf("DELETE FROM temp.batch WHERE number = %lld",
                              parse_answered_row_number_or_zero(p->link));
        st = sql ? abdb_db_exec(p->db, sql, p->err) : ABDB_FAIL(p->err, ABDB_NOMEM, "entries");
        sqlite3_free(sql);
        if (st != ABDB_OK) break;
    }
done:
    return st;
}

/* Sends BATCH missing entries with their parts, from that place on, in one transaction of the
 * warehouse. */
static abdb_status upload_entry_batch(pusher *p, long long first_place)
{
    static const char *const circumstances[] = {"telemetry", "span", "rank", NULL};
    char *fill = sqlite3_mprintf("DELETE FROM temp.batch; INSERT OR IGNORE INTO temp.batch SELECT"
                                 " entry_id, number FROM temp.todo WHERE place BETWEEN %lld AND"
                                 " %lld",
                                 first_place, first_place + BATCH - 1);
    sqlite3_int64 claimed;
    long long rows;
    abdb_status st = ABDB_OK;

    if (!fill) TRY(ABDB_FAIL(p->err, ABDB_NOMEM, "entries"));
    TRY(abdb_db_exec(p->db, fill, p->err));
    TRY(abdb_store_request_and_read_answer(p->link, "begin", NULL, p->err));
    TRY(claim_batch_entries_dropping_those_of_others(p));
    TRY(abdb_db_query_integer_or_0(p->db, "SELECT count(*) FROM temp.batch", &claimed, p->err));
    TRY(upload_rows_of_batch(p, "result_row", &rows));
    p->out->results += rows;
    TRY(abdb_send_encoded_samples_of_batch(p->link, p->db, &rows, p->err));
    TRY(abdb_store_read_final_answer(p->link, p->err));
    p->out->samples += rows;
    for (const char *const *t = circumstances; *t; t++) TRY(upload_rows_of_batch(p, *t, &rows));
    TRY(abdb_store_request_and_read_answer(p->link, "commit", NULL, p->err));
    TRY(abdb_db_exec(p->db, "INSERT OR IGNORE INTO temp.pushed SELECT entry_id FROM temp.batch",
                     p->err));
    p->out->entries += claimed;
done:
    sqlite3_free(fill);
    return st;
}

/* Finds the entries that the warehouse lacks: checks chunk by chunk, then entry by entry in missing
 * chunks. The missing chunks stay in temp.chunk. */
static abdb_status collect_missing_entries_by_chunk_digests(pusher *p)
{
    static const char chunks[] = "SELECT number AS chunk_key, low AS chunk_key_low FROM temp.chunk";
    static const char known[] =
        "DELETE FROM temp.chunk WHERE number NOT IN (SELECT number FROM temp.absent)";
    static const char entries[] =
        "SELECT e.entry_key AS entry_id, e.entry_key_low FROM temp.chunk c CROSS JOIN"
        " main.entry_row e ON e.entry_id BETWEEN c.first AND c.last";
    abdb_status st = ABDB_OK;

    TRY(abdb_create_and_fill_entry_chunk_table(p->db, p->err));
    TRY(ask_missing_keys_into_temp_absent(p, "chunk", chunks));
    TRY(abdb_db_exec(p->db, known, p->err));
    TRY(ask_missing_keys_into_temp_absent(p, "entry_row", entries));
done:
    return st;
}

/* Asks which entries the warehouse lacks and sends them, sorted by key, in batches. */
static abdb_status upload_missing_entries(pusher *p)
{
    static const char todo[] =
        "CREATE TEMP TABLE todo (place INTEGER PRIMARY KEY, entry_id INTEGER, number INTEGER);"
        "INSERT INTO temp.todo (entry_id, number) SELECT e.entry_id, e.entry_key FROM temp.absent a"
        "  CROSS JOIN main.entry_row e ON e.entry_key = a.number ORDER BY e.entry_key";
    sqlite3_int64 count;
    abdb_status st = ABDB_OK;

    TRY(abdb_db_query_integer_or_0(p->db, "SELECT count(*) FROM main.entry_row", &count, p->err));
    p->out->held = count;
    TRY(collect_missing_entries_by_chunk_digests(p));
    TRY(abdb_db_exec(p->db, todo, p->err));
    TRY(abdb_db_query_integer_or_0(p->db, "SELECT count(*) FROM temp.todo", &count, p->err));
    for (long long at = 1; at <= count; at += BATCH) {
        abdb_show_or_clear_progress_bar("entries", (double)at, (double)count);
        TRY(upload_entry_batch(p, at));
    }
done:
    abdb_show_or_clear_progress_bar("", -1, 0);
    return st;
}

/* All entries of these chunks are there now. */
static abdb_status upload_chunk_digests(pusher *p)
{
    static const char now[] = "SELECT number AS chunk_key, low AS chunk_key_low FROM temp.chunk";
    long long rows;
    abdb_status st = ABDB_OK;

    TRY(abdb_send_encoded_rows(p->link, p->db, "put", "chunk", now, &rows, p->err));
    TRY(abdb_store_read_final_answer(p->link, p->err));
done:
    return st;
}

/* Sends rows that refer to entries. Places are sent only for readings whose places were not all
 * sent before. */
static abdb_status upload_chunks_parts_facts_and_witnesses(pusher *p)
{
    static const char said[] = "SELECT * FROM (%s) WHERE artifact_id IN (SELECT number FROM"
                               " temp.absent)";
    char *witnessed = sqlite3_mprintf(said, abdb_encoding_sql_of_table("witnessed"));
    sqlite3_int64 absent;
    abdb_status st = ABDB_OK;

    if (!witnessed) TRY(ABDB_FAIL(p->err, ABDB_NOMEM, "places"));
    TRY(abdb_store_request_and_read_answer(p->link, "begin", NULL, p->err));
    TRY(upload_chunk_digests(p));
    TRY(upload_table_rows_count_added(p, "part", abdb_encoding_sql_of_table("part")));
    TRY(upload_table_rows_count_added(p, "fact", abdb_encoding_sql_of_table("fact")));
    TRY(ask_missing_keys_into_temp_absent(p, "witnessed", abdb_encoding_sql_of_table("witnessed")));
    TRY(abdb_db_query_integer_or_0(p->db, "SELECT count(*) FROM temp.absent", &absent, p->err));
    if (absent) {
        TRY(upload_table_rows_count_added(p, "witness_row",
                                          abdb_encoding_sql_of_table("witness_row")));
        TRY(upload_table_rows_count_added(p, "witnessed", witnessed));
    }
    TRY(abdb_store_request_and_read_answer(p->link, "commit", NULL, p->err));
done:
    sqlite3_free(witnessed);
    return st;
}

abdb_status abdb_push_database(abdb_store_client *link, abdb_db *db, abdb_push_counts *out,
                               abdb_error *err)
{
    pusher p = {.link = link, .db = db, .out = out, .err = err};
    abdb_status st = ABDB_OK;

    TRY(abdb_create_temp_encoding_tables_and_function(db, err));
    TRY(upload_shared_rows_in_one_transaction(&p));
    TRY(upload_missing_entries(&p));
    TRY(upload_chunks_parts_facts_and_witnesses(&p));
done:
    return st;
}
