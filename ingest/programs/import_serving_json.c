/* import_serving_json.c - one serving benchmark as a JSON object: vLLM's benchmark_serving, and the
 * form of InferenceX that came out of it.
 *
 * How they disagree (six files, and vLLM's own keys): vLLM's keys end in _ms and give mean, median,
 * sd and percentiles; InferenceX's have no suffix and are in seconds; e2el is the whole request.
 * Neither names the accelerator, its number or the number format: --set device=... --set
 * devices=... Files are pretty-printed objects, or one a line. The input row is an object.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ingest/check_entry.h"
#include "ingest/read/flat_records.h"

typedef struct {
    const abdb_overrides *words;
    const abdb_sink *sink;
} state;

static int serving_json_bid(const abdb_input *in)
{
    return abdb_flat_has_value_names(in, "\"request_throughput\"|\"output_throughput\"|_ttft") ? 85
                                                                                               : 0;
}

/* Latencies: the key's middle, the metric. */
static const char *const latencies[][2] = {
    {"ttft", "ttft_s"}, {"tpot", "tpot_s"}, {"itl", "itl_s"}, {"e2el", "latency_s"}};
static const char *const statistics[][2] = {{"mean", "mean"},  {"median", "median"}, {"p50", "p50"},
                                            {"p90", "p90"},    {"p95", "p95"},       {"p99", "p99"},
                                            {"p99.9", "p99.9"}};

static void add_latency_result(abdb_entry *entry, const abdb_flat_record *r, size_t which,
                               size_t how)
{
    char key[64];
    bool ms = true;

    snprintf(key, sizeof key, "%s_%s_ms", statistics[how][0], latencies[which][0]);
    if (!abdb_flat_text_or_null(r, key)) {
        /* Without "_ms": InferenceX's form, in seconds. */
        key[strlen(key) - 3] = '\0';
        ms = false;
    }
    abdb_entry_add_printed_result(entry, latencies[which][1], statistics[how][1],
                                  abdb_flat_text_or_null(r, key), abdb_flat_mark(r, key),
                                  ms ? "ms" : "s");
}

static void add_rate_with_count(abdb_entry *entry, const abdb_flat_record *r, const char *key,
                                const char *metric, const char *unit)
{
    abdb_result *result = abdb_entry_add_printed_result(
        entry, metric, "value", abdb_flat_text_or_null(r, key), abdb_flat_mark(r, key), unit);

    if (result) result->n = abdb_flat_parse_count(r, "completed");
}

/* Tokens of one request: the total over the requests that were completed. */
static void add_tokens_per_request(abdb_entry *entry, abdb_arena *a, const abdb_flat_record *r,
                                   const char *key, const char *factor)
{
    double total = abdb_flat_number_or_nan(r, key),
           requests = abdb_flat_number_or_nan(r, "completed");

    if (total > 0 && requests > 0)
        abdb_entry_add_factor(entry, factor, abdb_arena_printf(a, "%.6g", total / requests));
}

/* No request waits longer than the whole run. */
static void check_latencies_within_run(abdb_entry *entry, double duration)
{
    for (size_t i = 0; duration > 0 && i < entry->results; i++) {
        const abdb_result *result = &entry->result[i];

        if (!strstr(result->metric, "_per_s") && result->value > duration)
            abdb_entry_add_mark_and_problem(
                entry, "implausible", "%s (%s) is %g s, and the whole run took %g s",
                result->metric, result->statistic, result->value, duration);
    }
}

/* A run of which no request was completed is kept without results, as failed. False: it has none
 * for another reason. */
static bool keep_as_failed(abdb_entry *entry, double completed, double requested)
{
    if (completed != 0 || !(requested > 0)) return false;
    abdb_entry_leave_out_results(entry);
    entry->field[ABDB_FIELD_status] = "failed";
    entry->field[ABDB_FIELD_reason] = "no request was completed";
    return true;
}

static abdb_status import_serving_record(void *self, const abdb_flat_record *r, abdb_error *err)
{
    static const char *const factors[][2] = {
        {"max_concurrency", "concurrency"}, {"request_rate", "request_rate"},
        {"num_prompts", "num_prompts"},     {"burstiness", "burstiness"},
        {"tokenizer_id", "tokenizer"},      {"backend", "server"},
        {"endpoint_type", "server"},        {"best_of", "best_of"}};
    state *s = self;
    abdb_entry *entry = calloc(1, sizeof *entry);
    abdb_arena a = {0};
    double completed = abdb_flat_number_or_nan(r, "completed"),
           requested = abdb_flat_number_or_nan(r, "num_prompts"),
           failed = abdb_flat_number_or_nan(r, "failed"),
           duration = abdb_flat_number_or_nan(r, "duration"),
           rate = abdb_flat_number_or_nan(r, "output_throughput");
    abdb_status st = ABDB_OK;

    if (!entry) return ABDB_FAIL(err, ABDB_NOMEM, "an entry");
    abdb_entry_set_measured_run(entry, "vllm-serving", "serving", r->locator, r->line);
    entry->field[ABDB_FIELD_scenario] = "serving";
    entry->field[ABDB_FIELD_model] = abdb_flat_text_or_null(r, "model_id");
    entry->field[ABDB_FIELD_date] = abdb_flat_text_or_null(r, "date");
    for (size_t i = 0; i < sizeof factors / sizeof factors[0]; i++)
        abdb_entry_add_factor(entry, factors[i][1], abdb_flat_text_or_null(r, factors[i][0]));
    add_tokens_per_request(entry, &a, r, "total_input_tokens", "input_tokens");
    add_tokens_per_request(entry, &a, r, "total_output_tokens", "output_tokens");
    add_rate_with_count(entry, r, "output_throughput", "tokens_per_s", "token/s");
    add_rate_with_count(entry, r, "request_throughput", "queries_per_s", "query/s");
    for (size_t i = 0; i < sizeof latencies / sizeof latencies[0]; i++)
        for (size_t k = 0; k < sizeof statistics / sizeof statistics[0]; k++)
            add_latency_result(entry, r, i, k);
    if (!(requested > 0) && failed > 0) requested = completed + failed;
    abdb_entry_check_completed(entry, completed, requested);
    check_latencies_within_run(entry, duration);
    abdb_entry_check_rate(entry, rate, duration, abdb_flat_number_or_nan(r, "total_output_tokens"),
                          1.2);
    abdb_entry_check_rate(entry, abdb_flat_number_or_nan(r, "request_throughput"), duration,
                          completed, 1.2);
    if (!(rate > 0) && !keep_as_failed(entry, completed, requested)) {
        TRY(abdb_flat_reject_and_end_row(s->sink, r, "output_throughput",
                                         "no rate: missing, zero or no number", err));
        goto done;
    }
    abdb_entry_apply_overrides(entry, s->words);
    TRY(s->sink->entry(s->sink->self, entry, err));
    TRY(s->sink->row_end(s->sink->self, err));
done:
    free(entry);
    abdb_arena_free(&a);
    return st;
}

static abdb_status read_serving_json(const abdb_input *in, const abdb_overrides *overrides,
                                     const abdb_sink *sink, abdb_error *err)
{
    state s = {overrides, sink};

    return abdb_flat_read_records(in, sink, import_serving_record, &s, err);
}

const abdb_importer abdb_import_serving_json = {"vllm-serving-json",
                                                "serving benchmarks of vLLM and InferenceX, JSON",
                                                2,
                                                NULL,
                                                serving_json_bid,
                                                read_serving_json};
