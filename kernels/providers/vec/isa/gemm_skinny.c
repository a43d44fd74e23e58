/* gemm_skinny.c - products of few rows: each element of B is used once a row, so B is read where it
 * lies, row by row, and nothing is packed. DEEP rows of B are added to a piece of sums that stays
 * in the first level; those of bf16 and f16 are kept in f32 and rounded once, those of bytes in f32
 * as long as they are exact there.
 *
 * Bound by the bytes of B: with m rows a vector of B costs m multiply-adds, a memory of 20 GB/s a
 * core is full up to some 16 of them. */
#include <string.h>

#include "kernels/providers/vec/isa/isa.h"
#include "kernels/providers/vec/isa/math.h"

/* PIECE_BYTES: m rows of sums, half of a first level of 32 KiB; whole lines, never none: with m up
 * to VEC_FEW at least 128 columns. */
enum { DEEP = 8, PIECE_BYTES = 16 << 10, LINE = 64, AHEAD = 1024 };
/* So many products of bytes f32 adds up without rounding: 2^10 x 2^14. */
enum { EXACT = 1024 };

#define FEW_ALWAYS static inline __attribute__((always_inline))

/* Sums of a piece of columns to where they belong; `last`: the last of them. Bytes are added up in
 * C, a part at a time. */
static void apply_epilogue_or_add_i8_sums_to_c(const abdb_vec_gemm_call *s, const void *sums,
                                               size_t row, size_t from, size_t wide, bool first,
                                               bool last)
{
    const float *in = sums;

    if (s->dtype != ABDB_I8) {
        if (last) VEC(epilogue)(s, sums, row, 0, s->m, from, wide, s->beta);
        return;
    }
    for (size_t i = 0; i < s->m; i++) {
        int32_t *c = (int32_t *)s->c + i * s->ldc + from;

        for (size_t j = 0; j < wide; j++)
            c[j] = (int32_t)((uint32_t)(int32_t)in[i * row + j] +
                             (first && !s->beta ? 0 : (uint32_t)c[j]));
    }
    if (last && (s->bias || s->act))
        VEC(epilogue)(s, (int32_t *)s->c + from, s->ldc, 0, s->m, from, wide, false);
}

/* c (m x wide, rows ldc apart) += a (m x deep, rows DEEP apart) x b (deep x wide, rows ldb apart):
 * `add` is false at the first step; `ahead` bytes further on in b are asked for. deep is a constant
 * where it is inlined. */
