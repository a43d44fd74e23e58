/* opencl.c - abdb-run-opencl: a device that OpenCL knows, by our own kernels and CLBlast's. */
#include <stdio.h>

#include "kernels/harness/harness.h"
#ifdef ABDB_WITH_clblast
#include "kernels/providers/clblast/clblast.h"
#endif
#include "kernels/providers/opencl/device_selection.h"
#include "kernels/providers/opencl/opencl.h"

static const abdb_impl *const native[] = {&abdb_cl_stream,      &abdb_cl_fma,
                                          &abdb_cl_latency,     &abdb_cl_gather,
                                          &abdb_cl_gemm,
#ifdef ABDB_WITH_clblast
                                          &abdb_clblast_gemm,
#endif
                                          &abdb_cl_elementwise, &abdb_cl_attention_impl,
                                          &abdb_cl_paged,       &abdb_cl_embedding,
                                          &abdb_cl_gups,        &abdb_cl_linear,
                                          &abdb_cl_block_impl,  NULL};

static abdb_backend backend = {
    .name = "opencl",
    .summary = "OpenCL devices (processors by PoCL, GPUs), abdb's own kernels and CLBlast",
    .names = "local tiles",
    .native = native,
    .open = abdb_cl_open_device,
    .parts = &abdb_cl_parts};

int main(int argc, char **argv)
{
    backend.devices = abdb_cl_selectable_device_lines();
    return abdb_backend_main(&backend, argc, argv);
}
