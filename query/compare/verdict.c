/* verdict.c - the ratio of the groups of a pair, and the evidence for it. Published values give
 * only a ratio; measured results are tested process by process
 * (schema/core/trimmed_mean_test.h), and verdicts come last, when the number of tests is known. See
 * compare.h. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "query/compare/process_samples.h"
#include "schema/core/array.h"
#include "schema/core/stats.h"
#include "schema/core/student_t.h"

static bool member_has_value(const abdb_member *m)
{
    return !m->why && isfinite(m->value);
}

/* One number for a side: its best member, or the median. low and high are its worst and best
 * (not least and most: of times the low one is the longest); picked is the member whose value it
 * is. */
static abdb_status summarise_side_by_best_or_median(abdb_side side, bool higher, abdb_pick pick,
                                                    abdb_side_summary *out, abdb_error *err)
{
    double *x = calloc(side.group->count + 1, sizeof *x), best;

    *out = (abdb_side_summary){.value = NAN, .low = NAN, .high = NAN, .picked = SIZE_MAX};
    if (!x) return ABDB_FAIL(err, ABDB_NOMEM, "values");
    for (size_t i = 0; i < side.group->count; i++) {
        const abdb_member *m = &side.set->member[side.group->member[i]];

        if (member_has_value(m)) {
            x[out->n++] = m->value;
        } else {
            out->left_out++;
            if (!out->why) out->why = m->mark ? m->mark : m->why;
        }
    }
    if (out->n) {
        abdb_array_sort(x, out->n, sizeof *x, abdb_compare_double);
        out->low = higher ? x[0] : x[out->n - 1]; /* the worst */
        out->high = best = higher ? x[out->n - 1] : x[0];
        out->value = pick == ABDB_PICK_MEDIAN ? abdb_quantile_sorted(x, out->n, 0.5) : best;
        for (size_t i = 0; i < side.group->count && out->picked == SIZE_MAX; i++) {
            const abdb_member *m = &side.set->member[side.group->member[i]];

            if (member_has_value(m) && fabs(m->value - out->value) <= 1e-12 * fabs(out->value))
                out->picked = side.group->member[i];
        }
    }
    free(x);
    return ABDB_OK;
}

static const char *unit_of_side_values(abdb_side side)
{
    for (size_t i = 0; i < side.group->count; i++)
        if (member_has_value(&side.set->member[side.group->member[i]]))
            return side.set->member[side.group->member[i]].unit;
    return "";
}

double abdb_effect_threshold_or_default(const abdb_comparison *c)
{
    return c->options->effect > 0 ? c->options->effect : ABDB_EFFECT;
}

double abdb_significance_level_or_default(const abdb_comparison *c)
{
    return c->options->alpha > 0 ? c->options->alpha : ABDB_ALPHA;
}

double abdb_change_to_detect_or_default(const abdb_comparison *c)
{
    return c->options->find > 0 ? c->options->find : ABDB_FIND;
}

/* --- processes -------------------------------------------------------------------------------- */

/* Sets the drift between commands of this machine, for the kernel of the pair. */
static abdb_status set_machine_drift_of_trial(abdb_comparison *c, abdb_pair *pair,
                                              abdb_trimmed_mean_trial *t, abdb_error *err)
{
    size_t at = pair->a.group->member[0];
    const abdb_member_factor *bound = abdb_member_find_factor(&pair->a.set->member[at], "bound");
    const char *kernel = abdb_member_text(pair->a.set, at, ABDB_M_workload);
    abdb_noise noise = {.command = NAN};
    abdb_difference *d = &pair->difference;
    abdb_status st = ABDB_OK;

    /* A drift that the reader states, or the least that is assumed, counts as known exactly. */
    t->drift_freedom = INFINITY;
    if (c->options->drift > 0)
        t->drift = log1p(c->options->drift);
    else {
        TRY(abdb_calibrations_load_if_other_device(
            &c->noise, c->db, abdb_member_text(pair->a.set, at, ABDB_M_device), err));
        TRY(abdb_calibrations_noise_by_kernel_or_bound(
            &c->noise, kernel, bound && bound->state == ABDB_KNOWN ? bound->text : NULL, &noise,
            NULL, err));
        d->uncalibrated = !isfinite(noise.command);
        t->drift = d->uncalibrated ? 0 : fmax(noise.command, log1p(ABDB_DRIFT_LEAST));
        if (noise.command >= log1p(ABDB_DRIFT_LEAST)) t->drift_freedom = noise.command_freedom;
    }
    d->drift = abdb_expm1_rounded_to_13_digits(t->drift);
done:
    return st;
}

