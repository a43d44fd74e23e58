/* results_csv_row.c - rows of abdb's own results files, called by import_abdb_csv.c for each row;
 * see results_csv_row.h. The columns are found once (abdb_results_open_for_header), since these
 * files have millions of rows. */
#include "ingest/tables/results_csv_row.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "schema/core/units.h"

const char abdb_results_columns[] =
    "metric|statistic|rank|x|value|unit|n|low|high|spread|formula|locator|fact|origin";

enum {
    /* Index into names and abdb_results.at. */
    METRIC,
    STATISTIC,
    X,
    VALUE,
    UNIT,
    N,
    LOW,
    HIGH,
    SPREAD,
    FORMULA,
    LOCATOR,
    FACT,
    ORIGIN,
    NAMES
};
static const char *const names[NAMES] = {"metric",  "statistic", "x",     "value",  "unit",
                                         "n",       "low",       "high",  "spread", "formula",
                                         "locator", "fact",      "origin"};

struct abdb_results {
    const abdb_csv_header *header;
    const abdb_overrides *words;
    const abdb_sink *sink;
    int at[NAMES];                  /* where each of names is, -1: nowhere */
    int field[ABDB_CSV_COLUMN_MAX]; /* of each column, -1: none */
    bool factor[ABDB_CSV_COLUMN_MAX];
    bool others;                     /* there are columns also.METRIC */
    char *also[ABDB_CSV_COLUMN_MAX]; /* the metric of each such column, or NULL */
    abdb_arena arena;
    abdb_entry entry;
};

abdb_status abdb_results_open_for_header(abdb_results **out, const abdb_csv_header *header,
                                         const abdb_overrides *overrides, const abdb_sink *sink,
                                         abdb_error *err)
{
    abdb_results *s = calloc(1, sizeof *s);

    *out = s;
    if (!s) return ABDB_FAIL(err, ABDB_NOMEM, "results");
    s->header = header;
    s->words = overrides;
    s->sink = sink;
    for (int i = 0; i < NAMES; i++) s->at[i] = abdb_csv_find_column_of_any_name(header, names[i]);
    for (size_t i = 0; i < header->count; i++) {
        s->field[i] = abdb_field_index_by_name(header->name[i]);
        s->factor[i] = strncmp(header->name[i], "factor.", 7) == 0;
        if (strncmp(header->name[i], "also.", 5) != 0) continue;
        s->others = true;
        s->also[i] =
            abdb_arena_copy(&s->arena, header->name[i] + 5, strcspn(header->name[i] + 5, ":"));
        if (!s->also[i]) return ABDB_FAIL(err, ABDB_NOMEM, "results");
    }
    return ABDB_OK;
}

void abdb_results_close(abdb_results *results)
{
    if (results) abdb_arena_free(&results->arena);
    free(results);
}

/* A cell, or what the user said for all rows; NULL: neither. */
static const char *cell_or_override_of_column(const abdb_results *s, const abdb_csv_row *row,
                                              int name)
{
    const char *cell = abdb_csv_cell_or_null(row, s->at[name]);

    return cell || !s->words || !s->words->count
               ? cell
               : abdb_overrides_get_value_or_null(s->words, names[name]);
}

bool abdb_parse_value_in_base_unit_or_explain(const char *text, abdb_decimal_mark mark,
                                              const char *unit_text, double *out, const char **base,
                                              const char **field, char *reason, size_t room)
{
    const abdb_unit *unit = unit_text ? abdb_unit_find(unit_text) : NULL;

    *field = "value";
    if (!text || !abdb_double_parse(text, mark, out)) {
        abdb_number_write_why_not_a_number("value", text ? text : "", mark, reason, room);
        return false;
    }
    *field = "unit";
    if (!unit) {
        snprintf(reason, room, "unknown unit '%.60s'; write 1 for none",
                 unit_text ? unit_text : "");
        return false;
    }
    *field = NULL;
    *out = abdb_unit_to_base_value(unit, *out);
    *base = unit->base;
    return true;
}

static abdb_decimal_mark decimal_mark_of_results_column(const abdb_results *s, int name)
{
    return abdb_csv_decimal_mark_of_column(s->header, s->at[name]);
}

/* A number that may be missing: NAN. False, with field and reason: the text is no number. */
static bool parse_number_or_nan_of_row_or_explain(const abdb_results *s, const abdb_csv_row *row,
                                                  int name, double *out, const char **field,
                                                  char *reason, size_t room)
{
    const char *text = cell_or_override_of_column(s, row, name);

    *out = NAN;
    if (!text || abdb_double_parse(text, decimal_mark_of_results_column(s, name), out)) return true;
    *field = names[name];
    abdb_number_write_why_not_a_number(names[name], text, decimal_mark_of_results_column(s, name),
                                       reason, room);
    return false;
}

