/* bias.cl - rows of a bias, and what is there already (-DON_TOP): a product is added to them; and
 * what else adds rows. A group has a row. */
KERNEL void broadcast_bias_on_base(global const ELEMENT *bias, global const float *base, global float *to,
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

/* out = x + bias (+ add), each where it is wanted; _at: elements before. */
KERNEL void add_bias_and_residual(global const ELEMENT *x, ulong x_at, global const ELEMENT *bias, ulong bias_at,
                 global const ELEMENT *add, ulong add_at, global ELEMENT *out, ulong out_at,
                 ulong columns, int biased, int adds)
{
    ulong row = get_group_id(0) * columns;

    x += x_at + row;
    bias += bias_at;
    add += add_at + row;
    out += out_at + row;
    EACH_VECTOR(i, columns)
    {
        REALV v = GETV(x, i);

        if (biased) v += GETV(bias, i);
        if (adds) v += GETV(add, i);
        PUTV(out, i, v);
    }
    EACH_LEFT(i, columns)
    {
        REAL v = GET(x, i);

        if (biased) v += GET(bias, i);
        if (adds) v += GET(add, i);
        PUT(out, i, v);
    }
}

/* A cross layer's end: out = by (x + bias) + add, the bias where it is wanted. */
KERNEL void combine_cross_layer(global const ELEMENT *x, ulong x_at, global const ELEMENT *bias, ulong bias_at,
                    global const ELEMENT *by, ulong by_at, global const ELEMENT *add, ulong add_at,
                    global ELEMENT *out, ulong out_at, ulong columns, int biased)
{
    ulong row = get_group_id(0) * columns;

    x += x_at + row;
    bias += bias_at;
    by += by_at + row;
    add += add_at + row;
    out += out_at + row;
    EACH_VECTOR(i, columns)
    {
        REALV v = GETV(x, i);

        if (biased) v += GETV(bias, i);
        PUTV(out, i, fma(GETV(by, i), v, GETV(add, i)));
    }
    EACH_LEFT(i, columns)
    {
        REAL v = GET(x, i);

        if (biased) v += GET(bias, i);
        PUT(out, i, fma(GET(by, i), v, GET(add, i)));
    }
}
