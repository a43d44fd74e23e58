/* import_inference_perf.c - inference-perf's reports of a stage or of a whole run
 * (stage_N_lifecycle_metrics.json, summary_lifecycle_metrics.json).
 *
 * How the pages of three guides, one of a load and the readers of two other programs disagree:
 * statistics are "mean", "min", "p0.1" to "p99.9" and "max", in any order, of old ones fewer;
 * load_summary states a requested rate for a stage and none for the summary of several; a server
 * without streaming has no TTFT and no gaps. time_per_output_token is a request's mean gap (TPOT),
 * inter_token_latency has each gap; normalized_time_per_output_token has the first token in it and
 * is left out by name, as schedule_delay of the client is. The file states neither model nor
 * device. The input row is a file.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "ingest/check_entry.h"
#include "ingest/programs/serving_statistics.h"
#include "ingest/read/flat_records.h"

#define MEMBERS(object) ((json_t *)(size_t)(object))

typedef struct {
    const abdb_input *in;
    const abdb_overrides *words;
    const abdb_sink *sink;
} state;

static int inference_perf_bid(const abdb_input *in)
{
    return abdb_flat_has_all_keys_or_columns(in, "\"load_summary\"|\"successes\"|\"failures\"") ? 86
                                                                                                : 0;
}

static const char *const noise[] = {"load_summary.count",
                                    "load_summary.requested_rate",
                                    "load_summary.concurrency",
                                    "load_summary.schedule_delay.*",
                                    "successes.count",
                                    "successes.latency.*",
                                    "successes.throughput.input_tokens_per_sec",
                                    "successes.throughput.output_tokens_per_sec",
                                    "successes.throughput.total_tokens_per_sec",
                                    "successes.throughput.requests_per_sec",
                                    "successes.prompt_len.*",
                                    "successes.output_len.*",
                                    "failures.count",
                                    "failures.*_len.*",
                                    "failures.request_latency.*",
                                    NULL};

/* What an object of statistics has that is none. */
static void add_other_members_as_factors(abdb_entry *entry, abdb_arena *a, const char *outer,
                                         const json_t *object)
{
    const char *name;
    json_t *value;

    json_object_foreach(MEMBERS(object), name, value)
    {
        if (!abdb_serving_statistic_of_name_or_null(name, a))
            abdb_entry_add_renamed_extra_factor_unless_ignored(
                entry, abdb_arena_printf(a, "%s.%s", outer, name),
                abdb_serving_json_text_or_null(value, a), ABDB_MARK_UNKNOWN, NULL, a);
    }
}

static void add_latencies_or_count_left_out(abdb_entry *entry, abdb_arena *a, const state *s,
                                            const json_t *latency, long long requests)
{
    static const char *const metrics[][2] = {{"time_to_first_token", "ttft_s"},
                                             {"time_per_output_token", "tpot_s"},
                                             {"inter_token_latency", "itl_s"},
                                             {"request_latency", "latency_s"}};
    const char *name;
    json_t *statistics;

    json_object_foreach(MEMBERS(latency), name, statistics)
    {
        const char *metric = NULL;

        add_other_members_as_factors(entry, a, abdb_arena_printf(a, "successes.latency.%s", name),
                                     statistics);
        for (size_t i = 0; i < sizeof metrics / sizeof metrics[0]; i++)
            if (strcmp(name, metrics[i][0]) == 0) metric = metrics[i][1];
        if (metric) /* of gaps their number is not stated */
            abdb_serving_add_all_statistics(entry, a, metric, "s", statistics,
                                            strcmp(metric, "itl_s") == 0 ? 0 : requests);
        else
            abdb_serving_count_statistics_left_out(s->in->left_out, name, statistics, false, a);
    }
}

static void add_rate(abdb_entry *entry, abdb_arena *a, const char *metric, const char *unit,
                     const json_t *value, long long requests)
{
    abdb_result *result = abdb_entry_add_printed_result_or_count_left_out(
        entry, metric, "value", abdb_serving_json_text_or_null(value, a), ABDB_MARK_POINT, unit);

    if (result) result->n = requests;
}

