/* linear.c - products with weights that are pruned or quantised, for columns of one thread; see
 * vec.h and kernels/micro/linear.c.
 */
#include "kernels/providers/vec/isa/isa.h"
#include "kernels/providers/vec/isa/math.h"

/* TOKENS: rows of X that lie side by side in LANES_X vectors. DEEP: steps of a panel that are
 * expanded at a time and stay in the first level. GROUP: weights of i4 along K that share a
 * scale. */
enum { LANES_X = 4, TOKENS = LANES_X * VEC_F32, DEEP = 256, GROUP = 32 };

/* --- quantised: a piece of a panel becomes f32, then it is multiplied ------------------------- */

/* Steps [from, from + deep) of a panel of 32 columns in bytes, or in halves of bytes. */
static void widen_i8_or_dequantise_i4_piece(const abdb_vec_linear *s, size_t panel, size_t from,
                                            size_t deep, float *out)
{
    const float *scale = s->scale + panel * s->scales * 32;
    const int8_t *bytes = (const int8_t *)s->packed + panel * s->panel;

    if (!s->halves) {
        for (size_t i = 0; i < deep * 32; i++) out[i] = (float)bytes[from * 32 + i];
        return;
    }
    for (size_t k = 0; k < deep; k += 2) {
        const uint8_t *pair = (const uint8_t *)bytes + (from + k) / 2 * 32;
        const float *by = scale + (from + k) / GROUP * 32;

        for (size_t j = 0; j < 32; j++) {
            out[k * 32 + j] = (float)((pair[j] & 15) - 8) * by[j];
            out[(k + 1) * 32 + j] = (float)((pair[j] >> 4) - 8) * by[j];
        }
    }
}

/* Panels of 32 columns [low, high) for the rows [row, row + rows). gemm_tiles.c's panels may be
 * narrower: what is expanded is put into their order. */
static void multiply_quantised_panels(const abdb_vec_linear *s, size_t low, size_t high, size_t row,
                                      size_t rows, float *room)
{
    for (size_t panel = low; panel < high; panel++) {
        size_t left = panel * 32, wide = s->n - left < 32 ? s->n - left : 32;
        float *c = s->y + row * s->n + left;

        for (size_t from = 0; from < s->k; from += DEEP) {
            size_t deep = s->k - from < DEEP ? s->k - from : DEEP;
            const float *b = room;

            widen_i8_or_dequantise_i4_piece(s, panel, from, deep, room);
            if (VEC_PANEL != 32) {
                float *order = room + DEEP * 32;

                for (size_t j = 0; j < 32; j++)
                    for (size_t k = 0; k < deep; k++)
                        order[(j / VEC_PANEL * deep + k) * VEC_PANEL + j % VEC_PANEL] =
                            room[k * 32 + j];
                b = order;
            }
            VEC(f32_tiles)
            (rows, wide, deep, (const float *)s->x + row * s->k + from, s->k, 1, b,
             deep * VEC_PANEL, c, s->n, from > 0, 0);
        }
        /* A scale of i8 is the same for a whole column: multiplied once, at the end. */
        for (size_t i = 0; !s->halves && i < rows; i++)
            for (size_t j = 0; j < wide; j++) c[i * s->n + j] *= s->scale[left + j];
    }
}

/* --- blocks: those that are left, one product each -------------------------------------------- */

/* Rows [row, row + rows) of Y = X W for panels of 32 columns: the sum over the blocks of 64 x 32
 * weights that are not 0; panels without any become 0. */
static void multiply_nonzero_blocks(const abdb_vec_linear *s, size_t low, size_t high, size_t row,
                                    size_t rows)
{
    const size_t each = 64 * 32;

    for (size_t panel = low; panel < high; panel++) {
        float *c = s->y + row * s->n + panel * 32;
        const uint32_t *start = s->start + panel;

        if (start[0] == start[1])
            for (size_t i = 0; i < rows; i++) memset(c + i * s->n, 0, 32 * sizeof *c);
        for (size_t b = start[0]; b < start[1]; b++) VEC(f32_tiles)
        (rows, 32, 64, (const float *)s->x + row * s->k + s->index[b] * 64, s->k, 1,
         (const float *)s->packed + b * each, 64 * VEC_PANEL, c, s->n, b > start[0], 0);
    }
}

