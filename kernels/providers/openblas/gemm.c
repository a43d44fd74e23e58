/* gemm.c - the matrix product by OpenBLAS: cblas_sgemm and cblas_dgemm, row-major, plain layouts.
 */
#include <cblas.h>
#include "kernels/providers/openblas/openblas.h"

static int accepts(const abdb_problem *p, const char **why_not)
{
    *why_not = "OpenBLAS of Debian 12 has products of f32 and f64";
    return p->tensor[0].dtype == ABDB_F64 || p->tensor[0].dtype == ABDB_F32;
}

static void launch(void *state)
{
    const abdb_problem *p = state;
    const abdb_tensor *a = &p->tensor[0], *b = &p->tensor[1], *c = &p->tensor[2];
    blasint m = (blasint)c->dim[0], n = (blasint)c->dim[1], k = (blasint)a->dim[1];

    if (a->dtype == ABDB_F64)
        cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, m, n, k, 1, a->data, k, b->data, n,
                    0, c->data, n);
    else
        cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, m, n, k, 1, a->data, k, b->data, n,
                    0, c->data, n);
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
