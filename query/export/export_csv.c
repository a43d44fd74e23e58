/* export_csv.c - results as abdb's own CSV, which `abdb import` reads; see export_records.h.
 *
 * One row an entry: its fields, its factors, its first result, and the others as
 * also.METRIC:STATISTIC. Only used columns are written, so the entries are walked twice. Values
 * without a column (samples, ranks, series, unknown or inapplicable factors) are counted.
 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "query/answer/escape.h"
#include "query/answer/output.h"
#include "query/export/export_records.h"
#include "schema/core/array.h"
#include "schema/core/units.h"
#include "schema/store/scan.h"

/* Names of columns, each once; from the arena of the export. */
typedef struct {
    const char **name;
    size_t count, capacity;
} column_names;

typedef struct {
    FILE *out;
    int style; /* of cells */
    abdb_arena arena;
    bool field[ABDB_FIELD_COUNT];
    column_names factors, alsos;
    bool cells, facts, spreads, counts, origins;
    long left_out;
    abdb_text line;
} csv;

/* Adds a column of that name to a list that has none; the name is copied. */
static abdb_status add_column_once(csv *c, column_names *list, const char *name, abdb_error *err)
{
    const char **more;

    for (size_t i = 0; name && i < list->count; i++)
        if (strcmp(list->name[i], name) == 0) return ABDB_OK;
    more = abdb_array_reserve_one(list->name, list->count, &list->capacity, sizeof *more);
    if (more) list->name = more;
    if (more && name) more[list->count] = abdb_arena_copy(&c->arena, name, strlen(name));
    if (!more || !name || !more[list->count]) return ABDB_FAIL(err, ABDB_NOMEM, "columns");
    list->count++;
    return ABDB_OK;
}

static const char *extra_result_column_name(csv *c, const abdb_result *r)
{
    return strcmp(r->statistic, "value") == 0
               ? abdb_arena_printf(&c->arena, "also.%s", r->metric)
               : abdb_arena_printf(&c->arena, "also.%s:%s", r->metric, r->statistic);
}

/* First walk: notes which columns there are. */
static abdb_status note_used_columns(void *self, const abdb_entry *e, abdb_error *err)
{
    csv *c = self;
    abdb_status st = ABDB_OK;

    for (int i = 0; i < ABDB_FIELD_COUNT; i++) c->field[i] |= e->field[i] && *e->field[i];
    c->origins |= strcmp(e->field[ABDB_FIELD_evidence], "measured") == 0;
    for (size_t i = 0; i < e->factors; i++)
        if (e->factor[i].state == ABDB_KNOWN)
            TRY(add_column_once(c, &c->factors, e->factor[i].name, err));
    for (size_t i = 0; i < e->results; i++) {
        const abdb_result *r = &e->result[i];

        c->cells |= r->cell != NULL;
        c->facts |= r->fact != NULL;
        c->spreads |= r->spread != NULL;
        c->counts |= r->n > 0;
        if (i) TRY(add_column_once(c, &c->alsos, extra_result_column_name(c, r), err));
    }
done:
    return st;
}

static void append_comma_and_csv_cell(csv *c, const char *text)
{
    if (c->line.size) abdb_text_puts(&c->line, ",");
    if (text) abdb_append_csv_field_quoted_if_needed(&c->line, text, c->style);
}

static void append_csv_number_or_empty_cell(csv *c, double value)
{
    char text[32];

    if (isfinite(value)) abdb_format_shortest_double(value, text);
    append_comma_and_csv_cell(c, isfinite(value) ? text : NULL);
}

/* Does the published text with its unit read as the value? */
static bool published_text_equals_value(const abdb_result *r)
{
    const abdb_unit *unit = r->raw_unit ? abdb_unit_find(r->raw_unit) : NULL;
    double read;

    return unit && r->raw_value && abdb_double_parse(r->raw_value, ABDB_MARK_UNKNOWN, &read) &&
           abdb_unit_to_base_value(unit, read) == r->value;
}

