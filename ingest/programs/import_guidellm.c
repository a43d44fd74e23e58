/* import_guidellm.c - GuideLLM's benchmarks.json: one benchmark for each load of a sweep.
 *
 * How four files of 0.3 to 0.5 and excerpts of 0.6 and 0.7 disagree: the load is
 * benchmarks[].config.strategy (0.4 on), benchmarks[].args.strategy or scheduler.strategy;
 * requests are counted in metrics.request_totals, request_totals or run_stats.requests_made; the
 * model is config.backend.model, worker.backend_model or the document's args.model, and may be
 * null. A metric has statistics of requests that were successful, errored, incomplete (cut off
 * when the time was over) and of all; percentiles are p001 (0.1 %) to p999. inter_token_latency_ms
 * is a request's mean gap, which vLLM's client calls TPOT; time_per_output_token_ms has the first
 * token in it, and is left out by name as all metrics are that abdb has no name for. The strategy
 * "synchronous" sends one request at a time, "throughput" as many as max_concurrency allows. The
 * file may hold every request. The input row is an element of "benchmarks".
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
    const json_t *root;
} state;

static int guidellm_bid(const abdb_input *in)
{
    return abdb_flat_has_all_keys_or_columns(
               in, "\"benchmarks\"|\"metrics\"|\"successful\"|\"requests_per_second\"")
               ? 86
               : 0;
}

static const struct {
    const char *name, *metric, *unit;
} latencies[] = {{"time_to_first_token_ms", "ttft_s", "ms"},
                 {"inter_token_latency_ms", "tpot_s", "ms"},
                 {"request_latency", "latency_s", "s"}};
enum { LATENCIES = sizeof latencies / sizeof latencies[0] };

/* Times of day, names of the run, what the client's scheduler did, every request, and what is read
 * apart. */
static const char *const noise[] = {"type_",
                                    "id_",
                                    "run_id",
                                    "run_index",
                                    "*.id_",
                                    "*.run_id",
                                    "*.run_index",
                                    "start_time",
                                    "end_time",
                                    "duration",
                                    "scheduler_state.*",
                                    "scheduler_metrics.*",
                                    "run_stats.*",
                                    "metrics.*",
                                    "requests.*",
                                    "*.requests_made.*",
                                    "request_totals.*",
                                    "*.start_time",
                                    "*.strategy_index",
                                    "*.backend_target",
                                    "config.environment.*",
                                    "config.profile.*",
                                    "args.profile.*",
                                    "benchmarker.profile.*",
                                    "*.target",
                                    "*.url",
                                    "*.openai_paths.*",
                                    "config.backend.model",
                                    "worker.backend_model",
                                    "*.strategy.streams",
                                    "*.strategy.rate",
                                    NULL};
/* The same of the document: the rates of a sweep are those of its benchmarks. */
static const char *const noise_of_document[] = {
    "benchmarks.count", "args.rate*",     "args.target",
    "args.output*",     "args.model",     "args.profile",
    "config.*.target",  "args.strategy*", NULL};

/* Statistics of the requests that were answered. */
static const json_t *successful_statistics(const json_t *metric)
{
    const json_t *inner = json_object_get(metric, "successful");

    return json_is_object(inner) ? inner : metric;
}

/* The members of percentiles stand beside the mean, as other programs have them. The caller's to
 * json_decref. */
static json_t *statistics_with_percentiles(const json_t *statistics)
{
    json_t *all = json_copy(MEMBERS(statistics));

    json_object_update(all, json_object_get(statistics, "percentiles"));
    return all;
}

