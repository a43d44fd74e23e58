/* amx.c - products by tiles of 16 rows of 64 bytes (AMX): two tiles of A, two of B, four of sums,
 * so that each tile that is read takes part in two products. B lies in the panels of gemm_tile.h,
 * whose steps (a pair of bf16, four i8) are what a tile of B has in a row; A row after row; the
 * elements of both are zero up to whole tiles, and rows behind A's last may be anything that can be
 * read. Intel, Architectures Optimization Reference Manual, chapter on AMX. */
#include <string.h>

#include "kernels/providers/vec/isa/isa.h"
#include "kernels/providers/vec/isa/machine.h"

#if defined(__AMX_TILE__)
enum { SIDE = 16, ROWS = 2 * SIDE, COLUMNS = 2 * SIDE, ROW = 64 };

/* Eight tiles of 16 rows of 64 bytes, the others none. Constant: gcc thinks that an instruction
 * which reads it reads its first bytes only, and would leave out what is written for it. */
static const struct {
    uint8_t palette, start, reserved[14];
    uint16_t bytes[16];
    uint8_t rows[16];
} shape = {.palette = 1,
           .bytes = {ROW, ROW, ROW, ROW, ROW, ROW, ROW, ROW},
           .rows = {SIDE, SIDE, SIDE, SIDE, SIDE, SIDE, SIDE, SIDE}};

void VEC(amx_configure_tiles)(void)
{
    _tile_loadconfig(&shape);
}

void VEC(amx_release_tiles)(void)
{
    _tile_release();
}

/* Sums (rows ldc bytes apart) of so many tiles along K; `low`: 16 rows or fewer. */
#define BLOCK(name, product)                                                                      \
    static void name(size_t tiles, const char *a, size_t lda, const char *b, char *c, size_t ldc, \
                     bool add, bool low)                                                          \
    {                                                                                             \
        const char *a_low = a + SIDE * lda;                                                       \
        char *c_low = c + SIDE * ldc;                                                             \
                                                                                                  \
        _tile_zero(0);                                                                            \
        _tile_zero(1);                                                                            \
        _tile_zero(2);                                                                            \
        _tile_zero(3);                                                                            \
        if (add) {                                                                                \
            _tile_loadd(0, c, ldc);                                                               \
            _tile_loadd(1, c + ROW, ldc);                                                         \
            if (!low) {                                                                           \
                _tile_loadd(2, c_low, ldc);                                                       \
                _tile_loadd(3, c_low + ROW, ldc);                                                 \
            }                                                                                     \
        }                                                                                         \
        for (size_t t = 0; t < tiles; t++, a += ROW, a_low += ROW, b += SIDE * 2 * ROW) {         \
            _tile_loadd(6, b, 2 * ROW);                                                           \
            _tile_loadd(4, a, lda);                                                               \
            _tile_loadd(7, b + ROW, 2 * ROW);                                                     \
            product(0, 4, 6);                                                                     \
            product(1, 4, 7);                                                                     \
            if (low) continue;                                                                    \
            _tile_loadd(5, a_low, lda);                                                           \
            product(2, 5, 6);                                                                     \
            product(3, 5, 7);                                                                     \
        }                                                                                         \
        _tile_stored(0, c, ldc);                                                                  \
        _tile_stored(1, c + ROW, ldc);                                                            \
        if (!low) {                                                                               \
            _tile_stored(2, c_low, ldc);                                                          \
            _tile_stored(3, c_low + ROW, ldc);                                                    \
        }                                                                                         \
    }
BLOCK(bf16_block, _tile_dpbf16ps)
BLOCK(i8_block, _tile_dpbssd)

/* Rows and columns at an edge of C: by way of a whole block. */
static void copy_edge_of_block(size_t rows, size_t bytes, const char *from, size_t from_row,
                               char *to, size_t to_row)
{
    for (size_t i = 0; i < rows; i++) memcpy(to + i * to_row, from + i * from_row, bytes);
}

void VEC(amx_gemm)(bool bytes, size_t m, size_t n, size_t tiles, const char *a, size_t lda,
                   const char *b, size_t panel, char *c, size_t ldc, bool add)
{
    char edge[ROWS * COLUMNS * 4] __attribute__((aligned(64)));

    for (size_t j = 0; j < n; j += COLUMNS, b += panel)
        for (size_t i = 0; i < m; i += ROWS) {
            size_t rows = m - i < ROWS ? m - i : ROWS, wide = n - j < COLUMNS ? n - j : COLUMNS;
            bool whole = wide == COLUMNS && rows % SIDE == 0;
            char *at = c + i * ldc + j * 4, *to = whole ? at : edge;
            size_t row = whole ? ldc : COLUMNS * 4;

            if (!whole && add) copy_edge_of_block(rows, wide * 4, at, ldc, edge, row);
            (bytes ? i8_block : bf16_block)(tiles, a + i * lda, lda, b, to, row, add, rows <= SIDE);
            if (!whole) copy_edge_of_block(rows, wide * 4, edge, row, at, ldc);
        }
}
#else
typedef int abdb_no_tiles; /* a file is never empty */
#endif
