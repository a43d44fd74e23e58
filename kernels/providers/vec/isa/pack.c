/* pack.c - A row after row or, where it is stored transposed, step after step; B in panels of two
 * vectors' columns; see pack.h. Matrices are read along their rows, a vector of steps at a time:
 * across (steps of neighbours, one below the other in memory) or along (steps one after another of
 * one row or column), and what then lies the wrong way round is transposed in registers. */
#include <string.h>

#include "kernels/providers/vec/isa/pack.h"
#include "kernels/providers/vec/isa/transpose.h"

#define PACK_ALWAYS static inline __attribute__((always_inline))

enum { EACH = 4 }; /* elements of a step, at most */

/* Elements of a step, bytes of one, of a step; lanes of a vector: constants where they are
 * inlined. */
PACK_ALWAYS size_t k_elements_per_dot_product_step(abdb_dtype dtype)
{
    return dtype == ABDB_BF16 ? 2 : dtype == ABDB_I8 ? 4 : 1;
}

PACK_ALWAYS size_t stored_element_bytes(abdb_dtype dtype)
{
    return dtype == ABDB_F64 ? 8 : dtype == ABDB_F32 ? 4 : dtype == ABDB_I8 ? 1 : 2;
}

PACK_ALWAYS size_t lanes_per_vector(abdb_dtype dtype)
{
    return dtype == ABDB_F64 ? VEC_F64 : VEC_F32;
}

PACK_ALWAYS vec_i32 load_vector_unaligned(const void *at)
{
    return *(const vec_i32_any *)at;
}

PACK_ALWAYS void transpose_square_of_vectors_in_place(abdb_dtype dtype, vec_i32 *v)
{
    if (dtype == ABDB_F64)
        vec_transpose_64(v);
    else
        vec_transpose_32(v);
}

/* A step of each of a vector's neighbours from `at` on; its elements lie `row` bytes apart, and
 * `deep` of them are left: what is missing is 0. */
PACK_ALWAYS vec_i32 load_interleaved_rows_vector(abdb_dtype dtype, const char *at, size_t row_bytes,
                                                 size_t deep)
{
#if defined(__AVX512F__)
    if (dtype == ABDB_BF16) {
        const __m256i *low = (const void *)at, *high = (const void *)(at + row_bytes);
        __m512i all = _mm512_cvtepu16_epi32(_mm256_loadu_si256(low));

        if (deep > 1)
            all = _mm512_or_si512(
                all, _mm512_slli_epi32(_mm512_cvtepu16_epi32(_mm256_loadu_si256(high)), 16));
        return (vec_i32)all;
    }
    if (dtype == ABDB_I8) {
        __m512i all = _mm512_setzero_si512();

        for (size_t r = 0; r < EACH && r < deep; r++) {
            __m128i part = _mm_loadu_si128((const void *)(at + r * row_bytes));

            all = _mm512_or_si512(all,
                                  _mm512_slli_epi32(_mm512_cvtepu8_epi32(part), 8 * (unsigned)r));
        }
        return (vec_i32)all;
    }
#endif
    (void)row_bytes, (void)deep;
    if (dtype == ABDB_F16) return (vec_i32)vec_load_f16((const uint16_t *)(const void *)at);
    return load_vector_unaligned(at);
}

/* The same of `wide` neighbours, which may be fewer than lanes. */
PACK_ALWAYS vec_i32 load_interleaved_rows_partial(abdb_dtype dtype, const char *at,
                                                  size_t row_bytes, size_t deep, size_t wide)
{
    char part[EACH * VEC_BYTES] = {0};

    if (wide >= lanes_per_vector(dtype))
        return load_interleaved_rows_vector(dtype, at, row_bytes, deep);
    for (size_t r = 0; r < k_elements_per_dot_product_step(dtype) && r < deep; r++)
        memcpy(part + r * VEC_BYTES, at + r * row_bytes, wide * stored_element_bytes(dtype));
    return load_interleaved_rows_vector(dtype, part, VEC_BYTES, deep);
}

/* Steps one after another from `at` on; `deep` elements are left. */
PACK_ALWAYS vec_i32 load_row_vector_zero_padded(abdb_dtype dtype, const char *at, size_t deep)
{
    char part[VEC_BYTES] = {0};

    if (deep < lanes_per_vector(dtype) * k_elements_per_dot_product_step(dtype)) {
        memcpy(part, at, deep * stored_element_bytes(dtype));
        at = part;
    }
    if (dtype == ABDB_F16) return (vec_i32)vec_load_f16((const uint16_t *)(const void *)at);
    return load_vector_unaligned(at);
}

/* --- packing A -------------------------------------------------------------------------------- */

/* f16 to f32, a row. */
static void widen_f16_row_to_f32(const uint16_t *in, size_t n, float *out)
{
    size_t i = 0;

    for (; i + VEC_F32 <= n; i += VEC_F32) vec_store_f32(out + i, vec_load_f16(in + i), false);
    for (; i < n; i++) out[i] = abdb_f16_to_f32(in[i]);
}

