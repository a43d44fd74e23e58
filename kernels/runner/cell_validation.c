/* cell_validation.c - checks a backend's records of the cell at hand, one by one, so that a foreign
 * backend cannot store nonsense; see cell_validation.h.
 */
#include "kernels/runner/cell_validation.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include "kernels/runner/record_line.h"
#include "kernels/runner/missing.h"
#include "kernels/runner/expand_providers.h"
#include "kernels/runner/rank_results.h"
#include "kernels/runner/result_contradictions.h"
#include "schema/core/timing.h"
#include "schema/core/units.h"

/* SAMPLES_MAX as of the harness; more is a backend that has gone wrong. */
enum { SAMPLES_MAX = 20000, READINGS_MAX = 4096, FACTORS_MAX = 64, SPANS_MAX = 64 };
enum { METRICS_MAX = 44 };
/* By so much a backend may be wrong about how long its samples took together. */
static const double lag_s = 1;

/* --- the cell --------------------------------------------------------------------------------- */

abdb_status abdb_cell_validation_init(abdb_cell_validation *t, abdb_error *err)
{
    *t = (abdb_cell_validation){.sample = calloc(SAMPLES_MAX, sizeof *t->sample),
                                .telemetry = calloc(READINGS_MAX, sizeof *t->telemetry),
                                .span = calloc(SPANS_MAX, sizeof *t->span),
                                .metric = calloc(METRICS_MAX, sizeof *t->metric)};
    return t->sample && t->telemetry && t->span && t->metric
               ? ABDB_OK
               : ABDB_FAIL(err, ABDB_NOMEM, "samples");
}

void abdb_discard_process_records(abdb_cell_validation *t)
{
    json_decref(t->hello);
    json_decref(t->environment);
    json_decref(t->device);
    t->hello = t->environment = t->device = NULL;
    t->has_hello = false;
    *t->now = *t->before = '\0';
}

static void discard_cell_measurements(abdb_cell_validation *t)
{
    json_decref(t->result);
    t->result = NULL;
    abdb_challenge_clear(&t->challenge);
    t->samples = t->telemetries = t->spans = t->metrics = 0;
    t->all_s = 0;
    t->least_s = INFINITY;
    abdb_arena_clear(&t->words);
}

void abdb_cell_validation_free(abdb_cell_validation *t)
{
    abdb_discard_process_records(t);
    json_decref(t->result);
    abdb_challenge_clear(&t->challenge);
    free(t->sample);
    free(t->telemetry);
    free(t->span);
    free(t->metric);
    abdb_arena_free(&t->words);
    *t = (abdb_cell_validation){0};
}

void abdb_reset_validation_for_cell(abdb_cell_validation *t, const abdb_cell *cell)
{
    discard_cell_measurements(t);
    memcpy(t->before, t->now, sizeof t->before);
    snprintf(t->now, sizeof t->now, "%s", cell->name);
    t->requested = cell;
    t->begun = t->ended = t->rejected = t->answered_before = false;
    t->asked_s = abdb_monotonic_seconds();
    *t->status = *t->reason = *t->rule = '\0';
    abdb_format_now_utc(t->date);
}

/* --- how it ends ------------------------------------------------------------------------------ */

void abdb_end_cell(abdb_cell_validation *t, const char *status, const char *format, ...)
{
    va_list args;

    snprintf(t->status, sizeof t->status, "%s", status);
    va_start(args, format);
    vsnprintf(t->reason, sizeof t->reason, format, args);
    va_end(args);
    t->ended = true;
}

void abdb_end_cell_by_wait_status(abdb_cell_validation *t, const char *path, const char *status,
                                  int wait_status)
{
    char why[sizeof t->reason];

    if (path && !t->hello && abdb_exit_code_means_program_missing(wait_status)) {
        abdb_describe_missing_interpreter_or_library(why, sizeof why, path, wait_status);
        abdb_end_cell(t, "no-device", "%s", why);
    } else if (WIFSIGNALED(wait_status)) {
        abdb_end_cell(t, status, "the process was ended by signal %d (%s)", WTERMSIG(wait_status),
                      strsignal(WTERMSIG(wait_status)));
    } else if (WIFEXITED(wait_status)) {
        abdb_end_cell(t, status, "the process ended with code %d", WEXITSTATUS(wait_status));
    } else {
        abdb_end_cell(t, status, "the process ended inside this cell");
    }
}

