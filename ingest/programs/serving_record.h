/* serving_record.h - one serving benchmark, by the names that vLLM's JSON gives its values,
 * whatever text they stood in. */
#ifndef ABDB_INGEST_SERVING_RECORD_H
#define ABDB_INGEST_SERVING_RECORD_H

#include "ingest/read/flat_records.h"

/* Makes an entry of the record and hands it to the sink: rates, latencies with all their
 * statistics, load and settings as factors. A record without output_throughput is a reject. */
ABDB_MUST_USE abdb_status abdb_serving_import_record(const abdb_overrides *overrides,
                                                     const abdb_sink *sink,
                                                     const abdb_flat_record *record,
                                                     abdb_error *err);
/* Adds every statistic of every latency that the record has ("p99_ttft_ms"), a mean with its
 * deviation. */
void abdb_serving_add_latency_statistics(abdb_entry *entry, abdb_arena *arena,
                                         const abdb_flat_record *record);

#endif
