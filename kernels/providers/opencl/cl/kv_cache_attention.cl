/* kv_cache_attention.cl - attention by a cache of keys and values in blocks. `plan`: of each row its sequence,
 * then of each row its position, then the blocks of each sequence, `width` of them. Key and value of
 * a token: row t % block of block page[t / block] and head. _at: elements before. */
#define CHUNKS (WIDE / LANES)
enum { TOKENS = 16 };

/* Numbers of the cache before those of a token and head. */
ulong kv_cache_offset(global const int *page, ulong token, ulong head, ulong kv_heads, ulong block, ulong d)
{
    return (((ulong)page[token / block] * kv_heads + head) * block + token % block) * d;
}

/* Queries and keys are rotated by their positions (rotary embedding), keys and values stored: a work-item has a head of
 * a row, the queries' first, then the keys'. */
KERNEL void rotate_qk_append_kv(global ELEMENT *qkv, ulong qkv_at, global ELEMENT *keys, ulong keys_at,
                     global ELEMENT *values, ulong values_at, global const float *turn,
                     ulong turn_at, global const int *plan, ulong rows, ulong heads,
                     ulong kv_heads, ulong d, ulong block, ulong width)
{
    ulong r = get_global_id(0), h = get_global_id(1), half_d = d / 2;
    global const int *page = plan + 2 * rows + plan[r] * width;
    ulong position = plan[rows + r];

    qkv += qkv_at + (r * (heads + 2 * kv_heads) + h) * d;
    turn += turn_at + position * d;
    for (ulong i = 0; i < half_d; i++) {
        float a = GET(qkv, i), b = GET(qkv, half_d + i);

        PUT(qkv, i, a * turn[i] - b * turn[half_d + i]);
        PUT(qkv, half_d + i, a * turn[half_d + i] + b * turn[i]);
    }
    if (h < heads) return;
    keys += keys_at + kv_cache_offset(page, position, h - heads, kv_heads, block, d);
    values += values_at + kv_cache_offset(page, position, h - heads, kv_heads, block, d);
    for (ulong i = 0; i < d; i++) {
        PUT(keys, i, GET(qkv, i));
        PUT(values, i, GET(qkv, kv_heads * d + i));
    }
}

/* A work-item has a head of a row, and goes through what that row sees, TOKENS at a time; padded:
 * through all blocks of its sequence. */
KERNEL void attend_to_kv_cache(global const ELEMENT *qkv, ulong qkv_at, global const ELEMENT *keys,
                   ulong keys_at, global const ELEMENT *values, ulong values_at,
                   global ELEMENT *out, ulong out_at, global const int *plan, ulong rows,
                   ulong heads, ulong kv_heads, ulong d, ulong block, ulong width, int padded)
{
    ulong r = get_global_id(0), h = get_global_id(1), seen = plan[rows + r] + 1,
          last = padded ? width * block : seen, whole = d / LANES;
    global const int *page = plan + 2 * rows + plan[r] * width;
    float q[WIDE], o[WIDE], most = -INFINITY, all = 0, scale = rsqrt((float)d);

    qkv += qkv_at + (r * (heads + 2 * kv_heads) + h) * d;
    out += out_at + (r * heads + h) * d;
    keys += keys_at;
    values += values_at;
    h /= heads / kv_heads;
    for (ulong i = 0; i < WIDE; i++) {
        q[i] = i < d ? GET(qkv, i) : 0;
        o[i] = 0;
    }
    for (ulong low = 0; low < last; low += TOKENS) {
        ulong here = min((ulong)TOKENS, last - low);
        float p[TOKENS], top = most, less;

        for (ulong t = 0; t < here; t++) {
            global const ELEMENT *k = keys + kv_cache_offset(page, low + t, h, kv_heads, block, d);
            FLOATV sum = 0;
            float one;

            for (ulong c = 0; c < whole; c++) sum = fma(VLOAD(c, q), GETV(k, c * LANES), sum);
            one = sum_of_vector(sum);
            for (ulong i = whole * LANES; i < d; i++) one = fma(q[i], GET(k, i), one);
            p[t] = low + t < seen ? one * scale : -INFINITY;
            top = fmax(top, p[t]);
        }
        less = exp(most - top);
        most = top;
        all *= less;
        for (ulong c = 0; c < CHUNKS; c++) VSTORE(VLOAD(c, o) * less, c, o);
        for (ulong t = 0; t < here; t++) {
            global const ELEMENT *v = values + kv_cache_offset(page, low + t, h, kv_heads, block, d);
            float by = exp(p[t] - most);

            if (low + t >= seen) by = 0; /* what is behind the end may be no number */
            all += by;
            for (ulong c = 0; c < whole; c++)
                VSTORE(fma((FLOATV)by, GETV(v, c * LANES), VLOAD(c, o)), c, o);
            for (ulong i = whole * LANES; i < d; i++) o[i] = fma(by, GET(v, i), o[i]);
        }
    }
    for (ulong i = 0; i < d; i++) PUT(out, i, o[i] / all);
}
