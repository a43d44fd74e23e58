/* change_point.c - where a series changes its level, run by run; see change_point.h. */
#include "schema/core/change_point.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "schema/core/array.h"
#include "schema/core/stats.h"
#include "schema/core/student_t.h"

enum { WHOLE_FIRST = 12, HISTORY_MOST = 64, OUTLIER_ONE_IN = 5, LOCAL_MOST = 5 };
/* Orders that are shuffled at most: of so many series none could show a change by ranks. */
static const double shuffles_most = 2000000;
/* Mean square of a standard normal whose fifth beyond 1.2816 is cut down to it. */
static const double winsorised_square = 0.67866;
/* The median of a few normal values scatters so much more than their mean. */
static const double median_cost = 1.25;
/* Of a step the runs near it differ as the levels do; of a slow drift they do not. */
static const double local_share = 0.6;
/* Splits whose deviation is larger by at most so many standard deviations are nearly as good. */
static const double nearly = 2;
/* A deviation of more standard deviations counts as so many. */
static const double outlying = 6;
/* Sums of t^-1.5 over runs t from ABDB_RUNS_LEAST - 2 on, by which the chance is divided. */
static const double chance_sum = 0.75;
/* Neighbouring places of one run look at nearly the same values: they count as so many. */
static const double places_of_run = 3;

/* y: logarithms of the values; work holds n + 1 numbers. */
typedef struct {
    const double *x;
    double *y, *work;
    size_t n;
    double alpha, effect; /* alpha: of one series; effect: ln */
} level_series;

static double median_of(const level_series *s, size_t from, size_t to)
{
    memcpy(s->work, s->y + from, (to - from) * sizeof *s->work);
    abdb_array_sort(s->work, to - from, sizeof *s->work, abdb_compare_double);
    return abdb_quantile_sorted(s->work, to - from, 0.5);
}

/* Standard deviation of a value of [from, to), by differences of neighbours, with the largest fifth
 * cut down. *freedom: its degrees of freedom. */
static double noise_of_neighbours(const level_series *s, size_t from, size_t to, double *freedom)
{
    size_t n = to - from - 1;
    double sum = 0, most;

    for (size_t i = 0; i < n; i++) s->work[i] = fabs(s->y[from + i + 1] - s->y[from + i]);
    abdb_array_sort(s->work, n, sizeof *s->work, abdb_compare_double);
    most = abdb_quantile_sorted(s->work, n, 0.8);
    for (size_t i = 0; i < n; i++) sum += pow(fmin(s->work[i], most), 2);
    *freedom = fmax(2, 0.5 * (double)n);
    /* Values are doubles: below this two of them do not differ. */
    return fmax(sqrt(sum / (double)n / winsorised_square / 2), 1e-9);
}

/* How the medians of up to `after` runs from `at` on and up to `before` before it differ. */
static double contrast_at(const level_series *s, size_t from, size_t to, size_t at, size_t before,
                          size_t after)
{
    size_t first = at - from > before ? at - before : from, end = to - at > after ? at + after : to;

    return median_of(s, at, end) - median_of(s, first, at);
}

/* The usual distance of such contrasts from 0 at earlier places: it is large in a drift. */
static double usual_contrast(const level_series *s, size_t from, size_t at, size_t after)
{
    double seen[HISTORY_MOST];
    size_t n = 0;

    for (size_t k = at; k-- > from + ABDB_NEAR_LEAST && n < HISTORY_MOST;) {
        if (k + after > at) continue;
        seen[n++] = fabs(contrast_at(s, from, at, k, ABDB_NEAR_MOST, after));
    }
    if (n < ABDB_NEAR_LEAST) return 0;
    abdb_array_sort(seen, n, sizeof *seen, abdb_compare_double);
    return 1.4826 * abdb_quantile_sorted(seen, n, 0.5);
}

/* Are all of [from, to) but one in five on that side of the middle? */
static bool nearly_all_beyond(const level_series *s, size_t from, size_t to, double middle, bool up)
{
    size_t wrong = 0;

    for (size_t i = from; i < to; i++) wrong += up ? s->y[i] < middle : s->y[i] > middle;
    return wrong * OUTLIER_ONE_IN <= to - from;
}

/* p of one look that the chance of a false alarm leaves to run t. */
static double near_look_alpha(const level_series *s, size_t t)
{
    return 0.5 * s->alpha * pow((double)t, -1.5) / chance_sum / places_of_run;
}

