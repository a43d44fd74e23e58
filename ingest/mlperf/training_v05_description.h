/* training_v05_description.h - descriptions of systems of training v0.5 and v0.6, with the names of
 * today. */
#ifndef ABDB_INGEST_TRAINING_ENTRY_H
#define ABDB_INGEST_TRAINING_ENTRY_H

#include "ingest/mlperf/mlperf_log.h"

/* results/SYSTEM/entry.json of v0.5. */
abdb_status abdb_mlperf_append_values_of_v05_entry(abdb_mlperf_values *out, const abdb_input *in,
                                                   abdb_error *err);
/* systems/NAME.json: JSON, an entry as in v0.5, or lines "key: {JSON}" with an entry among them. */
abdb_status abdb_mlperf_append_system_description(abdb_mlperf_values *out, const abdb_input *in,
                                                  abdb_error *err);

#endif
