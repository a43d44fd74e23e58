/* embedding_bag.cl - out[b][t] = the sum over l of table t's row index[t][b][l], rows of `width`
 * numbers: a work-item has a bag (dimension 0: samples b, 1: tables from `first` on), COLUMNS
 * vectors of it at a time. apart: elements from a sample's sums to the next one's; NAME_at:
 * elements before the first. */
enum { COLUMNS = 4 };

KERNEL void embedding_bag_sums(global const ELEMENT *tables, ulong tables_at, global const int *index,
                 ulong index_at, global ELEMENT *out, ulong out_at, ulong first, ulong rows,
                 ulong batch, ulong lookups, ulong width, ulong apart)
{
    ulong sample = get_global_id(0), table = first + get_global_id(1), i = 0;
    global const int *mine = index + index_at + (table * batch + sample) * lookups;
    global const ELEMENT *from = tables + tables_at + table * rows * width;
    global ELEMENT *to = out + out_at + sample * apart + table * width;

    if (sample >= batch) return;
    for (; i + COLUMNS * LANES <= width; i += COLUMNS * LANES) {
        REALV sum[COLUMNS];

#pragma unroll
        for (int c = 0; c < COLUMNS; c++) sum[c] = 0;
        for (ulong l = 0; l < lookups; l++)
#pragma unroll
            for (int c = 0; c < COLUMNS; c++)
                sum[c] += GETV(from, (ulong)mine[l] * width + i + c * LANES);
#pragma unroll
        for (int c = 0; c < COLUMNS; c++) PUTV(to, i + c * LANES, sum[c]);
    }
    for (; i + LANES <= width; i += LANES) {
        REALV sum = 0;

        for (ulong l = 0; l < lookups; l++) sum += GETV(from, (ulong)mine[l] * width + i);
        PUTV(to, i, sum);
    }
    for (; i < width; i++) {
        REAL sum = 0;

        for (ulong l = 0; l < lookups; l++) sum += GET(from, (ulong)mine[l] * width + i);
        PUT(to, i, sum);
    }
}
