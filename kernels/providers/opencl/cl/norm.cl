/* norm.cl - y = (x - mean) / sqrt(variance + 1e-5) gain + shift (-DCENTRED; -DNO_SHIFT: without
 * shift), or y = x / sqrt(mean of x^2 + 1e-5) gain, rows x columns; a group has a row. NAME_at:
 * elements before the first. */
KERNEL void layernorm_or_rmsnorm(global const ROW *x, ulong x_at, global const ELEMENT *gamma, ulong gamma_at,
                 global const ELEMENT *beta, ulong beta_at, global ROW *y, ulong y_at,
                 ulong columns)
{
    local REAL room[ITEMS];
    REALV sum = 0;
    REAL all = 0, mean = 0, scale;

    x += x_at + get_group_id(0) * columns;
    y += y_at + get_group_id(0) * columns;
    gamma += gamma_at;
    beta += beta_at;
#ifdef CENTRED
    EACH_VECTOR(i, columns) sum += ROWV(x, i);
    all = sum_of_vector(sum);
    EACH_LEFT(i, columns) all += ROW1(x, i);
    mean = group_sum(all, room) / columns;
#endif
    sum = 0;
    EACH_VECTOR(i, columns)
    {
        REALV v = ROWV(x, i) - mean;

        sum = fma(v, v, sum);
    }
    all = sum_of_vector(sum);
    EACH_LEFT(i, columns) all += (ROW1(x, i) - mean) * (ROW1(x, i) - mean);
    scale = 1 / sqrt(group_sum(all, room) / columns + (REAL)1e-5);
#if defined CENTRED && !defined NO_SHIFT
    EACH_VECTOR(i, columns)
        ROW_TOV(y, i, (ROWV(x, i) - mean) * scale * GETV(gamma, i) + GETV(beta, i));
    EACH_LEFT(i, columns) ROW_TO(y, i, (ROW1(x, i) - mean) * scale * GET(gamma, i) + GET(beta, i));
#else
    EACH_VECTOR(i, columns) ROW_TOV(y, i, (ROWV(x, i) - mean) * scale * GETV(gamma, i));
    EACH_LEFT(i, columns) ROW_TO(y, i, (ROW1(x, i) - mean) * scale * GET(gamma, i));
#endif
}
