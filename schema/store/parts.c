/* parts.c - what belongs to an entry: results with their samples, readings of sensors, spans,
 * ranks; and the circumstances that many entries share, each kept once: quantity, environment,
 * process. */
#include <stdio.h>
#include <string.h>

#include "schema/store/digest.h"
#include "schema/store/key.h"
#include "schema/store/writer.h"

/* Is this what the last number was? Results of a file mostly repeat it, and comparing is cheaper
 * than a digest. The texts stand one after another, ended by \x1f, or by \x1e where one is
 * missing. */
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
        if (sqlite3_reset(w->statement[S_QUANTITY_FIND]) != SQLITE_OK)
            TRY(abdb_db_fail(w->db, err, "a quantity"));
    }
    if (!*quantity) {
        for (int i = 0; i < 6; i++) abdb_bind_text(s, i + 1, text[i]);
        TRY(abdb_writer_step(w, S_QUANTITY, err));
        *quantity = sqlite3_last_insert_rowid(w->db->sql);
    }
    (void)!abdb_keymap_remember(&w->quantities, key, *quantity);
    abdb_text_clear(&w->quantity_text);
    abdb_text_puts(&w->quantity_text, abdb_text_get(&w->text));
    w->last_quantity = w->quantity_text.failed ? 0 : *quantity;
done:
    return st;
}

/* --- rows ------------------------------------------------------------------------------------- */

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
    abdb_slot row;
    abdb_status st = ABDB_OK;

    TRY(keep_quantity(w, r, &quantity, err));
    if (r->samples) TRY(insert_samples(w, r, &sample, err));
    row = abdb_writer_slot(w, S_RESULT);
    abdb_slot_whole(row, 1, w->next_result++);
    abdb_slot_whole(row, 2, entry);
    abdb_slot_whole(row, 3, ordinal);
    abdb_slot_whole(row, 4, quantity);
    abdb_slot_number(row, 5, r->value);
    abdb_slot_text(row, 6, r->raw_value);
    abdb_slot_text(row, 7, r->cell);
    if (r->rank >= 0) abdb_slot_whole(row, 8, r->rank);
    abdb_slot_number(row, 9, r->x);
    if (r->n > 0) abdb_slot_whole(row, 10, r->n);
    abdb_slot_number(row, 11, r->low);
    abdb_slot_number(row, 12, r->high);
    if (sample) abdb_slot_whole(row, 13, sample);
    if (sample) abdb_slot_whole(row, 14, sample + (sqlite3_int64)r->samples - 1);
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

abdb_status abdb_writer_parts(abdb_writer *w, const abdb_ordered *o, sqlite3_int64 id,
                              abdb_error *err)
{
    abdb_status st = ABDB_OK;

    TRY(insert_results(w, o, id, err));
    TRY(insert_telemetry(w, o->entry, id, err));
    TRY(insert_spans(w, o->entry, id, err));
    TRY(insert_ranks(w, o->entry, id, err));
done:
    return st;
}

/* --- circumstances ---------------------------------------------------------------------------- */

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

abdb_status abdb_writer_environment(abdb_writer *w, const abdb_entry *e, abdb_error *err)
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

abdb_status abdb_writer_process(abdb_writer *w, const abdb_process *p, abdb_error *err)
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
