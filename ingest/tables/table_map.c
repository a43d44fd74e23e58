/* table_map.c - map files applied to the rows of a table: fields and factors first, then an entry
 * or a fact for each line that names a metric, specification or price. table_map_parse.c parses
 * them; the form is in table_map.h. */
#include "ingest/tables/table_map.h"

#include <fnmatch.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "ingest/tables/price_check.h"
#include "ingest/tables/table_map_internal.h"
#include "ingest/tables/work_formula.h"
#include "schema/core/units.h"

enum { REASON = 200 };

static const char *const default_missing[] = {"", "-", "N/A", "n/a", "null", "None"};

/* The cell of a column, NULL: none, or one that means none. */
static const char *cell_or_null_if_missing(const table_map *map, const abdb_flat_record *record,
                                           const char *column)
{
    const char *text = NULL;

    for (size_t i = 0; i < record->items && !text; i++)
        if (map_column_names_equal(record->item[i].name, column)) text = record->item[i].text;
    for (size_t i = 0; text && i < sizeof default_missing / sizeof default_missing[0]; i++)
        if (strcmp(text, default_missing[i]) == 0) return NULL;
    for (size_t i = 0; text && i < map->missing_count; i++)
        if (strcmp(text, map->missing[i]) == 0) return NULL;
    return text;
}

/* What an ambiguous cell means by other columns of its row: the first decision that holds. */
static const char *decide_ambiguous_cell(const table_map *map, const char *field, const char *text,
                                         const abdb_flat_record *record)
{
    for (size_t i = 0; i < map->count; i++) {
        const map_line *d = &map->line[i];
        bool holds = d->verb == MAP_DECIDE && strcmp(d->name, field) == 0 &&
                     fnmatch(d->constant, text, FNM_CASEFOLD) == 0;

        for (size_t k = 0; holds && k + 1 < d->words; k += 2) {
            const char *cell = cell_or_null_if_missing(map, record, d->word[k]);

            holds = cell && fnmatch(d->word[k + 1], cell, FNM_CASEFOLD) == 0;
        }
        if (holds) return d->column;
    }
    return text;
}

/* What a line says for this row: a constant, or a cell in other words. */
static const char *value_of_map_line(const table_map *map, const map_line *line,
                                     const abdb_flat_record *record)
{
    const char *text =
        line->constant ? line->constant : cell_or_null_if_missing(map, record, line->column);

    for (size_t i = 0; text && i + 1 < line->words; i += 2)
        if (strcasecmp(text, line->word[i]) == 0) return line->word[i + 1];
    return text && !line->constant ? decide_ambiguous_cell(map, line->name, text, record) : text;
}

const char *table_map_json_member_or_null(const table_map *map)
{
    return map->member;
}

/* --- one row ---------------------------------------------------------------------------------- */

typedef struct {
    const table_map *map;
    const abdb_flat_record *record;
    const abdb_overrides *words;
    const abdb_sink *sink;
    abdb_arena arena;
    abdb_error *err;
    bool made; /* something was handed over */
} row_state;

static abdb_status reject_mapped_row(row_state *r, const char *column, const char *reason)
{
    abdb_reject bad = {
        .line = r->record->line, .field = column, .reason = reason, .raw = r->record->raw};

    return r->sink->reject(r->sink->self, &bad, r->err);
}

/* The decimal mark of a line's column. What the map itself writes is plain. */
static abdb_decimal_mark column_decimal_mark(const row_state *r, const map_line *line)
{
    for (size_t i = 0; line->column && i < r->record->items; i++)
        if (map_column_names_equal(r->record->item[i].name, line->column))
            return r->record->item[i].mark;
    return ABDB_MARK_UNKNOWN;
}

/* Behind blanks, no-break ones included ("12,5 %" of a French sheet). */
static const char *skip_blanks(const char *text)
{
    static const char *const blanks[] = {" ", "\t", "\xC2\xA0", "\xE2\x80\xAF", "\xE2\x80\x89"};

    for (size_t i = 0; i < sizeof blanks / sizeof blanks[0]; i++)
        if (strncmp(text, blanks[i], strlen(blanks[i])) == 0)
            return skip_blanks(text + strlen(blanks[i]));
    return text;
}