void abdb_reject_cell(abdb_cell_validation *t, const char *rule, const char *format, ...)
{
    char why[sizeof t->reason - 60];
    va_list args;

    va_start(args, format);
    vsnprintf(why, sizeof why, format, args);
    va_end(args);
    abdb_end_cell(t, "bad-answer", "the backend broke the protocol (%s): %s", rule, why);
    snprintf(t->rule, sizeof t->rule, "%s", rule);
    t->rejected = true;
    discard_cell_measurements(t);
}

/* --- the values allowed in a record ----------------------------------------------------------- */

/* A number of a record that is finite and at least `least`; missing ones are fine. */
static bool accept_number(abdb_cell_validation *t, const json_t *record, const char *rule,
                          const char *name, double minimum)
{
    const json_t *value = json_object_get(record, name);
    double number = json_number_value(value);

    if (!value || json_is_null(value)) return true;
    if (json_is_number(value) && isfinite(number) && number >= minimum) return true;
    if (json_is_number(value))
        abdb_reject_cell(t, rule, "%s is %g", name, number);
    else
        abdb_reject_cell(t, rule, "%s is no number", name);
    return false;
}

static void validate_and_add_sample(abdb_cell_validation *t, const json_t *record)
{
    double time_s = json_number_value(json_object_get(record, "time_s"));
    const json_t *at = json_object_get(record, "t_s");

    if (!accept_number(t, record, "4.4", "time_s", 0) || !accept_number(t, record, "4.4", "t_s", 0))
        return;
    if (!(time_s > 0)) {
        abdb_reject_cell(t, "4.4", "a sample without a time_s above 0");
        return;
    }
    if (t->samples == SAMPLES_MAX) {
        abdb_reject_cell(t, "4.4", "more than %d samples", SAMPLES_MAX);
        return;
    }
    t->all_s += time_s;
    t->least_s = fmin(t->least_s, time_s);
    t->sample[t->samples++] = (abdb_sample){
        .value = time_s, .rank = -1, .t_s = json_is_number(at) ? json_number_value(at) : NAN};
}

/* A reading of a sensor, stored beside the measurement; an incomplete reading is omitted. */
static void add_sensor_reading(abdb_cell_validation *t, const json_t *record)
{
    const char *sensor = abdb_json_text_or_empty(record, "sensor"),
               *quantity = abdb_json_text_or_empty(record, "quantity");
    const abdb_unit *unit = abdb_unit_find(abdb_json_text_or_empty(record, "unit"));
    const json_t *at = json_object_get(record, "t_s"), *value = json_object_get(record, "value");
    abdb_telemetry *next = &t->telemetry[t->telemetries];

    if (!*sensor || !*quantity || !unit || !json_is_number(at) || !json_is_number(value)) return;
    if (t->telemetries == READINGS_MAX) return; /* more than anyone draws */
    *next = (abdb_telemetry){.sensor = abdb_arena_copy(&t->words, sensor, strlen(sensor)),
                             .quantity = abdb_arena_copy(&t->words, quantity, strlen(quantity)),
                             .unit = unit->base,
                             .t_s = json_number_value(at),
                             .value = abdb_unit_to_base_value(unit, json_number_value(value))};
    if (next->sensor && next->quantity && isfinite(next->value)) t->telemetries++;
}

/* A copy that lives as long as the cell; NULL of "". */
static const char *copy_text_unless_empty(abdb_cell_validation *t, const char *text)
{
    return *text ? abdb_arena_copy(&t->words, text, strlen(text)) : NULL;
}

/* A part of a workload's time, within one that was told before. */
static void validate_and_add_span(abdb_cell_validation *t, const json_t *record)
{
    const char *name = abdb_json_text_or_empty(record, "name"),
               *within = abdb_json_text_or_empty(record, "within");
    long long calls = json_integer_value(json_object_get(record, "calls"));
    const json_t *time = json_object_get(record, "time_s"), *ops = json_object_get(record, "ops"),
                 *bytes = json_object_get(record, "bytes");
    size_t parent = 0;

    if (!accept_number(t, record, "4.18", "time_s", 0) ||
        !accept_number(t, record, "4.18", "ops", 0) ||
        !accept_number(t, record, "4.18", "bytes", 0))
        return;
    while (parent < t->spans && strcmp(t->span[parent].name, within) != 0) parent++;
    if (!*name || calls < 1 || !json_is_number(time)) {
        abdb_reject_cell(t, "4.18", "a span without a name, calls or a time");
    } else if (*within && parent == t->spans) {
        abdb_reject_cell(t, "4.18", "the span %.40s is within %.40s, which was not told before it",
                         name, within);
    } else if (t->spans == SPANS_MAX) {
        abdb_reject_cell(t, "4.18", "more than %d spans", SPANS_MAX);
    } else {
        t->span[t->spans++] = (abdb_span){
            .name = copy_text_unless_empty(t, name),
            .within = copy_text_unless_empty(t, within),
            .kernel = copy_text_unless_empty(t, abdb_json_text_or_empty(record, "kernel")),
            .provider = copy_text_unless_empty(t, abdb_json_text_or_empty(record, "provider")),
            .calls = calls,
            .time_s = json_number_value(time),
            .ops = json_is_number(ops) ? json_number_value(ops) : NAN,
            .bytes = json_is_number(bytes) ? json_number_value(bytes) : NAN};
    }
}

