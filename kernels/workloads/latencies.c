/* latencies.c - times gathered from repetition to repetition; see latencies.h. */
#include "kernels/workloads/latencies.h"

#include <math.h>
#include <stdlib.h>

#include "schema/core/array.h"
#include "schema/core/stats.h"

abdb_status abdb_latencies_alloc(abdb_latencies *l, size_t n, abdb_error *err)
{
    for (size_t i = 0; i < n; i++) {
        l[i].s = calloc(ABDB_LATENCIES_MAX, sizeof *l->s);
        if (!l[i].s) return ABDB_FAIL(err, ABDB_NOMEM, "times");
    }
    return ABDB_OK;
}

void abdb_latencies_clear(abdb_latencies *l, size_t n)
{
    for (size_t i = 0; i < n; i++) l[i].count = 0;
}

void abdb_latencies_free(abdb_latencies *l, size_t n)
{
    for (size_t i = 0; i < n; i++) free(l[i].s);
}

void abdb_latencies_add_if_room(abdb_latencies *l, double seconds)
{
    if (l->count < ABDB_LATENCIES_MAX) l->s[l->count++] = seconds;
}

static double sort_in_place_and_take_quantile(abdb_latencies *l, double q)
{
    if (!l->count) return NAN;
    abdb_array_sort(l->s, l->count, sizeof *l->s, abdb_compare_double);
    return abdb_quantile_sorted(l->s, l->count, q);
}

double abdb_latencies_median(abdb_latencies *l)
{
    return sort_in_place_and_take_quantile(l, 0.5);
}

void abdb_latencies_report_median_p90_p99(abdb_latencies *l, const char *metric,
                                          abdb_metric_callback *tell, void *to)
{
    if (!l->count) return;
    tell(to,
         &(abdb_workload_metric){metric, "median", sort_in_place_and_take_quantile(l, 0.5), NAN});
    tell(to, &(abdb_workload_metric){metric, "p90", sort_in_place_and_take_quantile(l, 0.9), NAN});
    tell(to, &(abdb_workload_metric){metric, "p99", sort_in_place_and_take_quantile(l, 0.99), NAN});
}
