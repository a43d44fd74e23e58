/* pack.c - A row after row or, where it is stored transposed, step after step; B in panels of two
 * vectors' columns; see pack.h. */
#include <string.h>

#include "kernels/providers/vec/isa/math.h"
#include "kernels/providers/vec/isa/pack.h"

/* f16 to f32, a row. */
static void widen(const uint16_t *in, size_t n, float *out)
{
    size_t i = 0;

    for (; i + VEC_F32 <= n; i += VEC_F32) vec_put_f32(out + i, vec_get_f16(in + i), false);
    for (; i < n; i++) out[i] = abdb_f16_value(in[i]);
}

/* --- packing A -------------------------------------------------------------------------------- */

void VEC(pack_row)(const abdb_vec_product *s, size_t row, size_t depth, size_t deep, char *out)
{
    size_t bytes = deep * s->size, whole = packed_steps(s, deep) * step_bytes(s);
    const char *in = (const char *)s->a + (row * s->lda + depth) * s->size;

    if (s->dtype == ABDB_F16) {
        widen((const uint16_t *)(const void *)in, deep, (float *)(void *)out);
        return;
    }
    memcpy(out, in, bytes);
    memset(out + bytes, 0, whole - bytes);
    if (s->dtype == ABDB_I8 && !by_tiles(s))
        for (size_t i = 0; i < bytes; i++) out[i] = (char)(out[i] ^ (char)0x80);
}

void VEC(pack_pair)(const abdb_vec_product *s, size_t row, size_t rows, size_t depth, bool both,
                    size_t stride, uint32_t *out)
{
    const uint16_t *a = (const uint16_t *)s->a + depth * s->lda + row, *next = a + s->lda;

    if (both)
        for (size_t i = 0; i < rows; i++) out[i * stride] = a[i] | (uint32_t)next[i] << 16;
    else
        for (size_t i = 0; i < rows; i++) out[i * stride] = a[i];
}

void VEC(pack_transposed)(const abdb_vec_product *s, size_t row, size_t rows, size_t depth,
                          size_t deep, size_t stride, char *out)
{
    if (s->dtype == ABDB_F32) {
        const float *a = (const float *)s->a + depth * s->lda + row;

        for (size_t k = 0; k < deep; k++)
            memcpy((float *)(void *)out + k * stride, a + k * s->lda, rows * sizeof *a);
        return;
    }
    for (size_t k = 0; s->dtype == ABDB_F16 && k < deep; k++)
        widen((const uint16_t *)s->a + (depth + k) * s->lda + row, rows,
              (float *)(void *)out + k * stride);
    if (s->dtype == ABDB_F16) return;
    for (size_t k = 0; k < deep; k += 2)
        VEC(pack_pair)
        (s, row, rows, depth + k, k + 1 < deep, 1, (uint32_t *)(void *)out + k / 2 * stride);
}

/* --- packing B -------------------------------------------------------------------------------- */

/* Any format, any layout, element by element: edges and transposed matrices. Element k of column j
 * goes to step k / each of that column, place k % each within the step. */
#define PACK(name, type)                                                                  \
    static void name(const abdb_vec_product *s, size_t depth, size_t deep, size_t column, \
                     size_t wide, char *out)                                              \
    {                                                                                     \
        const type *b = s->b;                                                             \
        size_t each = step_bytes(s) / sizeof(type), columns = ROW / step_bytes(s);        \
        type *to = (type *)(void *)out;                                                   \
                                                                                          \
        memset(out, 0, steps_of(s, deep) * ROW);                                          \
        if (s->tb)                                                                        \
            for (size_t j = 0; j < wide; j++)                                             \
                for (size_t k = 0; k < deep; k++)                                         \
                    to[(k / each * columns + j) * each + k % each] =                      \
                        b[(column + j) * s->ldb + depth + k];                             \
        else                                                                              \
            for (size_t k = 0; k < deep; k++)                                             \
                for (size_t j = 0; j < wide; j++)                                         \
                    to[(k / each * columns + j) * each + k % each] =                      \
                        b[(depth + k) * s->ldb + column + j];                             \
    }
PACK(pack_8, uint8_t)
PACK(pack_16, uint16_t)
PACK(pack_32, uint32_t)
PACK(pack_64, uint64_t)

/* 32-bit steps of a transposed matrix, rows `ld` steps apart. */
static void transpose_32(const abdb_bf16_pair *b, size_t ld, size_t steps, size_t wide,
                         uint32_t *out)
{
    for (size_t k = 0; k < steps; k++) {
        for (size_t j = 0; j < wide; j++) out[j] = b[j * ld + k];
        for (size_t j = wide; j < ROW / 4; j++) out[j] = 0;
        out += ROW / 4;
    }
}

/* f16 as f32, as it is or transposed, zeros up to a whole panel. */
static void pack_wide(const abdb_vec_product *s, size_t depth, size_t deep, size_t column,
                      size_t wide, float *out)
{
    const uint16_t *b = (const uint16_t *)s->b + depth * s->ldb + column;
    float part[VEC_F32];

    if (wide < ROW / 4) memset(out, 0, deep * ROW);
    for (size_t k = 0; !s->tb && k < deep; k++) widen(b + k * s->ldb, wide, out + k * ROW / 4);
    if (!s->tb) return;
    b = (const uint16_t *)s->b + column * s->ldb + depth;
    for (size_t from = 0; from < deep; from += VEC_F32) {
        size_t n = deep - from < VEC_F32 ? deep - from : VEC_F32;

        for (size_t j = 0; j < wide; j++) {
            widen(b + j * s->ldb + from, n, part);
            for (size_t k = 0; k < n; k++) out[(from + k) * ROW / 4 + j] = part[k];
        }
    }
}

