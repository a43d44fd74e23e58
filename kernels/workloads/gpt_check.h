/* gpt_check.h - checks a backend's parts by the results of a GPT-like network. */
#ifndef ABDB_WORKLOADS_GPT_CHECK_H
#define ABDB_WORKLOADS_GPT_CHECK_H

#include "kernels/workloads/gpt_net.h"

/* The size at which it is looked at, as parameters. */
extern const char *const abdb_gpt_check_at;
/* A small network of the same format and switches takes two steps. Compared with plain loops in
 * double: the loss; the gradient of each tensor of parameters with differences of that loss, along
 * itself and along random directions; weights and moments after each update with AdamW's formulas.
 * *error: the largest over its bound. ABDB_NOMEM. */
ABDB_MUST_USE abdb_status abdb_gpt_verify_small_model(const abdb_run_context *stage,
                                                      const abdb_gpt_shape *of, double *error,
                                                      abdb_error *err);

#endif
