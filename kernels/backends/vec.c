/* vec.c - abdb-run-vec: our own vector code on this machine's processors, OpenMP threads. */
#include <omp.h>

#include "kernels/harness/harness.h"
#include "kernels/providers/vec/vec.h"

static const abdb_impl *const native[] = {&abdb_vec_stream,
                                          &abdb_vec_fma,
                                          &abdb_vec_latency,
                                          &abdb_vec_gather,
                                          &abdb_vec_gemm,
                                          &abdb_vec_elementwise,
                                          &abdb_vec_attention_impl,
                                          &abdb_vec_paged,
                                          &abdb_vec_embedding,
                                          &abdb_vec_gups,
                                          &abdb_vec_linear_impl,
                                          &abdb_vec_block,
                                          NULL};

static int vec_thread_count(void)
{
    return omp_get_max_threads();
}

static const abdb_backend backend = {.name = "vec",
                                     .summary =
                                         "abdb's own vector code (AMX, AVX-512, AVX2 or plain)",
                                     .names = "isa blocks",
                                     .native = native,
                                     .threads = vec_thread_count,
                                     .parts = &abdb_vec_parts};

int main(int argc, char **argv)
{
    return abdb_backend_main(&backend, argc, argv);
}
