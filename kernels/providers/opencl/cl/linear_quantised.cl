/* linear_quantised.cl - a layer of weights that are quantised, or of which whole blocks are 0. W lies in strips
 * of COLUMNS columns, one after another (`strips`); a work-item makes ROWS rows of a strip of Y out
 * of a panel of X (pack_panels.cl). -DBYTES, -DHALVES (two in a byte, less 8, a scale for each GROUP along
 * K), -DBLOCKS (f32; of each strip the blocks of 64 that are not 0); -DX_SCALED: a scale of rows. */
enum { COLUMNS = 2 * LANES, GROUP = 32, BLOCK = 64 };

#ifdef BLOCKS
typedef float WEIGHT;
#else
typedef char WEIGHT;
#endif

/* Rows of W of n to strips, filled up with zeros. Dimensions: strips, rows. */
KERNEL void copy_weights_to_strips(global const WEIGHT *from, global WEIGHT *to, ulong n)
{
    ulong strip = get_global_id(0), k = get_global_id(1), rows = get_global_size(1);

    from += k * n + strip * COLUMNS;
    to += (strip * rows + k) * COLUMNS;
    for (ulong i = 0; i < COLUMNS; i++) to[i] = strip * COLUMNS + i < n ? from[i] : 0;
}

/* t += rows of x times weights, which are ready as numbers. */
void add_outer_product(FLOATV t[ROWS][2], global const float *x, FLOATV low, FLOATV high)
{
#pragma unroll
    for (int r = 0; r < ROWS; r++) {
        t[r][0] = fma((FLOATV)x[r], low, t[r][0]);
        t[r][1] = fma((FLOATV)x[r], high, t[r][1]);
    }
}

void zero_tile(FLOATV t[ROWS][2])
{
#pragma unroll
    for (int r = 0; r < ROWS; r++) t[r][0] = t[r][1] = 0;
}

/* t = the panel x times a strip. */
#if defined BYTES
void accumulate_panel_times_strip(FLOATV t[ROWS][2], global const float *x, global const char *w, ulong k)
{
    for (ulong i = 0; i < k; i++, x += ROWS, w += COLUMNS)
        add_outer_product(t, x, CONVERTV(VLOAD(0, w)), CONVERTV(VLOAD(1, w)));
}
#elif defined BLOCKS
void accumulate_panel_times_strip(FLOATV t[ROWS][2], global const float *x, global const float *w,
              global const int *block, int blocks)
{
    for (int b = 0; b < blocks; b++) {
        ulong first = (ulong)block[b] * BLOCK;

        for (ulong i = first; i < first + BLOCK; i++)
            add_outer_product(t, x + i * ROWS, VLOAD(0, w + i * COLUMNS), VLOAD(1, w + i * COLUMNS));
    }
}
#else
#define HALF(v) (CONVERTV(v) - 8)
void accumulate_panel_times_strip(FLOATV t[ROWS][2], global const float *x, global const char *w, ulong k,
              global const float *scale, ulong strip, ulong n)
{
    FLOATV part[ROWS][2];
    global const uchar *u = (global const uchar *)w;

    for (ulong g = 0; g < k / GROUP; g++) {
        float s[COLUMNS];

        zero_tile(part);
        for (ulong i = 0; i < GROUP; i += 2, x += 2 * ROWS, u += COLUMNS) {
            add_outer_product(part, x, HALF(VLOAD(0, u) & (uchar)15), HALF(VLOAD(1, u) & (uchar)15));
            add_outer_product(part, x + ROWS, HALF(VLOAD(0, u) >> (uchar)4), HALF(VLOAD(1, u) >> (uchar)4));
        }
        for (ulong i = 0; i < COLUMNS; i++)
            s[i] = strip * COLUMNS + i < n ? scale[g * n + strip * COLUMNS + i] : 0;
#pragma unroll
        for (int r = 0; r < ROWS; r++) {
            t[r][0] = fma(part[r][0], VLOAD(0, s), t[r][0]);
            t[r][1] = fma(part[r][1], VLOAD(1, s), t[r][1]);
        }
    }
}
#endif

/* Dimensions: panels of X, strips. */
KERNEL void linear_layer_gemm(global const float *x, global const WEIGHT *w, global float *y,
                  global const float *x_scale, global const float *w_scale,
                  global const int *start, global const int *block, ulong m, ulong n, ulong k)
{
    ulong panel = get_global_id(0), strip = get_global_id(1), here = min((ulong)COLUMNS, n - strip * COLUMNS);
    FLOATV t[ROWS][2];

    x += panel * k * ROWS;
    zero_tile(t);
#if defined BYTES
    accumulate_panel_times_strip(t, x, w + strip * k * COLUMNS, k);
#elif defined BLOCKS
    accumulate_panel_times_strip(t, x, w + strip * k * COLUMNS, block + start[strip], start[strip + 1] - start[strip]);
#else
    accumulate_panel_times_strip(t, x, w + strip * (k / 2) * COLUMNS, k, w_scale, strip, n);
#endif
    for (ulong r = 0; r < ROWS && panel * ROWS + r < m; r++) {
        float line[COLUMNS], by = 1;

#ifdef X_SCALED
        by = x_scale[panel * ROWS + r];
#endif
        VSTORE(t[r][0], 0, line);
        VSTORE(t[r][1], 1, line);
        for (ulong i = 0; i < here; i++) {
#ifdef BYTES
            line[i] *= w_scale[strip * COLUMNS + i];
#endif
            y[(panel * ROWS + r) * n + strip * COLUMNS + i] = by * line[i];
        }
    }
}
