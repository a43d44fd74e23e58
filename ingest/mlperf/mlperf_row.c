/* mlperf_row.c - from a row of MLPerf results to an entry; see mlperf_row.h.
 *
 * How real files disagree: v0.7 states no unit (the scenario decides), later ones call LLM tokens
 * samples or queries, latencies come in ns, ms or s under one column, scenario names in any case,
 * "N/A", "-" and "" stand for no accelerator, the site counts accelerators per node and the checker
 * per node and in total.
 */
#include "ingest/mlperf/mlperf_row.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "ingest/mlperf/figure_rules.h"
#include "ingest/mlperf/token_rates.h"
#include "schema/core/units.h"

enum { REASON_SIZE = 200, ACCURACY_MAX = 12 };

const char *abdb_mlperf_canonical_scenario_or_same(const char *text)
{
    static const char *const names[] = {"Offline",      "Server",      "Interactive",
                                        "SingleStream", "MultiStream", "ConstantStream"};

    for (size_t i = 0; text && i < sizeof names / sizeof names[0]; i++)
        if (abdb_scenario_names_equal_loosely(text, names[i])) return names[i];
    return text;
}

const char *abdb_mlperf_suite_of_system_type(const char *system_type)
{
    static const struct {
        const char *word, *suite;
    } table[] = {{"datacenter", "inference"}, {"edge", "inference"}, {"adas", "automotive"},
                 {"ivi", "automotive"},       {"mobile", "mobile"},  {"smartphone", "mobile"},
                 {"data center", "inference"}};

    if (!system_type || !*system_type) return "inference";
    for (size_t i = 0; i < sizeof table / sizeof table[0]; i++)
        if (strcasestr(system_type, table[i].word)) return table[i].suite;
    return NULL;
}

static const char *copy_lowercase(abdb_arena *arena, const char *text)
{
    char *copy = text ? abdb_arena_copy(arena, text, strlen(text)) : NULL;

    for (char *s = copy; s && *s; s++)
        if (*s >= 'A' && *s <= 'Z') *s = (char)(*s + 32);
    return copy;
}

static int is_empty_or_not_applicable(const char *text)
{
    return !text || !*text || strcasecmp(text, "N/A") == 0 || strcmp(text, "-") == 0;
}

/* The unit that a scenario's result has where the file states none (rules of v0.7). */
static const char *default_unit_of_scenario(const char *scenario)
{
    if (!scenario) return NULL;
    if (strcmp(scenario, "Offline") == 0) return "Samples/s";
    if (strcmp(scenario, "Server") == 0 || strcmp(scenario, "Interactive") == 0) return "Queries/s";
    if (strcmp(scenario, "SingleStream") == 0) return "Latency (ms)";
    return strcmp(scenario, "MultiStream") == 0 ? "Streams" : NULL;
}

/* The metric that a unit measures; seconds are a time of training and a latency of inference. NULL:
 * none. */
static const char *metric_name_of_unit_and_suite(const abdb_unit *unit, const char *suite)
{
    static const struct {
        const char *base, *metric;
    } table[] = {{"token/s", "tokens_per_s"},
                 {"sample/s", "samples_per_s"},
                 {"query/s", "queries_per_s"},
                 {"task/s", "tasks_per_s"},
                 {"sample/query", "samples_per_query"},
                 {"W", "power_w"},
                 {"J", "energy_j"}};

    for (size_t i = 0; i < sizeof table / sizeof table[0]; i++)
        if (strcmp(unit->base, table[i].base) == 0) return table[i].metric;
    if (strcmp(unit->base, "s") != 0) return NULL;
    return suite && (strcmp(suite, "training") == 0 || strcmp(suite, "hpc") == 0)
               ? "time_to_train_s"
               : "latency_s";
}

static const char *percentile_named_in_unit_or_value(const char *unit)
{
    if (strstr(unit, "90.00_percentile") || strstr(unit, "90th percentile")) return "p90";
    return strstr(unit, "99.00_percentile") ? "p99" : "value";
}

