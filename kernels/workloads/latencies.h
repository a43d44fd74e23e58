/* latencies.h - times that a workload gathers from repetition to repetition. */
#ifndef ABDB_WORKLOADS_LATENCIES_H
#define ABDB_WORKLOADS_LATENCIES_H

#include "kernels/workloads/workload.h"

enum { ABDB_LATENCIES_MAX = 1 << 16 }; /* later ones are not kept */
typedef struct {
    double *s;
    size_t count;
} abdb_latencies;
/* n kinds of times, in a row that is zeroed. ABDB_NOMEM; then too they are closed. */
ABDB_MUST_USE abdb_status abdb_latencies_alloc(abdb_latencies *l, size_t n, abdb_error *err);
void abdb_latencies_clear(abdb_latencies *l, size_t n);
void abdb_latencies_free(abdb_latencies *l, size_t n);
void abdb_latencies_add_if_room(abdb_latencies *l, double seconds);
/* Sorts the latencies and reports median, 90th and 99th percentile; of none it reports none. */
void abdb_latencies_report_median_p90_p99(abdb_latencies *l, const char *metric,
                                          abdb_metric_callback *tell, void *to);
/* Median; NAN of nothing. */
double abdb_latencies_median(abdb_latencies *l);

#endif
