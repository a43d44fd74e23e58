/* push.c - the facts of a database into a warehouse; see push.h. */
#include "query/warehouse/push.h"

#include <limits.h>

#include "query/answer/say.h"
#include "query/warehouse/carry.h"
#include "query/warehouse/chunks.h"

enum { BATCH = 5000 };

typedef struct {
    abdb_link *link;
    abdb_db *db;
    abdb_pushed *out;
    abdb_error *err;
} pusher;

/* The number of a row, which the store sends back; 0, the number of no row: something else. */
static long long parse_row_number(const abdb_link *link)
{
    return abdb_digits_parse_or(link->word[0] ? link->word[0] : "", LLONG_MAX, 0);
}

/* What the store said of a put: rows that were added, and those that say otherwise there. */
static void note_put(pusher *p, const char *table)
{
    const char *said = abdb_text_get(&p->link->said);
    unsigned long long added = 0, different = 0;

    said += abdb_digits_parse_prefix(said, 10, &added);
    (void)abdb_digits_parse_prefix(said, 10, &different);
    p->out->rows += (long long)added;
    if (different)
        abdb_text_printf(&p->out->different, "%s%s %llu", p->out->different.size ? ", " : "", table,
                         different);
}

static abdb_status put(pusher *p, const char *table, const char *sql)
{
    long long rows;
    abdb_status st = ABDB_OK;

    TRY(abdb_carry_send(p->link, p->db, "put", table, sql, &rows, p->err));
    TRY(abdb_link_rest(p->link, p->err));
    note_put(p, table);
done:
    return st;
}

/* Keys that are not there, into temp.absent. sql gives the keys and what must agree. */
static abdb_status ask_missing(pusher *p, const char *table, const char *sql)
{
    sqlite3_stmt *s = NULL;
    long long rows;
    bool more = true;
    abdb_status st = ABDB_OK;

    TRY(abdb_db_exec(p->db, "DELETE FROM temp.absent", p->err));
    TRY(abdb_carry_send(p->link, p->db, "missing", table, sql, &rows, p->err));
    if (sqlite3_prepare_v2(p->db->sql, "INSERT OR IGNORE INTO temp.absent VALUES (?1)", -1, &s,
                           NULL) != SQLITE_OK)
        TRY(abdb_db_fail(p->db, p->err, table));
    TRY(abdb_db_exec(p->db, "BEGIN", p->err));
    while (more) {
        TRY(abdb_link_row(p->link, &more, p->err));
        if (!more) break;
        sqlite3_bind_int64(s, 1, parse_row_number(p->link));
        if (sqlite3_step(s) != SQLITE_DONE) TRY(abdb_db_fail(p->db, p->err, table));
        sqlite3_reset(s);
    }
done:
    sqlite3_finalize(s);
    if (!sqlite3_get_autocommit(p->db->sql)) sqlite3_exec(p->db->sql, "COMMIT", NULL, NULL, NULL);
    return st;
}

static abdb_status put_plain(pusher *p)
{
    abdb_status st = ABDB_OK;

    for (const char *const *t = abdb_carry_plain; *t; t++) {
        char *sql = sqlite3_mprintf("SELECT * FROM main.%w", *t);

        st = sql ? put(p, *t, sql) : ABDB_FAIL(p->err, ABDB_NOMEM, "%s", *t);
        sqlite3_free(sql);
        if (st != ABDB_OK) return st;
    }
    return st;
}

/* A table whose number is its key: all its rows, or those that are not there. */
static abdb_status put_keyed(pusher *p, const char *table, bool ask)
{
    char *keys = sqlite3_mprintf("SELECT %s_key AS %s_id, %s_key_low FROM main.%w", table, table,
                                 table, table);
    char *where = ask ? sqlite3_mprintf("WHERE %s_key IN (SELECT number FROM temp.absent)", table)
                      : sqlite3_mprintf("");
    char *sql = where ? abdb_carry_keyed(p->db, table, where) : NULL;
    abdb_status st = ABDB_OK;

    if (!keys || !sql) TRY(abdb_db_fail(p->db, p->err, table));
    if (ask) TRY(ask_missing(p, table, keys));
    TRY(put(p, table, sql));
done:
    sqlite3_free(keys);
    sqlite3_free(where);
    sqlite3_free(sql);
    return st;
}

