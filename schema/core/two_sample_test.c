/* two_sample_test.c - two sets of samples; see two_sample_test.h. */
#include "schema/core/two_sample_test.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "schema/core/array.h"
#include "schema/core/midranks.h"
#include "schema/core/stats.h"

/* Refuses a side without samples, and samples that are not positive and finite. */
static abdb_status refuse_empty_side_or_nonpositive_sample(const abdb_two_samples *two,
                                                           abdb_error *err)
{
    if (!two->m || !two->n)
        return ABDB_FAIL(err, ABDB_DATA, "a side has no samples (%zu and %zu)", two->m, two->n);
    for (size_t i = 0; i < two->m + two->n; i++) {
        double x = i < two->m ? two->a[i] : two->b[i - two->m];

        if (!isfinite(x) || x <= 0)
            return ABDB_FAIL(err, ABDB_DATA, "sample %zu is not a positive number", i);
    }
    return ABDB_OK;
}

/* --- ratios of all pairs ---------------------------------------------------------------------- */

/* ln b - ln a of every pair, in no order; the caller frees. */
static abdb_status log_ratios_of_all_pairs(const abdb_two_samples *two, double **out,
                                           abdb_error *err)
{
    size_t count = two->m * two->n, k = 0;
    double *d, *log_b;
    abdb_status st = refuse_empty_side_or_nonpositive_sample(two, err);

    if (st != ABDB_OK) return st;
    if (two->m > ABDB_PAIRS_MAX / two->n)
        return ABDB_FAIL(err, ABDB_LIMIT, "%zu x %zu pairs of samples are too many", two->m,
                         two->n);
    d = calloc(count, sizeof *d);
    log_b = calloc(two->n, sizeof *log_b);
    if (!d || !log_b) {
        free(d);
        free(log_b);
        return ABDB_FAIL(err, ABDB_NOMEM, "%zu pairs of samples", count);
    }
    for (size_t j = 0; j < two->n; j++) log_b[j] = log(two->b[j]);
    for (size_t i = 0; i < two->m; i++) {
        double log_a = log(two->a[i]);

        for (size_t j = 0; j < two->n; j++) d[k++] = log_b[j] - log_a;
    }
    free(log_b);
    *out = d;
    return ABDB_OK;
}

/* The k-th smallest of x[0..n), by Hoare's selection; x is reordered. Far cheaper than sorting all
 * pairs where only a few of their order statistics are wanted. */
static double select_kth_smallest(double *x, size_t n, size_t k)
{
    size_t low = 0, high = n; /* the k-th is in x[low..high) */

    while (high - low > 1) {
        double pivot = x[low + (high - low) / 2];
        size_t less = low, more = high, i = low;

        while (i < more) { /* x[low..less) < pivot, x[less..i) = pivot, x[more..high) > pivot */
            double value = x[i];

            if (value < pivot) {
                x[i++] = x[less];
                x[less++] = value;
            } else if (value > pivot) {
                x[i] = x[--more];
                x[more] = value;
            } else
                i++;
        }
        if (k < less)
            high = less;
        else if (k >= more)
            low = more;
        else
            return pivot;
    }
    return x[low];
}

/* The median of x[0..n), x reordered. */
static double median_by_selection(double *x, size_t n)
{
    double upper = select_kth_smallest(x, n, n / 2);

    return n % 2 ? upper : 0.5 * (upper + select_kth_smallest(x, n, n / 2 - 1));
}

abdb_status abdb_hodges_lehmann_ratio(const abdb_two_samples *two, double *out, abdb_error *err)
{
    double *d = NULL;
    abdb_status st = log_ratios_of_all_pairs(two, &d, err);

    if (st == ABDB_OK)
        *out = abdb_exp_rounded_to_13_digits(median_by_selection(d, two->m * two->n));
    free(d);
    return st;
}

/* --- Mann-Whitney ----------------------------------------------------------------------------- */

/* P(sum <= s) and P(sum >= s) of n of the ranks, every choice equally likely. ways[k][v]: how many
 * choices of k ranks have the (doubled) sum v; each rank is taken in once, k counted down so that
 * none is used twice. */
static abdb_status exact_rank_sum_tails(const abdb_ranked *all, size_t count, size_t n, long long s,
                                        double *below, double *above, abdb_error *err)
{
    size_t width = 2 * count * n + 1;
    double *ways = calloc((n + 1) * width, sizeof *ways), total = 0, low = 0, high = 0;

    if (!ways) return ABDB_FAIL(err, ABDB_NOMEM, "an exact test of %zu samples", count);
    ways[0] = 1;
    for (size_t i = 0; i < count; i++) {
        size_t r = all[i].twice;

        for (size_t k = (i + 1 < n ? i + 1 : n); k > 0; k--) {
            double *to = ways + k * width;
            const double *from = ways + (k - 1) * width;

            for (size_t v = r; v < width; v++) to[v] += from[v - r];
        }
    }
    for (size_t v = 0; v < width; v++) {
        double w = ways[n * width + v];

        total += w;
        if ((long long)v <= s) low += w;
        if ((long long)v >= s) high += w;
    }
    free(ways);
    *below = low / total;
    *above = high / total;
    return ABDB_OK;
}

