/* sample_series.h - samples of one process in the order of their time, which may be correlated: the
 * interval of their median, a trend, two modes. tests/STATISTICS.md has how often each is right. */
#ifndef ABDB_CORE_SAMPLE_SERIES_H
#define ABDB_CORE_SAMPLE_SERIES_H

#include <stdbool.h>
#include <stddef.h>

#include "schema/core/error.h"

enum { ABDB_SERIES_FEW = 30 };
typedef struct {
    double low, high;  /* 95 % interval of the median of this process; else least and most */
    bool has_interval; /* false: too few samples for how much they are correlated */
    bool trend;        /* they go up or down from the first third to the last */
    bool two_modes;    /* they lie in two groups with a gap between */
} abdb_series_summary;

/* The interval is that of order statistics, widened for correlation, which raises the variance of
 * the median; fewer than ABDB_SERIES_FEW samples count as correlated by 0.6 at least. x is in the
 * order of time. ABDB_DATA: n == 0, or a value is not finite. ABDB_NOMEM. */
ABDB_MUST_USE abdb_status abdb_summarise_series(const double *x, size_t n, abdb_series_summary *out,
                                                abdb_error *err);

#endif
