/* gemm.c - the matrix product by BLIS: bli_sgemm and bli_dgemm, row-major. */
#include <blis-openmp/blis.h>

#include "kernels/providers/blis/blis.h"

/* 1: BLIS has this product (f32, f64, one at a time); else 0 and *why_not. */
static int blis_gemm_accepts_plain_f32_f64(const abdb_problem *p, const char **why_not)
{
    abdb_gemm g = abdb_gemm_from_problem(p);

    *why_not = "BLIS has no packed and no batched products here";
    if (p->tensor[0].rank == 3 || g.packed) return 0;
    *why_not = "BLIS has no epilogues of a product";
    if (abdb_gemm_has_bias_or_activation(p)) return 0;
    *why_not = "BLIS has products of f32 and f64";
    return p->tensor[0].dtype == ABDB_F64 || p->tensor[0].dtype == ABDB_F32;
}

/* C = A B + beta C by bli_sgemm or bli_dgemm, row by row: M x K, K x N, M x N, or transposed. */
static abdb_status blis_gemm_launch(void *state, abdb_error *err)
{
    const abdb_problem *p = state;
    const abdb_tensor *a = &p->tensor[0], *b = &p->tensor[1], *c = &p->tensor[2];
    abdb_gemm g = abdb_gemm_from_problem(p);
    dim_t m = (dim_t)g.m, n = (dim_t)g.n, k = (dim_t)g.k, lda = g.ta ? m : k, ldb = g.tb ? k : n;
    trans_t ta = g.ta ? BLIS_TRANSPOSE : BLIS_NO_TRANSPOSE,
            tb = g.tb ? BLIS_TRANSPOSE : BLIS_NO_TRANSPOSE;
    double one = 1, beta = g.beta;
    float one_f = 1, beta_f = g.beta;

    (void)err;
    if (a->dtype == ABDB_F64)
        bli_dgemm(ta, tb, m, n, k, &one, a->data, lda, 1, b->data, ldb, 1, &beta, c->data, n, 1);
    else
        bli_sgemm(ta, tb, m, n, k, &one_f, a->data, lda, 1, b->data, ldb, 1, &beta_f, c->data, n,
                  1);
    return ABDB_OK;
}

const char *abdb_blis_arch_name(void)
{
    return bli_arch_string(bli_arch_query_id());
}

static const char *blis_gemm_chosen_arch(const void *state)
{
    (void)state;
    return abdb_blis_arch_name();
}

const abdb_impl abdb_blis_gemm = {"gemm", "blis",           blis_gemm_accepts_plain_f32_f64,
                                  NULL,   blis_gemm_launch, blis_gemm_chosen_arch,
                                  NULL};
