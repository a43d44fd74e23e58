/* import_llmperf.c - llmperf's summary of a run (NAME_550_150_summary.json).
 *
 * How three files of its leaderboard, a post of 2026 and three readers of such files disagree:
 * least and largest numbers of tokens are texts; the leaderboard adds framework, model_size and
 * api; sampling parameters are members of their own; a run without an answer has nan. Its
 * inter_token_latency_s is a request's whole latency over its tokens, with the first token in it,
 * and request_output_throughput is its inverse: both are left out by name. Requests are counted by
 * the minute. The file states no device: the service's is behind an address. The input row is an
 * object.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ingest/check_entry.h"
#include "ingest/programs/serving_statistics.h"
#include "ingest/read/flat_records.h"

typedef struct {
    const abdb_input *in;
    const abdb_overrides *words;
    const abdb_sink *sink;
} state;

static int llmperf_bid(const abdb_input *in)
{
    return abdb_flat_has_all_keys_or_columns(
               in, "\"results_ttft_s_mean\"|\"results_mean_output_throughput_token_per_s\"")
               ? 86
               : 0;
}

static const char *const noise[] = {"timestamp", "name", "api", "results_num*_tokens_*", NULL};

/* "quantiles_p99", "mean": the statistic that the end of a name means, or NULL. */
static const char *statistic_of_end_or_null(const char *end, abdb_arena *a)
{
    if (strncmp(end, "quantiles_", 10) == 0) end += 10;
    return abdb_serving_statistic_of_name_or_null(end, a);
}

static void set_spread_of_mean(abdb_result *result, const abdb_flat_record *r, const char *group,
                               abdb_arena *a)
{
    double sd = abdb_flat_number_or_nan_note_doubt(r, abdb_arena_printf(a, "%sstddev", group));

    if (!(sd >= 0) || strcmp(result->statistic, "mean") != 0) return;
    result->low = result->value - sd;
    result->high = result->value + sd;
    result->spread = "sd";
}

/* Makes results of TTFT and end-to-end latency, a factor of mean lengths, and counts what else is a
 * statistic as left out. */
static void add_or_count_statistics(abdb_entry *entry, abdb_arena *a, const state *s,
                                    const abdb_flat_record *r, long long requests)
{
    static const char *const groups[][3] = {
        {"results_ttft_s_", "ttft_s", NULL},
        {"results_end_to_end_latency_s_", "latency_s", NULL},
        {"results_inter_token_latency_s_", NULL, NULL},
        {"results_request_output_throughput_token_per_s_", NULL, NULL},
        {"results_number_input_tokens_", NULL, "input_tokens"},
        {"results_number_output_tokens_", NULL, "output_tokens"}};

    for (size_t i = 0; i < r->items; i++)
        for (size_t k = 0; k < sizeof groups / sizeof groups[0]; k++) {
            const char *name = r->item[i].name, *end = name + strlen(groups[k][0]), *statistic;
            abdb_result *result;

            if (strncmp(name, groups[k][0], strlen(groups[k][0])) != 0) continue;
            statistic = statistic_of_end_or_null(end, a);
            if (!statistic) {
                (void)abdb_flat_text_or_null_mark_asked(r, name); /* stddev, beside the mean */
                continue;
            }
            if (groups[k][1]) {
                result = abdb_entry_add_printed_result_or_count_left_out(
                    entry, groups[k][1], statistic, abdb_flat_text_or_null_mark_asked(r, name),
                    abdb_flat_decimal_mark(r, name), "s");
                if (result) result->n = requests;
                if (result) set_spread_of_mean(result, r, groups[k][0], a);
            } else if (groups[k][2] && strcmp(statistic, "mean") == 0) {
                double mean = abdb_flat_number_or_nan_note_doubt(r, name);

                if (mean > 0)
                    abdb_entry_add_factor_parsing_number(entry, groups[k][2],
                                                         abdb_arena_printf(a, "%.6g", mean));
            } else if (abdb_has_digit(abdb_flat_text_or_null_mark_asked(r, name))) {
                abdb_left_out_count_value(
                    s->in->left_out, abdb_arena_printf(a, "%.*s", (int)(end - 1 - name), name));
            }
        }
}

