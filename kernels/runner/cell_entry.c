/* cell_entry.c - the entry that a finished cell becomes: times with their interval, rates, factors,
 * flags, and the process that measured it; see cell_entry.h. */
#include "kernels/runner/cell_entry.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/runner/expand_providers.h"
#include "kernels/runner/rank_results.h"
#include "kernels/runner/record_line.h"
#include "schema/core/array.h"
#include "schema/core/sample_series.h"
#include "schema/core/stats.h"
#include "schema/core/timing.h"

const char *abdb_cell_stored_name(abdb_arena *arena, const char *backend, const char *device,
                                  const abdb_cell *cell, size_t repetition)
{
    const char *on = device ? device : "", *gap = device ? " " : "";
    const char *name = abdb_arena_printf(arena, "%s%s%s %s", backend, gap, on, cell->name);
    return name && repetition ? abdb_arena_printf(arena, "%s #%zu", name, repetition + 1) : name;
}

/* The median absolute deviation times 1.48 is a standard deviation, where times are normal;
 * samples further than ten deviations from the median are marked, and stay. Where over half of the
 * samples are equal, a difference of over a hundredth and ten steps of the clock is marked. */
static const double outlier_mads = 14.8, /* 10 x 1.48 MAD */
    outlier_share = 0.01, outlier_steps = 10;
/* Half of an interval beyond which a median is known badly, relative. */
static const double wide_share = 0.1;
/* No launch is shorter: a few cycles of any clock. */
static const double least_launch_s = 5e-10;

enum { TALLY_LEAST = 6 };
/* Keeps the relative uncertainty of a cell's median: half of its interval (without one, of the
 * range of all samples). Reports of a run print the smallest difference that it could find. */
static void append_relative_ci_half_width_to_tally(abdb_run_tally *t, const abdb_series_summary *s,
                                                   size_t samples, double median)
{
    double *more;

    if (samples < TALLY_LEAST || !(median > 0)) return;
    more = abdb_array_reserve_one(t->spread, t->spreads, &t->capacity, sizeof *more);
    if (!more) return; /* the report has one cell less */
    t->spread = more;
    t->spread[t->spreads++] = (s->high - s->low) / 2 / median;
}

/* step_s: of the clock, in the time of one launch. */
static void mark_outlier_samples_by_mad(abdb_sample *sample, size_t n, const abdb_summary *summary,
                                        double step_s)
{
    double far = summary->mad > 0 ? outlier_mads * summary->mad
                                  : fmax(outlier_share * summary->median, outlier_steps * step_s);

    for (size_t i = 0; i < n; i++)
        if (fabs(sample[i].value - summary->median) > far) sample[i].mark = "outlier";
}

/* Launches of a sample, 1 where the result names none. */
static double launches_of_sample(const abdb_cell_validation *t)
{
    return fmax(1, json_number_value(json_object_get(t->result, "batch")));
}

static double clock_step_of_launch(const abdb_cell_validation *t)
{
    return json_number_value(json_object_get(t->device, "clock_resolution_s")) /
           launches_of_sample(t);
}

/* Members of a result beside time and rates, stored as metrics of the same names. */
static const char *const beside[] = {"canary_shift", "canary_s",       "load",     "steal",
                                     "clock_hz",     "temperature_c",  "energy_j", "power_w",
                                     "other_load",   "cpu_throttled_s"};

