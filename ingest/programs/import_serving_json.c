/* import_serving_json.c - one serving benchmark as a JSON object: vLLM's benchmark_serving, and the
 * forms of SGLang and InferenceX that came out of it.
 *
 * How they disagree (six files, and vLLM's own keys): vLLM's keys end in _ms and give mean,
 * median, sd and percentiles; InferenceX's have no suffix and are in seconds; e2el (SGLang:
 * e2e_latency) is the whole request. Any percentile may be there. "backend" is the interface that
 * the client called: SGLang and TensorRT-LLM are measured with "vllm", too, so the server stays
 * unknown. None names the accelerator, its number or the number format: --set device=... --set
 * devices=... What else stands in the object (--metadata, the data set, lengths) is a factor under
 * its own name; lists of single requests are summarised. Files are pretty-printed objects, or one
 * a line. The input row is an object.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ingest/check_entry.h"
#include "ingest/programs/serving_record.h"

typedef struct {
    const abdb_overrides *words;
    const abdb_sink *sink;
} state;

/* Lists of single requests may push the latencies beyond what a bid reads, and SGLang's client had
 * no rate of requests at first. */
static int serving_json_bid(const abdb_input *in)
{
    return abdb_flat_has_all_keys_or_columns(in, "\"output_throughput\"|_ttft") ||
                   abdb_flat_has_all_keys_or_columns(
                       in, "\"output_throughput\"|\"request_throughput\"|\"completed\"")
               ? 85
               : 0;
}

/* Latencies: the key's middle, the metric, the list of single requests in seconds. */
static const struct {
    const char *key, *metric, *list;
} latencies[] = {{"ttft", "ttft_s", "ttfts"},
                 {"tpot", "tpot_s", "tpots"},
                 {"itl", "itl_s", "itls"},
                 {"e2el", "latency_s", "latencies"},
                 {"e2e_latency", "latency_s", "e2e_latencies"}};
enum { LATENCIES = sizeof latencies / sizeof latencies[0] };

/* What says nothing of the run that its rates, latencies and other factors do not: times of day,
 * and means over the time that the run took. Texts that were generated are no measurement. */
static const char *const noise[] = {"duration",
                                    "total_token_throughput",
                                    "total_throughput",
                                    "input_throughput",
                                    "total_output_tokens_retokenized",
                                    "start_time*",
                                    "end_time*",
                                    "timestamp*",
                                    "generated_texts*",
                                    "errors.count",
                                    "itls.count",
                                    NULL};

/* "p99_ttft_ms": the statistic, the latency (SIZE_MAX: none) and whether it is in milliseconds.
 * InferenceX's form, without "_ms", is in seconds. */
static size_t latency_index_and_statistic_of_key(const char *key, char statistic[16],
                                                 bool *is_in_ms)
{
    size_t head = strcspn(key, "_"), size = strlen(key);

    *is_in_ms = size > 3 && strcmp(key + size - 3, "_ms") == 0;
    if (*is_in_ms) size -= 3;
    if (!key[head] || head >= 16 || size <= head) return SIZE_MAX;
    snprintf(statistic, 16, "%.*s", (int)head, key);
    for (size_t i = 0; i < LATENCIES; i++)
        if (strlen(latencies[i].key) == size - head - 1 &&
            strncmp(key + head + 1, latencies[i].key, size - head - 1) == 0)
            return i;
    return SIZE_MAX;
}

static bool is_known_statistic_name(const char *name)
{
    static const char *const named[] = {"mean", "median", "min", "max", NULL};

    return abdb_text_is_in_list(name, named) ||
           (*name == 'p' && name[1] && strspn(name + 1, "0123456789.") == strlen(name + 1));
}

/* The deviation of a mean is its spread. result NULL: the mean was left out, and so is the
 * deviation. */
static void set_spread_from_std_member(abdb_entry *entry, abdb_result *result,
                                       const abdb_flat_record *r, size_t latency_index, bool ms)
{
    char key[64];
    double sd;

    snprintf(key, sizeof key, "std_%s%s", latencies[latency_index].key, ms ? "_ms" : "");
    sd = abdb_flat_number_or_nan_note_doubt(r, key) * (ms ? 1e-3 : 1);
    if (!result || !(sd >= 0)) {
        const char *text = abdb_flat_text_or_null_mark_asked(r, key);

        if (text && abdb_has_digit(text)) abdb_entry_count_left_out_value(entry);
        return;
    }
    result->low = result->value - sd;
    result->high = result->value + sd;
    result->spread = "sd";
}

