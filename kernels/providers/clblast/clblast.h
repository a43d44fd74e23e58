/* clblast.h - kernels by CLBlast on an OpenCL device: matrix products of f32 and f64. */
#ifndef ABDB_PROVIDERS_CLBLAST_H
#define ABDB_PROVIDERS_CLBLAST_H

#include "kernels/kernel.h"

extern const abdb_impl abdb_clblast_gemm;

#endif
