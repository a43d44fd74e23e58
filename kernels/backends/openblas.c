/* openblas.c - abdb-run-openblas: BLAS calls on this machine's processors. */
#include <cblas.h>
#include <stdio.h>

#include "kernels/harness/harness.h"
#include "kernels/providers/openblas/openblas.h"

static const abdb_impl *const native[] = {&abdb_openblas_gemm, &abdb_openblas_stream, NULL};

static const char *openblas_config_text(void)
{
    return openblas_get_config();
}

static int openblas_thread_count(void)
{
    return openblas_get_num_threads();
}

/* The pthread build is refused: its threads would run beside those of OpenMP, unbound to
 * processors, and threads() would not tell how many really work. */
static abdb_status openblas_open_host_require_openmp_build(abdb_device **out, abdb_error *err)
{
    if (openblas_get_parallel() == OPENBLAS_THREAD)
        return ABDB_FAIL(
            err, ABDB_BACKEND,
            "this OpenBLAS (%s) has threads of its own: apt-get install libopenblas0-openmp;"
            " where it is installed beside others, update-alternatives --config"
            " libopenblas.so.0-" ABDB_MULTIARCH " chooses it for all programs, and"
            " LD_LIBRARY_PATH=/usr/lib/" ABDB_MULTIARCH "/openblas-openmp for one",
            openblas_get_config());
    *out = abdb_init_host_device(openblas_thread_count());
    return ABDB_OK;
}

static const abdb_backend backend = {.name = "openblas",
                                     .summary = "OpenBLAS (OpenMP build)",
                                     .native = native,
                                     .library = openblas_config_text,
                                     .threads = openblas_thread_count,
                                     .open = openblas_open_host_require_openmp_build};

int main(int argc, char **argv)
{
    return abdb_backend_main(&backend, argc, argv);
}