/* Is it the value of a result? False, with the cause in `reason`: it is not. */
static bool parse_positive_value_or_explain(const char *text, const char *unit_text,
                                            const char *metric, const char *name,
                                            abdb_decimal_mark mark, double *value,
                                            const char **field, char *reason)
{
    *field = name;
    if (text && abdb_number_fails_but_parses_with_other_mark(text, mark)) {
        abdb_number_write_why_not_a_number(name, text, mark, reason, REASON_SIZE);
    } else if (!text || !abdb_double_parse(text, mark, value)) {
        snprintf(reason, REASON_SIZE, "%s is '%.60s', not a number", name, text ? text : "");
    } else if (*value <= 0) { /* 0 and negative numbers stand for runs that failed */
        snprintf(reason, REASON_SIZE, "%s is %.60s: no result", name, text);
    } else if (!metric) {
        *field = "Units";
        snprintf(reason, REASON_SIZE,
                 "unknown unit '%.60s'; known are Tokens/s, Samples/s, Queries/s,"
                 " Latency (ms), Watts, ...",
                 unit_text ? unit_text : "");
    } else {
        return true;
    }
    return false;
}

/* One value with its unit as a result of entry. */
static int parse_and_add_result_or_explain(abdb_entry *entry, const char *text,
                                           const char *unit_text, int unit_is_stated,
                                           const char *name, abdb_decimal_mark mark,
                                           const char **field, char *reason)
{
    const abdb_unit *unit = unit_text ? abdb_unit_find(unit_text) : NULL;
    const char *metric =
        unit ? metric_name_of_unit_and_suite(unit, entry->field[ABDB_FIELD_suite]) : NULL;
    abdb_result *result;
    double value;

    if (!parse_positive_value_or_explain(text, unit_text, metric, name, mark, &value, field,
                                         reason)) {
        abdb_add_thread_values_read(abdb_has_digit(text));
        return 0;
    }
    result = abdb_entry_add_result_or_count_left_out(entry, metric,
                                                     abdb_unit_to_base_value(unit, value));
    if (!result) return 0;
    result->statistic = percentile_named_in_unit_or_value(unit_text);
    result->raw_value = text;
    result->raw_unit = unit_is_stated ? unit_text : NULL;
    return 1;
}

void abdb_mlperf_add_accuracy_results_or_count_left_out(abdb_entry *entry, abdb_arena *arena,
                                                        const char *text, abdb_decimal_mark mark)
{
    char *copy = text ? abdb_arena_copy(arena, text, strlen(text)) : NULL, *name, *rest = NULL;
    double value;

    if (!copy) return;
    if (abdb_double_parse(copy, mark, &value)) {
        abdb_result *result = abdb_entry_add_result_or_count_left_out(entry, "accuracy", value);

        if (result) result->raw_value = text;
        return;
    }
    name = strtok_r(copy, " ", &rest);
    for (int i = 0; name; i++) {
        char *number = strtok_r(NULL, " ", &rest), *colon = strrchr(name, ':');
        abdb_result *result;
        const char *metric;

        if (!number || !colon || !abdb_double_parse(number, mark, &value) || i == ACCURACY_MAX) {
            abdb_entry_count_left_out_value(entry); /* this text, and the rest, is no score */
            return;
        }
        *colon = '\0';
        metric = strcasecmp(name, "TOKENS_PER_SAMPLE") == 0
                     ? "tokens_per_sample"
                     : abdb_arena_printf(arena, "accuracy.%s", copy_lowercase(arena, name));
        result = metric ? abdb_entry_add_result_or_count_left_out(entry, metric, value) : NULL;
        if (result) result->raw_value = number;
        name = strtok_r(NULL, " ", &rest);
    }
}

/* Parses a count of a row. False, with field and reason: the text has digits, but is no count. A
 * word ("N/A") leaves *out as it was. */
static bool parse_row_count_or_explain(const char *text, const char *name, abdb_decimal_mark mark,
                                       long long high, long long *out, const char **field,
                                       char *reason)
{
    if (!text || !abdb_has_digit(text) || abdb_integer_parse_in_range(text, mark, 0, high, out))
        return true;
    *field = name;
    snprintf(reason, REASON_SIZE, "%s is '%.60s', not a whole number", name, text);
    return false;
}

/* Sets the devices that took part: accelerators in total, or nodes x per node, or sockets. False,
 * with field and reason: one of these counts is damaged. */
