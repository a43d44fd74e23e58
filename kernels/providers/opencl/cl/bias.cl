/* bias.cl - rows of a bias, and what is there already (-DON_TOP): a product is added to them. A group
 * has a row. */
KERNEL void spread(global const ELEMENT *bias, global const float *base, global float *to,
                   ulong columns, ulong first)
{
    bias += first;
    base += get_group_id(0) * columns;
    to += get_group_id(0) * columns;
#ifdef ON_TOP
    EACH_VECTOR(i, columns) VSTORE(VLOAD(0, base + i) + GETV(bias, i), 0, to + i);
    EACH_LEFT(i, columns) to[i] = base[i] + GET(bias, i);
#else
    EACH_VECTOR(i, columns) VSTORE(GETV(bias, i), 0, to + i);
    EACH_LEFT(i, columns) to[i] = GET(bias, i);
#endif
}
