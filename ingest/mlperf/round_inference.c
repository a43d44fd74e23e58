/* round_inference.c - a result folder of an inference round: performance, power, accuracy.
 *
 * The rules of the round (figure_rules.h), taken from its submission checker, choose the figure of
 * the log that is the result: by benchmark, scenario, and whether LoadGen counted tokens. A
 * scenario that was not run but inferred from another is flagged.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "ingest/mlperf/figure_rules.h"
#include "ingest/mlperf/round.h"
#include "schema/core/units.h"

enum { REASON = 200 };

typedef abdb_run_log run_log;

/* Did LoadGen count tokens, as for language models, and not samples? */
static bool loadgen_counted_tokens(const run_log *log)
{
    const char *use = abdb_mlperf_get_first_value(log->detail, "requested_use_token_latencies");

    /* The detail log has LoadGen's setting; a summary shows it only by figures in tokens. */
    if (log->detail) return use && (strcmp(use, "true") == 0 || strcmp(use, "1") == 0);
    return abdb_mlperf_get_first_value(log->summary, "result_tokens_per_second") ||
           abdb_mlperf_get_first_value(log->summary, "result_completed_tokens_per_second") ||
           abdb_mlperf_get_first_value(log->summary, "result_first_token_mean_latency_ns");
}

/* The result by the rules of the round: the first figure that the log has. *inferred: LoadGen ran
 * another scenario. */
static const char *find_official_figure_text_and_unit(abdb_arena *arena, const run_log *log,
                                                      const char *suite, const char *round,
                                                      const char *model, const char *scenario,
                                                      const char **unit, bool *inferred)
{
    const abdb_figure_request ask = {
        .suite = suite,
        .round = round,
        .model = model,
        .scenario = scenario,
        .ran = abdb_run_log_get_value_detail_first(log, "effective_scenario"),
        .tokens = loadgen_counted_tokens(log)};
    const abdb_figure_rule *rule;
    const char *text = NULL;
    char *product;
    double value;
    size_t at = 0;

    *inferred = false;
    while (!text && (rule = abdb_figure_next_matching_rule(&ask, &at))) {
        text = abdb_run_log_get_value_detail_first(log, rule->figure);
        *unit = rule->unit;
        *inferred = *rule->ran != '\0';
        /* times 1: the text as LoadGen printed it, with all its digits. */
        if (!text || rule->times == 1.0 || !abdb_double_parse(text, ABDB_MARK_POINT, &value))
            continue;
        product = abdb_arena_alloc(arena, 32);
        if (product) abdb_format_shortest_double(rule->times * value, product);
        text = product;
    }
    return text;
}

/* Adds latencies beside the result, with LoadGen's names translated to abdb's. */
static void add_common_latency_results(abdb_entry *entry, const run_log *log)
{
    static const struct {
        const char *metric, *key;
    } lines[] = {{"query_latency_s", "result_%slatency_ns"},
                 {"ttft_s", "result_first_token_%slatency_ns"},
                 {"tpot_s", "result_time_per_output_token_%sns"}};
    static const struct {
        const char *statistic, *word;
    } marks[] = {{"min", "min_"},
                 {"max", "max_"},
                 {"mean", "mean_"},
                 {"p50", "50.00_percentile_"},
                 {"p90", "90.00_percentile_"},
                 {"p95", "95.00_percentile_"},
                 {"p97", "97.00_percentile_"},
                 {"p99", "99.00_percentile_"},
                 {"p99.9", "99.90_percentile_"}};
    char key[100];

    for (size_t i = 0; i < sizeof lines / sizeof lines[0]; i++)
        for (size_t k = 0; k < sizeof marks / sizeof marks[0]; k++) {
            const char *hole = strchr(lines[i].key, '%'), *text;

            snprintf(key, sizeof key, "%.*s%s%s", (int)(hole - lines[i].key), lines[i].key,
                     marks[k].word, hole + 2);
            text = abdb_run_log_get_value_detail_first(log, key);
            if (!text && i == 2) { /* min, max and mean of this one have names of their own */
                snprintf(key, sizeof key, "result_time_to_output_token_%s", marks[k].statistic);
                text = abdb_run_log_get_value_detail_first(log, key);
            }
            abdb_entry_add_printed_result_or_count_left_out(
                entry, lines[i].metric, marks[k].statistic, text, ABDB_MARK_POINT, "ns");
        }
}

