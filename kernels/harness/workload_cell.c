/* workload_cell.c - one cell of a workload: its needs are computed before anything is made, it is
 * checked before it is timed, and its state lives from repetition to repetition. Records are
 * printed after the last repetition. The printed spans belong to the repetition of the median time.
 * See harness.h and kernels/workloads/workload.h. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/harness/harness.h"
#include "schema/core/number.h"
#include "schema/core/stats.h"

enum { REPETITIONS = ABDB_REPETITIONS_MAX, LACKS = 400, ENERGY_CAP_S = 4 * ABDB_ENERGY_WINDOW_S };
static const double gib = 1 << 30;

const abdb_workload *abdb_find_workload_by_name(const char *name)
{
    for (size_t i = 0; abdb_workloads[i]; i++)
        if (strcmp(abdb_workloads[i]->name, name) == 0) return abdb_workloads[i];
    return NULL;
}

typedef struct {
    const char *name;
    const abdb_workload *workload;
    const abdb_backend *backend;
    abdb_device *device;
    abdb_device *lead; /* drives several ranks, `device` is one of them; NULL: no ranks */
    const struct abdb_parts *parts;
    abdb_problem p;
    abdb_sampling rule;
    abdb_spans spans;
    abdb_run_context stage;
    abdb_effort effort;
    void *state;
    double error, open_s, shift, canary_s, median_s;
    const char *checked_at;
    bool sound;
    int threads;
    abdb_samples samples;
    abdb_span_total (*kept)[ABDB_SPANS_MAX]; /* spans of each repetition */
    abdb_workload_metric metric[ABDB_METRICS_MAX];
    size_t metrics;
    bool energy;                      /* is it counted? */
    abdb_sensors before, after, used; /* used: energy and time of the repetitions alone */
} workload_cell;

/* --- before anything is made ------------------------------------------------------------------ */

/* On the ranks of a device that has them, where the workload can be one of several. */
static void wrap_workload_for_ranks_if_supported(workload_cell *s)
{
    abdb_rank_workload over;

    s->parts = s->backend->parts;
    if (!s->backend->wrap_for_ranks || !s->workload->supports_ranks) return;
    s->backend->wrap_for_ranks(s->workload, &over);
    s->lead = s->device;
    s->workload = over.workload;
    s->device = over.device;
    s->parts = over.parts;
}

/* Reads the request, resolves the parameters and counts work and memory. *status becomes
 * not-implemented where the backend lacks a part. */
static abdb_status parse_cell_require_parts_and_count_work(workload_cell *s, json_t *request,
                                                           const char **status, abdb_error *err)
{
    char lacks[LACKS] = "";
    abdb_status st = ABDB_OK;

    *status = "failed";
    wrap_workload_for_ranks_if_supported(s);
    s->p.kernel = s->workload->name;
    s->p.device = s->device;
    s->rule =
        json_is_true(json_object_get(request, "quick")) ? abdb_sampling_quick : abdb_sampling_full;
    s->energy = json_is_true(json_object_get(request, "energy")) &&
                abdb_device_has_energy_counter(s->device);
    TRY(abdb_problem_add_json_params(&s->p, json_object_get(request, "params"), err));
    TRY(abdb_parse_threads_param_or_0(&s->p, &s->threads, err));
    TRY(s->workload->resolve_params(&s->p, &s->device->limits, err));
    s->spans.now = abdb_clock_seconds;
    s->spans.device = s->device;
    s->stage =
        (abdb_run_context){.p = &s->p, .device = s->device, .parts = s->parts, .spans = &s->spans};
    s->workload->list_missing_parts(&s->p, s->parts, lacks, sizeof lacks);
    if (*lacks) {
        *status = "not-implemented";
        TRY(ABDB_FAIL(err, ABDB_USAGE, "backend %s lacks: %s", s->backend->name, lacks));
    }
    s->workload->count_work_and_memory(&s->stage, &s->effort);
done:
    return st;
}

/* What does not fit is refused before it takes the memory of others. */
static abdb_status fail_if_memory_insufficient(const workload_cell *s, const char **status,
                                               abdb_error *err)
{
    double available = s->device->available(s->device);

    if (!(s->effort.memory > available)) return ABDB_OK;
    *status = "out-of-memory";
    return ABDB_FAIL(err, ABDB_NOMEM, "it needs %.2f GiB of memory, and %.2f GiB are free",
                     s->effort.memory / gib, available / gib);
}

