/* import_inferencex.c - InferenceX (InferenceMAX before 2026): agg_*.json of a run, the rows of its
 * dashboard's API, and rows of vLLM's nightly runs in the same form.
 *
 * How rows of eight authors of 2025 and 2026, and four versions of its sources, disagree: a run's
 * file is an object, or an array of them; the API has "hardware" for "hw", and rates and latencies
 * inside "metrics"; vLLM's nightly has "device". "hw" is a runner: the GPU and its cluster
 * ("h200-cr", "gb200-multinode"). Times are seconds. Rates are per GPU. On one node they are of all
 * tp * pp * pcp_size GPUs; the API has num_prefill_gpu and num_decode_gpu there, too, of the same
 * GPUs. With prefill and decode apart, output is per GPU that decodes, or per GPU of all, by
 * version: then the sum with the input rate shows which, or the rate is left out. Runs of agents
 * have "output_tput_tps" of all "num_gpus". Interactivity is one over TPOT. The input row is an
 * object.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ingest/check_entry.h"
#include "ingest/read/flat_records.h"

typedef struct {
    const abdb_input *in;
    const abdb_overrides *words;
    const abdb_sink *sink;
} state;

static int inferencex_bid(const abdb_input *in)
{
    return abdb_flat_has_all_keys_or_columns(in, "\"output_tput_per_gpu\"|\"conc\"") ||
                   abdb_flat_has_all_keys_or_columns(in, "\"tput_per_gpu\"|\"conc\"") ||
                   abdb_flat_has_all_keys_or_columns(in, "\"output_tput_tps\"|\"conc\"")
               ? 89
               : 0;
}

/* What follows from the rates and times that are kept, and where files lay. */
static const char *const noise[] = {"tput_per_gpu",
                                    "input_tput_per_gpu",
                                    "input_tput_per_prefill_gpu",
                                    "*.tput_per_gpu",
                                    "*.input_tput_per_gpu",
                                    "*.input_tput_per_prefill_gpu",
                                    "mean_intvty",
                                    "median_intvty",
                                    "metrics.mean_intvty",
                                    "metrics.median_intvty",
                                    "run_url",
                                    "result_filename",
                                    "id",
                                    NULL};

/* A member, outside or inside "metrics"; NULL: none. */
static const char *member_or_null(const abdb_flat_record *r, const char *name)
{
    char inner[64];
    const char *text = abdb_flat_text_or_null_mark_asked(r, name);

    snprintf(inner, sizeof inner, "metrics.%s", name);
    return text ? text : abdb_flat_text_or_null_mark_asked(r, inner);
}

static double number_or_nan(const abdb_flat_record *r, const char *name)
{
    char inner[64];
    double x = abdb_flat_number_or_nan_note_doubt(r, name);

    snprintf(inner, sizeof inner, "metrics.%s", name);
    return isnan(x) ? abdb_flat_number_or_nan_note_doubt(r, inner) : x;
}

static bool is_true(const abdb_flat_record *r, const char *name)
{
    const char *text = member_or_null(r, name);

    return text && (strcmp(text, "true") == 0 || strcmp(text, "True") == 0);
}

/* --- devices ---------------------------------------------------------------------------------- */

/* "h200-cr": the GPU before its cluster. NULL: unknown, or of two kinds. */
static const char *device_of_runner_or_null(const abdb_flat_record *r, abdb_arena *a)
{
    static const char *const names[] = {"hw", "hardware", "device"};
    const char *name = NULL, *prefill = member_or_null(r, "prefill_hw"),
               *decode = member_or_null(r, "decode_hw");

    for (size_t i = 0; i < 3 && !name; i++) name = member_or_null(r, names[i]);
    if (!name || (prefill && decode && strcmp(prefill, decode) != 0)) return NULL;
    return abdb_arena_copy(a, name, strcspn(name, "-"));
}

/* A count of GPUs, or 0. */
static long long count_or_zero(const abdb_flat_record *r, const char *name)
{
    const char *text = member_or_null(r, name);
    long long n = 0;

    return text && abdb_integer_parse_in_range(text, ABDB_MARK_POINT, 1, 1 << 20, &n) ? n : 0;
}

