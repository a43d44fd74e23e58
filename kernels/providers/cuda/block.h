/* block.h - a transformer block's pieces of memory, all of the problem's format, and small steps
 * between its products. */
#ifndef ABDB_PROVIDERS_CUDA_BLOCK_H
#define ABDB_PROVIDERS_CUDA_BLOCK_H

#include "kernels/providers/cuda/cu/kernel_args.h"
#include "kernels/providers/cuda/launch.h"

/* Matrices and vectors of parameters; where they begin is said in kernels/micro/block.c. */
enum { ABDB_CU_QKV, ABDB_CU_OUT, ABDB_CU_UP, ABDB_CU_DOWN };
enum {
    ABDB_CU_BQKV = 0,
    ABDB_CU_BO = 3,
    ABDB_CU_BFC = 4,
    ABDB_CU_BPR = 8,
    ABDB_CU_G1 = 9,
    ABDB_CU_B1,
    ABDB_CU_G2,
    ABDB_CU_B2
};

/* n rows of d; of qkv 3 d, of f and g 4 d; heads are `wide`. */
typedef struct {
    abdb_cu_job *job;
    const abdb_tensor *p; /* parameters */
    size_t n, d, sequence, heads;
    void *x, *n1, *qkv, *att, *h, *n2, *f, *g, *y;
    void *logarithm; /* f32 */
} abdb_cu_block;

/* Rows of so many numbers. */
ABDB_MUST_USE abdb_status abdb_cu_block_alloc_rows(abdb_cu_block *b, size_t columns, void **out,
                                                   abdb_error *err);
/* A matrix or a vector of parameters, or of a tensor like them; columns and rows of a matrix. */
void *abdb_cu_block_weight_matrix(const abdb_cu_block *b, const abdb_tensor *t, int which);
void *abdb_cu_block_weight_vector(const abdb_cu_block *b, const abdb_tensor *t, int which);
size_t abdb_cu_block_matrix_columns(const abdb_cu_block *b, int which);
size_t abdb_cu_block_matrix_rows(const abdb_cu_block *b, int which);
/* Heads of a third of qkv: 0 queries, 1 keys, 2 values; of rows of d. */
abdb_cu_heads abdb_cu_block_qkv_heads(const abdb_cu_block *b, void *data, size_t q_k_or_v);
abdb_cu_heads abdb_cu_block_contiguous_heads(const abdb_cu_block *b, void *data);
/* Forward, from x to y. */
ABDB_MUST_USE abdb_status abdb_cu_add_block_forward_steps(abdb_cu_block *b, abdb_error *err);
/* Backward, from dY to dX and gradients of parameters, after forward. */
ABDB_MUST_USE abdb_status abdb_cu_add_block_backward_steps(abdb_cu_block *b, const abdb_tensor *dy,
                                                           const abdb_tensor *dx,
                                                           const abdb_tensor *dp, abdb_error *err);

#endif
