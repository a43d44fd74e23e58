/* quantised_weights.cl - products with weights that lie column by column: in the format of activations
 * (-DSAME), in bytes with a scale for each column (-DBYTES), or in halves of bytes with a scale for
 * each GROUP of a column (-DHALVES: a byte has number i of a group low and number i + GROUP / 2
 * high). Scales are of f32, behind all columns, `scales` bytes from the first. _at: elements before,
 * of weights bytes. */
enum { GROUP = 32, HALF = GROUP / 2, COLUMNS = 4 };

#if defined SAME
#define WIDTH(k)           ((k) * sizeof(ELEMENT))
#define WEIGHT(w, s, k)    GET((global const ELEMENT *)(w), k)
#define WEIGHTV(w, s, k)   GETV((global const ELEMENT *)(w), k)
#define SCALES(k)          1
#define LAST_SCALE(s)      1
#elif defined BYTES
#define WIDTH(k)           (k)
#define WEIGHT(w, s, k)    ((float)((global const char *)(w))[k])
#define WEIGHTV(w, s, k)   CONVERTV(VLOAD(0, (global const char *)(w) + (k)))
#define SCALES(k)          1
#define LAST_SCALE(s)      (s)[0]
#else
#define WIDTH(k)           ((k) / 2)
#define BYTE_OF(k)         ((k) / GROUP * HALF + (k) % HALF)
#define SHIFT_OF(k)        ((k) % GROUP / HALF * 4)
#define WEIGHT(w, s, k)    ((s)[(k) / GROUP] * ((float)((w)[BYTE_OF(k)] >> SHIFT_OF(k) & 15) - 8))
#define WEIGHTV(w, s, k)   ((s)[(k) / GROUP] * (CONVERTV(VLOAD(0, (w) + BYTE_OF(k)) >> (uchar)SHIFT_OF(k) & (uchar)15) - 8))
#define SCALES(k)          ((k) / GROUP)
#define LAST_SCALE(s)      1
#endif

/* y (m x n) = or (adds) += x times weights. A work-item has COLUMNS columns, ROWS rows at a time. */
KERNEL void weight_gemm(global const ELEMENT *x, ulong x_at, global const uchar *w, ulong w_at,
                  ulong scales, global ELEMENT *y, ulong y_at, ulong m, ulong n, ulong depth,
                  int adds)
{
    ulong low = get_global_id(0) * COLUMNS;
    global const uchar *column[COLUMNS];
    global const float *scale[COLUMNS];

    if (low >= n) return;
    x += x_at;
    y += y_at;
    w += w_at;
    for (int c = 0; c < COLUMNS; c++) {
        ulong j = min(low + c, n - 1);

        column[c] = w + j * WIDTH(depth);
        scale[c] = (global const float *)(w + scales) + j * SCALES(depth);
    }
    for (ulong r = 0; r < m; r += ROWS) {
        FLOATV sum[ROWS][COLUMNS];
        global const ELEMENT *row[ROWS];
        ulong k = 0;

#pragma unroll
        for (int i = 0; i < ROWS; i++) {
            row[i] = x + min(r + i, m - 1) * depth;
#pragma unroll
            for (int c = 0; c < COLUMNS; c++) sum[i][c] = 0;
        }
        for (; k + LANES <= depth; k += LANES) {
            FLOATV by[COLUMNS];

#pragma unroll
            for (int c = 0; c < COLUMNS; c++) by[c] = WEIGHTV(column[c], scale[c], k);
#pragma unroll
            for (int i = 0; i < ROWS; i++) {
                FLOATV one = GETV(row[i], k);

#pragma unroll
                for (int c = 0; c < COLUMNS; c++) sum[i][c] = fma(one, by[c], sum[i][c]);
            }
        }
        for (int i = 0; i < ROWS && r + i < m; i++)
            for (int c = 0; c < COLUMNS && low + c < n; c++) {
                float all = sum_of_vector(sum[i][c]);

                for (ulong j = k; j < depth; j++)
                    all = fma(GET(row[i], j), WEIGHT(column[c], scale[c], j), all);
                all *= LAST_SCALE(scale[c]);
                if (adds) all += GET(y, (r + i) * n + low + c);
                PUT(y, (r + i) * n + low + c, all);
            }
    }
}

/* Rows of x are columns of weights; a group has a row. */
KERNEL void dequantise_token_rows(global const uchar *w, ulong w_at, ulong scales, global const int *token,
                   global ELEMENT *x, ulong x_at, ulong depth)
{
    ulong r = get_group_id(0), j = token[r];
    global const float *scale;

    w += w_at;
    scale = (global const float *)(w + scales) + j * SCALES(depth);
    w += j * WIDTH(depth);
    x += x_at + r * depth;
    EACH_VECTOR(i, depth) PUTV(x, i, WEIGHTV(w, scale, i) * LAST_SCALE(scale));
    EACH_LEFT(i, depth) PUT(x, i, WEIGHT(w, scale, i) * LAST_SCALE(scale));
}