/* p, corrected, of the step at `at` as the newest runs of [from, to) show it. */
static double near_step_p(const level_series *s, size_t from, size_t to, size_t at)
{
    size_t before = at - from < ABDB_NEAR_MOST ? at - from : ABDB_NEAR_MOST, after = to - at;
    double freedom, noise = noise_of_neighbours(s, from, to, &freedom);
    double a = median_of(s, at - before, at), b = median_of(s, at, to);
    double error = median_cost * noise * sqrt(1 / (double)before + 1 / (double)after);

    if (fabs(b - a) < s->effect || !nearly_all_beyond(s, at, to, (a + b) / 2, b > a) ||
        !nearly_all_beyond(s, at - before, at, (a + b) / 2, b < a))
        return 1;
    error = fmax(error, usual_contrast(s, from, at, after));
    return fmin(1, abdb_student_two_sided_p_of_whole_freedom((b - a) / error, freedom) * s->alpha /
                       near_look_alpha(s, to));
}

/* The sum of absolute deviations of [from, to) from its median, each `most` at most: an outlier
 * beside a step belongs to neither level more than to the other. */
static double deviation_of(const level_series *s, size_t from, size_t to, double most)
{
    double middle = median_of(s, from, to), sum = 0;

    for (size_t i = from; i < to; i++) sum += fmin(fabs(s->y[i] - middle), most);
    return sum;
}

/* Places a change of [from, to): the split of least deviation, and other splits nearly as good. */
static void place_change(const level_series *s, size_t from, size_t to, abdb_change *change)
{
    double least = INFINITY, freedom, noise = noise_of_neighbours(s, from, to, &freedom);
    double most = outlying * noise;

    for (size_t at = from + 1; at < to; at++) {
        double cost = deviation_of(s, from, at, most) + deviation_of(s, at, to, most);

        if (cost < least - 1e-12) {
            least = cost;
            change->at = at;
        }
    }
    change->low = change->high = change->at;
    for (size_t at = from + 1; at < to; at++)
        if (deviation_of(s, from, at, most) + deviation_of(s, at, to, most) <=
            least + nearly * noise) {
            if (at < change->low) change->low = at;
            if (at > change->high) change->high = at;
        }
}

/* Is the change of [from, to) a step, not a drift: do the runs near it differ as the levels do? */
static bool change_is_local(const level_series *s, size_t from, size_t to, const abdb_change *c)
{
    size_t near = (to - from) / 6;
    double whole = median_of(s, c->at, to) - median_of(s, from, c->at), local;

    near = near < ABDB_PART_LEAST ? ABDB_PART_LEAST : near > LOCAL_MOST ? LOCAL_MOST : near;
    local = contrast_at(s, from, to, c->at, near, near);
    return fabs(whole) >= s->effect && local * whole > 0 &&
           fabs(local) >= local_share * fabs(whole);
}

/* The first place of [from, to) at which its newest runs show a step; false: none. */
static bool find_near_step(const level_series *s, size_t from, size_t to, abdb_change *out)
{
    double best = 1;

    for (size_t after = ABDB_NEAR_LEAST; after <= ABDB_NEAR_MOST; after++) {
        double p;

        if (to - from < after + ABDB_NEAR_LEAST) break;
        p = near_step_p(s, from, to, to - after);
        if (p >= best) continue;
        best = p;
        *out = (abdb_change){.at = to - after, .p = p};
    }
    return best <= s->alpha;
}

/* At the runs of the second test: the ends of the stretch of [from, to) that stands out by ranks,
 * each as a change. *count: 0 to 2. */
static abdb_status find_whole_steps(const level_series *s, size_t from, size_t to, size_t look,
                                    abdb_change out[2], size_t *count, abdb_error *err)
{
    double share = 0.5 / (double)(look * (look + 1)), p;
    size_t edge[2] = {0, 0};
    abdb_status st;

    *count = 0;
    st = abdb_find_stretch_by_ranks(s->x + from, to - from, s->alpha * share, &edge[0], &edge[1],
                                    &p, err);
    if (st != ABDB_OK || p > s->alpha * share) return st;
    for (int i = 0; i < 2; i++)
        if (edge[i] && edge[i] < to - from)
            out[(*count)++] = (abdb_change){.at = from + edge[i], .p = fmin(1, p / share)};
    return ABDB_OK;
}

/* Adds changes, in order; places them between their neighbours and drops changes of this call that
 * are too small or no steps. end: of the runs that were read. */
static void add_changes_that_hold(const level_series *s, size_t end, const abdb_change *more,
                                  size_t count, abdb_change *out, size_t *changes)
{
    size_t first = *changes, from = first ? out[first - 1].at : 0, kept = first;

    for (size_t i = 0; i < count && *changes < ABDB_CHANGES_MAX; i++) out[(*changes)++] = more[i];
    for (size_t i = first; i < *changes; i++) {
        size_t to = i + 1 < *changes ? out[i + 1].at : end;

        place_change(s, from, to, &out[i]);
        if (!change_is_local(s, from, to, &out[i])) continue;
        from = out[i].at;
        out[kept++] = out[i];
    }
    *changes = kept;
}

