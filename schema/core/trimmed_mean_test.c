/* trimmed_mean_test.c - two sides of processes; see trimmed_mean_test.h. */
#include "schema/core/trimmed_mean_test.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "schema/core/array.h"
#include "schema/core/stats.h"
#include "schema/core/student_t.h"

static const double trimmed = 0.2; /* of each end */
static const double missed = 0.01; /* how often a change may be missed */

/* How many of n are trimmed at each end. */
static size_t trimmed_count_per_end(size_t n)
{
    return (size_t)(trimmed * (double)n);
}

/* The squared standard error of a trimmed mean of sorted x[0..n) (Yuen 1974): Winsorized squares
 * (a trimmed value counts as the nearest untrimmed one) over h (h - 1), h being the number of
 * untrimmed values. */
static double winsorized_squared_se_of_trimmed_mean(const double *x, size_t n)
{
    size_t g = trimmed_count_per_end(n), h = n - 2 * g;
    double mean = 0, squares = 0;

    for (size_t i = 0; i < n; i++) {
        double w = i < g ? x[g] : i >= n - g ? x[n - g - 1] : x[i];

        mean += w / (double)n;
    }
    for (size_t i = 0; i < n; i++) {
        double w = i < g ? x[g] : i >= n - g ? x[n - g - 1] : x[i];

        squares += (w - mean) * (w - mean);
    }
    return squares / ((double)h * ((double)h - 1));
}

static double trimmed_mean_of_sorted(const double *x, size_t n)
{
    size_t g = trimmed_count_per_end(n);
    double sum = 0;

    for (size_t i = g; i < n - g; i++) sum += x[i];
    return sum / (double)(n - 2 * g);
}

static abdb_status copy_sorted(const double *x, size_t n, double **out, abdb_error *err)
{
    *out = calloc(n, sizeof **out);
    if (!*out) return ABDB_FAIL(err, ABDB_NOMEM, "%zu processes", n);
    memcpy(*out, x, n * sizeof **out);
    abdb_array_sort(*out, n, sizeof **out, abdb_compare_double);
    return ABDB_OK;
}

abdb_status abdb_trimmed_geomean_of_logs(const double *x, size_t n, double *out, abdb_error *err)
{
    double *in_order;
    abdb_status st = copy_sorted(x, n, &in_order, err);

    if (st != ABDB_OK) return st;
    *out = abdb_exp_rounded_to_13_digits(trimmed_mean_of_sorted(in_order, n));
    free(in_order);
    return ABDB_OK;
}

/* --- pairs ------------------------------------------------------------------------------------ */

typedef struct {
    double difference, a, b;
} paired;

static int compare_pair_differences(const void *x, const void *y)
{
    return abdb_compare_double(&((const paired *)x)->difference, &((const paired *)y)->difference);
}

/* Pairs are trimmed by their differences; the values of both sides are of the pairs that are left,
 * so that b - a is the trimmed mean of the differences. h - 1 degrees of freedom. */
static abdb_status trimmed_difference_of_pairs(const abdb_trimmed_mean_trial *t,
                                               abdb_trimmed_mean_outcome *out, abdb_error *err)
{
    size_t n = t->n, g = trimmed_count_per_end(n), h = n - 2 * g;
    paired *pair = calloc(n, sizeof *pair);
    double *d = calloc(n, sizeof *d), a = 0, b = 0;
    abdb_status st = ABDB_OK;

    if (!pair || !d) TRY(ABDB_FAIL(err, ABDB_NOMEM, "%zu pairs of processes", n));
    for (size_t i = 0; i < n; i++) pair[i] = (paired){t->b[i] - t->a[i], t->a[i], t->b[i]};
    abdb_array_sort(pair, n, sizeof *pair, compare_pair_differences);
    for (size_t i = 0; i < n; i++) d[i] = pair[i].difference;
    for (size_t i = g; i < n - g; i++) {
        a += pair[i].a / (double)h;
        b += pair[i].b / (double)h;
    }
    out->a = abdb_exp_rounded_to_13_digits(a);
    out->b = abdb_exp_rounded_to_13_digits(b);
    out->difference = b - a;
    out->within = winsorized_squared_se_of_trimmed_mean(d, n);
    out->freedom = (double)(h - 1);
done:
    free(pair);
    free(d);
    return st;
}

