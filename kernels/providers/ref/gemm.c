/* gemm.c - the reference matrix product: portable C, one thread, three loops. bf16 sums in f32 and
 * rounds once; i8 sums in i32. Its times say what plain C costs; no other backend runs it in place
 * of its own. */
#include <string.h>

#include "kernels/providers/ref/ref.h"

/* Rows of B are added up one after another, so that memory is read in order. f32 and f64 sum in
 * their own format. */
#define PRODUCT(in, out, load_a, load_b)                                                   \
    do {                                                                                   \
        const in *a = (const in *)p->tensor[0].data + batch * m * k,                       \
                 *b = (const in *)p->tensor[1].data + batch * k * n;                       \
        out *c = (out *)p->tensor[2].data + batch * m * n;                                 \
                                                                                           \
        for (size_t i = 0; i < m; i++) {                                                   \
            for (size_t j = 0; j < n; j++) c[i * n + j] = 0;                               \
            for (size_t l = 0; l < k; l++)                                                 \
                for (size_t j = 0; j < n; j++)                                             \
                    c[i * n + j] += (out)load_a(a[i * k + l]) * (out)load_b(b[l * n + j]); \
        }                                                                                  \
    } while (0)
#define PLAIN(x) (x)

static void bf16_product(const abdb_problem *p, size_t batch, size_t m, size_t n, size_t k)
{
    const uint16_t *a = (const uint16_t *)p->tensor[0].data + batch * m * k,
                   *b = (const uint16_t *)p->tensor[1].data + batch * k * n;
    uint16_t *c = (uint16_t *)p->tensor[2].data + batch * m * n;

    for (size_t i = 0; i < m; i++)
        for (size_t j = 0; j < n; j++) {
            float sum = 0;

            for (size_t l = 0; l < k; l++)
                sum += abdb_bf16_value(a[i * k + l]) * abdb_bf16_value(b[l * n + j]);
            c[i * n + j] = abdb_bf16(sum);
        }
}

static abdb_status launch(void *state, abdb_error *err)
{
    const abdb_problem *p = state;
    const abdb_tensor *in = &p->tensor[0], *result = &p->tensor[2];
    size_t m = result->dim[result->rank - 2], n = result->dim[result->rank - 1],
           k = in->dim[in->rank - 1];

    (void)err;
    for (size_t batch = 0; batch < (result->rank == 3 ? result->dim[0] : 1); batch++)
        switch (in->dtype) {
        case ABDB_F64: PRODUCT(double, double, PLAIN, PLAIN); break;
        case ABDB_F32: PRODUCT(float, float, PLAIN, PLAIN); break;
        case ABDB_BF16: bf16_product(p, batch, m, n, k); break;
        default: PRODUCT(int8_t, int32_t, PLAIN, PLAIN);
        }
    return ABDB_OK;
}

static int accepts(const abdb_problem *p, const char **why_not)
{
    const char *weights = abdb_param_text(p, "weights");

    *why_not = "the reference packs nothing";
    return !weights || strcmp(weights, "packed") != 0;
}

const abdb_impl abdb_ref_gemm = {"gemm", "ref", accepts, NULL, launch, NULL, NULL};
