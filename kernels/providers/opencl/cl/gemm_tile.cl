/* gemm_tile.cl - a product out of panels (pack_panels.cl): a work-item makes tiles of ROWS x VECTORS vectors of
 * C, BLOCKS panels of A one after another with one panel of B, over depth [from, to). -DTO_BF16,
 * -DTO_F16, -DTO_I32: the format of C, where it is not that of the sums; add: to what is there.
 * -DBIAS: a number of C's format for each column is added to the whole; -DRELU: of that what is
 * positive is left (and NaN). Dimensions: groups of panels of A, panels of B, matrices; matrix b of
 * C is made of number b / share_a of A and b / share_b of B. _at: elements before. */
enum { COLUMNS = VECTORS * LANES };

#if defined TO_BF16
typedef ushort OUT;
#define OUT_OF(p, i)    from_bf16((p)[i])
#define STORE(to, i, x, j) (to)[i] = to_bf16(END(x, j))
#elif defined TO_F16
typedef half OUT;
#define OUT_OF(p, i)    vload_half(i, p)
#define STORE(to, i, x, j) vstore_half_rte(END(x, j), i, to)
#elif defined TO_I32
typedef int OUT;
#define STORE(to, i, x, j) (to)[i] = (add ? (to)[i] : 0) + (int)(x)
#else
typedef REAL OUT;
#define OUT_OF(p, i)    (p)[i]
#define STORE(to, i, x, j) (to)[i] = END((add ? (to)[i] : 0) + (x), j)
#define WHOLE
#endif

#ifdef BIAS
#define LIFTED(x, j)  ((x) + OUT_OF(bias, j))
#define LIFTEDV(v, j) ((v) + VLOAD(0, bias + (j)))
#else
#define LIFTED(x, j)  (x)
#define LIFTEDV(v, j) (v)
#endif
#ifdef RELU
#define END(x, j)  relu_of_number(LIFTED(x, j))
#define ENDV(v, j) relu_of_vector(LIFTEDV(v, j))
REAL relu_of_number(REAL x)
{
    return x < 0 ? 0 : x;
}
REALV relu_of_vector(REALV v)
{
    return v < 0 ? (REALV)0 : v;
}
#else
#define END(x, j)  LIFTED(x, j)
#define ENDV(v, j) LIFTEDV(v, j)
#endif

void store_tile_with_epilogue(global OUT *c, ulong row, ulong rows, ulong columns, REALV t[ROWS][VECTORS], int add,
           global const OUT *bias)
{
#ifdef WHOLE
    if (rows == ROWS && columns == COLUMNS) {
#pragma unroll
        for (int r = 0; r < ROWS; r++)
#pragma unroll
            for (int v = 0; v < VECTORS; v++) {
                global REAL *at = c + r * row + v * LANES;

                VSTORE(ENDV(add ? VLOAD(0, at) + t[r][v] : t[r][v], v * LANES), 0, at);
            }
        return;
    }
#endif
    for (int r = 0; r < ROWS; r++) {
        REAL line[COLUMNS];

        if (r >= rows) break;
        for (int v = 0; v < VECTORS; v++) VSTORE(t[r][v], v, line);
        for (ulong j = 0; j < columns; j++) STORE(c, r * row + j, line[j], j);
    }
}

KERNEL void gemm_tile(global const REAL *a, global const REAL *b, ulong b_at, global OUT *c, ulong m,
                 ulong n, ulong depth, ulong from, ulong to, ulong first, ulong row, ulong stride,
                 ulong share_a, ulong share_b, int add, global const OUT *bias, ulong bias_at)
{
    ulong j = get_global_id(1), batch = get_global_id(2), panels = (m + ROWS - 1) / ROWS,
          high = min((get_global_id(0) + 1) * BLOCKS, panels);

    b += b_at + (batch / share_b * get_global_size(1) + j) * depth * COLUMNS;
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
        store_tile_with_epilogue(c + first + batch * stride + i * ROWS * row + j * COLUMNS, row,
              min((ulong)ROWS, m - i * ROWS), min((ulong)COLUMNS, n - j * COLUMNS), t, add,
              bias + bias_at + j * COLUMNS);
    }
}
