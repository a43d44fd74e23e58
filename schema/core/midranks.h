/* midranks.h - ranks of values, and the random numbers by which tests shuffle and resample. */
#ifndef ABDB_CORE_MIDRANKS_H
#define ABDB_CORE_MIDRANKS_H

#include <stddef.h>
#include <stdint.h>

typedef struct {
    double x;
    size_t at;    /* where it stood before */
    size_t twice; /* its midrank times two: a whole number */
} abdb_ranked;

/* Sorts all[0..n) by x and sets their midranks: equal values share the mean of their ranks. The sum
 * of t^3 - t over values that t share, by which the variance of a rank sum is corrected. */
double abdb_sort_and_set_midranks_sum_ties(abdb_ranked *all, size_t n);
/* The next number of a generator with this state: SplitMix64 (Steele, Lea, Flood). */
uint64_t abdb_splitmix64_next(uint64_t *state);

#endif
