/* gemm.c - the reference matrix product: portable C, one thread, three loops. bf16 and f16 sum in
 * f32 and round once; tf32, e4m3 and e5m2 sum in f32, i8 in i32. Its times say what plain C costs;
 * no other backend runs it in place of its own. */
#include <math.h>
#include <string.h>

#include "kernels/providers/ref/ref.h"

typedef struct {
    const abdb_problem *p;
    abdb_gemm g;
    /* From an element to the next: of A along M and K, of B along K and N. */
    size_t a_row, a_next, b_next, b_column;
} gemm_layout;

/* What follows the sum of column j. */
static double add_bias_and_activate(const gemm_layout *s, size_t j, double x)
{
    if (s->g.bias) x += abdb_tensor_get_f64(s->g.bias, j);
    switch (s->g.act) {
    case ABDB_ACT_RELU: return x < 0 ? 0 : x;
    case ABDB_ACT_GELU: return x / (1 + exp(-1.5957691216057308 * (x + 0.044715 * x * x * x)));
    case ABDB_ACT_SILU: return x / (1 + exp(-x));
    default: return x;
    }
}

/* Rows of B are added up one after another, so that memory is read in order (of transposed ones it
 * is not). f32 and f64 sum in their own format; sums of bytes wrap around, as what is added to
 * launch after launch will. */
#define PRODUCT(name, in, out, sum)                                                           \
    static void name(const gemm_layout *s, size_t batch)                                      \
    {                                                                                         \
        size_t m = s->g.m, n = s->g.n, k = s->g.k;                                            \
        const in *a = (const in *)s->p->tensor[0].data + batch * m * k,                       \
                 *b = (const in *)s->p->tensor[1].data + batch * k * n;                       \
        out *c = (out *)s->p->tensor[2].data + batch * m * n;                                 \
                                                                                              \
        for (size_t i = 0; i < m; i++, c += n) {                                              \
            for (size_t j = 0; j < n && !s->g.beta; j++) c[j] = 0;                            \
            for (size_t l = 0; l < k; l++)                                                    \
                for (size_t j = 0; j < n; j++)                                                \
                    c[j] = (out)((sum)c[j] + (sum)((out)a[i * s->a_row + l * s->a_next] *     \
                                                   (out)b[l * s->b_next + j * s->b_column])); \
            for (size_t j = 0; j < n && (s->g.bias || s->g.act); j++)                         \
                c[j] = (out)add_bias_and_activate(s, j, (double)c[j]);                        \
        }                                                                                     \
    }
PRODUCT(gemm_f64, double, double, double)
PRODUCT(gemm_f32, float, float, float)
PRODUCT(gemm_i8, int8_t, int32_t, uint32_t)

/* Any format whose sums are f32. */
static void gemm_any_dtype_f32_sums(const gemm_layout *s, size_t batch)
{
    const abdb_tensor *a = &s->p->tensor[0], *b = &s->p->tensor[1], *c = &s->p->tensor[2];
    size_t m = s->g.m, n = s->g.n, k = s->g.k;

    for (size_t i = 0; i < m; i++)
        for (size_t j = 0; j < n; j++) {
            size_t at = (batch * m + i) * n + j;
            float sum = 0;

            for (size_t l = 0; l < k; l++)
                sum +=
                    (float)abdb_tensor_get_f64(a, batch * m * k + i * s->a_row + l * s->a_next) *
                    (float)abdb_tensor_get_f64(b, batch * k * n + l * s->b_next + j * s->b_column);
            if (s->g.beta) sum += (float)abdb_tensor_get_f64(c, at);
            abdb_tensor_set_rounded(c, at, add_bias_and_activate(s, j, (double)sum));
        }
}

/* The part of x that bf16 holds, or what it holds of the rest. */
static float upper_bf16(float x)
{
    return abdb_bf16_to_f32(abdb_bf16_from_f32(x));
}

/* f32 by three products of bf16. */
static void gemm_f32_by_bf16x3(const gemm_layout *s, size_t batch)
{
    size_t m = s->g.m, n = s->g.n, k = s->g.k;
    const float *a = (const float *)s->p->tensor[0].data + batch * m * k,
                *b = (const float *)s->p->tensor[1].data + batch * k * n;
    float *c = (float *)s->p->tensor[2].data + batch * m * n;

    for (size_t i = 0; i < m; i++)
        for (size_t j = 0; j < n; j++, c++) {
            float sum = s->g.beta ? *c : 0;

            for (size_t l = 0; l < k; l++) {
                float x = a[i * s->a_row + l * s->a_next], y = b[l * s->b_next + j * s->b_column],
                      x1 = upper_bf16(x), x2 = upper_bf16(x - x1), y1 = upper_bf16(y),
                      y2 = upper_bf16(y - y1);

                sum += x1 * y2 + x2 * y1 + x1 * y1;
            }
            *c = (float)add_bias_and_activate(s, j, (double)sum);
        }
}

/* C = act(A B + beta C + bias) of each matrix of a batch, by the loops of its format. */
static abdb_status ref_gemm_launch(void *state, abdb_error *err)
{
    gemm_layout s = {.p = state, .g = abdb_gemm_from_problem(state)};

    (void)err;
    s.a_row = s.g.ta ? 1 : s.g.k;
    s.a_next = s.g.ta ? s.g.m : 1;
    s.b_next = s.g.tb ? 1 : s.g.n;
    s.b_column = s.g.tb ? s.g.k : 1;
    for (size_t batch = 0; batch < s.g.batch; batch++) switch (s.p->tensor[0].dtype) {
        case ABDB_F64: gemm_f64(&s, batch); break;
        case ABDB_F32: (s.g.bf16x3 ? gemm_f32_by_bf16x3 : gemm_f32)(&s, batch); break;
        case ABDB_I8: gemm_i8(&s, batch); break;
        default: gemm_any_dtype_f32_sums(&s, batch);
        }
    return ABDB_OK;
}

static int ref_gemm_accepts_unpacked(const abdb_problem *p, const char **why_not)
{
    *why_not = "the reference packs nothing";
    return !abdb_gemm_from_problem(p).packed;
}

const abdb_impl abdb_ref_gemm = {"gemm", "ref", ref_gemm_accepts_unpacked, NULL, ref_gemm_launch,
                                 NULL,   NULL};
