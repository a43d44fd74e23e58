/* mlperf.h - what the importers of MLPerf results share: units, scenarios, accuracy, devices. */
#ifndef ABDB_INGEST_MLPERF_H
#define ABDB_INGEST_MLPERF_H

#include "ingest/csv.h"
#include "ingest/importer.h"

/* A row of MLPerf results before it is an entry: text as the source has it, NULL where it has none. */
typedef struct {
    const char *submitter, *availability, *division, *system_type, *system, *platform, *used_model,
        *model, *scenario, *result, *unit, *accuracy, *nodes, *processor, *processors_per_node,
        *cores, *accelerator, *accelerators_per_node, *accelerators, *software, *os, *notes,
        *round, *inferred, *has_power, *weights, *public_id, *url, *location, *errors, *suite,
        *date, *power, *power_unit;
} mlperf_row;

typedef struct {
    const abdb_words *words;
    const abdb_sink *sink;
    const char *source, *verified, *locator, *flags;
    long line; /* of the row at hand, 0 unknown */
} mlperf_context;

/* Makes the entry of a row and hands it over. When the row cannot be one, *field and *reason say
 * why and nothing was handed over: the caller rejects it. reason has room for 200 bytes. */
ABDB_MUST_USE abdb_status mlperf_entry(const mlperf_context *context, const mlperf_row *row,
                                       const char **field, char *reason, abdb_error *err);

#endif
