/* attention_backward.cl - gradients of attention in blocks (Dao et al. 2022). A work-item has ROWS queries of a head
 * and goes through its keys, for dQ, or (of_keys) ROWS keys and goes through all queries of the heads that share them,
 * for dK and dV. Products: attention_blocks.cl. `a`, `b`: its rows of Q and dO, or of K and V; `x`, `y`: what it goes
 * through, K and V, or Q and dO, as rows and transposed (copy_heads.cl). Probabilities come from L, gradients of scores
 * from the sums of dO O. */
/* Scores to probabilities, and gradients of probabilities to those of scores; which of row r and
 * column j sees the other is told by their difference. */
void scores_to_probs_and_score_gradients(float s[ROWS][BLOCK], float p[ROWS][BLOCK], global const float *logarithm,
            global const float *means, float scale, long at, long j0, long queries, long keys,
            int causal, bool of_keys)
{
    for (int r = 0; r < ROWS; r++)
        for (int j = 0; j < BLOCK; j++) {
            long key = of_keys ? at + r : j0 + j, query = of_keys ? j0 + j : at + r;
            bool sees = key < keys && query < queries && (!causal || key <= query + keys - queries);
            float e = sees ? exp(scale * s[r][j] - logarithm[query]) : 0;

            s[r][j] = e;
            p[r][j] = sees ? scale * e * (p[r][j] - means[query]) : 0;
        }
}

void store_attention_rows_rounded(global ELEMENT *out, float o[ROWS][WIDE], ulong here, ulong d, ulong row)
{
    for (ulong r = 0; r < ROWS && r < here; r++)
        for (ulong i = 0; i < d; i++) PUT(out, r * row + i, o[r][i]);
}

/* dQ of ROWS queries, or with of_keys dK and dV of ROWS keys; of_keys is a constant where this is called. */
void attention_backward_dq_or_dkv_rows(bool of_keys, global const float *a, global const float *b, global const float *x,
          global const float *y, global const float *x_transposed, global const float *y_transposed,
          global const float *logarithm, global const float *means, global ELEMENT *out,
          global ELEMENT *out_too, ulong queries, ulong keys, ulong d, ulong padded, ulong through,
          ulong group, int causal, ulong first, ulong first_too, ulong batch, ulong head, ulong row)
{
    ulong at = get_global_id(0) * ROWS, h = get_global_id(2) * get_global_size(1) + get_global_id(1);
    ulong place = get_global_id(2) * batch + get_global_id(1) * head + at * row;
    float o[ROWS][WIDE], too[ROWS][WIDE], s[ROWS][BLOCK], p[ROWS][BLOCK], whole[ROWS],
        scale = rsqrt((float)d);
    ulong from = h / group, to = from + 1, low = 0, high = keys;

    if (of_keys) {
        from = h * group;
        to = from + group;
        high = queries;
        if (causal && at + queries > keys) low = (at + queries - keys) / BLOCK * BLOCK;
    } else if (causal) {
        high = min(at + ROWS + keys - queries, keys);
    }
    a += (h * padded + at) * WIDE;
    b += (h * padded + at) * WIDE;
    for (int r = 0; r < ROWS; r++) {
        whole[r] = 1;
        for (int i = 0; i < WIDE; i++) o[r][i] = 0;
        if (of_keys)
            for (int i = 0; i < WIDE; i++) too[r][i] = 0;
    }
    for (ulong g = from; g < to; g++)
        for (ulong j = low; j < high; j += BLOCK) {
            ulong line = (of_keys ? g : h) * queries;

            scaled_dots_with_columns(a, x_transposed + g * through * d + j, through, d, 1, s);
            scaled_dots_with_columns(b, y_transposed + g * through * d + j, through, d, 1, p);
            scores_to_probs_and_score_gradients(s, p, logarithm + line, means + line, scale, at, j, queries, keys, causal,
                   of_keys);
            rescale_and_add_product(o, p, whole, x + (g * through + j) * WIDE);
            if (of_keys) rescale_and_add_product(too, s, whole, y + (g * through + j) * WIDE);
        }
    store_attention_rows_rounded(out + first + place, o, (of_keys ? keys : queries) - at, d, row);
    if (of_keys) store_attention_rows_rounded(out_too + first_too + place, too, keys - at, d, row);
}

KERNEL void attention_backward_dq(global const float *a, global const float *b, global const float *x,
                         global const float *y, global const float *x_transposed, global const float *y_transposed,
                         global const float *logarithm, ulong logarithm_at, global const float *means,
                         global ELEMENT *out, global ELEMENT *out_too, ulong queries, ulong keys, ulong d,
                         ulong padded, ulong through, ulong group, int causal, ulong first,
                         ulong first_too, ulong batch, ulong head, ulong row)
{
    attention_backward_dq_or_dkv_rows(false, a, b, x, y, x_transposed, y_transposed, logarithm + logarithm_at, means, out, out_too, queries, keys,
         d, padded, through, group, causal, first, first_too, batch, head, row);
}

KERNEL void attention_backward_dk_dv(global const float *a, global const float *b, global const float *x,
                      global const float *y, global const float *x_transposed, global const float *y_transposed,
                      global const float *logarithm, ulong logarithm_at, global const float *means,
                      global ELEMENT *out, global ELEMENT *out_too, ulong queries, ulong keys, ulong d,
                      ulong padded, ulong through, ulong group, int causal, ulong first,
                      ulong first_too, ulong batch, ulong head, ulong row)
{
    attention_backward_dq_or_dkv_rows(true, a, b, x, y, x_transposed, y_transposed, logarithm + logarithm_at, means, out, out_too, queries, keys,
         d, padded, through, group, causal, first, first_too, batch, head, row);
}

/* The sums of dO O, a work-item a query; both as rows. */
KERNEL void dot_do_o_per_query(global const float *d_out, global const float *out, global float *to,
                  ulong queries, ulong padded, ulong d)
{
    ulong r = get_global_id(0), h = get_global_id(1);
    float sum = 0;

    d_out += (h * padded + r) * WIDE;
    out += (h * padded + r) * WIDE;
    for (ulong i = 0; i < d; i++) sum = fma(d_out[i], out[i], sum);
    to[h * queries + r] = sum;
}
