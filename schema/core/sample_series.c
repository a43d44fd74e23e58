/* sample_series.c - correlated samples of one process; see sample_series.h. The variance of a
 * median grows by the correlation of the signs of samples beside it. Signs of a normal series whose
 * neighbours correlate by phi correlate by 2/pi asin(phi) (Sheppard 1899), and signs k apart by
 * 2/pi asin(phi^k) where it is autoregressive. A trend is Kendall's S of blocks (Mann 1945); two
 * modes are Ashman's D of the best cut of the sorted samples (Ashman, Bird and Zepf 1994). */
#include "schema/core/sample_series.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "schema/core/array.h"
#include "schema/core/stats.h"

enum { BLOCKS_MAX = 60, BLOCKS_MIN = 10 };
static const double few_correlation = 0.6, most_correlation = 0.99, pi = 3.14159265358979323846;
/* Differences of less than 5 % are no trend and no modes; 3.3 standard deviations are one chance in
 * a thousand; groups of a fifth of the samples at least, further apart than halves of any single
 * group are (a normal one: 2.7, a uniform one: 3.5). */
static const double difference_least = 0.05, kendall_least = 3.3, group_least = 0.2,
                    ashman_least = 4.5;

/* How much the variance of the median of n samples is larger than that of independent ones: from
 * the correlation of signs of neighbours, with its bias and half of its standard error added. */
static double median_variance_inflation(const double *x, size_t n, double median)
{
    double both = 0, all = 0, last = 0, signs, phi, power = 1, inflation = 1;

    for (size_t i = 0; i < n; i++) {
        double sign = (x[i] > median) - (x[i] < median);

        both += sign * last;
        all += sign * sign;
        last = sign;
    }
    signs = all > 0 ? both / all : 0;
    signs += (1 + 3 * fmax(0, signs)) / (double)n + 0.5 / sqrt((double)n);
    phi = fmin(sin(pi / 2 * fmin(fmax(signs, 0), 1)), most_correlation);
    if (n < ABDB_SERIES_FEW) phi = fmax(phi, few_correlation);
    for (size_t k = 1; k < n && power > 1e-6; k++) {
        power *= phi;
        inflation += 4 / pi * asin(power) * (1 - (double)k / (double)n);
    }
    return inflation;
}

/* The order statistics (low, n + 1 - low) that bracket the median of n samples; 0: there are none.
 */
static size_t widened_interval_rank(size_t n, double inflation)
{
    double middle = ((double)n + 1) / 2;
    size_t rank = abdb_median_interval_lower_rank(n, 0.95);
    double low = middle - (middle - (double)rank) * sqrt(inflation);

    return rank && low >= 1 ? (size_t)low : 0;
}

/* Medians of consecutive blocks, BLOCKS_MAX at most; how many. scratch has room for n. */
static size_t fill_block_medians(const double *x, size_t n, double *scratch,
                                 double block[BLOCKS_MAX])
{
    size_t blocks = n < BLOCKS_MAX ? n : BLOCKS_MAX;

    for (size_t b = 0; b < blocks; b++) {
        size_t from = b * n / blocks, count = (b + 1) * n / blocks - from;

        memcpy(scratch, x + from, count * sizeof *x);
        abdb_array_sort(scratch, count, sizeof *scratch, abdb_compare_double);
        block[b] = abdb_quantile_sorted(scratch, count, 0.5);
    }
    return blocks;
}

static double median_of(const double *x, size_t n, double *scratch)
{
    memcpy(scratch, x, n * sizeof *x);
    abdb_array_sort(scratch, n, sizeof *scratch, abdb_compare_double);
    return abdb_quantile_sorted(scratch, n, 0.5);
}

/* Does the last third differ from the first, and in one direction all the way? */
static bool has_trend(const double *x, size_t n, double inflation, double *scratch)
{
    double block[BLOCKS_MAX], score = 0, variance, count;
    size_t blocks = fill_block_medians(x, n, scratch, block), third = n / 3;
    double first, last;

    if (blocks < BLOCKS_MIN) return false;
    first = median_of(x, third, scratch);
    last = median_of(x + n - third, third, scratch);
    if (fabs(last - first) <= difference_least * fmin(fabs(first), fabs(last))) return false;
    for (size_t i = 0; i < blocks; i++)
        for (size_t j = i + 1; j < blocks; j++)
            score += (block[j] > block[i]) - (block[j] < block[i]);
    count = (double)blocks;
    variance = count * (count - 1) * (2 * count + 5) / 18;
    /* A trend is also seen as correlation: so its inflation of the variance counts at most twice.
     */
    return fabs(score) > kendall_least * sqrt(variance * fmin(inflation, 2));
}

/* Is there a cut of sorted samples whose two sides are far apart for how wide each is? */
static bool has_two_modes(const double *x, size_t n)
{
    double sum = 0, squares = 0, all = 0, all_squares = 0;
    size_t least = (size_t)ceil(group_least * (double)n);

    if (n < BLOCKS_MIN) return false;
    for (size_t i = 0; i < n; i++) { /* from the median, which keeps the sums short */
        double d = x[i] - x[n / 2];

        all += d;
        all_squares += d * d;
    }
    for (size_t i = 0; i + least < n; i++) {
        double d = x[i] - x[n / 2], below = (double)(i + 1), above = (double)n - below, low, high,
               apart, spread;

        sum += d;
        squares += d * d;
        if (i + 1 < least) continue;
        low = sum / below;
        high = (all - sum) / above;
        apart = high - low;
        spread = fmax(0, squares / below - low * low) +
                 fmax(0, (all_squares - squares) / above - high * high);
        if (apart > difference_least * x[0] &&
            2 * apart * apart > ashman_least * ashman_least * spread)
            return true;
    }
    return false;
}

abdb_status abdb_summarise_series(const double *x, size_t n, abdb_series_summary *out,
                                  abdb_error *err)
{
    double *sorted = calloc(n ? 2 * n : 1, sizeof *sorted), inflation;
    abdb_summary summary;
    size_t rank;
    abdb_status st = ABDB_OK;

    *out = (abdb_series_summary){0};
    if (!sorted) TRY(ABDB_FAIL(err, ABDB_NOMEM, "summary of %zu samples", n));
    if (n) memcpy(sorted, x, n * sizeof *x);
    TRY(abdb_sort_and_summarise(sorted, n, &summary, err));
    inflation = median_variance_inflation(x, n, summary.median);
    rank = widened_interval_rank(n, inflation);
    out->has_interval = rank > 0;
    out->low = sorted[rank ? rank - 1 : 0];
    out->high = sorted[rank ? n - rank : n - 1];
    out->trend = has_trend(x, n, inflation, sorted + n);
    out->two_modes = has_two_modes(sorted, n);
done:
    free(sorted);
    return st;
}