/* Are prefill and decode on GPUs of their own? */
static bool is_disaggregated(const abdb_flat_record *r)
{
    return is_true(r, "disagg") || (is_true(r, "is_multinode") &&
                                    count_or_zero(r, "num_decode_gpu") && !count_or_zero(r, "tp"));
}

/* The GPUs of the run; 0: the row does not tell. */
static long long devices_of_run_or_zero(const abdb_flat_record *r)
{
    static const char *const factors[] = {"pp", "pcp_size"};
    long long n = count_or_zero(r, "num_gpus"), prefill = count_or_zero(r, "num_prefill_gpu"),
              decode = count_or_zero(r, "num_decode_gpu");

    if (n) return n;
    if (is_disaggregated(r)) return prefill && decode ? prefill + decode : 0;
    n = count_or_zero(r, "tp");
    for (size_t i = 0; n && i < 2; i++)
        if (member_or_null(r, factors[i])) n *= count_or_zero(r, factors[i]);
    if (n) return n;
    return prefill == decode || !prefill ? decode : 0;
}

/* --- values ----------------------------------------------------------------------------------- */

static bool nearly_equal(double a, double b)
{
    return fabs(a - b) <= 0.002 * fabs(b);
}

/* Output tokens a second of all GPUs that the rate per GPU is of; 0: the row does not tell. */
static double gpus_behind_output_rate_or_zero(const abdb_flat_record *r, long long devices)
{
    double prefill = (double)count_or_zero(r, "num_prefill_gpu"),
           decode = (double)count_or_zero(r, "num_decode_gpu"),
           output = number_or_nan(r, "output_tput_per_gpu"),
           input = number_or_nan(r, "input_tput_per_gpu"), all = number_or_nan(r, "tput_per_gpu");
    bool by_role, of_all;

    if (!is_disaggregated(r)) return (double)devices;
    by_role = nearly_equal(output * decode + input * prefill, all * (double)devices);
    of_all = nearly_equal(output + input, all);
    return !devices || by_role == of_all ? 0 : by_role ? decode : (double)devices;
}

static void add_output_rate(abdb_entry *entry, const state *s, const abdb_flat_record *r,
                            long long devices)
{
    const char *total = member_or_null(r, "output_tput_tps"),
               *decode = member_or_null(r, "output_tput_per_decode_gpu"),
               *each = member_or_null(r, "output_tput_per_gpu");
    double gpus = total    ? 1
                  : decode ? (double)count_or_zero(r, "num_decode_gpu")
                  : each   ? gpus_behind_output_rate_or_zero(r, devices)
                           : 0;
    const char *text = total ? total : decode ? decode : each;
    abdb_result *result;

    if (!text) return;
    if (!(gpus > 0)) {
        abdb_left_out_count_value(s->in->left_out, "output rate of an unknown number of GPUs");
        return;
    }
    result = abdb_entry_add_printed_result_or_count_left_out(entry, "tokens_per_s", "value", text,
                                                             ABDB_MARK_UNKNOWN, "token/s");
    if (!result || total) return;
    result->value *= gpus;
    result->raw_unit = "token/s/GPU";
}

/* "p99_ttft", "metrics.mean_tpot", "p90_e2el": every statistic of every latency. */
static void add_latencies(abdb_entry *entry, abdb_arena *a, const abdb_flat_record *r)
{
    static const char *const kinds[][2] = {
        {"ttft", "ttft_s"}, {"tpot", "tpot_s"}, {"itl", "itl_s"}, {"e2el", "latency_s"}};

    for (size_t i = 0; i < r->items; i++) {
        const char *key = r->item[i].name, *name = strncmp(key, "metrics.", 8) == 0 ? key + 8 : key;
        size_t head = strcspn(name, "_");

        for (size_t k = 0; k < 4; k++) {
            const char *statistic;
            abdb_result *result;
            double sd;

            if (strcmp(name + head + (name[head] == '_'), kinds[k][0]) != 0) continue;
            statistic = abdb_arena_copy(a, name, head);
            if (strcmp(statistic, "p50") == 0) statistic = "median";
            if (strcmp(statistic, "mean") != 0 && strcmp(statistic, "median") != 0 &&
                strcmp(statistic, "min") != 0 && strcmp(statistic, "max") != 0 &&
                (*statistic != 'p' || strspn(statistic + 1, "0123456789.") != head - 1))
                continue;
            result = abdb_entry_add_printed_result_or_count_left_out(
                entry, kinds[k][1], statistic, abdb_flat_text_or_null_mark_asked(r, key),
                abdb_flat_decimal_mark(r, key), "s");
            sd = number_or_nan(r, abdb_arena_printf(a, "std_%s", kinds[k][0]));
            if (!result || strcmp(statistic, "mean") != 0 || !(sd > 0)) continue;
            result->low = result->value - sd;
            result->high = result->value + sd;
            result->spread = "sd";
        }
    }
}