/* Percentiles that LoadGen prints for some benchmarks only, "result_99.97_percentile_latency_ns".
 */
static void add_uncommon_latency_percentiles(abdb_entry *entry, const abdb_mlperf_values *log,
                                             abdb_arena *arena)
{
    static const char *const heads[] = {"result_", "result_first_token_",
                                        "result_time_per_output_token_"};
    static const char *const tails[] = {"_percentile_latency_ns", "_percentile_latency_ns",
                                        "_percentile_ns"};
    static const char *const metrics[] = {"query_latency_s", "ttft_s", "tpot_s"};
    static const char usual[] = "50.00 90.00 95.00 97.00 99.00 99.90";

    for (size_t i = 0; log && i < log->pairs; i++)
        for (size_t k = 0; k < 3; k++) {
            const char *number = log->pair[i].key + strlen(heads[k]);
            char word[12], statistic[16];
            double value;

            if (strncmp(log->pair[i].key, heads[k], strlen(heads[k])) != 0) continue;
            snprintf(word, sizeof word, "%.*s", (int)strspn(number, "0123456789."), number);
            if (!*word || strcmp(number + strlen(word), tails[k]) != 0 || strstr(usual, word) ||
                !abdb_double_parse(word, ABDB_MARK_POINT, &value))
                continue;
            snprintf(statistic, sizeof statistic, "p%.6g", value);
            abdb_entry_add_printed_result_or_count_left_out(
                entry, metrics[k], abdb_arena_copy(arena, statistic, strlen(statistic)),
                log->pair[i].text, ABDB_MARK_POINT, "ns");
        }
}

static void add_common_and_uncommon_latencies(abdb_entry *entry, const run_log *log,
                                              abdb_arena *arena)
{
    add_common_latency_results(entry, log);
    add_uncommon_latency_percentiles(entry, log->detail ? log->detail : log->summary, arena);
}

/* Adds the other values of LoadGen's log and of the descriptions as factors, and the date of the
 * run. */
static void add_run_and_system_factors_and_date(abdb_entry *entry, const run_log *log,
                                                const abdb_round_folder *f)
{
    static const struct {
        const char *factor, *key;
    } table[] = {{"loadgen_version", "loadgen_version"},
                 {"target_queries_per_s", "requested_server_target_qps"},
                 {"query_count", "result_query_count"},
                 {"requests", "requests"},
                 {"failed_requests", "failed_requests"},
                 {"load_pattern", "load_pattern"},
                 {"target_concurrency", "target_concurrency"},
                 {"endpoints_version", "endpoints_version"},
                 {"duration_ms", "effective_min_duration_ms"}};
    const abdb_mlperf_values *described[] = {
        f->system ? &f->system->values : NULL,
        f->measurement ? &f->measurement->values
                       : abdb_round_values_of_file(f, "measurements.json")};
    static const char *const words[] = {"accelerator_memory_capacity",
                                        "accelerator_memory_configuration",
                                        "accelerator_interconnect",
                                        "accelerator_host_interconnect",
                                        "host_memory_capacity",
                                        "other_software_stack",
                                        "hw_notes",
                                        "cooling",
                                        "weight_transformations",
                                        "input_data_types",
                                        "retraining",
                                        "starting_weights_filename"};

    for (size_t i = 0; i < sizeof table / sizeof table[0]; i++)
        abdb_entry_add_factor_parsing_number(
            entry, table[i].factor, abdb_run_log_get_value_detail_first(log, table[i].key));
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
        for (size_t k = 0; k < 2; k++)
            abdb_entry_add_factor_parsing_number(
                entry, words[i],
                described[k] ? abdb_mlperf_get_first_value(described[k], words[i]) : NULL);
    entry->field[ABDB_FIELD_date] = abdb_run_log_get_value_detail_first(log, "test_datetime");
}

