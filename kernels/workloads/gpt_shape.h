/* gpt_shape.h - the shapes of GPT-like networks, the places of parameters, and the work of a step.
 *
 * A network is layers of GPT-2 (Radford et al. 2019): x += attention(norm(x)) Wo,
 * x += gelu(norm(x) Wfc) Wpr, with learned positions, a last norm, and the table of tokens as the
 * last matrix; without biases where a family has none (MPT). Parameters lie in one piece, matrices
 * first, since weight decay is for matrices only.
 */
#ifndef ABDB_WORKLOADS_GPT_SHAPE_H
#define ABDB_WORKLOADS_GPT_SHAPE_H

#include "kernels/kernel.h"

typedef struct {
    size_t layers, d, heads, vocabulary, sequence; /* d: width; heads of d / heads */
    size_t micro, accumulation;                    /* sequences at a time; times before an update */
    size_t ranks;                                  /* that each do so many; 0 counts as 1 */
    abdb_dtype dtype;
    bool bias, recompute;
    bool overlap;    /* gradients of a layer are added up among ranks while others are made */
    double sparsity; /* share of the weights of layers that is held at 0 */
} abdb_gpt_shape;

/* Fills defaults of parameters. ABDB_USAGE. */
ABDB_MUST_USE abdb_status abdb_gpt_parse_and_scale_shape(abdb_problem *p, abdb_gpt_shape *out,
                                                         abdb_error *err);

/* Elements from the first parameter on. */
enum { ABDB_GPT_QKV, ABDB_GPT_OUT, ABDB_GPT_UP, ABDB_GPT_DOWN, ABDB_GPT_MATRICES };
enum {
    ABDB_GPT_GAIN1,
    ABDB_GPT_SHIFT1,
    ABDB_GPT_BQKV,
    ABDB_GPT_BOUT,
    ABDB_GPT_GAIN2,
    ABDB_GPT_SHIFT2,
    ABDB_GPT_BUP,
    ABDB_GPT_BDOWN,
    ABDB_GPT_VECTORS
};
size_t abdb_gpt_positions_offset(const abdb_gpt_shape *s); /* where they begin; tokens begin at 0 */
size_t abdb_gpt_matrix_offset(const abdb_gpt_shape *s, size_t layer, int which);
size_t abdb_gpt_vector_offset(const abdb_gpt_shape *s, size_t layer, int which);
size_t
abdb_gpt_last_norm_gain_offset(const abdb_gpt_shape *s); /* of the last norm; its shift follows */
size_t abdb_gpt_element_count_before_vectors(
    const abdb_gpt_shape *s); /* elements of tables and matrices */
size_t abdb_gpt_parameter_count(const abdb_gpt_shape *s);
/* Is the vector one that a network without biases does not have? */
bool abdb_gpt_vector_is_bias(int vector);

/* Ranks, at least 1. */
size_t abdb_gpt_rank_count(const abdb_gpt_shape *s);

/* Operations that a step needs, of all ranks together: 6 for each weight of a matrix (tokens' table
 * once) and token; of attention 12 d for each query and key that it sees, and layer. Bytes: weights
 * read forward and backward, gradients written and read, weights, moments and master weights read
 * and written. */
void abdb_gpt_count_work(const abdb_gpt_shape *s, abdb_work *out);

#endif