/* --- the peak of the process's memory --------------------------------------------------------- */

/* A number of /proc/self/status in bytes; NAN: the system lacks it. */
static double read_proc_self_status_bytes_or_nan(const char *name)
{
    FILE *file = fopen("/proc/self/status", "r");
    char line[256];
    double bytes = NAN;

    while (file && isnan(bytes) && fgets(line, sizeof line, file))
        if (strncmp(line, name, strlen(name)) == 0)
            bytes = 1024 * abdb_double_parse_prefix_or(line + strlen(name), 0);
    if (file) fclose(file);
    return bytes;
}

/* Restarts the peak of resident bytes; returns the bytes resident now, after memory kept from
 * earlier cells was returned. */
static double trim_pool_reset_peak_read_resident_bytes(void)
{
    abdb_memory_pool_return_unused_tail();
    FILE *file = fopen("/proc/self/clear_refs", "w");

    if (file) {
        fputs("5", file);
        fclose(file);
    }
    return read_proc_self_status_bytes_or_nan("VmRSS:");
}

/* --- repetitions ------------------------------------------------------------------------------ */

/* Parts begin and end stretches of a device with a queue themselves (spans.h), and the host works
 * between them: there the time is the host's, from the queue being empty until it is again. */
static abdb_status reset_and_time_one_repetition(workload_cell *s, double *time_s, abdb_error *err)
{
    double began_s;
    abdb_sensors before, after;
    abdb_status st = ABDB_OK;

    TRY(s->workload->reset(s->state, err));
    abdb_spans_reset_totals(&s->spans);
    if (s->energy) s->device->read_sensors(s->device, ABDB_SENSE_QUICK, &before);
    TRY(s->device->begin_timing(s->device, err));
    began_s = abdb_clock_seconds();
    TRY(s->workload->run(s->state, err));
    TRY(s->device->end_timing(s->device, time_s, err));
    if (!s->device->on_host) *time_s = abdb_clock_seconds() - began_s;
    if (s->energy) { /* of timed work alone */
        s->device->read_sensors(s->device, ABDB_SENSE_QUICK, &after);
        abdb_sensors_add_energy_and_time_between(&s->used, &before, &after);
    }
    /* All ranks began together: the slowest one's time is that of all. */
    for (int r = 0; s->lead && r < s->lead->limits.ranks; r++)
        *time_s = fmax(r ? *time_s : 0, s->lead->rank_s[r]);
    if (s->spans.overflowed || s->spans.deep)
        TRY(ABDB_FAIL(err, ABDB_LIMIT, "its spans are more than there is room for, or left open"));
done:
    return st;
}

/* Are there repetitions enough, and are they steady, or is the time up? */
static bool should_stop_repeating(const workload_cell *s, double passed_s)
{
    double scratch[REPETITIONS];
    abdb_summary summary;
    bool counted = !s->energy || s->used.at_s >= ABDB_ENERGY_WINDOW_S;

    if (s->samples.count == REPETITIONS) return true;
    if (passed_s >= (counted ? s->rule.max_time_s : fmax(s->rule.max_time_s, ENERGY_CAP_S)))
        return s->samples.count &&
               s->samples.count >= abdb_min_sample_count_after_time_limit(
                                       &s->rule, passed_s / (double)s->samples.count);
    if ((int)s->samples.count < s->rule.min_samples || passed_s < s->rule.min_time_s) return false;
    if (!counted) return false;
    memcpy(scratch, s->samples.time_s, s->samples.count * sizeof *scratch);
    return abdb_sort_and_summarise(scratch, s->samples.count, &summary, NULL) == ABDB_OK &&
           summary.iqr <= s->rule.iqr_target * summary.median;
}

/* One repetition to warm up, then samples until they are enough or *stop; the spans of each are
 * kept. */
