/* bulk.c - many new entries in one unit: rows go in many at a time, the indexes of their tables are
 * dropped and built once at the end, which sorts instead of searching, and keys are looked up in
 * memory meanwhile. Within the unit's transaction, so an interrupted import leaves the file as it
 * was. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "schema/core/timing.h"
#include "schema/store/writer.h"

enum { BULK_MIN = 20000, OTHERS_PER_NEW = 20, ROWS = 32 };

/* --- rows, many at a time -----------------------------------------------------------------------
 */

/* A statement for up to ROWS rows: those that nothing was bound for are left out. An error ends the
 * unit, so no statement is ever undone alone (OR FAIL): that would cost a journal of its own. */
static abdb_status open_rows(abdb_writer *w, statement_id id, const char *table, int columns,
                             abdb_error *err)
{
    abdb_rows *rows = w->rows[id] = calloc(1, sizeof *rows);
    abdb_text sql = {0};
    int code = SQLITE_NOMEM;

    if (!rows) return ABDB_FAIL(err, ABDB_NOMEM, "rows");
    rows->columns = columns;
    abdb_text_printf(&sql, "INSERT OR FAIL INTO %s SELECT * FROM (VALUES ", table);
    for (int i = 0; i < ROWS * columns; i++)
        abdb_text_puts(&sql, i % columns ? ",?" : i ? "),(?" : "(?");
    abdb_text_puts(&sql, ")) WHERE column1 IS NOT NULL");
    if (!sql.failed)
        code = sqlite3_prepare_v3(w->db->sql, abdb_text_get(&sql), -1, SQLITE_PREPARE_PERSISTENT,
                                  &rows->statement, NULL);
    abdb_text_free(&sql);
    return code == SQLITE_OK ? ABDB_OK : abdb_db_fail(w->db, err, table);
}

static void close_rows(abdb_writer *w, int id)
{
    if (w->rows[id]) sqlite3_finalize(w->rows[id]->statement);
    free(w->rows[id]);
    w->rows[id] = NULL;
}

static abdb_status flush_rows(const abdb_writer *w, abdb_rows *rows, abdb_error *err)
{
    int code;

    if (!rows || !rows->waiting) return ABDB_OK;
    rows->waiting = 0;
    code = sqlite3_step(rows->statement);
    sqlite3_reset(rows->statement);
    sqlite3_clear_bindings(rows->statement);
    rows->used = 0;
    return code == SQLITE_DONE ? ABDB_OK : abdb_db_fail(w->db, err, "write");
}

abdb_slot abdb_writer_slot(abdb_writer *w, statement_id id)
{
    abdb_rows *rows = w->rows[id];

    if (!rows) return (abdb_slot){w->statement[id], 0, NULL};
    return (abdb_slot){rows->statement, rows->waiting * rows->columns, rows};
}

void abdb_slot_text(abdb_slot *slot, int column, const char *text)
{
    size_t size = text ? strlen(text) : 0;
    abdb_rows *rows = slot->rows;

    if (!rows || !text) {
        abdb_bind_text(slot->statement, slot->first + column, text);
    } else if (size <= sizeof rows->text - rows->used) {
        memcpy(rows->text + rows->used, text, size);
        sqlite3_bind_text(slot->statement, slot->first + column, rows->text + rows->used, (int)size,
                          SQLITE_STATIC);
        rows->used += size;
    } else {
        sqlite3_bind_text(slot->statement, slot->first + column, text, (int)size, SQLITE_TRANSIENT);
    }
}

abdb_status abdb_writer_slot_done(abdb_writer *w, statement_id id, abdb_error *err)
{
    abdb_rows *rows = w->rows[id];

    if (!rows) return abdb_writer_step(w, id, err);
    return ++rows->waiting < ROWS ? ABDB_OK : flush_rows(w, rows, err);
}

abdb_status abdb_writer_flush(abdb_writer *w, abdb_error *err)
{
    abdb_status st = ABDB_OK;

    for (int i = 0; i < S_COUNT; i++) TRY(flush_rows(w, w->rows[i], err));
done:
    return st;
}

/* --- keys and indexes ---------------------------------------------------------------------------
 */

/* Every key of a table into memory; *all: there is memory for them. */
static abdb_status load_keys(abdb_writer *w, abdb_keymap *map, const char *sql, bool *all,
                             abdb_error *err)
{
    sqlite3_stmt *s = NULL;
    int code = sqlite3_prepare_v2(w->db->sql, sql, -1, &s, NULL);

    *all = true;
    while (code == SQLITE_OK || code == SQLITE_ROW) {
        code = sqlite3_step(s);
        if (code != SQLITE_ROW) break;
        if (!abdb_keymap_put(map,
                             (abdb_key){sqlite3_column_int64(s, 0), sqlite3_column_int64(s, 1)},
                             (uint32_t)sqlite3_column_int64(s, 2))) {
            *all = false;
            abdb_keymap_free(map);
            code = SQLITE_DONE;
            break;
        }
    }
    sqlite3_finalize(s);
    return code == SQLITE_DONE ? ABDB_OK : abdb_db_fail(w->db, err, "keys");
}