#define FEW_STEP(name, type, stored, vector, lanes, load, one, most)                              \
    FEW_ALWAYS void name(size_t m, size_t wide, const type *a, const stored *b, size_t ldb,       \
                         type *c, size_t ldc, bool add, size_t ahead, const size_t deep)          \
    {                                                                                             \
        size_t j = 0;                                                                             \
                                                                                                  \
        for (; j + (lanes) <= wide; j += (lanes)) {                                               \
            vector in[DEEP];                                                                      \
                                                                                                  \
            _Pragma("GCC unroll 8") for (size_t k = 0; k < deep; k++)                             \
            {                                                                                     \
                in[k] = load(b + k * ldb + j);                                                    \
                __builtin_prefetch((const char *)(b + k * ldb + j) + ahead, 0, 3);                \
            }                                                                                     \
            for (size_t i = 0; i < m; i++) {                                                      \
                vector##_any *out = (vector##_any *)(c + i * ldc + j);                            \
                vector sum = {0};                                                                 \
                                                                                                  \
                if (add) sum = *out;                                                              \
                _Pragma("GCC unroll 8") for (size_t k = 0; k < deep; k++) sum +=                  \
                    a[i * DEEP + k] * in[k];                                                      \
                *out = sum;                                                                       \
            }                                                                                     \
        }                                                                                         \
        for (; j < wide; j++)                                                                     \
            for (size_t i = 0; i < m; i++) {                                                      \
                type sum = add ? c[i * ldc + j] : 0;                                              \
                                                                                                  \
                for (size_t k = 0; k < deep; k++) sum += a[i * DEEP + k] * one(b[k * ldb + j]);   \
                c[i * ldc + j] = sum;                                                             \
            }                                                                                     \
    }                                                                                             \
                                                                                                  \
    /* Columns [left, right) of C: sums of a piece stay in the first level, in rows that do not \
     * lie a power of 2 apart. A narrow piece asks for the rows that follow, a wide one for more \
     * of its own. */ \
    static void name##s(const abdb_vec_gemm_call *s, size_t left, size_t right)                   \
    {                                                                                             \
        type sums[(PIECE_BYTES + VEC_FEW * LINE) / sizeof(type)] __attribute__((aligned(64)));    \
        size_t piece = PIECE_BYTES / (s->m * sizeof(type)) / LINE * LINE;                         \
        size_t row = piece + LINE / sizeof(type);                                                 \
                                                                                                  \
        for (size_t from = left; from < right; from += piece) {                                   \
            size_t wide = right - from < piece ? right - from : piece;                            \
            size_t ahead = wide * sizeof(stored) < s->tuning->below                               \
                               ? DEEP * s->ldb * sizeof(stored)                                   \
                               : (size_t)AHEAD;                                                   \
                                                                                                  \
            for (size_t k = 0; k < s->k; k += DEEP) {                                             \
                size_t deep = s->k - k < DEEP ? s->k - k : DEEP;                                  \
                const stored *b = (const stored *)s->b + k * s->ldb + from;                       \
                type a[VEC_FEW * DEEP];                                                           \
                                                                                                  \
                for (size_t i = 0; i < s->m; i++)                                                 \
                    for (size_t l = 0; l < deep; l++)                                             \
                        a[i * DEEP + l] =                                                         \
                            one(((const stored *)                                                 \
                                     s->a)[s->ta ? (k + l) * s->lda + i : i * s->lda + k + l]);   \
                if (deep == DEEP)                                                                 \
                    name(s->m, wide, a, b, s->ldb, sums, row, k % most > 0, ahead, DEEP);         \
                else                                                                              \
                    for (size_t l = 0; l < deep; l++)                                             \
                        name(s->m, wide, a + l, b + l * s->ldb, s->ldb, sums, row,                \
                             k % most + l > 0, ahead, 1);                                         \
                if ((k + deep) % most && k + deep < s->k) continue;                               \
                apply_epilogue_or_add_i8_sums_to_c(s, sums, row, from, wide, k < most,            \
                                                   k + deep == s->k);                             \
            }                                                                                     \
        }                                                                                         \
    }

#define PLAIN(x)      (x)
#define LOAD_F32(at)  (*(const vec_f32_any *)(at))
#define LOAD_F64(at)  (*(const vec_f64_any *)(at))
#define LOAD_BF16(at) vec_bf16_to_f32(*(const vec_u16_any *)(at))
#define LOAD_I8(at)   __builtin_convertvector(vec_load_i8_as_i32(at), vec_f32)

FEW_STEP(f32_step, float, float, vec_f32, VEC_F32, LOAD_F32, PLAIN, s->k)
FEW_STEP(f64_step, double, double, vec_f64, VEC_F64, LOAD_F64, PLAIN, s->k)
FEW_STEP(bf16_step, float, uint16_t, vec_f32, VEC_F32, LOAD_BF16, abdb_bf16_to_f32, s->k)
FEW_STEP(f16_step, float, uint16_t, vec_f32, VEC_F32, vec_load_f16, abdb_f16_to_f32, s->k)
FEW_STEP(i8_step, float, int8_t, vec_f32, VEC_F32, LOAD_I8, PLAIN, EXACT)

void VEC(gemm_skinny)(const abdb_vec_gemm_call *s, size_t left, size_t right)
{
    switch (s->dtype) {
    case ABDB_F32: f32_steps(s, left, right); break;
    case ABDB_F64: f64_steps(s, left, right); break;
    case ABDB_BF16: bf16_steps(s, left, right); break;
    case ABDB_F16: f16_steps(s, left, right); break;
    default: i8_steps(s, left, right);
    }
}
