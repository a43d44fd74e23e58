/* bulk.c - many new entries in one unit: their indexes are dropped and built once at its end, which
 * sorts instead of searching; keys are looked up in memory meanwhile. Within the unit's
 * transaction, so an interrupted import leaves the file as it was. */
#include "schema/core/timing.h"
#include "schema/store/writer.h"

enum { BULK_MIN = 20000, OTHERS_PER_NEW = 20 };

abdb_status abdb_writer_find(abdb_writer *w, sqlite3_int64 key, sqlite3_int64 *id, abdb_error *err)
{
    sqlite3_stmt *s = w->statement[S_ENTRY_FIND];
    int code;

    sqlite3_bind_int64(s, 1, key);
    code = sqlite3_step(s);
    *id = code == SQLITE_ROW ? sqlite3_column_int64(s, 0) : 0;
    sqlite3_reset(s);
    return code == SQLITE_ROW || code == SQLITE_DONE ? ABDB_OK : abdb_db_fail(w->db, err, "entry");
}

/* Every key of the file into memory. */
static abdb_status load_keys(abdb_writer *w, bool *all, abdb_error *err)
{
    sqlite3_stmt *s = NULL;
    int code =
        sqlite3_prepare_v2(w->db->sql, "SELECT entry_key, entry_id FROM entry_row", -1, &s, NULL);

    *all = true;
    while (code == SQLITE_OK || code == SQLITE_ROW) {
        code = sqlite3_step(s);
        if (code != SQLITE_ROW) break;
        if (!abdb_keymap_put(&w->entries, sqlite3_column_int64(s, 0),
                             (uint32_t)sqlite3_column_int64(s, 1))) {
            *all = false;
            code = SQLITE_DONE;
            break;
        }
    }
    sqlite3_finalize(s);
    return code == SQLITE_DONE ? ABDB_OK : abdb_db_fail(w->db, err, "keys");
}

static abdb_status begin_bulk(abdb_writer *w, abdb_error *err)
{
    sqlite3_int64 entries;
    bool all = false;
    abdb_status st = ABDB_OK;

    TRY(abdb_db_integer(w->db, "SELECT coalesce(max(entry_id), 0) FROM entry_row", &entries, err));
    if (entries / OTHERS_PER_NEW > w->unit_entries || entries > ABDB_KEYMAP_MAX / 2) {
        w->no_bulk = 1; /* few among many: the indexes are worth keeping */
        return ABDB_OK;
    }
    TRY(load_keys(w, &all, err));
    if (!all) {
        abdb_keymap_free(&w->entries);
        w->no_bulk = 1;
        return ABDB_OK;
    }
    TRY(abdb_db_exec(w->db,
                     "DROP INDEX entry_row_key; DROP INDEX entry_row_description;"
                     " DROP INDEX entry_row_point",
                     err));
    w->bulk = 1;
done:
    return st;
}

abdb_status abdb_writer_bulk(abdb_writer *w, sqlite3_int64 key, sqlite3_int64 id, abdb_error *err)
{
    w->unit_entries++;
    if (w->bulk) {
        if (abdb_keymap_put(&w->entries, key, (uint32_t)id)) return ABDB_OK;
        w->no_bulk = 1; /* more keys than memory is for: on with the indexes */
        return abdb_writer_end_bulk(w, err);
    }
    return w->unit_entries % BULK_MIN == 0 && !w->no_bulk ? begin_bulk(w, err) : ABDB_OK;
}

abdb_status abdb_writer_end_bulk(abdb_writer *w, abdb_error *err)
{
    static const struct {
        const char *sql, *what;
    } index[] = {
        {"CREATE UNIQUE INDEX entry_row_key ON entry_row (entry_key)", "index entry_row_key"},
        {"CREATE INDEX entry_row_description ON entry_row (description_id)",
         "index entry_row_description"},
        {"CREATE INDEX entry_row_point ON entry_row (point_id)", "index entry_row_point"}};
    abdb_status st = ABDB_OK;

    if (!w->bulk) return ABDB_OK;
    w->bulk = 0;
    abdb_keymap_free(&w->entries);
    for (size_t i = 0; i < sizeof index / sizeof index[0]; i++) {
        double from = abdb_timing_now();

        TRY(abdb_db_exec(w->db, index[i].sql, err));
        abdb_timing_add(index[i].what, from);
    }
done:
    return st;
}