static const char *const statistics[] = {"value", "mean", "median", "min",   "max", "p50",
                                         "p90",   "p95",  "p99",    "p99.9", "sd",  NULL};

/* A number that a workload reports beside its time. */
static void validate_and_add_metric(abdb_cell_validation *t, const json_t *record)
{
    const char *name = abdb_json_text_or_empty(record, "metric"),
               *statistic = abdb_json_text_or_empty(record, "statistic");
    const abdb_metric_info *known = abdb_metric_find(name);
    const json_t *value = json_object_get(record, "value"), *x = json_object_get(record, "x");

    if (!*statistic) statistic = "value";
    if (!known || strcmp(known->name, name) != 0)
        abdb_reject_cell(t, "4.19", "the unknown metric '%.40s'", name);
    else if (!abdb_text_is_in_list(statistic, statistics))
        abdb_reject_cell(t, "4.19", "the unknown statistic '%.40s'", statistic);
    else if (!json_is_number(value) || !isfinite(json_number_value(value)) ||
             (x && !json_is_number(x)))
        abdb_reject_cell(t, "4.19", "the metric %s is no number", name);
    else if (t->metrics == METRICS_MAX)
        abdb_reject_cell(t, "4.19", "more than %d metrics", METRICS_MAX);
    else
        t->metric[t->metrics++] =
            (abdb_result){.metric = known->name,
                          .statistic = copy_text_unless_empty(t, statistic),
                          .value = json_number_value(value),
                          .x = json_is_number(x) ? json_number_value(x) : NAN};
}

/* Do the measured parameters match the requested ones? Words must; a kernel may round numbers. */
static bool accept_params(abdb_cell_validation *t, const json_t *result)
{
    const json_t *threads = json_object_get(result, "threads");

    for (size_t i = 0; i < t->requested->params; i++) {
        const char *key = t->requested->param[i].key, *text = t->requested->param[i].text;
        const char *said = strcmp(key, "dtype") == 0
                               ? abdb_json_text_or_empty(result, key)
                               : abdb_json_text_or_empty(json_object_get(result, "factors"), key);
        double number;

        if (strcmp(key, "threads") == 0 && json_is_integer(threads) &&
            abdb_double_parse(text, ABDB_MARK_POINT, &number) &&
            number != (double)json_integer_value(threads)) {
            abdb_reject_cell(t, "4.10", "it ran on %lld threads where %s were asked",
                             (long long)json_integer_value(threads), text);
            return false;
        }
        if (!*said || strcmp(said, text) == 0 || strcmp(text, "auto") == 0 ||
            (strcmp(key, "threads") != 0 && abdb_double_parse(text, ABDB_MARK_POINT, &number) &&
             abdb_double_parse(said, ABDB_MARK_POINT, &number)))
            continue;
        abdb_reject_cell(t, "4.10", "it measured %s=%s where %s was asked", key, said, text);
        return false;
    }
    return true;
}

static bool accept_factors(abdb_cell_validation *t, json_t *factors)
{
    const char *key;
    json_t *value;

    if (factors && !json_is_object(factors)) abdb_reject_cell(t, "4.8", "factors are no object");
    if (json_object_size(factors) > FACTORS_MAX)
        abdb_reject_cell(t, "4.8", "more than %d factors", FACTORS_MAX);
    json_object_foreach(factors, key, value) if (!json_is_string(value))
        abdb_reject_cell(t, "4.8", "the factor %s is no text", key);
    return !t->rejected;
}

