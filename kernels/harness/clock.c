/* clock.c - the clock and what it is worth; see harness.h. */
#include <time.h>

#include "kernels/harness/harness.h"

enum { READINGS = 2000 };

double abdb_now_s(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

abdb_clock abdb_clock_measure(void)
{
    abdb_clock clock = {.resolution_s = 1};
    double first = abdb_now_s(), last = first;

    for (int i = 0; i < READINGS; i++) {
        double now = abdb_now_s();

        if (now > last && now - last < clock.resolution_s) clock.resolution_s = now - last;
        last = now;
    }
    clock.cost_s = (last - first) / READINGS;
    return clock;
}