/* The samples behind a value, 0 if nothing is stated. False, with field and reason: no count. */
static bool parse_sample_count_or_explain(const abdb_results *s, const abdb_csv_row *row,
                                          long long *out, const char **field, char *reason,
                                          size_t room)
{
    const char *text = cell_or_override_of_column(s, row, N);

    if (!text ||
        abdb_integer_parse_in_range(text, decimal_mark_of_results_column(s, N), 0, 1LL << 53, out))
        return true;
    *field = names[N];
    snprintf(reason, room, "n is '%.60s', not a whole number", text);
    return false;
}

/* The value of a row; false when it is none. */
static bool add_result_of_row_or_explain(const abdb_results *s, const abdb_csv_row *row,
                                         abdb_entry *entry, const char **field, char *reason,
                                         size_t room)
{
    const char *metric = cell_or_override_of_column(s, row, METRIC),
               *text = cell_or_override_of_column(s, row, VALUE);
    const char *unit_text = cell_or_override_of_column(s, row, UNIT),
               *statistic = cell_or_override_of_column(s, row, STATISTIC), *base;
    const abdb_metric_info *info = metric ? abdb_metric_find(metric) : NULL;
    const abdb_unit *unit;
    abdb_result *result;
    char units[120];
    double value;

    *field = "metric";
    if (!info) {
        snprintf(reason, room,
                 "unknown metric '%.60s'; `abdb query 'SELECT * FROM metric'` lists them",
                 metric ? metric : "");
        return false;
    }
    if (!abdb_parse_value_in_base_unit_or_explain(text, decimal_mark_of_results_column(s, VALUE),
                                                  unit_text, &value, &base, field, reason, room)) {
        if (strcmp(*field, "unit") == 0)
            snprintf(reason, room, "unknown unit '%.60s': %s is in %s", unit_text ? unit_text : "",
                     info->name, abdb_write_first_units_of_base(info->unit, units, sizeof units));
        return false;
    }
    *field = "unit";
    /* The metric's unit and the row's need only share their base: ms for a metric in s is
     * converted, bytes are an error. */
    unit = abdb_unit_find(info->unit);
    if (!unit || strcmp(unit->base, base) != 0) {
        snprintf(reason, room, "%s is in %s, not in '%.40s'", info->name, info->unit, unit_text);
        return false;
    }
    result = abdb_entry_add_result_or_count_left_out(entry, metric, value);
    result->raw_value = text;
    result->raw_unit = unit_text;
    result->fact = cell_or_override_of_column(s, row, FACT);
    if (statistic) result->statistic = statistic;
    if (!parse_number_or_nan_of_row_or_explain(s, row, LOW, &result->low, field, reason, room) ||
        !parse_number_or_nan_of_row_or_explain(s, row, HIGH, &result->high, field, reason, room) ||
        !parse_sample_count_or_explain(s, row, &result->n, field, reason, room) ||
        !parse_number_or_nan_of_row_or_explain(s, row, X, &result->x, field, reason, room))
        return false;
    unit = abdb_unit_find(unit_text);
    result->low = abdb_unit_to_base_value(unit, result->low);
    result->high = abdb_unit_to_base_value(unit, result->high);
    result->spread = cell_or_override_of_column(s, row, SPREAD);
    result->formula = cell_or_override_of_column(s, row, FORMULA);
    *field = NULL;
    return true;
}

