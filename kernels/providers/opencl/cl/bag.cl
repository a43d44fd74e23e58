/* bag.cl - sums of rows of embedding tables: a work-item a bag (dimension 0: samples, 1: tables
 * from `first` on), COLUMNS vectors of it at a time. */
enum { COLUMNS = 4 };

KERNEL void sums(global const float *tables, global const int *index, global float *out,
                 ulong first, ulong rows, ulong batch, ulong lookups, ulong width, ulong all)
{
    ulong sample = get_global_id(0), table = first + get_global_id(1), i = 0;
    global const int *mine = index + (table * batch + sample) * lookups;
    global const float *from = tables + table * rows * width;
    global float *to = out + (sample * all + table) * width;

    if (sample >= batch) return;
    for (; i + COLUMNS * LANES <= width; i += COLUMNS * LANES) {
        FLOATV sum[COLUMNS];

#pragma unroll
        for (int c = 0; c < COLUMNS; c++) sum[c] = 0;
        for (ulong l = 0; l < lookups; l++)
#pragma unroll
            for (int c = 0; c < COLUMNS; c++)
                sum[c] += VLOAD(c, from + (ulong)mine[l] * width + i);
#pragma unroll
        for (int c = 0; c < COLUMNS; c++) VSTORE(sum[c], c, to + i);
    }
    for (; i + LANES <= width; i += LANES) {
        FLOATV sum = 0;

        for (ulong l = 0; l < lookups; l++) sum += VLOAD(0, from + (ulong)mine[l] * width + i);
        VSTORE(sum, 0, to + i);
    }
    for (; i < width; i++) {
        float sum = 0;

        for (ulong l = 0; l < lookups; l++) sum += from[(ulong)mine[l] * width + i];
        to[i] = sum;
    }
}
