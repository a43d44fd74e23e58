/* llama_reference.h - the logits of a Llama-like network in double, by plain loops over the whole
 * sequence that share nothing with the parts of a backend, have no cache and take numbers of
 * weights as they are: the reference for checks of llama_net.c. */
#ifndef ABDB_WORKLOADS_LLAMA_ORACLE_H
#define ABDB_WORKLOADS_LLAMA_ORACLE_H

#include "kernels/workloads/llama_shape.h"

/* Numbers of a small network. Matrices row by row, k x n, in the order of ABDB_LLAMA_MATRICES for
 * each layer; the table and the last matrix d x vocabulary; norms as abdb_llama_weights_source
 * numbers them. */
typedef struct {
    double **matrix, *table, *last, *gains;
} abdb_llama_f64_weights;

/* Logits (rows of vocabulary) of each of n tokens. False: no memory. */
bool abdb_llama_reference_logits(const abdb_llama_shape *s, const abdb_llama_f64_weights *numbers,
                                 const int32_t *token, size_t n, double *out);

#endif
