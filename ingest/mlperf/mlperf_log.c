/* mlperf_log.c - the files of an MLPerf result folder; see mlperf_log.h.
 *
 * How real files disagree: LoadGen writes keys in the order of its version; a summary rounds to two
 * decimals where the detail log has six digits; two early-stopping sections (TTFT, TPOT) use the
 * same words, the first counts; descriptions of systems have
 * numbers as text. accuracy.txt is read by accuracy_file.c. */
#include "ingest/mlperf/mlperf_log.h"
#include "ingest/mlperf/mllog_line.h"
#include "ingest/mlperf/mllog_json.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ingest/read/flat_records.h"
#include "ingest/read/text_lines.h"

abdb_status abdb_mlperf_append_trimmed_value_or_count_lost(abdb_mlperf_values *out, const char *key,
                                                           const char *text, abdb_error *err)
{
    size_t size;

    if (out->pairs == MLPERF_PAIRS_MAX) {
        out->lost++;
        return ABDB_OK;
    }
    text += strspn(text, " \t\r\n");
    size = strlen(text);
    while (size && strchr(" \t\r\n", text[size - 1])) size--;
    if (out->pairs == out->room) {
        size_t room = out->room ? 2 * out->room : 16;
        void *more = abdb_arena_alloc(out->arena, room * sizeof *out->pair);

        if (!more) return ABDB_FAIL(err, ABDB_NOMEM, "a log");
        if (out->pairs) memcpy(more, out->pair, out->pairs * sizeof *out->pair);
        out->pair = more;
        out->room = room;
    }
    out->pair[out->pairs].key = abdb_arena_copy(out->arena, key, strlen(key));
    out->pair[out->pairs].text =
        abdb_arena_copy(out->arena, text, size < MLPERF_TEXT_MAX ? size : MLPERF_TEXT_MAX);
    if (!out->pair[out->pairs].key || !out->pair[out->pairs].text)
        return ABDB_FAIL(err, ABDB_NOMEM, "a log");
    out->pairs++;
    return ABDB_OK;
}

const char *abdb_mlperf_get_first_value(const abdb_mlperf_values *values, const char *key)
{
    for (size_t i = 0; values && i < values->pairs; i++)
        if (strcmp(values->pair[i].key, key) == 0) return values->pair[i].text;
    return NULL;
}

const char *abdb_mlperf_scalar_to_text(const json_t *value, char buffer[32])
{
    if (json_is_string(value)) return json_string_value(value);
    if (json_is_boolean(value)) return json_is_true(value) ? "true" : "false";
    if (json_is_integer(value)) {
        snprintf(buffer, 32, "%lld", (long long)json_integer_value(value));
        return buffer;
    }
    if (!json_is_real(value)) return NULL;
    abdb_format_shortest_double(json_real_value(value), buffer);
    return buffer;
}

/* --- detail logs of LoadGen ------------------------------------------------------------------- */

/* Is it a key of a LoadGen log that results and factors are made of? Of others a log has thousands.
 */
static bool is_loadgen_result_or_setting_key(const char *key)
{
    static const char *const begin[] = {"result_", "effective_",      "early_stopping",
                                        "power_",  "loadgen_version", "requested_use_token",
                                        "num_",    "test_datetime",   "generated_"};

    for (size_t i = 0; i < sizeof begin / sizeof begin[0]; i++)
        if (strncmp(key, begin[i], strlen(begin[i])) == 0) return true;
    return strcmp(key, "requested_server_target_qps") == 0 ||
           strcmp(key, "requested_scenario") == 0 || strcmp(key, "sut_name") == 0;
}

abdb_status abdb_mlperf_parse_mllog_line(json_t **out, const text_line *line, abdb_error *err)
{
    const char *json = strstr(line->text, ":::MLLOG");
    json_error_t error;

    *out = NULL;
    if (!json) return ABDB_OK;
    *out = abdb_mllog_parse_object_leniently(json + 8, strlen(json + 8), &error);
    if (*out) return ABDB_OK;
    return ABDB_FAIL(err, ABDB_DATA, "line %ld: no JSON behind :::MLLOG: %s", line->number,
                     error.text);
}

