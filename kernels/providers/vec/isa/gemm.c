/* gemm.c - the matrix product, after Goto and van de Geijn 2008: B is packed in panels of NR
 * columns (by all threads), blocks of A in panels of MR rows (by the thread that multiplies them),
 * and MR x NR of C stay in registers over KC steps. A's rows are packed as they are, a panel's one
 * after another, because its elements are only ever broadcast. Registers hold MR x 2 sums, 2 of B
 * and 1 of A; the second level a block of A (half of it) and a panel of B; the last level a slab of
 * B (KC x 512), so that memory carries C once for each KC, and A once for each slab.
 */
#include <immintrin.h>
#include <omp.h>
#include <string.h>

#include "kernels/providers/vec/isa/isa.h"

enum { MR = VEC_BYTES == 64 ? 12 : 6, ROW_BYTES = ABDB_VEC_ROW_BYTES };

#define ALWAYS static inline __attribute__((always_inline))

/* The rows and columns of a block that are there, and where it stands. */
typedef struct {
    size_t rows, columns;
    bool first; /* C is written, not added to */
} edge;

/* NAME: of the functions. E: element as stored in the packed panels. S: element of the sums and of
 * C. V: a vector of sums. STEP(sum, a, b): sum + a b, a one element for all lanes, b a vector's
 * worth. */
