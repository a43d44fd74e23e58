/* endpoints_summary.h - the results of the MLPerf Endpoints client (inference v6.1 on), which stand
 * where LoadGen's logs would: performance/result_summary.json and accuracy/accuracy_results.json.
 */
#ifndef ABDB_INGEST_ENDPOINTS_SUMMARY_H
#define ABDB_INGEST_ENDPOINTS_SUMMARY_H

#include "ingest/mlperf/mlperf_log.h"

/* "qps" and "tps" as they are called there; latencies by LoadGen's names; "result_validity" is
 * INVALID where the client did not complete; requests, failed requests and the load by the names of
 * their factors. */
abdb_status abdb_mlperf_append_values_of_endpoints_summary(abdb_mlperf_values *out,
                                                           const abdb_input *in, abdb_error *err);
/* "accuracy": the average. */
abdb_status abdb_mlperf_append_accuracy_of_endpoints_file(abdb_mlperf_values *out,
                                                          const abdb_input *in, abdb_error *err);

#endif
