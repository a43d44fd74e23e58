/* flash_attention.h - attention of heads in blocks, as parts of a job. */
#ifndef ABDB_PROVIDERS_OPENCL_HEADS_H
#define ABDB_PROVIDERS_OPENCL_HEADS_H

#include "kernels/providers/opencl/job.h"

/* Rows of heads: row r of head h of batch b is at first + b batch + h head + r row, in elements. */
typedef struct {
    void *data;
    abdb_dtype dtype;
    size_t first, batch, head, row;
} abdb_cl_heads;

typedef struct {
    size_t batch, heads, kv_heads, queries, keys, d;
    int causal;
} abdb_cl_attention;

/* Adds O and L (batch x heads x queries, f32) of Q, K, V. */
ABDB_MUST_USE abdb_status abdb_cl_add_f32_copies_and_flash_forward(
    abdb_cl_job *job, const abdb_cl_attention *s, const abdb_cl_heads *q, const abdb_cl_heads *k,
    const abdb_cl_heads *v, const abdb_cl_heads *o, void *logarithm, abdb_error *err);
/* What backward reads and writes. */
typedef struct {
    abdb_cl_heads q, k, v, o, d_o, dq, dk, dv;
    void *logarithm;
} abdb_cl_attention_backward;
/* Adds dQ, dK and dV. */
ABDB_MUST_USE abdb_status
abdb_cl_add_f32_copies_and_flash_backward(abdb_cl_job *job, const abdb_cl_attention *s,
                                          const abdb_cl_attention_backward *of, abdb_error *err);

#endif