/* Is the provider of the result one of the kernel's providers in the backend's hello? */
static bool accept_provider(abdb_cell_validation *t, const json_t *result)
{
    const char *said = abdb_json_text_or_empty(json_object_get(result, "factors"), "provider");
    const char *asked = abdb_cell_param_text(t->requested, "provider"), *name;

    if (!*said && asked) said = asked;
    for (size_t i = 0;
         *said && (name = abdb_nth_distinct_provider_of_kernel(t->hello, t->requested->kernel, i));
         i++)
        if (strcmp(name, said) == 0) return true;
    if (!*said || !abdb_nth_distinct_provider_of_kernel(t->hello, t->requested->kernel, 0))
        return true;
    abdb_reject_cell(t, "4.10", "it measured provider=%s, which its hello does not name", said);
    return false;
}

/* Keeps the cell's result; rejects a second one, numbers out of range and other parameters. */
static void validate_and_set_result(abdb_cell_validation *t, json_t *record)
{
    static const char *const numbers[] = {
        "ops",      "bytes",   "error",    "prepare_s",    "batch",
        "load",     "steal",   "clock_hz", "canary_shift", "canary_s",
        "energy_j", "power_w", "checked",  "other_load",   "cpu_throttled_s"};
    const char *verified = abdb_json_text_or_empty(record, "verified"), *broken;
    char why[160];

    if (t->result) {
        abdb_reject_cell(t, "4.6", "a second result");
        return;
    }
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++)
        if (!accept_number(t, record, "4.7", numbers[i], 0)) return;
    if (!accept_number(t, record, "4.7", "temperature_c", -274)) return;
    if (abdb_why_result_ranks_invalid(record)) {
        abdb_reject_cell(t, "4.20", "%s", abdb_why_result_ranks_invalid(record));
        return;
    }
    if (strcmp(verified, "pass") != 0 && strcmp(verified, "fail") != 0) {
        abdb_reject_cell(t, "4.6", "verified is '%.40s', not pass or fail", verified);
        return;
    }
    if ((broken = abdb_find_result_contradiction(record, why)))
        abdb_reject_cell(t, broken, "%s", why);
    else if (accept_factors(t, json_object_get(record, "factors")) && accept_params(t, record) &&
             accept_provider(t, record))
        t->result = json_incref(record);
}

/* Statuses that a backend may report; only abdb sets `timeout`, `crash` and `bad-answer`. */
static const char *const end_statuses[] = {
    "ok", "not-implemented", "failed", "out-of-memory", "no-device", "cancelled", NULL};

/* Can these times have been measured? A sample lasts a step of the clock at least, and all samples
 * together cannot take longer than the time since the cell's request. */
static bool accept_times(abdb_cell_validation *t)
{
    const json_t *launches = json_object_get(t->result, "batch");
    double batch = json_is_number(launches) ? fmax(1, json_number_value(launches)) : 1,
           step_s = json_number_value(json_object_get(t->device, "clock_resolution_s")),
           passed_s = abdb_monotonic_seconds() - t->asked_s;
    char why[160];
    const char *broken = abdb_find_sample_contradiction(t->sample, t->samples, batch, why);

    if (broken)
        abdb_reject_cell(t, broken, "%s", why);
    else if (t->least_s * batch < step_s)
        abdb_reject_cell(t, "4.5", "a sample of %.3g s, where its clock has steps of %.3g s",
                         t->least_s * batch, step_s);
    else if (t->all_s * batch > passed_s + lag_s)
        abdb_reject_cell(t, "4.5", "samples of %.3g s together, where %.3g s had passed",
                         t->all_s * batch, passed_s);
    return !t->rejected;
}

static void end_cell_or_reject_it(abdb_cell_validation *t, const json_t *record)
{
    const char *status = abdb_json_text_or_empty(record, "status");

    if (!abdb_text_is_in_list(status, end_statuses)) {
        abdb_reject_cell(t, "4.13", "the unknown status '%.40s'", status);
        return;
    }
    if (strcmp(status, "ok") == 0 && (!t->result || !t->samples)) {
        abdb_reject_cell(t, "4.14", "it said ok but gave no result or no samples");
        return;
    }
    if (strcmp(status, "ok") == 0 && !accept_times(t)) return;
    abdb_end_cell(t, status, "%s", abdb_json_text_or_empty(record, "reason"));
}

static void take_challenge_record(abdb_cell_validation *t, const char *kind, const json_t *record)
{
    const char *broken = abdb_challenge_take_record(&t->challenge, kind, record, t->samples);

    if (broken) abdb_reject_cell(t, "4.21", "%s", broken);
}

