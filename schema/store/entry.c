/* entry.c - the sink's entries: their description, factors, results, samples, pieces and places.
 * Inside a file an entry has a small number, and so have the texts that many entries share. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "schema/store/digest.h"
#include "schema/store/key.h"
#include "schema/store/writer.h"

/* --- numbers of what is shared ------------------------------------------------------------------
 */

/* The number of a key in a table: known here, or looked up by statement id; 0: it is not there. */
static abdb_status find_number(abdb_writer *w, abdb_keymap *map, statement_id id, sqlite3_int64 key,
                               sqlite3_int64 *out, abdb_error *err)
{
    sqlite3_stmt *s = w->statement[id];
    int code;

    *out = abdb_keymap_get(map, key);
    if (*out) return ABDB_OK;
    sqlite3_bind_int64(s, 1, key);
    code = sqlite3_step(s);
    if (code == SQLITE_ROW) *out = sqlite3_column_int64(s, 0);
    sqlite3_reset(s);
    if (code != SQLITE_ROW && code != SQLITE_DONE) return abdb_db_fail(w->db, err, "look up");
    if (*out) (void)!abdb_keymap_put(map, key, (uint32_t)*out); /* a full map only costs time */
    return ABDB_OK;
}

/* False: the map is full, and empty again. */
static bool remember(abdb_keymap *map, sqlite3_int64 key, sqlite3_int64 number)
{
    if (abdb_keymap_put(map, key, (uint32_t)number)) return true;
    abdb_keymap_free(map);
    return false;
}

/* A sorted factor set becomes a point; the same set is the same point everywhere. */
static abdb_status keep_point(abdb_writer *w, const abdb_ordered *o, sqlite3_int64 key,
                              sqlite3_int64 *point, abdb_error *err)
{
    static const char *const states[] = {"known", "unknown", "inapplicable"};
    abdb_status st = ABDB_OK;

    TRY(find_number(w, &w->points, S_POINT_FIND, key, point, err));
    if (*point) return ABDB_OK;

    sqlite3_bind_int64(w->statement[S_POINT], 1, key);
    TRY(abdb_writer_step(w, S_POINT, err));
    *point = sqlite3_last_insert_rowid(w->db->sql);
    for (size_t i = 0; i < o->entry->factors; i++) {
        const abdb_factor *f = o->factor[i];
        sqlite3_stmt *s = w->statement[S_POINT_FACTOR];

        abdb_bind_text(w->statement[S_FACTOR], 1, f->name);
        abdb_bind_text(w->statement[S_FACTOR], 2, f->unit);
        TRY(abdb_writer_step(w, S_FACTOR, err));
        sqlite3_bind_int64(s, 1, *point);
        abdb_bind_text(s, 2, f->name);
        abdb_bind_text(s, 3, states[f->state]);
        abdb_bind_text(s, 4, f->text);
        abdb_bind_number(s, 5, f->num);
        abdb_bind_text(s, 6, f->unit);
        TRY(abdb_writer_step(w, S_POINT_FACTOR, err));
    }
    remember(&w->points, key, *point);
done:
    return st;
}

static abdb_status keep_source(abdb_writer *w, const abdb_entry *e, abdb_error *err)
{
    const char *evidence = e->field[ABDB_FIELD_evidence], *source = e->field[ABDB_FIELD_source];
    sqlite3_stmt *s = w->statement[S_SOURCE];
    abdb_status st = ABDB_OK;

    if (strcmp(abdb_text_get(&w->source_text), source) == 0) return ABDB_OK; /* as just before */
    abdb_bind_text(s, 1, source);
    abdb_bind_text(s, 2,
                   strcmp(evidence, "mlperf") == 0     ? "mlperf"
                   : strcmp(evidence, "measured") == 0 ? "program"
                                                       : "user");
    sqlite3_bind_int(s, 3, 50);
    TRY(abdb_writer_step(w, S_SOURCE, err));
    abdb_text_clear(&w->source_text);
    abdb_text_puts(&w->source_text, source);
    if (w->source_text.failed) abdb_text_clear(&w->source_text);
done:
    return st;
}

