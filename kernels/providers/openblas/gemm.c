/* gemm.c - the matrix product by OpenBLAS: cblas_sgemm and cblas_dgemm, row-major; a batch one
 * after another. */
#include <cblas.h>

#include "kernels/providers/openblas/openblas.h"

static int openblas_gemm_accepts_plain_f32_f64(const abdb_problem *p, const char **why_not)
{
    *why_not = "OpenBLAS packs in its products only";
    if (abdb_gemm_from_problem(p).packed) return 0;
    *why_not = "OpenBLAS has no epilogues of a product";
    if (abdb_gemm_has_bias_or_activation(p)) return 0;
    *why_not = "OpenBLAS of Debian 12 has products of f32 and f64";
    return p->tensor[0].dtype == ABDB_F64 || p->tensor[0].dtype == ABDB_F32;
}

/* C = A B + beta C of each matrix of a batch by cblas_sgemm or cblas_dgemm. */
static abdb_status openblas_gemm_launch(void *state, abdb_error *err)
{
    const abdb_problem *p = state;
    const abdb_tensor *a = &p->tensor[0], *b = &p->tensor[1], *c = &p->tensor[2];
    abdb_gemm g = abdb_gemm_from_problem(p);
    blasint m = (blasint)g.m, n = (blasint)g.n, k = (blasint)g.k, lda = g.ta ? m : k,
            ldb = g.tb ? k : n;
    CBLAS_TRANSPOSE ta = g.ta ? CblasTrans : CblasNoTrans, tb = g.tb ? CblasTrans : CblasNoTrans;
    size_t ma = g.m * g.k, mb = g.k * g.n, mc = g.m * g.n;

    (void)err;
    for (size_t i = 0; i < g.batch; i++)
        if (a->dtype == ABDB_F64)
            cblas_dgemm(CblasRowMajor, ta, tb, m, n, k, 1, (const double *)a->data + i * ma, lda,
                        (const double *)b->data + i * mb, ldb, g.beta, (double *)c->data + i * mc,
                        n);
        else
            cblas_sgemm(CblasRowMajor, ta, tb, m, n, k, 1, (const float *)a->data + i * ma, lda,
                        (const float *)b->data + i * mb, ldb, g.beta, (float *)c->data + i * mc, n);
    return ABDB_OK;
}

const char *abdb_openblas_core_name(void)
{
    return openblas_get_corename();
}

static const char *openblas_gemm_chosen_core(const void *state)
{
    (void)state;
    return abdb_openblas_core_name();
}

const abdb_impl abdb_openblas_gemm = {
    "gemm", "openblas",           openblas_gemm_accepts_plain_f32_f64,
    NULL,   openblas_gemm_launch, openblas_gemm_chosen_core,
    NULL};