/* A cell as a number in a base unit. False: reason says why. */
static bool parse_cell_to_base_unit(row_state *r, const map_line *line, const char *text,
                                    double *out, const char **raw_unit, const char **base,
                                    char *reason)
{
    /* "12.5 GB/s" where the cell carries its unit: the number is what consists of digits, without
     * an "e" at its end, which is a letter of the unit. */
    size_t digits = abdb_number_chars_prefix_length(text);
    const char *unit_text = line->unit, *number = text;
    const abdb_unit *unit;

    if (*number == '$' && (line->verb == MAP_PRICE || (unit_text && strstr(unit_text, "USD"))))
        number++;
    if (unit_text && strcmp(unit_text, "cell") == 0) {
        while (digits && (text[digits - 1] == 'e' || text[digits - 1] == 'E')) digits--;
        unit_text =
            abdb_trim_in_place(abdb_arena_printf(&r->arena, "%s", skip_blanks(text + digits)));
        number = abdb_trim_in_place(abdb_arena_printf(&r->arena, "%.*s", (int)digits, text));
    } else if (unit_text && strcmp(unit_text, "%") == 0 &&
               strcmp(skip_blanks(text + digits), "%") == 0) {
        number = abdb_arena_printf(&r->arena, "%.*s", (int)digits, text);
    }
    unit = abdb_unit_find(unit_text ? unit_text : "1");
    if (!number || !abdb_double_parse(number, column_decimal_mark(r, line), out)) {
        abdb_number_write_why_not_a_number(NULL, number && *number ? number : text,
                                           column_decimal_mark(r, line), reason, REASON);
        return false;
    }
    if (!unit) {
        snprintf(reason, REASON, "unknown unit '%.60s'", unit_text);
        return false;
    }
    *raw_unit = unit_text;
    *base = unit->base;
    *out = abdb_unit_to_base_value(unit, *out);
    return true;
}

static const char *find_option_of_line(const map_line *line, const char *name)
{
    for (size_t i = 0; i + 1 < line->options; i += 2)
        if (strcmp(line->option[i], name) == 0) return line->option[i + 1];
    return NULL;
}

static void set_entry_field_rewriting_count(abdb_entry *entry, int field, const char *text,
                                            abdb_decimal_mark mark)
{
    entry->field[field] = text;
    if (abdb_fields[field].is_number) abdb_entry_normalize_count_field(entry, field, mark);
}

/* The fields and factors that all entries of the row share. */
static void init_entry_from_map(row_state *r, abdb_entry *entry)
{
    *entry = (abdb_entry){.line = r->record->line, .locator = r->record->locator};
    entry->field[ABDB_FIELD_kind] = "statement";
    entry->field[ABDB_FIELD_evidence] = "published";
    entry->field[ABDB_FIELD_source] = r->map->name;
    for (size_t i = 0; i < r->map->count; i++) {
        const map_line *line = &r->map->line[i];
        const char *text;

        if (line->verb != MAP_FIELD && line->verb != MAP_FACTOR) continue;
        text = value_of_map_line(r->map, line, r->record);
        if (line->verb == MAP_FACTOR)
            abdb_entry_add_factor_normalizing_number(entry, line->name, text,
                                                     column_decimal_mark(r, line), &r->arena);
        else if (text && abdb_field_index_by_name(line->name) >= 0)
            set_entry_field_rewriting_count(entry, abdb_field_index_by_name(line->name), text,
                                            column_decimal_mark(r, line));
    }
    for (size_t i = 0; i < r->record->items; i++) {
        const char *name = r->record->item[i].name;

        if (strcmp(name, "(title)") != 0 && table_map_column_is_unmentioned(r->map, name) &&
            !map_column_names_equal(r->record->item[i].text ? r->record->item[i].text : "", name))
            abdb_entry_add_renamed_extra_factor_unless_ignored(
                entry, name, cell_or_null_if_missing(r->map, r->record, name),
                r->record->item[i].mark, NULL, &r->arena);
    }
    entry->factors_left_out += r->record->lost;
}

bool table_map_has_metrics(const table_map *map)
{
    for (size_t i = 0; i < map->count; i++)
        if (map->line[i].verb == MAP_METRIC) return true;
    return false;
}

static bool has_factor_prefix(const char *name)
{
    return strncmp(name, "factor.", 7) == 0;
}

