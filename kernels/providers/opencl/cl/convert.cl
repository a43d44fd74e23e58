/* convert.cl - numbers of a format to f32 (widen_to_f32) and back, rounded (narrow_from_f32). A
 * group has CHUNK elements. */
KERNEL void widen_to_f32(global const ELEMENT *from, global float *to, ulong n)
{
    ulong low = get_group_id(0) * (ulong)CHUNK, here = min((ulong)CHUNK, n - low);

    from += low;
    to += low;
    EACH_VECTOR(i, here) VSTORE(GETV(from, i), 0, to + i);
    EACH_LEFT(i, here) to[i] = GET(from, i);
}

KERNEL void narrow_from_f32(global const float *from, global ELEMENT *to, ulong n)
{
    ulong low = get_group_id(0) * (ulong)CHUNK, here = min((ulong)CHUNK, n - low);

    from += low;
    to += low;
    EACH_VECTOR(i, here) PUTV(to, i, VLOAD(0, from + i));
    EACH_LEFT(i, here) PUT(to, i, from[i]);
}
