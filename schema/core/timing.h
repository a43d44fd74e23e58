/* timing.h - a steady clock, and where the time of a command goes, which `abdb import --timing`
 * prints. */
#ifndef ABDB_CORE_TIMING_H
#define ABDB_CORE_TIMING_H

#include <stdbool.h>
#include <stddef.h>

enum { ABDB_TIMINGS_MAX = 32 };

typedef struct {
    char what[48];
    double seconds;
    long count;
} abdb_timing;

/* Seconds since some moment of this boot, by CLOCK_MONOTONIC, which is never set back: only
 * differences mean something. */
double abdb_monotonic_seconds(void);
/* Now, UTC: "2026-05-04T03:02:01.000Z". */
void abdb_format_now_utc(char out[32]);
/* No time is taken before this call. */
void abdb_timing_enable(void);
/* abdb_monotonic_seconds(); 0 where no time is taken. */
double abdb_timing_now_if_enabled(void);
/* Adds the time since start_s to the part named label, which is copied; from any thread. */
void abdb_timing_add_elapsed(const char *label, double start_s);
/* The times of all parts, in the order of first use. */
const abdb_timing *abdb_timing_list(size_t *count);

#endif
