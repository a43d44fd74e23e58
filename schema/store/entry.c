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
static abdb_status find_number(abdb_writer *w, abdb_keymap *map, statement_id id, abdb_key key,
                               sqlite3_int64 *out, abdb_error *err)
{
    abdb_status st = ABDB_OK;

    *out = abdb_keymap_get(map, key);
    if (*out) return ABDB_OK;
    TRY(abdb_writer_find(w, id, key, out, err));
    if (*out) (void)!abdb_keymap_put(map, key, (uint32_t)*out); /* a full map only costs time */
done:
    return st;
}

/* False: the map is full, and empty again. */
static bool remember(abdb_keymap *map, abdb_key key, sqlite3_int64 number)
{
    if (abdb_keymap_put(map, key, (uint32_t)number)) return true;
    abdb_keymap_free(map);
    return false;
}

/* A sorted factor set becomes a point; the same set is the same point everywhere. */
static abdb_status keep_point(abdb_writer *w, const abdb_ordered *o, abdb_key key,
                              sqlite3_int64 *point, abdb_error *err)
{
    static const char *const states[] = {"known", "unknown", "inapplicable"};
    abdb_status st = ABDB_OK;

    TRY(find_number(w, &w->points, S_POINT_FIND, key, point, err));
    if (*point) return ABDB_OK;

    abdb_bind_key(w->statement[S_POINT], 1, key);
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
static abdb_status keep_description(abdb_writer *w, const abdb_entry *e, abdb_key key,
                                    sqlite3_int64 *description, abdb_error *err)
{
    abdb_slot row;
    int column = 4;
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
    abdb_bind_key(row.statement, row.first + 2, key);
    for (int i = 0; i < ABDB_FIELD_COUNT; i++) {
        const char *text = e->field[i] && *e->field[i] ? e->field[i] : NULL;

        if (!abdb_field_is_shared(i)) continue;
        if (!text && i == ABDB_FIELD_status) text = "ok";
        if (!text && i == ABDB_FIELD_verified) text = "unknown";
        if (!text && i == ABDB_FIELD_flags) text = "";
        if (text && abdb_fields[i].is_number)
            sqlite3_bind_int64(row.statement, row.first + column++, atoll(text));
        else
            abdb_slot_text(&row, column++, text);
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
    abdb_key key;
    abdb_status st = ABDB_OK;

    *quantity = w->last_quantity;
    if (*quantity && is_last_quantity(w, text)) return ABDB_OK;
    abdb_text_clear(&w->text);
    for (int i = 0; i < 6; i++) {
        abdb_text_puts(&w->text, text[i] ? text[i] : "");
        abdb_text_puts(&w->text, text[i] ? "\x1f" : "\x1e");
    }
    if (w->text.failed) return ABDB_FAIL(err, ABDB_NOMEM, "a result");
    key = abdb_digest_key(abdb_text_get(&w->text), w->text.size);
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

/* The first number that is free in a table, asked once a unit. */
static abdb_status next_number(abdb_writer *w, sqlite3_int64 *next, const char *sql,
                               abdb_error *err)
{
    return *next ? ABDB_OK : abdb_db_integer(w->db, sql, next, err);
}

static void bind_rank(sqlite3_stmt *s, int i, long rank)
{
    if (rank >= 0)
        sqlite3_bind_int64(s, i, rank);
    else
        sqlite3_bind_null(s, i);
}

/* The samples of a result side by side, from number *first on. */
static abdb_status insert_samples(abdb_writer *w, const abdb_result *r, sqlite3_int64 *first,
                                  abdb_error *err)
{
    static const char next[] = "SELECT coalesce(max(sample_id), 0) + 1 FROM sample_row";
    sqlite3_stmt *s = w->statement[S_SAMPLE];
    abdb_status st = ABDB_OK;

    TRY(next_number(w, &w->next_sample, next, err));
    *first = w->next_sample;
    for (size_t k = 0; k < r->samples; k++) {
        sqlite3_bind_int64(s, 1, w->next_sample++);
        sqlite3_bind_double(s, 2, r->sample[k].value);
        abdb_bind_number(s, 3, r->sample[k].t_s);
        bind_rank(s, 4, r->sample[k].rank);
        abdb_bind_text(s, 5, r->sample[k].mark);
        TRY(abdb_writer_step(w, S_SAMPLE, err));
    }
done:
    return st;
}

static abdb_status insert_result(abdb_writer *w, const abdb_result *r, sqlite3_int64 entry,
                                 sqlite3_int64 ordinal, abdb_error *err)
{
    sqlite3_int64 quantity = 0, sample = 0;
    sqlite3_stmt *s;
    abdb_slot row;
    abdb_status st = ABDB_OK;

    TRY(keep_quantity(w, r, &quantity, err));
    if (r->samples) TRY(insert_samples(w, r, &sample, err));
    row = abdb_writer_slot(w, S_RESULT);
    s = row.statement;
    sqlite3_bind_int64(s, row.first + 1, w->next_result++);
    sqlite3_bind_int64(s, row.first + 2, entry);
    sqlite3_bind_int64(s, row.first + 3, ordinal);
    sqlite3_bind_int64(s, row.first + 4, quantity);
    sqlite3_bind_double(s, row.first + 5, r->value);
    abdb_slot_text(&row, 6, r->raw_value);
    abdb_slot_text(&row, 7, r->cell);
    bind_rank(s, row.first + 8, r->rank);
    abdb_bind_number(s, row.first + 9, r->x);
    if (r->n > 0) sqlite3_bind_int64(s, row.first + 10, r->n);
    abdb_bind_number(s, row.first + 11, r->low);
    abdb_bind_number(s, row.first + 12, r->high);
    if (sample) sqlite3_bind_int64(s, row.first + 13, sample);
    if (sample) sqlite3_bind_int64(s, row.first + 14, sample + (sqlite3_int64)r->samples - 1);
    TRY(abdb_writer_slot_done(w, S_RESULT, err));
done:
    return st;
}

static abdb_status insert_results(abdb_writer *w, const abdb_ordered *o, sqlite3_int64 id,
                                  abdb_error *err)
{
    static const char next[] = "SELECT coalesce(max(result_id), 0) + 1 FROM result_row";
    abdb_status st = ABDB_OK;

    TRY(next_number(w, &w->next_result, next, err));
    for (size_t i = 0; i < o->entry->results; i++)
        TRY(insert_result(w, o->result[i], id, (sqlite3_int64)i, err));
done:
    return st;
}

static abdb_status insert_telemetry(abdb_writer *w, const abdb_entry *e, sqlite3_int64 id,
                                    abdb_error *err)
{
    sqlite3_stmt *s = w->statement[S_TELEMETRY];
    abdb_status st = ABDB_OK;

    for (size_t i = 0; i < e->telemetries; i++) {
        const abdb_telemetry *t = &e->telemetry[i];

        sqlite3_bind_int64(s, 1, id);
        abdb_bind_text(s, 2, t->sensor);
        abdb_bind_text(s, 3, t->quantity);
        sqlite3_bind_double(s, 4, t->t_s);
        sqlite3_bind_double(s, 5, t->value);
        abdb_bind_text(s, 6, t->unit);
        TRY(abdb_writer_step(w, S_TELEMETRY, err));
    }
done:
    return st;
}

static abdb_status insert_spans(abdb_writer *w, const abdb_entry *e, sqlite3_int64 id,
                                abdb_error *err)
{
    sqlite3_stmt *s = w->statement[S_SPAN];
    abdb_status st = ABDB_OK;

    for (size_t i = 0; i < e->spans; i++) {
        const abdb_span *span = &e->span[i];

        sqlite3_bind_int64(s, 1, id);
        sqlite3_bind_int64(s, 2, (sqlite3_int64)i + 1);
        abdb_bind_text(s, 3, span->name);
        abdb_bind_text(s, 4, span->within);
        abdb_bind_text(s, 5, span->kernel);
        abdb_bind_text(s, 6, span->provider);
        sqlite3_bind_int64(s, 7, span->calls);
        sqlite3_bind_double(s, 8, span->time_s);
        abdb_bind_number(s, 9, span->ops);
        abdb_bind_number(s, 10, span->bytes);
        TRY(abdb_writer_step(w, S_SPAN, err));
    }
done:
    return st;
}

static abdb_status insert_ranks(abdb_writer *w, const abdb_entry *e, sqlite3_int64 id,
                                abdb_error *err)
{
    sqlite3_stmt *s = w->statement[S_RANK];
    abdb_status st = ABDB_OK;

    for (size_t i = 0; i < e->ranks; i++) {
        sqlite3_bind_int64(s, 1, id);
        sqlite3_bind_int64(s, 2, e->rank[i].rank);
        abdb_bind_text(s, 3, e->rank[i].host);
        abdb_bind_text(s, 4, e->rank[i].device);
        abdb_bind_text(s, 5, e->rank[i].binding);
        TRY(abdb_writer_step(w, S_RANK, err));
    }
done:
    return st;
}

/* --- circumstances ------------------------------------------------------------------------------
 */

static bool same_key(abdb_key a, abdb_key b)
{
    return a.high == b.high && a.low == b.low;
}

/* The number of what the statement `insert` holds from parameter 3 on, kept once under its key. */
static abdb_status keep_once(abdb_writer *w, statement_id find, statement_id insert, abdb_key key,
                             sqlite3_int64 *id, abdb_error *err)
{
    sqlite3_stmt *s = w->statement[insert];
    abdb_status st = ABDB_OK;

    TRY(abdb_writer_find(w, find, key, id, err));
    if (*id) {
        sqlite3_clear_bindings(s);
        return ABDB_OK;
    }
    abdb_bind_key(s, 1, key);
    TRY(abdb_writer_step(w, insert, err));
    *id = sqlite3_last_insert_rowid(w->db->sql);
done:
    return st;
}

static abdb_status keep_environment(abdb_writer *w, const abdb_entry *e, abdb_error *err)
{
    abdb_key key = abdb_digest_key(e->environment, strlen(e->environment));
    abdb_status st = ABDB_OK;

    if (w->last_environment_id && same_key(key, w->last_environment)) return ABDB_OK;
    abdb_bind_text(w->statement[S_ENVIRONMENT], 3, e->environment);
    TRY(keep_once(w, S_ENVIRONMENT_FIND, S_ENVIRONMENT, key, &w->last_environment_id, err));
    w->last_environment = key;
done:
    return st;
}

static abdb_status keep_process(abdb_writer *w, const abdb_process *p, abdb_error *err)
{
    sqlite3_stmt *s = w->statement[S_PROCESS];
    const char *backend = p->backend ? p->backend : "", *started = p->started ? p->started : "";
    abdb_key key;
    abdb_status st = ABDB_OK;

    abdb_text_clear(&w->text);
    abdb_text_printf(&w->text, "%s\x1f%s\x1f%ld\x1f%ld\x1f%s", p->campaign, backend, p->repetition,
                     p->start, started);
    if (w->text.failed) return ABDB_FAIL(err, ABDB_NOMEM, "a process");
    key = abdb_digest_key(abdb_text_get(&w->text), w->text.size);
    if (w->last_process_id && same_key(key, w->last_process)) return ABDB_OK;
    abdb_bind_text(s, 3, p->campaign);
    abdb_bind_text(s, 4, backend);
    sqlite3_bind_int64(s, 5, p->repetition);
    sqlite3_bind_int64(s, 6, p->start);
    abdb_bind_text(s, 7, started);
    TRY(keep_once(w, S_PROCESS_FIND, S_PROCESS, key, &w->last_process_id, err));
    w->last_process = key;
done:
    return st;
}

/* --- entries ------------------------------------------------------------------------------------
 */

/* The line of a place in a file, which is kept as a number; 0: another place. */
static sqlite3_int64 place_line(const char *locator)
{
    const char *digits = locator && strncmp(locator, "line ", 5) == 0 ? locator + 5 : "";
    size_t count = strspn(digits, "0123456789");

    return count && count < 15 && !digits[count] && *digits != '0' ? atoll(digits) : 0;
}

static const char *said(const char *text)
{
    return text && *text ? text : NULL;
}

/* Keys of an entry, and the numbers of what it shares. */
typedef struct {
    abdb_key key[ABDB_KEYS];
    long long origin;
    sqlite3_int64 point, description;
} kept;

static abdb_status insert_entry(abdb_writer *w, const abdb_ordered *o, const kept *k,
                                sqlite3_int64 *id, abdb_error *err)
{
    const abdb_entry *e = o->entry;
    sqlite3_int64 line = place_line(e->locator);
    abdb_slot row;
    sqlite3_stmt *s;
    abdb_status st = ABDB_OK;

    if (e->environment) TRY(keep_environment(w, e, err));
    if (e->process.campaign) TRY(keep_process(w, &e->process, err));
    row = abdb_writer_slot(w, S_ENTRY);
    s = row.statement;
    *id = w->bulk ? w->next_entry++ : 0;
    if (*id) sqlite3_bind_int64(s, row.first + 1, *id);
    abdb_bind_key(s, row.first + 2, k->key[ABDB_KEY_ENTRY]);
    sqlite3_bind_int64(s, row.first + 4, k->description);
    sqlite3_bind_int64(s, row.first + 5, k->point);
    if (e->environment) sqlite3_bind_int64(s, row.first + 6, w->last_environment_id);
    if (e->process.campaign) sqlite3_bind_int64(s, row.first + 7, w->last_process_id);
    abdb_slot_text(&row, 8, said(e->field[ABDB_FIELD_date]));
    abdb_slot_text(&row, 9, said(e->field[ABDB_FIELD_cell]));
    if (k->origin > 0) sqlite3_bind_int64(s, row.first + 10, k->origin);
    if (w->artifact) sqlite3_bind_int64(s, row.first + 11, w->artifact);
    if (w->artifact && line) sqlite3_bind_int64(s, row.first + 12, line);
    if (w->artifact && !line) abdb_slot_text(&row, 13, e->locator ? e->locator : "");
    TRY(abdb_writer_slot_done(w, S_ENTRY, err));
    if (!*id) *id = sqlite3_last_insert_rowid(w->db->sql);
    TRY(insert_results(w, o, *id, err));
    TRY(insert_telemetry(w, e, *id, err));
    TRY(insert_spans(w, e, *id, err));
    TRY(insert_ranks(w, e, *id, err));
    w->row_new = w->unit_dirty = 1;
    TRY(abdb_writer_bulk(w, k->key[ABDB_KEY_ENTRY], *id, err));
done:
    return st;
}

/* The entry was there: this is another place that says it, unless it is the first one again. */
static abdb_status insert_witness(abdb_writer *w, const abdb_entry *e, sqlite3_int64 id,
                                  abdb_error *err)
{
    sqlite3_stmt *s = w->statement[S_WITNESS];
    abdb_status st = ABDB_OK;

    w->row_old = 1;
    if (!w->artifact) return ABDB_OK;
    TRY(abdb_writer_flush(w, err)); /* it looks at the entry */
    sqlite3_bind_int64(s, 1, id);
    sqlite3_bind_int64(s, 2, w->artifact);
    sqlite3_bind_int64(s, 3, place_line(e->locator));
    abdb_bind_text(s, 4, place_line(e->locator) || !e->locator ? "" : e->locator);
    TRY(abdb_writer_step(w, S_WITNESS, err));
    if (!sqlite3_changes(w->db->sql)) return ABDB_OK;
    w->unit_dirty = 1;
    sqlite3_bind_int64(w->statement[S_TOUCH], 1, id);
    TRY(abdb_writer_step(w, S_TOUCH, err));
done:
    return st;
}

/* The entries handed over just before are parts of this one; then it is the last one itself. */
static abdb_status keep_pieces(abdb_writer *w, const abdb_entry *e, sqlite3_int64 id,
                               abdb_error *err)
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
done:
    return st;
}

/* Gives results their names, by which claims cite them. */
static abdb_status keep_names(abdb_writer *w, const abdb_ordered *o, sqlite3_int64 id,
                              abdb_error *err)
{
    sqlite3_int64 result;
    abdb_status st = ABDB_OK;

    for (size_t i = 0; i < o->entry->results; i++) {
        char *sql;

        if (!o->result[i]->fact) continue;
        TRY(abdb_writer_flush(w, err));
        sql = sqlite3_mprintf("SELECT result_id FROM result_row WHERE entry_id = %lld"
                              " AND ordinal = %d",
                              id, (int)i);
        st = sql ? abdb_db_integer(w->db, sql, &result, err) : ABDB_FAIL(err, ABDB_NOMEM, "a name");
        sqlite3_free(sql);
        if (st == ABDB_OK)
            st = abdb_writer_name(w, o->result[i]->fact, "result", result, o->entry->line, err);
        if (st != ABDB_OK) break;
    }
done:
    return st;
}

abdb_status abdb_writer_entry(void *self, const abdb_entry *entry, abdb_error *err)
{
    abdb_writer *w = self;
    abdb_ordered o;
    kept k = {.origin = entry->origin};
    sqlite3_int64 id = 0;
    const char *fault = abdb_entry_fault(entry);
    abdb_status st = ABDB_OK;

    if (fault) {
        abdb_reject reject = {.line = entry->line, .reason = fault, .raw = entry->locator};

        return abdb_writer_reject(self, &reject, err);
    }
    TRY(abdb_writer_lock(w, err));
    if (w->said_by_another) return ABDB_OK;
    abdb_put_in_order(&o, entry);
    memcpy(k.key, entry->key, sizeof k.key);
    if (!k.key[ABDB_KEY_ENTRY].high) w->keys.make(w->keys.self, entry, k.key, &k.origin);
    if (!k.key[ABDB_KEY_ENTRY].high) TRY(ABDB_FAIL(err, ABDB_NOMEM, "an entry's text"));
    TRY(keep_point(w, &o, k.key[ABDB_KEY_POINT], &k.point, err));
    if (w->bulk)
        id = abdb_keymap_get(&w->entries, k.key[ABDB_KEY_ENTRY]);
    else
        TRY(abdb_writer_find(w, S_ENTRY_FIND, k.key[ABDB_KEY_ENTRY], &id, err));
    if (id) {
        TRY(insert_witness(w, entry, id, err));
    } else {
        TRY(keep_description(w, entry, k.key[ABDB_KEY_DESCRIPTION], &k.description, err));
        TRY(insert_entry(w, &o, &k, &id, err));
    }
    TRY(keep_pieces(w, entry, id, err));
    TRY(keep_names(w, &o, id, err));
done:
    return st;
}
