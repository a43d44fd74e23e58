/* opencl.h - implementations of the OpenCL backend, with our own kernels and with CLBlast's. */
#ifndef ABDB_PROVIDERS_OPENCL_H
#define ABDB_PROVIDERS_OPENCL_H

#include "kernels/kernel.h"

extern const abdb_impl abdb_cl_stream, abdb_cl_gather, abdb_cl_gups, abdb_cl_latency, abdb_cl_fma,
    abdb_cl_embedding, abdb_cl_gemm, abdb_cl_elementwise, abdb_cl_attention_impl, abdb_cl_paged,
    abdb_cl_linear, abdb_cl_block_impl;
extern const struct abdb_parts abdb_cl_parts;
extern const struct abdb_decoder abdb_cl_decoder;

#endif