static abdb_status import_or_reject_row(void *self, const abdb_flat_record *r, abdb_error *err)
{
    static const char *const factors[][2] = {{"conc", "concurrency"},
                                             {"isl", "input_tokens"},
                                             {"osl", "output_tokens"},
                                             {"hw", "runner"},
                                             {"tp", NULL},
                                             {"pp", NULL},
                                             {"pcp_size", NULL},
                                             {"num_prefill_gpu", NULL},
                                             {"num_decode_gpu", NULL},
                                             {"prefill_hw", NULL},
                                             {"decode_hw", NULL},
                                             {"disagg", NULL},
                                             {"is_multinode", NULL},
                                             {"num_requests_total", NULL},
                                             {"num_requests_successful", NULL},
                                             {"output_tput_per_decode_gpu", NULL}};
    const state *s = self;
    abdb_entry *entry = calloc(1, sizeof *entry);
    abdb_arena a = {0};
    long long devices = devices_of_run_or_zero(r);
    abdb_status st = ABDB_OK;

    if (!entry) return ABDB_FAIL(err, ABDB_NOMEM, "an entry");
    abdb_entry_set_measured_run(entry, "inferencex", "serving", r->locator, r->line);
    entry->field[ABDB_FIELD_scenario] = "serving";
    entry->field[ABDB_FIELD_model] = member_or_null(r, "model");
    entry->field[ABDB_FIELD_dtype] = member_or_null(r, "precision");
    entry->field[ABDB_FIELD_date] = member_or_null(r, "date");
    entry->field[ABDB_FIELD_device] = device_of_runner_or_null(r, &a);
    if (devices) entry->field[ABDB_FIELD_devices] = abdb_arena_printf(&a, "%lld", devices);
    for (size_t i = 0; i < sizeof factors / sizeof factors[0]; i++)
        abdb_entry_add_factor_parsing_number(entry, factors[i][1] ? factors[i][1] : factors[i][0],
                                             member_or_null(r, factors[i][0]));
    add_output_rate(entry, s, r, devices);
    add_latencies(entry, &a, r);
    abdb_entry_mark_failed_if_requests_failed(entry, number_or_nan(r, "num_requests_successful"),
                                              number_or_nan(r, "num_requests_total"));
    abdb_flat_add_unread_values_as_factors(entry, r, noise, &a);
    abdb_flat_copy_doubt_to_entry(entry, r);
    if (entry->results)
        TRY(abdb_entry_check_and_deliver_row(entry, s->words, s->sink, err));
    else
        TRY(abdb_flat_reject_and_end_row(s->sink, r, "output_tput_per_gpu",
                                         "no rate and no latency above zero", err));
done:
    free(entry);
    abdb_arena_free(&a);
    return st;
}

static abdb_status import_rows(const abdb_input *in, const abdb_overrides *overrides,
                               const abdb_sink *sink, abdb_error *err)
{
    state s = {in, overrides, sink};

    return abdb_flat_deliver_json_sql_or_csv_records(in, sink, import_or_reject_row, &s, err);
}

const abdb_importer abdb_import_inferencex = {
    "inferencex", "InferenceX: aggregates of runs, rows of its API", 1, NULL, inferencex_bid,
    import_rows};
