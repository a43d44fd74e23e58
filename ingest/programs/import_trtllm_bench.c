/* import_trtllm_bench.c - what trtllm-bench of TensorRT-LLM prints when a run is over.
 *
 * How logs of one author and posts and pages of others, of 0.16 to 1.1, disagree: the first
 * heading is ENGINE DETAILS, later "PYTORCH BACKEND" and the like; requests are counted under
 * PERFORMANCE OVERVIEW, later under REQUEST DETAILS; "Token Throughput" of 0.16 counts tokens of
 * answers, as "Total Output Throughput" does later, and "Total Token Throughput" counts prompts,
 * too. Without streaming there is no TTFT and no TPOT. Names of rates per user and per GPU changed
 * twice; they follow, and are left out by name. Pages keep the last headings alone. No line names
 * the device; TP times PP devices took part. The format of the weights is Quantization, else
 * Dtype. The load is the mean number of concurrent requests, or --concurrency of a command before
 * the run. The input row is a run.
 */
#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ingest/check_entry.h"
#include "ingest/read/text_lines.h"
#include "ingest/read/unknown_factor.h"

enum { KEY_MAX = 80 };

typedef struct {
    const abdb_overrides *words;
    const abdb_sink *sink;
    abdb_left_out *left_out;
    abdb_entry *entry; /* of the run at hand, with its results */
    abdb_settings settings;
    const char *model, *dtype, *quantization, *concurrency;
    double requests, tp, pp, seconds, rate, output_tokens;
    bool open, overview; /* overview: its heading was seen */
    long line;           /* where the run begins */
    abdb_arena arena;
} state;

static int trtllm_bench_bid(const abdb_input *in)
{
    return lines_any_in_first_part_begins_with(in, "= PERFORMANCE OVERVIEW") &&
                   lines_any_in_first_part_begins_with(in, "Request Throughput (req/sec):")
               ? 83
               : 0;
}

/* --- a run ------------------------------------------------------------------------------------ */

static void forget_numbers(state *s)
{
    s->requests = s->tp = s->pp = s->seconds = s->rate = s->output_tokens = NAN;
}

static void forget_run(state *s)
{
    abdb_entry_reset(s->entry);
    s->settings = (abdb_settings){0};
    s->model = s->dtype = s->quantization = s->concurrency = NULL;
    forget_numbers(s);
    s->open = s->overview = false;
    s->line = 0;
    abdb_arena_free(&s->arena);
}

static const char *number_format_of_run(const state *s)
{
    static const char *const names[][2] = {{"FP8", "fp8"},
                                           {"NVFP4", "fp4"},
                                           {"bfloat16", "bf16"},
                                           {"float16", "fp16"},
                                           {"float32", "fp32"}};
    const char *said = s->quantization ? s->quantization : s->dtype;

    for (size_t i = 0; said && i < sizeof names / sizeof names[0]; i++)
        if (strcmp(said, names[i][0]) == 0) return names[i][1];
    return said;
}

static void fill_entry_of_run(state *s)
{
    abdb_entry *entry = s->entry;

    abdb_entry_set_measured_run(entry, "trtllm-bench", "serving",
                                abdb_arena_printf(&s->arena, "line %ld", s->line), s->line);
    entry->field[ABDB_FIELD_scenario] = "in-process";
    entry->field[ABDB_FIELD_backend] = "TensorRT-LLM";
    entry->field[ABDB_FIELD_model] = s->model;
    entry->field[ABDB_FIELD_dtype] = number_format_of_run(s);
    if (s->tp >= 1 && s->pp >= 1)
        entry->field[ABDB_FIELD_devices] = abdb_arena_printf(&s->arena, "%.0f", s->tp * s->pp);
    abdb_entry_add_factor_parsing_number(entry, "concurrency", s->concurrency);
    if (s->quantization)
        abdb_entry_add_factor_parsing_number(entry, "quantization", s->quantization);
    for (size_t i = 0; i < entry->results; i++)
        entry->result[i].n = s->requests > 0 ? (long long)s->requests : 0;
    abdb_entry_add_settings_as_factors(entry, &s->settings, NULL, &s->arena);
    abdb_entry_mark_rate_not_matching_amount(entry, s->rate, NULL, s->seconds,
                                             s->requests * s->output_tokens, 1.2);
}

/* Hands the run over, or rejects it where its overview or its rate is missing, and forgets it. */
static abdb_status import_or_reject_run_and_forget(void *self, abdb_error *err)
{
    state *s = self;
    abdb_reject reject = {.line = s->line,
                          .field = "Total Output Throughput (tokens/sec)",
                          .reason = "no rate: missing, zero or no number"};
    abdb_status st = ABDB_OK;

    if (!s->line) goto done;
    if (!s->overview) {
        reject.field = "PERFORMANCE OVERVIEW";
        reject.reason = "missing: the run did not end, or its log is cut";
    } else if (s->entry->doubt) {
        reject.reason = s->entry->doubt;
    }
    if (!s->overview || !(s->rate > 0)) {
        TRY(s->sink->reject(s->sink->self, &reject, err));
        TRY(s->sink->row_end(s->sink->self, err));
        goto done;
    }
    fill_entry_of_run(s);
    TRY(abdb_entry_check_and_deliver_row(s->entry, s->words, s->sink, err));
done:
    forget_run(s);
    return st;
}

