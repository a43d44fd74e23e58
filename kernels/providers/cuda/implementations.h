/* implementations.h - kernels of the CUDA backend: our own, and products by cuBLAS and cuBLASLt. */
#ifndef ABDB_PROVIDERS_CUDA_IMPLEMENTATIONS_H
#define ABDB_PROVIDERS_CUDA_IMPLEMENTATIONS_H

#include "kernels/kernel.h"

extern const abdb_impl abdb_cu_stream, abdb_cu_gather, abdb_cu_gemm, abdb_cu_gemm_lt,
    abdb_cu_elementwise, abdb_cu_embedding, abdb_cu_latency_impl, abdb_cu_gups_impl,
    abdb_cu_fma_impl, abdb_cu_attention_impl, abdb_cu_paged, abdb_cu_linear, abdb_cu_block_impl;

#endif
