/* flash.cl - attention in blocks (Dao et al. 2022), forward: a work-item has ROWS queries of a head
 * and goes through BLOCK keys after BLOCK keys. Q and V as rows, K transposed (copy_heads.cl).
 * Products: attention_blocks.cl. Output: row r of head h of batch b at first + b batch + h head + r row. */
/* Exponentials of a row of scores of the first `seen` keys; what is kept so far becomes `less`. */
void update_online_softmax_row(float s[BLOCK], long seen, float *most, float *sum, float *less)
{
    FLOATV top = *most, all = 0;
    float now;

    for (long j = max(seen, 0l); j < BLOCK; j++) s[j] = -INFINITY;
    for (int j = 0; j < BLOCK; j += LANES) top = fmax(top, VLOAD(0, s + j));
    now = max_of_vector(top);
    *less = exp(*most - now);
    for (int j = 0; j < BLOCK; j += LANES) {
        FLOATV p = exp(VLOAD(0, s + j) - now);

        all += p;
        VSTORE(p, 0, s + j);
    }
    *sum = *sum * *less + sum_of_vector(all);
    *most = now;
}

KERNEL void flash_attention_rows(global const float *q, global const float *k_transposed, global const float *v,
                  global ELEMENT *out, global float *logarithm, ulong logarithm_at, ulong queries, ulong keys, ulong d,
                  ulong q_padded, ulong k_padded, ulong group, int causal, ulong first, ulong batch,
                  ulong head, ulong row)
{
    ulong at = get_global_id(0) * ROWS, heads = get_global_size(1),
          h = get_global_id(2) * heads + get_global_id(1),
          last = causal ? min(at + ROWS + keys - queries, keys) : keys;
    float o[ROWS][WIDE], p[ROWS][BLOCK], most[ROWS], sum[ROWS], less[ROWS];

    logarithm += logarithm_at;
    q += (h * q_padded + at) * WIDE;
    k_transposed += h / group * k_padded * d;
    v += h / group * k_padded * WIDE;
    out += first + get_global_id(2) * batch + get_global_id(1) * head + at * row;
    for (int r = 0; r < ROWS; r++) {
        most[r] = -INFINITY;
        sum[r] = 0;
        for (int i = 0; i < WIDE; i++) o[r][i] = 0;
    }
    for (ulong j = 0; j < last; j += BLOCK) {
        scaled_dots_with_columns(q, k_transposed + j, k_padded, d, rsqrt((float)d), p);
        for (ulong r = 0; r < ROWS; r++) {
            ulong seen = causal ? min(at + r + 1 + keys - queries, keys) : keys;

            update_online_softmax_row(p[r], min((long)seen - (long)j, (long)BLOCK), &most[r], &sum[r], &less[r]);
        }
        rescale_and_add_product(o, p, less, v + j * WIDE);
    }
    for (ulong r = 0; r < ROWS && at + r < queries; r++) {
        for (ulong i = 0; i < d; i++) PUT(out, r * row + i, o[r][i] / sum[r]);
        logarithm[h * queries + at + r] = most[r] + log(sum[r]);
    }
}