static void count_other_rates_and_statistics_left_out(abdb_entry *entry, const state *s,
                                                      abdb_arena *a, const json_t *root)
{
    static const char *const rates[] = {"input_tokens_per_sec", "total_tokens_per_sec"};
    const json_t *successes = json_object_get(root, "successes"),
                 *failures = json_object_get(root, "failures"),
                 *throughput = json_object_get(successes, "throughput");

    add_other_members_as_factors(entry, a, "successes.latency",
                                 json_object_get(successes, "latency"));
    add_other_members_as_factors(entry, a, "successes.prompt_len",
                                 json_object_get(successes, "prompt_len"));
    add_other_members_as_factors(entry, a, "successes.output_len",
                                 json_object_get(successes, "output_len"));
    add_other_members_as_factors(entry, a, "failures.request_latency",
                                 json_object_get(failures, "request_latency"));
    add_other_members_as_factors(entry, a, "failures.prompt_len",
                                 json_object_get(failures, "prompt_len"));
    add_other_members_as_factors(
        entry, a, "load_summary.schedule_delay",
        json_object_get(json_object_get(root, "load_summary"), "schedule_delay"));
    for (size_t i = 0; i < 2; i++)
        if (json_object_get(throughput, rates[i]))
            abdb_left_out_count_value(s->in->left_out, rates[i]);
    abdb_serving_count_statistics_left_out(s->in->left_out, "prompt_len",
                                           json_object_get(successes, "prompt_len"), true, a);
    abdb_serving_count_statistics_left_out(s->in->left_out, "output_len",
                                           json_object_get(successes, "output_len"), true, a);
    abdb_serving_count_statistics_left_out(
        s->in->left_out, "schedule_delay",
        json_object_get(json_object_get(root, "load_summary"), "schedule_delay"), false, a);
    abdb_serving_count_statistics_left_out(s->in->left_out, "failures",
                                           json_object_get(failures, "request_latency"), false, a);
    abdb_serving_count_statistics_left_out(s->in->left_out, "failures",
                                           json_object_get(failures, "prompt_len"), false, a);
}

static void fill_entry_of_report(abdb_entry *entry, abdb_arena *a, const state *s,
                                 const json_t *root)
{
    const json_t *load = json_object_get(root, "load_summary"),
                 *successes = json_object_get(root, "successes"),
                 *throughput = json_object_get(successes, "throughput");
    double completed = abdb_serving_json_number_or_nan(successes, "count"),
           failed = abdb_serving_json_number_or_nan(json_object_get(root, "failures"), "count");
    long long requests = completed > 0 ? (long long)completed : 0;

    entry->field[ABDB_FIELD_scenario] = "serving";
    abdb_entry_add_factor_parsing_number(
        entry, "request_rate",
        abdb_serving_json_text_or_null(json_object_get(load, "requested_rate"), a));
    abdb_entry_add_factor_parsing_number(
        entry, "concurrency",
        abdb_serving_json_text_or_null(json_object_get(load, "concurrency"), a));
    abdb_entry_add_factor_parsing_number(
        entry, "num_prompts", abdb_serving_json_text_or_null(json_object_get(load, "count"), a));
    abdb_serving_add_mean_as_factor(entry, a, "input_tokens",
                                    json_object_get(successes, "prompt_len"));
    abdb_serving_add_mean_as_factor(entry, a, "output_tokens",
                                    json_object_get(successes, "output_len"));
    add_rate(entry, a, "tokens_per_s", "token/s",
             json_object_get(throughput, "output_tokens_per_sec"), requests);
    add_rate(entry, a, "queries_per_s", "query/s", json_object_get(throughput, "requests_per_sec"),
             requests);
    add_latencies_or_count_left_out(entry, a, s, json_object_get(successes, "latency"), requests);
    count_other_rates_and_statistics_left_out(entry, s, a, root);
    abdb_entry_mark_failed_if_requests_failed(entry, completed, completed + failed);
    (void)abdb_entry_fail_if_no_request_completed(entry, completed);
    abdb_flat_add_json_members_as_factors(entry, NULL, root, noise, a);
}

static abdb_status import_or_reject_report(void *self, const abdb_flat_record *r, abdb_error *err)
{
    const state *s = self;
    abdb_entry *entry = calloc(1, sizeof *entry);
    abdb_arena a = {0};
    abdb_status st = ABDB_OK;

    if (!entry) return ABDB_FAIL(err, ABDB_NOMEM, "an entry");
    abdb_entry_set_measured_run(entry, "inference-perf", "serving", r->locator, r->line);
    fill_entry_of_report(entry, &a, s, r->object);
    if (!entry->results && !entry->field[ABDB_FIELD_status]) {
        TRY(abdb_flat_reject_and_end_row(s->sink, r, "successes", "no rate, no latency", err));
        goto done;
    }
    TRY(abdb_entry_check_and_deliver_row(entry, s->words, s->sink, err));
done:
    free(entry);
    abdb_arena_free(&a);
    return st;
}

static abdb_status import_reports(const abdb_input *in, const abdb_overrides *overrides,
                                  const abdb_sink *sink, abdb_error *err)
{
    state s = {.in = in, .words = overrides, .sink = sink};

    return abdb_flat_deliver_json_sql_or_csv_records(in, sink, import_or_reject_report, &s, err);
}

const abdb_importer abdb_import_inference_perf = {
    "inference-perf", "inference-perf, JSON: a stage or a summary", 1, NULL, inference_perf_bid,
    import_reports};
