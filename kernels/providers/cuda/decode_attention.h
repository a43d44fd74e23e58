/* decode_attention.h - attention of one new token of each request, as part of a job. */
#ifndef ABDB_PROVIDERS_CUDA_DECODE_H
#define ABDB_PROVIDERS_CUDA_DECODE_H

#include "kernels/providers/cuda/cu/kernel_args.h"
#include "kernels/providers/cuda/launch.h"

/* Adds O of requests of `tokens` at most; splits, chunk, part and scale are set here. */
ABDB_MUST_USE abdb_status abdb_cu_add_split_kv_decode_attention(abdb_cu_job *job, abdb_dtype dtype,
                                                                const abdb_cu_decode_attention *of,
                                                                size_t tokens, abdb_error *err);

#endif
