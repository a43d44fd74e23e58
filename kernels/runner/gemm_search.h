/* gemm_search.h - mamf: the maximum achievable matrix product of a backend, over shapes that the
 * search finds itself; the name is the one that the Machine Learning Engineering book gave it.
 * // Squares double until they are no longer faster; then one side at a time is made longer or
 * shorter by a step, which is halved when no move gains 0.3 %, down to 16. The search ends when the
 * last step gains nothing, or when its time is used up. Each shape is one quick cell of its own
 * process; the best is measured once more in full, and that is the figure, because the quickest of
 * many quick measurements is partly luck. At last one side after another is made a little longer,
 * which shows what an incomplete tile costs. */
#ifndef ABDB_KERNELS_SEARCH_H
#define ABDB_KERNELS_SEARCH_H

#include "kernels/runner/runner.h"

typedef struct {
    size_t side[3];      /* m, n, k of the best */
    double quick_rate;   /* operations a second as the search saw it */
    double rate;         /* as measured in full; 0: it was not */
    size_t shapes;       /* that were tried */
    double seconds;      /* that it took, without the full measurement */
    const char *stopped; /* why */
    double
        one_more[3]; /* rate lost, relative, with one more row, column, step of k; NAN: unknown */
    size_t tile[3];  /* least lengthening that is as fast again; 0: none up to 64 */
} abdb_mamf;

/* `of` is a product without its sides: "gemm dtype=f32". Progress of options is told each shape.
 * ABDB_USAGE: no shape could be measured. */
ABDB_MUST_USE abdb_status abdb_search_fastest_gemm(const abdb_run_options *options,
                                                   const abdb_cell *of, double budget_s,
                                                   const abdb_sink *sink, abdb_run_tally *tally,
                                                   abdb_mamf *out, abdb_error *err);

#endif