/* Places all changes with all values, and sets their ratios. Where two standard errors show that
 * both levels are one within the least change, the level is back and the change goes. */
static void place_all_and_set_ratios(const level_series *s, abdb_change *change, size_t *count)
{
    size_t kept = 0;

    for (size_t i = 0; i < *count; i++) {
        size_t from = kept ? change[kept - 1].at : 0, to = i + 1 < *count ? change[i + 1].at : s->n;
        double step, freedom, error;

        place_change(s, from, to, &change[i]);
        step = median_of(s, change[i].at, to) - median_of(s, from, change[i].at);
        change[i].ratio = abdb_exp_rounded_to_13_digits(step);
        error = median_cost * noise_of_neighbours(s, from, to, &freedom) *
                sqrt(1 / (double)(change[i].at - from) + 1 / (double)(to - change[i].at));
        if (fabs(step) + 2 * error >= s->effect) change[kept++] = change[i];
    }
    *count = kept;
}

static abdb_status make_series(level_series *out, const double *x, size_t n, size_t series,
                               double alpha, double least_relative_change, abdb_error *err)
{
    *out = (level_series){.x = x,
                          .n = n,
                          .y = calloc(n + 1, sizeof *x),
                          .work = calloc(n + 1, sizeof *x),
                          .alpha = alpha / (double)series,
                          .effect = log1p(least_relative_change)};
    if (!out->y || !out->work) return ABDB_FAIL(err, ABDB_NOMEM, "a series of %zu", n);
    for (size_t i = 0; i < n; i++) {
        if (!isfinite(x[i]) || x[i] <= 0)
            return ABDB_FAIL(err, ABDB_DATA, "value %zu of a series is not a positive number",
                             i + 1);
        out->y[i] = log(x[i]);
    }
    if (n >= 2 * ABDB_PART_LEAST && (double)series > alpha * (shuffles_most + 1))
        return ABDB_FAIL(err, ABDB_LIMIT,
                         "%zu series are too many to look at together: of more than %.0f none could"
                         " show a change",
                         series, floor(alpha * (shuffles_most + 1)));
    return ABDB_OK;
}

static void free_series(level_series *s)
{
    free(s->y);
    free(s->work);
}

abdb_status abdb_find_change_points(const double *x, size_t n, size_t series, double alpha,
                                    double least_relative_change, abdb_change out[ABDB_CHANGES_MAX],
                                    size_t *count, abdb_error *err)
{
    level_series s;
    size_t look = 0, whole = WHOLE_FIRST;
    abdb_status st = ABDB_OK;

    *count = 0;
    TRY(make_series(&s, x, n, series, alpha, least_relative_change, err));
    for (size_t t = 2 * ABDB_NEAR_LEAST; t <= n && *count + 2 <= ABDB_CHANGES_MAX; t++) {
        size_t from = *count ? out[*count - 1].at : 0, found = 0;
        abdb_change more[2];

        if (t - from >= 2 * ABDB_NEAR_LEAST && find_near_step(&s, from, t, &more[0])) {
            found = 1;
            if (t == whole) whole += whole / 3, look++;
        } else if (t == whole) {
            TRY(find_whole_steps(&s, from, t, ++look, more, &found, err));
            whole += whole / 3;
        }
        add_changes_that_hold(&s, t, more, found, out, count);
    }
    place_all_and_set_ratios(&s, out, count);
done:
    free_series(&s);
    return st;
}

abdb_status abdb_series_find_power(const double *x, size_t n, size_t from, size_t series,
                                   double alpha, abdb_series_power *out, abdb_error *err)
{
    level_series s;
    double freedom, noise, error, p;
    size_t runs = n - from;
    abdb_status st = ABDB_OK;

    *out = (abdb_series_power){.shows = NAN};
    TRY(make_series(&s, x, n, series, alpha, 0, err));
    out->wants = n < ABDB_RUNS_LEAST ? ABDB_RUNS_LEAST - n : 0;
    if (runs < 2 * ABDB_NEAR_LEAST) goto done;
    noise = noise_of_neighbours(&s, from, n, &freedom);
    error = median_cost * noise *
            sqrt(2 / (double)(runs / 2 < ABDB_NEAR_MOST ? runs / 2 : ABDB_NEAR_MOST));
    p = near_look_alpha(&s, n);
    /* Found 99 times in 100: the critical value, and a margin that 1 estimate in 100 exceeds. */
    out->shows =
        abdb_expm1_rounded_to_13_digits(error * (abdb_student_two_sided_critical_t(p, freedom) +
                                                 abdb_student_two_sided_critical_t(0.02, freedom)));
done:
    free_series(&s);
    return st;
}
