/* decode_attention.cl - attention of one new token of each request: a work-item has the GROUP heads of request
 * b (dimension 1) that share keys and values of head kv (dimension 0), and goes through its tokens,
 * TOKENS at a time. -DPAGES: tokens lie in pages by index; -DTABLE: pages that are not used are read
 * and count for nothing; -DWITH_L: the logarithm of each sum too. Rows have D numbers. */
enum { TOKENS = 64, WHOLE = D / LANES, REST = D % LANES };

typedef struct {
    FLOATV o[GROUP][WHOLE ? WHOLE : 1];
    float rest[GROUP][REST ? REST : 1], most[GROUP], sum[GROUP];
} kept;

/* Scores of `count` tokens whose keys begin at k. */
void query_key_dots(global const ELEMENT *q, global const ELEMENT *k, ulong count, float s[GROUP][TOKENS])
{
    for (ulong j = 0; j < count; j++, k += D)
        for (int g = 0; g < GROUP; g++) {
            FLOATV sum = 0;
            float one;

            for (int i = 0; i < WHOLE; i++)
                sum = fma(GETV(q, g * D + i * LANES), GETV(k, i * LANES), sum);
            one = sum_of_vector(sum);
            for (int i = WHOLE * LANES; i < D; i++) one += GET(q, g * D + i) * GET(k, i);
            s[g][j] = one;
        }
}

/* Scores of the first `seen` of them to weights; what was collected becomes less. */
void update_online_softmax_of_group(kept *t, float s[GROUP][TOKENS], long seen, float scale)
{
    for (int g = 0; g < GROUP; g++) {
        float now = t->most[g], sum = 0, less;

        for (long j = 0; j < TOKENS; j++) {
            s[g][j] = j < seen ? scale * s[g][j] : -INFINITY;
            now = fmax(now, s[g][j]);
        }
        less = t->most[g] == now ? 1 : exp(t->most[g] - now);
        for (int j = 0; j < TOKENS; j += LANES) {
            FLOATV p = seen > 0 ? exp(VLOAD(0, s[g] + j) - now) : (FLOATV)0;

            sum += sum_of_vector(p);
            VSTORE(p, 0, s[g] + j);
        }
        t->sum[g] = t->sum[g] * less + sum;
        t->most[g] = now;
        for (int i = 0; i < WHOLE; i++) t->o[g][i] *= less;
        for (int i = 0; i < REST; i++) t->rest[g][i] *= less;
    }
}

void add_weighted_values_of_group(kept *t, float p[GROUP][TOKENS], global const ELEMENT *v, ulong count)
{
    for (ulong j = 0; j < count; j++, v += D)
        for (int g = 0; g < GROUP; g++) {
            for (int i = 0; i < WHOLE; i++)
                t->o[g][i] = fma((FLOATV)p[g][j], GETV(v, i * LANES), t->o[g][i]);
            for (int i = 0; i < REST; i++) t->rest[g][i] += p[g][j] * GET(v, WHOLE * LANES + i);
        }
}

KERNEL void paged_decode_attention(global const ELEMENT *q, global const ELEMENT *k, global const ELEMENT *v,
                   global const int *index, global const int *length, global ELEMENT *o,
                   global float *logarithm, ulong block, ulong width)
{
    ulong kv = get_global_id(0), b = get_global_id(1), kv_heads = get_global_size(0),
          head = (b * kv_heads + kv) * GROUP;
    float s[GROUP][TOKENS];
    kept t;
#ifdef PAGES
    long tokens = length[b];
#else
    long tokens = block;
#endif
#ifdef TABLE
    ulong pages = width;
#else
    ulong pages = (tokens + block - 1) / block;
#endif

    for (int g = 0; g < GROUP; g++) {
        t.most[g] = -INFINITY;
        t.sum[g] = 0;
        for (int i = 0; i < WHOLE; i++) t.o[g][i] = 0;
        for (int i = 0; i < REST; i++) t.rest[g][i] = 0;
    }
    for (ulong page = 0; page < pages; page++) {
#ifdef PAGES
        ulong place = (index[b * width + page] * kv_heads + kv) * block;
#else
        ulong place = (b * kv_heads + kv) * block;
#endif
        for (ulong j = 0; j < block; j += TOKENS) {
            ulong count = min((ulong)TOKENS, block - j);
            long seen = min((long)count, tokens - (long)(page * block + j));

#ifndef TABLE
            if (seen <= 0) break;
            count = seen;
#endif
            query_key_dots(q + head * D, k + (place + j) * D, count, s);
            update_online_softmax_of_group(&t, s, seen, rsqrt((float)D));
            add_weighted_values_of_group(&t, s, v + (place + j) * D, count);
        }
    }
    for (int g = 0; g < GROUP; g++) {
        for (int i = 0; i < WHOLE; i++) PUTV(o, (head + g) * D + i * LANES, t.o[g][i] / t.sum[g]);
        for (int i = 0; i < REST; i++)
            PUT(o, (head + g) * D + WHOLE * LANES + i, t.rest[g][i] / t.sum[g]);
#ifdef WITH_L
        logarithm[head + g] = t.most[g] + log(t.sum[g]);
#endif
    }
}