/* A record of a cell: of this one, and in order? */
static void apply_cell_record(abdb_cell_validation *t, const char *kind, json_t *record)
{
    const char *cell = abdb_json_text_or_empty(record, "cell");
    bool begins = strcmp(kind, "begin") == 0;

    if (t->rejected) return; /* later records are as doubtful */
    if (strcmp(cell, t->requested->name) != 0) {
        t->answered_before = !t->begun && *t->before && strcmp(cell, t->before) == 0;
        abdb_reject_cell(t, "4.2", "it said '%s' of '%.200s' where this cell was asked", kind,
                         cell);
    } else if (t->ended)
        abdb_reject_cell(t, "4.1", "it said '%s' after 'end'", kind);
    else if (!t->has_hello)
        abdb_reject_cell(t, "3.1", "it said '%s' before 'hello'", kind);
    else if (begins == t->begun)
        abdb_reject_cell(t, "4.1", begins ? "it began twice" : "it said '%s' before 'begin'", kind);
    else if (begins)
        t->begun = true;
    else if (strcmp(kind, "sample") == 0)
        validate_and_add_sample(t, record);
    else if (strcmp(kind, "telemetry") == 0)
        add_sensor_reading(t, record);
    else if (strcmp(kind, "span") == 0)
        validate_and_add_span(t, record);
    else if (strcmp(kind, "metric") == 0)
        validate_and_add_metric(t, record);
    else if (abdb_challenge_has_kind(kind))
        take_challenge_record(t, kind, record);
    else if (strcmp(kind, "result") == 0)
        validate_and_set_result(t, record);
    else
        end_cell_or_reject_it(t, record);
}

/* Stores a record in which a process describes itself. */
static abdb_status store_process_record(abdb_cell_validation *t, const char *kind, json_t *record,
                                        const char *path, abdb_error *err)
{
    json_t *environment = json_object_get(record, "environment");

    if (strcmp(kind, "hello") == 0) {
        long long protocol = json_integer_value(json_object_get(record, "protocol"));

        t->has_hello = true;
        json_decref(t->hello);
        t->hello = json_incref(record);
        if (protocol != 1)
            return ABDB_FAIL(err, ABDB_BACKEND, "%s speaks protocol %lld, this abdb speaks 1", path,
                             protocol);
    } else if (strcmp(kind, "environment") == 0) {
        if (!json_is_object(environment))
            abdb_reject_cell(t, "3.3", "its environment is no object");
        json_decref(t->environment);
        t->environment = json_is_object(environment) ? json_incref(environment) : NULL;
    } else if (accept_number(t, record, "3.4", "threads", 1)) {
        json_decref(t->device);
        t->device = json_incref(record);
    }
    return ABDB_OK;
}

/* The rule that a line breaks which no reader of JSON takes for this reason. */
static const char *rule_of_json_error(const char *why)
{
    static const char *const numbers[] = {"NaN", "Infinity", "overflow", "duplicate"};

    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++)
        if (strstr(why, numbers[i])) return "2.6";
    return "2.4";
}

abdb_status abdb_validate_and_apply_record_line(abdb_cell_validation *t, const char *path,
                                                const char *line, abdb_error *err)
{
    static const char *const of_cell[] = {"begin",  "sample", "telemetry", "span",
                                          "metric", "result", "end",       NULL},
                             *const of_process[] = {"hello", "environment", "device", NULL};
    char why[160];
    bool broken;
    unsigned starved = abdb_allocation_failure_count();
    json_t *record = abdb_parse_record_blanking_controls(line, &broken, why);
    const char *kind = abdb_json_text_or_empty(record, "kind");
    abdb_status st = ABDB_OK;

    if (broken) abdb_reject_cell(t, rule_of_json_error(why), "a record that is not JSON: %s", why);
    if (abdb_text_is_in_list(kind, of_cell) ||
        (t->challenge.asked && abdb_challenge_has_kind(kind)))
        apply_cell_record(t, kind, record);
    if (abdb_text_is_in_list(kind, of_process))
        st = store_process_record(t, kind, record, path, err);
    json_decref(record);
    if (st == ABDB_OK && abdb_allocation_failure_count() != starved)
        st = ABDB_FAIL(err, ABDB_NOMEM, "what a backend said");
    return st;
}

bool abdb_sample_unit_is_process(const abdb_cell_validation *t)
{
    return strcmp(abdb_json_text_or_empty(json_object_get(t->result, "factors"), "sample_unit"),
                  "process") == 0;
}
