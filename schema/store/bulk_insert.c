/* bulk_insert.c - many new entries in one unit: once they are many beside the others that the file
 * holds, rows go in many at a time, the indexes of their tables are dropped and built once at the
 * end, which sorts instead of searching, and keys are looked up in memory meanwhile. Within the
 * unit's transaction, so an interrupted import leaves the file as it was. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "schema/core/timing.h"
#include "schema/store/writer_internal.h"

/* BULK_MIN: new entries of a unit after which it is tried, and again whenever they have doubled.
 * OTHERS_PER_NEW: entries that the file may hold for each new one: an entry costs five times as
 * much or more where all indexes grow with it as where they are built anew. */
enum { BULK_MIN = 2000, OTHERS_PER_NEW = 8 };

/* --- rows, many at a time --------------------------------------------------------------------- */

abdb_pending_row abdb_writer_get_pending_row_slot(const abdb_writer *w, statement_id id)
{
    return (abdb_pending_row){w->statement[id], w->rows[id]};
}

void abdb_row_set_integer(abdb_pending_row slot, int column, sqlite3_int64 value)
{
    if (slot.rows)
        abdb_row_buffer_set_integer(slot.rows, column, value);
    else
        sqlite3_bind_int64(slot.statement, column, value);
}

void abdb_row_set_finite_number(abdb_pending_row slot, int column, double value)
{
    if (!isfinite(value)) return;
    if (slot.rows)
        abdb_row_buffer_set_double(slot.rows, column, value);
    else
        sqlite3_bind_double(slot.statement, column, value);
}

void abdb_row_set_text(abdb_pending_row slot, int column, const char *text)
{
    if (!text) return;
    if (slot.rows)
        abdb_row_buffer_set_text(slot.rows, column, text);
    else
        abdb_bind_text_or_null(slot.statement, column, text);
}

void abdb_row_set_key_in_two_columns(abdb_pending_row slot, int column, abdb_key key)
{
    abdb_row_set_integer(slot, column, key.high);
    abdb_row_set_integer(slot, column + 1, key.low);
}

abdb_status abdb_writer_buffer_or_insert_row(abdb_writer *w, statement_id id, abdb_error *err)
{
    return w->rows[id] ? abdb_row_buffer_end_row_insert_if_full(w->rows[id], err)
                       : abdb_writer_run_and_reset_statement(w, id, err);
}

abdb_status abdb_writer_flush_rows(abdb_writer *w, abdb_error *err)
{
    abdb_status st = ABDB_OK;

    for (int i = 0; i < S_COUNT; i++) TRY(abdb_row_buffer_insert_waiting(w->rows[i], err));
done:
    return st;
}

static void discard_row_buffer(abdb_writer *w, int id)
{
    abdb_row_buffer_discard_and_close(w->rows[id]);
    w->rows[id] = NULL;
}

/* --- keys and indexes ------------------------------------------------------------------------- */

/* Every key of a table into memory; *all: there is memory for them. */
static abdb_status load_all_keys_into_map_or_none(abdb_writer *w, abdb_keymap *map, const char *sql,
                                                  bool *all_fit, abdb_error *err)
{
    sqlite3_stmt *s = NULL;
    int code = sqlite3_prepare_v2(w->db->sql, sql, -1, &s, NULL);

    *all_fit = true;
    while (code == SQLITE_OK || code == SQLITE_ROW) {
        code = sqlite3_step(s);
        if (code != SQLITE_ROW) break;
        if (!abdb_keymap_put_unless_full(
                map, (abdb_key){sqlite3_column_int64(s, 0), sqlite3_column_int64(s, 1)},
                (uint32_t)sqlite3_column_int64(s, 2))) {
            *all_fit = false;
            abdb_keymap_free(map);
            code = SQLITE_DONE;
            break;
        }
    }
    sqlite3_finalize(s);
    return code == SQLITE_DONE ? ABDB_OK : abdb_db_report_sqlite_error(w->db, err, "keys");
}

/* The indexes of entries and descriptions. Not that of results, which come in the order of their
 * entries: it grows at its end; nor partial ones, for which most rows of a large table are read to
 * find nothing. Keys of descriptions that memory cannot hold are looked up in theirs. */
static abdb_status drop_entry_and_description_indexes_keep_sql(abdb_writer *w, abdb_error *err)
{
    sqlite3_stmt *s = NULL;
    int code = sqlite3_prepare_v2(w->db->sql,
                                  "SELECT name, sql FROM sqlite_schema WHERE type = 'index'"
                                  " AND tbl_name IN ('entry_row', 'description')"
                                  " AND sql IS NOT NULL AND sql NOT LIKE '%) WHERE %'"
                                  " AND (?1 OR name <> 'description_by_key')"
                                  " ORDER BY name",
                                  -1, &s, NULL);
    char drop[128 + ABDB_INDEX_MAX * 64] = "";
    size_t used = 0;

    if (code == SQLITE_OK) sqlite3_bind_int(s, 1, w->all_descriptions);
    while (code == SQLITE_OK || code == SQLITE_ROW) {
        code = sqlite3_step(s);
        if (code != SQLITE_ROW || w->indexes == ABDB_INDEX_MAX) break;
        used += (size_t)snprintf(drop + used, sizeof drop - used, "DROP INDEX \"%.40s\";",
                                 abdb_sql_text_or_empty(s, 0));
        w->index[w->indexes] = sqlite3_mprintf("%s", abdb_sql_text_or_empty(s, 1));
        if (!w->index[w->indexes++]) code = SQLITE_NOMEM;
    }
    sqlite3_finalize(s);
    if (code != SQLITE_DONE && code != SQLITE_ROW)
        return abdb_db_report_sqlite_error(w->db, err, "indexes");
    return abdb_db_exec(w->db, drop, err);
}