/* The indexes of the tables that grow by a row for every entry or every description. */
static abdb_status drop_indexes(abdb_writer *w, abdb_error *err)
{
    sqlite3_stmt *s = NULL;
    int code = sqlite3_prepare_v2(w->db->sql,
                                  "SELECT name, sql FROM sqlite_schema WHERE type = 'index'"
                                  " AND tbl_name IN ('entry_row', 'result_row', 'description')"
                                  " AND sql IS NOT NULL AND name <> 'description_by_key'"
                                  " ORDER BY name", /* what memory cannot hold is looked up in it */
                                  -1, &s, NULL);
    char drop[128 + ABDB_INDEX_MAX * 64] = "";
    size_t used = 0;

    while (code == SQLITE_OK || code == SQLITE_ROW) {
        code = sqlite3_step(s);
        if (code != SQLITE_ROW || w->indexes == ABDB_INDEX_MAX) break;
        used += (size_t)snprintf(drop + used, sizeof drop - used, "DROP INDEX \"%.40s\";",
                                 abdb_sql_text(s, 0));
        w->index[w->indexes] = sqlite3_mprintf("%s", abdb_sql_text(s, 1));
        if (!w->index[w->indexes++]) code = SQLITE_NOMEM;
    }
    sqlite3_finalize(s);
    if (code != SQLITE_DONE && code != SQLITE_ROW) return abdb_db_fail(w->db, err, "indexes");
    return abdb_db_exec(w->db, drop, err);
}

static abdb_status build_indexes(abdb_writer *w, abdb_error *err)
{
    abdb_status st = ABDB_OK;

    for (int i = 0; i < w->indexes; i++) {
        double from = abdb_timing_now();
        const char *name = strstr(w->index[i], "INDEX ");
        char what[64];

        TRY(abdb_db_exec(w->db, w->index[i], err));
        snprintf(what, sizeof what, "index %.*s", (int)strcspn(name + 6, " "), name + 6);
        abdb_timing_add(what, from);
    }
done:
    return st;
}

static abdb_status begin_bulk(abdb_writer *w, abdb_error *err)
{
    sqlite3_int64 entries;
    bool all = false;
    abdb_status st = ABDB_OK;

    TRY(abdb_db_integer(w->db, "SELECT coalesce(max(entry_id), 0) FROM entry_row", &entries, err));
    if (entries / OTHERS_PER_NEW > w->unit_entries || entries > ABDB_KEYMAP_ENTRIES_MAX / 2) {
        w->no_bulk = 1; /* few among many: the indexes are worth keeping */
        return ABDB_OK;
    }
    w->entries.most = ABDB_KEYMAP_ENTRIES_MAX;
    TRY(load_keys(w, &w->entries, "SELECT entry_key, entry_key_low, entry_id FROM entry_row", &all,
                  err));
    if (!all) {
        w->no_bulk = 1;
        return ABDB_OK;
    }
    TRY(load_keys(w, &w->descriptions,
                  "SELECT description_key, description_key_low, description_id FROM description",
                  &w->all_descriptions, err));
    TRY(drop_indexes(w, err));
    TRY(open_rows(w, S_ENTRY, "entry_row", 13, err));
    TRY(open_rows(w, S_RESULT, "result_row", 14, err));
    w->next_entry = entries + 1;
    if (w->all_descriptions) {
        TRY(open_rows(w, S_DESCRIPTION, "description", 3 + ABDB_FIELD_COUNT - 2, err));
        TRY(abdb_db_integer(w->db, "SELECT coalesce(max(description_id), 0) + 1 FROM description",
                            &w->next_description, err));
    }
    w->bulk = 1;
done:
    return st;
}

abdb_status abdb_writer_bulk(abdb_writer *w, abdb_key key, sqlite3_int64 id, abdb_error *err)
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
    abdb_status st = ABDB_OK;

    if (!w->bulk) return ABDB_OK;
    TRY(abdb_writer_flush(w, err));
    w->bulk = 0;
    abdb_keymap_free(&w->entries);
    TRY(build_indexes(w, err));
done:
    abdb_writer_forget_bulk(w);
    return st;
}

abdb_status abdb_writer_forget_descriptions(abdb_writer *w, abdb_error *err)
{
    abdb_status st = flush_rows(w, w->rows[S_DESCRIPTION], err);

    close_rows(w, S_DESCRIPTION);
    w->next_description = 0;
    w->all_descriptions = false;
    return st;
}

void abdb_writer_forget_bulk(abdb_writer *w)
{
    for (int i = 0; i < S_COUNT; i++) close_rows(w, i);
    w->next_entry = w->next_description = 0;
    while (w->indexes > 0) sqlite3_free(w->index[--w->indexes]);
    w->bulk = 0;
    w->all_descriptions = false;
}
