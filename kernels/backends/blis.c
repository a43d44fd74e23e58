/* blis.c - abdb-run-blis: BLIS on this machine's processors. */
#include <blis-openmp/blis.h>
#include <omp.h>
#include <stdio.h>

#include "kernels/harness/harness.h"
#include "kernels/providers/blis/blis.h"

static const abdb_impl *const native[] = {&abdb_blis_gemm, NULL};

static const char *blis_name_and_version(void)
{
    static char text[128];

    snprintf(text, sizeof text, "BLIS %s", bli_info_get_version_str());
    return text;
}

/* BLIS takes one thread unless it is told a number; omp_get_max_threads() does not reach it. */
static int blis_set_threads_to_openmp(void)
{
    bli_thread_set_num_threads(omp_get_max_threads());
    return omp_get_max_threads();
}

/* As of openblas.c: threads that OpenMP does not know are neither bound nor counted. */
static abdb_status blis_open_host_require_openmp_build(abdb_device **out, abdb_error *err)
{
    if (bli_info_get_enable_pthreads())
        return ABDB_FAIL(err, ABDB_BACKEND,
                         "this %s has threads of its own: apt-get install libblis4-openmp;"
                         " where it is installed beside others, update-alternatives --config"
                         " libblis.so.4-" ABDB_MULTIARCH " chooses it for all programs, and"
                         " LD_LIBRARY_PATH=/usr/lib/" ABDB_MULTIARCH "/blis-openmp for one",
                         blis_name_and_version());
    *out = abdb_init_host_device(blis_set_threads_to_openmp());
    return ABDB_OK;
}

static const abdb_backend backend = {.name = "blis",
                                     .summary = "BLIS (OpenMP build)",
                                     .native = native,
                                     .library = blis_name_and_version,
                                     .threads = blis_set_threads_to_openmp,
                                     .open = blis_open_host_require_openmp_build};

int main(int argc, char **argv)
{
    return abdb_backend_main(&backend, argc, argv);
}