/* Everything that is no entry and belongs to none: one transaction, tables in one order for
 * everybody who pushes. */
static abdb_status put_shared(pusher *p)
{
    static const char artifacts[] = "SELECT number AS artifact_id FROM temp.artifact_number";
    abdb_status st = ABDB_OK;

    TRY(abdb_link_do(p->link, "begin", NULL, p->err));
    TRY(put_plain(p));
    for (const char *const *t = abdb_carry_few; *t; t++) TRY(put_keyed(p, *t, false));
    TRY(ask_missing(p, "artifact", artifacts));
    TRY(put(p, "artifact", abdb_carry_of_entries("artifact")));
    TRY(put(p, "reject", abdb_carry_of_entries("reject")));
    TRY(put(p, "origin", abdb_carry_of_entries("origin")));
    TRY(put(p, "quantity", abdb_carry_of_entries("quantity")));
    for (const char *const *t = abdb_carry_many; *t; t++) TRY(put_keyed(p, *t, true));
    TRY(put(p, "point_factor", abdb_carry_of_entries("point_factor"))); /* of points, the last */
    TRY(abdb_link_do(p->link, "commit", NULL, p->err));
done:
    return st;
}

/* Adds the rows of entries that this transaction added. */
static abdb_status copy(pusher *p, const char *table, long long *rows)
{
    abdb_status st = ABDB_OK;

    TRY(abdb_carry_send(p->link, p->db, "copy", table, abdb_carry_of_entries(table), rows, p->err));
    TRY(abdb_link_rest(p->link, p->err));
done:
    return st;
}

/* The entries of temp.batch; those that another has added meanwhile leave it. */
static abdb_status claim(pusher *p)
{
    long long rows;
    bool more = true;
    abdb_status st = ABDB_OK;

    TRY(abdb_carry_send(p->link, p->db, "claim", "entry_row", abdb_carry_of_entries("entry_row"),
                        &rows, p->err));
    while (more) {
        char *sql;

        TRY(abdb_link_row(p->link, &more, p->err));
        if (!more) break;
        sql = sqlite3_mprintf("DELETE FROM temp.batch WHERE number = %lld",
                              parse_row_number(p->link));
        st = sql ? abdb_db_exec(p->db, sql, p->err) : ABDB_FAIL(p->err, ABDB_NOMEM, "entries");
        sqlite3_free(sql);
        if (st != ABDB_OK) break;
    }
done:
    return st;
}

static abdb_status put_batch(pusher *p, long long from)
{
    static const char *const circumstances[] = {"telemetry", "span", "rank", NULL};
    char *fill = sqlite3_mprintf("DELETE FROM temp.batch; INSERT OR IGNORE INTO temp.batch SELECT"
                                 " entry_id, number FROM temp.todo WHERE place BETWEEN %lld AND"
                                 " %lld",
                                 from, from + BATCH - 1);
    sqlite3_int64 claimed;
    long long rows;
    abdb_status st = ABDB_OK;

    if (!fill) TRY(ABDB_FAIL(p->err, ABDB_NOMEM, "entries"));
    TRY(abdb_db_exec(p->db, fill, p->err));
    TRY(abdb_link_do(p->link, "begin", NULL, p->err));
    TRY(claim(p));
    TRY(abdb_db_integer(p->db, "SELECT count(*) FROM temp.batch", &claimed, p->err));
    TRY(copy(p, "result_row", &rows));
    p->out->results += rows;
    TRY(abdb_carry_samples(p->link, p->db, &rows, p->err));
    TRY(abdb_link_rest(p->link, p->err));
    p->out->samples += rows;
    for (const char *const *t = circumstances; *t; t++) TRY(copy(p, *t, &rows));
    TRY(abdb_link_do(p->link, "commit", NULL, p->err));
    TRY(abdb_db_exec(p->db, "INSERT OR IGNORE INTO temp.pushed SELECT entry_id FROM temp.batch",
                     p->err));
    p->out->entries += claimed;
done:
    sqlite3_free(fill);
    return st;
}

