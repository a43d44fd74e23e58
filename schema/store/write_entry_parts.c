/* write_entry_parts.c - the parts of an entry: results with their samples, readings of sensors,
 * spans, ranks; and rows that many entries share, each kept once: quantity, environment,
 * process. */
#include <stdio.h>
#include <string.h>

#include "schema/store/digest.h"
#include "schema/store/entry_key.h"
#include "schema/store/writer_internal.h"

/* Is this the quantity of the last result? Results of a file mostly repeat it, and a comparison is
 * cheaper than a digest. The texts follow each other, ended by \x1f, or by \x1e where one is
 * missing. */
static bool is_same_quantity_as_last(const abdb_writer *w, const char *const text[6])
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

/* The quantity of a number, kept once. */
static abdb_status find_or_insert_quantity(abdb_writer *w, const abdb_result *r,
                                           sqlite3_int64 *quantity, abdb_error *err)
{
    const char *text[] = {r->metric,   r->statistic, abdb_metric_find(r->metric)->unit,
                          r->raw_unit, r->spread,    r->formula};
    sqlite3_stmt *s = w->statement[S_QUANTITY];
    abdb_key key;
    abdb_status st = ABDB_OK;

    *quantity = w->last_quantity;
    if (*quantity && is_same_quantity_as_last(w, text)) return ABDB_OK;
    abdb_text_clear(&w->text);
    for (int i = 0; i < 6; i++) {
        abdb_text_puts(&w->text, text[i] ? text[i] : "");
        abdb_text_puts(&w->text, text[i] ? "\x1f" : "\x1e");
    }
    if (w->text.failed) return ABDB_FAIL(err, ABDB_NOMEM, "a result");
    key = abdb_sha256_key_of_bytes(abdb_text_get(&w->text), w->text.size);
    *quantity = abdb_keymap_get_number_or_0(&w->quantities, key);
    if (!*quantity) {
        for (int i = 0; i < 6; i++)
            abdb_bind_text_or_null(w->statement[S_QUANTITY_FIND], i + 1, text[i]);
        if (sqlite3_step(w->statement[S_QUANTITY_FIND]) == SQLITE_ROW)
            *quantity = sqlite3_column_int64(w->statement[S_QUANTITY_FIND], 0);
        if (sqlite3_reset(w->statement[S_QUANTITY_FIND]) != SQLITE_OK)
            TRY(abdb_db_report_sqlite_error(w->db, err, "a quantity"));
    }
    if (!*quantity) {
        for (int i = 0; i < 6; i++) abdb_bind_text_or_null(s, i + 1, text[i]);
        TRY(abdb_writer_run_and_reset_statement(w, S_QUANTITY, err));
        *quantity = sqlite3_last_insert_rowid(w->db->sql);
    }
    (void)!abdb_keymap_put_or_discard_map(&w->quantities, key, *quantity);
    abdb_text_clear(&w->quantity_text);
    abdb_text_puts(&w->quantity_text, abdb_text_get(&w->text));
    w->last_quantity = w->quantity_text.failed ? 0 : *quantity;
done:
    return st;
}

/* --- rows ------------------------------------------------------------------------------------- */

/* The first number that is free in a table, read once a unit. */
static abdb_status read_first_free_id_once(abdb_writer *w, sqlite3_int64 *next, const char *sql,
                                           abdb_error *err)
{
    return *next ? ABDB_OK : abdb_db_query_integer_or_0(w->db, sql, next, err);
}

static void bind_rank_or_null(sqlite3_stmt *s, int i, long rank)
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

    TRY(read_first_free_id_once(w, &w->next_sample, next, err));
    *first = w->next_sample;
    for (size_t k = 0; k < r->samples; k++) {
        sqlite3_bind_int64(s, 1, w->next_sample++);
        sqlite3_bind_double(s, 2, r->sample[k].value);
        abdb_bind_finite_or_null(s, 3, r->sample[k].t_s);
        bind_rank_or_null(s, 4, r->sample[k].rank);
        abdb_bind_text_or_null(s, 5, r->sample[k].mark);
        TRY(abdb_writer_run_and_reset_statement(w, S_SAMPLE, err));
    }
done:
    return st;
}

