/* recount_work.h - are the operations and bytes that a program of others reports those of abdb's
 * formula? abdb-run-ref counts them again from the parameters and factors of the result. */
#ifndef ABDB_KERNELS_RECOUNT_WORK_H
#define ABDB_KERNELS_RECOUNT_WORK_H

#include <jansson.h>

#include "kernels/runner/runner.h"

typedef enum {
    ABDB_WORK_OWN,     /* of a kernel and formula that are the program's */
    ABDB_WORK_AGREES,  /* abdb counts the same */
    ABDB_WORK_UNKNOWN, /* of abdb's kernel, but no formula that abdb has or can apply */
    ABDB_WORK_DIFFERS  /* why[160] has the numbers */
} abdb_work_verdict;

/* Asks the program at the path `counter` by its verb `count` about a cell that was measured so,
 * with the members of extra (or NULL). *answer: its record, which the caller frees; NULL: it has
 * none, or is not here. status: of its end, or "". ABDB_NOMEM, or what abdb cannot read or write.
 */
ABDB_MUST_USE abdb_status abdb_ask_work_counter(const abdb_run_options *run, const char *counter,
                                                const abdb_cell *cell, const json_t *result,
                                                json_t *extra, json_t **answer, char status[32],
                                                abdb_error *err);
/* counter: the path of abdb-run-ref; one that cannot be run knows no formula. ABDB_NOMEM, or what
 * abdb itself cannot read or write. */
ABDB_MUST_USE abdb_status abdb_recount_work(const abdb_run_options *run, const char *counter,
                                            const abdb_cell *cell, const json_t *result,
                                            abdb_work_verdict *out, char why[160], abdb_error *err);

#endif
