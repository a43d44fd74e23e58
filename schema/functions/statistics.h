/* statistics.h - statistics as SQL aggregates that are window functions too. NULLs are left out.
 *
 *   median(x) quantile(x, q) mad(x) geomean(x) hmean(x) stddev(x)
 *   ci_low(x [, confidence]) ci_high(x [, confidence])   order-statistic interval of the median;
 *                                     NULL where the samples are too few for it
 *   boot_ci(x, q)                     quantile q of the bootstrapped median
 *   hl_ratio(x, side)                 side 0: baseline, else contender; ratio contender / baseline
 *   boot_ci(x, side, q)               quantile q of the bootstrapped ratio of medians
 *   mwu_p(x, side)                    two-sided p, exact up to 64 samples
 *   tost_p(x, side, margin)           p of equivalence within a factor of 1 + margin
 *
 * Definitions: schema/core/stats.h and twosample.h.
 */
#ifndef ABDB_FUNCTIONS_STATISTICS_H
#define ABDB_FUNCTIONS_STATISTICS_H

#include "schema/functions/sqlite.h"

/* SQLITE_OK, or SQLite's code. */
int abdb_statistics_register(sqlite3 *db);

#endif
