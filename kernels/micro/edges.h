/* edges.h - what kernels are tried at besides what is measured: sizes around the steps of loops and
 * blocks, and values at the edge of what their formats hold. For `edge_sizes` and `put_edge_values`
 * of kernel.h. */
#ifndef ABDB_MICRO_EDGES_H
#define ABDB_MICRO_EDGES_H

#include "kernels/kernel.h"

/* One element, a step less one, a step, a step and one, odd rests of several steps. */
extern const char *const abdb_gemm_edge_sizes[],
    *const abdb_stream_edge_sizes[],
        *const abdb_elementwise_edge_sizes[],
            *const abdb_attention_edge_sizes[],
                *const abdb_paged_edge_sizes[],
                    *const abdb_linear_edge_sizes[],
                        *const abdb_embedding_edge_sizes[],
                            *const abdb_gather_edge_sizes[],
                                *const abdb_fma_edge_sizes[],
                                    *const abdb_gups_edge_sizes[],
                                        *const abdb_latency_edge_sizes[],
                                            *const abdb_block_edge_sizes[];

/* Bytes, of every other seed: all -128, whose sums are the largest. Floating, but for a ReLU: a NaN
 * in a row of A, which its row of C has, too. Without activation also an infinity; of f32 and f64
 * without beta and bias a row of A below the least normal number, B of whole numbers. */
void abdb_gemm_put_edge_values(const abdb_problem *p, const abdb_gemm *g, uint64_t seed);
/* For exact inputs: rows of all bits of f32 or f64. Where nothing but the product is added up both
 * numbers have many; those of f64 have 64, which the reference in long double holds. Else one of
 * them is 1 or -1, and the sum with what is added is still exact. */
void abdb_gemm_put_full_precision_rows(const abdb_problem *p, const abdb_gemm *g, uint64_t seed);
/* Inputs of f32 whose sums GELU and SiLU leave as they are, as they leave what is above 32: whole
 * numbers from 8 on. False: sums would not be exact, and nothing was changed. */
bool abdb_gemm_put_exact_positive_values(const abdb_problem *p, const abdb_gemm *g, uint64_t seed);
/* NaN, infinities and -0 in X; of copy denormals. Not of sums. */
void abdb_stream_put_edge_values(const abdb_problem *p, uint64_t seed);
/* A row each: a NaN, which the row (an activation: the element) becomes; softmax and cross entropy:
 * every other number -infinity, which counts nothing; all the same; all 0; activations: denormals,
 * +infinity, +-100. AdamW: second moments of 0 and about epsilon. */
void abdb_elementwise_put_edge_values(const abdb_problem *p, uint64_t seed);
/* i8 and i4, of every other seed: the least there is. */
void abdb_linear_put_edge_values(const abdb_problem *p, uint64_t seed);
/* Of every other seed only the first and the last row of each table. */
void abdb_embedding_put_edge_values(const abdb_problem *p, uint64_t seed);
/* Any bits: NaN, infinities, denormals. */
void abdb_gather_put_edge_values(const abdb_problem *p, uint64_t seed);
/* i8: the largest sums. */
void abdb_fma_put_edge_values(const abdb_problem *p, uint64_t seed);

#endif
