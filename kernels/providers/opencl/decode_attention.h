/* decode_attention.h - attention of one new token of each request over pages of keys and values. */
#ifndef ABDB_PROVIDERS_OPENCL_DECODE_H
#define ABDB_PROVIDERS_OPENCL_DECODE_H

#include "kernels/providers/opencl/job.h"

/* Tensors as those of kernels/micro/paged.c. Without pages (index NULL) request b has one page, b,
 * of `block` tokens. width: pages of a request in index; table: all of them are read, whether they
 * are used or not. logarithm: of each row's sum, or NULL. */
typedef struct {
    void *q, *k, *v, *index, *length, *o, *logarithm;
    abdb_dtype dtype;
    size_t batch, heads, kv_heads, d, block, width;
    bool table;
} abdb_cl_decode_attention;
ABDB_MUST_USE abdb_status abdb_cl_add_decode_attention_kernel(abdb_cl_job *job,
                                                              const abdb_cl_decode_attention *of,
                                                              abdb_error *err);

#endif
