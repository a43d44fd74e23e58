/* column_sums.cl - the sum over rows of each column, rounded to the format of what it becomes; a
 * work-item has as many columns as a vector has numbers. NAME_at: elements before the first. */
KERNEL void column_sums(global const ROW *from, ulong from_at, global ELEMENT *to, ulong to_at,
                    ulong rows, ulong width)
{
    ulong low = get_global_id(0) * LANES;
    FLOATV sum = 0;

    from += from_at;
    to += to_at;
    if (low + LANES <= width) {
        for (ulong r = 0; r < rows; r++) sum += ROWV(from, r * width + low);
        PUTV(to, low, sum);
        return;
    }
    for (ulong i = low; i < width; i++) {
        float one = 0;

        for (ulong r = 0; r < rows; r++) one += ROW1(from, r * width + i);
        PUT(to, i, one);
    }
}
