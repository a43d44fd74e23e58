/* import_aiperf.c - exports of AIPerf and of its predecessor genai-perf: JSON and CSV of a run.
 *
 * How eight files and excerpts disagree (four files of AIPerf before 0.8 to 0.10, a post, a page,
 * two of tests; of genai-perf only tables of CSV were seen, its JSON is read as its successor
 * describes it): a metric is {"unit": "ms", "avg": ...}, which of 0.10 has "count" and "sum", too;
 * the load stands in input_config.loadgen, later in the phase of input_config.phases that is not
 * excluded, of genai-perf in input_config.perf_analyzer.stimulus or input_config itself; so do the
 * names of models. The CSV has two tables, "Metric,avg,..." and "Metric,Value", with the unit in
 * parentheses, then one of GPUs; it states neither model nor load. genai-perf groups thousands,
 * orders columns otherwise and spells "Time To First Token". request_count counts requests that
 * were answered, error_request_count the others; a run without an answer has the latter alone.
 * inter_token_latency is a request's mean gap, which vLLM's client calls TPOT; inter_chunk_latency
 * has each gap. Statistics of other metrics are left out by name. The device is what GPU telemetry
 * lists, if all its GPUs are alike; how many of them served is unknown. The input row is a file.
 */
#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ingest/check_entry.h"
#include "ingest/programs/serving_statistics.h"
#include "ingest/read/csv.h"
#include "ingest/read/flat_records.h"

#define MEMBERS(object) ((json_t *)(size_t)(object))

static int aiperf_bid(const abdb_input *in)
{
    static const char *const keys[] = {"\"input_config\"|\"request_count\"",
                                       "\"input_config\"|\"error_request_count\"",
                                       "\"input_config\"|\"request_throughput\""};

    for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++)
        if (abdb_flat_has_all_keys_or_columns(in, keys[i])) return 86;
    if (!abdb_csv_first_line_has_all_words(in->text, in->text_size, "Metric|avg|min|max")) return 0;
    return memmem(in->text, in->text_size, "\nMetric,Value", 13) ? 86 : 0;
}

/* --- the form of JSON ------------------------------------------------------------------------- */

static const struct {
    const char *name, *metric;
} latencies[] = {{"time_to_first_token", "ttft_s"},
                 {"inter_token_latency", "tpot_s"},
                 {"inter_chunk_latency", "itl_s"},
                 {"request_latency", "latency_s"}};
enum { LATENCIES = sizeof latencies / sizeof latencies[0] };

/* Times of day, places, what another member says, and metrics, which are read apart. */
static const char *const noise[] = {"start_time",
                                    "end_time",
                                    "benchmark_id",
                                    "*.benchmark_id",
                                    "telemetry_data.*",
                                    "*cli_command",
                                    "*.urls",
                                    "*.url",
                                    "*.artifacts.*",
                                    "*artifact_dir*",
                                    "*.output.*",
                                    "*.ui",
                                    "*.profile_export_*",
                                    "input_config.endpoint.model_names",
                                    "input_config.model",
                                    "input_config.model_names",
                                    "input_config.formatted_model_name",
                                    "input_config.tokenizer.name",
                                    "input_config.tokenizer.resolved_names.*",
                                    "input_config.concurrency",
                                    "input_config.request_rate",
                                    "input_config.loadgen.concurrency",
                                    "input_config.loadgen.request_rate",
                                    "input_config.loadgen.request_count",
                                    "input_config.perf_analyzer.stimulus.*",
                                    "was_cancelled",
                                    "*.count",
                                    NULL};

static const char *unit_in_spelling_of_abdb(const char *unit)
{
    return unit && strcmp(unit, "sec") == 0 ? "s" : unit;
}

static bool is_metric_object(const json_t *value)
{
    return json_is_object(value) && json_is_string(json_object_get(value, "unit"));
}

static double mean_of_member_or_nan(const json_t *root, const char *name)
{
    return abdb_serving_json_number_or_nan(json_object_get(root, name), "avg");
}

