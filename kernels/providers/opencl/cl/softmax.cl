/* softmax.cl - y = exp(x - max) / sum of exp(x - max) of each row (softmax), or its loss log(sum
 * of exp(x)) - x[target] (cross_entropy_rows), also with the gradient in place of x
 * (cross_entropy_and_gradient); rows x columns, a group has a row. */
KERNEL void softmax(global const ELEMENT *x, global ELEMENT *y, ulong columns)
{
    local REAL room[ITEMS];
    REALV most = -INFINITY, sum = 0;
    REAL top, all;

    x += get_group_id(0) * columns;
    y += get_group_id(0) * columns;
    EACH_VECTOR(i, columns) most = fmax(most, GETV(x, i));
    top = max_of_vector(most);
    EACH_LEFT(i, columns) top = fmax(top, GET(x, i));
    top = group_max(top, room);
    EACH_VECTOR(i, columns) sum += exp(GETV(x, i) - top);
    all = sum_of_vector(sum);
    EACH_LEFT(i, columns) all += exp(GET(x, i) - top);
    all = 1 / group_sum(all, room);
    EACH_VECTOR(i, columns) PUTV(y, i, exp(GETV(x, i) - top) * all);
    EACH_LEFT(i, columns) PUT(y, i, exp(GET(x, i) - top) * all);
}

KERNEL void cross_entropy_rows(global const ELEMENT *x, global const int *target, global float *y, ulong columns)
{
    local REAL room[ITEMS];
    REALV most = -INFINITY, sum = 0;
    REAL top, all;

    x += get_group_id(0) * columns;
    EACH_VECTOR(i, columns) most = fmax(most, GETV(x, i));
    top = max_of_vector(most);
    EACH_LEFT(i, columns) top = fmax(top, GET(x, i));
    top = group_max(top, room);
    EACH_VECTOR(i, columns) sum += exp(GETV(x, i) - top);
    all = sum_of_vector(sum);
    EACH_LEFT(i, columns) all += exp(GET(x, i) - top);
    all = group_sum(all, room);
    if (get_local_id(0) == 0)
        y[get_group_id(0)] = log(all) + top - GET(x, target[get_group_id(0)]);
}

/* The same loss; x becomes its gradient times `factor`. _at: elements before. */
KERNEL void cross_entropy_and_gradient(global ELEMENT *x, ulong x_at, global const int *target, ulong target_at,
                      global float *y, ulong columns, float factor)
{
    local REAL room[ITEMS];
    REALV most = -INFINITY, sum = 0;
    REAL top, all;
    ulong wanted = target[target_at + get_group_id(0)];

    x += x_at + get_group_id(0) * columns;
    EACH_VECTOR(i, columns) most = fmax(most, GETV(x, i));
    top = max_of_vector(most);
    EACH_LEFT(i, columns) top = fmax(top, GET(x, i));
    top = group_max(top, room);
    EACH_VECTOR(i, columns) sum += exp(GETV(x, i) - top);
    all = sum_of_vector(sum);
    EACH_LEFT(i, columns) all += exp(GET(x, i) - top);
    all = group_sum(all, room);
    if (get_local_id(0) == 0) y[get_group_id(0)] = log(all) + top - GET(x, wanted);
#if ITEMS > 1
    barrier(CLK_GLOBAL_MEM_FENCE); /* the target was read before it is written */
#endif
    all = 1 / all;
    EACH_VECTOR(i, columns)
    {
        REALV p = exp(GETV(x, i) - top) * all;

        if (wanted - i < LANES) {
            REAL one[LANES];

            VSTORE(p, 0, one);
            one[wanted - i] -= 1;
            p = VLOAD(0, one);
        }
        PUTV(x, i, p * factor);
    }
    EACH_LEFT(i, columns)
    {
        REAL p = exp(GET(x, i) - top) * all;

        PUT(x, i, (wanted == i ? p - 1 : p) * factor);
    }
}
