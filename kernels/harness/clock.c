/* clock.c - the clock of the host, CLOCK_MONOTONIC, and how fine and how dear it is: a sample must
 * be long against both. See harness.h. */
#include <time.h>

#include "kernels/harness/harness.h"

enum { READINGS = 2000 };

double abdb_clock_seconds(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

abdb_clock abdb_measure_clock_step_and_cost(void)
{
    abdb_clock clock = {.resolution_s = 1};
    double first = abdb_clock_seconds(), last = first;

    for (int i = 0; i < READINGS; i++) {
        double now = abdb_clock_seconds();

        /* The smallest step that was seen; readings that did not move say nothing. */
        if (now > last && now - last < clock.resolution_s) clock.resolution_s = now - last;
        last = now;
    }
    clock.cost_s = (last - first) / READINGS;
    return clock;
}