/* Inserts a result, the quantity it is a value of, and its samples, which get consecutive ids. */
static abdb_status insert_result_with_samples(abdb_writer *w, const abdb_result *r,
                                              sqlite3_int64 entry, sqlite3_int64 ordinal,
                                              abdb_error *err)
{
    sqlite3_int64 quantity = 0, sample = 0;
    abdb_pending_row row;
    abdb_status st = ABDB_OK;

    TRY(find_or_insert_quantity(w, r, &quantity, err));
    if (r->samples) TRY(insert_samples(w, r, &sample, err));
    row = abdb_writer_get_pending_row_slot(w, S_RESULT);
    abdb_row_set_integer(row, 1, w->next_result++);
    abdb_row_set_integer(row, 2, entry);
    abdb_row_set_integer(row, 3, ordinal);
    abdb_row_set_integer(row, 4, quantity);
    abdb_row_set_finite_number(row, 5, r->value);
    abdb_row_set_text(row, 6, r->raw_value);
    abdb_row_set_text(row, 7, r->cell);
    if (r->rank >= 0) abdb_row_set_integer(row, 8, r->rank);
    abdb_row_set_finite_number(row, 9, r->x);
    if (r->n > 0) abdb_row_set_integer(row, 10, r->n);
    abdb_row_set_finite_number(row, 11, r->low);
    abdb_row_set_finite_number(row, 12, r->high);
    if (sample) abdb_row_set_integer(row, 13, sample);
    if (sample) abdb_row_set_integer(row, 14, sample + (sqlite3_int64)r->samples - 1);
    TRY(abdb_writer_buffer_or_insert_row(w, S_RESULT, err));
done:
    return st;
}

/* Inserts the sorted results of an entry, each with its place as ordinal. */
static abdb_status insert_results(abdb_writer *w, const abdb_sorted_entry *o, sqlite3_int64 id,
                                  abdb_error *err)
{
    static const char next[] = "SELECT coalesce(max(result_id), 0) + 1 FROM result_row";
    abdb_status st = ABDB_OK;

    TRY(read_first_free_id_once(w, &w->next_result, next, err));
    for (size_t i = 0; i < o->entry->results; i++)
        TRY(insert_result_with_samples(w, o->result[i], id, (sqlite3_int64)i, err));
done:
    return st;
}

/* Inserts the readings of sensors of an entry. */
static abdb_status insert_telemetry(abdb_writer *w, const abdb_entry *e, sqlite3_int64 id,
                                    abdb_error *err)
{
    sqlite3_stmt *s = w->statement[S_TELEMETRY];
    abdb_status st = ABDB_OK;

    for (size_t i = 0; i < e->telemetries; i++) {
        const abdb_telemetry *t = &e->telemetry[i];

        sqlite3_bind_int64(s, 1, id);
        abdb_bind_text_or_null(s, 2, t->sensor);
        abdb_bind_text_or_null(s, 3, t->quantity);
        sqlite3_bind_double(s, 4, t->t_s);
        sqlite3_bind_double(s, 5, t->value);
        abdb_bind_text_or_null(s, 6, t->unit);
        TRY(abdb_writer_run_and_reset_statement(w, S_TELEMETRY, err));
    }
done:
    return st;
}

/* Inserts the spans of an entry, numbered from 1 in the order of the workload. */
static abdb_status insert_spans(abdb_writer *w, const abdb_entry *e, sqlite3_int64 id,
                                abdb_error *err)
{
    sqlite3_stmt *s = w->statement[S_SPAN];
    abdb_status st = ABDB_OK;

    for (size_t i = 0; i < e->spans; i++) {
        const abdb_span *span = &e->span[i];

        sqlite3_bind_int64(s, 1, id);
        sqlite3_bind_int64(s, 2, (sqlite3_int64)i + 1);
        abdb_bind_text_or_null(s, 3, span->name);
        abdb_bind_text_or_null(s, 4, span->within);
        abdb_bind_text_or_null(s, 5, span->kernel);
        abdb_bind_text_or_null(s, 6, span->provider);
        sqlite3_bind_int64(s, 7, span->calls);
        sqlite3_bind_double(s, 8, span->time_s);
        abdb_bind_finite_or_null(s, 9, span->ops);
        abdb_bind_finite_or_null(s, 10, span->bytes);
        TRY(abdb_writer_run_and_reset_statement(w, S_SPAN, err));
    }
done:
    return st;
}