/* A value as published where that gives the same value on import, else in the base unit. */
static void append_metric_value_unit_cells(csv *c, const abdb_result *r)
{
    const abdb_metric_info *metric = abdb_metric_find(r->metric);

    append_comma_and_csv_cell(c, r->metric);
    append_comma_and_csv_cell(c, r->statistic);
    if (published_text_equals_value(r)) {
        append_comma_and_csv_cell(c, r->raw_value);
        append_comma_and_csv_cell(c, r->raw_unit);
    } else {
        append_csv_number_or_empty_cell(c, r->value);
        append_comma_and_csv_cell(c, metric ? metric->unit : NULL);
    }
}

static const abdb_result *find_extra_result_by_column(csv *c, const abdb_entry *e, const char *name)
{
    for (size_t i = 1; i < e->results; i++) {
        const char *column = extra_result_column_name(c, &e->result[i]);

        if (column && strcmp(column, name) == 0) return &e->result[i];
    }
    return NULL;
}

/* Appends the value of a further result of the row, or an empty cell. */
static void append_extra_result_cell(csv *c, const abdb_result *r)
{
    char text[32];

    if (!r) {
        append_comma_and_csv_cell(c, NULL);
        return;
    }
    abdb_format_shortest_double(r->value, text);
    append_comma_and_csv_cell(c, text);
}

static const char *known_factor_text_or_null(const abdb_entry *e, const char *name)
{
    for (size_t i = 0; i < e->factors; i++)
        if (e->factor[i].state == ABDB_KNOWN && strcmp(e->factor[i].name, name) == 0)
            return e->factor[i].text;
    return NULL;
}

/* Counts the values of an entry without a column in the CSV: samples, telemetry, unknown factors
 * and the like. */
static void count_values_without_column(csv *c, const abdb_entry *e)
{
    for (size_t i = 0; i < e->factors; i++) c->left_out += e->factor[i].state != ABDB_KNOWN;
    for (size_t i = 0; i < e->results; i++)
        c->left_out += (long)e->result[i].samples + (e->result[i].rank != -1) +
                       (isfinite(e->result[i].x) != 0);
    c->left_out += e->environment != NULL;
    c->left_out += (long)(e->telemetries + e->spans + e->ranks) + (e->process.campaign != NULL);
}

/* Second walk: the rows. */
static abdb_status write_entry_csv_row_count_left_out(void *self, const abdb_entry *e,
                                                      abdb_error *err)
{
    csv *c = self;
    static const abdb_result none = {
        .x = NAN, .low = NAN, .high = NAN, .value = NAN, .metric = "", .statistic = ""};
    const abdb_result *first = e->results ? &e->result[0] : &none;
    char origin[17];

    abdb_text_clear(&c->line);
    for (int i = 0; i < ABDB_FIELD_COUNT; i++)
        if (c->field[i]) append_comma_and_csv_cell(c, e->field[i]);
    if (e->results) {
        append_metric_value_unit_cells(c, first);
    } else {
        for (int i = 0; i < 4; i++) append_comma_and_csv_cell(c, NULL);
    }
    if (c->counts) append_csv_number_or_empty_cell(c, first->n > 0 ? (double)first->n : NAN);
    if (c->spreads) append_comma_and_csv_cell(c, first->spread);
    if (c->cells) append_comma_and_csv_cell(c, first->cell);
    if (c->facts) append_comma_and_csv_cell(c, first->fact);
    if (c->origins) abdb_origin_to_text(e->origin, origin);
    if (c->origins) append_comma_and_csv_cell(c, origin);
    for (size_t i = 0; i < c->factors.count; i++)
        append_comma_and_csv_cell(c, known_factor_text_or_null(e, c->factors.name[i]));
    for (size_t i = 0; i < c->alsos.count; i++)
        append_extra_result_cell(c, find_extra_result_by_column(c, e, c->alsos.name[i]));
    count_values_without_column(c, e);
    abdb_text_puts(&c->line, "\n");
    if (c->line.failed) return ABDB_FAIL(err, ABDB_NOMEM, "a row");
    if (!abdb_write_sanitized_if_terminal(c->out, abdb_text_get(&c->line), c->line.size))
        return ABDB_FAIL(err, ABDB_IO, "cannot write: the disk is full, or the pipe was closed");
    return ABDB_OK;
}