/* The fields of an entry, kept once for all that agree on them. */
static abdb_status keep_description(abdb_writer *w, const abdb_entry *e, sqlite3_int64 key,
                                    sqlite3_int64 *description, abdb_error *err)
{
    abdb_slot row;
    abdb_status st = ABDB_OK;

    if (w->all_descriptions)
        *description = abdb_keymap_get(&w->descriptions, key);
    else
        TRY(find_number(w, &w->descriptions, S_DESCRIPTION_FIND, key, description, err));
    if (*description) return ABDB_OK;
    TRY(keep_source(w, e, err));
    row = abdb_writer_slot(w, S_DESCRIPTION);
    *description = w->next_description ? w->next_description++ : 0;
    if (*description) sqlite3_bind_int64(row.statement, row.first + 1, *description);
    sqlite3_bind_int64(row.statement, row.first + 2, key);
    for (int i = 0; i < ABDB_FIELD_COUNT; i++) {
        const char *text = e->field[i] && *e->field[i] ? e->field[i] : NULL;

        if (!text && i == ABDB_FIELD_status) text = "ok";
        if (!text && i == ABDB_FIELD_verified) text = "unknown";
        if (!text && i == ABDB_FIELD_flags) text = "";
        if (text && abdb_fields[i].is_number)
            sqlite3_bind_int64(row.statement, row.first + 3 + i, atoll(text));
        else
            abdb_slot_text(&row, 3 + i, text);
    }
    TRY(abdb_writer_slot_done(w, S_DESCRIPTION, err));
    if (!*description) *description = sqlite3_last_insert_rowid(w->db->sql);
    if (!remember(&w->descriptions, key, *description))
        TRY(abdb_writer_forget_descriptions(w, err));
done:
    return st;
}

/* Is this what the last number was? */
static bool is_last_quantity(const abdb_writer *w, const char *const text[6])
{
    const char *at = abdb_text_get(&w->quantity_text);

    for (int i = 0; i < 6; i++) {
        size_t size = text[i] ? strlen(text[i]) : 0;

        if (strncmp(at, text[i] ? text[i] : "", size) != 0 ||
            at[size] != (text[i] ? '\x1f' : '\x1e'))
            return false;
        at += size + 1;
    }
    return true;
}

/* What a number is, kept once. */
static abdb_status keep_quantity(abdb_writer *w, const abdb_result *r, sqlite3_int64 *quantity,
                                 abdb_error *err)
{
    const char *text[] = {r->metric,   r->statistic, abdb_metric_find(r->metric)->unit,
                          r->raw_unit, r->spread,    r->formula};
    sqlite3_stmt *s = w->statement[S_QUANTITY];
    sqlite3_int64 key;
    abdb_status st = ABDB_OK;

    *quantity = w->last_quantity;
    if (*quantity && is_last_quantity(w, text)) return ABDB_OK;
    abdb_text_clear(&w->text);
    for (int i = 0; i < 6; i++) {
        abdb_text_puts(&w->text, text[i] ? text[i] : "");
        abdb_text_puts(&w->text, text[i] ? "\x1f" : "\x1e");
    }
    if (w->text.failed) return ABDB_FAIL(err, ABDB_NOMEM, "a result");
    key = abdb_digest63(abdb_text_get(&w->text), w->text.size);
    *quantity = abdb_keymap_get(&w->quantities, key);
    if (!*quantity) {
        for (int i = 0; i < 6; i++) abdb_bind_text(w->statement[S_QUANTITY_FIND], i + 1, text[i]);
        if (sqlite3_step(w->statement[S_QUANTITY_FIND]) == SQLITE_ROW)
            *quantity = sqlite3_column_int64(w->statement[S_QUANTITY_FIND], 0);
        sqlite3_reset(w->statement[S_QUANTITY_FIND]);
    }
    if (!*quantity) {
        for (int i = 0; i < 6; i++) abdb_bind_text(s, i + 1, text[i]);
        TRY(abdb_writer_step(w, S_QUANTITY, err));
        *quantity = sqlite3_last_insert_rowid(w->db->sql);
    }
    remember(&w->quantities, key, *quantity);
    abdb_text_clear(&w->quantity_text);
    abdb_text_puts(&w->quantity_text, abdb_text_get(&w->text));
    w->last_quantity = w->quantity_text.failed ? 0 : *quantity;
done:
    return st;
}