/* What the warehouse lacks of the entries: asked chunk by chunk, and entry by entry of those that
 * it does not know. Those chunks stay in temp.chunk. */
static abdb_status ask_entries(pusher *p)
{
    static const char chunks[] = "SELECT number AS chunk_key, low AS chunk_key_low FROM temp.chunk";
    static const char known[] =
        "DELETE FROM temp.chunk WHERE number NOT IN (SELECT number FROM temp.absent)";
    static const char entries[] =
        "SELECT e.entry_key AS entry_id, e.entry_key_low FROM temp.chunk c CROSS JOIN"
        " main.entry_row e ON e.entry_id BETWEEN c.first AND c.last";
    abdb_status st = ABDB_OK;

    TRY(abdb_chunks_make(p->db, p->err));
    TRY(ask_missing(p, "chunk", chunks));
    TRY(abdb_db_exec(p->db, known, p->err));
    TRY(ask_missing(p, "entry_row", entries));
done:
    return st;
}

static abdb_status put_entries(pusher *p)
{
    static const char todo[] =
        "CREATE TEMP TABLE todo (place INTEGER PRIMARY KEY, entry_id INTEGER, number INTEGER);"
        "INSERT INTO temp.todo (entry_id, number) SELECT e.entry_id, e.entry_key FROM temp.absent a"
        "  CROSS JOIN main.entry_row e ON e.entry_key = a.number ORDER BY e.entry_key";
    sqlite3_int64 count;
    abdb_status st = ABDB_OK;

    TRY(abdb_db_integer(p->db, "SELECT count(*) FROM main.entry_row", &count, p->err));
    p->out->held = count;
    TRY(ask_entries(p));
    TRY(abdb_db_exec(p->db, todo, p->err));
    TRY(abdb_db_integer(p->db, "SELECT count(*) FROM temp.todo", &count, p->err));
    for (long long at = 1; at <= count; at += BATCH) {
        abdb_progress("entries", (double)at, (double)count);
        TRY(put_batch(p, at));
    }
done:
    abdb_progress("", -1, 0);
    return st;
}

/* All entries of these chunks are there now. */
static abdb_status put_chunks(pusher *p)
{
    static const char now[] = "SELECT number AS chunk_key, low AS chunk_key_low FROM temp.chunk";
    long long rows;
    abdb_status st = ABDB_OK;

    TRY(abdb_carry_send(p->link, p->db, "put", "chunk", now, &rows, p->err));
    TRY(abdb_link_rest(p->link, p->err));
done:
    return st;
}

/* What refers to entries. The places that say them are sent of those readings only whose places
 * were not all sent before. */
static abdb_status put_references(pusher *p)
{
    static const char said[] = "SELECT * FROM (%s) WHERE artifact_id IN (SELECT number FROM"
                               " temp.absent)";
    char *witnessed = sqlite3_mprintf(said, abdb_carry_of_entries("witnessed"));
    sqlite3_int64 absent;
    abdb_status st = ABDB_OK;

    if (!witnessed) TRY(ABDB_FAIL(p->err, ABDB_NOMEM, "places"));
    TRY(abdb_link_do(p->link, "begin", NULL, p->err));
    TRY(put_chunks(p));
    TRY(put(p, "part", abdb_carry_of_entries("part")));
    TRY(put(p, "fact", abdb_carry_of_entries("fact")));
    TRY(ask_missing(p, "witnessed", abdb_carry_of_entries("witnessed")));
    TRY(abdb_db_integer(p->db, "SELECT count(*) FROM temp.absent", &absent, p->err));
    if (absent) {
        TRY(put(p, "witness_row", abdb_carry_of_entries("witness_row")));
        TRY(put(p, "witnessed", witnessed));
    }
    TRY(abdb_link_do(p->link, "commit", NULL, p->err));
done:
    sqlite3_free(witnessed);
    return st;
}

abdb_status abdb_push(abdb_link *link, abdb_db *db, abdb_pushed *out, abdb_error *err)
{
    pusher p = {.link = link, .db = db, .out = out, .err = err};
    abdb_status st = ABDB_OK;

    TRY(abdb_carry_begin(db, err));
    TRY(put_shared(&p));
    TRY(put_entries(&p));
    TRY(put_references(&p));
done:
    return st;
}
