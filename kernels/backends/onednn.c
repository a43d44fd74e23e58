/* onednn.c - abdb-run-onednn: oneDNN on this machine's processors. */
#include <dnnl.h>
#include <omp.h>
#include <stdio.h>

#include "kernels/harness/harness.h"
#include "kernels/providers/onednn/onednn.h"

static const abdb_impl *const native[] = {&abdb_onednn_gemm, NULL};

static const char *onednn_name_and_version(void)
{
    static char text[128];
    const dnnl_version_t *v = dnnl_version();

    snprintf(text, sizeof text, "oneDNN %d.%d.%d %s", v->major, v->minor, v->patch, v->hash);
    return text;
}

static int onednn_thread_count(void)
{
    return omp_get_max_threads();
}

/* As of openblas.c: threads that OpenMP does not know are neither bound nor counted. */
static abdb_status onednn_open_host_require_openmp_build(abdb_device **out, abdb_error *err)
{
    if (dnnl_version()->cpu_runtime != DNNL_RUNTIME_OMP)
        return ABDB_FAIL(err, ABDB_BACKEND,
                         "this %s has threads of its own; install an OpenMP build (libdnnl2)",
                         onednn_name_and_version());
    *out = abdb_init_host_device(onednn_thread_count());
    return ABDB_OK;
}

static const abdb_backend backend = {.name = "onednn",
                                     .summary = "oneDNN (OpenMP build)",
                                     .native = native,
                                     .library = onednn_name_and_version,
                                     .threads = onednn_thread_count,
                                     .open = onednn_open_host_require_openmp_build};

int main(int argc, char **argv)
{
    return abdb_backend_main(&backend, argc, argv);
}
