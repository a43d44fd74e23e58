/* entry.c - the sink's entries: their key, factors, results, samples, pieces and witnesses. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "schema/store/digest.h"
#include "schema/store/writer.h"

static int compare_factor(const void *a, const void *b)
{
    return strcmp(((const abdb_factor *)a)->name, ((const abdb_factor *)b)->name);
}

static int compare_result(const void *a, const void *b)
{
    const abdb_result *x = a, *y = b;
    int order = strcmp(x->metric, y->metric);

    if (order == 0) order = strcmp(x->statistic, y->statistic);
    if (order == 0) order = (x->rank > y->rank) - (x->rank < y->rank);
    if (order == 0) order = (x->x > y->x) - (x->x < y->x);
    return order;
}

/* A sorted factor set becomes a point; the same set is the same point everywhere. */
static abdb_status keep_point(abdb_writer *w, const abdb_factor *factor, size_t n,
                              sqlite3_int64 *point, abdb_error *err)
{
    static const char *const states[] = {"known", "unknown", "inapplicable"};
    abdb_status st = ABDB_OK;

    abdb_text_clear(&w->text);
    for (size_t i = 0; i < n; i++)
        abdb_text_printf(&w->text, "%s\x1f%d\x1f%s\x1e", factor[i].name, factor[i].state,
                         factor[i].text);
    *point = abdb_digest63(abdb_text_get(&w->text), w->text.size);
    if (w->cache[*point % POINT_CACHE] == *point) return ABDB_OK;

    sqlite3_bind_int64(w->statement[S_POINT], 1, *point);
    TRY(abdb_writer_step(w, S_POINT, err));
    for (size_t i = 0; i < n; i++) {
        sqlite3_stmt *s = w->statement[S_POINT_FACTOR];

        abdb_bind_text(w->statement[S_FACTOR], 1, factor[i].name);
        abdb_bind_text(w->statement[S_FACTOR], 2, factor[i].unit);
        TRY(abdb_writer_step(w, S_FACTOR, err));
        sqlite3_bind_int64(s, 1, *point);
        abdb_bind_text(s, 2, factor[i].name);
        abdb_bind_text(s, 3, states[factor[i].state]);
        abdb_bind_text(s, 4, factor[i].text);
        abdb_bind_number(s, 5, factor[i].num);
        abdb_bind_text(s, 6, factor[i].unit);
        TRY(abdb_writer_step(w, S_POINT_FACTOR, err));
    }
    w->cache[*point % POINT_CACHE] = *point;
done:
    return st;
}

/* The content that makes an entry itself: no artifact, line or time of import. */
static void serialise(abdb_text *text, const abdb_entry *e, sqlite3_int64 point)
{
    abdb_text_clear(text);
    for (int i = 0; i < ABDB_FIELD_COUNT; i++)
        if (e->field[i] && *e->field[i])
            abdb_text_printf(text, "%s=%s\x1f", abdb_fields[i].name, e->field[i]);
    abdb_text_printf(text, "\x1epoint=%lld\x1e", (long long)point);
    if (e->environment) abdb_text_puts(text, e->environment);
    for (size_t i = 0; i < e->results; i++) {
        const abdb_result *r = &e->result[i];

        abdb_text_printf(text,
                         "\x1e%s\x1f%s\x1f%ld\x1f%.17g\x1f%.17g\x1f%s\x1f%lld\x1f%.17g\x1f%.17g",
                         r->metric, r->statistic, r->rank, r->x, r->value,
                         r->raw_unit ? r->raw_unit : "", r->n, r->low, r->high);
        for (size_t k = 0; k < r->samples; k++)
            abdb_text_printf(text, "\x1f%ld:%.17g", r->sample[k].rank, r->sample[k].value);
    }
}