#define PRODUCT(NAME, E, S, V, ANY, LANES, LOAD, STEP)                                             \
    enum { NAME##_KC = ROW_BYTES / sizeof(E), NAME##_NR = 2 * LANES };                             \
                                                                                                   \
    ALWAYS void NAME##_kernel(size_t steps, const E *a, const E *b, S *c, size_t ldc, edge at)     \
    {                                                                                              \
        V sum[MR][2] = {{{0}}};                                                                    \
                                                                                                   \
        _Pragma("GCC unroll 12") for (size_t i = 0; i < MR; i++) if (i < at.rows)                  \
            __builtin_prefetch(c + i * ldc, 1);                                                    \
        for (size_t k = 0; k < steps; k++) {                                                       \
            V b0 = LOAD(b), b1 = LOAD(b + LANES);                                                  \
                                                                                                   \
            _Pragma("GCC unroll 12") for (size_t i = 0; i < MR; i++)                               \
            {                                                                                      \
                sum[i][0] = STEP(sum[i][0], a[i * NAME##_KC + k], b0);                             \
                sum[i][1] = STEP(sum[i][1], a[i * NAME##_KC + k], b1);                             \
            }                                                                                      \
            b += NAME##_NR;                                                                        \
        }                                                                                          \
        if (at.rows == MR && at.columns == NAME##_NR && at.first) {                                \
            _Pragma("GCC unroll 12") for (size_t i = 0; i < MR; i++)                               \
            {                                                                                      \
                *(ANY *)(c + i * ldc) = sum[i][0];                                                 \
                *(ANY *)(c + i * ldc + LANES) = sum[i][1];                                         \
            }                                                                                      \
        } else if (at.rows == MR && at.columns == NAME##_NR) {                                     \
            _Pragma("GCC unroll 12") for (size_t i = 0; i < MR; i++)                               \
            {                                                                                      \
                *(ANY *)(c + i * ldc) += sum[i][0];                                                \
                *(ANY *)(c + i * ldc + LANES) += sum[i][1];                                        \
            }                                                                                      \
        } else {                                                                                   \
            S tile[MR * NAME##_NR];                                                                \
                                                                                                   \
            _Pragma("GCC unroll 12") for (size_t i = 0; i < MR; i++)                               \
            {                                                                                      \
                *(ANY *)(tile + i * NAME##_NR) = sum[i][0];                                        \
                *(ANY *)(tile + i * NAME##_NR + LANES) = sum[i][1];                                \
            }                                                                                      \
            for (size_t i = 0; i < at.rows; i++)                                                   \
                for (size_t j = 0; j < at.columns; j++)                                            \
                    c[i * ldc + j] = tile[i * NAME##_NR + j] + (at.first ? 0 : c[i * ldc + j]);    \
        }                                                                                          \
    }                                                                                              \
                                                                                                   \
    /* Rows [row, row + rows) of C, columns [left, left + wide). */                                \
    static void NAME##_block(const abdb_vec_product *s, size_t row, size_t rows, size_t left,      \
                             size_t wide, bool first, size_t steps, const E *a, S *c)              \
    {                                                                                              \
        for (size_t j = 0; j < wide; j += NAME##_NR)                                               \
            for (size_t i = 0; i < rows; i += MR)                                                  \
                NAME##_kernel(steps, a + i * NAME##_KC, (const E *)s->b + j * NAME##_KC,           \
                              c + (row + i) * s->n + left + j, s->n,                               \
                              (edge){rows - i < MR ? rows - i : MR,                                \
                                     wide - j < NAME##_NR ? wide - j : NAME##_NR, first});         \
    }                                                                                              \
                                                                                                   \
    /* One slab of B, `deep` rows of it by `wide` columns: packed by all threads, then multiplied. \
     */                                                                                            \
    static void NAME##_slab(const abdb_vec_product *s, size_t left, size_t depth, E *mine, S *c)   \
    {                                                                                              \
        size_t wide = s->n - left < s->slab ? s->n - left : s->slab;                               \
        size_t deep = s->k - depth < s->depth ? s->k - depth : s->depth;                           \
        size_t steps = (deep * s->size + sizeof(E) - 1) / sizeof(E);                               \
                                                                                                   \
        _Pragma("omp for schedule(static)") for (size_t j = 0; j < wide; j += NAME##_NR)           \
            NAME##_pack_b(s, depth, deep, left + j, (E *)s->b + j * NAME##_KC);                    \
        _Pragma("omp for schedule(dynamic, 1)") for (size_t i = 0; i < s->m; i += s->block)        \
        {                                                                                          \
            size_t rows = s->m - i < s->block ? s->m - i : s->block;                               \
                                                                                                   \
            for (size_t r = 0; r < (rows + MR - 1) / MR * MR; r++)                                 \
                pack_row(s, i + r, depth, deep, (char *)(mine + r * NAME##_KC));                   \
            NAME##_block(s, i, rows, left, wide, depth == 0, steps, mine, c);                      \
        }                                                                                          \
    }                                                                                              \
                                                                                                   \
    static void NAME##_product(const abdb_vec_product *s, S *c)                                    \
    {                                                                                              \
        _Pragma("omp parallel num_threads(s->threads)")                                            \
        {                                                                                          \
            E *mine = (E *)s->a + (size_t)omp_get_thread_num() * s->block * NAME##_KC;             \
                                                                                                   \
            for (size_t left = 0; left < s->n; left += s->slab)                                    \
                for (size_t depth = 0; depth < s->k; depth += s->depth)                            \
                    NAME##_slab(s, left, depth, mine, c);                                          \
        }                                                                                          \
    }

/* `deep` elements of a row of A, and zeros up to a whole packed element; all zeros below the last
 * row. */
static void pack_row(const abdb_vec_product *s, size_t row, size_t depth, size_t deep, char *out)
{
    size_t bytes = deep * s->size;

    if (row < s->m)
        memcpy(out, (const char *)s->p->tensor[0].data + (row * s->k + depth) * s->size, bytes);
    memset(out + (row < s->m ? bytes : 0), 0, row < s->m ? (size_t)-bytes % 4 : bytes);
}

/* NR columns of `deep` rows of B, one row after another, zeros beyond the last column. */
#define PLAIN_PACK(NAME, E, LANES)                                                                 \
    static void NAME##_pack_b(const abdb_vec_product *s, size_t depth, size_t deep, size_t column, \
                              E *out)                                                              \
    {                                                                                              \
        const E *b = (const E *)s->p->tensor[1].data + depth * s->n + column;                      \
        size_t wide = s->n - column < 2 * LANES ? s->n - column : 2 * LANES;                       \
                                                                                                   \
        for (size_t k = 0; k < deep; k++, b += s->n, out += 2 * LANES) {                           \
            if (wide == 2 * LANES) {                                                               \
                for (size_t j = 0; j < 2 * LANES; j++) out[j] = b[j];                              \
                continue;                                                                          \
            }                                                                                      \
            for (size_t j = 0; j < 2 * LANES; j++) out[j] = j < wide ? b[j] : 0;                   \
        }                                                                                          \
    }

#define PLAIN_STEP(sum, a, b) ((sum) + (a) * (b))
#define F32_LOAD(at)          (*(const vec_f32_any *)(at))
#define F64_LOAD(at)          (*(const vec_f64_any *)(at))

PLAIN_PACK(f32, float, VEC_F32)
PRODUCT(f32, float, float, vec_f32, vec_f32_any, VEC_F32, F32_LOAD, PLAIN_STEP)
PLAIN_PACK(f64, double, VEC_F64)
PRODUCT(f64, double, double, vec_f64, vec_f64_any, VEC_F64, F64_LOAD, PLAIN_STEP)

#if defined(__AVX512F__)
#pragma GCC push_options
#pragma GCC target("avx512bf16")

/* Two rows of B become pairs: 16 columns a vector, the upper row in the upper half. */
static void bf16_pack_b(const abdb_vec_product *s, size_t depth, size_t deep, size_t column,
                        uint32_t *out)
{
    const uint16_t *b = (const uint16_t *)s->p->tensor[1].data + depth * s->n + column;
    size_t wide = s->n - column < 32 ? s->n - column : 32;

    for (size_t k = 0; k < deep; k += 2, b += 2 * s->n)
        for (size_t half = 0; half < 32; half += 16, out += 16) {
            size_t left = wide > half ? wide - half : 0;
            __mmask16 there = left >= 16 ? 0xFFFF : (__mmask16)((1u << left) - 1);
            __m256i low = _mm256_maskz_loadu_epi16(there, b + half);
            __m256i high = _mm256_maskz_loadu_epi16(k + 1 < deep ? there : 0, b + s->n + half);

            _mm512_storeu_si512(
                out, _mm512_or_si512(_mm512_cvtepu16_epi32(low),
                                     _mm512_slli_epi32(_mm512_cvtepu16_epi32(high), 16)));
        }
}

ALWAYS vec_f32 pairs(vec_f32 sum, uint32_t a, vec_f32 b)
{
    return (vec_f32)_mm512_dpbf16_ps((__m512)sum, (__m512bh)_mm512_set1_epi32((int)a), (__m512bh)b);
}

#define BF16_LOAD(at) ((vec_f32)_mm512_loadu_si512(at))
PRODUCT(bf16, uint32_t, float, vec_f32, vec_f32_any, 16, BF16_LOAD, pairs)

/* Sums in f32 rounded to bf16, 16 at a time. */
static void round_sums(const abdb_vec_product *s)
{
    size_t count = s->m * s->n;
    uint16_t *c = s->p->tensor[2].data;

    _Pragma("omp parallel for num_threads(s->threads) schedule(static)") for (size_t i = 0;
                                                                              i < count / 16; i++)
        _mm256_storeu_si256((__m256i *)(void *)(c + 16 * i),
                            (__m256i)_mm512_cvtneps_pbh(_mm512_loadu_ps(s->sums + 16 * i)));
    for (size_t i = count / 16 * 16; i < count; i++) c[i] = abdb_bf16(s->sums[i]);
}
#pragma GCC pop_options
#endif

void VEC(gemm)(const abdb_vec_product *s)
{
    switch (s->p->tensor[0].dtype) {
    case ABDB_F32: f32_product(s, s->p->tensor[2].data); break;
    case ABDB_F64: f64_product(s, s->p->tensor[2].data); break;
#if defined(__AVX512F__)
    case ABDB_BF16:
        bf16_product(s, s->sums);
        round_sums(s);
        break;
#endif
    default: break; /* refused */
    }
}
