/* gather.cl - rows of `width` elements by index, to a row each (gather), or each to its row
 * (-DSCATTER). A work-item takes ROWS rows. */
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