static abdb_status insert_results(abdb_writer *w, const abdb_entry *e, sqlite3_int64 id,
                                  abdb_error *err)
{
    abdb_status st = ABDB_OK;

    for (size_t i = 0; i < e->results; i++) {
        const abdb_result *r = &e->result[i];
        sqlite3_stmt *s = w->statement[S_RESULT];

        sqlite3_bind_int64(s, 1, id);
        sqlite3_bind_int64(s, 2, (sqlite3_int64)i);
        abdb_bind_text(s, 3, r->metric);
        abdb_bind_text(s, 4, r->statistic);
        sqlite3_bind_int64(s, 5, r->rank);
        sqlite3_bind_double(s, 6, r->x);
        sqlite3_bind_double(s, 7, r->value);
        abdb_bind_text(s, 8, abdb_metric_find(r->metric)->unit);
        abdb_bind_text(s, 9, r->raw_value);
        abdb_bind_text(s, 10, r->raw_unit);
        abdb_bind_text(s, 11, r->cell);
        if (r->n > 0) sqlite3_bind_int64(s, 12, r->n);
        abdb_bind_number(s, 13, r->low);
        abdb_bind_number(s, 14, r->high);
        abdb_bind_text(s, 15, r->spread);
        abdb_bind_text(s, 16, r->formula);
        TRY(abdb_writer_step(w, S_RESULT, err));
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

static abdb_status insert_entry(abdb_writer *w, const abdb_entry *e, sqlite3_int64 id,
                                sqlite3_int64 point, sqlite3_int64 environment, abdb_error *err)
{
    sqlite3_stmt *s = w->statement[S_ENTRY];
    const char *evidence = e->field[ABDB_FIELD_evidence];
    abdb_status st = ABDB_OK;

    abdb_bind_text(w->statement[S_SOURCE], 1, e->field[ABDB_FIELD_source]);
    abdb_bind_text(w->statement[S_SOURCE], 2,
                   strcmp(evidence, "mlperf") == 0     ? "mlperf"
                   : strcmp(evidence, "measured") == 0 ? "program"
                                                       : "user");
    sqlite3_bind_int(w->statement[S_SOURCE], 3, 50);
    TRY(abdb_writer_step(w, S_SOURCE, err));

    sqlite3_bind_int64(s, 1, id);
    sqlite3_bind_int64(s, 2, point);
    if (environment) sqlite3_bind_int64(s, 3, environment);
    for (int i = 0; i < ABDB_FIELD_COUNT; i++) {
        const char *text = e->field[i] && *e->field[i] ? e->field[i] : NULL;

        if (!text && i == ABDB_FIELD_status) text = "ok";
        if (!text && i == ABDB_FIELD_verified) text = "unknown";
        if (!text && i == ABDB_FIELD_flags) text = "";
        if (text && abdb_fields[i].is_number)
            sqlite3_bind_int64(s, 4 + i, atoll(text));
        else
            abdb_bind_text(s, 4 + i, text);
    }
    TRY(abdb_writer_step(w, S_ENTRY, err));
    TRY(insert_results(w, e, id, err));
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

abdb_status abdb_writer_entry(void *self, const abdb_entry *entry, abdb_error *err)
{
    abdb_writer *w = self;
    abdb_entry *e = NULL;
    sqlite3_int64 point = 0, environment = 0, id;
    const char *fault = abdb_entry_fault(entry);
    abdb_status st = ABDB_OK;
    int found;

    if (fault) {
        abdb_reject reject = {.line = entry->line, .reason = fault, .raw = entry->locator};

        return abdb_writer_reject(self, &reject, err);
    }
    e = malloc(sizeof *e);
    if (!e) return ABDB_FAIL(err, ABDB_NOMEM, "an entry");
    *e = *entry;
    qsort(e->factor, e->factors, sizeof *e->factor, compare_factor);
    qsort(e->result, e->results, sizeof *e->result, compare_result);
    TRY(keep_point(w, e->factor, e->factors, &point, err));
    serialise(&w->text, e, point);
    if (w->text.failed) TRY(ABDB_FAIL(err, ABDB_NOMEM, "an entry's text"));
    id = abdb_digest63(abdb_text_get(&w->text), w->text.size);

    sqlite3_bind_int64(w->statement[S_ENTRY_FIND], 1, id);
    found = sqlite3_step(w->statement[S_ENTRY_FIND]) == SQLITE_ROW;
    sqlite3_reset(w->statement[S_ENTRY_FIND]);
    if (!found) {
        if (e->environment) {
            environment = abdb_digest63(e->environment, strlen(e->environment));
            sqlite3_bind_int64(w->statement[S_ENVIRONMENT], 1, environment);
            abdb_bind_text(w->statement[S_ENVIRONMENT], 2, e->environment);
            TRY(abdb_writer_step(w, S_ENVIRONMENT, err));
        }
        TRY(insert_entry(w, e, id, point, environment, err));
        w->row_new = w->unit_dirty = 1;
    } else {
        w->row_old = 1;
    }
    TRY(keep_pieces(w, e, id, err));
    for (size_t i = 0; i < e->results; i++)
        if (e->result[i].fact)
            TRY(abdb_writer_name(w, e->result[i].fact, "result", id, (sqlite3_int64)i, e->line,
                                 err));
    if (w->artifact) {
        sqlite3_bind_int64(w->statement[S_WITNESS], 1, id);
        sqlite3_bind_int64(w->statement[S_WITNESS], 2, w->artifact);
        abdb_bind_text(w->statement[S_WITNESS], 3, e->locator ? e->locator : "");
        TRY(abdb_writer_step(w, S_WITNESS, err));
    }
done:
    free(e);
    return st;
}