/* Has the line fields or factors of its own? */
static bool line_has_own_fields(const map_line *line)
{
    for (size_t i = 0; i + 1 < line->options; i += 2)
        if (abdb_field_index_by_name(line->option[i]) >= 0 || has_factor_prefix(line->option[i]))
            return true;
    return false;
}

/* Is a column of a rate headed as one of a single device ("tokens/s per GPU")? */
static bool heading_is_per_device(const char *heading)
{
    static const char *const words[] = {"per gpu",  "/gpu",  "per device",      "/device",
                                        "per chip", "/chip", "per accelerator", "/accelerator",
                                        "per card", "/card", "per_gpu",         "per_device",
                                        "per_chip"};

    for (size_t i = 0; heading && i < sizeof words / sizeof words[0]; i++)
        if (strcasestr(heading, words[i])) return true;
    return false;
}

/* A rate of one device in a row of several: it would be divided once more. */
static void mark_per_device_rate_of_several(row_state *r, abdb_entry *entry)
{
    long long devices = 0;

    if (!abdb_entry_parse_positive_count(entry, ABDB_FIELD_devices, &devices) || devices < 2)
        return;
    for (size_t i = 0; i < r->map->count; i++) {
        const map_line *line = &r->map->line[i];

        if (line->verb == MAP_METRIC && heading_is_per_device(line->column))
            abdb_entry_add_mark_and_problem(
                entry, "contradiction",
                "'%.60s' is of one device, and the row has %lld; the map may say `set devices 1`",
                line->column, devices);
    }
}

static abdb_status check_and_pass_mapped_entry(row_state *r, abdb_entry *entry)
{
    r->made = true;
    if (entry->field[ABDB_FIELD_devices]) mark_per_device_rate_of_several(r, entry);
    abdb_entry_apply_overrides_and_check(entry, r->words);
    return r->sink->entry(r->sink->self, entry, r->err);
}

/* Adds the metric of a line; nothing where its cell is missing. */
static abdb_status add_result_of_line_or_reject(row_state *r, const map_line *line,
                                                abdb_entry *entry)
{
    const char *text = value_of_map_line(r->map, line, r->record), *raw_unit = NULL, *base = NULL;
    const abdb_metric_info *info = abdb_metric_find(line->name);
    char reason[REASON];
    abdb_result *result;
    double value = NAN;

    /* Tables repeat their heading in the middle: a cell that is its own heading holds nothing. */
    if (!text || (line->column && map_column_names_equal(text, line->column))) return ABDB_OK;
    if (!parse_cell_to_base_unit(r, line, text, &value, &raw_unit, &base, reason)) {
        abdb_add_thread_values_read(abdb_has_digit(text));
        return reject_mapped_row(r, line->column, reason);
    }
    if (strcmp(base, info->unit) != 0) {
        abdb_add_thread_values_read(1);
        snprintf(reason, REASON, "%s is in %s, not in '%.40s'", info->name, info->unit, raw_unit);
        return reject_mapped_row(r, line->column, reason);
    }
    if (entry->results == ABDB_RESULT_MAX) {
        abdb_add_thread_values_read(1);
        return reject_mapped_row(r, line->column, "too many metrics");
    }
    result = abdb_entry_add_result_or_count_left_out(entry, line->name, value);
    result->raw_value = text;
    result->raw_unit = raw_unit;
    if (find_option_of_line(line, "statistic"))
        result->statistic = find_option_of_line(line, "statistic");
    if (line->column)
        result->cell =
            abdb_arena_printf(&r->arena, "%s column %s", r->record->locator, line->column);
    return ABDB_OK;
}

/* Metrics with fields of their own: an entry each. */
static abdb_status import_metric_as_own_entry(row_state *r, const map_line *line, abdb_entry *entry)
{
    abdb_status st = ABDB_OK;

    init_entry_from_map(r, entry);
    for (size_t i = 0; i + 1 < line->options; i += 2)
        if (abdb_field_index_by_name(line->option[i]) >= 0)
            entry->field[abdb_field_index_by_name(line->option[i])] = line->option[i + 1];
        else if (has_factor_prefix(line->option[i]))
            abdb_entry_add_factor_parsing_number(entry, line->option[i] + 7, line->option[i + 1]);
    TRY(add_result_of_line_or_reject(r, line, entry));
    if (entry->results) TRY(check_and_pass_mapped_entry(r, entry));
done:
    return st;
}