/* --- lines ------------------------------------------------------------------------------------ */

static const char *copy_text(state *s, const char *text)
{
    return abdb_arena_copy(&s->arena, text, strlen(text));
}

/* A value that stands twice, as the mean in the overview and in its breakdown, is kept once. */
static void add_result_unless_there(state *s, const char *metric, const char *statistic,
                                    const char *value, const char *unit)
{
    for (size_t i = 0; i < s->entry->results; i++)
        if (strcmp(s->entry->result[i].metric, metric) == 0 &&
            strcmp(s->entry->result[i].statistic, statistic) == 0)
            return;
    (void)abdb_entry_add_printed_result_or_count_left_out(
        s->entry, metric, statistic, copy_text(s, value), ABDB_MARK_UNKNOWN, unit);
}

static double number_or_nan(const char *text)
{
    double value;

    return abdb_double_parse(text, ABDB_MARK_UNKNOWN, &value) ? value : NAN;
}

/* "[TPOT] P50": a statistic of a breakdown. False: the key is another. */
static bool add_statistic_of_breakdown(state *s, const char *key, const char *value)
{
    static const char *const breakdowns[][2] = {
        {"[TTFT] ", "ttft_s"}, {"[TPOT] ", "tpot_s"}, {"[Latency] ", "latency_s"}};
    static const char *const statistics[][2] = {
        {"MINIMUM", "min"}, {"MAXIMUM", "max"}, {"AVERAGE", "mean"}, {"P50", "median"}};

    for (size_t i = 0; i < sizeof breakdowns / sizeof breakdowns[0]; i++) {
        const char *name = key + strlen(breakdowns[i][0]);

        if (strncmp(key, breakdowns[i][0], strlen(breakdowns[i][0])) != 0) continue;
        for (size_t k = 0; k < sizeof statistics / sizeof statistics[0]; k++)
            if (strcmp(name, statistics[k][0]) == 0) {
                add_result_unless_there(s, breakdowns[i][1], statistics[k][1], value, "ms");
                return true;
            }
        if (*name != 'P') return false;
        add_result_unless_there(s, breakdowns[i][1], abdb_arena_printf(&s->arena, "p%s", name + 1),
                                value, "ms");
        return true;
    }
    return false;
}

/* Rates and means of the overview. False: the key is another. */
static bool add_value_of_overview(state *s, const char *key, const char *value)
{
    static const char *const values[][4] = {
        {"Token Throughput (tokens/sec)", "tokens_per_s", "value", "token/s"},
        {"Total Output Throughput (tokens/sec)", "tokens_per_s", "value", "token/s"},
        {"Request Throughput (req/sec)", "queries_per_s", "value", "query/s"},
        {"Average request latency (ms)", "latency_s", "mean", "ms"},
        {"Average time-to-first-token [TTFT] (ms)", "ttft_s", "mean", "ms"},
        {"Average time-per-output-token [TPOT] (ms)", "tpot_s", "mean", "ms"}};

    for (size_t i = 0; i < sizeof values / sizeof values[0]; i++)
        if (strcmp(key, values[i][0]) == 0) {
            if (i < 2) s->rate = number_or_nan(value);
            add_result_unless_there(s, values[i][1], values[i][2], value, values[i][3]);
            return true;
        }
    return false;
}

/* Counts, lengths, the layout and the model. False: the key is another. */
static bool store_extent_or_model(state *s, const char *key, const char *value)
{
    const struct {
        const char *key;
        double *number;
        const char *factor; /* NULL: none */
    } numbers[] = {{"Number of requests", &s->requests, "num_prompts"},
                   {"Average Input Length (tokens)", NULL, "input_tokens"},
                   {"Average Output Length (tokens)", &s->output_tokens, "output_tokens"},
                   {"TP Size", &s->tp, "tp_size"},
                   {"PP Size", &s->pp, "pp_size"},
                   {"Total Latency (ms)", &s->seconds, NULL}};
    const struct {
        const char *key, **text;
    } texts[] = {{"Model", &s->model}, {"Dtype", &s->dtype}, {"Quantization", &s->quantization}};

    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++) {
        double number = number_or_nan(value);

        if (strcmp(key, numbers[i].key) != 0) continue;
        if (numbers[i].number) *numbers[i].number = number;
        if (numbers[i].number == &s->seconds) s->seconds /= 1000;
        if (numbers[i].factor && number > 0)
            abdb_entry_add_factor_parsing_number(s->entry, numbers[i].factor,
                                                 abdb_arena_printf(&s->arena, "%.6g", number));
        return true;
    }
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++)
        if (strcmp(key, texts[i].key) == 0) {
            if (strcmp(value, "None") != 0) *texts[i].text = copy_text(s, value);
            return true;
        }
    return false;
}