/* Median time with its interval and samples, and the rates that follow from the kernel's work. */
static abdb_status add_time_rate_results_and_mark_outliers(abdb_entry *e, abdb_backend_session *s,
                                                           abdb_run_tally *tally, abdb_error *err)
{
    abdb_cell_validation *t = &s->validation;
    double *times = calloc(t->samples ? t->samples : 1, sizeof *times), ops, bytes;
    const json_t *error = json_object_get(t->result, "error");
    abdb_summary summary;
    abdb_result *r;
    abdb_status st = ABDB_OK;

    if (!times) return ABDB_FAIL(err, ABDB_NOMEM, "samples");
    for (size_t i = 0; i < t->samples; i++) times[i] = t->sample[i].value;
    TRY(abdb_summarise_series(times, t->samples, &s->series, err));
    TRY(abdb_sort_and_summarise(times, t->samples, &summary, err));
    mark_outlier_samples_by_mad(t->sample, t->samples, &summary, clock_step_of_launch(t));
    append_relative_ci_half_width_to_tally(tally, &s->series, t->samples, summary.median);
    r = abdb_entry_add_result_or_count_left_out(e, "time_s", summary.median);
    r->statistic = "median";
    r->n = (long long)t->samples;
    r->formula = "median@1";
    r->sample = t->sample;
    r->samples = t->samples;
    if (s->series.has_interval) {
        r->low = s->series.low;
        r->high = s->series.high;
        r->spread = "ci95";
    }
    r = abdb_entry_add_result_or_count_left_out(e, "time_s", summary.min);
    r->statistic = "min";
    r->n = (long long)t->samples;
    ops = json_number_value(json_object_get(t->result, "ops"));
    bytes = json_number_value(json_object_get(t->result, "bytes"));
    if (ops > 0 && summary.median > 0) {
        bool whole =
            abdb_json_text_or_empty(t->result, "dtype")[0] == 'i'; /* i8: no floating point */

        r = abdb_entry_add_result_or_count_left_out(e, whole ? "ops_per_s" : "flops_per_s",
                                                    ops / summary.median);
        r->statistic = "median";
        r->formula = abdb_json_text_or_empty(t->result, "formula");
    }
    if (bytes > 0 && summary.median > 0) {
        r = abdb_entry_add_result_or_count_left_out(e, "bytes_per_s", bytes / summary.median);
        r->statistic = "median";
        r->formula = abdb_json_text_or_empty(t->result, "formula");
    }
    if (json_is_number(error))
        abdb_entry_add_result_or_count_left_out(e, "error", json_number_value(error));
    abdb_entry_add_result_or_count_left_out(
        e, "prepare_s", json_number_value(json_object_get(t->result, "prepare_s")));
    for (size_t i = 0; i < sizeof beside / sizeof beside[0]; i++) {
        const json_t *value = json_object_get(t->result, beside[i]);

        if (json_is_number(value))
            abdb_entry_add_result_or_count_left_out(e, beside[i], json_number_value(value));
    }
    for (size_t i = 0; i < t->metrics; i++) {
        r = abdb_entry_add_result_or_count_left_out(e, t->metric[i].metric, t->metric[i].value);
        if (!r) break; /* the harness keeps to what there is room for */
        r->statistic = t->metric[i].statistic;
        r->x = t->metric[i].x;
    }
done:
    free(times);
    return st;
}

static const char *const bounds[] = {"operations", "bytes", NULL},
                         *const ceilings[] = {"peak_flops", "peak_ops", "memory_bandwidth", NULL},
                         *const caches[] = {"L1", "L2", "L3", NULL};

/* Adds a member of the result if it is one of `words`; omits meaningless other texts. */
static void add_result_member_as_factor_if_allowed(abdb_entry *e, const json_t *result,
                                                   const char *name, const char *const *words)
{
    const char *text = abdb_json_text_or_empty(result, name);

    for (size_t i = 0; words[i]; i++)
        if (strcmp(words[i], text) == 0) abdb_entry_add_factor_parsing_number(e, name, text);
}

/* Threads that a launch ran on, where the backend reports them, else the device's threads. */
static void add_threads_run_and_asked_factors(abdb_entry *e, abdb_arena *arena,
                                              const abdb_cell_validation *t)
{
    json_t *given = json_object_get(t->device, "threads"),
           *used = json_object_get(t->result, "threads");
    long long asked = json_integer_value(given), ran = json_integer_value(used);

    if (!json_is_integer(used)) ran = asked;
    if (ran > 0 && !json_object_get(json_object_get(t->result, "factors"), "threads"))
        abdb_entry_add_factor_parsing_number(e, "threads", abdb_arena_printf(arena, "%lld", ran));
    if (asked > 0 && ran > 0 && asked != ran)
        abdb_entry_add_factor_parsing_number(e, "threads_asked",
                                             abdb_arena_printf(arena, "%lld", asked));
}

