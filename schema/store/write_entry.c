/* write_entry.c - stores the sink's entries: a known entry gets another place (witness), a new one
 * its description, factors, results, samples, pieces and places. Inside a file entries, and texts
 * that many entries share, have small numbers; keys are looked up in
 * maps of memory first (keymap.h). */
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "schema/store/digest.h"
#include "schema/store/entry_key.h"
#include "schema/store/writer_internal.h"

/* --- numbers of shared rows ------------------------------------------------------------------- */

/* The number of a key in a table: known here, or looked up by statement id; 0: it is not there. */
static abdb_status find_id_in_map_or_database(abdb_writer *w, abdb_keymap *map, statement_id id,
                                              abdb_key key, sqlite3_int64 *out, abdb_error *err)
{
    abdb_status st = ABDB_OK;

    *out = abdb_keymap_get_number_or_0(map, key);
    if (*out) return ABDB_OK;
    TRY(abdb_writer_find_id_by_key_or_0(w, id, key, out, err));
    if (*out)
        (void)!abdb_keymap_put_unless_full(map, key,
                                           (uint32_t)*out); /* a full map only costs time */
done:
    return st;
}

/* A sorted factor set becomes a point; the same set is the same point everywhere. */
static abdb_status find_or_insert_point(abdb_writer *w, const abdb_sorted_entry *o, abdb_key key,
                                        sqlite3_int64 *point, abdb_error *err)
{
    static const char *const states[] = {"known", "unknown", "inapplicable"};
    abdb_status st = ABDB_OK;

    TRY(find_id_in_map_or_database(w, &w->points, S_POINT_FIND, key, point, err));
    if (*point) return ABDB_OK;

    abdb_bind_key_parts(w->statement[S_POINT], 1, key);
    TRY(abdb_writer_run_and_reset_statement(w, S_POINT, err));
    *point = sqlite3_last_insert_rowid(w->db->sql);
    for (size_t i = 0; i < o->entry->factors; i++) {
        const abdb_factor *f = o->factor[i];
        sqlite3_stmt *s = w->statement[S_POINT_FACTOR];

        abdb_bind_text_or_null(w->statement[S_FACTOR], 1, f->name);
        abdb_bind_text_or_null(w->statement[S_FACTOR], 2, f->unit);
        TRY(abdb_writer_run_and_reset_statement(w, S_FACTOR, err));
        sqlite3_bind_int64(s, 1, *point);
        abdb_bind_text_or_null(s, 2, f->name);
        abdb_bind_text_or_null(s, 3, states[f->state]);
        abdb_bind_text_or_null(s, 4, f->text);
        abdb_bind_finite_or_null(s, 5, f->num);
        abdb_bind_text_or_null(s, 6, f->unit);
        TRY(abdb_writer_run_and_reset_statement(w, S_POINT_FACTOR, err));
    }
    (void)!abdb_keymap_put_or_discard_map(&w->points, key, *point);
done:
    return st;
}

/* Adds the source of an entry as one of MLPerf, a program or a user, unless the entry before had
 * the same one. */
static abdb_status insert_source_unless_same_as_last(abdb_writer *w, const abdb_entry *e,
                                                     abdb_error *err)
{
    const char *evidence = e->field[ABDB_FIELD_evidence], *source = e->field[ABDB_FIELD_source];
    sqlite3_stmt *s = w->statement[S_SOURCE];
    abdb_status st = ABDB_OK;

    if (strcmp(abdb_text_get(&w->source_text), source) == 0) return ABDB_OK; /* as just before */
    abdb_bind_text_or_null(s, 1, source);
    abdb_bind_text_or_null(s, 2,
                           strcmp(evidence, "mlperf") == 0     ? "mlperf"
                           : strcmp(evidence, "measured") == 0 ? "program"
                                                               : "user");
    sqlite3_bind_int(s, 3, 50);
    TRY(abdb_writer_run_and_reset_statement(w, S_SOURCE, err));
    abdb_text_clear(&w->source_text);
    abdb_text_puts(&w->source_text, source);
    if (w->source_text.failed) abdb_text_clear(&w->source_text);
done:
    return st;
}