/* --- two sides -------------------------------------------------------------------------------- */

/* Each side by itself; the squared drift is added to both errors, once for each command. The
 * degrees of freedom of a sum of errors are by Welch and Satterthwaite. */
static abdb_status trimmed_difference_of_sides(const abdb_trimmed_mean_trial *t,
                                               abdb_trimmed_mean_outcome *out, abdb_error *err)
{
    double *a = NULL, *b = NULL, part[3], freedom[3], all = 0, sum = 0;
    abdb_status st = ABDB_OK;

    TRY(copy_sorted(t->a, t->m, &a, err));
    TRY(copy_sorted(t->b, t->n, &b, err));
    out->difference = trimmed_mean_of_sorted(b, t->n) - trimmed_mean_of_sorted(a, t->m);
    out->a = abdb_exp_rounded_to_13_digits(trimmed_mean_of_sorted(a, t->m));
    out->b = abdb_exp_rounded_to_13_digits(trimmed_mean_of_sorted(b, t->n));
    part[0] = winsorized_squared_se_of_trimmed_mean(a, t->m);
    part[1] = winsorized_squared_se_of_trimmed_mean(b, t->n);
    part[2] = t->drift * t->drift * (1 / (double)t->a_commands + 1 / (double)t->b_commands);
    freedom[0] = (double)(t->m - 2 * trimmed_count_per_end(t->m) - 1);
    freedom[1] = (double)(t->n - 2 * trimmed_count_per_end(t->n) - 1);
    freedom[2] = fmax(1, t->drift_freedom);
    for (int i = 0; i < 3; i++) { /* Welch and Satterthwaite */
        all += part[i];
        sum += part[i] * part[i] / freedom[i];
    }
    out->within = part[0] + part[1];
    out->freedom = sum > 0 ? all * all / sum : freedom[0] + freedom[1];
done:
    free(a);
    free(b);
    return st;
}

abdb_status abdb_yuen_trimmed_mean_test(const abdb_trimmed_mean_trial *samples,
                                        abdb_trimmed_mean_outcome *out, abdb_error *err)
{
    double drift;
    abdb_status st = ABDB_OK;

    *out = (abdb_trimmed_mean_outcome){0};
    if (samples->m < ABDB_PROCESSES_LEAST || samples->n < ABDB_PROCESSES_LEAST ||
        (samples->paired && samples->m != samples->n))
        return ABDB_FAIL(err, ABDB_DATA, "%zu and %zu processes", samples->m, samples->n);
    for (size_t i = 0; i < samples->m + samples->n; i++)
        if (!isfinite(i < samples->m ? samples->a[i] : samples->b[i - samples->m]))
            return ABDB_FAIL(err, ABDB_DATA, "process %zu has no number", i);
    TRY(samples->paired ? trimmed_difference_of_pairs(samples, out, err)
                        : trimmed_difference_of_sides(samples, out, err));
    drift = samples->paired
                ? 0
                : samples->drift * samples->drift *
                      (1 / (double)samples->a_commands + 1 / (double)samples->b_commands);
    out->error = sqrt(out->within + drift);
    out->p =
        out->error > 0
            ? abdb_student_two_sided_p_of_whole_freedom(out->difference / out->error, out->freedom)
        : out->difference < 0 || out->difference > 0 ? 0
                                                     : 1;
done:
    return st;
}

/* --- detectable differences ------------------------------------------------------------------- */

double abdb_outcome_detectable_change(const abdb_trimmed_mean_outcome *o, double alpha,
                                      double effect)
{
    /* A difference of `found` is just significant; a true one must be larger, because in 1 of 100
     * repetitions the estimate is too small by this margin (one-sided, hence 2 x missed). */
    double found = abdb_student_two_sided_critical_t(alpha, o->freedom) * o->error;

    return fmax(found, effect) +
           abdb_student_two_sided_critical_t(2 * missed, o->freedom) * o->error;
}