/* Where neither cell nor result names a provider: adds the backend's, if it has only one. */
static void add_provider_factor_if_untold_and_only_one(abdb_entry *e, const abdb_cell_validation *t,
                                                       const abdb_cell *cell)
{
    const char *only = abdb_nth_distinct_provider_of_kernel(t->hello, cell->kernel, 0);

    if (!only || abdb_nth_distinct_provider_of_kernel(t->hello, cell->kernel, 1) ||
        abdb_cell_param_text(cell, "provider") ||
        json_object_get(json_object_get(t->result, "factors"), "provider"))
        return;
    abdb_entry_add_factor_parsing_number(e, "provider", only);
}

/* The conditions of a result, as factors: parameters of the cell (where the backend reports no
 * factor of that name), then the backend's factors, then this program's settings. `op` is called
 * operation in the database; dtype is a column and no factor. */
static void add_measurement_factors(abdb_entry *e, abdb_arena *arena, const abdb_backend_session *s,
                                    const abdb_cell *cell)
{
    const abdb_cell_validation *t = &s->validation;
    json_t *factors = json_object_get(t->result, "factors"), *value;
    bool whole = abdb_sample_unit_is_process(t);
    const char *key;

    for (size_t i = 0; i < cell->params; i++)
        if (!json_object_get(factors, cell->param[i].key) &&
            strcmp(cell->param[i].key, "dtype") != 0)
            abdb_entry_add_factor_parsing_number(
                e, strcmp(cell->param[i].key, "op") == 0 ? "operation" : cell->param[i].key,
                cell->param[i].text);
    json_object_foreach(factors, key, value) if (strcmp(key, "dtype") != 0)
        abdb_entry_add_factor_parsing_number(e, strcmp(key, "op") == 0 ? "operation" : key,
                                             json_string_value(value));
    /* The threads of a program started by --command are unknown. */
    if (!whole) add_threads_run_and_asked_factors(e, arena, t);
    add_provider_factor_if_untold_and_only_one(e, t, cell);
    if (*abdb_json_text_or_empty(t->result, "chosen"))
        abdb_entry_add_factor_parsing_number(e, "chosen",
                                             abdb_json_text_or_empty(t->result, "chosen"));
    if (s->o->core_type)
        abdb_entry_add_factor_parsing_number(e, "core_type_asked", s->o->core_type);
    abdb_entry_add_factor_parsing_number(e, "commit", s->o->commit);
    abdb_entry_add_factor_parsing_number(e, "commit_date", s->o->commit_date);
    abdb_entry_add_factor_parsing_number(e, "branch", s->o->branch);
    abdb_entry_add_factor_parsing_number(e, "dirty", s->o->dirty);
    abdb_entry_add_factor_parsing_number(e, "program_digest", s->o->program_digest);
    abdb_entry_add_factor_parsing_number(e, "node", s->o->node);
    if (*abdb_json_text_or_empty(t->environment, "library"))
        abdb_entry_add_factor_parsing_number(e, "library",
                                             abdb_json_text_or_empty(t->environment, "library"));
    if (json_is_integer(json_object_get(t->result, "batch")))
        abdb_entry_add_factor_parsing_number(
            e, "sample_launches",
            abdb_arena_printf(arena, "%lld",
                              (long long)json_integer_value(json_object_get(t->result, "batch"))));
    abdb_entry_add_factor_parsing_number(e, "clock", abdb_json_text_or_empty(t->device, "clock"));
    if (!whole) abdb_entry_add_factor_parsing_number(e, "clock_policy", "as-shipped");
    add_result_member_as_factor_if_allowed(e, t->result, "bound", bounds);
    add_result_member_as_factor_if_allowed(e, t->result, "ceiling", ceilings);
    add_result_member_as_factor_if_allowed(e, t->result, "resident", caches);
    if (json_is_number(json_object_get(t->result, "checked")))
        abdb_entry_add_factor_parsing_number(
            e, "checked",
            abdb_arena_printf(arena, "%.3g",
                              json_number_value(json_object_get(t->result, "checked"))));
    if (*abdb_json_text_or_empty(t->result, "energy_scope"))
        abdb_entry_add_factor_parsing_number(e, "energy_scope",
                                             abdb_json_text_or_empty(t->result, "energy_scope"));
    /* Defaults of all kernels, unless the backend reports other values. */
    if (!whole && !json_object_get(factors, "fill"))
        abdb_entry_add_factor_parsing_number(e, "fill", "uniform");
    if (!whole && !json_object_get(factors, "cache"))
        abdb_entry_add_factor_parsing_number(e, "cache", "hot");
    abdb_entry_add_factor_parsing_number(e, "sampling",
                                         whole         ? "process@1"
                                         : s->o->quick ? "quick@1"
                                                       : "cpu@1");
}