/* U = rank sum - n (n + 1) / 2, with mean m n / 2 and the variance corrected for ties; half a step
 * for continuity. */
static void normal_rank_sum_tails(size_t m, size_t n, double ties, long long twice_sum,
                                  double *below, double *above)
{
    double count = (double)(m + n);
    double u = 0.5 * (double)twice_sum - 0.5 * (double)n * ((double)n + 1);
    double mean = 0.5 * (double)m * (double)n;
    double sd = sqrt((double)m * (double)n / 12 * (count + 1 - ties / (count * (count - 1))));

    if (!(sd > 0)) {
        *below = *above = 1;
        return;
    }
    *below = 0.5 * erfc(-(u - mean + 0.5) / sd / sqrt(2));
    *above = 0.5 * erfc((u - mean - 0.5) / sd / sqrt(2));
}

/* The test with b multiplied by `factor`. */
static abdb_status mann_whitney_tails_with_b_scaled(const abdb_two_samples *two, double factor,
                                                    double *below, double *above, abdb_error *err)
{
    size_t count = two->m + two->n;
    abdb_ranked *all = calloc(count, sizeof *all);
    long long sum = 0; /* of b's ranks, twice */
    double ties;
    abdb_status st = ABDB_OK;

    if (!all) TRY(ABDB_FAIL(err, ABDB_NOMEM, "ranks of %zu samples", count));
    TRY(refuse_empty_side_or_nonpositive_sample(two, err));
    for (size_t i = 0; i < two->m; i++) all[i] = (abdb_ranked){.x = two->a[i], .at = i};
    for (size_t i = 0; i < two->n; i++)
        all[two->m + i] = (abdb_ranked){.x = two->b[i] * factor, .at = two->m + i};
    ties = abdb_sort_and_set_midranks_sum_ties(all, count);
    for (size_t i = 0; i < count; i++)
        if (all[i].at >= two->m) sum += (long long)all[i].twice;
    if (count <= ABDB_EXACT_MAX)
        TRY(exact_rank_sum_tails(all, count, two->n, sum, below, above, err));
    else
        normal_rank_sum_tails(two->m, two->n, ties, sum, below, above);
done:
    free(all);
    return st;
}

abdb_status abdb_mann_whitney_p(const abdb_two_samples *two, double *both, double *less,
                                double *greater, abdb_error *err)
{
    double below, above;
    abdb_status st = mann_whitney_tails_with_b_scaled(two, 1, &below, &above, err);

    if (st != ABDB_OK) return st;
    if (both) *both = fmin(1, 2 * fmin(below, above));
    if (less) *less = below;
    if (greater) *greater = above;
    return ABDB_OK;
}

abdb_status abdb_equivalence_p_tost(const abdb_two_samples *two, double margin, double *p,
                                    abdb_error *err)
{
    double below, above, ignored;
    abdb_status st = ABDB_OK;

    if (!(margin > 0)) return ABDB_FAIL(err, ABDB_DATA, "a margin of equivalence is positive");
    TRY(mann_whitney_tails_with_b_scaled(two, 1 + margin, &ignored, &above,
                                         err)); /* against ratio <= 1 / (1 + margin) */
    TRY(mann_whitney_tails_with_b_scaled(two, 1 / (1 + margin), &below, &ignored,
                                         err)); /* against ratio >= 1 + margin */
    *p = fmax(above, below);
done:
    return st;
}

/* The largest k with P(U < k) <= tail, U of m and n samples without ties: the interval of the ratio
 * leaves out k - 1 of all pairs at each end. */