size_t abdb_processes_needed_for_detectable_change(const abdb_trimmed_mean_trial *t,
                                                   const abdb_trimmed_mean_outcome *o, double alpha,
                                                   double effect, double wanted_change)
{
    size_t have = t->m < t->n ? t->m : t->n;
    double drift = o->error * o->error - o->within;

    if (abdb_outcome_detectable_change(o, alpha, effect) <= wanted_change) return have;
    /* One by one up to 20, then in steps of a tenth. The error within shrinks with the number of
     * untrimmed processes; the drift does not. */
    for (size_t n = have + 1; n <= ABDB_REPEAT_MOST; n += n < 20 ? 1 : n / 10) {
        abdb_trimmed_mean_outcome then = *o;
        double h = (double)(n - 2 * trimmed_count_per_end(n)),
               had = (double)(have - 2 * trimmed_count_per_end(have));

        then.error = sqrt(o->within * had / h + fmax(0, drift));
        then.freedom = fmax(1, o->freedom * (h - 1) / (had - 1));
        if (abdb_outcome_detectable_change(&then, alpha, effect) <= wanted_change) return n;
    }
    return 0;
}

/* --- verdict ---------------------------------------------------------------------------------- */

const char *abdb_verdict_name(abdb_verdict verdict)
{
    static const char *const names[] = {"faster", "slower", "same", "unclear", "too-few", "stated"};

    return names[verdict];
}

abdb_verdict abdb_outcome_decide_verdict(const abdb_trimmed_mean_outcome *o, double p_corrected,
                                         bool higher_is_better, double effect, double alpha)
{
    double least = log(1 + effect), size = fabs(o->difference);

    if (p_corrected <= alpha && size >= least)
        return (o->difference > 0) == higher_is_better ? ABDB_VERDICT_FASTER : ABDB_VERDICT_SLOWER;
    /* Both one-sided tests at alpha hold where the interval of confidence 1 - 2 alpha lies within
     * the effect. */
    return size + abdb_student_two_sided_critical_t(2 * alpha, o->freedom) * o->error <= least
               ? ABDB_VERDICT_SAME
               : ABDB_VERDICT_UNCLEAR;
}

/* --- the noise of a machine ------------------------------------------------------------------- */

/* Of the processes x[0..n) of one command: trimmed mean, and its squared error times n: the
 * variance of a process as the test sees it. */
static abdb_status trimmed_mean_and_winsorized_variance_of_samples(const double *x, size_t n,
                                                                   double *mean, double *variance,
                                                                   abdb_error *err)
{
    double *in_order = NULL;
    abdb_status st = copy_sorted(x, n, &in_order, err);

    if (st != ABDB_OK) return st;
    *mean = trimmed_mean_of_sorted(in_order, n);
    *variance = n > 1 ? winsorized_squared_se_of_trimmed_mean(in_order, n) * (double)n : 0;
    free(in_order);
    return ABDB_OK;
}

abdb_status abdb_noise_add_within_and_between_commands(abdb_noise_sums *s, const double *value,
                                                       const size_t *command, size_t n,
                                                       abdb_error *err)
{
    double *means = calloc(n + 1, sizeof *means), middle = 0;
    size_t commands = 0;
    abdb_status st = ABDB_OK;

    if (!means) return ABDB_FAIL(err, ABDB_NOMEM, "%zu processes", n);
    for (size_t i = 0, end; i < n; i = end) {
        double variance;
        size_t kept;

        for (end = i + 1; end < n && command[end] == command[i]; end++) continue;
        TRY(trimmed_mean_and_winsorized_variance_of_samples(value + i, end - i, &means[commands++],
                                                            &variance, err));
        /* Pooled by degrees of freedom: each command's variance counts as often as it has them. */
        kept = end - i - 2 * trimmed_count_per_end(end - i);
        s->within += variance * ((double)kept - 1);
        s->within_freedom += (double)kept - 1;
    }
    if (commands < 2) goto done;
    for (size_t i = 0; i < commands; i++) middle += means[i] / (double)commands;
    for (size_t i = 0; i < commands; i++) s->between += (means[i] - middle) * (means[i] - middle);
    s->between_freedom += (double)(commands - 1);
done:
    free(means);
    return st;
}

abdb_noise abdb_noise_standard_deviations_from_sums(const abdb_noise_sums *s)
{
    return (abdb_noise){
        .process = s->within_freedom > 0 ? sqrt(s->within / s->within_freedom) : NAN,
        .command = s->between_freedom > 0 ? sqrt(s->between / s->between_freedom) : NAN,
        .process_freedom = s->within_freedom,
        .command_freedom = s->between_freedom};
}
