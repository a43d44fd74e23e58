/* openblas.c - abdb-run-openblas: BLAS calls on this machine's processors. */
#include <cblas.h>
#include <stdio.h>

#include "kernels/harness/harness.h"
#include "kernels/providers/openblas/openblas.h"

static const abdb_impl *const native[] = {&abdb_openblas_gemm, &abdb_openblas_stream, NULL};

static const char *library(void)
{
    return openblas_get_config();
}

static int threads(void)
{
    return openblas_get_num_threads();
}

static const abdb_backend backend = {.name = "openblas",
                                     .summary = "OpenBLAS (OpenMP build)",
                                     .native = native,
                                     .library = library,
                                     .threads = threads};

int main(int argc, char **argv)
{
    return abdb_backend_main(&backend, argc, argv);
}