static abdb_status mann_whitney_lower_critical_u(size_t m, size_t n, double tail, size_t *out,
                                                 abdb_error *err)
{
    size_t count = m + n, most = m * n;
    double *ways, total = 0, sum = 0;

    *out = 0;
    if (count > ABDB_EXACT_MAX) {
        double mean = 0.5 * (double)most, sd = sqrt((double)most * ((double)count + 1) / 12);
        double z = 0, step = 8;

        for (int i = 0; i < 60; i++, step /= 2) /* bisection: P(Z < -z) = tail */
            if (0.5 * erfc((z + step) / sqrt(2)) > tail) z += step;
        if (mean - z * sd > 0) *out = (size_t)(mean - z * sd);
        return ABDB_OK;
    }
    ways = calloc((n + 1) * (most + 1), sizeof *ways);
    if (!ways) return ABDB_FAIL(err, ABDB_NOMEM, "an interval of %zu samples", count);
    ways[0] = 1;                    /* ways[k][u]: k of b placed so far, u pairs with a below b */
    for (size_t a = 0; a <= m; a++) /* how many of a stand before the next of b */
        for (size_t k = 1; k <= n; k++)
            for (size_t u = a; u <= most; u++)
                ways[k * (most + 1) + u] += ways[(k - 1) * (most + 1) + u - a];
    for (size_t u = 0; u <= most; u++) total += ways[n * (most + 1) + u];
    while (*out < most && sum + ways[n * (most + 1) + *out] <= tail * total)
        sum += ways[n * (most + 1) + (*out)++];
    free(ways);
    return ABDB_OK;
}

abdb_status abdb_hodges_lehmann_interval(const abdb_two_samples *two, double confidence,
                                         double *low, double *high, bool *has, abdb_error *err)
{
    double *d = NULL;
    size_t k;
    abdb_status st = ABDB_OK;

    *has = false;
    TRY(log_ratios_of_all_pairs(two, &d, err));
    TRY(mann_whitney_lower_critical_u(two->m, two->n, (1 - confidence) / 2, &k, err));
    if (k > 0) {
        *low = abdb_exp_rounded_to_13_digits(select_kth_smallest(d, two->m * two->n, k - 1));
        *high = abdb_exp_rounded_to_13_digits(
            select_kth_smallest(d, two->m * two->n, two->m * two->n - k));
        *has = true;
    }
done:
    free(d);
    return st;
}

/* --- bootstrap -------------------------------------------------------------------------------- */

static double median_of_one_resample(const double *x, size_t n, double *room, uint64_t *state)
{
    for (size_t i = 0; i < n; i++) room[i] = x[abdb_splitmix64_next(state) % n];
    abdb_array_sort(room, n, sizeof *room, abdb_compare_double);
    return abdb_quantile_sorted(room, n, 0.5);
}

/* Quantile q of the median of a over resamples; with n > 0, of the ratio median(b) / median(a). */
static abdb_status bootstrap_median_or_ratio_quantile(const double *a, size_t m, const double *b,
                                                      size_t n, double q, double *out,
                                                      abdb_error *err)
{
    double *room = calloc(m > n ? m : n, sizeof *room),
           *value = calloc(ABDB_RESAMPLES, sizeof *room);
    double *sorted[2] = {calloc(m + 1, sizeof *room), calloc(n + 1, sizeof *room)};
    uint64_t state = 20261120; /* fixed: the same samples give the same interval */
    abdb_status st = ABDB_OK;

    if (!room || !value || !sorted[0] || !sorted[1]) TRY(ABDB_FAIL(err, ABDB_NOMEM, "a bootstrap"));
    if (!(q >= 0 && q <= 1)) TRY(ABDB_FAIL(err, ABDB_DATA, "boot_ci: q is not in [0, 1]"));
    memcpy(sorted[0], a, m * sizeof *a); /* sorted first, so that the order of rows plays no part */
    abdb_array_sort(sorted[0], m, sizeof *room, abdb_compare_double);
    if (n) memcpy(sorted[1], b, n * sizeof *b);
    abdb_array_sort(sorted[1], n, sizeof *room, abdb_compare_double);
    for (size_t i = 0; i < ABDB_RESAMPLES; i++) {
        double base = median_of_one_resample(sorted[0], m, room, &state);

        value[i] = n ? median_of_one_resample(sorted[1], n, room, &state) / base : base;
    }
    abdb_array_sort(value, ABDB_RESAMPLES, sizeof *value, abdb_compare_double);
    *out = abdb_quantile_sorted(value, ABDB_RESAMPLES, q);
done:
    free(room);
    free(value);
    free(sorted[0]);
    free(sorted[1]);
    return st;
}

abdb_status abdb_bootstrap_ratio_quantile(const abdb_two_samples *two, double q, double *out,
                                          abdb_error *err)
{
    abdb_status st = refuse_empty_side_or_nonpositive_sample(two, err);

    return st == ABDB_OK
               ? bootstrap_median_or_ratio_quantile(two->a, two->m, two->b, two->n, q, out, err)
               : st;
}

abdb_status abdb_bootstrap_median_quantile(const double *x, size_t n, double q, double *out,
                                           abdb_error *err)
{
    if (!n) return ABDB_FAIL(err, ABDB_DATA, "no samples to resample");
    return bootstrap_median_or_ratio_quantile(x, n, NULL, 0, q, out, err);
}
