/* entry_chunks.c - entries in chunks; see entry_chunks.h. */
#include "query/warehouse/entry_chunks.h"

#include "schema/store/digest.h"

enum { CHUNK = 65536 };

static void digest_add_integer_little_endian(abdb_digest *digest, sqlite3_int64 number)
{
    unsigned char bytes[8];

    for (int i = 0; i < 8; i++)
        bytes[i] = (unsigned char)((unsigned long long)number >> 8 * i); /* alike everywhere */
    abdb_digest_add(digest, bytes, sizeof bytes);
}

/* Inserts a range of entries, first to last, with the digest of their keys. */
static abdb_status insert_chunk_row(abdb_db *db, sqlite3_stmt *into, const abdb_digest *digest,
                                    sqlite3_int64 first, sqlite3_int64 last, abdb_error *err)
{
    abdb_key key = abdb_digest_key_so_far(digest);

    sqlite3_bind_int64(into, 1, key.high);
    sqlite3_bind_int64(into, 2, key.low);
    sqlite3_bind_int64(into, 3, first);
    sqlite3_bind_int64(into, 4, last);
    if (sqlite3_step(into) != SQLITE_DONE) return abdb_db_report_sqlite_error(db, err, "chunks");
    sqlite3_reset(into);
    return ABDB_OK;
}

abdb_status abdb_create_and_fill_entry_chunk_table(abdb_db *db, abdb_error *err)
{
    static const char make[] = "CREATE TEMP TABLE chunk (number INTEGER, low INTEGER, first"
                               " INTEGER, last INTEGER)";
    static const char all[] = "SELECT entry_id, entry_key, entry_key_low FROM main.entry_row"
                              " ORDER BY entry_id";
    sqlite3_stmt *entry = NULL, *into = NULL;
    abdb_digest digest;
    sqlite3_int64 first = 0, last = 0;
    long long count = 0;
    int code = SQLITE_OK;
    abdb_status st = ABDB_OK;

    TRY(abdb_db_exec(db, make, err));
    if (sqlite3_prepare_v2(db->sql, all, -1, &entry, NULL) != SQLITE_OK ||
        sqlite3_prepare_v2(db->sql, "INSERT INTO temp.chunk VALUES (?1, ?2, ?3, ?4)", -1, &into,
                           NULL) != SQLITE_OK)
        TRY(abdb_db_report_sqlite_error(db, err, "chunks"));
    while ((code = sqlite3_step(entry)) == SQLITE_ROW) {
        last = sqlite3_column_int64(entry, 0);
        if (count++ % CHUNK == 0) {
            first = last;
            abdb_digest_begin(&digest);
        }
        digest_add_integer_little_endian(&digest, sqlite3_column_int64(entry, 1));
        digest_add_integer_little_endian(&digest, sqlite3_column_int64(entry, 2));
        if (count % CHUNK == 0) TRY(insert_chunk_row(db, into, &digest, first, last, err));
    }
    if (code != SQLITE_DONE) TRY(abdb_db_report_sqlite_error(db, err, "chunks"));
    if (count % CHUNK) TRY(insert_chunk_row(db, into, &digest, first, last, err));
done:
    sqlite3_finalize(entry);
    sqlite3_finalize(into);
    return st;
}
