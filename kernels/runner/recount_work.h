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

/* counter: the path of abdb-run-ref; one that cannot be run knows no formula. ABDB_NOMEM, or what
 * abdb itself cannot read or write. */
ABDB_MUST_USE abdb_status abdb_recount_work(const abdb_run_options *run, const char *counter,
                                            const abdb_cell *cell, const json_t *result,
                                            abdb_work_verdict *out, char why[160], abdb_error *err);

#endif
