/* unfinished_runs.h - commands of abdb run that have begun and not ended: which they are, how far
 * they came, and whether they still run. Each is a row of meta from its first cell to its last. */
#ifndef ABDB_STORE_UNFINISHED_RUNS_H
#define ABDB_STORE_UNFINISHED_RUNS_H

#include <stdbool.h>
#include <stddef.h>

#include "schema/core/error.h"
#include "schema/functions/sqlite.h"

typedef struct {
    char campaign[64];
    long long planned, measured; /* cells, of all backends and repetitions */
    bool running;                /* by a process of this machine; else it was stopped or killed */
} abdb_unfinished_run;

/* Records that this process begins to measure so many cells as this campaign, or goes on with it.
 */
ABDB_MUST_USE abdb_status abdb_unfinished_run_begin(sqlite3 *db, const char *campaign,
                                                    size_t planned, abdb_error *err);
/* Records that its plan is done. */
ABDB_MUST_USE abdb_status abdb_unfinished_run_end(sqlite3 *db, const char *campaign,
                                                  abdb_error *err);
/* *found: has this campaign (NULL: the newest of the file) not ended? Then it is in *out. */
ABDB_MUST_USE abdb_status abdb_unfinished_run_find(sqlite3 *db, const char *campaign, bool *found,
                                                   abdb_unfinished_run *out, abdb_error *err);

#endif
