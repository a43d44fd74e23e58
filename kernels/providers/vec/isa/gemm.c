/* gemm.c - the matrix product, after Goto and van de Geijn 2008: each thread has a part of C. Of
 * its columns it packs a slab of B in panels of two vectors' columns, of its rows blocks of A row
 * after row (A's elements are only ever broadcast), and tiles of C stay in registers over up to 8
 * KiB of a row. The second level holds a block of A (half of it) and a panel of B; the last level a
 * slab of B, so that memory carries C once for each pass, and A once for each slab. No thread reads
 * what another has packed: processors that share no cache lose nothing, and none waits.
 *
 * Sizes are in bytes where formats share the code: a step of A is a 32-bit element of f32, a pair
 * of bf16, four i8, or a 64-bit one of f64, and so is an element of the sums. f16 is packed as f32:
 * its own multiply-adds (AVX512-FP16) have sums of f16, which lose what sums of f32 keep.
 */
#include <omp.h>
#include <string.h>

#include "kernels/providers/vec/isa/isa.h"
#include "kernels/providers/vec/isa/math.h"

/* ROW: bytes of a row of a panel of B. PAD: between rows of packed A, so that they do not all fall
 * into the same sets of a cache. */
enum { ROW = 2 * VEC_BYTES, PAD = 64 };

/* Bytes of a step of A, and of a sum. */
static size_t step_bytes(const abdb_vec_product *s)
{
    return s->dtype == ABDB_F64 ? 8 : 4;
}

static size_t steps_of(const abdb_vec_product *s, size_t deep)
{
    return (deep * abdb_vec_packed(s->dtype) + step_bytes(s) - 1) / step_bytes(s);
}

/* Is it made of tiles of AMX? Then A and B are packed as they are, up to whole tiles. */
static bool by_tiles(const abdb_vec_product *s)
{
#if defined(__AMX_TILE__)
    return s->dtype == ABDB_BF16 || s->dtype == ABDB_I8;
#else
    (void)s;
    return false;
#endif
}

static size_t packed_steps(const abdb_vec_product *s, size_t deep)
{
    return by_tiles(s) ? abdb_vec_up(steps_of(s, deep), VEC_STEPS) : steps_of(s, deep);
}

/* From a panel of B to the next: the steps of a whole pass, and one more row, where i8 keeps what
 * its result is corrected by (add_offsets). */
static size_t panel_bytes(const abdb_vec_product *s)
{
    return (abdb_vec_up(steps_of(s, s->depth < s->k ? s->depth : s->k), VEC_STEPS) + 1) * ROW;
}

/* f16 to f32, a row. */
static void widen(const uint16_t *in, size_t n, float *out)
{
    size_t i = 0;

    for (; i + VEC_F32 <= n; i += VEC_F32) vec_put_f32(out + i, vec_get_f16(in + i), false);
    for (; i < n; i++) out[i] = abdb_f16_value(in[i]);
}

/* --- packing A -------------------------------------------------------------------------------- */

/* Row `row` of A, elements [depth, depth + deep), zeros up to a whole step. */
static void pack_row(const abdb_vec_product *s, size_t row, size_t depth, size_t deep, char *out)
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

/* Step [depth, depth + 2) of a transposed A of bf16, of `rows` rows, `stride` apart: the upper row
 * in the upper half. */
static void pack_pair(const abdb_vec_product *s, size_t row, size_t rows, size_t depth, bool both,
                      size_t stride, uint32_t *out)
{
    const uint16_t *a = (const uint16_t *)s->a + depth * s->lda + row, *next = a + s->lda;

    if (both)
        for (size_t i = 0; i < rows; i++) out[i * stride] = a[i] | (uint32_t)next[i] << 16;
    else
        for (size_t i = 0; i < rows; i++) out[i * stride] = a[i];
}

/* The same of `rows` rows of an A that is stored transposed: step k of all rows, then step k + 1,
 * `stride` steps apart. */