static bool set_device_and_counts_or_explain(abdb_entry *entry, abdb_arena *arena,
                                             const abdb_mlperf_row *row, abdb_decimal_mark mark,
                                             const char **field, char *reason)
{
    long long nodes = 0, each = 0, total = 0, sockets = 0;

    if (!parse_row_count_or_explain(row->nodes, "number_of_nodes", mark, 1000000, &nodes, field,
                                    reason) ||
        !parse_row_count_or_explain(row->accelerators_per_node, "accelerators_per_node", mark,
                                    1000000, &each, field, reason) ||
        !parse_row_count_or_explain(row->accelerators, "total_accelerators", mark, 100000000,
                                    &total, field, reason) ||
        !parse_row_count_or_explain(row->processors_per_node, "host_processors_per_node", mark,
                                    1000000, &sockets, field, reason))
        return false;
    if (nodes > 0) entry->field[ABDB_FIELD_nodes] = abdb_arena_printf(arena, "%lld", nodes);
    if (nodes == 0) nodes = 1;
    if (is_empty_or_not_applicable(row->accelerator)) {
        entry->field[ABDB_FIELD_device] =
            is_empty_or_not_applicable(row->processor) ? NULL : row->processor;
        if (sockets > 0 && row->processor)
            entry->field[ABDB_FIELD_devices] = abdb_arena_printf(arena, "%lld", nodes * sockets);
        if (row->processor)
            abdb_entry_add_valueless_factor(entry, "accelerator", ABDB_INAPPLICABLE);
        return true;
    }
    entry->field[ABDB_FIELD_device] = row->accelerator;
    /* "Total Accelerators" exists since v6.0 only. */
    if (total <= 0) total = each * nodes;
    if (total > 0) entry->field[ABDB_FIELD_devices] = abdb_arena_printf(arena, "%lld", total);
    if (each > 0)
        abdb_entry_add_factor_with_text_and_number(entry, "devices_per_node", (double)each,
                                                   abdb_arena_printf(arena, "%lld", each));
    return true;
}

/* A factor known, unknown (blank) or inapplicable ("N/A"). */
static void add_factor_or_unknown_or_inapplicable(abdb_entry *entry, const char *name,
                                                  const char *text)
{
    if (!text)
        abdb_entry_add_valueless_factor(entry, name, ABDB_UNKNOWN);
    else if (is_empty_or_not_applicable(text))
        abdb_entry_add_valueless_factor(entry, name, ABDB_INAPPLICABLE);
    else
        abdb_entry_add_factor_parsing_number(entry, name, text);
}

/* Adds a row's values beside its result (host, software, notes, ...) as factors; a missing value
 * that every row should have becomes unknown. */
static void add_row_factors(abdb_entry *entry, const abdb_mlperf_row *row)
{
    add_factor_or_unknown_or_inapplicable(entry, "host_processor", row->processor);
    add_factor_or_unknown_or_inapplicable(entry, "host_processors_per_node",
                                          row->processors_per_node);
    add_factor_or_unknown_or_inapplicable(entry, "host_processor_core_count", row->cores);
    add_factor_or_unknown_or_inapplicable(entry, "software", row->software);
    add_factor_or_unknown_or_inapplicable(entry, "operating_system", row->os);
    if (row->notes) abdb_entry_add_factor_parsing_number(entry, "notes", row->notes);
    if (row->location) abdb_entry_add_factor_parsing_number(entry, "location", row->location);
    if (row->used_model && row->model && strcmp(row->used_model, row->model) != 0)
        abdb_entry_add_factor_parsing_number(entry, "used_model", row->used_model);
}

static int is_true_or_1(const char *text)
{
    return text && (strcasecmp(text, "true") == 0 || strcmp(text, "1") == 0);
}

/* The checker's column compares the name of a folder with the scenario that LoadGen ran, letter by
 * letter: "offline" is not "Offline" to it, LoadGen runs Interactive as Server, and the Endpoints
 * client has no log of LoadGen. In these cases the column does not show inference. */
static const char *inferred_or_perhaps_inferred_flag(const abdb_mlperf_row *row)
{
    const char *scenario = abdb_mlperf_canonical_scenario_or_same(row->scenario);

    if (!is_true_or_1(row->inferred)) return "";
    /* A folder of Server, SingleStream or Interactive is inferred from nothing. */
    if (scenario && ((strcmp(scenario, "Offline") != 0 && strcmp(scenario, "MultiStream") != 0) ||
                     strcmp(scenario, row->scenario) != 0))
        return " perhaps-inferred";
    return " inferred";
}

