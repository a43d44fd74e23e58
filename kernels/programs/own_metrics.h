/* own_metrics.h - metrics that a measured program prints itself: members of a JSON line, or what a
 * regular expression finds. */
#ifndef ABDB_KERNELS_OWN_METRICS_H
#define ABDB_KERNELS_OWN_METRICS_H

#include <stddef.h>
#include <sys/resource.h>

#include "schema/core/error.h"

enum { ABDB_OWN_METRICS_MAX = 32 };

/* Values of each start of a turn. */
typedef struct {
    const char *name; /* of metric.def */
    double value[20];
    size_t values;
} abdb_own_metric;

typedef struct {
    abdb_own_metric metric[ABDB_OWN_METRICS_MAX];
    size_t count, starts;
    char left_out[160]; /* members of JSON lines that are no metric, with ", " between them */
} abdb_own_metrics;

/* Appends a value of the last start to the metric of that name of metric.def. ABDB_USAGE: an
 * unknown name; ABDB_DATA: the start has a value of it; ABDB_LIMIT: too many. */
ABDB_MUST_USE abdb_status abdb_own_metrics_add(abdb_own_metrics *out, const char *name,
                                               double value, abdb_error *err);
/* Begins a start with its processor time and peak memory. Memory below that of this process is not
 * seen, since a new process counts the memory of this one until it becomes the program. */
ABDB_MUST_USE abdb_status abdb_own_metrics_add_usage(abdb_own_metrics *out,
                                                     const struct rusage *used, abdb_error *err);
/* Appends to out what the output of a start holds. from: `json` (the last line that is an object:
 * its numbers by names of metric.def; left_out names the others), or NAME[UNIT]=REGEX (what the
 * first group matches last). ABDB_USAGE: an unknown name, unit or expression; ABDB_DATA: the output
 * has no value. */
ABDB_MUST_USE abdb_status abdb_own_metrics_read_output(abdb_own_metrics *out, const char *from,
                                                       const char *output, abdb_error *err);
/* Is it a value of --metric-from? ABDB_USAGE: no. */
ABDB_MUST_USE abdb_status abdb_own_metrics_check_source(const char *from, abdb_error *err);
/* The median of the values. */
double abdb_own_metric_median(abdb_own_metric *metric);

#endif