static void add_rates(abdb_entry *entry, abdb_arena *a, const abdb_flat_record *r,
                      long long requests)
{
    static const char tokens[] = "results_mean_output_throughput_token_per_s",
                      per_minute[] = "results_num_completed_requests_per_min";
    double rate = abdb_flat_number_or_nan_note_doubt(r, per_minute);
    abdb_result *result = abdb_entry_add_printed_result_or_count_left_out(
        entry, "tokens_per_s", "value", abdb_flat_text_or_null_mark_asked(r, tokens),
        abdb_flat_decimal_mark(r, tokens), "token/s");

    if (result) result->n = requests;
    result = rate > 0 ? abdb_entry_add_result_or_count_left_out(entry, "queries_per_s", rate / 60)
                      : NULL;
    if (!result) return;
    result->statistic = "value";
    result->n = requests;
    result->raw_value = abdb_flat_text_or_null_mark_asked(r, per_minute);
    result->raw_unit = abdb_arena_printf(a, "query/min");
}

static void fill_entry_of_summary(abdb_entry *entry, abdb_arena *a, const state *s,
                                  const abdb_flat_record *r)
{
    static const char *const factors[][2] = {{"num_concurrent_requests", "concurrency"},
                                             {"framework", "provider_of_service"},
                                             {"results_num_requests_started", "num_prompts"}};
    double completed = abdb_flat_number_or_nan_note_doubt(r, "results_num_completed_requests"),
           failed = abdb_flat_number_or_nan_note_doubt(r, "results_number_errors");
    long long requests = completed > 0 ? (long long)completed : 0;

    (void)abdb_flat_number_or_nan_note_doubt(r, "results_error_rate");
    entry->field[ABDB_FIELD_scenario] = "serving";
    entry->field[ABDB_FIELD_model] = abdb_flat_text_or_null_mark_asked(r, "model");
    for (size_t i = 0; i < sizeof factors / sizeof factors[0]; i++)
        abdb_entry_add_factor_parsing_number(entry, factors[i][1],
                                             abdb_flat_text_or_null_mark_asked(r, factors[i][0]));
    add_rates(entry, a, r, requests);
    add_or_count_statistics(entry, a, s, r, requests);
    abdb_entry_mark_failed_if_requests_failed(entry, completed, completed + failed);
    (void)abdb_entry_fail_if_no_request_completed(entry, completed);
    abdb_flat_add_unread_values_as_factors(entry, r, noise, a);
}

static abdb_status import_or_reject_summary(void *self, const abdb_flat_record *r, abdb_error *err)
{
    const state *s = self;
    abdb_entry *entry = calloc(1, sizeof *entry);
    abdb_arena a = {0};
    abdb_status st = ABDB_OK;

    if (!entry) return ABDB_FAIL(err, ABDB_NOMEM, "an entry");
    abdb_entry_set_measured_run(entry, "llmperf", "serving", r->locator, r->line);
    fill_entry_of_summary(entry, &a, s, r);
    if (!entry->results && !entry->field[ABDB_FIELD_status]) {
        TRY(abdb_flat_reject_and_end_row(s->sink, r, "results_mean_output_throughput_token_per_s",
                                         "no rate, no latency", err));
        goto done;
    }
    TRY(abdb_entry_check_and_deliver_row(entry, s->words, s->sink, err));
done:
    free(entry);
    abdb_arena_free(&a);
    return st;
}

static abdb_status import_summaries(const abdb_input *in, const abdb_overrides *overrides,
                                    const abdb_sink *sink, abdb_error *err)
{
    state s = {.in = in, .words = overrides, .sink = sink};

    return abdb_flat_deliver_json_sql_or_csv_records(in, sink, import_or_reject_summary, &s, err);
}

const abdb_importer abdb_import_llmperf = {
    "llmperf", "llmperf, JSON: the summary of a run", 1, NULL, llmperf_bid, import_summaries};
