/* token_embedding.cl - x[r] = table[token[r]] + position[r mod sequence], rows of `columns`
 * numbers (embed_tokens_and_positions: a group a row), and gradients: table[t] += the sum of dx of
 * the rows of token t (add_token_gradients: a group a token), position[i] = the sum of dx of the
 * rows at place i (sum_position_gradients: a group a place). NAME_at: elements before the first. */
KERNEL void embed_tokens_and_positions(global const ELEMENT *table, ulong table_at, global const ELEMENT *position,
                  ulong position_at, global const int *token, ulong token_at, global ELEMENT *x,
                  ulong x_at, ulong sequence, ulong columns)
{
    ulong r = get_group_id(0);

    table += table_at + token[token_at + r] * columns;
    position += position_at + r % sequence * columns;
    x += x_at + r * columns;
    EACH_VECTOR(i, columns) PUTV(x, i, GETV(table, i) + GETV(position, i));
    EACH_LEFT(i, columns) PUT(x, i, GET(table, i) + GET(position, i));
}

/* The table += rows of dx by token, which stand in `order` from first[token] on. */
KERNEL void add_token_gradients(global ELEMENT *table, ulong table_at, global const int *first, ulong first_at,
                   global const int *order, ulong order_at, global const ELEMENT *dx, ulong dx_at,
                   ulong columns)
{
    ulong t = get_group_id(0);
    int from = first[first_at + t], to = first[first_at + t + 1];

    if (from == to) return;
    table += table_at + t * columns;
    dx += dx_at;
    order += order_at;
    EACH_VECTOR(i, columns)
    {
        REALV sum = 0;

        for (int j = from; j < to; j++) sum += GETV(dx, order[j] * columns + i);
        PUTV(table, i, GETV(table, i) + sum);
    }
    EACH_LEFT(i, columns)
    {
        REAL sum = 0;

        for (int j = from; j < to; j++) sum += GET(dx, order[j] * columns + i);
        PUT(table, i, GET(table, i) + sum);
    }
}

KERNEL void sum_position_gradients(global ELEMENT *position, ulong position_at, global const ELEMENT *dx,
                   ulong dx_at, ulong rows, ulong columns)
{
    ulong place = get_group_id(0), sequence = get_num_groups(0);

    position += position_at + place * columns;
    dx += dx_at;
    EACH_VECTOR(i, columns)
    {
        REALV sum = 0;

        for (ulong r = place; r < rows; r += sequence) sum += GETV(dx, r * columns + i);
        PUTV(position, i, sum);
    }
    EACH_LEFT(i, columns)
    {
        REAL sum = 0;

        for (ulong r = place; r < rows; r += sequence) sum += GET(dx, r * columns + i);
        PUT(position, i, sum);
    }
}
