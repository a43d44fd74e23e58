/* blis.h - kernels by BLIS: matrix products of f32 and f64. */
#ifndef ABDB_PROVIDERS_BLIS_H
#define ABDB_PROVIDERS_BLIS_H

#include "kernels/kernel.h"

extern const abdb_impl abdb_blis_gemm;
/* The processor family that BLIS took this one for. */
const char *abdb_blis_arch_name(void);

#endif
