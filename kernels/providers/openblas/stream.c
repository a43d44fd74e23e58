/* stream.c - what of STREAM is a BLAS call: copy (xCOPY) and dot (xDOT). Scale, add and triad write
 * a third array, which no single BLAS call does, so they are rows "not-implemented". */
#include <cblas.h>
#include <string.h>

#include "kernels/providers/openblas/openblas.h"

/* 1: the operation is one BLAS call, copy or dot; else 0 and *why_not. */
static int openblas_copy_dot_accepts(const abdb_problem *p, const char **why_not)
{
    const char *op = abdb_param_text(p, "op"), *stores = abdb_param_text(p, "stores");

    *why_not = "a BLAS call is one pass with the stores that the library has";
    if (abdb_param_text(p, "unroll") || abdb_param_text(p, "grain") ||
        abdb_param_number(p, "repeat", 1) > 1 || (stores && strcmp(stores, "plain") != 0))
        return 0;
    *why_not = "no single BLAS call writes a third array";
    if (p->tensor[0].dim[0] > (size_t)1 << 30) {
        *why_not = "more elements than a BLAS integer counts";
        return 0;
    }
    return op && (strcmp(op, "copy") == 0 || strcmp(op, "dot") == 0);
}

/* Z = X by cblas_copy, or Z = X . Y by cblas_dot, over n elements. */
static abdb_status openblas_copy_dot_launch(void *state, abdb_error *err)
{
    const abdb_problem *p = state;
    const abdb_tensor *x = &p->tensor[0], *y = &p->tensor[1], *z = &p->tensor[2];
    blasint n = (blasint)x->dim[0];
    int copy = abdb_param_text_equals(p, "op", "copy");

    (void)err;
    if (copy && x->dtype == ABDB_F64)
        cblas_dcopy(n, x->data, 1, z->data, 1);
    else if (copy)
        cblas_scopy(n, x->data, 1, z->data, 1);
    else if (x->dtype == ABDB_F64)
        *(double *)z->data = cblas_ddot(n, x->data, 1, y->data, 1);
    else
        *(float *)z->data = cblas_sdot(n, x->data, 1, y->data, 1);
    return ABDB_OK;
}

static const char *openblas_copy_dot_chosen_core(const void *state)
{
    (void)state;
    return abdb_openblas_core_name();
}

const abdb_impl abdb_openblas_stream = {"stream",
                                        "openblas",
                                        openblas_copy_dot_accepts,
                                        NULL,
                                        openblas_copy_dot_launch,
                                        openblas_copy_dot_chosen_core,
                                        NULL};
