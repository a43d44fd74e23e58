/* gemm.c - the reference matrix product: portable C, one thread, three loops. It is the oracle's
 * speed, never fast, and never timed under another name. bf16 sums in f32 and rounds once; i8 sums
 * in i32. */
#include "kernels/providers/ref/ref.h"

#define PRODUCT(in, out, load_a, load_b)                                                   \
    do {                                                                                   \
        const in *a = p->tensor[0].data, *b = p->tensor[1].data;                           \
        out *c = p->tensor[2].data;                                                        \
                                                                                           \
        for (size_t i = 0; i < m; i++) {                                                   \
            for (size_t j = 0; j < n; j++) c[i * n + j] = 0;                               \
            for (size_t l = 0; l < k; l++)                                                 \
                for (size_t j = 0; j < n; j++)                                             \
                    c[i * n + j] += (out)load_a(a[i * k + l]) * (out)load_b(b[l * n + j]); \
        }                                                                                  \
    } while (0)
#define PLAIN(x) (x)

static void bf16_product(const abdb_problem *p, size_t m, size_t n, size_t k)
{
    const uint16_t *a = p->tensor[0].data, *b = p->tensor[1].data;
    uint16_t *c = p->tensor[2].data;

    for (size_t i = 0; i < m; i++)
        for (size_t j = 0; j < n; j++) {
            float sum = 0;

            for (size_t l = 0; l < k; l++)
                sum += abdb_bf16_value(a[i * k + l]) * abdb_bf16_value(b[l * n + j]);
            c[i * n + j] = abdb_bf16(sum);
        }
}

static void launch(void *state)
{
    const abdb_problem *p = state;
    size_t m = p->tensor[2].dim[0], n = p->tensor[2].dim[1], k = p->tensor[0].dim[1];

    switch (p->tensor[0].dtype) {
    case ABDB_F64: PRODUCT(double, double, PLAIN, PLAIN); break;
    case ABDB_F32: PRODUCT(float, float, PLAIN, PLAIN); break;
    case ABDB_BF16: bf16_product(p, m, n, k); break;
    default: PRODUCT(int8_t, int32_t, PLAIN, PLAIN);
    }
}

const abdb_impl abdb_ref_gemm = {"gemm", "ref", NULL, NULL, launch, NULL, NULL};