/* What an object of statistics has that is none. */
static void add_other_members_as_factors(abdb_entry *entry, abdb_arena *a, const char *metric,
                                         const json_t *object)
{
    static const char *const known[] = {"mode",      "variance", "std_dev", "count",
                                        "total_sum", "pdf",      NULL};
    const char *name;
    json_t *value;

    json_object_foreach(MEMBERS(object), name, value)
    {
        if (abdb_text_is_in_list(name, known) || abdb_serving_statistic_of_name_or_null(name, a))
            continue;
        abdb_entry_add_renamed_extra_factor_unless_ignored(
            entry, abdb_arena_printf(a, "%s.%s", metric, name),
            abdb_serving_json_text_or_null(value, a), ABDB_MARK_UNKNOWN, NULL, a);
    }
}

static void add_metric_or_count_left_out(abdb_entry *entry, abdb_arena *a, const state *s,
                                         const char *name, const json_t *metric, double completed)
{
    json_t *all = statistics_with_percentiles(successful_statistics(metric));
    double n = abdb_serving_json_number_or_nan(all, "count");
    long long answered = completed > 0 ? (long long)completed : 0,
              requests = n > 0 ? (long long)n : answered;
    bool known = true;

    add_other_members_as_factors(entry, a, name, metric);
    add_other_members_as_factors(entry, a, name, all);
    for (size_t i = 0; i < LATENCIES; i++)
        if (strcmp(name, latencies[i].name) == 0) {
            abdb_serving_add_all_statistics(entry, a, latencies[i].metric, latencies[i].unit, all,
                                            requests);
            goto done;
        }
    if (strcmp(name, "output_tokens_per_second") == 0)
        abdb_serving_add_rate_from_mean(entry, a, "tokens_per_s", "token/s", all, answered);
    else if (strcmp(name, "requests_per_second") == 0)
        abdb_serving_add_rate_from_mean(entry, a, "queries_per_s", "query/s", all, answered);
    else if (strcmp(name, "prompt_token_count") == 0)
        abdb_serving_add_mean_as_factor(entry, a, "input_tokens", all);
    else if (strcmp(name, "output_token_count") == 0)
        abdb_serving_add_mean_as_factor(entry, a, "output_tokens", all);
    else
        known = false;
    abdb_serving_count_statistics_left_out(s->in->left_out, name, all, known, a);
done:
    json_decref(all);
}

static const json_t *strategy_of_benchmark(const json_t *benchmark)
{
    static const char *const outer[] = {"config", "args", "scheduler"};

    for (size_t i = 0; i < sizeof outer / sizeof outer[0]; i++) {
        const json_t *found = json_object_get(json_object_get(benchmark, outer[i]), "strategy");

        if (json_is_object(found)) return found;
    }
    return NULL;
}

static void add_load_of_strategy(abdb_entry *entry, abdb_arena *a, const json_t *strategy)
{
    const char *type = json_string_value(json_object_get(strategy, "type_"));
    const char *streams = abdb_serving_json_text_or_null(json_object_get(strategy, "streams"), a);

    if (!type) return;
    if (strcmp(type, "synchronous") == 0)
        streams = "1";
    else if (strcmp(type, "throughput") == 0)
        streams = abdb_serving_json_text_or_null(json_object_get(strategy, "max_concurrency"), a);
    abdb_entry_add_factor_parsing_number(entry, "concurrency", streams);
    abdb_entry_add_factor_parsing_number(
        entry, "request_rate",
        abdb_serving_json_text_or_null(json_object_get(strategy, "rate"), a));
}

static const char *model_of_benchmark_or_null(const state *s, const json_t *benchmark)
{
    const json_t *args = json_object_get(s->root, "args");
    const json_t *places[] = {
        json_object_get(json_object_get(json_object_get(benchmark, "config"), "backend"), "model"),
        json_object_get(json_object_get(benchmark, "worker"), "backend_model"),
        json_object_get(args, "model"),
        json_object_get(json_object_get(args, "backend_kwargs"), "model")};

    for (size_t i = 0; i < sizeof places / sizeof places[0]; i++)
        if (json_is_string(places[i])) return json_string_value(places[i]);
    return NULL;
}

