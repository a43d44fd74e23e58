/* rotary.cl - pairs (a, b) = (x[i], x[i + columns / 2]) of a row become (a c - b s, a s + b c),
 * c and s being the row's position in the table: columns / 2 cosines, then sines. A group has a
 * row. */
KERNEL void apply_rotary_to_rows(global const ELEMENT *x, global const float *table, global ELEMENT *y,
                 ulong columns, ulong positions)
{
    ulong half_row = columns / 2;
    global const float *c = table + get_group_id(0) % positions * columns, *s = c + half_row;

    x += get_group_id(0) * columns;
    y += get_group_id(0) * columns;
    EACH_VECTOR(i, half_row)
    {
        REALV low = GETV(x, i), high = GETV(x, half_row + i), cv = VLOAD(0, c + i),
              sv = VLOAD(0, s + i);

        PUTV(y, i, low * cv - high * sv);
        PUTV(y, half_row + i, low * sv + high * cv);
    }
    EACH_LEFT(i, half_row)
    {
        REAL low = GET(x, i), high = GET(x, half_row + i);

        PUT(y, i, low * c[i] - high * s[i]);
        PUT(y, half_row + i, low * s[i] + high * c[i]);
    }
}