/* The fields of an entry, kept once for all that agree on them. */
static abdb_status find_or_insert_description(abdb_writer *w, const abdb_entry *e, abdb_key key,
                                              sqlite3_int64 *description, abdb_error *err)
{
    abdb_pending_row row;
    int column = 4;
    long long count;
    abdb_status st = ABDB_OK;

    if (w->all_descriptions)
        *description = abdb_keymap_get_number_or_0(&w->descriptions, key);
    else
        TRY(find_id_in_map_or_database(w, &w->descriptions, S_DESCRIPTION_FIND, key, description,
                                       err));
    if (*description) return ABDB_OK;
    TRY(insert_source_unless_same_as_last(w, e, err));
    row = abdb_writer_get_pending_row_slot(w, S_DESCRIPTION);
    *description = w->next_description ? w->next_description++ : 0;
    if (*description) abdb_row_set_integer(row, 1, *description);
    abdb_row_set_key_in_two_columns(row, 2, key);
    for (int i = 0; i < ABDB_FIELD_COUNT; i++) {
        const char *text = e->field[i] && *e->field[i] ? e->field[i] : NULL;

        if (!abdb_field_is_in_description(i)) continue;
        if (!text && i == ABDB_FIELD_status) text = "ok";
        if (!text && i == ABDB_FIELD_verified) text = "unknown";
        if (!text && i == ABDB_FIELD_flags) text = "";
        if (abdb_fields[i].is_number && abdb_entry_parse_positive_count(e, i, &count))
            abdb_row_set_integer(row, column++, count);
        else
            abdb_row_set_text(row, column++, text);
    }
    TRY(abdb_writer_buffer_or_insert_row(w, S_DESCRIPTION, err));
    if (!*description) *description = sqlite3_last_insert_rowid(w->db->sql);
    if (!abdb_keymap_put_or_discard_map(&w->descriptions, key, *description))
        TRY(abdb_writer_end_description_bulk_rebuild_index(w, err));
done:
    return st;
}

/* --- entries ---------------------------------------------------------------------------------- */

/* The line of a place in a file, which is kept as a number; 0: another place. */
static sqlite3_int64 parse_line_number_of_locator_or_0(const char *locator)
{
    const char *digits = locator && strncmp(locator, "line ", 5) == 0 ? locator + 5 : "";
    size_t count = strspn(digits, "0123456789");

    return count && count < 15 && !digits[count] && *digits != '0'
               ? abdb_digits_parse_prefix_up_to_max_or(digits, LLONG_MAX, 0)
               : 0;
}

static const char *text_or_null_if_empty(const char *text)
{
    return text && *text ? text : NULL;
}

/* Keys of an entry, and the numbers of its shared rows. */
typedef struct {
    abdb_key key[ABDB_KEYS];
    long long origin;
    sqlite3_int64 point, description;
} entry_ids;

/* Inserts a row of entry_row and its parts. In bulk the number is assigned here, because the row
 * waits in a buffer; else SQLite assigns it. The place is a line number where it is one, else
 * text. */