/* "datacenter,edge" is a list: a system that was submitted in both categories. The scenario decides
 * the category of a result; Offline belongs to both. Returns the number of types, at least 1; one
 * may be NULL, unknown. */
static size_t resolve_system_types_by_scenario(abdb_arena *arena, const abdb_mlperf_row *row,
                                               const char *type[2])
{
    const char *scenario = abdb_mlperf_canonical_scenario_or_same(row->scenario);
    const char *types = row->system_type ? copy_lowercase(arena, row->system_type) : NULL;

    type[0] = types;
    if (!types || !strpbrk(types, ",;/") || !strstr(types, "datacenter") || !strstr(types, "edge"))
        return 1;
    type[0] = "datacenter";
    type[1] = "edge";
    if (!scenario || strcmp(scenario, "Offline") == 0) return 2;
    if (strcmp(scenario, "SingleStream") == 0 || strcmp(scenario, "MultiStream") == 0)
        type[0] = "edge";
    return 1;
}

/* Sets the fields that all of MLCommons' files have, in abdb's words. A division may carry power
 * ("closed-power"): that is a flag here, so that rows with and without it meet. */
static void set_mlperf_statement_fields_and_flags(abdb_entry *entry, abdb_arena *arena,
                                                  const abdb_mlperf_context *context,
                                                  const abdb_mlperf_row *row)
{
    const char *division = row->division ? copy_lowercase(arena, row->division) : NULL;
    int power = is_true_or_1(row->has_power) || (division && strstr(division, "power"));
    int errors = row->errors && strcmp(row->errors, "0") != 0;
    const char *suite =
        row->suite ? row->suite : abdb_mlperf_suite_of_system_type(row->system_type);
    const char *types[2];

    if (division && strncmp(division, "closed", 6) == 0)
        division = "closed";
    else if (division && strncmp(division, "open", 4) == 0)
        division = "open";
    entry->field[ABDB_FIELD_evidence] = "mlperf";
    entry->field[ABDB_FIELD_kind] = "statement";
    entry->field[ABDB_FIELD_verified] = context->verified;
    entry->field[ABDB_FIELD_suite] = suite ? suite : "inference";
    entry->field[ABDB_FIELD_source] = context->source;
    entry->field[ABDB_FIELD_submitter] = row->submitter;
    entry->field[ABDB_FIELD_availability] = copy_lowercase(arena, row->availability);
    entry->field[ABDB_FIELD_division] = division;
    if (resolve_system_types_by_scenario(arena, row, types) ==
        1) /* two types: one field cannot hold both */
        entry->field[ABDB_FIELD_system_type] = types[0];
    else
        abdb_entry_add_factor_parsing_number(entry, "system_types", "datacenter, edge");
    entry->field[ABDB_FIELD_system] = row->system ? row->system : row->platform;
    entry->field[ABDB_FIELD_platform] = row->platform;
    entry->field[ABDB_FIELD_model] = row->model;
    entry->field[ABDB_FIELD_workload] = row->model;
    entry->field[ABDB_FIELD_scenario] = abdb_mlperf_canonical_scenario_or_same(row->scenario);
    entry->field[ABDB_FIELD_round] = row->round;
    entry->field[ABDB_FIELD_public_id] = row->public_id;
    entry->field[ABDB_FIELD_url] = row->url;
    entry->field[ABDB_FIELD_dtype] =
        is_empty_or_not_applicable(row->weights) ? NULL : copy_lowercase(arena, row->weights);
    entry->field[ABDB_FIELD_flags] = abdb_trim_in_place(
        abdb_arena_printf(arena, "%s%s%s%s%s", context->flags ? context->flags : "",
                          inferred_or_perhaps_inferred_flag(row), power ? " power" : "",
                          errors ? " errors" : "", row->unit ? "" : " unit-inferred"));
}