/* Settings that LoadGen took others for, its sources, clocks and buffers, words for people. */
static bool is_loadgen_bookkeeping_key(const char *key)
{
    static const char *const begin[] = {"requested_", "loadgen_", "logger_",  "qsl_",    "generic_",
                                        "get_",       "loaded_",  "error",    "warning", "async_",
                                        "load_",      "unload_",  "latency_", "query_",  "issue_"};

    for (size_t i = 0; i < sizeof begin / sizeof begin[0]; i++)
        if (strncmp(key, begin[i], strlen(begin[i])) == 0) return true;
    return false;
}

static abdb_status append_detail_value_unless_bookkeeping_or_repeated(abdb_mlperf_values *out,
                                                                      const char *key,
                                                                      const char *text,
                                                                      abdb_error *err)
{
    if (!is_loadgen_result_or_setting_key(key) &&
        (is_loadgen_bookkeeping_key(key) || abdb_mlperf_get_first_value(out, key)))
        return ABDB_OK;
    return abdb_mlperf_append_trimmed_value_or_count_lost(out, key, text, err);
}

/* '"pid": 6, "tid": 6, "ts": 17ns : key : value', as LoadGen wrote before 2020. */
static abdb_status append_value_of_pre_2020_detail_line(abdb_mlperf_values *out,
                                                        const text_line *line, abdb_error *err)
{
    const char *key = strstr(line->text, "ns : "), *value;
    char name[128];

    if (strncmp(line->text, "\"pid\":", 6) != 0 || !key) return ABDB_OK;
    key += 5;
    value = strstr(key, " : ");
    if (!value || (size_t)(value - key) >= sizeof name) return ABDB_OK;
    snprintf(name, sizeof name, "%.*s", (int)(value - key), key);
    if (strcmp(name, "samples_per_query") == 0)
        return abdb_mlperf_append_trimmed_value_or_count_lost(out, "effective_samples_per_query",
                                                              value + 3, err);
    return is_loadgen_result_or_setting_key(name)
               ? abdb_mlperf_append_trimmed_value_or_count_lost(out, name, value + 3, err)
               : ABDB_OK;
}

/* A file is one log: its name and folder cannot describe two. */
static abdb_status fail_with_second_log_error(const text_line *line, abdb_error *err)
{
    return ABDB_FAIL(err, ABDB_DATA,
                     "line %ld: a second log begins; a file holds one, so cut it in two",
                     line->number);
}

/* Keeps the key and value of one MLLOG line, or of a line before 2020. ABDB_DATA: a second log
 * begins. */
static abdb_status append_value_of_detail_line(void *self, const text_line *line, abdb_error *err)
{
    abdb_mlperf_values *out = self;
    json_t *object = NULL;
    const char *key, *text;
    char number[32];
    abdb_status st = ABDB_OK;

    TRY(abdb_mlperf_parse_mllog_line(&object, line, err));
    if (!object) return append_value_of_pre_2020_detail_line(out, line, err);
    key = json_string_value(json_object_get(object, "key"));
    text = abdb_mlperf_scalar_to_text(json_object_get(object, "value"), number);
    if (key && strcmp(key, "loadgen_version") == 0 && abdb_mlperf_get_first_value(out, key))
        TRY(fail_with_second_log_error(line, err));
    if (key && text) TRY(append_detail_value_unless_bookkeeping_or_repeated(out, key, text, err));
done:
    json_decref(object);
    return st;
}

abdb_status abdb_mlperf_append_values_of_detail_log(abdb_mlperf_values *out, const abdb_input *in,
                                                    abdb_error *err)
{
    return lines_deliver_each_without_mark(in, append_value_of_detail_line, out, err);
}

/* --- summaries -------------------------------------------------------------------------------- */

static const struct {
    const char *words, *key;
} summary_keys[] = {
    {"SUT name", "sut_name"},
    {"Scenario", "effective_scenario"},
    {"Result is", "result_validity"},
    {"Samples per second", "result_samples_per_second"},
    {"Tokens per second", "result_tokens_per_second"},
    {"Tokens per second (inferred)", "result_inferred_tokens_per_second"},
    {"Completed tokens per second (inferred)", "result_inferred_completed_tokens_per_second"},
    {"Completed samples per second", "result_completed_samples_per_sec"},
    {"Completed tokens per second", "result_completed_tokens_per_second"},
    {"Scheduled samples per second", "result_scheduled_samples_per_sec"},
    {"QPS w/o loadgen overhead", "result_qps_without_loadgen_overhead"},
    {"* Early stopping 90.0th percentile estimate", "early_stopping_latency_ss"},
    {"* Early stopping 90th percentile estimate", "early_stopping_latency_ss"},
    {"* Early stopping 99.0th percentile estimate", "early_stopping_latency_ms"},
    {"* Early stopping 99th percentile estimate", "early_stopping_latency_ms"},
    {"Samples per query", "effective_samples_per_query"},
    {"90th percentile latency (ns)", "result_90.00_percentile_latency_ns"},
};