/* Errors make a run a failed one; requests that were cut off at its end are a factor. */
static double mark_failed_requests_get_completed(abdb_entry *entry, abdb_arena *a,
                                                 const json_t *benchmark)
{
    const json_t *totals = json_object_get(json_object_get(benchmark, "metrics"), "request_totals");
    double completed, errored;

    if (!totals) totals = json_object_get(benchmark, "request_totals");
    if (!totals) totals = json_object_get(json_object_get(benchmark, "run_stats"), "requests_made");
    completed = abdb_serving_json_number_or_nan(totals, "successful");
    errored = abdb_serving_json_number_or_nan(totals, "errored");
    abdb_entry_mark_failed_if_requests_failed(entry, completed, completed + errored);
    abdb_entry_add_factor_parsing_number(
        entry, "incomplete_requests",
        abdb_serving_json_text_or_null(json_object_get(totals, "incomplete"), a));
    return completed;
}

static void fill_entry_of_benchmark(abdb_entry *entry, abdb_arena *a, const state *s,
                                    const json_t *benchmark)
{
    const json_t *metrics = json_object_get(benchmark, "metrics");
    double completed = mark_failed_requests_get_completed(entry, a, benchmark);
    const char *name;
    json_t *value;

    entry->field[ABDB_FIELD_scenario] = "serving";
    entry->field[ABDB_FIELD_model] = model_of_benchmark_or_null(s, benchmark);
    add_load_of_strategy(entry, a, strategy_of_benchmark(benchmark));
    json_object_foreach(MEMBERS(metrics), name, value)
    {
        if (strcmp(name, "request_totals") == 0) continue;
        if (json_is_object(value))
            add_metric_or_count_left_out(entry, a, s, name, value, completed);
        else
            abdb_entry_add_renamed_extra_factor_unless_ignored(
                entry, name, abdb_serving_json_text_or_null(value, a), ABDB_MARK_UNKNOWN, NULL, a);
    }
    (void)abdb_entry_fail_if_no_request_completed(entry, completed);
    abdb_flat_add_json_members_as_factors(entry, NULL, benchmark, noise, a);
    abdb_flat_add_json_members_as_factors(entry, NULL, s->root, noise_of_document, a);
}

/* Imports one load of a sweep. */
static abdb_status import_or_reject_benchmark(void *self, const abdb_flat_record *r,
                                              abdb_error *err)
{
    state *s = self;
    abdb_entry *entry = calloc(1, sizeof *entry);
    abdb_arena a = {0};
    abdb_status st = ABDB_OK;

    if (!entry) return ABDB_FAIL(err, ABDB_NOMEM, "an entry");
    abdb_entry_set_measured_run(entry, "guidellm", "serving", r->locator, r->line);
    fill_entry_of_benchmark(entry, &a, s, r->object);
    if (!entry->results && !entry->field[ABDB_FIELD_status]) {
        TRY(abdb_flat_reject_and_end_row(s->sink, r, "metrics", "no rate, no latency", err));
        goto done;
    }
    TRY(abdb_entry_check_and_deliver_row(entry, s->words, s->sink, err));
done:
    free(entry);
    abdb_arena_free(&a);
    return st;
}

static abdb_status import_benchmarks_of_document(const abdb_input *in,
                                                 const abdb_overrides *overrides,
                                                 const abdb_sink *sink, abdb_error *err)
{
    state s = {.in = in, .words = overrides, .sink = sink};
    json_t *root = NULL;
    abdb_status st = ABDB_OK;

    TRY(abdb_flat_parse_json_document_quoting_nan(&root, in, err));
    s.root = root;
    TRY(abdb_flat_deliver_objects_of_json_member(in, "benchmarks", import_or_reject_benchmark, &s,
                                                 err));
done:
    json_decref(root);
    return st;
}

const abdb_importer abdb_import_guidellm = {
    "guidellm",   "GuideLLM, JSON: each load of a sweep", 1, NULL,
    guidellm_bid, import_benchmarks_of_document};
