/* dlrm_check.h - is what a recommendation model gives right? */
#ifndef ABDB_WORKLOADS_DLRM_CHECK_H
#define ABDB_WORKLOADS_DLRM_CHECK_H

#include "kernels/workloads/dlrm_net.h"

/* The worst of the results in d->out of up to `samples` samples, spread over the batch, over its
 * bound, by plain loops in double from the numbers as they are stored. ABDB_NOMEM. */
ABDB_MUST_USE abdb_status abdb_dlrm_verify_spread_samples_of_batch(const abdb_dlrm *d,
                                                                   size_t samples, double *error,
                                                                   abdb_error *err);
/* Checks an inference of `of`, rows and batch cut to 997 and 64; *at: the cuts, as "batch=64", or
 * NULL. ABDB_NOMEM. */
ABDB_MUST_USE abdb_status abdb_dlrm_verify_small_model(const abdb_run_context *stage,
                                                       const abdb_dlrm_shape *of, double *error,
                                                       const char **at, abdb_error *err);

#endif
