/* block.h - a transformer block's pieces of memory, and small steps between its products. */
#ifndef ABDB_PROVIDERS_OPENCL_BLOCK_H
#define ABDB_PROVIDERS_OPENCL_BLOCK_H

#include "kernels/providers/opencl/flash_attention.h"
#include "kernels/providers/opencl/packed_gemm.h"

/* Matrices and vectors of parameters; where they begin is said in kernels/micro/block.c. */
enum { ABDB_CL_QKV, ABDB_CL_OUT, ABDB_CL_UP, ABDB_CL_DOWN, ABDB_CL_MATRICES };
enum {
    ABDB_CL_BQKV = 0,
    ABDB_CL_BO = 3,
    ABDB_CL_BFC = 4,
    ABDB_CL_BPR = 8,
    ABDB_CL_G1 = 9,
    ABDB_CL_B1,
    ABDB_CL_G2,
    ABDB_CL_B2
};

/* Elements of a piece; rows and pieces have one work-item, whatever the device: a block is made of
 * products. */
#define ABDB_CL_PIECE "-DCHUNK=16384"

/* All of f32: rows of d, of qkv 3 d, of f and g 4 d numbers. */
typedef struct {
    abdb_cl_job *job;
    const abdb_tensor *p;        /* parameters */
    abdb_cl_attention attention; /* of heads in qkv */
    size_t n, d;
    cl_mem x, n1, qkv, att, logarithm, h, n2, f, g, y;
} abdb_cl_block;

/* Rows of so many numbers of f32. */
ABDB_MUST_USE abdb_status abdb_cl_block_alloc_rows(abdb_cl_block *b, size_t columns, cl_mem *out,
                                                   abdb_error *err);
/* A format to f32 (widen) or back; so many rows of d. */
ABDB_MUST_USE abdb_status abdb_cl_block_add_widen_or_narrow(abdb_cl_block *b, bool widen,
                                                            abdb_dtype dtype, void *from, void *to,
                                                            abdb_error *err);
/* Where a matrix or a vector of parameters begins, in elements; its columns. */
size_t abdb_cl_block_matrix_offset(const abdb_cl_block *b, int which);
size_t abdb_cl_block_vector_offset(const abdb_cl_block *b, int which);
size_t abdb_cl_block_matrix_columns(const abdb_cl_block *b, int which);
/* Heads of a third of qkv: 0 queries, 1 keys, 2 values. */
abdb_cl_heads abdb_cl_block_qkv_heads(const abdb_cl_block *b, void *data, size_t which);
/* Heads of rows of d. */
abdb_cl_heads abdb_cl_block_contiguous_heads(const abdb_cl_block *b, void *data);
/* A kernel of groups of a row each, or of pieces of `elements`; options besides. */
abdb_cl_kernel_call abdb_cl_block_call_descriptor_group_per_row(const abdb_cl_block *b,
                                                                const char *file,
                                                                const char *function,
                                                                const char *options);
abdb_cl_kernel_call abdb_cl_block_call_descriptor_group_per_chunk(const char *file,
                                                                  const char *function,
                                                                  const char *options,
                                                                  size_t elements);
/* Forward, from x to y. */
ABDB_MUST_USE abdb_status abdb_cl_add_block_forward_kernels(abdb_cl_block *b, abdb_error *err);
/* Backward, from dY to dX and gradients (tensors of the problem), after forward. */
ABDB_MUST_USE abdb_status abdb_cl_add_block_backward_kernels(abdb_cl_block *b,
                                                             const abdb_tensor *dy,
                                                             const abdb_tensor *dx,
                                                             const abdb_tensor *dp,
                                                             abdb_error *err);

#endif
