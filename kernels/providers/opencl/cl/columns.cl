/* columns.cl - the sum of each column, rounded to the format of what it becomes; a work-item has as
 * many columns as a vector has numbers. */
KERNEL void columns(global const float *from, global ELEMENT *to, ulong rows, ulong width,
                    ulong first)
{
    ulong low = get_global_id(0) * LANES;
    FLOATV sum = 0;

    to += first;
    if (low + LANES <= width) {
        for (ulong r = 0; r < rows; r++) sum += VLOAD(0, from + r * width + low);
        PUTV(to, low, sum);
        return;
    }
    for (ulong i = low; i < width; i++) {
        float one = 0;

        for (ulong r = 0; r < rows; r++) one += from[r * width + i];
        PUT(to, i, one);
    }
}
