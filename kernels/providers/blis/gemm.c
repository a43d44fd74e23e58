/* gemm.c - the matrix product by BLIS: bli_sgemm and bli_dgemm, row-major, plain layouts. */
#include <blis-openmp/blis.h>
#include <string.h>

#include "kernels/providers/blis/blis.h"

static int accepts(const abdb_problem *p, const char **why_not)
{
    const char *weights = abdb_param_text(p, "weights");

    *why_not = "BLIS has no packed and no batched products here";
    if (p->tensor[0].rank == 3 || (weights && strcmp(weights, "packed") == 0)) return 0;
    *why_not = "BLIS has products of f32 and f64";
    return p->tensor[0].dtype == ABDB_F64 || p->tensor[0].dtype == ABDB_F32;
}

static abdb_status launch(void *state, abdb_error *err)
{
    const abdb_problem *p = state;
    const abdb_tensor *a = &p->tensor[0], *b = &p->tensor[1], *c = &p->tensor[2];
    dim_t m = (dim_t)c->dim[0], n = (dim_t)c->dim[1], k = (dim_t)a->dim[1];
    double one = 1, zero = 0;
    float one_f = 1, zero_f = 0;

    (void)err;
    if (a->dtype == ABDB_F64)
        bli_dgemm(BLIS_NO_TRANSPOSE, BLIS_NO_TRANSPOSE, m, n, k, &one, a->data, k, 1, b->data, n, 1,
                  &zero, c->data, n, 1);
    else
        bli_sgemm(BLIS_NO_TRANSPOSE, BLIS_NO_TRANSPOSE, m, n, k, &one_f, a->data, k, 1, b->data, n,
                  1, &zero_f, c->data, n, 1);
    return ABDB_OK;
}

const char *abdb_blis_arch(void)
{
    return bli_arch_string(bli_arch_query_id());
}

static const char *chosen(const void *state)
{
    (void)state;
    return abdb_blis_arch();
}

const abdb_impl abdb_blis_gemm = {"gemm", "blis", accepts, NULL, launch, chosen, NULL};
