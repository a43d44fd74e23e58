/* decode_misc.cl - what else stands between a token and the next: silu(g) u of rows x 2 columns
 * (swiglu), the column of the largest number of each row (argmax_rows), and memory read once
 * (read_and_sum_words). NAME_at: elements before the first. */
KERNEL void swiglu(global const ELEMENT *x, ulong x_at, global ELEMENT *out, ulong out_at,
                   ulong columns)
{
    x += x_at + get_group_id(0) * 2 * columns;
    out += out_at + get_group_id(0) * columns;
    EACH_VECTOR(i, columns)
    {
        REALV g = GETV(x, i);

        PUTV(out, i, g / (1 + exp(-g)) * GETV(x, columns + i));
    }
    EACH_LEFT(i, columns)
    {
        REAL g = GET(x, i);

        PUT(out, i, g / (1 + exp(-g)) * GET(x, columns + i));
    }
}

/* The first of equals; of a row with a NaN that of a NaN. A work-item has a row. */
KERNEL void argmax_rows(global const ELEMENT *x, ulong x_at, global int *place, ulong rows, ulong columns)
{
    ulong r = get_global_id(0), at = 0;
    float most = -INFINITY;

    if (r >= rows) return;
    x += x_at + r * columns;
    for (ulong i = 0; i < columns; i++) {
        float one = GET(x, i);

        if (isnan(one)) {
            at = i;
            break;
        }
        if (one > most) {
            most = one;
            at = i;
        }
    }
    place[r] = at;
}

/* Words of 32 bits; a sum of each group of CHUNK of them is kept, so that they are read. */
KERNEL void read_and_sum_words(global const uint *x, ulong x_at, global uint *sums, ulong n)
{
    ulong low = get_group_id(0) * (ulong)CHUNK, here = min((ulong)CHUNK, n - low), i = 0;
    UINTV sum[4] = {0, 0, 0, 0};
    uint all[LANES], whole = 0;

    x += x_at + low;
    for (; i + 4 * LANES <= here; i += 4 * LANES)
#pragma unroll
        for (int c = 0; c < 4; c++) sum[c] += VLOAD(c, x + i);
    VSTORE(sum[0] + sum[1] + sum[2] + sum[3], 0, all);
    for (int l = 0; l < LANES; l++) whole += all[l];
    for (; i < here; i++) whole += x[i];
    sums[get_group_id(0)] = whole;
}