/* The two sides as a trial: pairs where processes of the same commands took turns. x and y hold
 * the numbers. */
static abdb_status make_paired_or_unpaired_trial(abdb_comparison *c, abdb_pair *pair,
                                                 abdb_processes *a, abdb_processes *b, double *x,
                                                 double *y, abdb_trimmed_mean_trial *t,
                                                 abdb_error *err)
{
    size_t pairs = abdb_processes_pair_repetition_means(a, b, x, y);

    *t = (abdb_trimmed_mean_trial){.a = x, .b = y, .m = pairs, .n = pairs, .paired = true};
    pair->difference.paired =
        pairs >= ABDB_PROCESSES_LEAST || (pairs && (pairs == a->count || pairs == b->count));
    if (pair->difference.paired) return ABDB_OK;
    *t = (abdb_trimmed_mean_trial){.a = x,
                                   .b = y,
                                   .m = a->count,
                                   .n = b->count,
                                   .a_commands = a->commands ? a->commands : 1,
                                   .b_commands = b->commands ? b->commands : 1};
    for (size_t i = 0; i < a->count; i++) x[i] = a->one[i].value;
    for (size_t i = 0; i < b->count; i++) y[i] = b->one[i].value;
    return set_machine_drift_of_trial(c, pair, t, err);
}

/* Why a side is none: it is of two programs. Or NULL. */
static const char *why_programs_mixed(abdb_comparison *c, const abdb_pair *pair,
                                      const abdb_processes *a, const abdb_processes *b)
{
    bool paired = pair->difference.paired;
    const char *one, *other, *name;

    if (abdb_processes_find_two_programs(a, paired, &one, &other))
        name = pair->a.set->selection;
    else if (abdb_processes_find_two_programs(b, paired, &one, &other))
        name = pair->b.set->selection;
    else
        return NULL;
    return abdb_arena_printf(&c->arena,
                             "%s is of several programs ('%.60s', '%.60s'): say which (--where"
                             " run=latest, command='...')",
                             name, one, other);
}

/* Why there is no trial: processes without a drift that is known, or too few of them. */
static const char *why_untested(abdb_comparison *c, const abdb_trimmed_mean_trial *t, bool enough,
                                size_t doubtful)
{
    if (enough)
        return "measured by separate commands, and how this machine differs from itself"
               " between commands was never calibrated: let them take turns (abdb run"
               " --builds or --command), measure that (abdb run --calibrate), or say it"
               " (--drift 0.02: 2 %)";
    if (doubtful)
        return abdb_arena_printf(&c->arena,
                                 "%zu runs are unsteady or imprecise, %zu and %zu are left",
                                 doubtful, t->m, t->n);
    return abdb_arena_printf(&c->arena,
                             "%zu and %zu processes: %d are the least, abdb run --gate takes 10",
                             t->m, t->n, ABDB_PROCESSES_LEAST);
}

const char *abdb_pair_why_no_ratio_or_null(const abdb_pair *pair)
{
    if (pair->has_ratio) return NULL;
    if (!pair->left.n) return pair->left.why;
    if (!pair->right.n) return pair->right.why;
    return pair->left.value > 0 && pair->right.value > 0
               ? "the ratio is beyond what a number holds"
               : "a value that is not above 0 has no ratio";
}

const char *abdb_pair_verdict_or_why_no_ratio(const abdb_pair *pair)
{
    if (pair->has_ratio) return abdb_verdict_name(pair->difference.verdict);
    return pair->left.n && pair->right.n ? abdb_pair_why_no_ratio_or_null(pair) : "";
}

/* A ratio that is not finite and above 0 is beyond a double, and is none. */
static void set_ratio_if_finite_positive(abdb_pair *pair, double ratio)
{
    pair->has_ratio = isfinite(ratio) && ratio > 0;
    pair->difference.ratio = pair->has_ratio ? ratio : NAN;
}