static abdb_status insert_entry_with_parts(abdb_writer *w, const abdb_sorted_entry *o,
                                           const entry_ids *k, sqlite3_int64 *id, abdb_error *err)
{
    const abdb_entry *e = o->entry;
    sqlite3_int64 line = parse_line_number_of_locator_or_0(e->locator);
    abdb_pending_row row;
    abdb_status st = ABDB_OK;

    if (e->environment) TRY(abdb_writer_cache_environment_id_insert_if_new(w, e, err));
    if (e->process.campaign) TRY(abdb_writer_cache_process_id_insert_if_new(w, &e->process, err));
    row = abdb_writer_get_pending_row_slot(w, S_ENTRY);
    *id = w->bulk ? w->next_entry++ : 0;
    if (*id) abdb_row_set_integer(row, 1, *id);
    abdb_row_set_key_in_two_columns(row, 2, k->key[ABDB_KEY_ENTRY]);
    abdb_row_set_integer(row, 4, k->description);
    abdb_row_set_integer(row, 5, k->point);
    if (e->environment) abdb_row_set_integer(row, 6, w->last_environment_id);
    if (e->process.campaign) abdb_row_set_integer(row, 7, w->last_process_id);
    abdb_row_set_text(row, 8, text_or_null_if_empty(e->field[ABDB_FIELD_date]));
    abdb_row_set_text(row, 9, text_or_null_if_empty(e->field[ABDB_FIELD_cell]));
    if (k->origin > 0) abdb_row_set_integer(row, 10, k->origin);
    if (w->artifact) abdb_row_set_integer(row, 11, w->artifact);
    if (w->artifact && line) abdb_row_set_integer(row, 12, line);
    if (w->artifact && !line) abdb_row_set_text(row, 13, e->locator ? e->locator : "");
    TRY(abdb_writer_buffer_or_insert_row(w, S_ENTRY, err));
    if (!*id) *id = sqlite3_last_insert_rowid(w->db->sql);
    TRY(abdb_writer_insert_entry_parts(w, o, *id, err));
    w->row_new = w->unit_dirty = 1;
    TRY(abdb_writer_count_entry_and_update_bulk(w, k->key[ABDB_KEY_ENTRY], *id, err));
done:
    return st;
}

/* Adds a further place of a known entry, unless it is the first place again. A new witness may make
 * a withdrawn entry count again, so the entry is touched. */
static abdb_status insert_witness_touch_entry(abdb_writer *w, const abdb_entry *e, sqlite3_int64 id,
                                              abdb_error *err)
{
    sqlite3_stmt *s = w->statement[S_WITNESS];
    abdb_status st = ABDB_OK;

    w->row_old = 1;
    if (!w->artifact) return ABDB_OK;
    TRY(abdb_writer_flush_rows(w, err)); /* the statement reads the entry */
    sqlite3_bind_int64(s, 1, id);
    sqlite3_bind_int64(s, 2, w->artifact);
    sqlite3_bind_int64(s, 3, parse_line_number_of_locator_or_0(e->locator));
    abdb_bind_text_or_null(
        s, 4, parse_line_number_of_locator_or_0(e->locator) || !e->locator ? "" : e->locator);
    TRY(abdb_writer_run_and_reset_statement(w, S_WITNESS, err));
    if (!sqlite3_changes(w->db->sql)) return ABDB_OK;
    w->unit_dirty = 1;
    sqlite3_bind_int64(w->statement[S_TOUCH], 1, id);
    TRY(abdb_writer_run_and_reset_statement(w, S_TOUCH, err));
done:
    return st;
}

/* The entries handed over just before are parts of this one. `last` is a ring of the latest
 * numbers; afterwards this entry is the newest in it. */
static abdb_status link_preceding_entries_as_parts_record_id(abdb_writer *w, const abdb_entry *e,
                                                             sqlite3_int64 id, abdb_error *err)
{
    sqlite3_stmt *s = w->statement[S_PART];
    size_t pieces = e->pieces < w->kept ? e->pieces : w->kept;
    abdb_status st = ABDB_OK;

    for (size_t i = 1; i <= pieces && i <= ABDB_PIECE_MAX; i++) {
        sqlite3_bind_int64(s, 1, id);
        sqlite3_bind_int64(s, 2, w->last[(w->kept - i) % ABDB_PIECE_MAX]);
        abdb_bind_text_or_null(s, 3, e->role);
        TRY(abdb_writer_run_and_reset_statement(w, S_PART, err));
    }
    w->last[w->kept++ % ABDB_PIECE_MAX] = id;
done:
    return st;
}

