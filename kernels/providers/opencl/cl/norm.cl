/* norm.cl - rows to mean 0 and variance 1 times gamma plus beta (-DCENTRED), or to a mean of
 * squares of 1 times gamma; a group has a row. -DFROM_F32: rows are f32, whatever the parameters
 * are, and so is what comes out. */
#ifdef FROM_F32
#define ROW       float
#define ROWV(p, i) VLOAD(0, (p) + (i))
#define ROW1(p, i) (p)[i]
#define OUTV(p, i, v) VSTORE(v, 0, (p) + (i))
#define OUT1(p, i, v) (p)[i] = (v)
#else
#define ROW       ELEMENT
#define ROWV(p, i) GETV(p, i)
#define ROW1(p, i) GET(p, i)
#define OUTV(p, i, v) PUTV(p, i, v)
#define OUT1(p, i, v) PUT(p, i, v)
#endif

KERNEL void norm(global const ROW *x, global const ELEMENT *gamma, global const ELEMENT *beta,
                 global ROW *y, ulong columns, ulong gamma_first, ulong beta_first)
{
    local REAL room[ITEMS];
    REALV sum = 0;
    REAL all = 0, mean = 0, scale;

    x += get_group_id(0) * columns;
    y += get_group_id(0) * columns;
    gamma += gamma_first;
    beta += beta_first;
#ifdef CENTRED
    EACH_VECTOR(i, columns) sum += ROWV(x, i);
    all = sum_of(sum);
    EACH_LEFT(i, columns) all += ROW1(x, i);
    mean = group_sum(all, room) / columns;
#endif
    sum = 0;
    EACH_VECTOR(i, columns)
    {
        REALV v = ROWV(x, i) - mean;

        sum = fma(v, v, sum);
    }
    all = sum_of(sum);
    EACH_LEFT(i, columns) all += (ROW1(x, i) - mean) * (ROW1(x, i) - mean);
    scale = 1 / sqrt(group_sum(all, room) / columns + (REAL)1e-5);
#ifdef CENTRED
    EACH_VECTOR(i, columns) OUTV(y, i, (ROWV(x, i) - mean) * scale * GETV(gamma, i) + GETV(beta, i));
    EACH_LEFT(i, columns) OUT1(y, i, (ROW1(x, i) - mean) * scale * GET(gamma, i) + GET(beta, i));
#else
    EACH_VECTOR(i, columns) OUTV(y, i, ROWV(x, i) * scale * GETV(gamma, i));
    EACH_LEFT(i, columns) OUT1(y, i, ROW1(x, i) * scale * GET(gamma, i));
#endif
}