/* --- rows ---------------------------------------------------------------------------------------
 */

static abdb_status insert_results(abdb_writer *w, const abdb_ordered *o, sqlite3_int64 id,
                                  abdb_error *err)
{
    abdb_status st = ABDB_OK;

    for (size_t i = 0; i < o->entry->results; i++) {
        const abdb_result *r = o->result[i];
        sqlite3_stmt *s;
        sqlite3_int64 quantity = 0;
        abdb_slot row;

        TRY(keep_quantity(w, r, &quantity, err));
        row = abdb_writer_slot(w, S_RESULT);
        s = row.statement;
        sqlite3_bind_int64(s, row.first + 1, id);
        sqlite3_bind_int64(s, row.first + 2, (sqlite3_int64)i);
        sqlite3_bind_int64(s, row.first + 3, quantity);
        sqlite3_bind_double(s, row.first + 4, r->value);
        abdb_slot_text(&row, 5, r->raw_value);
        abdb_slot_text(&row, 6, r->cell);
        sqlite3_bind_int64(s, row.first + 7, r->rank);
        sqlite3_bind_double(s, row.first + 8, r->x);
        if (r->n > 0) sqlite3_bind_int64(s, row.first + 9, r->n);
        abdb_bind_number(s, row.first + 10, r->low);
        abdb_bind_number(s, row.first + 11, r->high);
        TRY(abdb_writer_slot_done(w, S_RESULT, err));
        for (size_t k = 0; k < r->samples; k++) {
            s = w->statement[S_SAMPLE];
            sqlite3_bind_int64(s, 1, id);
            sqlite3_bind_int64(s, 2, (sqlite3_int64)i);
            sqlite3_bind_int64(s, 3, (sqlite3_int64)k);
            sqlite3_bind_int64(s, 4, r->sample[k].rank);
            abdb_bind_number(s, 5, r->sample[k].t_s);
            sqlite3_bind_double(s, 6, r->sample[k].value);
            abdb_bind_text(s, 7, r->sample[k].mark);
            TRY(abdb_writer_step(w, S_SAMPLE, err));
        }
    }
done:
    return st;
}

/* The line of a place in a file, which is kept as a number; 0: another place. */
static sqlite3_int64 place_line(const char *locator)
{
    const char *digits = locator && strncmp(locator, "line ", 5) == 0 ? locator + 5 : "";
    size_t count = strspn(digits, "0123456789");

    return count && count < 15 && !digits[count] && *digits != '0' ? atoll(digits) : 0;
}

static abdb_status insert_entry(abdb_writer *w, const abdb_ordered *o, sqlite3_int64 key,
                                sqlite3_int64 description, sqlite3_int64 point, sqlite3_int64 *id,
                                abdb_error *err)
{
    abdb_slot row = abdb_writer_slot(w, S_ENTRY);
    sqlite3_stmt *s = row.statement;
    const abdb_entry *e = o->entry;
    sqlite3_int64 environment, line;
    abdb_status st = ABDB_OK;

    *id = w->bulk ? w->next_entry++ : 0;
    if (e->environment) {
        environment = abdb_digest63(e->environment, strlen(e->environment));
        sqlite3_bind_int64(w->statement[S_ENVIRONMENT], 1, environment);
        abdb_bind_text(w->statement[S_ENVIRONMENT], 2, e->environment);
        TRY(abdb_writer_step(w, S_ENVIRONMENT, err));
        sqlite3_bind_int64(s, row.first + 5, environment);
    }
    if (*id) sqlite3_bind_int64(s, row.first + 1, *id);
    sqlite3_bind_int64(s, row.first + 2, key);
    sqlite3_bind_int64(s, row.first + 3, description);
    sqlite3_bind_int64(s, row.first + 4, point);
    if (w->artifact) {
        sqlite3_bind_int64(s, row.first + 6, w->artifact);
        line = place_line(e->locator);
        if (line)
            sqlite3_bind_int64(s, row.first + 7, line);
        else
            abdb_slot_text(&row, 7, e->locator ? e->locator : "");
    }
    TRY(abdb_writer_slot_done(w, S_ENTRY, err));
    if (!*id) *id = sqlite3_last_insert_rowid(w->db->sql);
    TRY(insert_results(w, o, *id, err));
    w->row_new = w->unit_dirty = 1;
    TRY(abdb_writer_bulk(w, key, *id, err));
done:
    return st;
}