/* --- unstructured: tokens side by side, weight after weight of a column ----------------------- */

/* Column `j` of W against TOKENS rows of X, which lie transposed: each weight that is left is
 * multiplied with whole vectors. Two chains of sums hide the latency of the multiply-add. */
VEC_INLINE void multiply_csc_column(const abdb_vec_linear *s, size_t j, const float *x, float *out)
{
    vec_f32 sum[LANES_X], more[LANES_X];
    const float *value = (const float *)s->packed;
    size_t i = s->start[j], end = s->start[j + 1];

    _Pragma("GCC unroll 4") for (size_t v = 0; v < LANES_X; v++) sum[v] = more[v] = (vec_f32){0};
    for (; i + 2 <= end; i += 2) {
        const float *at = x + s->index[i] * (size_t)TOKENS,
                    *next = x + s->index[i + 1] * (size_t)TOKENS;

        _Pragma("GCC unroll 4") for (size_t v = 0; v < LANES_X; v++)
        {
            sum[v] += *(const vec_f32 *)(at + v * VEC_F32) * value[i];
            more[v] += *(const vec_f32 *)(next + v * VEC_F32) * value[i + 1];
        }
    }
    if (i < end)
        _Pragma("GCC unroll 4") for (size_t v = 0; v < LANES_X; v++) sum[v] +=
            *(const vec_f32 *)(x + s->index[i] * (size_t)TOKENS + v * VEC_F32) * value[i];
    _Pragma("GCC unroll 4") for (size_t v = 0; v < LANES_X; v++) *
        (vec_f32_any *)(out + v * VEC_F32) = sum[v] + more[v];
}

/* Rows of Y = X W for weights in compressed columns: X is transposed into room, TOKENS rows side
 * by side, so that each weight multiplies one vector. */
static void multiply_csc_columns(const abdb_vec_linear *s, size_t low, size_t high, size_t row,
                                 size_t rows, float *room)
{
    float out[VEC_F32 * TOKENS] __attribute__((aligned(64)));
    const float *x = (const float *)s->x + row * s->k;

    for (size_t k = 0; k < s->k; k++) {
        for (size_t i = 0; i < rows; i++) room[k * TOKENS + i] = x[i * s->k + k];
        for (size_t i = rows; i < TOKENS; i++) room[k * TOKENS + i] = 0;
    }
    for (size_t j = low * 32; j < high * 32 && j < s->n; j += VEC_F32) {
        size_t wide = s->n - j < VEC_F32 ? s->n - j : VEC_F32;

        for (size_t c = 0; c < wide; c++) multiply_csc_column(s, j + c, room, out + c * TOKENS);
        for (size_t i = 0; i < rows; i++)
            for (size_t c = 0; c < wide; c++) s->y[(row + i) * s->n + j + c] = out[c * TOKENS + i];
    }
}

size_t VEC(linear_work_floats)(const abdb_vec_linear *s)
{
    return s->how == ABDB_UNSTRUCTURED ? s->k * TOKENS : 2 * DEEP * 32;
}

void VEC(multiply_pruned_or_quantised)(const abdb_vec_linear *s, size_t low, size_t high,
                                       float *room)
{
    /* Rows at a time: as many as lie side by side, or 120, ten tiles of 12. */
    const size_t most = s->how == ABDB_UNSTRUCTURED ? TOKENS : 120;

    if (s->how == ABDB_QUANTISED && s->m <= VEC_FEW) {
        VEC(gemm_skinny_quantised)(s, low, high);
        return;
    }
    for (size_t row = 0; row < s->m; row += most) {
        size_t rows = s->m - row < most ? s->m - row : most;

        switch (s->how) {
        case ABDB_UNSTRUCTURED: multiply_csc_columns(s, low, high, row, rows, room); break;
        case ABDB_BLOCKS: multiply_nonzero_blocks(s, low, high, row, rows); break;
        default: multiply_quantised_panels(s, low, high, row, rows, room);
        }
    }
}
