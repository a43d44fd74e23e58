/* gemm_tile.h - C = A x B, or C += A x B, from B in panels: a template, included by gemm_tiles.c
 * once for each format of elements. MR rows by two vectors of C stay in registers over all steps;
 * fewer rows at the lower edge take smaller tiles, so that no step is done for nothing.
 *
 * Wants: TILE(name); A_TYPE, an element of A for one step, broadcast to all lanes; B_TYPE, of B;
 * C_TYPE, VECTOR, VECTOR_ANY of C; LANES; LOAD(b); STEP(sum, a, b); FINISH(sum, b), with b behind
 * the last step of the panel. Undefines them.
 */
#define TILE_ALWAYS static inline __attribute__((always_inline))

/* rows, vectors (1 or 2) and whether A lies by columns are constants where it is inlined. */
TILE_ALWAYS void TILE(multiply_register_tile)(size_t steps, const A_TYPE *a, size_t ai, size_t ak,
                                              const B_TYPE *b, C_TYPE *c, size_t ldc,
                                              size_t columns, bool add, size_t ahead,
                                              const size_t rows, const size_t vectors)
{
    /* The tile of C, in registers: all indices are constants once the loops are unrolled. */
    VECTOR sum[TILE_ROWS][2];
    /* Rows that lie apart are reached from every third one, 0, 1 and 2 times `ai` behind it: twelve
     * pointers do not fit into the registers, and fetching them again took 8 % of the time. */
    enum { NEXT = 3 };
    const A_TYPE *at[TILE_ROWS / NEXT];

    _Pragma("GCC unroll 12") for (size_t i = 0; i < rows; i++)
        _Pragma("GCC unroll 2") for (size_t v = 0; v < vectors; v++)
    {
        sum[i][v] = (VECTOR){0};
        __builtin_prefetch(c + i * ldc + v * LANES, 1);
    }
    for (size_t i = 0; i < rows; i += NEXT) at[i / NEXT] = a + i * ai;
    for (size_t k = 0; k < steps; k++) {
        VECTOR in[2];

        _Pragma("GCC unroll 2") for (size_t v = 0; v < vectors; v++)
        {
            in[v] = LOAD(b + v * LANES);
            if (ahead) __builtin_prefetch((const char *)(b + v * LANES) + ahead, 0, 3);
        }
        _Pragma("GCC unroll 12") for (size_t i = 0; i < rows; i++)
            _Pragma("GCC unroll 2") for (size_t v = 0; v < vectors; v++) sum[i][v] =
                STEP(sum[i][v], at[i / NEXT][i % NEXT * ai], in[v]);
        _Pragma("GCC unroll 12") for (size_t i = 0; i < rows; i += NEXT)
        {
            at[i / NEXT] += ak;
            __asm__("" : "+r"(at[i / NEXT]));
        }
        b += 2 * LANES;
    }
    _Pragma("GCC unroll 12") for (size_t i = 0; i < rows; i++)
        _Pragma("GCC unroll 2") for (size_t v = 0; v < vectors; v++) sum[i][v] =
            FINISH(sum[i][v], b + v * LANES);
    if (columns == vectors * LANES) {
        _Pragma("GCC unroll 12") for (size_t i = 0; i < rows; i++)
            _Pragma("GCC unroll 2") for (size_t v = 0; v < vectors; v++)
        {
            VECTOR_ANY *out = (VECTOR_ANY *)(c + i * ldc + v * LANES);

            if (add) sum[i][v] += *out;
            *out = sum[i][v];
        }
        return;
    }
    for (size_t i = 0; i < rows; i++) {
        /* The right edge: a part of the tile is stored element by element. */
        C_TYPE edge[2 * LANES];

        for (size_t v = 0; v < vectors; v++) *(VECTOR_ANY *)(edge + v * LANES) = sum[i][v];
        for (size_t j = 0; j < columns; j++) c[i * ldc + j] = edge[j] + (add ? c[i * ldc + j] : 0);
    }
}

/* All rows of one panel; by_rows: ak is 1, else ai is 1. */
#define STRIP(rows, vectors)                                                                   \
    (by_rows ? TILE(multiply_register_tile)(steps, a + i * ai, ai, 1, b, c + i * ldc, ldc,     \
                                            columns, add, ahead, rows, vectors)                \
             : TILE(multiply_register_tile)(steps, a + i, 1, ak, b, c + i * ldc, ldc, columns, \
                                            add, ahead, rows, vectors))
#define STRIPS(vectors)                                                   \
    for (; m - i >= TILE_ROWS; i += TILE_ROWS) STRIP(TILE_ROWS, vectors); \
    if (TILE_ROWS > 8 && m - i >= 8) {                                    \
        STRIP(8, vectors);                                                \
        i += 8;                                                           \
    }                                                                     \
    if (m - i >= 4) {                                                     \
        STRIP(4, vectors);                                                \
        i += 4;                                                           \
    }                                                                     \
    if (m - i >= 2) {                                                     \
        STRIP(2, vectors);                                                \
        i += 2;                                                           \
    }                                                                     \
    if (m - i >= 1) STRIP(1, vectors)

static void TILE(multiply_rows_by_panel)(size_t m, size_t columns, size_t steps, const A_TYPE *a,
                                         size_t ai, size_t ak, const B_TYPE *b, C_TYPE *c,
                                         size_t ldc, bool add, size_t ahead)
{
    const bool by_rows = ak == 1;
    size_t i = 0;

    if (columns > LANES) {
        STRIPS(2);
    } else {
        STRIPS(1);
    }
}

void VEC(TILE(tiles))(size_t m, size_t n, size_t steps, const A_TYPE *a, size_t ai, size_t ak,
                      const B_TYPE *b, size_t panel, C_TYPE *c, size_t ldc, bool add, size_t ahead)
{
    for (size_t j = 0; j < n; j += 2 * LANES, b += panel) TILE(multiply_rows_by_panel)
    (m, n - j < 2 * LANES ? n - j : 2 * LANES, steps, a, ai, ak, b, c + j, ldc, add, ahead);
}

#undef TILE_ALWAYS
#undef STRIP
#undef STRIPS
#undef TILE
#undef A_TYPE
#undef B_TYPE
#undef C_TYPE
#undef VECTOR
#undef VECTOR_ANY
#undef LANES
#undef LOAD
#undef STEP
#undef FINISH
