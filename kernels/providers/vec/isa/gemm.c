/* gemm.c - the matrix product, after Goto and van de Geijn 2008: each thread has a part of C. Of
 * its columns it packs a slab of B in panels of two vectors' columns, of its rows blocks of A row
 * after row (A's elements are only ever broadcast), and tiles of C stay in registers over up to 8
 * KiB of a row. The second level holds a block of A (half of it) and a panel of B; the last level a
 * slab of B, so that memory carries C once for each pass, and A once for each slab. No thread reads
 * what another has packed: processors that share no cache lose nothing, and none waits.
 * Packing, and the sizes of steps: pack.h.
 */
#include <omp.h>
#include <string.h>

#include "kernels/providers/vec/isa/math.h"
#include "kernels/providers/vec/isa/pack.h"

/* --- multiplying ------------------------------------------------------------------------------ */

/* Rows and columns of C from packed B; a and c by bytes. */
static void multiply_packed_panels(const abdb_vec_gemm_call *s, size_t rows, size_t columns,
                                   size_t steps, const void *a, size_t ai, size_t ak, const void *b,
                                   void *c, size_t ldc, bool add)
{
    size_t panel = packed_panel_bytes(s) / bytes_per_step(s), ahead = s->tuning->ahead;

#if defined(__AMX_TILE__)
    if (gemm_uses_amx_tiles(s)) {
        VEC(amx_gemm)
        (s->dtype == ABDB_I8, rows, columns, steps / VEC_STEPS, a, ai * 4, b, packed_panel_bytes(s),
         c, ldc * 4, add);
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
} thread_share;

/* Where part `i` of `parts` of n begins, in whole grains. */
static size_t grain_aligned_start_of_part(size_t n, size_t grain, size_t part, size_t parts)
{
    size_t grains = (n + grain - 1) / grain, at = grains * part / parts * grain;

    return at < n ? at : n;
}

/* Rows and columns of C that a thread makes, in a grid of grid_m x grid_n at whole tiles, and
 * its room for packed operands and sums. */
static thread_share gemm_share_of_thread(const abdb_vec_gemm_call *s, size_t thread)
{
    size_t columns = ROW / bytes_per_step(s), i = thread / s->grid_n, j = thread % s->grid_n;

    return (thread_share){.top = grain_aligned_start_of_part(s->m, TILE_ROWS, i, s->grid_m),
                          .bottom = grain_aligned_start_of_part(s->m, TILE_ROWS, i + 1, s->grid_m),
                          .left = grain_aligned_start_of_part(s->n, columns, j, s->grid_n),
                          .right = grain_aligned_start_of_part(s->n, columns, j + 1, s->grid_n),
                          .a = (char *)s->room_a + thread * s->packed_a,
                          .b = (char *)s->room_b + (s->b_packed ? 0 : thread * s->packed_b),
                          .sums = (float *)(void *)((char *)s->room_sums + thread * s->sums)};
}

/* Where the packed panels of columns from `left` on, of the pass at `depth`, lie: in the thread's
 * slab, or (packed beforehand) among all panels, pass by pass. */
static char *packed_panels_of_columns(const abdb_vec_gemm_call *s, const thread_share *x,
                                      size_t left, size_t depth)
{
    size_t columns = ROW / bytes_per_step(s);

    if (!s->b_packed) return x->b;
    return x->b + (depth / s->depth * ((s->n + columns - 1) / columns) + left / columns) *
                      packed_panel_bytes(s);
}

/* Packs `deep` rows of B from row `depth` on, columns [left, left + wide), panel by panel; steps
 * that fill up a panel are 0. */
static void pack_slab_of_b(const abdb_vec_gemm_call *s, const thread_share *x, size_t left,
                           size_t wide, size_t depth, size_t deep)
{
    size_t columns = ROW / bytes_per_step(s);
    size_t steps = steps_of_depth(s, deep), pad = (packed_steps_of_depth(s, deep) - steps) * ROW;
    char *out = packed_panels_of_columns(s, x, left, depth);

    for (size_t j = 0; j < wide; j += columns, out += packed_panel_bytes(s)) {
        VEC(pack_panel_of_b)(s, depth, deep, left + j, out);
        memset(out + steps * ROW, 0, pad);
    }
}

/* Rows of a block where the tiles want them: packed into the share's room, or where they are.
 * From a row to the next, and from a step to the next, in steps. */
static const char *pack_or_point_at_rows_of_a(const abdb_vec_gemm_call *s, const thread_share *x,
                                              size_t row, size_t rows, size_t depth, size_t deep,
                                              size_t *ai, size_t *ak)
{
    size_t step = bytes_per_step(s);

    *ai = packed_steps_of_depth(s, deep) + PAD / step;
    *ak = 1;
    if (s->direct && !gemm_uses_amx_tiles(s)) {
        *ai = s->lda * s->size / step;
        return (const char *)s->a + (row * s->lda + depth) * s->size;
    }
    if (s->ta && !gemm_uses_amx_tiles(s)) {
        *ai = 1;
        *ak = s->block + PAD / step;
    }
    if (s->ta) VEC(pack_rows_of_transposed_a)
    (s, row, rows, depth, deep, gemm_uses_amx_tiles(s) ? *ai : *ak, x->a);
    else for (size_t r = 0; r < rows; r++)
        VEC(pack_row_of_a)(s, row + r, depth, deep, x->a + r * *ai * step);
    return x->a;
}

/* Rows of a panel that are summed before they are rounded, in the first level: whole tiles of every
 * instruction set. */
enum { NEAR_ROWS = 96 };

/* A panel of C, `wide` columns from `left` on, in one pass, rounded from sums that no other panel
 * needs. What C has to say is asked for before the sums are there. */
static void multiply_panel_then_epilogue(const abdb_vec_gemm_call *s, const thread_share *x,
                                         size_t row, size_t rows, size_t left, size_t wide,
                                         const char *a, size_t ai, size_t ak, const char *b)
{
    size_t steps = packed_steps_of_depth(s, s->k), columns = ROW / bytes_per_step(s);

    for (size_t i = 0; i < rows; i += NEAR_ROWS) {
        size_t some = rows - i < NEAR_ROWS ? rows - i : NEAR_ROWS;
        const char *c = (const char *)s->c + ((row + i) * s->ldc + left) * s->size;

        for (size_t r = 0; r < some; r++) __builtin_prefetch(c + r * s->ldc * s->size, 1);
        multiply_packed_panels(s, some, wide, steps, a + i * ai * bytes_per_step(s), ai, ak, b,
                               x->sums, columns, false);
        VEC(epilogue)(s, x->sums, columns, row + i, some, left, wide, s->beta);
    }
}

/* Rows [row, row + rows) of a share, `wide` columns from `left` on, one pass. The last pass of what
 * is more than a sum goes panel by panel, each finished while it is near. */
static void multiply_block_of_share(const abdb_vec_gemm_call *s, const thread_share *x, size_t row,
                                    size_t rows, size_t left, size_t wide, size_t depth,
                                    size_t deep)
{
    /* C of bf16 and f16 is summed in f32 over all passes, and rounded with the last. */
    bool rounded = s->dtype == ABDB_BF16 || s->dtype == ABDB_F16;
    bool last = depth + deep == s->k && (rounded || s->bias || s->act);
    size_t step = bytes_per_step(s), columns = last ? ROW / step : wide, ai, ak;
    size_t ldc = rounded ? s->slab : s->ldc;
    const char *a = pack_or_point_at_rows_of_a(s, x, row, rows, depth, deep, &ai, &ak),
               *b = packed_panels_of_columns(s, x, left, depth);
    char *c = rounded ? (char *)(x->sums + (row - x->top) * s->slab)
                      : (char *)s->c + (row * s->ldc + left) * step;

    for (size_t j = 0; j < wide; j += columns, c += columns * step, b += packed_panel_bytes(s)) {
        size_t here = wide - j < columns ? wide - j : columns;

        if (rounded && deep == s->k) {
            multiply_panel_then_epilogue(s, x, row, rows, left + j, here, a, ai, ak, b);
            continue;
        }
        multiply_packed_panels(s, rows, here, packed_steps_of_depth(s, deep), a, ai, ak, b, c, ldc,
                               depth > 0 || (s->beta && !rounded));
        if (last) VEC(epilogue)(s, c, ldc, row, rows, left + j, here, s->beta && rounded);
    }
}

/* One slab of a share after another, pass by pass: packed, then multiplied block by block. */
static void pack_and_multiply_slabs(const abdb_vec_gemm_call *s, const thread_share *x)
{
    for (size_t left = x->left; left < x->right; left += s->slab)
        for (size_t depth = 0; depth < s->k; depth += s->depth) {
            size_t wide = x->right - left < s->slab ? x->right - left : s->slab;
            size_t deep = s->k - depth < s->depth ? s->k - depth : s->depth;

            if (!s->b_packed) pack_slab_of_b(s, x, left, wide, depth, deep);
            for (size_t row = x->top; row < x->bottom; row += s->block)
                multiply_block_of_share(s, x, row,
                                        x->bottom - row < s->block ? x->bottom - row : s->block,
                                        left, wide, depth, deep);
        }
}

/* Makes a thread's part of C: few rows without packing, else by packed tiles, of AMX where the
 * processor has it. */
static void multiply_share_of_thread(const abdb_vec_gemm_call *s, const thread_share *x)
{
    if (s->skinny) {
        VEC(gemm_skinny)(s, x->left, x->right);
        return;
    }
#if defined(__AMX_TILE__)
    if (gemm_uses_amx_tiles(s)) VEC(amx_configure_tiles)();
    pack_and_multiply_slabs(s, x);
    if (gemm_uses_amx_tiles(s)) VEC(amx_release_tiles)();
#else
    pack_and_multiply_slabs(s, x);
#endif
}

void VEC(gemm)(const abdb_vec_gemm_call *s)
{
    if (s->threads == 1) { /* perhaps one of many at once */
        thread_share x = gemm_share_of_thread(s, 0);

        multiply_share_of_thread(s, &x);
        return;
    }
#pragma omp parallel num_threads(s->threads)
    {
        size_t thread = (size_t)omp_get_thread_num();
        thread_share x = gemm_share_of_thread(s, thread);

        if (thread < s->grid_m * s->grid_n) multiply_share_of_thread(s, &x);
    }
}

/* By the threads that will read it: pages lie near them. */
void VEC(pack_b)(const abdb_vec_gemm_call *s)
{
#pragma omp parallel num_threads(s->threads)
    {
        size_t thread = (size_t)omp_get_thread_num();
        thread_share x = gemm_share_of_thread(s, thread);

        for (size_t depth = 0; thread < s->grid_n && depth < s->k; depth += s->depth)
            pack_slab_of_b(s, &x, x.left, x.right - x.left, depth,
                           s->k - depth < s->depth ? s->k - depth : s->depth);
    }
}
