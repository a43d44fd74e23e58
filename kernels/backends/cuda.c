/* cuda.c - abdb-run-cuda: NVIDIA's devices, by our own kernels, cuBLAS and cuBLASLt. */
#include <stdio.h>

#include "kernels/harness/harness.h"
#include "kernels/providers/cuda/device.h"
#include "kernels/providers/cuda/implementations.h"

static const abdb_impl *const native[] = {&abdb_cu_stream,       &abdb_cu_gather,
                                          &abdb_cu_gemm,         &abdb_cu_gemm_lt,
                                          &abdb_cu_elementwise,  &abdb_cu_embedding,
                                          &abdb_cu_latency_impl, &abdb_cu_gups_impl,
                                          &abdb_cu_fma_impl,     &abdb_cu_attention_impl,
                                          &abdb_cu_paged,        &abdb_cu_linear,
                                          &abdb_cu_block_impl,   NULL};

static abdb_status cuda_open_device_and_store_device_list(abdb_device **out, abdb_error *err);

static abdb_backend backend = {.name = "cuda",
                               .summary = "NVIDIA devices, abdb's own kernels, cuBLAS and cuBLASLt",
                               .names = "graph",
                               .native = native,
                               .open = cuda_open_device_and_store_device_list};

/* Which devices there are is known when the driver was loaded. */
static abdb_status cuda_open_device_and_store_device_list(abdb_device **out, abdb_error *err)
{
    abdb_status st = abdb_cu_open_device(out, err);

    backend.devices = abdb_cu_selectable_device_lines();
    return st;
}

int main(int argc, char **argv)
{
    return abdb_backend_main(&backend, argc, argv);
}
