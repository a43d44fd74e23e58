/* nccl_summary.h - the line "Out of bounds values : 3 FAILED" below a table of nccl-tests. */
#ifndef ABDB_INGEST_NCCL_SUMMARY_H
#define ABDB_INGEST_NCCL_SUMMARY_H

#include "ingest/importer.h"

/* For each table of a log: its summary reports a failure, and no row of it a wrong value. */
typedef struct {
    bool *is_unexplained;
    size_t tables, room;
} nccl_failures;

/* Reads them; the caller frees is_unexplained. ABDB_NOMEM. */
ABDB_MUST_USE abdb_status abdb_nccl_find_unexplained_failures(const abdb_input *in,
                                                              nccl_failures *out, abdb_error *err);

#endif