/* No trial: values and a ratio, and why there is no more. */
static abdb_status set_untested_ratio_and_reason(abdb_comparison *c, abdb_pair *pair,
                                                 abdb_error *err)
{
    abdb_difference *d = &pair->difference;
    const abdb_trimmed_mean_trial *t = &d->trial;
    size_t doubtful = pair->left.doubtful + pair->right.doubtful;
    bool enough = t->m >= ABDB_PROCESSES_LEAST && t->n >= ABDB_PROCESSES_LEAST;
    abdb_status st = ABDB_OK;

    d->uncalibrated = enough && !d->reason; /* else calibration is not the obstacle */
    d->verdict = d->reason || doubtful || enough ? ABDB_VERDICT_UNCLEAR : ABDB_VERDICT_TOO_FEW;
    if (!d->reason) d->reason = why_untested(c, t, enough, doubtful);
    if (t->m) {
        pair->left.n = t->m;
        TRY(abdb_trimmed_geomean_of_logs(t->a, t->m, &pair->left.value, err));
    }
    if (t->n) {
        pair->right.n = t->n;
        TRY(abdb_trimmed_geomean_of_logs(t->b, t->n, &pair->right.value, err));
    }
    set_ratio_if_finite_positive(pair, pair->right.value / pair->left.value);
done:
    return st;
}

/* Tests the difference of two sides of processes; where programs are mixed, processes are too few
 * or no drift is known, sets the ratio and the reason instead. */
static abdb_status test_process_samples_or_set_reason(abdb_comparison *c, abdb_pair *pair,
                                                      abdb_processes *a, abdb_processes *b,
                                                      abdb_error *err)
{
    double *x = calloc(a->count + b->count + 1, sizeof *x);
    double *y = calloc(a->count + b->count + 1, sizeof *y);
    abdb_difference *d = &pair->difference;
    abdb_status st = ABDB_OK;

    pair->left.sampled = pair->right.sampled = true;
    pair->left.doubtful = a->doubtful;
    pair->right.doubtful = b->doubtful;
    if (!x || !y) TRY(ABDB_FAIL(err, ABDB_NOMEM, "processes"));
    TRY(make_paired_or_unpaired_trial(c, pair, a, b, x, y, &d->trial, err));
    d->reason = why_programs_mixed(c, pair, a, b);
    if (d->paired) d->unused = abdb_processes_count_unpaired(a) + abdb_processes_count_unpaired(b);
    if (d->reason || d->trial.m < ABDB_PROCESSES_LEAST || d->trial.n < ABDB_PROCESSES_LEAST ||
        d->uncalibrated) {
        TRY(set_untested_ratio_and_reason(c, pair, err));
        goto done;
    }
    pair->left.n = d->trial.m;
    pair->right.n = d->trial.n;
    TRY(abdb_yuen_trimmed_mean_test(&d->trial, &d->outcome, err));
    pair->left.value = d->outcome.a;
    pair->right.value = d->outcome.b;
    set_ratio_if_finite_positive(pair, abdb_exp_rounded_to_13_digits(d->outcome.difference));
    d->p = d->p_corrected = d->outcome.p;
done:
    d->trial.a = d->trial.b = NULL;
    free(x);
    free(y);
    return st;
}

/* The digest of a measured program that all results of the group have; NULL: none, or several. */
static const char *find_common_program_digest(abdb_side side)
{
    const char *digest = NULL;

    for (size_t i = 0; i < side.group->count; i++) {
        const abdb_member_factor *f =
            abdb_member_find_factor(&side.set->member[side.group->member[i]], "program_digest");

        if (!f || f->state != ABDB_KNOWN || (digest && strcmp(digest, f->text) != 0)) return NULL;
        digest = f->text;
    }
    return digest;
}

/* Did one program take turns with itself, in two files perhaps? Programs of separate commands may
 * differ in what surrounds them, such as environment variables. */
static bool is_pair_of_equal_programs(const abdb_pair *pair)
{
    const char *a = find_common_program_digest(pair->a), *b = find_common_program_digest(pair->b);

    return pair->difference.paired && a && b && strcmp(a, b) == 0;
}