void abdb_serving_add_latency_statistics(abdb_entry *entry, abdb_arena *a,
                                         const abdb_flat_record *r)
{
    for (size_t i = 0; i < r->items; i++) {
        const char *key = r->item[i].name;
        char statistic[16];
        bool ms;
        size_t which = latency_index_and_statistic_of_key(key, statistic, &ms);
        abdb_result *result;

        if (which == SIZE_MAX || !is_known_statistic_name(statistic)) continue;
        result = abdb_entry_add_printed_result_or_count_left_out(
            entry, latencies[which].metric, abdb_arena_copy(a, statistic, strlen(statistic)),
            abdb_flat_text_or_null_mark_asked(r, key), abdb_flat_decimal_mark(r, key),
            ms ? "ms" : "s");
        if (strcmp(statistic, "mean") == 0) set_spread_from_std_member(entry, result, r, which, ms);
    }
}

/* Least and largest of a list of single requests; *n: how many. */
static bool find_min_max_of_series(const abdb_flat_record *r, const char *list, double *min,
                                   double *max, size_t *n)
{
    const double *x;

    *n = abdb_flat_find_series_mark_asked(r, list, &x);
    for (size_t i = 0; i < *n; i++) {
        *min = i && *min < x[i] ? *min : x[i];
        *max = i && *max > x[i] ? *max : x[i];
    }
    return *n > 0;
}

/* Lists of single requests (--save-detailed): least and largest latency as results, lengths of
 * prompts and answers as factors. */
static void add_extremes_of_request_lists(abdb_entry *entry, abdb_arena *a,
                                          const abdb_flat_record *r)
{
    static const char *const lengths[] = {"input_lens", "output_lens"};
    static const char *const names[] = {"min", "max"};
    double x[2];
    size_t n;

    for (size_t i = 0; i < LATENCIES; i++)
        for (int k = 0; find_min_max_of_series(r, latencies[i].list, &x[0], &x[1], &n) && k < 2;
             k++) {
            abdb_result *result =
                x[k] > 0 ? abdb_entry_add_result_or_count_left_out(entry, latencies[i].metric, x[k])
                         : NULL;

            if (!result) continue;
            result->statistic = names[k];
            result->n = (long long)n;
        }
    for (size_t i = 0; i < 2; i++)
        for (int k = 0; find_min_max_of_series(r, lengths[i], &x[0], &x[1], &n) && k < 2; k++)
            abdb_entry_add_factor_parsing_number(
                entry, abdb_arena_printf(a, "%s.%s", lengths[i], names[k]),
                abdb_arena_printf(a, "%.15g", x[k]));
}

static void add_rate_result_with_request_count(abdb_entry *entry, const abdb_flat_record *r,
                                               const char *key, const char *metric,
                                               const char *unit)
{
    abdb_result *result = abdb_entry_add_printed_result_or_count_left_out(
        entry, metric, "value", abdb_flat_text_or_null_mark_asked(r, key),
        abdb_flat_decimal_mark(r, key), unit);

    if (result) result->n = abdb_flat_parse_count_or_zero(r, "completed");
}

/* Tokens of one request: the total over the requests that were completed. */
static void add_mean_tokens_per_request_factor(abdb_entry *entry, abdb_arena *a,
                                               const abdb_flat_record *r, const char *key,
                                               const char *factor)
{
    double total = abdb_flat_number_or_nan_note_doubt(r, key),
           requests = abdb_flat_number_or_nan_note_doubt(r, "completed");

    if (total > 0 && requests > 0)
        abdb_entry_add_factor_parsing_number(entry, factor,
                                             abdb_arena_printf(a, "%.6g", total / requests));
}

/* No request waits longer than the whole run. */
static void mark_latencies_longer_than_run(abdb_entry *entry, double duration)
{
    for (size_t i = 0; duration > 0 && i < entry->results; i++) {
        const abdb_result *result = &entry->result[i];

        if (!strstr(result->metric, "_per_s") && result->value > duration)
            abdb_entry_add_mark_and_problem(
                entry, "implausible", "%s (%s) is %g s, and the whole run took %g s",
                result->metric, result->statistic, result->value, duration);
    }
}

/* SGLang's client is a copy of vLLM's that has its own names for a few values. */
static bool is_record_of_sglang(const abdb_flat_record *r)
{
    return abdb_flat_text_or_null_mark_asked(r, "total_output_tokens_retokenized") ||
           abdb_flat_text_or_null_mark_asked(r, "mean_e2e_latency_ms");
}