static bool all_entry_results_are_finite(const abdb_entry *e)
{
    for (size_t i = 0; i < e->results; i++)
        if (!isfinite(e->result[i].value)) return false;
    return true;
}

/* Rates above the upper bound in the device's record, a launch that no program can
 * begin and end, or samples of less than ten steps of their clock. */
static bool is_faster_than_device_or_clock_allows(const abdb_entry *e,
                                                  const abdb_cell_validation *t)
{
    double batch = json_number_value(json_object_get(t->result, "batch")),
           step_s = json_number_value(json_object_get(t->device, "clock_resolution_s")),
           ops = json_number_value(json_object_get(t->device, "most_ops_per_s")),
           bytes = json_number_value(json_object_get(t->device, "most_bytes_per_s"));

    for (size_t i = 0; i < e->results; i++) {
        const char *metric = e->result[i].metric;
        double most = strcmp(metric, "bytes_per_s") == 0 ? bytes
                      : strcmp(metric, "flops_per_s") == 0 || strcmp(metric, "ops_per_s") == 0 ? ops
                                                                                               : 0;

        if (most > 0 && e->result[i].value > most) return true;
    }
    return t->samples && (t->least_s < least_launch_s || t->least_s * fmax(1, batch) < 10 * step_s);
}

/* Is the median known to no better than 10 %, or not at all, though there are samples enough? */
static bool is_median_wide(const abdb_result *median, const abdb_series_summary *s)
{
    if (!s->has_interval) return median->n >= ABDB_SERIES_FEW;
    return s->high - s->low > 2 * wide_share * median->value;
}

/* The flag, a blank before it, where the result's member of that name is true; else "". */
static const char *flag_if_result_member_true(const json_t *result, const char *flag)
{
    return json_is_true(json_object_get(result, flag + 1)) ? flag : "";
}

/* Warnings for readers of the results, as words; "" where there is none. */
static const char *build_space_separated_entry_flags(abdb_arena *arena,
                                                     const abdb_backend_session *s,
                                                     const abdb_entry *e, bool ok)
{
    const abdb_cell_validation *t = &s->validation;
    const json_t *result = ok ? t->result : NULL;
    bool imprecise = ok && t->samples < ABDB_PRECISE_LEAST && !abdb_sample_unit_is_process(t);
    const char *words = abdb_arena_printf(
        arena, "%s%s%s%s%s%s%s%s%s%s%s", s->o->quick ? " quick" : "", imprecise ? " imprecise" : "",
        flag_if_result_member_true(result, " unsteady"),
        ok && is_median_wide(&e->result[0], &s->series) ? " wide" : "",
        ok && s->series.trend ? " trend" : "", ok && s->series.two_modes ? " two-modes" : "",
        ok && s->o->foreign && !s->challenged ? " self-verified" : "",
        ok && s->unknown_formula ? " unknown-formula" : "",
        flag_if_result_member_true(result, " busy"),
        flag_if_result_member_true(result, " throttled"),
        ok && is_faster_than_device_or_clock_allows(e, t) ? " implausible" : "");

    return words && *words ? words + 1 : "";
}

