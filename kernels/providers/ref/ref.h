/* ref.h - the reference implementations: portable C, one thread. */
#ifndef ABDB_PROVIDERS_REF_H
#define ABDB_PROVIDERS_REF_H

#include "kernels/kernel.h"

extern const abdb_impl abdb_ref_gemm, abdb_ref_stream, abdb_ref_fma, abdb_ref_latency,
    abdb_ref_gather;

#endif
