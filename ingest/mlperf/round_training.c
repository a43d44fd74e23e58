/* round_training.c - a result folder of a training or HPC round: runs, and the score they make.
 *
 * MLCommons' training rules: the time of a run is run_stop - run_start; a folder has a fixed number
 * of runs (data/rules/scores.csv), which are sorted, the fastest and the slowest left out, the
 * rest averaged, and the mean multiplied by the factor of scaling.json (a larger batch than the
 * reference's). A run that failed counts as the slowest; more failures than are left out make the
 * score void. HPC scores strong scaling alike; its weak scaling is another quantity, not computed.
 */
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ingest/mlperf/round.h"
#include "ingest/mlperf/score_rules.h"
#include "schema/core/array.h"
#include "schema/core/stats.h"

enum { REASON = 200, RUNS_MAX = ABDB_PIECE_MAX };

typedef struct {
    const abdb_round_folder *folder;
    const abdb_overrides *words;
    const abdb_sink *sink;
    abdb_arena arena;
    abdb_entry entry;
    double ms[RUNS_MAX]; /* of each run, INFINITY: it failed; of the first RUNS_MAX */
    int runs, failed;
    const abdb_mlperf_values *last; /* of a run, for values that all runs share */
} scorer;

/* Milliseconds of a run, INFINITY where it failed, NAN where the log lacks them. */
static double run_duration_ms_or_infinity_if_failed(const abdb_mlperf_values *log)
{
    const char *status = abdb_mlperf_get_first_value(log, "status"),
               *start = abdb_mlperf_get_first_value(log, "start_ms"),
               *stop = abdb_mlperf_get_first_value(log, "stop_ms");
    double from, to;

    if (!start || !stop || !abdb_double_parse(start, ABDB_MARK_POINT, &from) ||
        !abdb_double_parse(stop, ABDB_MARK_POINT, &to) || to <= from)
        return stop && start ? NAN : INFINITY; /* a log that ends early is a run that failed */
    return status && strcmp(status, "success") != 0 ? INFINITY : to - from;
}

/* Fills an entry with all values of folder and system. */
static bool fill_training_entry_or_explain(scorer *s, const abdb_mlperf_values *log,
                                           const char *raw, const char *unit, const char *locator,
                                           char *reason)
{
    const char *field = NULL, *division = abdb_mlperf_get_first_value(log, "submission_division");
    abdb_mlperf_context context = {.source = "mlperf-logs", .locator = locator};
    abdb_mlperf_row row;

    abdb_round_fill_row_from_descriptions(s->folder, &row);
    row.suite = s->folder->suite == ROUND_HPC ? "hpc" : "training";
    row.system_type = NULL; /* training has one */
    row.scenario = s->folder->scenario;
    if (division) row.division = division;
    row.result = raw;
    row.unit = unit;
    s->entry = (abdb_entry){0};
    if (!abdb_mlperf_fill_entry_or_explain(&s->entry, &s->arena, &context, &row, &field, reason))
        return false;
    abdb_entry_add_factor_parsing_number(&s->entry, "global_batch_size",
                                         abdb_mlperf_get_first_value(log, "global_batch_size"));
    abdb_entry_add_factor_parsing_number(&s->entry, "submission_platform",
                                         abdb_mlperf_get_first_value(log, "submission_platform"));
    abdb_mlperf_add_training_factors(&s->entry, log, &s->arena);
    if (s->folder->system)
        abdb_mlperf_add_description_factors(&s->entry, &s->folder->system->values, &s->arena);
    return true;
}

/* Adds the last accuracy of a log as a result; one with digits that is no number is counted as left
 * out. */
static void parse_and_add_accuracy_result(abdb_entry *entry, const char *text)
{
    abdb_result *result;
    double value;

    if (!text) return;
    if (!abdb_double_parse(text, ABDB_MARK_POINT, &value)) {
        if (abdb_has_digit(text)) abdb_entry_count_left_out_value(entry);
        return;
    }
    result = abdb_entry_add_result_or_count_left_out(entry, "accuracy", value);
    if (result) result->raw_value = text;
}

/* One result_N.txt: run_stop - run_start in milliseconds, infinite where the run failed. Such a
 * run is kept without a result, as its failure counts in the score. */