static abdb_status warm_up_and_sample_repetitions(workload_cell *s, const volatile int *stop,
                                                  abdb_error *err)
{
    abdb_samples *out = &s->samples;
    double time_s;
    abdb_status st = ABDB_OK;

    out->batch = 1;
    abdb_thread_count_begin();
    TRY(reset_and_time_one_repetition(s, &time_s, err)); /* one to warm up */
    TRY(abdb_end_thread_count_and_require_requested(&s->p, &s->threads, err));
    out->launches = 1;
    out->first_s = abdb_clock_seconds();
    while (!*stop && !should_stop_repeating(s, abdb_clock_seconds() - out->first_s)) {
        out->at_s[out->count] = abdb_clock_seconds() - out->first_s;
        TRY(reset_and_time_one_repetition(s, &time_s, err));
        memcpy(s->kept[out->count], s->spans.at, sizeof s->spans.at);
        for (int r = 0; s->lead && r < out->ranks; r++)
            out->rank_s[out->count * (size_t)out->ranks + (size_t)r] = s->lead->rank_s[r];
        out->time_s[out->count++] = time_s;
        out->launches++;
    }
    out->cancelled = *stop != 0;
done:
    return st;
}

/* Makes room for samples, takes them between two runs of fixed work and two readings of the
 * sensors; s->shift: how much the machine's speed changed. */
static abdb_status alloc_and_sample_between_canary_runs(workload_cell *s, const volatile int *stop,
                                                        abdb_error *err)
{
    double first, last;
    abdb_status st = ABDB_OK;

    s->samples = (abdb_samples){.time_s = calloc(REPETITIONS, sizeof(double)),
                                .at_s = calloc(REPETITIONS, sizeof(double))};
    s->kept = calloc(REPETITIONS, sizeof *s->kept);
    if (s->lead) {
        s->samples.ranks = s->lead->limits.ranks;
        s->samples.rank_s = calloc(REPETITIONS * (size_t)s->samples.ranks, sizeof(double));
        if (!s->samples.rank_s) TRY(ABDB_FAIL(err, ABDB_NOMEM, "samples of ranks"));
    }
    if (!s->samples.time_s || !s->samples.at_s || !s->kept)
        TRY(ABDB_FAIL(err, ABDB_NOMEM, "samples"));
    first = abdb_time_canary_round(s->rule.canary_s);
    s->device->read_sensors(s->device, ABDB_SENSE_ALL, &s->before);
    TRY(warm_up_and_sample_repetitions(s, stop, err));
    s->device->read_sensors(s->device, ABDB_SENSE_ALL, &s->after);
    if (s->energy) {
        s->after.energy_j = s->before.energy_j + s->used.energy_j;
        s->after.at_s = s->before.at_s + s->used.at_s;
    }
    last = abdb_time_canary_round(s->rule.canary_s);
    s->shift = fabs(last / first - 1);
    s->canary_s = fmin(first, last);
done:
    return st;
}

/* --- printed records -------------------------------------------------------------------------- */

/* The repetition whose time is nearest to the median. */
static size_t store_median_and_find_nearest_repetition(workload_cell *s)
{
    double scratch[REPETITIONS];
    abdb_summary summary;
    size_t best = 0;

    memcpy(scratch, s->samples.time_s, s->samples.count * sizeof *scratch);
    if (abdb_sort_and_summarise(scratch, s->samples.count, &summary, NULL) != ABDB_OK) return 0;
    s->median_s = summary.median;
    for (size_t i = 1; i < s->samples.count; i++)
        if (fabs(s->samples.time_s[i] - summary.median) <
            fabs(s->samples.time_s[best] - summary.median))
            best = i;
    return best;
}

/* Prints a `span` for each part that ran in that repetition. */
static void print_span_records(const workload_cell *s, size_t repetition)
{
    for (size_t i = 0; i < s->spans.count; i++) {
        const abdb_span_total *at = &s->kept[repetition][i];
        json_t *record;

        if (!at->calls) continue;
        record = json_pack("{s:s,s:s,s:s,s:I,s:f}", "kind", "span", "cell", s->name, "name",
                           at->name, "calls", (json_int_t)at->calls, "time_s", at->time_s);
        if (at->within) json_object_set_new(record, "within", json_string(at->within));
        if (at->kernel) {
            json_object_set_new(record, "kernel", json_string(at->kernel));
            json_object_set_new(record, "provider", json_string(s->backend->name));
            json_object_set_new(record, "ops", json_real(at->ops));
            json_object_set_new(record, "bytes", json_real(at->bytes));
        }
        abdb_print_and_free_record(record);
    }
}