/* Gives results their names, by which claims cite them. */
static abdb_status insert_fact_names_of_results(abdb_writer *w, const abdb_sorted_entry *o,
                                                sqlite3_int64 id, abdb_error *err)
{
    sqlite3_int64 result;
    abdb_status st = ABDB_OK;

    for (size_t i = 0; i < o->entry->results; i++) {
        char *sql;

        if (!o->result[i]->fact) continue;
        TRY(abdb_writer_flush_rows(w, err));
        sql = sqlite3_mprintf("SELECT result_id FROM result_row WHERE entry_id = %lld"
                              " AND ordinal = %d",
                              id, (int)i);
        st = sql ? abdb_db_query_integer_or_0(w->db, sql, &result, err)
                 : ABDB_FAIL(err, ABDB_NOMEM, "a name");
        sqlite3_free(sql);
        if (st == ABDB_OK)
            st = abdb_writer_store_or_reject_fact_name(w, o->result[i]->fact, "result", result,
                                                       o->entry->line, err);
        if (st != ABDB_OK) break;
    }
done:
    return st;
}

void abdb_writer_prefetch_keys(const void *writer, const abdb_key key[3])
{
    const abdb_writer *w = writer;

    abdb_keymap_prefetch(&w->entries, key[ABDB_KEY_ENTRY]);
    abdb_keymap_prefetch(&w->descriptions, key[ABDB_KEY_DESCRIPTION]);
}

/* The one counter of values: every record passes here. */
static void count_entry_and_values_in_writer(abdb_writer *w, const abdb_entry *entry,
                                             long *values_counter)
{
    *values_counter += (long)entry->results;
    w->counts.values_left_out += (long)entry->values_left_out;
    w->counts.factors_left_out += (long)entry->factors_left_out;
    w->counts.entries++;
    w->counts.entries_without_device += !entry->field[ABDB_FIELD_device];
}

abdb_status abdb_writer_store_or_reject_entry(void *self, const abdb_entry *entry, abdb_error *err)
{
    abdb_writer *w = self;
    abdb_sorted_entry o;
    entry_ids k = {.origin = entry->origin};
    sqlite3_int64 id = 0;
    const char *fault = entry->key[ABDB_KEY_ENTRY].high ? NULL : abdb_entry_why_invalid(entry);
    abdb_status st = ABDB_OK;

    if (fault) {
        abdb_reject reject = {.line = entry->line, .reason = fault, .raw = entry->locator};

        st = abdb_writer_count_and_store_reject(self, &reject, err);
        count_entry_and_values_in_writer(w, entry, &w->counts.values_rejected);
        return st;
    }
    TRY(abdb_writer_begin_and_insert_artifact_once(w, err));
    if (w->said_by_another) {
        count_entry_and_values_in_writer(w, entry, &w->counts.values_known);
        return ABDB_OK;
    }
    abdb_sort_factors_and_results(&o, entry);
    memcpy(k.key, entry->key, sizeof k.key);
    /* Made ahead by the queue's reading thread, or here. 0 after that: no memory. */
    if (!k.key[ABDB_KEY_ENTRY].high) w->keys.make(w->keys.self, entry, k.key, &k.origin);
    if (!k.key[ABDB_KEY_ENTRY].high) TRY(ABDB_FAIL(err, ABDB_NOMEM, "an entry's text"));
    TRY(find_or_insert_point(w, &o, k.key[ABDB_KEY_POINT], &k.point, err));
    if (w->bulk)
        id = abdb_keymap_get_number_or_0(&w->entries, k.key[ABDB_KEY_ENTRY]);
    else
        TRY(abdb_writer_find_id_by_key_or_0(w, S_ENTRY_FIND, k.key[ABDB_KEY_ENTRY], &id, err));
    count_entry_and_values_in_writer(w, entry,
                                     id ? &w->counts.values_known : &w->counts.values_kept);
    if (id) {
        TRY(insert_witness_touch_entry(w, entry, id, err));
    } else {
        TRY(find_or_insert_description(w, entry, k.key[ABDB_KEY_DESCRIPTION], &k.description, err));
        TRY(insert_entry_with_parts(w, &o, &k, &id, err));
    }
    TRY(link_preceding_entries_as_parts_record_id(w, entry, id, err));
    TRY(insert_fact_names_of_results(w, &o, id, err));
done:
    return st;
}
