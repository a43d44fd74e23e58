/* timing.c - where the time of a command goes; see timing.h. */
#include "schema/core/timing.h"

#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

static bool taking;
static abdb_timing list[ABDB_TIMINGS_MAX];
static size_t used;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

double abdb_monotonic_seconds(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

void abdb_format_now_utc(char out[32])
{
    struct timespec now;
    struct tm utc;
    size_t used_size;

    clock_gettime(CLOCK_REALTIME, &now);
    gmtime_r(&now.tv_sec, &utc);
    used_size = strftime(out, 32, "%Y-%m-%dT%H:%M:%S", &utc);
    snprintf(out + used_size, 32 - used_size, ".%03ldZ", now.tv_nsec / 1000000);
}

void abdb_timing_enable(void)
{
    taking = true;
}

double abdb_timing_now_if_enabled(void)
{
    return taking ? abdb_monotonic_seconds() : 0;
}

void abdb_timing_add_elapsed(const char *label, double start_s)
{
    double seconds;
    size_t i = 0;

    if (!taking) return;
    seconds = abdb_timing_now_if_enabled() - start_s;
    pthread_mutex_lock(&lock);
    while (i < used && strcmp(list[i].what, label) != 0) i++;
    if (i < ABDB_TIMINGS_MAX) {
        used += i == used;
        snprintf(list[i].what, sizeof list[i].what, "%s", label);
        list[i].seconds += seconds;
        list[i].count++;
    }
    pthread_mutex_unlock(&lock);
}

const abdb_timing *abdb_timing_list(size_t *count)
{
    *count = used;
    return list;
}