static void append_metric_or_mark_unsound_if_full(void *to, const abdb_workload_metric *metric)
{
    workload_cell *s = to;

    if (s->metrics < ABDB_METRICS_MAX)
        s->metric[s->metrics++] = *metric;
    else
        s->sound = false;
}

/* The share of a repetition that no part that computes accounts for. */
static double share_of_time_outside_kernels(const workload_cell *s, size_t repetition)
{
    double computed = 0;

    for (size_t i = 0; i < s->spans.count; i++)
        if (s->kept[repetition][i].kernel) computed += s->kept[repetition][i].time_s;
    return 1 - computed / s->samples.time_s[repetition];
}

/* Prints a `metric` for each that was collected. */
static void print_metric_records(const workload_cell *s)
{
    for (size_t i = 0; i < s->metrics; i++) {
        const abdb_workload_metric *m = &s->metric[i];
        json_t *record =
            json_pack("{s:s,s:s,s:s,s:s,s:f}", "kind", "metric", "cell", s->name, "metric",
                      m->metric, "statistic", m->statistic, "value", m->value);

        if (isfinite(m->x)) json_object_set_new(record, "x", json_real(m->x));
        abdb_print_and_free_record(record);
    }
}

/* Prints `result`: parameters, work, the check, noise and sensors. */
static void print_workload_result_record(const workload_cell *s)
{
    json_t *factors = json_object(), *record;
    abdb_dtype dtype = s->workload->dtype;
    const char *said = abdb_param_text(&s->p, "dtype");

    for (int i = 0; i < s->p.params; i++)
        json_object_set_new(factors, s->p.param[i].name, json_string(s->p.param[i].text));
    json_object_set_new(factors, "provider", json_string(s->backend->name));
    if (s->checked_at) json_object_set_new(factors, "verified_at", json_string(s->checked_at));
    record = json_pack("{s:s,s:s,s:s,s:s,s:f,s:f,s:s,s:f,s:i,s:o,s:f,s:f,s:b,s:i,s:s}", "kind",
                       "result", "cell", s->name, "formula", s->workload->formula, "dtype",
                       said ? said : abdb_dtype_name(dtype), "ops", s->effort.ops, "bytes",
                       s->effort.bytes, "verified", s->error <= 1 && s->sound ? "pass" : "fail",
                       "prepare_s", s->open_s, "batch", 1, "factors", factors, "canary_shift",
                       s->shift, "canary_s", s->canary_s, "unsteady", s->shift > s->rule.shift_most,
                       "threads", s->threads, "bound", "operations");
    if (isfinite(s->error)) json_object_set_new(record, "error", json_real(s->error));
    if (s->lead)
        abdb_result_json_add_ranks_and_binding(record, s->lead, abdb_problem_rank_count(&s->p),
                                               &s->samples);
    abdb_result_json_add_load_steal_and_energy(record, &s->before, &s->after,
                                               (double)s->samples.launches);
    abdb_print_and_free_record(record);
}

/* Collects the workload's metrics with overhead and memory, then prints samples, spans of the
 * median repetition, metrics and the result. */
static void collect_metrics_and_print_all_records(workload_cell *s, double resident_before_bytes)
{
    double most = read_proc_self_status_bytes_or_nan("VmHWM:");
    size_t repetition = store_median_and_find_nearest_repetition(s);
    bool sound = true;

    s->sound = true; /* until metrics exceed their room or the workload finds a bad result */
    s->workload->report_metrics(s->state, s->median_s, append_metric_or_mark_unsound_if_full, s,
                                &sound);
    append_metric_or_mark_unsound_if_full(
        s, &(abdb_workload_metric){"overhead", "value",
                                   share_of_time_outside_kernels(s, repetition), NAN});
    /* of this rank: its peak excludes memory of the others */
    append_metric_or_mark_unsound_if_full(
        s, &(abdb_workload_metric){
               "memory_predicted_bytes", "value",
               s->effort.memory / (s->lead ? abdb_problem_rank_count(&s->p) : 1), NAN});
    if (s->device->on_host && most > resident_before_bytes)
        append_metric_or_mark_unsound_if_full(
            s, &(abdb_workload_metric){"memory_peak_bytes", "value", most - resident_before_bytes,
                                       NAN});
    s->sound = s->sound && sound;
    abdb_print_sample_records(s->name, &s->samples);
    print_span_records(s, repetition);
    print_metric_records(s);
    print_workload_result_record(s);
}