static void pack_transposed(const abdb_vec_product *s, size_t row, size_t rows, size_t depth,
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
        pack_pair(s, row, rows, depth + k, k + 1 < deep, 1,
                  (uint32_t *)(void *)out + k / 2 * stride);
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

/* --- multiplying ------------------------------------------------------------------------------ */

/* Rows and columns of C from packed B; a and c by bytes. */
static void multiply(const abdb_vec_product *s, size_t rows, size_t columns, size_t steps,
                     const void *a, size_t ai, size_t ak, const void *b, void *c, size_t ldc,
                     bool add)
{
    size_t panel = panel_bytes(s) / step_bytes(s), ahead = s->tuning->ahead;

#if defined(__AMX_TILE__)
    if (by_tiles(s)) {
        VEC(amx_tiles)
        (s->dtype == ABDB_I8, rows, columns, steps / VEC_STEPS, a, ai * 4, b, panel_bytes(s), c,
         ldc * 4, add);
        return;
    }
#endif
    switch (s->dtype) {
    case ABDB_F16:
    case ABDB_F32:
        VEC(f32_tiles)(rows, columns, steps, a, ai, ak, b, panel, c, ldc, add, ahead);
        break;
    case ABDB_F64:
        VEC(f64_tiles)(rows, columns, steps, a, ai, ak, b, panel, c, ldc, add, ahead);
        break;
#if defined(__AVX512F__)
    case ABDB_BF16:
        VEC(bf16_tiles)(rows, columns, steps, a, ai, ak, b, panel, c, ldc, add, ahead);
        break;
    case ABDB_I8:
        VEC(i8_tiles)(rows, columns, steps, a, ai, ak, b, panel, c, ldc, add, ahead);
        break;
#endif
    default: break; /* refused */
    }
}

/* The part of C of a thread, rows [top, bottom) and columns [left, right), and its room: a block of
 * A, a slab of B, sums of bf16. */
typedef struct {
    size_t top, bottom, left, right;
    char *a, *b;
    float *sums;
} share;

/* Where part `i` of `parts` of n begins, in whole grains. */
static size_t cut(size_t n, size_t grain, size_t i, size_t parts)
{
    size_t grains = (n + grain - 1) / grain, at = grains * i / parts * grain;

    return at < n ? at : n;
}

static share share_of(const abdb_vec_product *s, size_t thread)
{
    size_t columns = ROW / step_bytes(s), i = thread / s->grid_n, j = thread % s->grid_n;

    return (share){.top = cut(s->m, TILE_ROWS, i, s->grid_m),
                   .bottom = cut(s->m, TILE_ROWS, i + 1, s->grid_m),
                   .left = cut(s->n, columns, j, s->grid_n),
                   .right = cut(s->n, columns, j + 1, s->grid_n),
                   .a = (char *)s->room_a + thread * s->packed_a,
                   .b = (char *)s->room_b + (s->ready ? 0 : thread * s->packed_b),
                   .sums = (float *)(void *)((char *)s->room_sums + thread * s->sums)};
}

/* Where the packed panels of columns from `left` on, of the pass at `depth`, lie: in the thread's
 * slab, or (packed beforehand) among all panels, pass by pass. */
static char *packed_at(const abdb_vec_product *s, const share *x, size_t left, size_t depth)
{
    size_t columns = ROW / step_bytes(s);

    if (!s->ready) return x->b;
    return x->b +
           (depth / s->depth * ((s->n + columns - 1) / columns) + left / columns) * panel_bytes(s);
}

static void pack_slab(const abdb_vec_product *s, const share *x, size_t left, size_t wide,
                      size_t depth, size_t deep)
{
    size_t columns = ROW / step_bytes(s);
    size_t steps = steps_of(s, deep), pad = (packed_steps(s, deep) - steps) * ROW;
    char *out = packed_at(s, x, left, depth);

    for (size_t j = 0; j < wide; j += columns, out += panel_bytes(s)) {
        VEC(pack_panel)(s, depth, deep, left + j, out);
        memset(out + steps * ROW, 0, pad);
    }
}

#if defined(__AVX512F__)
#pragma GCC push_options
#pragma GCC target("avx512bf16")
/* Sums in f32 rounded to bf16: rows from `row` on, columns from `left` on, of the slab's sums. */
static void round_sums(const abdb_vec_product *s, const float *sums, size_t row, size_t rows,
                       size_t left, size_t wide)
{
    for (size_t i = 0; i < rows; i++) {
        uint16_t *c = (uint16_t *)s->c + (row + i) * s->ldc + left;

        for (size_t j = 0; j < wide; j += 16) {
            __mmask16 there = wide - j >= 16 ? 0xFFFF : (__mmask16)((1u << (wide - j)) - 1);
            __m512 v = _mm512_maskz_loadu_ps(there, sums + i * s->slab + j);

            _mm256_mask_storeu_epi16(c + j, there, (__m256i)_mm512_cvtneps_pbh(v));
        }
    }
}
#pragma GCC pop_options
#endif

/* The same to f16. */
static void narrow_sums(const abdb_vec_product *s, const float *sums, size_t row, size_t rows,
                        size_t left, size_t wide)
{
    for (size_t i = 0; i < rows; i++) {
        uint16_t *c = (uint16_t *)s->c + (row + i) * s->ldc + left;
        size_t j = 0;

        for (; j + VEC_F32 <= wide; j += VEC_F32)
            vec_put_f16(c + j, vec_get_f32(sums + i * s->slab + j), false);
        for (; j < wide; j++) c[j] = abdb_f16(sums[i * s->slab + j]);
    }
}

/* Rows [row, row + rows) of a share, `wide` columns from `left` on, one pass. */
static void multiply_block(const abdb_vec_product *s, const share *x, size_t row, size_t rows,
                           size_t left, size_t wide, size_t depth, size_t deep)
{
    size_t step = step_bytes(s), steps = packed_steps(s, deep);
    size_t ai = steps + PAD / step, ak = 1;
    const char *a = x->a;
    /* C of bf16 and f16 is summed in f32 over all passes, and rounded with the last. */
    bool rounded = s->dtype == ABDB_BF16 || s->dtype == ABDB_F16;
    float *sums = x->sums + (row - x->top) * s->slab;
    char *c = rounded ? (char *)sums : (char *)s->c + (row * s->ldc + left) * step;

    if (s->direct && !by_tiles(s)) {
        a = (const char *)s->a + (row * s->lda + depth) * s->size;
        ai = s->lda * s->size / step;
    } else if (s->ta && by_tiles(s)) {
        memset(x->a, 0, rows * ai * step);
        for (size_t k = 0; k < deep; k += 2)
            pack_pair(s, row, rows, depth + k, k + 1 < deep, ai, (uint32_t *)(void *)x->a + k / 2);
    } else if (s->ta) {
        ai = 1;
        ak = s->block + PAD / step;
        pack_transposed(s, row, rows, depth, deep, ak, x->a);
    } else {
        for (size_t r = 0; r < rows; r++) pack_row(s, row + r, depth, deep, x->a + r * ai * step);
    }
    multiply(s, rows, wide, steps, a, ai, ak, packed_at(s, x, left, depth), c,
             rounded ? s->slab : s->ldc, depth > 0);
    if (!rounded || depth + deep < s->k) return;
#if defined(__AVX512F__)
    if (s->dtype == ABDB_BF16) round_sums(s, sums, row, rows, left, wide);
#endif
    if (s->dtype == ABDB_F16) narrow_sums(s, sums, row, rows, left, wide);
}

/* One slab of a share after another, pass by pass: packed, then multiplied block by block. */
static void multiply_slabs(const abdb_vec_product *s, const share *x)
{
    for (size_t left = x->left; left < x->right; left += s->slab)
        for (size_t depth = 0; depth < s->k; depth += s->depth) {
            size_t wide = x->right - left < s->slab ? x->right - left : s->slab;
            size_t deep = s->k - depth < s->depth ? s->k - depth : s->depth;

            if (!s->ready) pack_slab(s, x, left, wide, depth, deep);
            for (size_t row = x->top; row < x->bottom; row += s->block)
                multiply_block(s, x, row, x->bottom - row < s->block ? x->bottom - row : s->block,
                               left, wide, depth, deep);
        }
}

static void multiply_share(const abdb_vec_product *s, const share *x)
{
    if (s->few) {
        VEC(few)(s, x->left, x->right);
        return;
    }
#if defined(__AMX_TILE__)
    if (by_tiles(s)) VEC(amx_begin)();
    multiply_slabs(s, x);
    if (by_tiles(s)) VEC(amx_end)();
#else
    multiply_slabs(s, x);
#endif
}

void VEC(gemm)(const abdb_vec_product *s)
{
    if (s->threads == 1) { /* perhaps one of many at once */
        share x = share_of(s, 0);

        multiply_share(s, &x);
        return;
    }
#pragma omp parallel num_threads(s->threads)
    {
        size_t thread = (size_t)omp_get_thread_num();
        share x = share_of(s, thread);

        if (thread < s->grid_m * s->grid_n) multiply_share(s, &x);
    }
}

/* By the threads that will read it: pages lie near them. */
void VEC(pack)(const abdb_vec_product *s)
{
#pragma omp parallel num_threads(s->threads)
    {
        size_t thread = (size_t)omp_get_thread_num();
        share x = share_of(s, thread);

        for (size_t depth = 0; thread < s->grid_n && depth < s->k; depth += s->depth)
            pack_slab(s, &x, x.left, x.right - x.left, depth,
                      s->k - depth < s->depth ? s->k - depth : s->depth);
    }
}