/* Other metrics of the same run; false when one is none. */
static bool add_also_metric_results_or_explain(const abdb_results *s, const abdb_csv_row *row,
                                               abdb_entry *entry, const char **field, char *reason,
                                               size_t room)
{
    for (size_t i = 0; i < s->header->count; i++) {
        const char *name = s->header->name[i], *cell = abdb_csv_cell_or_null(row, (int)i), *colon;
        const abdb_metric_info *info;
        const abdb_unit *unit;
        abdb_result *result;
        char number[64];
        double value;
        const char *metric = s->also[i];

        if (!metric || !cell) continue;
        *field = name;
        colon = strchr(name, ':');
        info = abdb_metric_find(metric);
        /* "41 ms" is a number and a unit; a number alone is in the metric's base unit. */
        snprintf(number, sizeof number, "%.*s", (int)strcspn(cell, " "), cell);
        unit = strchr(cell, ' ') ? abdb_unit_find(strchr(cell, ' ') + 1)
               : info            ? abdb_unit_find(info->unit)
                                 : NULL;
        if (!info || !unit || strcmp(unit->base, info->unit) != 0 ||
            !abdb_double_parse(number, abdb_csv_decimal_mark_of_column(s->header, (int)i),
                               &value)) {
            if (abdb_number_fails_but_parses_with_other_mark(
                    number, abdb_csv_decimal_mark_of_column(s->header, (int)i)))
                abdb_number_write_why_not_a_number(
                    NULL, number, abdb_csv_decimal_mark_of_column(s->header, (int)i), reason, room);
            else
                snprintf(reason, room, "'%.60s' is no %.60s: a number, a blank and a unit of %s",
                         cell, metric, info ? info->unit : "a metric");
            return false;
        }
        result = abdb_entry_add_result_or_count_left_out(entry, metric,
                                                         abdb_unit_to_base_value(unit, value));
        if (!result) {
            snprintf(reason, room, "more than %d metrics", ABDB_RESULT_MAX);
            return false;
        }
        result->raw_value = cell;
        if (colon) result->statistic = colon + 1;
    }
    *field = NULL;
    return true;
}

/* Makes an entry of a row of results and sends it to the sink. Where the row is refused, *field is
 * the column at fault and `reason` says why. */
static abdb_status send_entry_of_row_or_explain(abdb_results *s, const abdb_csv_row *row,
                                                const char **field, char *reason, size_t room,
                                                abdb_error *err)
{
    abdb_entry *entry = &s->entry;
    const char *locator = cell_or_override_of_column(s, row, LOCATOR),
               *origin = cell_or_override_of_column(s, row, ORIGIN), *status, *date;
    char line[32] = "line ";

    abdb_entry_reset(entry);
    abdb_format_integer(row->line, line + 5);
    entry->line = row->line;
    entry->locator = locator ? locator : line;
    if (origin && !abdb_origin_parse(origin, &entry->origin)) {
        *field = names[ORIGIN];
        snprintf(reason, room, "'%.40s' is neither none nor 16 hexadecimal digits", origin);
        return ABDB_OK;
    }
    for (size_t i = 0; i < s->header->count; i++) {
        const char *cell = abdb_csv_cell_or_null(row, (int)i);

        if (s->field[i] >= 0) {
            entry->field[s->field[i]] = cell;
            if (cell && abdb_fields[s->field[i]].is_number)
                abdb_entry_normalize_count_field(
                    entry, s->field[i], abdb_csv_decimal_mark_of_column(s->header, (int)i));
        } else if (s->factor[i]) {
            abdb_entry_add_factor_normalizing_number(
                entry, s->header->name[i] + 7, cell,
                abdb_csv_decimal_mark_of_column(s->header, (int)i), &s->arena);
        }
    }
    if (!entry->field[ABDB_FIELD_kind]) entry->field[ABDB_FIELD_kind] = "statement";
    status = entry->field[ABDB_FIELD_status];
    if ((!status || strcmp(status, "ok") == 0 || cell_or_override_of_column(s, row, METRIC)) &&
        (!add_result_of_row_or_explain(s, row, entry, field, reason, room) ||
         (s->others && !add_also_metric_results_or_explain(s, row, entry, field, reason, room))))
        return ABDB_OK;
    if (locator && entry->results) { /* where it is published, and where this file says so */
        entry->result[0].cell = locator;
        entry->locator = line;
    }
    abdb_entry_apply_overrides_and_check(entry, s->words);
    *field = abdb_entry_normalize_dates_find_bad(entry, &date);
    if (*field) {
        abdb_date_error_text(*field, date, reason, room);
        return ABDB_OK;
    }
    return s->sink->entry(s->sink->self, entry, err);
}

/* Values of the row that became no results, as it was refused before. */
static long count_values_not_read_before_refusal(const abdb_results *s, const abdb_csv_row *row)
{
    long values = abdb_has_digit(cell_or_override_of_column(s, row, VALUE));

    for (size_t i = 0; s->others && i < s->header->count; i++)
        values += s->also[i] && abdb_has_digit(abdb_csv_cell_or_null(row, (int)i));
    return values - (long)(s->entry.results + s->entry.values_left_out);
}

abdb_status abdb_results_import_row_or_explain(abdb_results *s, const abdb_csv_row *row,
                                               const char **field, char *reason, size_t room,
                                               abdb_error *err)
{
    abdb_status st = send_entry_of_row_or_explain(s, row, field, reason, room, err);

    if (st == ABDB_OK && *field)
        abdb_add_thread_values_read(count_values_not_read_before_refusal(s, row));
    return st;
}
