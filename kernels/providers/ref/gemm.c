/* gemm.c - the reference matrix product: portable C, one thread, three loops. bf16 and f16 sum in
 * f32 and round once; tf32, e4m3 and e5m2 sum in f32, i8 in i32. Its times say what plain C costs;
 * no other backend runs it in place of its own. */
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

/* Any format whose sums are f32. */
static void short_product(const abdb_problem *p, size_t batch, size_t m, size_t n, size_t k)
{
    const abdb_tensor *a = &p->tensor[0], *b = &p->tensor[1];

    for (size_t i = 0; i < m; i++)
        for (size_t j = 0; j < n; j++) {
            float sum = 0;

            for (size_t l = 0; l < k; l++)
                sum += (float)abdb_tensor_get(a, (batch * m + i) * k + l) *
                       (float)abdb_tensor_get(b, (batch * k + l) * n + j);
            abdb_tensor_set(&p->tensor[2], (batch * m + i) * n + j, (double)sum);
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
        case ABDB_I8: PRODUCT(int8_t, int32_t, PLAIN, PLAIN); break;
        default: short_product(p, batch, m, n, k);
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