/* "90.00 percentile first token latency (ns)" as detail logs call it; NULL: another line. */
static const char *detail_key_of_latency_summary_label(const char *words, char out[80])
{
    static const struct {
        const char *words, *key;
    } tail[] = {
        {"percentile latency (ns)", "result_%s_percentile_latency_ns"},
        {"percentile first token latency (ns)", "result_first_token_%s_percentile_latency_ns"},
        {"percentile time to output token (ns)", "result_time_per_output_token_%s_percentile_ns"}};
    static const struct {
        const char *words, *key;
    } head[] = {{"Min latency (ns)", "result_min_latency_ns"},
                {"Max latency (ns)", "result_max_latency_ns"},
                {"Mean latency (ns)", "result_mean_latency_ns"},
                {"Min First Token latency (ns)", "result_first_token_min_latency_ns"},
                {"Max First Token latency (ns)", "result_first_token_max_latency_ns"},
                {"Mean First Token latency (ns)", "result_first_token_mean_latency_ns"},
                {"Min Time to Output Token (ns)", "result_time_to_output_token_min"},
                {"Max Time to Output Token (ns)", "result_time_to_output_token_max"},
                {"Mean Time to Output Token (ns)", "result_time_to_output_token_mean"}};
    size_t number = strspn(words, "0123456789.");

    for (size_t i = 0; i < sizeof head / sizeof head[0]; i++)
        if (strcmp(words, head[i].words) == 0) return head[i].key;
    for (size_t i = 0; number && number < 12 && i < sizeof tail / sizeof tail[0]; i++) {
        const char *rest = strchr(tail[i].key, '%') + 2;

        if (words[number] != ' ' || strcmp(words + number + 1, tail[i].words) != 0) continue;
        snprintf(out, 80, "%.*s%.*s%s", (int)(rest - 2 - tail[i].key), tail[i].key, (int)number,
                 words, rest);
        return out;
    }
    return NULL;
}

/* Keeps "words : value" of LoadGen's summary under the detail log's key for the words. ABDB_DATA:
 * a second summary begins. */
static abdb_status append_value_of_summary_line(void *self, const text_line *line, abdb_error *err)
{
    const char *colon = strrchr(line->text, ':');
    char words[120], buffer[80], *name, value[200];
    const char *key = NULL;

    if (strncmp(line->text, "MLPerf Results Summary", 22) == 0) {
        if (abdb_mlperf_get_first_value(self, "summary"))
            return fail_with_second_log_error(line, err);
        return abdb_mlperf_append_trimmed_value_or_count_lost(self, "summary", "begun", err);
    }
    if (!colon || (size_t)(colon - line->text) >= sizeof words) return ABDB_OK;
    snprintf(words, sizeof words, "%.*s", (int)(colon - line->text), line->text);
    snprintf(value, sizeof value, "%s", colon + 1);
    name = abdb_trim_in_place(words);
    for (size_t i = 0; !key && i < sizeof summary_keys / sizeof summary_keys[0]; i++)
        if (strcmp(name, summary_keys[i].words) == 0) key = summary_keys[i].key;
    if (!key) key = detail_key_of_latency_summary_label(name, buffer);
    return key && !abdb_mlperf_get_first_value(self, key)
               ? abdb_mlperf_append_trimmed_value_or_count_lost(self, key,
                                                                abdb_trim_in_place(value), err)
               : ABDB_OK;
}

abdb_status abdb_mlperf_append_values_of_summary_log(abdb_mlperf_values *out, const abdb_input *in,
                                                     abdb_error *err)
{
    return lines_deliver_each_without_mark(in, append_value_of_summary_line, out, err);
}

/* --- power ------------------------------------------------------------------------------------ */