/* Inserts host, device and binding of each rank of an entry. */
static abdb_status insert_ranks(abdb_writer *w, const abdb_entry *e, sqlite3_int64 id,
                                abdb_error *err)
{
    sqlite3_stmt *s = w->statement[S_RANK];
    abdb_status st = ABDB_OK;

    for (size_t i = 0; i < e->ranks; i++) {
        sqlite3_bind_int64(s, 1, id);
        sqlite3_bind_int64(s, 2, e->rank[i].rank);
        abdb_bind_text_or_null(s, 3, e->rank[i].host);
        abdb_bind_text_or_null(s, 4, e->rank[i].device);
        abdb_bind_text_or_null(s, 5, e->rank[i].binding);
        TRY(abdb_writer_run_and_reset_statement(w, S_RANK, err));
    }
done:
    return st;
}

abdb_status abdb_writer_insert_entry_parts(abdb_writer *w, const abdb_sorted_entry *o,
                                           sqlite3_int64 id, abdb_error *err)
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

static bool keys_are_equal(abdb_key a, abdb_key b)
{
    return a.high == b.high && a.low == b.low;
}

/* The number of the row bound to the statement `insert` from parameter 3 on, kept once by key. */
static abdb_status find_or_insert_by_key(abdb_writer *w, statement_id find, statement_id insert,
                                         abdb_key key, sqlite3_int64 *id, abdb_error *err)
{
    sqlite3_stmt *s = w->statement[insert];
    abdb_status st = ABDB_OK;

    TRY(abdb_writer_find_id_by_key_or_0(w, find, key, id, err));
    if (*id) {
        sqlite3_clear_bindings(s);
        return ABDB_OK;
    }
    abdb_bind_key_parts(s, 1, key);
    TRY(abdb_writer_run_and_reset_statement(w, insert, err));
    *id = sqlite3_last_insert_rowid(w->db->sql);
done:
    return st;
}

abdb_status abdb_writer_cache_environment_id_insert_if_new(abdb_writer *w, const abdb_entry *e,
                                                           abdb_error *err)
{
    abdb_key key = abdb_sha256_key_of_bytes(e->environment, strlen(e->environment));
    abdb_status st = ABDB_OK;

    if (w->last_environment_id && keys_are_equal(key, w->last_environment)) return ABDB_OK;
    abdb_bind_text_or_null(w->statement[S_ENVIRONMENT], 3, e->environment);
    TRY(find_or_insert_by_key(w, S_ENVIRONMENT_FIND, S_ENVIRONMENT, key, &w->last_environment_id,
                              err));
    w->last_environment = key;
done:
    return st;
}

abdb_status abdb_writer_cache_process_id_insert_if_new(abdb_writer *w, const abdb_process *p,
                                                       abdb_error *err)
{
    sqlite3_stmt *s = w->statement[S_PROCESS];
    const char *backend = p->backend ? p->backend : "", *started = p->started ? p->started : "";
    abdb_key key;
    abdb_status st = ABDB_OK;

    abdb_text_clear(&w->text);
    abdb_text_printf(&w->text, "%s\x1f%s\x1f%ld\x1f%ld\x1f%s", p->campaign, backend, p->repetition,
                     p->start, started);
    if (w->text.failed) return ABDB_FAIL(err, ABDB_NOMEM, "a process");
    key = abdb_sha256_key_of_bytes(abdb_text_get(&w->text), w->text.size);
    if (w->last_process_id && keys_are_equal(key, w->last_process)) return ABDB_OK;
    abdb_bind_text_or_null(s, 3, p->campaign);
    abdb_bind_text_or_null(s, 4, backend);
    sqlite3_bind_int64(s, 5, p->repetition);
    sqlite3_bind_int64(s, 6, p->start);
    abdb_bind_text_or_null(s, 7, started);
    TRY(find_or_insert_by_key(w, S_PROCESS_FIND, S_PROCESS, key, &w->last_process_id, err));
    w->last_process = key;
done:
    return st;
}
