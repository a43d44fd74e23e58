/* ceilings.c - the kernels that find a machine's ceilings (fused multiply-adds, dependent loads,
 * vectors by index, random updates) in portable C on one thread. The formulas stand in
 * kernels/micro/. */
#include <string.h>

#include "kernels/providers/ref/ref.h"

/* n steps of z = (1 - 2^-12) z + 2^-13 on each element. */
#define STEPS(type)                                                   \
    do {                                                              \
        const type *x = p->tensor[0].data, a = (type)(1 - 0x1p-12);   \
        type *z = p->tensor[2].data;                                  \
                                                                      \
        for (size_t i = 0; i < width; i++) {                          \
            type v = x[i];                                            \
                                                                      \
            for (size_t s = 0; s < n; s++) v = a * v + (type)0x1p-13; \
            z[i] = v;                                                 \
        }                                                             \
    } while (0)

/* z = n steps of micro/fma.c, one element after another; sums of bf16 and i8 in f32 and i32, of
 * f16 in f16. */
static abdb_status ref_fma_chains_launch(void *state, abdb_error *err)
{
    const abdb_problem *p = state;
    size_t width = p->tensor[2].dim[0], n = (size_t)abdb_param_number(p, "n", 1);

    (void)err;
    if (p->tensor[0].dtype == ABDB_F64)
        STEPS(double);
    else if (p->tensor[0].dtype == ABDB_F32)
        STEPS(float);
    else if (p->tensor[0].dtype == ABDB_BF16) {
        const uint16_t *x = p->tensor[0].data, *y = p->tensor[1].data;
        float *z = p->tensor[2].data;

        for (size_t i = 0; i < width; i++) {
            volatile float sum = 0; /* each step is done: no closed form */

            for (size_t s = 0; s < n; s++)
                for (size_t j = 0; j < 2; j++)
                    sum += abdb_bf16_to_f32(x[2 * i + j]) * abdb_bf16_to_f32(y[2 * (i % 16) + j]);
            z[i] = sum;
        }
    } else if (p->tensor[0].dtype == ABDB_F16) {
        const uint16_t *x = p->tensor[0].data, *y = p->tensor[1].data;
        uint16_t *z = p->tensor[2].data;

        for (size_t i = 0; i < width; i++) {
            volatile uint16_t sum = 0;

            for (size_t s = 0; s < n; s++)
                sum = abdb_f16_from_f32(abdb_f16_to_f32(x[i]) * abdb_f16_to_f32(y[i % 16]) +
                                        abdb_f16_to_f32(sum));
            z[i] = sum;
        }
    } else {
        const int8_t *x = p->tensor[0].data, *y = p->tensor[1].data;
        int32_t *z = p->tensor[2].data;

        for (size_t i = 0; i < width; i++) {
            volatile int32_t sum = 0;

            for (size_t s = 0; s < n; s++)
                for (size_t j = 0; j < 4; j++) sum += x[4 * i + j] * y[4 * (i % 16) + j];
            z[i] = sum;
        }
    }
    return ABDB_OK;
}

/* END = NEXT[... NEXT[0]], `hops` times. */
static abdb_status ref_latency_pointer_chase_launch(void *state, abdb_error *err)
{
    const abdb_problem *p = state;
    const int32_t *next = p->tensor[0].data;
    int32_t at = 0;

    (void)err;
    for (size_t i = (size_t)abdb_param_number(p, "hops", 1); i > 0; i--) at = next[at];
    *(int32_t *)p->tensor[1].data = at;
    return ABDB_OK;
}

/* OUT[i] = TABLE[INDEX[i]], or of a scatter OUT[INDEX[i]] = TABLE[i], rows of `width` numbers. */
static abdb_status ref_gather_or_scatter_launch(void *state, abdb_error *err)
{
    const abdb_problem *p = state;
    const int32_t *index = p->tensor[1].data;
    const float *in = p->tensor[0].data;
    float *out = p->tensor[2].data;
    size_t width = p->tensor[0].dim[1], count = p->tensor[1].dim[0];
    const char *op = abdb_param_text(p, "op");
    int scatter = op && strcmp(op, "scatter") == 0;

    (void)err;
    for (size_t i = 0; i < count; i++)
        memcpy(out + (scatter ? (size_t)index[i] : i) * width,
               in + (scatter ? i : (size_t)index[i]) * width, width * sizeof *in);
    return ABDB_OK;
}

/* Each part: word[r mod words] ^= r for its sequence of random numbers r. */
static abdb_status ref_gups_random_xor_launch(void *state, abdb_error *err)
{
    const abdb_problem *p = state;
    size_t parts = (size_t)abdb_param_number(p, "parts", 1), words = p->tensor[0].dim[0] / parts,
           updates = (size_t)abdb_param_number(p, "updates", 1) / parts;

    (void)err;
    for (size_t part = 0; part < parts; part++) {
        uint64_t *word = (uint64_t *)p->tensor[0].data + part * words;
        uint64_t random = 0x9E3779B97F4A7C15u * (part + 1);

        for (size_t i = 0; i < updates; i++) {
            uint64_t next = abdb_xorshift64_next(&random);

            word[next % words] ^= next;
        }
    }
    return ABDB_OK;
}

const abdb_impl abdb_ref_gups = {"gups", "ref", NULL, NULL, ref_gups_random_xor_launch, NULL, NULL};
const abdb_impl abdb_ref_fma = {"fma", "ref", NULL, NULL, ref_fma_chains_launch, NULL, NULL};
const abdb_impl abdb_ref_latency = {"latency", "ref", NULL, NULL, ref_latency_pointer_chase_launch,
                                    NULL,      NULL};
const abdb_impl abdb_ref_gather = {"gather", "ref", NULL, NULL, ref_gather_or_scatter_launch,
                                   NULL,     NULL};