/* LoadGen prints the validity of a run; a run that is not VALID is kept without a result. */
static bool run_is_invalid(const run_log *log)
{
    const char *validity = abdb_run_log_get_value_detail_first(log, "result_validity");

    return validity && strcmp(validity, "VALID") != 0;
}

/* Requests of the Endpoints client that failed, or were not answered. */
static void mark_entry_failed_if_requests_failed(abdb_entry *entry, const run_log *log)
{
    const char *failed = abdb_run_log_get_value_detail_first(log, "failed_requests"),
               *issued = abdb_run_log_get_value_detail_first(log, "requests"),
               *done = abdb_run_log_get_value_detail_first(log, "result_query_count");

    if ((failed && abdb_double_parse_prefix_or(failed, 0) > 0) ||
        (issued && done &&
         abdb_double_parse_prefix_or(done, 0) < abdb_double_parse_prefix_or(issued, 0)))
        abdb_entry_add_mark_to_flags_once(entry, "failed");
}

/* What is known beside the official figure, of a run that is valid; of one that is not, nothing. */
static void add_latencies_or_fail_run_drop_results(abdb_entry *entry, const run_log *log,
                                                   abdb_arena *arena)
{
    if (!run_is_invalid(log)) {
        add_common_and_uncommon_latencies(entry, log, arena);
        mark_entry_failed_if_requests_failed(entry, log);
        return;
    }
    entry->field[ABDB_FIELD_status] = "failed";
    entry->field[ABDB_FIELD_reason] = abdb_run_log_get_value_detail_first(log, "qps")
                                          ? "the client did not complete its run"
                                          : "LoadGen says that the run is not VALID";
    abdb_entry_drop_results_as_left_out(entry);
}

/* A suite without rules, or a scenario whose official figure is not known: the run with its
 * latencies, no score, and a reject with this reason. */
static abdb_status import_run_and_reject_unknown_figure(abdb_entry *entry, abdb_arena *arena,
                                                        const abdb_round_folder *f,
                                                        const abdb_mlperf_context *context,
                                                        const run_log *log, abdb_mlperf_row *row,
                                                        char *reason, abdb_error *err)
{
    const char *field = NULL, *scenario = abdb_mlperf_canonical_scenario_or_same(row->scenario),
               *why = abdb_arena_printf(arena,
                                        "which figure of %.30s, %.20s is official is not known:"
                                        " latencies kept, no score",
                                        row->suite, scenario);
    const abdb_reject reject = {.field = f->path, .reason = why};
    abdb_status st = ABDB_OK;

    if (!why) return ABDB_FAIL(err, ABDB_NOMEM, "a run");
    row->result = "1"; /* stands for no figure, and is taken away below */
    row->unit = "Samples/s";
    if (!abdb_mlperf_fill_entry_or_explain(entry, arena, context, row, &field, reason))
        return ABDB_OK;
    abdb_add_thread_values_read(-1);
    memmove(entry->result, entry->result + 1, --entry->results * sizeof *entry->result);
    entry->field[ABDB_FIELD_kind] = "run";
    add_latencies_or_fail_run_drop_results(entry, log, arena);
    add_run_and_system_factors_and_date(entry, log, f);
    abdb_entry_apply_overrides_and_check(entry, context->words);
    TRY(context->sink->entry(context->sink->self, entry, err));
    TRY(context->sink->reject(context->sink->self, &reject, err));
done:
    return st;
}

/* The suite of a folder; NULL: unknown to abdb. Mobile's submissions may call their systems edge:
 * their repository, or the folder of their apps' logs, shows the suite. */
static const char *suite_of_folder_or_null(const abdb_round_folder *f, const char *locator,
                                           const char *system_type)
{
    if (strcasestr(f->root, "mobile_") || strncmp(locator, "log_performance/", 16) == 0)
        return "mobile";
    return abdb_mlperf_suite_of_system_type(system_type);
}

