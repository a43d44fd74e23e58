/* ref.c - abdb-run-ref: the reference, portable C on one thread. Its numbers say what correct costs
 * when nobody tries; no other backend ever runs it. */
#include "kernels/harness/harness.h"
#include "kernels/providers/ref/ref.h"

static const abdb_impl *const native[] = {&abdb_ref_gemm,
                                          &abdb_ref_stream,
                                          &abdb_ref_fma,
                                          &abdb_ref_latency,
                                          &abdb_ref_gather,
                                          &abdb_ref_elementwise,
                                          &abdb_ref_attention,
                                          &abdb_ref_paged,
                                          &abdb_ref_embedding,
                                          &abdb_ref_gups,
                                          &abdb_ref_linear,
                                          &abdb_ref_block,
                                          NULL};

static int threads(void)
{
    return 1;
}

static const abdb_backend backend = {"ref", "portable C, one thread: the reference, never fast",
                                     native, NULL, threads};

int main(int argc, char **argv)
{
    return abdb_backend_main(&backend, argc, argv);
}