/* --- a cell ----------------------------------------------------------------------------------- */

static abdb_status fail_as_cancelled(const workload_cell *s, const char **status, abdb_error *err)
{
    *status = "cancelled";
    return ABDB_FAIL(err, ABDB_STOPPED, "interrupted after %zu repetitions", s->samples.count);
}

/* What its repetitions must not change, as weights. */
static void keep_constant_memory_of_host(const workload_cell *s)
{
    const void *data;
    size_t bytes;

    if (s->lead || !s->device->on_host || !s->workload->find_constant_memory) return;
    s->workload->find_constant_memory(s->state, &data, &bytes);
    abdb_workload_guard_keep_constant(data, bytes);
}

abdb_status abdb_run_and_print_workload_cell(const abdb_workload *workload,
                                             const abdb_backend *backend, abdb_device *device,
                                             const char *cell, json_t *request,
                                             const volatile int *stop, const char **status,
                                             abdb_error *err)
{
    workload_cell *s = calloc(1, sizeof *s);
    double began_s, resident;
    abdb_status st = ABDB_OK;

    *status = "failed";
    if (!s) return ABDB_FAIL(err, ABDB_NOMEM, "a workload");
    s->name = cell;
    s->workload = workload;
    s->backend = backend;
    s->device = device;
    TRY(parse_cell_require_parts_and_count_work(s, request, status, err));
    TRY(fail_if_memory_insufficient(s, status, err));
    TRY(s->workload->check_results(&s->stage, &s->error, &s->checked_at, err));
    if (isnan(s->error)) s->error = INFINITY;
    if (*stop) TRY(fail_as_cancelled(s, status, err));
    s->spans.count = 0; /* drops the check's spans */
    resident = trim_pool_reset_peak_read_resident_bytes();
    began_s = abdb_clock_seconds();
    if (!s->lead) abdb_workload_guard_begin(s->device);
    st = s->workload->open(&s->state, &s->stage, err);
    if (st == ABDB_NOMEM) *status = "out-of-memory";
    TRY(st);
    s->open_s = abdb_clock_seconds() - began_s;
    keep_constant_memory_of_host(s);
    TRY(alloc_and_sample_between_canary_runs(s, stop, err));
    if (!s->lead && s->device->on_host) TRY(abdb_workload_guard_require_unchanged(err));
    if (s->samples.cancelled) TRY(fail_as_cancelled(s, status, err));
    collect_metrics_and_print_all_records(s, resident);
    *status = "ok";
done:
    if (s->state) s->workload->close(s->state);
    abdb_workload_guard_end(s->device);
    abdb_samples_free(&s->samples);
    free(s->kept);
    free(s);
    return st;
}

abdb_status abdb_print_workload_estimate_record(const abdb_workload *workload,
                                                const abdb_backend *backend, abdb_device *device,
                                                const char *cell, json_t *request,
                                                const char **status, abdb_error *err)
{
    workload_cell *s = calloc(1, sizeof *s);
    json_t *record;
    double seconds;
    abdb_status st = ABDB_OK;

    *status = "failed";
    if (!s) return ABDB_FAIL(err, ABDB_NOMEM, "a workload");
    s->workload = workload;
    s->backend = backend;
    s->device = device;
    TRY(parse_cell_require_parts_and_count_work(s, request, status, err));
    TRY(fail_if_memory_insufficient(s, status, err));
    record = json_pack("{s:s,s:s,s:f,s:f,s:f}", "kind", "estimate", "cell", cell, "ops",
                       s->effort.ops, "bytes", s->effort.bytes, "memory", s->effort.memory);
    seconds =
        s->lead ? NAN : abdb_estimate_workload_seconds(&s->stage, workload, &s->effort, &s->rule);
    if (isfinite(seconds)) json_object_set_new(record, "seconds", json_real(seconds));
    abdb_print_and_free_record(record);
    *status = "ok";
done:
    free(s);
    return st;
}