/* Reads the other values of a refused row, so that they count among the values read. */
static void parse_rest_of_rejected_row_to_count_left_out(abdb_entry *entry, abdb_arena *arena,
                                                         const abdb_mlperf_context *context,
                                                         const abdb_mlperf_row *row,
                                                         bool rate_unread, bool power_unread)
{
    const char *field;
    char reason[REASON_SIZE];

    if (rate_unread)
        (void)parse_and_add_result_or_explain(entry, row->result, row->unit, 1, "Result",
                                              context->result_mark, &field, reason);
    if (power_unread && row->power)
        (void)parse_and_add_result_or_explain(entry, row->power, row->power_unit, 1, "Power",
                                              context->result_mark, &field, reason);
    abdb_mlperf_add_accuracy_results_or_count_left_out(entry, arena, row->accuracy, context->mark);
}

bool abdb_mlperf_fill_entry_or_explain(abdb_entry *entry, abdb_arena *arena,
                                       const abdb_mlperf_context *context,
                                       const abdb_mlperf_row *row, const char **field, char *reason)
{
    const char *unit = row->unit;

    *field = NULL;
    if (!row->model) {
        *field = "Model";
        snprintf(reason, REASON_SIZE, "no model or benchmark");
        parse_rest_of_rejected_row_to_count_left_out(entry, arena, context, row, true, true);
        return false;
    }
    entry->locator = context->locator;
    entry->line = context->line;
    set_mlperf_statement_fields_and_flags(entry, arena, context, row);
    if (!set_device_and_counts_or_explain(entry, arena, row, context->mark, field, reason)) {
        parse_rest_of_rejected_row_to_count_left_out(entry, arena, context, row, true, true);
        return false;
    }
    add_row_factors(entry, row);
    if (!unit)
        unit = default_unit_of_scenario(abdb_mlperf_canonical_scenario_or_same(row->scenario));
    if (!parse_and_add_result_or_explain(entry, row->result, unit, row->unit != NULL, "Result",
                                         context->result_mark, field, reason)) {
        parse_rest_of_rejected_row_to_count_left_out(entry, arena, context, row, false, true);
        return false;
    }
    /* Logs name their unit in the figure itself; only tables are corrected. */
    if (strcmp(context->source, "mlperf-logs") != 0 &&
        abdb_mlperf_relabel_tokens_or_mark_unproved(entry, row))
        entry->field[ABDB_FIELD_flags] = abdb_trim_in_place(
            abdb_arena_printf(arena, "%s unit-corrected", entry->field[ABDB_FIELD_flags]));
    if (row->power &&
        !parse_and_add_result_or_explain(entry, row->power, row->power_unit, 1, "Power",
                                         context->result_mark, field, reason)) {
        parse_rest_of_rejected_row_to_count_left_out(entry, arena, context, row, false, false);
        return false;
    }
    *field = NULL;
    abdb_mlperf_add_accuracy_results_or_count_left_out(entry, arena, row->accuracy, context->mark);
    return true;
}

/* Columns without meaning here, of all tables: checks before publication, links and numbers of the
 * row, a second form of a value, colours. */
static const char *const noise[] = {
    "compliance", "git_url",  "uid", "Accuracy_div_100", "Units",        "Details", "Code",
    "Unique ID*", "ColorKey", "p#",  "Benchmark",        "Result_Units", NULL};

abdb_status abdb_mlperf_import_row_or_explain(const abdb_mlperf_context *context,
                                              const abdb_mlperf_row *row, const char **field,
                                              char *reason, abdb_error *err)
{
    abdb_entry *entry = calloc(1, sizeof *entry);
    abdb_arena arena = {0};
    abdb_mlperf_row one = *row;
    const char *types[2];
    abdb_status st = ABDB_OK;

    if (!entry) return ABDB_FAIL(err, ABDB_NOMEM, "an entry");
    *field = NULL;
    for (size_t i = 0;
         i < resolve_system_types_by_scenario(&arena, row, types) && !*field && st == ABDB_OK;
         i++) {
        one.system_type = types[i];
        *entry = (abdb_entry){0};
        if (!abdb_mlperf_fill_entry_or_explain(entry, &arena, context, &one, field, reason)) break;
        if (context->others)
            abdb_entry_add_settings_as_factors(entry, context->others, noise, &arena);
        abdb_entry_apply_overrides_and_check(entry, context->words);
        st = context->sink->entry(context->sink->self, entry, err);
    }
    abdb_arena_free(&arena);
    free(entry);
    return st;
}
