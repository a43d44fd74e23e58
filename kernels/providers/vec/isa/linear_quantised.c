/* linear_quantised.c - layers of few rows whose weights are bytes, or halves of bytes: each weight
 * is read once and becomes f32 in registers, for ROWS rows at a time; more rows take a piece of a
 * panel again while it is in the first level. Bound by the bytes of the weights: a row costs a
 * multiply-add a weight, making f32 of it two to three instructions. */
#include <string.h>

#include "kernels/providers/vec/isa/isa.h"
#include "kernels/providers/vec/isa/math.h"

enum {
    WIDE = 32,
    VECTORS = WIDE / VEC_F32,
    ROWS = VEC_BYTES == 64 ? 8 : 4,
    GROUP = 32,
    DEEP = 256,
    AHEAD = 2048
};

/* The lower four bits of each lane, less 8. */
VEC_INLINE vec_f32 weight_of_low_nibble(vec_i32 v)
{
#if defined(__AVX512F__)
    const __m512 values = _mm512_setr_ps(-8, -7, -6, -5, -4, -3, -2, -1, 0, 1, 2, 3, 4, 5, 6, 7);

    return (vec_f32)_mm512_permutexvar_ps((__m512i)v, values);
#else
    return __builtin_convertvector((v & 15) - 8, vec_f32);
#endif
}

/* sum (rows x WIDE) += x (rows x deep, rows ldx apart) times bytes. rows is a constant where it is
 * inlined. */
VEC_INLINE void accumulate_rows_times_i8_weights(size_t deep, const float *x, size_t ldx,
                                                 const int8_t *w, float *sum, const size_t rows)
{
    vec_f32 acc[ROWS][VECTORS];

    _Pragma("GCC unroll 8") for (size_t r = 0; r < rows; r++)
        _Pragma("GCC unroll 8") for (size_t v = 0; v < VECTORS; v++) acc[r][v] =
            vec_load_f32(sum + r * WIDE + v * VEC_F32);
    for (size_t k = 0; k < deep; k++, w += WIDE) {
        __builtin_prefetch(w + AHEAD, 0, 3);
        _Pragma("GCC unroll 8") for (size_t v = 0; v < VECTORS; v++)
        {
            vec_f32 in = __builtin_convertvector(vec_load_i8_as_i32(w + v * VEC_F32), vec_f32);

            _Pragma("GCC unroll 8") for (size_t r = 0; r < rows; r++) acc[r][v] +=
                x[r * ldx + k] * in;
        }
    }
    _Pragma("GCC unroll 8") for (size_t r = 0; r < rows; r++)
        _Pragma("GCC unroll 8") for (size_t v = 0; v < VECTORS; v++)
            vec_store_f32(sum + r * WIDE + v * VEC_F32, acc[r][v], false);
}

/* The same of halves of bytes, whole groups of K, each with a row of scales. */
VEC_INLINE void accumulate_rows_times_i4_weights(size_t deep, const float *x, size_t ldx,
                                                 const uint8_t *w, const float *scale, float *sum,
                                                 const size_t rows)
{
    vec_f32 all[ROWS][VECTORS];

    for (size_t r = 0; r < rows; r++)
        for (size_t v = 0; v < VECTORS; v++) all[r][v] = vec_load_f32(sum + r * WIDE + v * VEC_F32);
    for (size_t k = 0; k < deep; k += GROUP, scale += WIDE, x += GROUP) {
        vec_f32 acc[ROWS][VECTORS] = {0};

        for (size_t l = 0; l < GROUP; l += 2, w += WIDE) {
            __builtin_prefetch(w + AHEAD, 0, 3);
            _Pragma("GCC unroll 8") for (size_t v = 0; v < VECTORS; v++)
            {
                vec_i32 both = vec_load_u8_as_i32(w + v * VEC_F32);
                vec_f32 even = weight_of_low_nibble(both), odd = weight_of_low_nibble(both >> 4);

                _Pragma("GCC unroll 8") for (size_t r = 0; r < rows; r++)
                {
                    acc[r][v] += x[r * ldx + l] * even;
                    acc[r][v] += x[r * ldx + l + 1] * odd;
                }
            }
        }
        _Pragma("GCC unroll 8") for (size_t r = 0; r < rows; r++)
            _Pragma("GCC unroll 8") for (size_t v = 0; v < VECTORS; v++) all[r][v] +=
            acc[r][v] * *(const vec_f32_any *)(scale + v * VEC_F32);
    }
    for (size_t r = 0; r < rows; r++)
        for (size_t v = 0; v < VECTORS; v++)
            vec_store_f32(sum + r * WIDE + v * VEC_F32, all[r][v], false);
}

/* A piece of a panel for so many rows. */
VEC_INLINE void accumulate_rows_times_panel_piece(const abdb_vec_linear *s, const int8_t *panel,
                                                  size_t from, size_t deep, size_t row,
                                                  const float *scale, float *sum, const size_t rows)
{
    const float *x = (const float *)s->x + row * s->k + from;

    if (s->halves)
        accumulate_rows_times_i4_weights(deep, x, s->k, (const uint8_t *)panel + from / 2 * WIDE,
                                         scale + from / GROUP * WIDE, sum, rows);
    else
        accumulate_rows_times_i8_weights(deep, x, s->k, panel + from * WIDE, sum, rows);
}

void VEC(gemm_skinny_quantised)(const abdb_vec_linear *s, size_t low, size_t high)
{
    float sum[VEC_FEW * WIDE] __attribute__((aligned(64)));

    for (size_t p = low; p < high; p++) {
        const int8_t *panel = (const int8_t *)s->packed + p * s->panel;
        const float *scale = s->scale + p * s->scales * WIDE;
        size_t left = p * WIDE, wide = s->n - left < WIDE ? s->n - left : WIDE;

        memset(sum, 0, s->m * WIDE * sizeof *sum);
        for (size_t from = 0; from < s->k; from += DEEP) {
            size_t deep = s->k - from < DEEP ? s->k - from : DEEP, row = 0;

            for (; row + ROWS <= s->m; row += ROWS)
                accumulate_rows_times_panel_piece(s, panel, from, deep, row, scale,
                                                  sum + row * WIDE, ROWS);
            if (ROWS > 4 && s->m - row >= 4) {
                accumulate_rows_times_panel_piece(s, panel, from, deep, row, scale,
                                                  sum + row * WIDE, 4);
                row += 4;
            }
            for (; s->m - row >= 2; row += 2)
                accumulate_rows_times_panel_piece(s, panel, from, deep, row, scale,
                                                  sum + row * WIDE, 2);
            if (s->m - row >= 1)
                accumulate_rows_times_panel_piece(s, panel, from, deep, row, scale,
                                                  sum + row * WIDE, 1);
        }
        for (size_t row = 0; row < s->m; row++)
            for (size_t j = 0; j < wide; j++)
                s->y[row * s->n + left + j] = sum[row * WIDE + j] * (s->halves ? 1 : scale[j]);
    }
}
