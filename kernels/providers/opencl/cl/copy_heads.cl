/* copy_heads.cl - one head's rows of d numbers as f32, filled up with rows of zeros: as `padded`
 * rows of WIDE numbers (copy_head_rows_padded_f32), or transposed, d rows of `padded` numbers
 * (copy_head_rows_transposed_padded_f32). Row r of head h of batch b begins at first + b batch + h head + r
 * row. Dimensions: pieces of PIECE rows, heads, batches. */
enum { PIECE = 16 };

KERNEL void copy_head_rows_padded_f32(global const ELEMENT *from, global float *to, ulong count, ulong padded, ulong d,
                 ulong first, ulong batch, ulong head, ulong row)
{
    ulong low = get_global_id(0) * PIECE;

    from += first + get_global_id(2) * batch + get_global_id(1) * head;
    to += (get_global_id(2) * get_global_size(1) + get_global_id(1)) * padded * WIDE;
    for (ulong r = low; r < low + PIECE; r++)
        for (ulong i = 0; i < WIDE; i++)
            to[r * WIDE + i] = r < count && i < d ? GET(from, r * row + i) : 0;
}

KERNEL void copy_head_rows_transposed_padded_f32(global const ELEMENT *from, global float *to, ulong count, ulong padded, ulong d,
                   ulong first, ulong batch, ulong head, ulong row)
{
    ulong low = get_global_id(0) * PIECE;

    from += first + get_global_id(2) * batch + get_global_id(1) * head;
    to += (get_global_id(2) * get_global_size(1) + get_global_id(1)) * padded * d;
    for (ulong i = 0; i < d; i++)
        for (ulong r = low; r < low + PIECE; r++)
            to[i * padded + r] = r < count ? GET(from, r * row + i) : 0;
}
