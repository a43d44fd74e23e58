/* gemm.c - the reference matrix product: portable C, one thread, three loops. It is the oracle's
 * speed, never fast, and never timed under another name. */
#include <stdlib.h>

#include "kernels/providers/ref/ref.h"

static int accepts(const abdb_problem *p, const char **why_not)
{
    (void)p, (void)why_not;
    return 1;
}

static abdb_status prepare(void **state, const abdb_problem *p, abdb_error *err)
{
    const abdb_problem **keep = malloc(sizeof *keep);

    if (!keep) return ABDB_FAIL(err, ABDB_NOMEM, "gemm");
    *keep = p;
    *state = keep;
    return ABDB_OK;
}

#define PRODUCT(type)                                                                       \
    do {                                                                                    \
        const type *a = p->tensor[0].data, *b = p->tensor[1].data;                          \
        type *c = p->tensor[2].data;                                                        \
                                                                                            \
        for (size_t i = 0; i < m; i++) {                                                    \
            for (size_t j = 0; j < n; j++) c[i * n + j] = 0;                                \
            for (size_t l = 0; l < k; l++)                                                  \
                for (size_t j = 0; j < n; j++) c[i * n + j] += a[i * k + l] * b[l * n + j]; \
        }                                                                                   \
    } while (0)

static void launch(void *state)
{
    const abdb_problem *p = *(const abdb_problem **)state;
    size_t m = p->tensor[2].dim[0], n = p->tensor[2].dim[1], k = p->tensor[0].dim[1];

    if (p->tensor[0].dtype == ABDB_F64)
        PRODUCT(double);
    else
        PRODUCT(float);
}

const abdb_impl abdb_ref_gemm = {"gemm", "ref", accepts, prepare, launch, NULL, free};