/* Whole rows of a panel of f32 or f64. */
static void pack_rows(const abdb_vec_product *s, size_t depth, size_t deep, size_t column,
                      char *out)
{
    const char *b = (const char *)s->b + (depth * s->ldb + column) * s->size;

    for (size_t k = 0; k < deep; k++, b += s->ldb * s->size, out += ROW)
        for (size_t j = 0; j < ROW; j += VEC_BYTES)
            *(vec_f32 *)(void *)(out + j) = *(const vec_f32_any *)(const void *)(b + j);
}

#if defined(__AVX512F__)
/* Two whole rows of bf16 become pairs. */
static void pack_pairs(const abdb_vec_product *s, size_t depth, size_t deep, size_t column,
                       char *out)
{
    const uint16_t *b = (const uint16_t *)s->b + depth * s->ldb + column;

    for (size_t k = 0; k < deep; k += 2, b += 2 * s->ldb)
        for (size_t half = 0; half < 32; half += 16, out += 64) {
            __m256i low = _mm256_loadu_si256((const __m256i *)(const void *)(b + half));
            __m256i high =
                k + 1 < deep
                    ? _mm256_loadu_si256((const __m256i *)(const void *)(b + s->ldb + half))
                    : _mm256_setzero_si256();

            _mm512_storeu_si512(
                out, _mm512_or_si512(_mm512_cvtepu16_epi32(low),
                                     _mm512_slli_epi32(_mm512_cvtepu16_epi32(high), 16)));
        }
}

/* Four whole rows of i8 become quads. */
static void pack_quads(const abdb_vec_product *s, size_t depth, size_t deep, size_t column,
                       char *out)
{
    const char *b = (const char *)s->b + depth * s->ldb + column;

    for (size_t k = 0; k < deep; k += 4, b += 4 * s->ldb)
        for (size_t half = 0; half < 32; half += 16, out += 64) {
            __m512i all = _mm512_setzero_si512();

            for (size_t r = 0; r < 4 && k + r < deep; r++) {
                __m128i row =
                    _mm_loadu_si128((const __m128i *)(const void *)(b + r * s->ldb + half));

                all = _mm512_or_si512(
                    all, _mm512_slli_epi32(_mm512_cvtepu8_epi32(row), 8 * (unsigned)r));
            }
            _mm512_storeu_si512(out, all);
        }
}
#endif

/* 128 times the sum of each column of B, behind the last step. The instruction for bytes
 * multiplies unsigned by signed, so A is packed as a + 128, and FINISH of tiles.c takes (128 x
 * sum of B) off. */
static void add_offsets(size_t steps, char *panel)
{
    int32_t *sums = (int32_t *)(void *)(panel + steps * ROW);

    memset(sums, 0, ROW);
    for (size_t k = 0; k < steps; k++)
        for (size_t j = 0; j < ROW / 4; j++)
            for (size_t q = 0; q < 4; q++)
                sums[j] += 128 * ((const int8_t *)panel)[k * ROW + 4 * j + q];
}

void VEC(pack_panel)(const abdb_vec_product *s, size_t depth, size_t deep, size_t column, char *out)
{
    size_t columns = ROW / step_bytes(s), steps = steps_of(s, deep);
    size_t wide = s->n - column < columns ? s->n - column : columns;
    bool whole = wide == columns && !s->tb, pairs = s->dtype == ABDB_BF16;

    /* Of bf16 stored transposed, two neighbours in memory are the pair of one step already. */
    if (s->tb && (s->dtype == ABDB_F32 || (pairs && (deep | depth | s->ldb) % 2 == 0))) {
        transpose_32((const abdb_bf16_pair *)s->b + (column * s->ldb + depth) / (pairs ? 2 : 1),
                     s->ldb / (pairs ? 2 : 1), steps, wide, (uint32_t *)(void *)out);
        return;
    }
    switch (s->dtype) {
    case ABDB_F64:
    case ABDB_F32:
        if (whole)
            pack_rows(s, depth, deep, column, out);
        else
            (s->size == 8 ? pack_64 : pack_32)(s, depth, deep, column, wide, out);
        break;
    case ABDB_F16: pack_wide(s, depth, deep, column, wide, (float *)(void *)out); break;
#if defined(__AVX512F__)
    case ABDB_BF16:
        if (whole)
            pack_pairs(s, depth, deep, column, out);
        else
            pack_16(s, depth, deep, column, wide, out);
        break;
    case ABDB_I8:
        if (whole)
            pack_quads(s, depth, deep, column, out);
        else
            pack_8(s, depth, deep, column, wide, out);
        if (!by_tiles(s)) add_offsets(steps, out);
        break;
#endif
    default: (void)pack_8, (void)pack_16, (void)add_offsets; /* refused */
    }
}
