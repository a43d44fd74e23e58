/* spans.h - the time of a workload by named parts, one within another.
 *
 * A workload enters and leaves parts while it runs. A part that names a kernel computes, with its
 * operations and bytes; a part without one holds other parts, and its time beyond theirs is time
 * between kernels. Parts of one name within the same one add up. Names are literals.
 */
#ifndef ABDB_WORKLOADS_SPANS_H
#define ABDB_WORKLOADS_SPANS_H

#include "kernels/kernel.h"

enum { ABDB_SPANS_MAX = 64, ABDB_SPANS_DEEP = 8 };
typedef struct {
    const char *name, *within, *kernel; /* within: NULL of the outermost; kernel: NULL, it holds */
    long long calls;
    double time_s, ops, bytes; /* of all calls */
} abdb_span_total;
typedef struct {
    double (*now)(void); /* seconds of a clock that only rises */
    abdb_device *device; /* whose queue a part that computes waits for; NULL: nothing waits */
    abdb_span_total at[ABDB_SPANS_MAX];
    size_t count, open[ABDB_SPANS_DEEP];
    double begun_s[ABDB_SPANS_DEEP];
    int deep;
    bool overflowed; /* more parts, or deeper ones, than there is room for, or left unentered */
} abdb_spans;

/* Times and counts become 0; names and their order stay. */
void abdb_spans_reset_totals(abdb_spans *spans);
void abdb_span_enter(abdb_spans *spans, const char *name, const char *kernel);
/* Leaves the part entered last, which did so much. */
void abdb_span_leave_and_add_work(abdb_spans *spans, double ops, double bytes);

#endif