/* The result of one scenario of a result folder. Where LoadGen ran another scenario than the
 * folder's name, the rules let the result be inferred (as MLCommons' submission checker does): such
 * rows are flagged. Server logs stand for Interactive, which is Server under tighter limits. */
static abdb_status import_scenario_score_or_explain(abdb_entry *entry, abdb_arena *arena,
                                                    const abdb_round_folder *f,
                                                    const abdb_mlperf_context *context,
                                                    const run_log *log, abdb_mlperf_row *row,
                                                    char *reason, abdb_error *err)
{
    const char *field = NULL, *ran = abdb_run_log_get_value_detail_first(log, "effective_scenario");
    bool inferred;

    row->scenario = f->scenario;
    row->suite = suite_of_folder_or_null(f, context->locator, row->system_type);
    if (!row->suite) {
        snprintf(reason, REASON, "no rules for system type '%.60s'", row->system_type);
        return ABDB_OK;
    }
    row->result = find_official_figure_text_and_unit(arena, log, row->suite, f->round, row->model,
                                                     f->scenario, &row->unit, &inferred);
    row->inferred = inferred ? "1" : "0";
    if (!row->result && (!abdb_figure_suite_has_rules(row->suite) ||
                         abdb_run_log_get_value_detail_first(log, "qps")))
        return import_run_and_reject_unknown_figure(entry, arena, f, context, log, row, reason,
                                                    err);
    if (!row->result) {
        snprintf(reason, REASON,
                 "no figure for scenario %.40s in performance/run_1 (LoadGen ran %.40s)",
                 f->scenario, ran ? ran : "an unknown one");
        return ABDB_OK;
    }
    row->has_power = abdb_round_has_power_log(f) ? "1" : "0";
    if (!abdb_mlperf_fill_entry_or_explain(entry, arena, context, row, &field, reason))
        return ABDB_OK;
    entry->field[ABDB_FIELD_kind] = "score";
    if (inferred) entry->result[0].formula = "mlperf-inferred@1";
    abdb_round_add_mean_power_and_energy(entry, f, log, inferred);
    add_latencies_or_fail_run_drop_results(entry, log, arena);
    add_run_and_system_factors_and_date(entry, log, f);
    abdb_mlperf_add_loadgen_factors(entry, log->detail, false, arena);
    if (f->system) abdb_mlperf_add_description_factors(entry, &f->system->values, arena);
    abdb_entry_apply_overrides_and_check(entry, context->words);
    return context->sink->entry(context->sink->self, entry, err);
}

/* The logs of the first run, in v0.5 without its folder too. *locator: the one that counts. */
static run_log find_first_run_logs_and_locator(const abdb_round_folder *f, const char **locator)
{
    static const char *const files[] = {"performance/run_1/mlperf_log_detail.txt",
                                        "performance/run_1/mlperf_log_summary.txt",
                                        "performance/mlperf_log_detail.txt",
                                        "performance/mlperf_log_summary.txt",
                                        "log_performance/mlperf_log_detail.txt",
                                        "log_performance/mlperf_log_summary.txt",
                                        "log_performance/run_1/mlperf_log_detail.txt",
                                        "log_performance/run_1/mlperf_log_summary.txt",
                                        "performance/result_summary.json",
                                        "performance/run_1/result_summary.json"};
    run_log log = {0};

    for (size_t i = 0; i < sizeof files / sizeof files[0] && !log.detail && !log.summary; i += 2) {
        log.detail = abdb_round_values_of_file(f, files[i]);
        log.summary = abdb_round_values_of_file(f, files[i + 1]);
        *locator = log.detail ? files[i] : files[i + 1];
    }
    return log;
}