/* Whatever else a line of the run states. */
static void store_setting_or_count_left_out(state *s, const char *key, const char *value)
{
    static const char *const noise[] = {"Engine Directory", "Model Path",
                                        "Total Token Throughput (tokens/sec)", NULL};

    if (abdb_text_is_in_list(key, noise)) return;
    if (strcmp(key, "Number of concurrent requests") == 0) {
        if (!s->concurrency) s->concurrency = copy_text(s, value);
    } else if (strcmp(key, "TensorRT-LLM Version") == 0) {
        const char *software = abdb_arena_printf(&s->arena, "TensorRT-LLM %s", value);

        abdb_settings_set_or_count_lost(&s->settings, &s->arena, "software", 8, software,
                                        (int)strlen(software));
    } else if (strcmp(key, "Issue Rate (req/sec)") == 0) { /* 1e13: all at once */
        if (number_or_nan(value) < 1e9)
            abdb_entry_add_factor_parsing_number(s->entry, "request_rate", copy_text(s, value));
    } else if (strncmp(key, "Per User ", 9) == 0 || strncmp(key, "Per GPU ", 8) == 0 ||
               *key == '[') {
        if (abdb_has_digit(value)) abdb_left_out_count_value(s->left_out, "per user or GPU");
    } else {
        abdb_settings_set_or_count_lost(&s->settings, &s->arena, key, (int)strlen(key), value,
                                        (int)strlen(value));
    }
}

/* "Key: value" of a run. */
static void read_line_of_run(state *s, const char *text)
{
    const char *colon = strchr(text, ':');
    char key[KEY_MAX], value[KEY_MAX];

    if (!colon || (size_t)(colon - text) >= sizeof key) return;
    snprintf(key, sizeof key, "%.*s", (int)(colon - text), text);
    for (size_t i = strlen(key); i && isspace((unsigned char)key[i - 1]); i--) key[i - 1] = '\0';
    snprintf(value, sizeof value, "%.79s", colon + 1 + strspn(colon + 1, " \t"));
    value[strcspn(value, "\r\t")] = '\0';
    abdb_trim_in_place(value);
    if (!*key || !*value) return;
    if (add_statistic_of_breakdown(s, key, value) || add_value_of_overview(s, key, value) ||
        store_extent_or_model(s, key, value))
        return;
    store_setting_or_count_left_out(s, key, value);
}

/* The first heading of a run, or an overview behind another begins one. */
static abdb_status read_heading(state *s, const text_line *line, const char *text, abdb_error *err)
{
    bool first = strstr(text, " BACKEND") || strstr(text, "ENGINE DETAILS"),
         overview = strncmp(text, "= PERFORMANCE OVERVIEW", 22) == 0;
    const char *concurrency = s->concurrency;
    abdb_status st = ABDB_OK;

    if (first ? s->line != 0 : overview && s->overview) {
        TRY(import_or_reject_run_and_forget(s, err));
        concurrency = NULL;
    }
    if (!s->line) s->line = line->number;
    s->concurrency = concurrency;
    s->open = true;
    s->overview |= overview;
done:
    return st;
}

/* "trtllm-bench ... --concurrency 8": the load of the run that follows. */
static abdb_status read_command(state *s, const text_line *line, abdb_error *err)
{
    static const char name[] = "--concurrency";
    const char *found = strstr(line->text, name), *option = found ? found + strlen(name) : NULL;
    abdb_status st = ABDB_OK;

    if (s->overview) TRY(import_or_reject_run_and_forget(s, err));
    if (option) { /* up to a blank: words of a line end at commas, too */
        option += strspn(option, " =");
        s->concurrency = abdb_arena_printf(&s->arena, "%.*s", (int)strcspn(option, " \t"), option);
    }
done:
    return st;
}

static abdb_status import_line(void *self, const text_line *line, abdb_error *err)
{
    state *s = self;
    const char *text = line->text + strspn(line->text, " \t>|");

    if (strstr(text, "trtllm-bench ")) return read_command(s, line, err);
    if (strncmp(text, "= ", 2) == 0 && isupper((unsigned char)text[2]))
        return read_heading(s, line, text, err);
    if (strstr(text, "[TRT-LLM]") || strncmp(text, "[TensorRT-LLM]", 14) == 0 ||
        strncmp(text, "```", 3) == 0)
        s->open = false;
    else if (s->open)
        read_line_of_run(s, text);
    return ABDB_OK;
}

static abdb_status import_runs_of_log(const abdb_input *in, const abdb_overrides *overrides,
                                      const abdb_sink *sink, abdb_error *err)
{
    state s = {.words = overrides, .sink = sink, .left_out = in->left_out};
    abdb_status st;

    forget_numbers(&s);
    st = lines_deliver_each_with_entry(in, &s.entry, import_line, import_or_reject_run_and_forget,
                                       &s, err);
    abdb_arena_free(&s.arena);
    return st;
}

const abdb_importer abdb_import_trtllm_bench = {
    "trtllm-bench",    "trtllm-bench of TensorRT-LLM as printed", 2, NULL, trtllm_bench_bid,
    import_runs_of_log};
