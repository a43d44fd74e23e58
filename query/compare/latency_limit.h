/* latency_limit.h - which results keep a latency limit, and how that is known.
 *
 * A result keeps a limit if its own run measured the percentile and it is not above the limit, else
 * if its round of MLPerf requires a limit at least as strict of its benchmark and scenario, at a
 * percentile at least as high. A mean never answers for a percentile.
 */
#ifndef ABDB_COMPARE_LATENCY_LIMIT_H
#define ABDB_COMPARE_LATENCY_LIMIT_H

#include "query/compare/result_set.h"

typedef struct {
    double ttft_s, tpot_s, latency_s; /* NAN: no limit */
    double percentile;                /* of the requests that must keep each of them, such as 99 */
} abdb_latency_limits;

bool abdb_any_latency_limit_given(const abdb_latency_limits *limits);
/* The seconds of "50ms", "2 s", "0.05": the value of the option (--ttft). NULL: NAN. */
ABDB_MUST_USE abdb_status abdb_parse_latency_limit_option(const char *option, const char *text,
                                                          double *out, abdb_error *err);
/* How a member keeps all limits, such as "own run: TPOT p99 = 30 ms" or "rule of Interactive: TPOT
 * p99 <= 40 ms"; NULL where it does not, or where that is unknown: then *why_not has words. From
 * arena. */
ABDB_MUST_USE abdb_status abdb_explain_latency_limits_kept(
    const abdb_set *set, size_t member, sqlite3 *db, const abdb_latency_limits *limits,
    const char **met_by, const char **why_not, abdb_arena *arena, abdb_error *err);
/* "TTFT" of "ttft_s", "TPOT" of "tpot_s", "latency" of "latency_s". */
const char *abdb_latency_metric_words(const char *metric);
/* Appends seconds as people read them: "43.1 ms", "2 s". */
void abdb_append_seconds(abdb_text *out, double seconds);
/* *out, from arena: the latency limits that the round of MLPerf requires of a member's benchmark
 * and scenario, "TTFT p99 <= 2 s, TPOT p99 <= 200 ms"; "" where none is known. */
ABDB_MUST_USE abdb_status abdb_describe_mlperf_scenario_limits(const abdb_set *set, size_t member,
                                                               sqlite3 *db, const char **out,
                                                               abdb_arena *arena, abdb_error *err);
/* Adds a note for each scenario and its limits that members of the set have. */
ABDB_MUST_USE abdb_status abdb_add_mlperf_scenario_limit_notes(const abdb_set *set, sqlite3 *db,
                                                               abdb_table *table, abdb_error *err);

#endif
