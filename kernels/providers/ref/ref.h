/* ref.h - the reference implementations: portable C, one thread. */
#ifndef ABDB_PROVIDERS_REF_H
#define ABDB_PROVIDERS_REF_H

#include "kernels/kernel.h"

extern const abdb_impl abdb_ref_gemm, abdb_ref_stream, abdb_ref_fma, abdb_ref_latency,
    abdb_ref_gather, abdb_ref_elementwise, abdb_ref_attention, abdb_ref_paged, abdb_ref_embedding,
    abdb_ref_gups, abdb_ref_linear, abdb_ref_block;

#endif
