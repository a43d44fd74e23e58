/* llama_check.h - checks a backend's parts by the results of a Llama-like network. */
#ifndef ABDB_WORKLOADS_LLAMA_CHECK_H
#define ABDB_WORKLOADS_LLAMA_CHECK_H

#include "kernels/workloads/llama_net.h"

/* The size at which it is looked at, as parameters. */
extern const char *const abdb_llama_check_at;
/* A small network of the same format, form of weights, factor of positions and kind of pages:
 * sequences of different lengths, whose blocks lie in random order and hold old data of others, go
 * through their prompts and then token by token. Each picked token must have the largest logit; the
 * logits are compared with the logits of plain loops in double over the whole sequence, without a
 * cache; every weight with the number that it was made from, within half of its scale. *error: the
 * largest over its bound. ABDB_NOMEM. */
ABDB_MUST_USE abdb_status abdb_llama_verify_small_model(const abdb_run_context *stage,
                                                        const abdb_llama_shape *of, bool padded,
                                                        double *error, abdb_error *err);

#endif