/* Sets the entry's text fields. */
static void set_entry_text_fields(abdb_entry *e, abdb_arena *arena, const abdb_backend_session *s,
                                  const abdb_cell *cell, bool ok)
{
    const abdb_cell_validation *t = &s->validation;
    bool whole = abdb_sample_unit_is_process(t); /* a program, which may use unreported threads */

    e->field[ABDB_FIELD_evidence] = "measured";
    e->field[ABDB_FIELD_kind] = "run";
    e->field[ABDB_FIELD_status] = t->status;
    e->field[ABDB_FIELD_reason] = ok ? NULL : t->reason;
    e->field[ABDB_FIELD_verified] =
        ok ? abdb_json_text_or_empty(t->result, "verified") : "unchecked";
    e->field[ABDB_FIELD_suite] = "abdb";
    e->field[ABDB_FIELD_workload] = cell->kernel;
    e->field[ABDB_FIELD_device] = t->device ? abdb_json_text_or_empty(t->device, "name") : NULL;
    e->field[ABDB_FIELD_devices] = t->device && !whole ? "1" : NULL;
    e->field[ABDB_FIELD_nodes] = whole ? NULL : "1";
    e->field[ABDB_FIELD_backend] = s->o->name;
    e->field[ABDB_FIELD_dtype] =
        ok ? abdb_json_text_or_empty(t->result, "dtype") : abdb_cell_param_text(cell, "dtype");
    e->field[ABDB_FIELD_date] = t->date;
    e->field[ABDB_FIELD_tag] = s->o->tag;
    e->field[ABDB_FIELD_campaign] = s->o->campaign;
    e->field[ABDB_FIELD_cell] =
        abdb_cell_stored_name(arena, s->o->name, s->o->device, cell, s->o->repetition);
    e->field[ABDB_FIELD_flags] = build_space_separated_entry_flags(arena, s, e, ok);
    e->field[ABDB_FIELD_source] = "abdb-run";
}

/* Adds a cell to the tally of its status; an unknown status counts as crashed. */
static void count_cell_by_status(abdb_run_tally *tally, const char *status)
{
    if (strcmp(status, "ok") == 0)
        tally->ok++;
    else if (strcmp(status, "not-implemented") == 0)
        tally->not_implemented++;
    else if (strcmp(status, "cancelled") == 0)
        tally->cancelled++;
    else if (strcmp(status, "failed") == 0 || strcmp(status, "bad-answer") == 0)
        tally->failed++;
    else
        tally->crashed++;
}

/* One cell as an entry, whatever became of it: a cell that crashed or timed out is a row with
 * its status and reason. */
abdb_status abdb_build_entry_and_send_to_sink(abdb_backend_session *s, const abdb_cell *cell,
                                              abdb_run_tally *tally, abdb_error *err)
{
    abdb_entry *e = calloc(1, sizeof *e);
    abdb_arena arena = {0};
    abdb_cell_validation *t = &s->validation;
    abdb_rank *ranks = NULL;
    bool ok = strcmp(t->status, "ok") == 0;
    char *environment =
        t->environment ? json_dumps(t->environment, JSON_COMPACT | JSON_SORT_KEYS) : NULL;
    abdb_status st = ABDB_OK;

    if (!e) TRY(ABDB_FAIL(err, ABDB_NOMEM, "an entry"));
    if (ok) TRY(add_time_rate_results_and_mark_outliers(e, s, tally, err));
    if (ok && !all_entry_results_are_finite(e)) { /* of 1e300 operations in 1e-300 s */
        abdb_reject_cell(t, "4.7", "its work and its times make a rate that is not finite");
        e->results = 0;
        ok = false;
    }
    set_entry_text_fields(e, &arena, s, cell, ok);
    if (ok)
        TRY(abdb_entry_set_ranks_counts_and_add_times(e, t->result, t->samples, &arena, &ranks,
                                                      err));
    s->doubtful = strstr(e->field[ABDB_FIELD_flags], "imprecise") ||
                  strstr(e->field[ABDB_FIELD_flags], "unsteady");
    e->environment = environment;
    e->process = s->process;
    e->origin = ABDB_ORIGIN_NONE; /* the campaign, the cell and its date tell it apart */
    e->telemetry = t->telemetry;
    e->telemetries = t->telemetries;
    e->span = t->span;
    e->spans = ok ? t->spans : 0;
    add_measurement_factors(e, &arena, s, cell);
    TRY(s->sink->entry(s->sink->self, e, err));
    if (ok && strcmp(e->field[ABDB_FIELD_verified], "pass") != 0) tally->unverified++;
    if (strstr(e->field[ABDB_FIELD_flags], "unsteady")) tally->unsteady++;
    if (strstr(e->field[ABDB_FIELD_flags], "busy")) tally->busy++;
    if (strstr(e->field[ABDB_FIELD_flags], "throttled")) tally->throttled++;
    count_cell_by_status(tally, t->status);
done:
    free(environment);
    free(ranks);
    abdb_arena_free(&arena);
    free(e);
    return st;
}
