/* linear_sparse.cl - a layer of weights of which most are 0: for each column of W the rows that are not, and
 * their weights. A work-item makes SIDE rows and COLUMNS columns of Y out of a panel of X (pack_panels.cl).
 */
enum { VECTORS = SIDE / LANES, COLUMNS = 8 };

/* Dimensions: groups of columns, panels of X. */
KERNEL void linear_layer_gemm(global const float *x, global const int *start, global const int *row,
                  global const float *weight, global float *y, ulong m, ulong n, ulong k)
{
    ulong low = get_global_id(0) * COLUMNS, panel = get_global_id(1),
          here = min((ulong)COLUMNS, n - low), rows = min((ulong)SIDE, m - panel * SIDE);
    float out[COLUMNS][SIDE];

    x += panel * k * SIDE;
    for (ulong c = 0; c < here; c++) {
        FLOATV t[VECTORS];

#pragma unroll
        for (int v = 0; v < VECTORS; v++) t[v] = 0;
        for (int i = start[low + c]; i < start[low + c + 1]; i++) {
            global const float *from = x + (ulong)row[i] * SIDE;

#pragma unroll
            for (int v = 0; v < VECTORS; v++) t[v] = fma((FLOATV)weight[i], VLOAD(v, from), t[v]);
        }
        for (int v = 0; v < VECTORS; v++) VSTORE(t[v], v, out[c]);
    }
    for (ulong r = 0; r < rows; r++)
        for (ulong c = 0; c < here; c++) y[(panel * SIDE + r) * n + low + c] = out[c][r];
}
