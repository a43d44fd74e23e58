/* gemm.c - the matrix product by OpenBLAS: cblas_sgemm and cblas_dgemm, row-major, plain layouts;
 * a batch one after another. */
#include <cblas.h>
#include <string.h>

#include "kernels/providers/openblas/openblas.h"

static int accepts(const abdb_problem *p, const char **why_not)
{
    const char *weights = abdb_param_text(p, "weights");

    *why_not = "OpenBLAS packs in its products only";
    if (weights && strcmp(weights, "packed") == 0) return 0;
    *why_not = "OpenBLAS of Debian 12 has products of f32 and f64";
    return p->tensor[0].dtype == ABDB_F64 || p->tensor[0].dtype == ABDB_F32;
}

static abdb_status launch(void *state, abdb_error *err)
{
    const abdb_problem *p = state;
    const abdb_tensor *a = &p->tensor[0], *b = &p->tensor[1], *c = &p->tensor[2];
    blasint m = (blasint)c->dim[c->rank - 2], n = (blasint)c->dim[c->rank - 1],
            k = (blasint)a->dim[a->rank - 1];
    size_t batch = c->rank == 3 ? c->dim[0] : 1, ma = (size_t)m * (size_t)k,
           mb = (size_t)k * (size_t)n, mc = (size_t)m * (size_t)n;

    (void)err;
    for (size_t i = 0; i < batch; i++)
        if (a->dtype == ABDB_F64)
            cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, m, n, k, 1,
                        (const double *)a->data + i * ma, k, (const double *)b->data + i * mb, n, 0,
                        (double *)c->data + i * mc, n);
        else
            cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, m, n, k, 1,
                        (const float *)a->data + i * ma, k, (const float *)b->data + i * mb, n, 0,
                        (float *)c->data + i * mc, n);
    return ABDB_OK;
}

const char *abdb_openblas_core(void)
{
    return openblas_get_corename();
}

static const char *chosen(const void *state)
{
    (void)state;
    return abdb_openblas_core();
}

const abdb_impl abdb_openblas_gemm = {"gemm", "openblas", accepts, NULL, launch, chosen, NULL};
