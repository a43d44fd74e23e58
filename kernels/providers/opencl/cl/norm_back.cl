/* norm_back.cl - slopes of a norm to mean 0 and variance 1, a group a row: of x, on top of `base`,
 * and of the gains what its rows add up to (`hats`: slopes times what the gain multiplies). */
KERNEL void norm_back(global const float *dy, global const float *x, global const ELEMENT *gain,
                      global const float *base, global float *dx, global float *hats,
                      ulong columns, ulong first)
{
    local float room[ITEMS];
    ulong row = get_group_id(0) * columns;
    FLOATV sum = 0, by = 0;
    float mean, scale, all, along;

    dy += row;
    x += row;
    base += row;
    dx += row;
    hats += row;
    gain += first;
    EACH_VECTOR(i, columns) sum += VLOAD(0, x + i);
    all = sum_of(sum);
    EACH_LEFT(i, columns) all += x[i];
    mean = group_sum(all, room) / columns;
    sum = 0;
    EACH_VECTOR(i, columns) sum += (VLOAD(0, x + i) - mean) * (VLOAD(0, x + i) - mean);
    all = sum_of(sum);
    EACH_LEFT(i, columns) all += (x[i] - mean) * (x[i] - mean);
    scale = 1 / sqrt(group_sum(all, room) / columns + 1e-5f);
    sum = 0;
    EACH_VECTOR(i, columns)
    {
        FLOATV back = VLOAD(0, dy + i) * GETV(gain, i), hat = (VLOAD(0, x + i) - mean) * scale;

        sum += back;
        by += back * hat;
        VSTORE(VLOAD(0, dy + i) * hat, 0, hats + i);
    }
    all = sum_of(sum);
    along = sum_of(by);
    EACH_LEFT(i, columns)
    {
        float back = dy[i] * GET(gain, i), hat = (x[i] - mean) * scale;

        all += back;
        along += back * hat;
        hats[i] = dy[i] * hat;
    }
    all = group_sum(all, room) / columns;
    along = group_sum(along, room) / columns;
    EACH_VECTOR(i, columns)
    {
        FLOATV hat = (VLOAD(0, x + i) - mean) * scale;

        VSTORE(VLOAD(0, base + i) + scale * (VLOAD(0, dy + i) * GETV(gain, i) - all - hat * along),
               0, dx + i);
    }
    EACH_LEFT(i, columns)
    {
        float hat = (x[i] - mean) * scale;

        dx[i] = base[i] + scale * (dy[i] * GET(gain, i) - all - hat * along);
    }
}