void VEC(pack_row_of_a)(const abdb_vec_gemm_call *s, size_t row, size_t depth, size_t deep,
                        char *out)
{
    size_t bytes = deep * s->size, whole = packed_steps_of_depth(s, deep) * bytes_per_step(s);
    const char *in = (const char *)s->a + (row * s->lda + depth) * s->size;

    if (s->dtype == ABDB_F16) {
        widen_f16_row_to_f32((const uint16_t *)(const void *)in, deep, (float *)(void *)out);
        return;
    }
    memcpy(out, in, bytes);
    memset(out + bytes, 0, whole - bytes);
    if (s->dtype == ABDB_I8 && !gemm_uses_amx_tiles(s))
        for (size_t i = 0; i < bytes; i++) out[i] = (char)(out[i] ^ (char)0x80);
}

/* Of an A that is stored transposed, steps lie across: one after another they are what gemm_tiles.c
 * takes; for tiles of AMX squares of them are transposed. */
PACK_ALWAYS void pack_transposed_a_step_after_step(const abdb_vec_gemm_call *s,
                                                   const abdb_dtype dtype, const char *a,
                                                   size_t rows, size_t deep, size_t stride,
                                                   char *out)
{
    size_t each = k_elements_per_dot_product_step(dtype), lanes = lanes_per_vector(dtype),
           row = s->lda * stored_element_bytes(dtype);

    for (size_t k = 0; k < deep; k += each)
        for (size_t i = 0; i < rows; i += lanes) {
            vec_i32 v = load_interleaved_rows_partial(
                dtype, a + k * row + i * stored_element_bytes(dtype), row, deep - k, rows - i);

            if (dtype == ABDB_I8) v ^= (int)0x80808080;
            *(vec_i32_any *)(void *)(out + (k / each * stride + i) * bytes_per_step(s)) = v;
        }
}

/* Packs rows of a transposed A for AMX: squares of VEC_F32 x VEC_F32 steps are loaded along the
 * depth and transposed; what is beyond the edge is 0. */
PACK_ALWAYS void pack_transposed_a_rows_for_amx(const abdb_vec_gemm_call *s, const abdb_dtype dtype,
                                                const char *a, size_t rows, size_t deep,
                                                size_t stride, char *out)
{
    size_t each = k_elements_per_dot_product_step(dtype),
           row = s->lda * stored_element_bytes(dtype);

    for (size_t k = 0; k < packed_steps_of_depth(s, deep); k += VEC_F32)
        for (size_t i = 0; i < rows; i += VEC_F32) {
            vec_i32 v[VEC_F32];

            for (size_t l = 0; l < VEC_F32; l++)
                v[l] = (k + l) * each < deep
                           ? load_interleaved_rows_partial(
                                 dtype, a + (k + l) * each * row + i * stored_element_bytes(dtype),
                                 row, deep - (k + l) * each, rows - i)
                           : (vec_i32){0};
            transpose_square_of_vectors_in_place(dtype, v);
            for (size_t r = 0; r < VEC_F32; r++)
                *(vec_i32_any *)(void *)(out + ((i + r) * stride + k) * 4) = v[r];
        }
}

void VEC(pack_rows_of_transposed_a)(const abdb_vec_gemm_call *s, size_t row, size_t rows,
                                    size_t depth, size_t deep, size_t stride, char *out)
{
    const char *a = (const char *)s->a + (depth * s->lda + row) * s->size;

    if (gemm_uses_amx_tiles(s)) {
        if (s->dtype == ABDB_I8)
            pack_transposed_a_rows_for_amx(s, ABDB_I8, a, rows, deep, stride, out);
        else
            pack_transposed_a_rows_for_amx(s, ABDB_BF16, a, rows, deep, stride, out);
        return;
    }
    switch (s->dtype) {
    case ABDB_F64:
        pack_transposed_a_step_after_step(s, ABDB_F64, a, rows, deep, stride, out);
        break;
    case ABDB_F32:
        pack_transposed_a_step_after_step(s, ABDB_F32, a, rows, deep, stride, out);
        break;
    case ABDB_F16:
        pack_transposed_a_step_after_step(s, ABDB_F16, a, rows, deep, stride, out);
        break;
    case ABDB_BF16:
        pack_transposed_a_step_after_step(s, ABDB_BF16, a, rows, deep, stride, out);
        break;
    default: pack_transposed_a_step_after_step(s, ABDB_I8, a, rows, deep, stride, out);
    }
}

/* --- packing B -------------------------------------------------------------------------------- */