static abdb_status import_training_run_or_explain(scorer *s, const abdb_round_file *file,
                                                  char *reason, abdb_error *err)
{
    const abdb_mlperf_values *log = &file->values;
    const char *accuracy = abdb_mlperf_get_first_value(log, "eval_accuracy");
    double ms = run_duration_ms_or_infinity_if_failed(log);
    char *raw;

    if (isnan(ms)) {
        snprintf(reason, REASON, "%.60s: run_stop is not after run_start", file->member);
        return ABDB_OK;
    }
    raw = abdb_arena_alloc(&s->arena, 32);
    if (!raw) return ABDB_FAIL(err, ABDB_NOMEM, "a run");
    /* A failed run needs some number to pass fill_training_entry_or_explain; its result is taken
     * away below. */
    abdb_format_shortest_double(isfinite(ms) ? ms : 1, raw);
    if (!fill_training_entry_or_explain(s, log, raw, "ms", file->member, reason)) return ABDB_OK;
    s->entry.field[ABDB_FIELD_kind] = "run";
    abdb_entry_add_factor_parsing_number(&s->entry, "seed",
                                         abdb_mlperf_get_first_value(log, "seed"));
    abdb_entry_add_factor_parsing_number(&s->entry, "samples_count",
                                         abdb_mlperf_get_first_value(log, "samples_count"));
    abdb_entry_add_factor_parsing_number(
        &s->entry, "repetition_index",
        abdb_arena_printf(
            &s->arena, "%lld",
            abdb_digits_parse_prefix_up_to_max_or(file->member + strlen("result_"), LONG_MAX, 0)));
    if (!isfinite(ms)) {
        s->entry.field[ABDB_FIELD_status] = "failed";
        s->entry.field[ABDB_FIELD_reason] = abdb_mlperf_get_first_value(log, "status")
                                                ? abdb_mlperf_get_first_value(log, "status")
                                                : "the log ends before run_stop";
        abdb_entry_drop_results_uncounting_values(&s->entry); /* the 1 that stood for no time */
        s->failed++;
    } else {
        parse_and_add_accuracy_result(&s->entry, accuracy);
    }
    abdb_entry_apply_overrides_and_check(&s->entry, s->words);
    if (s->runs < RUNS_MAX) s->ms[s->runs] = ms;
    s->runs++;
    s->last = log;
    return s->sink->entry(s->sink->self, &s->entry, err);
}

/* Mean of the runs without the dropped ends; INFINITY: too many runs failed. */
static double sort_and_olympic_mean(double *ms, int runs, int dropped_per_end)
{
    double sum = 0;

    /* Failed runs are infinite and sort last: dropped as the slowest, or, where there are more,
     * making the sum infinite. */
    abdb_array_sort(ms, (size_t)runs, sizeof *ms, abdb_compare_double);
    for (int i = dropped_per_end; i < runs - dropped_per_end; i++) sum += ms[i];
    return sum / (runs - 2 * dropped_per_end);
}

static void reject_folder_with_reason(scorer *s, const char *why, abdb_status *st, abdb_error *err)
{
    abdb_reject reject = {.field = s->folder->path, .reason = why};

    *st = s->sink->reject(s->sink->self, &reject, err);
}

/* The score of all runs: their olympic mean, times the factor of scaling.json, in minutes; the
 * runs are its pieces. Runs that did not converge are infinite; if there are more of them than
 * dropped runs, the score is a failure. */
static abdb_status import_training_score_or_explain(scorer *s, const abdb_score_rule *rule,
                                                    char *reason, abdb_error *err)
{
    const abdb_mlperf_values *scaling = abdb_round_values_of_file(s->folder, "scaling.json");
    const char *factor = scaling ? abdb_mlperf_get_first_value(scaling, "scaling_factor") : NULL;
    double times = 1, mean, low = INFINITY, high = 0;
    char *raw = abdb_arena_alloc(&s->arena, 32);
    abdb_result *result;

    if (!raw) return ABDB_FAIL(err, ABDB_NOMEM, "a score");
    if (factor && (!abdb_double_parse(factor, ABDB_MARK_POINT, &times) || times < 1)) {
        snprintf(reason, REASON, "scaling.json: '%.40s' is no factor of 1 or more", factor);
        return ABDB_OK;
    }
    for (int i = 0; i < s->runs; i++)
        if (isfinite(s->ms[i])) {
            low = fmin(low, s->ms[i]);
            high = fmax(high, s->ms[i]);
        }
    /* ms to minutes, the unit of MLCommons' tables. */
    mean = times * sort_and_olympic_mean(s->ms, s->runs, rule->dropped) / 60000;
    abdb_format_shortest_double(isfinite(mean) ? mean : 1, raw);
    if (!fill_training_entry_or_explain(s, s->last, raw, "minutes", s->folder->path, reason))
        return ABDB_OK;
    s->entry.field[ABDB_FIELD_kind] = "score";
    s->entry.pieces = (size_t)s->runs;
    s->entry.role = "run";
    abdb_entry_add_factor_parsing_number(&s->entry, "scaling_factor", factor);
    result = &s->entry.result[0];
    result->statistic = "olympic-mean";
    result->n = s->runs;
    result->low = low * times / 1000;
    result->high = high * times / 1000;
    result->spread = "minmax";
    result->formula = "mlperf-olympic-mean@1";
    if (!isfinite(mean)) {
        s->entry.field[ABDB_FIELD_status] = "failed";
        s->entry.field[ABDB_FIELD_reason] = "more runs failed than the score leaves out";
        abdb_entry_drop_results_uncounting_values(&s->entry); /* the 1 that stood for no time */
    }
    abdb_entry_apply_overrides_and_check(&s->entry, s->words);
    return s->sink->entry(s->sink->self, &s->entry, err);
}

