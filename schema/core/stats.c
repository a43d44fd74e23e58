/* stats.c - summaries of samples; see stats.h. */
#include "schema/core/stats.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "schema/core/array.h"
#include "schema/core/number.h"

/* Up to here 2^-n is a normal double, and binomial probabilities are summed exactly. */
enum { BINOMIAL_MAX = 1000 };

int abdb_compare_double(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

double abdb_quantile_sorted(const double *x, size_t n, double q)
{
    /* Type 7: quantile q lies at place q (n - 1), counted from 0, between two neighbours. */
    double at = q * (double)(n - 1);
    size_t i = (size_t)at;

    if (i + 1 >= n) return x[n - 1];
    return x[i] + (at - (double)i) * (x[i + 1] - x[i]);
}

size_t abdb_median_interval_lower_rank(size_t n, double confidence)
{
    double tail = (1 - confidence) / 2, sum = 0, term;
    size_t k;

    if (n > BINOMIAL_MAX) { /* the normal approximation, where 2^-n would vanish */
        double low = 0, high = 40;

        for (int i = 0; i < 60; i++) { /* bisection: P(Z < -z) = tail */
            double z = 0.5 * (low + high);

            if (0.5 * erfc(z / sqrt(2)) > tail)
                low = z;
            else
                high = z;
        }
        return (size_t)(0.5 * ((double)n + 1 - high * sqrt((double)n)));
    }
    term = exp(-(double)n * log(2)); /* P(Binomial(n, 1/2) = 0) */
    for (k = 0; k < n / 2; k++) {
        if (sum + term > tail) break;
        sum += term;
        term *= (double)(n - k) / (double)(k + 1);
    }
    return k; /* the k-th smallest: P(fewer than k below the median) <= tail */
}

abdb_status abdb_sort_and_summarise(double *x, size_t n, abdb_summary *out, abdb_error *err)
{
    double sum = 0, square = 0;
    size_t rank;
    double *away;

    if (n == 0) return ABDB_FAIL(err, ABDB_DATA, "no samples to summarise");
    for (size_t i = 0; i < n; i++)
        if (!isfinite(x[i])) return ABDB_FAIL(err, ABDB_DATA, "sample %zu is not a number", i);
    abdb_array_sort(x, n, sizeof *x, abdb_compare_double);
    away = calloc(n, sizeof *away);
    if (!away) return ABDB_FAIL(err, ABDB_NOMEM, "summary of %zu samples", n);

    *out = (abdb_summary){.min = x[0], .max = x[n - 1]};
    out->median = abdb_quantile_sorted(x, n, 0.5);
    out->iqr = abdb_quantile_sorted(x, n, 0.75) - abdb_quantile_sorted(x, n, 0.25);
    for (size_t i = 0; i < n; i++) sum += x[i];
    out->mean = sum / (double)n;
    for (size_t i = 0; i < n; i++) {
        square += (x[i] - out->mean) * (x[i] - out->mean);
        away[i] = fabs(x[i] - out->median);
    }
    out->sd = n > 1 ? sqrt(square / (double)(n - 1)) : 0;
    abdb_array_sort(away, n, sizeof *away, abdb_compare_double);
    out->mad = abdb_quantile_sorted(away, n, 0.5);
    free(away);
    rank = abdb_median_interval_lower_rank(n, 0.95);
    out->has_interval = rank > 0;
    out->low = rank ? x[rank - 1] : x[0];
    out->high = rank ? x[n - rank] : x[n - 1];
    return ABDB_OK;
}

/* --- logarithms ------------------------------------------------------------------------------- */

/* A logarithm l is known to half of its last bit, its number therefore to |l| 2^-53 of itself: some
 * 5e-15 where l is 40, and a mean adds as much. */
enum { DIGITS = 13 };

static double round_to_13_digits(double value)
{
    return isfinite(value) ? abdb_round_to_significant_digits(value, DIGITS) : value;
}

double abdb_exp_rounded_to_13_digits(double x)
{
    return round_to_13_digits(exp(x));
}

double abdb_expm1_rounded_to_13_digits(double x)
{
    return round_to_13_digits(expm1(x));
}
