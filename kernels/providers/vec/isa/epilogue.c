/* epilogue.c - what follows the sums of a product: what was in C where it is rounded, a bias for
 * each column, an activation, and the rounding to C's format. A piece of C at a time, while it is
 * in the first or second level. */
#include "kernels/providers/vec/isa/isa.h"
#include "kernels/providers/vec/isa/math.h"

VEC_INLINE vec_f32 apply_activation(int act, vec_f32 v)
{
    switch (act) {
    case ABDB_ACT_RELU: return vec_max(vec_broadcast(0), v); /* this order: a NaN stays */
    case ABDB_ACT_GELU: return v / vec_one_plus_exp_minus(vec_gelu_argument(v));
    case ABDB_ACT_SILU: return v / vec_one_plus_exp_minus(v);
    default: return v;
    }
}

/* Rows of C whose format is rounded to from f32. */
#define FINISH(name, element, get, part, put, keep)                                             \
    static void name(const abdb_vec_gemm_call *s, const float *sums, size_t stride, size_t row, \
                     size_t rows, size_t left, size_t wide, bool add)                           \
    {                                                                                           \
        const element *bias = s->bias ? (const element *)s->bias + left : NULL;                 \
        const int act = s->act;                                                                 \
                                                                                                \
        for (size_t i = 0; i < rows; i++) {                                                     \
            const float *in = sums + i * stride;                                                \
            element *c = (element *)s->c + (row + i) * s->ldc + left;                           \
            size_t j = 0;                                                                       \
                                                                                                \
            for (; j + VEC_F32 <= wide; j += VEC_F32) {                                         \
                vec_f32 v = vec_load_f32(in + j);                                               \
                                                                                                \
                if (add) v += get(c + j);                                                       \
                if (bias) v += get(bias + j);                                                   \
                put(c + j, apply_activation(act, v), false);                                    \
            }                                                                                   \
            if (j < wide) {                                                                     \
                vec_f32 v = vec_load_part_f32(in + j, wide - j, 0);                             \
                                                                                                \
                if (add) v += part(c + j, wide - j, 0);                                         \
                if (bias) v += part(bias + j, wide - j, 0);                                     \
                keep(c + j, apply_activation(act, v), wide - j);                                \
            }                                                                                   \
        }                                                                                       \
    }

FINISH(epilogue_f32, float, vec_load_f32, vec_load_part_f32, vec_store_f32, vec_store_part_f32)
FINISH(epilogue_f16, uint16_t, vec_load_f16, vec_load_part_f16, vec_store_f16, vec_store_part_f16)
#if VEC_WIDTH == 64
VEC_WITH("avx512bf16")
FINISH(epilogue_bf16, uint16_t, vec_load_bf16, vec_load_part_bf16, vec_store_native_bf16,
       vec_store_part_bf16)
VEC_WITHOUT
#else
FINISH(epilogue_bf16, uint16_t, vec_load_bf16, vec_load_part_bf16, vec_store_bf16,
       vec_store_part_bf16)
#endif

/* Of f64 and of i32, which wraps around: no activation but ReLU. */
#define FINISH_PLAIN(name, type, sum)                                                          \
    static void name(const abdb_vec_gemm_call *s, const type *sums, size_t stride, size_t row, \
                     size_t rows, size_t left, size_t wide, bool add)                          \
    {                                                                                          \
        const type *bias = s->bias;                                                            \
                                                                                               \
        for (size_t i = 0; i < rows; i++) {                                                    \
            type *c = (type *)s->c + (row + i) * s->ldc + left;                                \
                                                                                               \
            for (size_t j = 0; j < wide; j++) {                                                \
                type x = (type)((sum)sums[i * stride + j] + (sum)(add ? c[j] : 0) +            \
                                (sum)(bias ? bias[left + j] : 0));                             \
                                                                                               \
                c[j] = s->act == ABDB_ACT_RELU && x < 0 ? 0 : x;                               \
            }                                                                                  \
        }                                                                                      \
    }
FINISH_PLAIN(epilogue_f64, double, double)
FINISH_PLAIN(epilogue_i32, int32_t, uint32_t)

void VEC(epilogue)(const abdb_vec_gemm_call *s, const void *sums, size_t stride, size_t row,
                   size_t rows, size_t left, size_t wide, bool add)
{
    switch (s->dtype) {
    case ABDB_F64: epilogue_f64(s, sums, stride, row, rows, left, wide, add); break;
    case ABDB_F32: epilogue_f32(s, sums, stride, row, rows, left, wide, add); break;
    case ABDB_F16: epilogue_f16(s, sums, stride, row, rows, left, wide, add); break;
    case ABDB_BF16: epilogue_bf16(s, sums, stride, row, rows, left, wide, add); break;
    default: epilogue_i32(s, sums, stride, row, rows, left, wide, add);
    }
}