/* Builds the dropped indexes whose statement contains a word. SQLite sorts in pieces of the size of
 * its own cache, each in memory: small pieces stay in the processor's cache, which saves a third
 * of the time of keys. */
static abdb_status rebuild_dropped_indexes_matching(abdb_writer *w, const char *word,
                                                    abdb_error *err)
{
    abdb_status st = ABDB_OK;

    TRY(abdb_db_exec(w->db, "PRAGMA cache_size = -4096", err));
    for (int i = 0; i < w->indexes; i++) {
        double from = abdb_timing_now_if_enabled();
        const char *name = strstr(w->index[i], "INDEX ");
        char what[64];

        if (!strstr(name, word)) continue;
        TRY(abdb_db_exec(w->db, w->index[i], err));
        snprintf(what, sizeof what, "index %.*s", (int)strcspn(name + 6, " "), name + 6);
        abdb_timing_add_elapsed(what, from);
        sqlite3_free(w->index[i]);
        w->index[i--] = w->index[--w->indexes];
    }
    TRY(abdb_db_exec(w->db, "PRAGMA cache_size = " ABDB_CACHE_SIZE, err));
done:
    return st;
}

/* Turns to bulk where the unit is large beside the database's entries and all keys fit into memory:
 * with keys looked up in memory instead of an index, indexes can be dropped now and built at the
 * end. */
static abdb_status start_bulk_drop_indexes_if_worthwhile(abdb_writer *w, abdb_error *err)
{
    sqlite3_int64 entries;
    bool all = false;
    abdb_status st = ABDB_OK;

    TRY(abdb_db_query_integer_or_0(w->db, "SELECT coalesce(max(entry_id), 0) FROM entry_row",
                                   &entries, err));
    w->bulk_at *= 2;
    if (entries / OTHERS_PER_NEW > w->unit_entries) return ABDB_OK; /* few among many, so far */
    if (entries > ABDB_KEYMAP_ENTRIES_MAX / 2) {
        w->no_bulk = 1;
        return ABDB_OK;
    }
    w->entries.max_keys = ABDB_KEYMAP_ENTRIES_MAX;
    TRY(load_all_keys_into_map_or_none(
        w, &w->entries, "SELECT entry_key, entry_key_low, entry_id FROM entry_row", &all, err));
    if (!all) {
        w->no_bulk = 1;
        return ABDB_OK;
    }
    TRY(load_all_keys_into_map_or_none(
        w, &w->descriptions,
        "SELECT description_key, description_key_low, description_id FROM description",
        &w->all_descriptions, err));
    TRY(drop_entry_and_description_indexes_keep_sql(w, err));
    TRY(abdb_row_buffer_open(&w->rows[S_ENTRY], w->db, "entry_row", 13, err));
    TRY(abdb_row_buffer_open(&w->rows[S_RESULT], w->db, "result_row", 14, err));
    w->next_entry = entries + 1;
    if (w->all_descriptions) {
        TRY(abdb_row_buffer_open(&w->rows[S_DESCRIPTION], w->db, "description",
                                 3 + ABDB_FIELD_COUNT - 2, err));
        TRY(abdb_db_query_integer_or_0(
            w->db, "SELECT coalesce(max(description_id), 0) + 1 FROM description",
            &w->next_description, err));
    }
    w->bulk = 1;
done:
    return st;
}

abdb_status abdb_writer_count_entry_and_update_bulk(abdb_writer *w, abdb_key key, sqlite3_int64 id,
                                                    abdb_error *err)
{
    w->unit_entries++;
    if (w->bulk) {
        if (abdb_keymap_put_unless_full(&w->entries, key, (uint32_t)id)) return ABDB_OK;
        w->no_bulk = 1; /* more keys than memory is for: on with the indexes */
        return abdb_writer_finish_bulk_rebuild_indexes(w, err);
    }
    if (w->bulk_at < BULK_MIN) w->bulk_at = BULK_MIN;
    return w->unit_entries == w->bulk_at && !w->no_bulk
               ? start_bulk_drop_indexes_if_worthwhile(w, err)
               : ABDB_OK;
}

abdb_status abdb_writer_finish_bulk_rebuild_indexes(abdb_writer *w, abdb_error *err)
{
    abdb_status st = ABDB_OK;

    if (!w->bulk) return ABDB_OK;
    TRY(abdb_writer_flush_rows(w, err));
    w->bulk = 0;
    abdb_keymap_free(&w->entries);
    TRY(rebuild_dropped_indexes_matching(w, "", err));
done:
    abdb_writer_abandon_bulk(w);
    return st;
}

abdb_status abdb_writer_end_description_bulk_rebuild_index(abdb_writer *w, abdb_error *err)
{
    abdb_status st = abdb_row_buffer_insert_waiting(w->rows[S_DESCRIPTION], err);

    discard_row_buffer(w, S_DESCRIPTION);
    w->next_description = 0;
    w->all_descriptions = false;
    return st == ABDB_OK && w->bulk ? rebuild_dropped_indexes_matching(w, "description_by_key", err)
                                    : st;
}

void abdb_writer_abandon_bulk(abdb_writer *w)
{
    for (int i = 0; i < S_COUNT; i++) discard_row_buffer(w, i);
    w->next_entry = w->next_description = 0;
    while (w->indexes > 0) sqlite3_free(w->index[--w->indexes]);
    w->bulk = 0;
    w->all_descriptions = false;
}