/* Makes the entries of a row: one of all metrics that share its fields, and one of each metric with
 * fields of its own. */
static abdb_status import_results_of_row(row_state *r)
{
    /* Two: entry[0] gathers the row's metrics, entry[1] is for a metric with fields of its own
     * (import_metric_as_own_entry). */
    abdb_entry *entry = calloc(2, sizeof *entry);
    abdb_status st = ABDB_OK;

    if (!entry) return ABDB_FAIL(r->err, ABDB_NOMEM, "an entry");
    init_entry_from_map(r, entry);
    for (size_t i = 0; i < r->map->count; i++) {
        const map_line *line = &r->map->line[i];

        if (line->verb == MAP_DERIVE)
            abdb_entry_add_rate_from_time_by_formula(entry, line->name, line->constant);
        if (line->verb != MAP_METRIC) continue;
        if (line_has_own_fields(line))
            TRY(import_metric_as_own_entry(r, line, &entry[1]));
        else
            TRY(add_result_of_line_or_reject(r, line, entry));
    }
    if (entry->results) TRY(check_and_pass_mapped_entry(r, entry));
done:
    free(entry);
    return st;
}

/* Sets a column; a later call of the same name overwrites, which is how a line's own columns win
 * over the map's. */
static void set_fact_column(abdb_fact *fact, const char *name, const char *text)
{
    for (size_t i = 0; i < fact->columns; i++)
        if (strcmp(fact->column[i].name, name) == 0) {
            fact->column[i].text = text;
            return;
        }
    if (!text || fact->columns == ABDB_FACT_MAX) return;
    fact->column[fact->columns].name = name;
    fact->column[fact->columns].num = NAN;
    fact->column[fact->columns++].text = text;
}

/* Is there text for a column that the table wants? */
static bool fact_has_text(const abdb_fact *fact, const char *name)
{
    for (size_t i = 0; i < fact->columns; i++)
        if (strcmp(fact->column[i].name, name) == 0) return fact->column[i].text != NULL;
    return false;
}

/* Has the table such a column, so that --set can fill it? */
static bool is_spec_or_price_column(const char *table, const char *name)
{
    /* Blanks around every word, so that a whole one is found. */
    const char *names = strcmp(table, "price") == 0
                            ? " provider instance device devices kind region currency per"
                              " valid_from source "
                            : " device dtype engine sparsity basis note source date ";
    char word[64];

    snprintf(word, sizeof word, " %.60s ", name);
    return strstr(names, word) != NULL;
}

/* Is it a field that only results have? A map of both says it once. */
static bool is_results_only_field(const abdb_fact *fact, const char *name)
{
    return abdb_field_index_by_name(name) >= 0 && !is_spec_or_price_column(fact->table, name);
}

/* What the map sets for every fact of the row, then the line's own columns, then --set. */
static void set_fact_columns_of_row(row_state *r, const map_line *line, abdb_fact *fact)
{
    set_fact_column(fact, "source", r->map->name);
    for (size_t i = 0; i < r->map->count; i++)
        if (r->map->line[i].verb == MAP_FIELD && !is_results_only_field(fact, r->map->line[i].name))
            set_fact_column(fact, r->map->line[i].name,
                            value_of_map_line(r->map, &r->map->line[i], r->record));
    for (size_t i = 0; i + 1 < line->options; i += 2)
        set_fact_column(fact, line->option[i], line->option[i + 1]);
    for (size_t i = 0; r->words && i < r->words->count; i++)
        if (is_spec_or_price_column(fact->table, r->words->word[i].name) &&
            !fact_has_text(fact, r->words->word[i].name))
            set_fact_column(fact, r->words->word[i].name, r->words->word[i].value);
    set_fact_column(fact, "locator",
                    line->column ? abdb_arena_printf(&r->arena, "%s column %s", r->record->locator,
                                                     line->column)
                                 : r->record->locator);
}