/* Writes the names of the columns that some entry fills. */
static void write_csv_header(csv *c)
{
    static const char *const always[] = {"metric", "statistic", "value", "unit"};
    abdb_text name = {0};

    for (int i = 0; i < ABDB_FIELD_COUNT; i++)
        if (c->field[i]) append_comma_and_csv_cell(c, abdb_fields[i].name);
    for (int i = 0; i < 4; i++) append_comma_and_csv_cell(c, always[i]);
    if (c->counts) append_comma_and_csv_cell(c, "n");
    if (c->spreads) append_comma_and_csv_cell(c, "spread");
    if (c->cells) append_comma_and_csv_cell(c, "locator");
    if (c->facts) append_comma_and_csv_cell(c, "fact");
    if (c->origins) append_comma_and_csv_cell(c, "origin");
    for (size_t i = 0; i < c->factors.count; i++) {
        abdb_text_clear(&name);
        abdb_text_printf(&name, "factor.%s", c->factors.name[i]);
        append_comma_and_csv_cell(c, abdb_text_get(&name));
    }
    for (size_t i = 0; i < c->alsos.count; i++) append_comma_and_csv_cell(c, c->alsos.name[i]);
    abdb_text_puts(&c->line, "\n");
    abdb_write_sanitized_if_terminal(c->out, abdb_text_get(&c->line), c->line.size);
    abdb_text_free(&name);
}

static abdb_status ignore_fact(void *self, const abdb_fact *fact, abdb_error *err)
{
    (void)self, (void)fact, (void)err;
    return ABDB_OK;
}

static abdb_status ignore_reject(void *self, const abdb_reject *reject, abdb_error *err)
{
    (void)self, (void)reject, (void)err;
    return ABDB_OK;
}

static abdb_status ignore_row_end(void *self, abdb_error *err)
{
    (void)self, (void)err;
    return ABDB_OK;
}

abdb_status abdb_export_csv(abdb_db *db, const char *entries, abdb_redaction *redaction, FILE *out,
                            long *left_out, abdb_error *err)
{
    csv *c = calloc(1, sizeof *c);
    const abdb_sink first = {c, note_used_columns, ignore_fact, ignore_reject, ignore_row_end},
                    second = {c, write_entry_csv_row_count_left_out, ignore_fact, ignore_reject,
                              ignore_row_end};
    abdb_status st = ABDB_OK;

    if (!c) return ABDB_FAIL(err, ABDB_NOMEM, "an export");
    c->out = out;
    c->style = abdb_stream_is_terminal_or_paged(out) ? ABDB_CSV_PLAIN : 0;
    if (!entries) entries = "SELECT entry_id FROM entry";
    TRY(abdb_export_records_to_sink(db, entries, redaction, &first, err));
    if (c->factors.count)
        abdb_array_sort(c->factors.name, c->factors.count, sizeof *c->factors.name,
                        abdb_compare_text_pointers);
    if (c->alsos.count)
        abdb_array_sort(c->alsos.name, c->alsos.count, sizeof *c->alsos.name,
                        abdb_compare_text_pointers);
    write_csv_header(c);
    TRY(abdb_export_records_to_sink(db, entries, redaction, &second, err));
    if (fflush(out) != 0)
        st = ABDB_FAIL(err, ABDB_IO, "cannot write the whole of it: %s", strerror(errno));
    *left_out = c->left_out;
done:
    abdb_text_free(&c->line);
    free(c->factors.name);
    free(c->alsos.name);
    abdb_arena_free(&c->arena);
    free(c);
    return st;
}