/* The entry was there: this is another place that says it, unless it is the first one again. */
static abdb_status insert_witness(abdb_writer *w, const abdb_entry *e, sqlite3_int64 id,
                                  abdb_error *err)
{
    sqlite3_stmt *s = w->statement[S_WITNESS];

    w->row_old = 1;
    if (!w->artifact) return ABDB_OK;
    if (abdb_writer_flush(w, err) != ABDB_OK) return ABDB_DB; /* it looks at the entry */
    sqlite3_bind_int64(s, 1, id);
    sqlite3_bind_int64(s, 2, w->artifact);
    if (place_line(e->locator))
        sqlite3_bind_int64(s, 3, place_line(e->locator));
    else
        abdb_bind_text(s, 3, e->locator ? e->locator : "");
    return abdb_writer_step(w, S_WITNESS, err);
}

/* The entries handed over just before are parts of this one; then it is the last one itself. */
static abdb_status keep_pieces(abdb_writer *w, const abdb_entry *e, sqlite3_int64 id,
                               sqlite3_int64 key, abdb_error *err)
{
    sqlite3_stmt *s = w->statement[S_PART];
    size_t pieces = e->pieces < w->kept ? e->pieces : w->kept;
    abdb_status st = ABDB_OK;

    for (size_t i = 1; i <= pieces && i <= ABDB_PIECE_MAX; i++) {
        sqlite3_bind_int64(s, 1, id);
        sqlite3_bind_int64(s, 2, w->last[(w->kept - i) % ABDB_PIECE_MAX]);
        abdb_bind_text(s, 3, e->role);
        TRY(abdb_writer_step(w, S_PART, err));
    }
    w->last[w->kept++ % ABDB_PIECE_MAX] = id;
    w->last_key = key;
done:
    return st;
}

abdb_status abdb_writer_entry(void *self, const abdb_entry *entry, abdb_error *err)
{
    abdb_writer *w = self;
    abdb_ordered o;
    sqlite3_int64 point = 0, description, id = 0;
    long long key[ABDB_KEYS];
    const char *fault = abdb_entry_fault(entry);
    abdb_status st = ABDB_OK;

    if (fault) {
        abdb_reject reject = {.line = entry->line, .reason = fault, .raw = entry->locator};

        return abdb_writer_reject(self, &reject, err);
    }
    abdb_put_in_order(&o, entry);
    memcpy(key, entry->key, sizeof key);
    if (!key[ABDB_KEY_ENTRY]) w->keys.make(w->keys.self, entry, key);
    if (!key[ABDB_KEY_ENTRY]) TRY(ABDB_FAIL(err, ABDB_NOMEM, "an entry's text"));
    TRY(keep_point(w, &o, key[ABDB_KEY_POINT], &point, err));
    if (w->bulk)
        id = abdb_keymap_get(&w->entries, key[ABDB_KEY_ENTRY]);
    else
        TRY(abdb_writer_find(w, key[ABDB_KEY_ENTRY], &id, err));
    if (id) {
        TRY(insert_witness(w, entry, id, err));
    } else {
        TRY(keep_description(w, entry, key[ABDB_KEY_DESCRIPTION], &description, err));
        TRY(insert_entry(w, &o, key[ABDB_KEY_ENTRY], description, point, &id, err));
    }
    TRY(keep_pieces(w, entry, id, key[ABDB_KEY_ENTRY], err));
    for (size_t i = 0; i < entry->results; i++)
        if (o.result[i]->fact)
            TRY(abdb_writer_name(w, o.result[i]->fact, "result", id, (sqlite3_int64)i, entry->line,
                                 err));
done:
    return st;
}
