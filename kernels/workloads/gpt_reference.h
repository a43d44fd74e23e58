/* gpt_reference.h - the loss of a GPT-like network in double, by plain loops that share nothing
 * with the parts of a backend or the order in which gpt_net.c calls them: the reference for checks
 * of both. */
#ifndef ABDB_WORKLOADS_GPT_ORACLE_H
#define ABDB_WORKLOADS_GPT_ORACLE_H

#include "kernels/workloads/gpt_shape.h"

/* Mean loss of `sequences` sequences; parameters as gpt_shape.h lays them out. NAN: no memory. */
double abdb_gpt_reference_mean_loss(const abdb_gpt_shape *s, const double *parameters,
                                    size_t sequences, const int32_t *token, const int32_t *target);

#endif
