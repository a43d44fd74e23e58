/* stats.h - summaries of samples within one run. Sources: Hyndman and Fan (1996), type 7, for
 * quantiles; David and Nagaraja, Order Statistics, for the interval of a median. */
#ifndef ABDB_CORE_STATS_H
#define ABDB_CORE_STATS_H

#include <stddef.h>

#include "schema/core/error.h"

typedef struct {
    double median, low, high; /* low, high: order-statistic interval of the median, at least 95 % */
    double min, max, mean, sd, iqr, mad;
    int has_interval; /* 0: too few samples (n < 6) for 95 % */
} abdb_summary;

/* For qsort and bsearch: numbers in order. */
int abdb_compare_double(const void *a, const void *b);
/* Quantile q in [0,1] of sorted x[0..n), linear between neighbours (type 7). n >= 1. */
double abdb_quantile_sorted(const double *x, size_t n, double q);
/* Sorts x[0..n) and summarises it. ABDB_DATA: n == 0, or a value is not finite. */
ABDB_MUST_USE abdb_status abdb_sort_and_summarise(double *x, size_t n, abdb_summary *out,
                                                  abdb_error *err);
/* 1-based order statistics (low, n + 1 - low) that bracket the median with probability at least
 * confidence; 0 when n is too small. */
size_t abdb_median_interval_lower_rank(size_t n, double confidence);
/* The number whose natural logarithm is x, to the 13 digits that means of logarithms carry: of the
 * logarithm of 0.11 it is 0.11, not 0.11000000000000001. */
double abdb_exp_rounded_to_13_digits(double x);
/* The same, less one, as of a logarithm of 1 + share. */
double abdb_expm1_rounded_to_13_digits(double x);

#endif