/* Days from 1970-01-01 of a date of the Gregorian calendar (years from March on). */
static long days_since_1970(int year, int month, int day)
{
    /* A year that begins in March has its leap day at the end, and 153 days in each five months.
     * 719468 days lie between 0000-03-01 and 1970-01-01. */
    long y = month > 2 ? year : year - 1, era = y / 400, in_era = y - era * 400;
    long in_year = (153L * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1;

    return era * 146097 + in_era * 365 + in_era / 4 - in_era / 100 + in_year - 719468;
}

bool abdb_mlperf_parse_timestamp_to_epoch_ms(const char *text, double *out)
{
    static const char form[] = "00-00-0000 00:00:";
    int month, day, year, hour, minute;
    double second;

    if (!text) return false;
    for (size_t i = 0; i < sizeof form - 1; i++)
        if (form[i] == '0' ? text[i] < '0' || text[i] > '9' : text[i] != form[i]) return false;
    month = (int)abdb_digits_parse_prefix_up_to_max_or(text, 99, 0);
    day = (int)abdb_digits_parse_prefix_up_to_max_or(text + 3, 99, 0);
    year = (int)abdb_digits_parse_prefix_up_to_max_or(text + 6, 9999, 0);
    hour = (int)abdb_digits_parse_prefix_up_to_max_or(text + 11, 99, 0);
    minute = (int)abdb_digits_parse_prefix_up_to_max_or(text + 14, 99, 0);
    if (month < 1 || month > 12 || day < 1 || day > 31 || year < 1970 ||
        !abdb_double_parse(text + sizeof form - 1, ABDB_MARK_POINT, &second))
        return false;
    *out = 1000 * (86400.0 * (double)days_since_1970(year, month, day) + 3600.0 * hour +
                   60.0 * minute) +
           1000 * second;
    return true;
}

/* Appends a sample of the meter. ABDB_LIMIT: more than MLPERF_POWER_MAX. */
static abdb_status append_power_sample(abdb_mlperf_values *out, abdb_mlperf_power power,
                                       abdb_error *err)
{
    if (out->powers == MLPERF_POWER_MAX)
        return ABDB_FAIL(err, ABDB_LIMIT, "more than %d power samples", MLPERF_POWER_MAX);
    if (out->powers == out->power_room) {
        size_t room = out->power_room ? 2 * out->power_room : 256;
        abdb_mlperf_power *more = abdb_arena_alloc(out->arena, room * sizeof *more);

        if (!more) return ABDB_FAIL(err, ABDB_NOMEM, "power samples");
        if (out->powers) memcpy(more, out->power, out->powers * sizeof *more);
        out->power = more;
        out->power_room = room;
    }
    out->power[out->powers++] = power;
    return ABDB_OK;
}

/* Takes the time and the watts of a line of the meter's log; an empty line is none. ABDB_DATA:
 * another form. */
static abdb_status append_sample_of_power_line(void *self, const text_line *line, abdb_error *err)
{
    abdb_mlperf_power power;

    if (line->words == 0) return ABDB_OK;
    if (line->words < 4 || strcmp(line->word[0], "Time") != 0 ||
        strcmp(line->word[2], "Watts") != 0 ||
        !abdb_mlperf_parse_timestamp_to_epoch_ms(line->word[1], &power.t_ms) ||
        !abdb_double_parse(line->word[3], ABDB_MARK_POINT, &power.watts))
        return ABDB_FAIL(err, ABDB_DATA, "line %ld: not 'Time,MM-DD-YYYY hh:mm:ss.mmm,Watts,...'",
                         line->number);
    return append_power_sample(self, power, err);
}

abdb_status abdb_mlperf_append_samples_of_power_log(abdb_mlperf_values *out, const abdb_input *in,
                                                    abdb_error *err)
{
    return lines_deliver_each_without_mark(in, append_sample_of_power_line, out, err);
}

/* --- descriptions ----------------------------------------------------------------------------- */

abdb_status abdb_mlperf_append_json_members_as_values(abdb_mlperf_values *out, const abdb_input *in,
                                                      abdb_error *err)
{
    json_t *root = NULL, *value;
    const char *key;
    abdb_status st = ABDB_OK;

    TRY(abdb_flat_parse_json_document_quoting_nan(&root, in, err));
    if (!json_is_object(root)) TRY(ABDB_FAIL(err, ABDB_DATA, "line 1: not a JSON object"));
    json_object_foreach(root, key, value)
    {
        char number[32], *text = NULL;
        const char *plain = abdb_mlperf_scalar_to_text(value, number);

        if (!plain && json_is_array(value)) plain = text = json_dumps(value, JSON_COMPACT);
        if (plain) st = abdb_mlperf_append_trimmed_value_or_count_lost(out, key, plain, err);
        free(text);
        if (st != ABDB_OK) goto done;
    }
done:
    json_decref(root);
    return st;
}
