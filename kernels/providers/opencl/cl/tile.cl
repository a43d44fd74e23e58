/* tile.cl - a product out of panels (pack.cl): a work-item makes tiles of ROWS x VECTORS vectors of
 * C, BLOCKS panels of A one after another with one panel of B, over depth [from, to). -DTO_BF16,
 * -DTO_F16, -DTO_I32: the format of C, where it is not that of the sums; add: to what is there. Dimensions: groups of panels of A, panels of B,
 * matrices; matrix b of C is made of number b / share_a of A and b / share_b of B. */
enum { COLUMNS = VECTORS * LANES };

#if defined TO_BF16
typedef ushort OUT;
#define STORE(to, i, x) (to)[i] = to_bf16(x)
#elif defined TO_F16
typedef half OUT;
#define STORE(to, i, x) vstore_half_rte(x, i, to)
#elif defined TO_I32
typedef int OUT;
#define STORE(to, i, x) (to)[i] = (add ? (to)[i] : 0) + (int)(x)
#else
typedef REAL OUT;
#define STORE(to, i, x) (to)[i] = (add ? (to)[i] : 0) + (x)
#define WHOLE
#endif

void store(global OUT *c, ulong row, ulong rows, ulong columns, REALV t[ROWS][VECTORS], int add)
{
#ifdef WHOLE
    if (rows == ROWS && columns == COLUMNS) {
#pragma unroll
        for (int r = 0; r < ROWS; r++)
#pragma unroll
            for (int v = 0; v < VECTORS; v++) {
                global REAL *at = c + r * row + v * LANES;

                VSTORE(add ? VLOAD(0, at) + t[r][v] : t[r][v], 0, at);
            }
        return;
    }
#endif
    for (int r = 0; r < ROWS; r++) {
        REAL line[COLUMNS];

        if (r >= rows) break;
        for (int v = 0; v < VECTORS; v++) VSTORE(t[r][v], v, line);
        for (ulong j = 0; j < columns; j++) STORE(c, r * row + j, line[j]);
    }
}

KERNEL void tile(global const REAL *a, global const REAL *b, global OUT *c, ulong m, ulong n,
                 ulong depth, ulong from, ulong to, ulong first, ulong row, ulong stride,
                 ulong share_a, ulong share_b, int add)
{
    ulong j = get_global_id(1), batch = get_global_id(2), panels = (m + ROWS - 1) / ROWS,
          high = min((get_global_id(0) + 1) * BLOCKS, panels);

    b += (batch / share_b * get_global_size(1) + j) * depth * COLUMNS;
    for (ulong i = get_global_id(0) * BLOCKS; i < high; i++) {
        global const REAL *p = a + (batch / share_a * panels + i) * depth * ROWS;
        REALV t[ROWS][VECTORS];

#pragma unroll
        for (int r = 0; r < ROWS; r++)
#pragma unroll
            for (int v = 0; v < VECTORS; v++) t[r][v] = 0;
        for (ulong k = from; k < to; k++) {
            REALV wide[VECTORS];

#pragma unroll
            for (int v = 0; v < VECTORS; v++) wide[v] = VLOAD(v, b + k * COLUMNS);
#pragma unroll
            for (int r = 0; r < ROWS; r++)
#pragma unroll
                for (int v = 0; v < VECTORS; v++)
                    t[r][v] = fma((REALV)p[k * ROWS + r], wide[v], t[r][v]);
        }
        store(c + first + batch * stride + i * ROWS * row + j * COLUMNS, row,
              min((ulong)ROWS, m - i * ROWS), min((ulong)COLUMNS, n - j * COLUMNS), t, add);
    }
}
