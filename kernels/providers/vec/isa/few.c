/* few.c - products of few rows: each element of B is used once a row, so B is read where it lies,
 * row by row, and nothing is packed. DEEP rows of B are added to a piece of C that stays in the
 * first level; the sums of bf16 and f16 are kept in f32 and
 * rounded once.
 *
 * Bound by the bytes of B: with m rows a vector of B costs m multiply-adds, a memory of 20 GB/s a
 * core is full up to some 16 of them. */
#include <string.h>

#include "kernels/providers/vec/isa/isa.h"
#include "kernels/providers/vec/isa/math.h"

/* PIECE_BYTES: m rows of a piece of C, in a first level of 32 KiB or more. */
enum { DEEP = 8, PIECE_BYTES = 24 << 10, AHEAD = 1024 }; /* AHEAD: bytes of a row asked for */

#define FEW_ALWAYS static inline __attribute__((always_inline))

/* c (m x wide, rows ldc apart) += a (m x deep, rows DEEP apart) x b (deep x wide, rows ldb apart):
 * `add` is false at the first step. deep is a constant where it is inlined. Pieces are whole lines
 * and never empty: with m up to VEC_FEW, at least 192 columns. */
#define FEW_STEP(name, type, stored, vector, lanes, load, one)                                     \
    FEW_ALWAYS void name(size_t m, size_t wide, const type *a, const stored *b, size_t ldb,        \
                         type *c, size_t ldc, bool add, const size_t deep)                         \
    {                                                                                              \
        size_t j = 0;                                                                              \
                                                                                                   \
        for (; j + (lanes) <= wide; j += (lanes)) {                                                \
            vector in[DEEP];                                                                       \
                                                                                                   \
            _Pragma("GCC unroll 8") for (size_t k = 0; k < deep; k++)                              \
            {                                                                                      \
                in[k] = load(b + k * ldb + j);                                                     \
                __builtin_prefetch((const char *)(b + k * ldb + j) + AHEAD, 0, 3);                 \
            }                                                                                      \
            for (size_t i = 0; i < m; i++) {                                                       \
                vector##_any *out = (vector##_any *)(c + i * ldc + j);                             \
                vector sum = {0};                                                                  \
                                                                                                   \
                if (add) sum = *out;                                                               \
                _Pragma("GCC unroll 8") for (size_t k = 0; k < deep; k++) sum +=                   \
                    a[i * DEEP + k] * in[k];                                                       \
                *out = sum;                                                                        \
            }                                                                                      \
        }                                                                                          \
        for (; j < wide; j++)                                                                      \
            for (size_t i = 0; i < m; i++) {                                                       \
                type sum = add ? c[i * ldc + j] : 0;                                               \
                                                                                                   \
                for (size_t k = 0; k < deep; k++) sum += a[i * DEEP + k] * one(b[k * ldb + j]);    \
                c[i * ldc + j] = sum;                                                              \
            }                                                                                      \
    }                                                                                              \
                                                                                                   \
    /* Columns [left, right) of C (rows ldc apart), which begins at the first of them. */          \
    static void name##s(const abdb_vec_product *s, size_t left, size_t right, type *c, size_t ldc) \
    {                                                                                              \
        size_t piece = PIECE_BYTES / (s->m * sizeof(type)) / 64 * 64;                              \
                                                                                                   \
        for (size_t from = left; from < right; from += piece) {                                    \
            size_t wide = right - from < piece ? right - from : piece;                             \
                                                                                                   \
            for (size_t k = 0; k < s->k; k += DEEP) {                                              \
                size_t deep = s->k - k < DEEP ? s->k - k : DEEP;                                   \
                const stored *b = (const stored *)s->b + k * s->ldb + from;                        \
                type a[VEC_FEW * DEEP];                                                            \
                                                                                                   \
                for (size_t i = 0; i < s->m; i++)                                                  \
                    for (size_t l = 0; l < deep; l++)                                              \
                        a[i * DEEP + l] = one(((const stored *)s->a)[i * s->lda + k + l]);         \
                if (deep == DEEP)                                                                  \
                    name(s->m, wide, a, b, s->ldb, c + (from - left), ldc, k > 0, DEEP);           \
                else                                                                               \
                    for (size_t l = 0; l < deep; l++)                                              \
                        name(s->m, wide, a + l, b + l * s->ldb, s->ldb, c + (from - left), ldc,    \
                             k + l > 0, 1);                                                        \
            }                                                                                      \
        }                                                                                          \
    }

#define PLAIN(x)      (x)
#define LOAD_F32(at)  (*(const vec_f32_any *)(at))
#define LOAD_F64(at)  (*(const vec_f64_any *)(at))
#define LOAD_BF16(at) vec_from_bf16(*(const vec_u16_any *)(at))
FEW_STEP(f32_step, float, float, vec_f32, VEC_F32, LOAD_F32, PLAIN)
FEW_STEP(f64_step, double, double, vec_f64, VEC_F64, LOAD_F64, PLAIN)
FEW_STEP(bf16_step, float, uint16_t, vec_f32, VEC_F32, LOAD_BF16, abdb_bf16_value)
FEW_STEP(f16_step, float, uint16_t, vec_f32, VEC_F32, vec_get_f16, abdb_f16_value)

void VEC(few)(const abdb_vec_product *s, size_t left, size_t right, float *sums)
{
    size_t wide = right - left;

    if (s->dtype == ABDB_F32)
        f32_steps(s, left, right, (float *)s->c + left, s->ldc);
    else if (s->dtype == ABDB_F64)
        f64_steps(s, left, right, (double *)s->c + left, s->ldc);
    else {
        const abdb_tensor c = {.dtype = s->dtype, .data = s->c};

        (s->dtype == ABDB_BF16 ? bf16_steps : f16_steps)(s, left, right, sums, wide);
        for (size_t i = 0; i < s->m; i++)
            for (size_t j = 0; j < wide; j++)
                abdb_tensor_set(&c, i * s->ldc + left + j, (double)sums[i * wide + j]);
    }
}