abdb_status abdb_pair_summarise_and_test(abdb_comparison *c, abdb_pair *pair, abdb_error *err)
{
    const abdb_compare_options *o = c->options;
    abdb_processes a = {0}, b = {0};
    abdb_status st = ABDB_OK;

    pair->higher = strcmp(abdb_member_text(pair->a.set, pair->a.group->member[0], ABDB_M_better),
                          "lower") != 0;
    pair->difference = (abdb_difference){.ratio = NAN,
                                         .p = NAN,
                                         .p_corrected = NAN,
                                         .detectable_change = NAN,
                                         .verdict = ABDB_VERDICT_STATED};
    TRY(abdb_processes_load_of_side(&a, c, pair->a, err));
    TRY(abdb_processes_load_of_side(&b, c, pair->b, err));
    TRY(summarise_side_by_best_or_median(pair->a, pair->higher, o->pick, &pair->left, err));
    TRY(summarise_side_by_best_or_median(pair->b, pair->higher, o->pick, &pair->right, err));
    pair->unit = unit_of_side_values(pair->a);
    if (!pair->left.n || !pair->right.n) goto done;
    if (a.sampled && b.sampled)
        TRY(test_process_samples_or_set_reason(c, pair, &a, &b, err));
    else if (pair->left.value > 0 && pair->right.value > 0)
        set_ratio_if_finite_positive(pair, pair->right.value / pair->left.value);
done:
    abdb_processes_free(&a);
    abdb_processes_free(&b);
    return st;
}

/* --- verdicts --------------------------------------------------------------------------------- */

static bool pair_is_tested_and_not_refused(const abdb_pair *pair)
{
    return isfinite(pair->difference.p) && pair->comparability != ABDB_REFUSED;
}

/* Sets the verdict of a pair, which depends on the number of tests. */
static void set_verdict_interval_and_power(const abdb_comparison *c, abdb_pair *pair, size_t tests)
{
    abdb_difference *d = &pair->difference;
    double alpha = abdb_significance_level_or_default(c),
           effect = log(1 + abdb_effect_threshold_or_default(c));
    /* The detectable change is computed at the level that Holm's correction leaves to the strictest
     * test. */
    double each = alpha / (double)(tests ? tests : 1);
    double t = abdb_student_two_sided_critical_t(alpha, d->outcome.freedom);

    d->verdict = abdb_outcome_decide_verdict(&d->outcome, d->p_corrected, pair->higher,
                                             abdb_effect_threshold_or_default(c), alpha);
    d->equal_programs = is_pair_of_equal_programs(pair);
    if (d->equal_programs &&
        (d->verdict == ABDB_VERDICT_FASTER || d->verdict == ABDB_VERDICT_SLOWER)) {
        d->verdict = ABDB_VERDICT_UNCLEAR;
        d->reason = "both sides are one program with one set of libraries, by its digest, so that"
                    " this difference is noise, or of files beside the program";
    }
    d->low = abdb_exp_rounded_to_13_digits(d->outcome.difference - t * d->outcome.error);
    d->high = abdb_exp_rounded_to_13_digits(d->outcome.difference + t * d->outcome.error);
    d->has_interval = isfinite(d->low) && isfinite(d->high);
    d->detectable_change =
        abdb_expm1_rounded_to_13_digits(abdb_outcome_detectable_change(&d->outcome, each, effect));
    d->processes_needed = abdb_processes_needed_for_detectable_change(
        &d->trial, &d->outcome, each, effect, log(1 + abdb_change_to_detect_or_default(c)));
}

abdb_status abdb_pairs_holm_correct_and_set_verdicts(abdb_comparison *c, abdb_error *err)
{
    double *p = calloc(c->pairs + 1, sizeof *p), *all = calloc(c->pairs + 1, sizeof *all);
    size_t tests = 0;
    abdb_status st = ABDB_OK;

    if (!p || !all) TRY(ABDB_FAIL(err, ABDB_NOMEM, "pairs"));
    for (size_t i = 0; i < c->pairs; i++) {
        p[i] = pair_is_tested_and_not_refused(&c->pair[i]) ? c->pair[i].difference.p : NAN;
        tests += pair_is_tested_and_not_refused(&c->pair[i]);
    }
    if (!abdb_holm_adjust_p(p, c->pairs, all)) TRY(ABDB_FAIL(err, ABDB_NOMEM, "pairs"));
    for (size_t i = 0; i < c->pairs; i++) {
        if (!isfinite(c->pair[i].difference.p)) continue;
        if (pair_is_tested_and_not_refused(&c->pair[i])) c->pair[i].difference.p_corrected = all[i];
        set_verdict_interval_and_power(c, &c->pair[i], tests);
    }
done:
    free(p);
    free(all);
    return st;
}