/* What a metric's object has beside its statistics. */
static void add_other_members_of_metric_as_factors(abdb_entry *entry, abdb_arena *a,
                                                   const char *metric, const json_t *object)
{
    static const char *const known[] = {"unit",    "count", "sum",    "std", "value",
                                        "std_dev", "tag",   "header", NULL};
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

/* Makes results or factors of one metric; counts it as left out if it is another. */
static void add_metric_or_count_left_out(abdb_entry *entry, abdb_arena *a, const abdb_input *in,
                                         const char *name, const json_t *object, long long requests)
{
    static const char *const read_elsewhere[] = {
        "request_count", "error_request_count",          "benchmark_duration",
        "total_osl",     "total_output_sequence_length", NULL};
    bool keeps_mean = true;
    const char *unit = unit_in_spelling_of_abdb(json_string_value(json_object_get(object, "unit")));

    add_other_members_of_metric_as_factors(entry, a, name, object);
    for (size_t i = 0; i < LATENCIES; i++)
        if (strcmp(name, latencies[i].name) == 0) {
            abdb_serving_add_all_statistics(entry, a, latencies[i].metric, unit, object, requests);
            return;
        }
    if (strcmp(name, "output_token_throughput") == 0)
        abdb_serving_add_rate_from_mean(entry, a, "tokens_per_s", "token/s", object, requests);
    else if (strcmp(name, "request_throughput") == 0)
        abdb_serving_add_rate_from_mean(entry, a, "queries_per_s", "query/s", object, requests);
    else if (strcmp(name, "input_sequence_length") == 0)
        abdb_serving_add_mean_as_factor(entry, a, "input_tokens", object);
    else if (strcmp(name, "output_sequence_length") == 0)
        abdb_serving_add_mean_as_factor(entry, a, "output_tokens", object);
    else if (strcmp(name, "goodput") == 0)
        abdb_serving_add_mean_as_factor(entry, a, "request_goodput", object);
    else
        keeps_mean = abdb_text_is_in_list(name, read_elsewhere);
    abdb_serving_count_statistics_left_out(in->left_out, name, object, keeps_mean, a);
}

/* The phase that was measured. NULL: no phases are stated, or several were. */
static const json_t *measured_phase_or_null(const json_t *config)
{
    const json_t *phase, *found = NULL;
    size_t i;

    json_array_foreach(json_object_get(config, "phases"), i, phase)
    {
        if (json_is_true(json_object_get(phase, "exclude_from_results"))) continue;
        if (found) return NULL;
        found = phase;
    }
    return found;
}

/* The objects of lists become settings, too: "input_config.phases.0.type". */
static void add_objects_of_lists_as_factors(abdb_entry *entry, abdb_arena *a, const char *outer,
                                            const json_t *object, bool skips_load)
{
    static const char *const load[] = {"*.concurrency", "*.rate", "*.requests", "*.name", NULL};
    static const char *const names[] = {"input_config.models.items.*.name", NULL};
    const char *name;
    json_t *value, *item;
    size_t i;

    json_object_foreach(MEMBERS(object), name, value)
    {
        const char *full = abdb_arena_printf(a, "%s.%s", outer, name);

        if (json_is_object(value)) add_objects_of_lists_as_factors(entry, a, full, value, false);
        json_array_foreach(value, i, item)
        {
            bool phases = skips_load && strcmp(name, "phases") == 0;

            abdb_flat_add_json_members_as_factors(entry, abdb_arena_printf(a, "%s.%zu", full, i),
                                                  item, phases ? load : names, a);
        }
    }
}

/* The first of a member's values that is stated: of a list only if it has one. */
static const char *sole_text_or_null(const json_t *value, abdb_arena *a)
{
    if (json_is_array(value))
        return json_array_size(value) == 1 ? sole_text_or_null(json_array_get(value, 0), a) : NULL;
    if (json_is_object(value)) return sole_text_or_null(json_object_get(value, "name"), a);
    return abdb_serving_json_text_or_null(value, a);
}

static void add_load_model_and_tokenizer(abdb_entry *entry, abdb_arena *a, const json_t *config)
{
    const json_t *endpoint = json_object_get(config, "endpoint"),
                 *phase = measured_phase_or_null(config),
                 *loadgen = json_object_get(config, "loadgen"),
                 *stimulus = json_object_get(json_object_get(config, "perf_analyzer"), "stimulus");
    const json_t *models[] = {json_object_get(endpoint, "model_names"),
                              json_object_get(json_object_get(config, "models"), "items"),
                              json_object_get(config, "model_names"),
                              json_object_get(config, "model")};
    const json_t *loads[] = {phase, loadgen, stimulus, config};

    for (size_t i = 0; i < sizeof models / sizeof models[0] && !entry->field[ABDB_FIELD_model]; i++)
        entry->field[ABDB_FIELD_model] = sole_text_or_null(models[i], a);
    for (size_t i = 0; i < sizeof loads / sizeof loads[0]; i++) {
        static const char *const names[][2] = {{"concurrency", "concurrency"},
                                               {"request_rate", "request_rate"},
                                               {"rate", "request_rate"},
                                               {"request_count", "num_prompts"},
                                               {"requests", "num_prompts"}};

        for (size_t k = 0; k < sizeof names / sizeof names[0]; k++)
            if (!abdb_entry_find_factor(entry, names[k][1]))
                abdb_entry_add_factor_parsing_number(
                    entry, names[k][1],
                    sole_text_or_null(json_object_get(loads[i], names[k][0]), a));
    }
    abdb_entry_add_factor_parsing_number(
        entry, "tokenizer", sole_text_or_null(json_object_get(config, "tokenizer"), a));
}

/* The GPUs' name, if telemetry lists any and all are alike; their metrics are left out. */
static void set_device_if_telemetry_names_one_kind(abdb_entry *entry, abdb_arena *a,
                                                   const abdb_input *in, const json_t *root)
{
    const json_t *endpoints = json_object_get(json_object_get(root, "telemetry_data"), "endpoints");
    const char *place, *number, *name = NULL;
    json_t *endpoint, *gpu;
    long gpus = 0;

    json_object_foreach(MEMBERS(endpoints), place, endpoint)
    {
        json_object_foreach(json_object_get(endpoint, "gpus"), number, gpu)
        {
            const char *metric, *said = json_string_value(json_object_get(gpu, "gpu_name"));
            json_t *value;

            json_object_foreach(json_object_get(gpu, "metrics"), metric, value)
                abdb_serving_count_statistics_left_out(in->left_out, "telemetry_data", value, false,
                                                       a);
            if (!said || (name && strcmp(name, said) != 0)) return;
            name = said;
            gpus++;
        }
    }
    if (!name) return;
    entry->field[ABDB_FIELD_device] = name;
    abdb_entry_add_factor_parsing_number(entry, "gpus_watched", abdb_arena_printf(a, "%ld", gpus));
}

/* Marks a run of which requests failed, or that was cancelled; one without an answer is kept
 * without results. */
static void mark_failed_requests_and_cancelled_run(abdb_entry *entry, const json_t *root)
{
    double completed = mean_of_member_or_nan(root, "request_count"),
           failed = mean_of_member_or_nan(root, "error_request_count");

    if (isnan(completed) && failed > 0) completed = 0;
    abdb_entry_mark_failed_if_requests_failed(entry, completed, completed + failed);
    if (json_is_true(json_object_get(root, "was_cancelled")))
        abdb_entry_add_mark_and_problem(entry, "failed", "the run was cancelled");
    (void)abdb_entry_fail_if_no_request_completed(entry, completed);
}

static void mark_rates_not_matching_totals(abdb_entry *entry, const json_t *root)
{
    double duration = mean_of_member_or_nan(root, "benchmark_duration"),
           tokens = mean_of_member_or_nan(root, "total_osl");

    if (isnan(tokens)) tokens = mean_of_member_or_nan(root, "total_output_sequence_length");
    abdb_entry_mark_rate_not_matching_amount(
        entry, mean_of_member_or_nan(root, "output_token_throughput"), NULL, duration, tokens, 1.2);
    abdb_entry_mark_rate_not_matching_amount(
        entry, mean_of_member_or_nan(root, "request_throughput"), NULL, duration,
        mean_of_member_or_nan(root, "request_count"), 1.2);
}

/* What genai-perf never writes. */
static bool is_run_of_aiperf(const json_t *root)
{
    return json_object_get(root, "aiperf_version") || json_object_get(root, "was_cancelled") ||
           json_object_get(root, "benchmark_duration") ||
           json_object_get(root, "error_request_count");
}

/* Fills the entry of a run. Returns its settings, whose texts it borrows, for json_decref. */
static json_t *fill_entry_of_run_get_settings(abdb_entry *entry, abdb_arena *a,
                                              const abdb_input *in, const json_t *root)
{
    const json_t *config = json_object_get(root, "input_config");
    double completed = mean_of_member_or_nan(root, "request_count");
    json_t *settings = json_object(), *value;
    const char *name;

    abdb_entry_set_measured_run(entry, is_run_of_aiperf(root) ? "aiperf" : "genai-perf", "serving",
                                "$", 1);
    entry->field[ABDB_FIELD_scenario] = "serving";
    entry->field[ABDB_FIELD_date] = json_string_value(json_object_get(root, "start_time"));
    add_load_model_and_tokenizer(entry, a, config);
    set_device_if_telemetry_names_one_kind(entry, a, in, root);
    json_object_foreach(MEMBERS(root), name, value)
    {
        if (is_metric_object(value))
            add_metric_or_count_left_out(entry, a, in, name, value,
                                         completed > 0 ? (long long)completed : 0);
        else
            json_object_set(settings, name, value);
    }
    mark_rates_not_matching_totals(entry, root);
    mark_failed_requests_and_cancelled_run(entry, root);
    abdb_flat_add_json_members_as_factors(entry, NULL, settings, noise, a);
    add_objects_of_lists_as_factors(entry, a, "input_config", config,
                                    measured_phase_or_null(config) != NULL);
    return settings;
}

/* --- the form of CSV -------------------------------------------------------------------------- */

typedef struct {
    const abdb_sink *sink;
    json_t *root;     /* what the tables say, in the form of JSON */
    char *column[64]; /* of the table at hand */
    size_t columns;
    int table; /* 0: none yet, 1: statistics, 2: values, 3: GPUs, or another */
    abdb_arena arena;
} csv_state;

/* "Time To First Token (ms)": time_to_first_token, and the unit, "" where there is none. */
static const char *name_and_unit_of_title(abdb_arena *a, const char *title, const char **unit)
{
    const char *open = strrchr(title, '(');
    size_t size = open ? (size_t)(open - title) : strlen(title);
    char *name = abdb_arena_copy(a, title, size);

    *unit = open ? abdb_arena_printf(a, "%.*s", (int)strcspn(open + 1, ")"), open + 1) : "";
    for (char *c = name; c && *c; c++) *c = *c == ' ' ? '_' : (char)tolower((unsigned char)*c);
    while (name && size && name[size - 1] == '_') name[--size] = '\0';
    return name;
}

static abdb_status begin_csv_table(csv_state *s, const abdb_csv_row *row, abdb_error *err)
{
    int table = strcmp(row->field[0], "Metric") != 0                    ? 3
                : row->count > 1 && strcmp(row->field[1], "Value") == 0 ? 2
                                                                        : 1;

    if (table <= s->table && table < 3)
        return ABDB_FAIL(err, ABDB_DATA, "line %ld: a second run begins; one run a file",
                         row->line);
    s->table = table;
    s->columns = row->count < 64 ? row->count : 64;
    for (size_t i = 0; i < s->columns; i++)
        s->column[i] = abdb_arena_copy(&s->arena, row->field[i], strlen(row->field[i]));
    return ABDB_OK;
}

/* Numbers of a row that is refused. */
static void count_numbers_of_row(const abdb_csv_row *row)
{
    for (size_t i = 1; i < row->count; i++)
        abdb_add_thread_values_read(abdb_has_digit(row->field[i]));
}

/* A row of the table of GPUs: its name, under an endpoint as the JSON has it. */
static void store_gpu_of_row(csv_state *s, const abdb_csv_row *row)
{
    json_t *gpus = json_object_get(s->root, "gpus");

    for (size_t i = 0; i < row->count && i < s->columns; i++)
        if (strcmp(s->column[i], "GPU_Name") == 0)
            json_object_set_new(gpus, row->count > 3 ? row->field[3] : row->field[i],
                                json_pack("{s:s}", "gpu_name", row->field[i]));
}

static abdb_status store_csv_row(void *self, const abdb_csv_row *row, abdb_error *err)
{
    csv_state *s = self;
    const char *unit, *name;
    json_t *metric;

    if (strcmp(row->field[0], "Metric") == 0 || strcmp(row->field[0], "Endpoint") == 0)
        return begin_csv_table(s, row, err);
    if (row->count != s->columns) {
        count_numbers_of_row(row);
        return abdb_csv_reject_and_end_row(s->sink, row, "row",
                                           "more or fewer cells than the header has", err);
    }
    if (s->table == 3) {
        store_gpu_of_row(s, row);
        return ABDB_OK;
    }
    name = name_and_unit_of_title(&s->arena, row->field[0], &unit);
    metric = json_pack("{s:s}", "unit", unit);
    for (size_t i = 1; i < row->count; i++)
        if (*row->field[i])
            json_object_set_new(metric, s->table == 2 ? "avg" : s->column[i],
                                json_string(row->field[i]));
    json_object_set_new(s->root, name, metric);
    return ABDB_OK;
}

/* The tables of a CSV as the object that the JSON would be; the caller's to json_decref. */
static abdb_status parse_csv_tables(json_t **out, const abdb_input *in, const abdb_sink *sink,
                                    abdb_error *err)
{
    csv_state s = {.sink = sink, .root = json_object()};
    json_t *gpus;
    abdb_status st = ABDB_OK;

    json_object_set_new(s.root, "gpus", json_object());
    TRY(abdb_csv_parse_input_rows_to_handler(in, ',', store_csv_row, &s, err));
    gpus = json_object_get(s.root, "gpus");
    json_object_set_new(s.root, "telemetry_data",
                        json_pack("{s:{s:{s:O}}}", "endpoints", "file", "gpus", gpus));
    json_object_del(s.root, "gpus");
    *out = json_incref(s.root);
done:
    json_decref(s.root);
    abdb_arena_free(&s.arena);
    return st;
}

static abdb_status import_aiperf_run(const abdb_input *in, const abdb_overrides *overrides,
                                     const abdb_sink *sink, abdb_error *err)
{
    abdb_entry *entry = calloc(1, sizeof *entry);
    abdb_arena a = {0};
    json_t *root = NULL, *settings = NULL;
    abdb_status st = ABDB_OK;

    if (!entry) return ABDB_FAIL(err, ABDB_NOMEM, "an entry");
    if (!abdb_flat_has_all_keys_or_columns(in, "\"input_config\"") &&
        abdb_csv_first_line_has_all_words(in->text, in->text_size, "Metric|avg|min|max"))
        TRY(parse_csv_tables(&root, in, sink, err));
    else
        TRY(abdb_flat_parse_json_document_quoting_nan(&root, in, err));
    settings = fill_entry_of_run_get_settings(entry, &a, in, root);
    if (!entry->results && !entry->field[ABDB_FIELD_status]) {
        abdb_reject reject = {
            .line = 1, .field = "request_latency", .reason = "no rate, no latency"};

        TRY(sink->reject(sink->self, &reject, err));
        TRY(sink->row_end(sink->self, err));
        goto done;
    }
    TRY(abdb_entry_check_and_deliver_row(entry, overrides, sink, err));
done:
    json_decref(settings);
    json_decref(root);
    free(entry);
    abdb_arena_free(&a);
    return st;
}

const abdb_importer abdb_import_aiperf = {"aiperf",   "AIPerf and genai-perf, JSON or CSV of a run",
                                          1,          NULL,
                                          aiperf_bid, import_aiperf_run};
