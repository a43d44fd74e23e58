/* onednn.c - abdb-run-onednn: oneDNN on this machine's processors. */
#include <dnnl.h>
#include <omp.h>
#include <stdio.h>

#include "kernels/harness/harness.h"
#include "kernels/providers/onednn/onednn.h"

static const abdb_impl *const native[] = {&abdb_onednn_gemm, NULL};

static const char *library(void)
{
    static char text[128];
    const dnnl_version_t *v = dnnl_version();

    snprintf(text, sizeof text, "oneDNN %d.%d.%d %s", v->major, v->minor, v->patch, v->hash);
    return text;
}

static int threads(void)
{
    return omp_get_max_threads();
}

static const abdb_backend backend = {.name = "onednn",
                                     .summary = "oneDNN (OpenMP build)",
                                     .native = native,
                                     .library = library,
                                     .threads = threads};

int main(int argc, char **argv)
{
    return abdb_backend_main(&backend, argc, argv);
}
