/* layernorm_backward.cl - gradients of layernorm y = (x - mean) scale gain + shift over rows x
 * columns, scale = 1 / sqrt(variance + 1e-5), hat = (x - mean) scale. layernorm_backward_rows, a
 * group a row: dx = scale (dy gain - mean(dy gain) - hat mean(dy gain hat)), with -DON_TOP added to
 * `base`; mean and scale of each row go to `stats`. layernorm_gain_shift_sums, after it, a
 * work-item some columns: the sums over rows of dy hat and dy. NAME_at: elements before the first.
 * */
KERNEL void layernorm_backward_rows(global const ROW *dy, ulong dy_at, global const ROW *x, ulong x_at,
                      global const ELEMENT *gain, ulong gain_at, global const ROW *base,
                      ulong base_at, global ROW *dx, ulong dx_at, global float *stats,
                      ulong columns)
{
    local float room[ITEMS];
    ulong row = get_group_id(0) * columns;
    FLOATV sum = 0, by = 0;
    float mean, scale, all, along;

    dy += dy_at + row;
    x += x_at + row;
    base += base_at + row;
    dx += dx_at + row;
    gain += gain_at;
    EACH_VECTOR(i, columns) sum += ROWV(x, i);
    all = sum_of_vector(sum);
    EACH_LEFT(i, columns) all += ROW1(x, i);
    mean = group_sum(all, room) / columns;
    sum = 0;
    EACH_VECTOR(i, columns) sum += (ROWV(x, i) - mean) * (ROWV(x, i) - mean);
    all = sum_of_vector(sum);
    EACH_LEFT(i, columns) all += (ROW1(x, i) - mean) * (ROW1(x, i) - mean);
    scale = 1 / sqrt(group_sum(all, room) / columns + 1e-5f);
    sum = 0;
    EACH_VECTOR(i, columns)
    {
        FLOATV back = ROWV(dy, i) * GETV(gain, i);

        sum += back;
        by += back * (ROWV(x, i) - mean) * scale;
    }
    all = sum_of_vector(sum);
    along = sum_of_vector(by);
    EACH_LEFT(i, columns)
    {
        float back = ROW1(dy, i) * GET(gain, i);

        all += back;
        along += back * (ROW1(x, i) - mean) * scale;
    }
    all = group_sum(all, room) / columns;
    along = group_sum(along, room) / columns;
#ifdef ON_TOP
#define BASEV(i) ROWV(base, i)
#define BASE(i)  ROW1(base, i)
#else
#define BASEV(i) 0
#define BASE(i)  0
#endif
    EACH_VECTOR(i, columns)
    {
        FLOATV hat = (ROWV(x, i) - mean) * scale;

        ROW_TOV(dx, i, BASEV(i) + scale * (ROWV(dy, i) * GETV(gain, i) - all - hat * along));
    }
    EACH_LEFT(i, columns)
    {
        float hat = (ROW1(x, i) - mean) * scale;

        ROW_TO(dx, i, BASE(i) + scale * (ROW1(dy, i) * GET(gain, i) - all - hat * along));
    }
    if (get_local_id(0) == 0) vstore2((float2)(mean, scale), get_group_id(0), stats);
}

/* shifts: whether those are wanted, too. */
KERNEL void layernorm_gain_shift_sums(global const ROW *dy, ulong dy_at, global const ROW *x, ulong x_at,
                      global const float *stats, global ELEMENT *d_gain, ulong gain_at,
                      global ELEMENT *d_shift, ulong shift_at, ulong rows, ulong columns,
                      int shifts)
{
    ulong low = get_global_id(0) * LANES;
    FLOATV gain = 0, shift = 0;

    dy += dy_at;
    x += x_at;
    d_gain += gain_at;
    d_shift += shift_at;
    if (low + LANES <= columns) {
        for (ulong r = 0; r < rows; r++) {
            FLOATV gradient = ROWV(dy, r * columns + low);

            gain += gradient * (ROWV(x, r * columns + low) - stats[2 * r]) * stats[2 * r + 1];
            shift += gradient;
        }
        PUTV(d_gain, low, gain);
        if (shifts) PUTV(d_shift, low, shift);
        return;
    }
    for (ulong i = low; i < columns; i++) {
        float one = 0, all = 0;

        for (ulong r = 0; r < rows; r++) {
            float gradient = ROW1(dy, r * columns + i);

            one += gradient * (ROW1(x, r * columns + i) - stats[2 * r]) * stats[2 * r + 1];
            all += gradient;
        }
        PUT(d_gain, i, one);
        if (shifts) PUT(d_shift, i, all);
    }
}
