/* gather.cl - out[i] = table[index[i]], or with -DSCATTER out[index[i]] = table[i], rows of
 * `width` numbers. A work-item takes ROWS rows. */
KERNEL void gather_or_scatter_rows(global const float *from, global const int *index, global float *to, ulong count,
                 ulong width)
{
    ulong low = get_global_id(0) * (ulong)ROWS, high = min(low + ROWS, count);

    for (ulong r = low; r < high; r++) {
#ifdef SCATTER
        global const float *a = from + r * width;
        global float *b = to + (ulong)index[r] * width;
#else
        global const float *a = from + (ulong)index[r] * width;
        global float *b = to + r * width;
#endif
        ulong i = 0;

        for (; i + LANES <= width; i += LANES) VSTORE(VLOAD(0, a + i), 0, b + i);
        for (; i < width; i++) b[i] = a[i];
    }
}
