/* onednn.h - kernels by oneDNN on processors: matrix products of f32, bf16 and bytes. */
#ifndef ABDB_PROVIDERS_ONEDNN_H
#define ABDB_PROVIDERS_ONEDNN_H

#include "kernels/kernel.h"

extern const abdb_impl abdb_onednn_gemm;

#endif