abdb_status abdb_round_import_inference(const abdb_round_folder *f, const abdb_overrides *overrides,
                                        const abdb_sink *sink, char *reason, abdb_error *err)
{
    abdb_entry *entry = calloc(1, sizeof *entry);
    abdb_arena arena = {0};
    const char *locator = "performance/run_1/mlperf_log_detail.txt";
    run_log log = find_first_run_logs_and_locator(f, &locator);
    const abdb_mlperf_values *accuracy = abdb_round_values_of_file(f, "accuracy/accuracy.txt");
    abdb_mlperf_context context = {
        .words = overrides, .sink = sink, .source = "mlperf-logs", .locator = locator};
    abdb_mlperf_row row;
    abdb_status st = ABDB_OK;

    if (!entry) return ABDB_FAIL(err, ABDB_NOMEM, "an entry");
    if (!log.detail && !log.summary) {
        snprintf(reason, REASON,
                 "no mlperf_log_detail.txt, mlperf_log_summary.txt or result_summary.json in"
                 " performance/run_1");
        goto done;
    }
    abdb_round_fill_row_from_descriptions(f, &row);
    if (!accuracy) accuracy = abdb_round_values_of_file(f, "accuracy/accuracy_results.json");
    row.accuracy = abdb_mlperf_get_first_value(accuracy, "accuracy");
    st = import_scenario_score_or_explain(entry, &arena, f, &context, &log, &row, reason, err);
done:
    abdb_arena_free(&arena);
    free(entry);
    return st;
}

abdb_status abdb_mlperf_import_lone_inference_log_or_explain(const abdb_mlperf_values *values,
                                                             bool is_summary,
                                                             const abdb_overrides *overrides,
                                                             const abdb_sink *sink, char *reason,
                                                             abdb_error *err)
{
    abdb_entry *entry = calloc(1, sizeof *entry);
    abdb_arena arena = {0};
    const abdb_round_folder nowhere = {0};
    const run_log log = {is_summary ? NULL : values, is_summary ? values : NULL};
    const char *scenario = abdb_run_log_get_value_detail_first(&log, "effective_scenario"),
               *unit = NULL, *text;
    const char *model = abdb_overrides_get_value_or_null(overrides, "model");
    const abdb_unit *known;
    double value;
    bool inferred;
    abdb_status st = ABDB_OK;

    if (!entry) return ABDB_FAIL(err, ABDB_NOMEM, "an entry");
    text = scenario ? find_official_figure_text_and_unit(&arena, &log, NULL, NULL, model, scenario,
                                                         &unit, &inferred)
                    : NULL;
    known = unit ? abdb_unit_find(unit) : NULL;
    if (!model || !text || !known || !abdb_double_parse(text, ABDB_MARK_POINT, &value) ||
        !(value > 0)) {
        abdb_add_thread_values_read(abdb_has_digit(text));
        snprintf(reason, REASON, "%s",
                 model ? "no figure of its scenario: not the log of a performance run"
                       : "a log of LoadGen does not say what it ran: add --set model=NAME");
        goto done;
    }
    abdb_entry_set_measured_run(entry, "mlperf-logs", model, scenario, 0);
    entry->field[ABDB_FIELD_scenario] = abdb_mlperf_canonical_scenario_or_same(scenario);
    entry->field[ABDB_FIELD_suite] = "inference";
    entry->field[ABDB_FIELD_system] = abdb_run_log_get_value_detail_first(&log, "sut_name");
    abdb_entry_add_printed_result_or_count_left_out(
        entry,
        strcmp(known->base, "token/s") == 0    ? "tokens_per_s"
        : strcmp(known->base, "sample/s") == 0 ? "samples_per_s"
        : strcmp(known->base, "query/s") == 0  ? "queries_per_s"
                                               : "latency_s",
        "value", text, ABDB_MARK_POINT, unit);
    add_latencies_or_fail_run_drop_results(entry, &log, &arena);
    add_run_and_system_factors_and_date(entry, &log, &nowhere);
    abdb_mlperf_add_loadgen_factors(entry, values, true, &arena);
    abdb_entry_apply_overrides_and_check(entry, overrides);
    st = sink->entry(sink->self, entry, err);
done:
    abdb_arena_free(&arena);
    free(entry);
    return st;
}