/* Rewrites the devices of a price as a number. False: they are no count. */
static bool convert_devices_to_number(const row_state *r, abdb_fact *fact)
{
    abdb_decimal_mark mark = ABDB_MARK_UNKNOWN;

    for (size_t i = 0; i < r->map->count; i++)
        if (r->map->line[i].verb == MAP_FIELD && strcmp(r->map->line[i].name, "devices") == 0)
            mark = column_decimal_mark(r, &r->map->line[i]);
    for (size_t i = 0; i < fact->columns; i++)
        if (strcmp(fact->column[i].name, "devices") == 0) {
            long long count;

            if (!abdb_integer_parse_in_range(fact->column[i].text, mark, 1, 100000000, &count))
                return false;
            fact->column[i].text = NULL;
            fact->column[i].num = (double)count;
        }
    return true;
}

/* Has the catalog a column of instances? */
static bool map_has_instance_column(const table_map *map)
{
    for (size_t i = 0; i < map->count; i++)
        if (map->line[i].verb == MAP_FIELD && map->line[i].column &&
            strcmp(map->line[i].name, "instance") == 0)
            return true;
    return false;
}

/* A specification or a price out of one cell of a table: the line of the map says which quantity
 * it is, the row gives the rest. A cell that holds nothing, or its own heading again, is passed
 * over. */
static abdb_status import_or_reject_spec_or_price(row_state *r, const map_line *line)
{
    static const char *const price_wants[] = {"provider", "device", "currency", "per", "devices"};
    const char *text = value_of_map_line(r->map, line, r->record), *raw_unit = NULL, *base = NULL;
    bool price = line->verb == MAP_PRICE;
    abdb_fact fact = {
        .table = price ? "price" : "spec", .line = r->record->line, .locator = r->record->locator};
    const char *column;
    char reason[REASON];
    double value;

    if (!text || map_column_names_equal(text, line->column ? line->column : "")) return ABDB_OK;
    if (!parse_cell_to_base_unit(r, line, text, &value, &raw_unit, &base, reason))
        return reject_mapped_row(r, line->column, reason);
    set_fact_columns_of_row(r, line, &fact);
    for (size_t i = 0; i < (price ? 5 : 0); i++)
        if (!fact_has_text(&fact, price_wants[i])) {
            snprintf(reason, REASON, "no %s: add --set %s=...", price_wants[i], price_wants[i]);
            return reject_mapped_row(r, line->column, reason);
        }
    if (!fact_has_text(&fact, "device"))
        return reject_mapped_row(r, line->column, "no device: add --set device=...");
    if (price && !convert_devices_to_number(r, &fact))
        return reject_mapped_row(r, "devices", "not a whole number of at least 1");
    if (price &&
        !price_devices_match_instance_name(&fact, map_has_instance_column(r->map), reason, REASON))
        return reject_mapped_row(r, "instance", reason);
    set_fact_column(&fact, "raw_value", text);
    if (!price) {
        set_fact_column(&fact, "quantity", line->name);
        set_fact_column(&fact, "unit", base);
        set_fact_column(&fact, "raw_unit", raw_unit);
    }
    if (fact.columns < ABDB_FACT_MAX) {
        fact.column[fact.columns].name = price ? "amount" : "value";
        fact.column[fact.columns].text = NULL;
        fact.column[fact.columns++].num = value;
    }
    column = abdb_fact_normalize_dates_find_bad(&fact, &text);
    if (column) {
        abdb_date_error_text(column, text, reason, REASON);
        return reject_mapped_row(r, column, reason);
    }
    r->made = true;
    return r->sink->fact(r->sink->self, &fact, r->err);
}

abdb_status table_map_import_row(const table_map *map, const abdb_flat_record *record,
                                 const abdb_overrides *overrides, const abdb_sink *sink,
                                 abdb_error *err)
{
    row_state r = {.map = map, .record = record, .words = overrides, .sink = sink, .err = err};
    bool metrics = false;
    abdb_status st = ABDB_OK;

    for (size_t i = 0; i < map->count; i++) {
        metrics |= map->line[i].verb == MAP_METRIC;
        if (map->line[i].verb == MAP_SPEC || map->line[i].verb == MAP_PRICE)
            TRY(import_or_reject_spec_or_price(&r, &map->line[i]));
    }
    if (metrics) TRY(import_results_of_row(&r));
    TRY(sink->row_end(sink->self, err));
done:
    abdb_arena_free(&r.arena);
    return st;
}