abdb_status abdb_serving_import_record(const abdb_overrides *overrides, const abdb_sink *sink,
                                       const abdb_flat_record *r, abdb_error *err)
{
    static const char *const factors[][2] = {
        {"max_concurrency", "concurrency"},   {"request_rate", "request_rate"},
        {"num_prompts", "num_prompts"},       {"burstiness", "burstiness"},
        {"tokenizer_id", "tokenizer"},        {"backend", "client_backend"},
        {"endpoint_type", "client_endpoint"}, {"best_of", "best_of"}};
    abdb_entry *entry = calloc(1, sizeof *entry);
    abdb_arena a = {0};
    double completed = abdb_flat_number_or_nan_note_doubt(r, "completed"),
           requested = abdb_flat_number_or_nan_note_doubt(r, "num_prompts"),
           failed = abdb_flat_number_or_nan_note_doubt(r, "failed"),
           duration = abdb_flat_number_or_nan_note_doubt(r, "duration"),
           rate = abdb_flat_number_or_nan_note_doubt(r, "output_throughput");
    abdb_status st = ABDB_OK;

    if (!entry) return ABDB_FAIL(err, ABDB_NOMEM, "an entry");
    abdb_entry_set_measured_run(entry, is_record_of_sglang(r) ? "sglang-serving" : "vllm-serving",
                                "serving", r->locator, r->line);
    entry->field[ABDB_FIELD_scenario] = "serving";
    entry->field[ABDB_FIELD_model] = abdb_flat_text_or_null_mark_asked(r, "model_id");
    entry->field[ABDB_FIELD_date] = abdb_flat_text_or_null_mark_asked(r, "date");
    for (size_t i = 0; i < sizeof factors / sizeof factors[0]; i++)
        abdb_entry_add_factor_parsing_number(entry, factors[i][1],
                                             abdb_flat_text_or_null_mark_asked(r, factors[i][0]));
    add_mean_tokens_per_request_factor(entry, &a, r, "total_input_tokens", "input_tokens");
    add_mean_tokens_per_request_factor(entry, &a, r, "total_output_tokens", "output_tokens");
    add_rate_result_with_request_count(entry, r, "output_throughput", "tokens_per_s", "token/s");
    add_rate_result_with_request_count(entry, r, "request_throughput", "queries_per_s", "query/s");
    abdb_serving_add_latency_statistics(entry, &a, r);
    add_extremes_of_request_lists(entry, &a, r);
    if (failed > 0 && !(requested > completed)) requested = completed + failed;
    abdb_entry_mark_failed_if_requests_failed(entry, completed, requested);
    mark_latencies_longer_than_run(entry, duration);
    abdb_entry_mark_rate_not_matching_amount(
        entry, rate, abdb_flat_text_or_null_mark_asked(r, "output_throughput"), duration,
        abdb_flat_number_or_nan_note_doubt(r, "total_output_tokens"), 1.2);
    abdb_entry_mark_rate_not_matching_amount(
        entry, abdb_flat_number_or_nan_note_doubt(r, "request_throughput"),
        abdb_flat_text_or_null_mark_asked(r, "request_throughput"), duration, completed, 1.2);
    abdb_flat_add_unread_values_as_factors(entry, r, noise, &a);
    if (!(rate > 0) &&
        !(requested > 0 && abdb_entry_fail_if_no_request_completed(entry, completed))) {
        TRY(abdb_flat_reject_and_end_row(sink, r, "output_throughput",
                                         "no rate: missing, zero or no number", err));
        goto done;
    }
    TRY(abdb_entry_check_and_deliver_row(entry, overrides, sink, err));
done:
    free(entry);
    abdb_arena_free(&a);
    return st;
}

static abdb_status import_or_reject_serving_record(void *self, const abdb_flat_record *r,
                                                   abdb_error *err)
{
    const state *s = self;

    return abdb_serving_import_record(s->words, s->sink, r, err);
}

static abdb_status import_serving_records(const abdb_input *in, const abdb_overrides *overrides,
                                          const abdb_sink *sink, abdb_error *err)
{
    state s = {overrides, sink};

    return abdb_flat_deliver_json_sql_or_csv_records(in, sink, import_or_reject_serving_record, &s,
                                                     err);
}

const abdb_importer abdb_import_serving_json = {
    "vllm-serving-json",
    "serving benchmarks of vLLM, SGLang and InferenceX, JSON",
    6,
    NULL,
    serving_json_bid,
    import_serving_records};
