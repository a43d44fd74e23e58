/* serving_statistics.h - the statistics of one latency or rate of a serving benchmark, as an object
 * of JSON whose members are its statistics ({"avg": 1.5, "p99": 2, "std": 0.1}). */
#ifndef ABDB_INGEST_SERVING_STATISTICS_H
#define ABDB_INGEST_SERVING_STATISTICS_H

#include <jansson.h>

#include "ingest/importer.h"

/* The statistic that a member's name means, in the form that is kept: "avg" is mean, "p50" median,
 * "p01" p1, "p999" p99.9. NULL: it means none. */
const char *abdb_serving_statistic_of_name_or_null(const char *name, abdb_arena *arena);
/* A scalar as text; NULL: it is none, or null. */
const char *abdb_serving_json_text_or_null(const json_t *value, abdb_arena *arena);
/* A member as a number; NAN: there is none. */
double abdb_serving_json_number_or_nan(const json_t *object, const char *name);
/* Adds every statistic of the object as a result, the mean with its deviation (std, std_dev), each
 * with the number of requests (0: unknown). Zeros, which stand where nothing was measured, are left
 * out. */
void abdb_serving_add_all_statistics(abdb_entry *entry, abdb_arena *arena, const char *metric,
                                     const char *unit, const json_t *statistics,
                                     long long requests);
/* Adds the mean of the object, under any of its names, as the value of a rate. */
void abdb_serving_add_rate_from_mean(abdb_entry *entry, abdb_arena *arena, const char *metric,
                                     const char *unit, const json_t *statistics,
                                     long long requests);
/* Adds the mean as a factor: the length of prompts or answers. */
void abdb_serving_add_mean_as_factor(abdb_entry *entry, abdb_arena *arena, const char *factor,
                                     const json_t *statistics);
/* Counts statistics that no metric is known for as left out, by that name; of a metric whose mean
 * alone is kept all but the mean. */
void abdb_serving_count_statistics_left_out(abdb_left_out *list, const char *name,
                                            const json_t *statistics, bool keeps_mean,
                                            abdb_arena *arena);

#endif
