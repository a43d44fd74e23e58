/* openblas.h - kernels that OpenBLAS computes. */
#ifndef ABDB_PROVIDERS_OPENBLAS_H
#define ABDB_PROVIDERS_OPENBLAS_H

#include "kernels/kernel.h"

extern const abdb_impl abdb_openblas_gemm, abdb_openblas_stream;
/* The kernels that OpenBLAS chose for this processor, such as "Haswell" or "SkylakeX". */
const char *abdb_openblas_core_name(void);

#endif
