/* gemm.c - the reference matrix product: portable C, one thread, three loops. It is the oracle's
 * speed, never fast, and never timed under another name. */
#include "kernels/providers/ref/ref.h"

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
    const abdb_problem *p = state;
    size_t m = p->tensor[2].dim[0], n = p->tensor[2].dim[1], k = p->tensor[0].dim[1];

    if (p->tensor[0].dtype == ABDB_F64)
        PRODUCT(double);
    else
        PRODUCT(float);
}

const abdb_impl abdb_ref_gemm = {"gemm", "ref", NULL, NULL, launch, NULL, NULL};
