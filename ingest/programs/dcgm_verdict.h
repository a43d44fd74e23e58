/* dcgm_verdict.h - one verdict of DCGM's diagnostics, of its JSON or its table, becomes entries. */
#ifndef ABDB_INGEST_DCGM_VERDICT_H
#define ABDB_INGEST_DCGM_VERDICT_H

#include "ingest/read/unknown_factor.h"

/* A result of a test. NULL: not printed. */
typedef struct {
    const char *category, *test, *status, *group; /* as printed; group: of entities, "GPU" */
    const char *gpus;                             /* "0,2,3" */
    const char *warning, *info;                   /* texts, each "GPU 0 ..., GPU 1 ..." */
} dcgm_verdict;

/* What the verdicts of one run share. */
typedef struct {
    const abdb_overrides *words;
    const abdb_sink *sink;
    abdb_left_out *left_out;
    abdb_entry *entry;
    abdb_settings settings; /* versions and device IDs: factors of each entry */
    abdb_arena arena;       /* of the run */
} dcgm_run;

/* Hands over an entry of the verdict at `shown` of `all`, and one for each GPU, direction and kind
 * of number in its info, and ends the row. A number of a GPU that another verdict of the test
 * names belongs to that one. A status that is no verdict of the program is a reject. */
ABDB_MUST_USE abdb_status dcgm_import_or_reject_verdict(dcgm_run *run, const dcgm_verdict *all,
                                                        size_t count, size_t shown,
                                                        const char *locator, long line,
                                                        const abdb_settings *own, abdb_error *err);

#endif
