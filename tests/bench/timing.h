/* timing.h - the clock of the peers of bench, and the order of their samples. */
#ifndef ABDB_BENCH_TIMING_H
#define ABDB_BENCH_TIMING_H

#include <time.h>

static double monotonic_now_s(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static int compare_double_ascending(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

#endif