/* A panel of a B that is stored as it is: steps lie across. */
PACK_ALWAYS void pack_b_panel_from_rows(const abdb_vec_gemm_call *s, const abdb_dtype dtype,
                                        const char *b, size_t deep, size_t wide, char *out)
{
    size_t lanes = lanes_per_vector(dtype), row = s->ldb * stored_element_bytes(dtype);

    for (size_t k = 0; k < deep; k += k_elements_per_dot_product_step(dtype),
                b += k_elements_per_dot_product_step(dtype) * row, out += ROW) {
        vec_i32_any *to = (vec_i32_any *)(void *)out;

        if (wide == 2 * lanes) {
            to[0] = load_interleaved_rows_vector(dtype, b, row, deep - k);
            to[1] = load_interleaved_rows_vector(dtype, b + lanes * stored_element_bytes(dtype),
                                                 row, deep - k);
        } else {
            to[0] = load_interleaved_rows_partial(dtype, b, row, deep - k, wide);
            to[1] =
                wide > lanes
                    ? load_interleaved_rows_partial(dtype, b + lanes * stored_element_bytes(dtype),
                                                    row, deep - k, wide - lanes)
                    : (vec_i32){0};
        }
    }
}

/* Of one that is stored transposed, a column's steps lie one after another. */
PACK_ALWAYS void pack_b_panel_from_transposed(const abdb_vec_gemm_call *s, const abdb_dtype dtype,
                                              const char *b, size_t deep, size_t wide, char *out)
{
    size_t lanes = lanes_per_vector(dtype), column = s->ldb * stored_element_bytes(dtype),
           steps = steps_of_depth(s, deep);

    for (size_t half = 0; half < 2; half++)
        for (size_t k = 0; k < steps; k += lanes) {
            size_t from = k * k_elements_per_dot_product_step(dtype),
                   there = steps - k < lanes ? steps - k : lanes;
            vec_i32 v[VEC_F32];

            for (size_t j = 0; j < lanes; j++)
                v[j] = half * lanes + j < wide
                           ? load_row_vector_zero_padded(dtype,
                                                         b + (half * lanes + j) * column +
                                                             from * stored_element_bytes(dtype),
                                                         deep - from)
                           : (vec_i32){0};
            transpose_square_of_vectors_in_place(dtype, v);
            for (size_t l = 0; l < there; l++)
                *(vec_i32_any *)(void *)(out + (k + l) * ROW + half * VEC_BYTES) = v[l];
        }
}

#define PANEL(name, dtype)                                                                         \
    static void name(const abdb_vec_gemm_call *s, size_t depth, size_t deep, size_t column,        \
                     size_t wide, char *out)                                                       \
    {                                                                                              \
        const char *b = s->b;                                                                      \
                                                                                                   \
        if (s->tb)                                                                                 \
            pack_b_panel_from_transposed(                                                          \
                s, dtype, b + (column * s->ldb + depth) * stored_element_bytes(dtype), deep, wide, \
                out);                                                                              \
        else                                                                                       \
            pack_b_panel_from_rows(s, dtype,                                                       \
                                   b + (depth * s->ldb + column) * stored_element_bytes(dtype),    \
                                   deep, wide, out);                                               \
    }
PANEL(pack_panel_f64, ABDB_F64)
PANEL(pack_panel_f32, ABDB_F32)
PANEL(pack_panel_f16, ABDB_F16)
PANEL(pack_panel_bf16, ABDB_BF16)
PANEL(pack_panel_i8, ABDB_I8)

/* 128 times the sum of each column of B, behind the last step. The instruction for bytes
 * multiplies unsigned by signed, so A is packed as a + 128, and FINISH of gemm_tiles.c takes (128 x
 * sum of B) off. */
static void append_column_sum_offsets(size_t steps, char *panel)
{
    int32_t *sums = (int32_t *)(void *)(panel + steps * ROW);

    memset(sums, 0, ROW);
    for (size_t k = 0; k < steps; k++)
        for (size_t j = 0; j < ROW / 4; j++)
            for (size_t q = 0; q < 4; q++)
                sums[j] += 128 * ((const int8_t *)panel)[k * ROW + 4 * j + q];
}

void VEC(pack_panel_of_b)(const abdb_vec_gemm_call *s, size_t depth, size_t deep, size_t column,
                          char *out)
{
    size_t columns = ROW / bytes_per_step(s),
           wide = s->n - column < columns ? s->n - column : columns;

    switch (s->dtype) {
    case ABDB_F64: pack_panel_f64(s, depth, deep, column, wide, out); break;
    case ABDB_F32: pack_panel_f32(s, depth, deep, column, wide, out); break;
    case ABDB_F16: pack_panel_f16(s, depth, deep, column, wide, out); break;
    case ABDB_BF16: pack_panel_bf16(s, depth, deep, column, wide, out); break;
    default:
        pack_panel_i8(s, depth, deep, column, wide, out);
        if (!gemm_uses_amx_tiles(s)) append_column_sum_offsets(steps_of_depth(s, deep), out);
    }
}