/* Why the runs make no score, or NULL. */
static const char *reason_runs_make_no_score_or_null(scorer *s, const abdb_score_rule *rule)
{
    const abdb_round_folder *f = s->folder;

    if (!f->whole) return "the archive or folder was not read to the end: runs kept, no score";
    if (f->suite == ROUND_HPC && strcmp(f->scenario, "strong") != 0)
        return "weak scaling: runs kept, no score";
    if (!rule)
        return abdb_arena_printf(&s->arena,
                                 "how many runs '%.60s' wants is not known: runs kept,"
                                 " no score",
                                 f->benchmark);
    if (s->runs > RUNS_MAX)
        return abdb_arena_printf(&s->arena, "%d runs, more than %d: runs kept, no score", s->runs,
                                 RUNS_MAX);
    if (s->runs < rule->runs)
        return abdb_arena_printf(&s->arena,
                                 "%d runs of the %d that %.60s wants: runs kept, no"
                                 " score",
                                 s->runs, rule->runs, f->benchmark);
    return NULL;
}

abdb_status abdb_round_import_training(const abdb_round_folder *f, const abdb_overrides *overrides,
                                       const abdb_sink *sink, char *reason, abdb_error *err)
{
    scorer *s = calloc(1, sizeof *s);
    const abdb_score_rule *rule =
        abdb_score_find_rule_of_benchmark_and_round(f->benchmark, f->round);
    const char *why;
    abdb_status st = ABDB_OK;

    if (!s) return ABDB_FAIL(err, ABDB_NOMEM, "a score");
    s->folder = f;
    s->words = overrides;
    s->sink = sink;
    for (size_t i = 0; i < f->files; i++)
        if (strncmp(f->file[i]->member, "result_", 7) == 0) {
            TRY(import_training_run_or_explain(s, f->file[i], reason, err));
            if (*reason) goto done;
        }
    if (!s->runs) {
        snprintf(reason, REASON, "no result_N.txt that is the log of a run");
        goto done;
    }
    why = reason_runs_make_no_score_or_null(s, rule);
    if (why)
        reject_folder_with_reason(s, why, &st, err);
    else
        TRY(import_training_score_or_explain(s, rule, reason, err));
done:
    abdb_arena_free(&s->arena);
    free(s);
    return st;
}

abdb_status abdb_mlperf_import_lone_training_log_or_explain(const abdb_mlperf_values *log,
                                                            const abdb_overrides *overrides,
                                                            const abdb_sink *sink, char *reason,
                                                            abdb_error *err)
{
    abdb_entry *entry = calloc(1, sizeof *entry);
    const char *benchmark = abdb_mlperf_get_first_value(log, "submission_benchmark"),
               *accuracy = abdb_mlperf_get_first_value(log, "eval_accuracy");
    double ms = run_duration_ms_or_infinity_if_failed(log);
    abdb_arena arena = {0};
    char raw[32];
    abdb_status st = ABDB_OK;

    if (!entry) return ABDB_FAIL(err, ABDB_NOMEM, "an entry");
    if (!benchmark || isnan(ms)) {
        snprintf(reason, REASON, "%s",
                 benchmark ? "run_stop is not after run_start" : "no submission_benchmark");
        goto done;
    }
    abdb_entry_set_measured_run(entry, "mlperf-logs", benchmark, "", 0);
    entry->field[ABDB_FIELD_suite] = "training";
    entry->field[ABDB_FIELD_model] = benchmark;
    entry->field[ABDB_FIELD_submitter] = abdb_mlperf_get_first_value(log, "submission_org");
    entry->field[ABDB_FIELD_platform] = abdb_mlperf_get_first_value(log, "submission_platform");
    abdb_mlperf_add_training_factors(entry, log, &arena);
    abdb_entry_add_factor_parsing_number(entry, "global_batch_size",
                                         abdb_mlperf_get_first_value(log, "global_batch_size"));
    abdb_entry_add_factor_parsing_number(entry, "seed", abdb_mlperf_get_first_value(log, "seed"));
    abdb_entry_add_factor_parsing_number(entry, "samples_count",
                                         abdb_mlperf_get_first_value(log, "samples_count"));
    /* 0 is refused by abdb_entry_add_printed_result_or_count_left_out: a failed run has no
     * result. */
    abdb_format_shortest_double(isfinite(ms) ? ms : 0, raw);
    if (!abdb_entry_add_printed_result_or_count_left_out(entry, "time_to_train_s", "value", raw,
                                                         ABDB_MARK_POINT, "ms")) {
        entry->field[ABDB_FIELD_status] = "failed";
        entry->field[ABDB_FIELD_reason] = abdb_mlperf_get_first_value(log, "status")
                                              ? abdb_mlperf_get_first_value(log, "status")
                                              : "the log ends before run_stop";
    } else {
        parse_and_add_accuracy_result(entry, accuracy);
    }
    abdb_entry_apply_overrides_and_check(entry, overrides);
    st = sink->entry(sink->self, entry, err);
done:
    free(entry);
    abdb_arena_free(&arena);
    return st;
}
