/* cell_entry.h - a finished cell becomes an entry of the store. Inside of kernels/runner. */
#ifndef ABDB_RUNNER_CELL_ENTRY_H
#define ABDB_RUNNER_CELL_ENTRY_H

#include "kernels/runner/backend_process.h"
#include "kernels/runner/cell_validation.h"
#include "kernels/runner/runner.h"
#include "schema/core/sample_series.h"

/* A backend that runs cells, and what it last reported. */
typedef struct {
    const abdb_run_options *o;
    const abdb_sink *sink;
    abdb_child child;
    abdb_cell_validation validation;
    abdb_process process;             /* the life of the program that runs */
    char started[32];                 /* when that began */
    long *starts;                     /* so many lives in this repetition */
    bool doubtful;                    /* the cell that ended last */
    bool unknown_formula, challenged; /* of it; challenged: with the right answers */
    abdb_series_summary series;       /* its samples */
} abdb_backend_session;

/* Builds the entry of the cell that ended last from its records and hands it to the sink. Counts it
 * in the tally and sets s->doubtful. ABDB_NOMEM, or the error of the sink. */
ABDB_MUST_USE abdb_status abdb_build_entry_and_send_to_sink(abdb_backend_session *s,
                                                            const abdb_cell *cell,
                                                            abdb_run_tally *tally, abdb_error *err);

#endif
