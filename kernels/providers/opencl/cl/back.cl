/* back.cl - gradients of attention in blocks (Dao et al. 2022). A work-item has ROWS queries of a
 * head and goes through its keys, for dQ, or (-DKEYS) ROWS keys and goes through all queries of the
 * heads that share them, for dK and dV. `a`, `b`: its rows of Q and dO, or of K and V; `x`, `y`: what
 * it goes through, K and V, or Q and dO, as rows and turned (heads.cl). Probabilities come from L,
 * slopes from the sums of dO O. */
enum { BLOCK = 64, PAIR = 2 * LANES, CHUNKS = WIDE / LANES };

/* s = (rows of a) x (columns of b). */
void dots(global const float *a, global const float *turned, ulong padded, ulong d,
          float s[ROWS][BLOCK])
{
    for (ulong j = 0; j < BLOCK; j += PAIR) {
        FLOATV t[ROWS][2];

#pragma unroll
        for (int r = 0; r < ROWS; r++) t[r][0] = t[r][1] = 0;
        for (ulong i = 0; i < d; i++) {
            FLOATV low = VLOAD(0, turned + i * padded + j),
                   high = VLOAD(1, turned + i * padded + j);

#pragma unroll
            for (int r = 0; r < ROWS; r++) {
                t[r][0] = fma((FLOATV)a[r * WIDE + i], low, t[r][0]);
                t[r][1] = fma((FLOATV)a[r * WIDE + i], high, t[r][1]);
            }
        }
#pragma unroll
        for (int r = 0; r < ROWS; r++) {
            VSTORE(t[r][0], 0, s[r] + j);
            VSTORE(t[r][1], 1, s[r] + j);
        }
    }
}

/* o += s x (rows of x). */
void collect(float o[ROWS][WIDE], float s[ROWS][BLOCK], global const float *x)
{
    for (int c = 0; c < CHUNKS; c++) {
        FLOATV t[ROWS];

#pragma unroll
        for (int r = 0; r < ROWS; r++) t[r] = VLOAD(c, o[r]);
        for (int j = 0; j < BLOCK; j++) {
            FLOATV one = VLOAD(c, x + j * WIDE);

#pragma unroll
            for (int r = 0; r < ROWS; r++) t[r] = fma((FLOATV)s[r][j], one, t[r]);
        }
#pragma unroll
        for (int r = 0; r < ROWS; r++) VSTORE(t[r], c, o[r]);
    }
}

/* Scores to probabilities, and slopes of probabilities to those of scores; which of row r and
 * column j sees the other is told by their difference. */
void slopes(float s[ROWS][BLOCK], float p[ROWS][BLOCK], global const float *logarithm,
            global const float *means, float scale, long at, long j0, long queries, long keys,
            int causal)
{
    for (int r = 0; r < ROWS; r++)
        for (int j = 0; j < BLOCK; j++) {
#ifdef KEYS
            long key = at + r, query = j0 + j;
#else
            long key = j0 + j, query = at + r;
#endif
            bool sees = key < keys && query < queries && (!causal || key <= query + keys - queries);
            float e = sees ? exp(scale * s[r][j] - logarithm[query]) : 0;

            s[r][j] = e;
            p[r][j] = sees ? scale * e * (p[r][j] - means[query]) : 0;
        }
}

void put(global ELEMENT *out, float o[ROWS][WIDE], ulong here, ulong d, ulong row)
{
    for (ulong r = 0; r < ROWS && r < here; r++)
        for (ulong i = 0; i < d; i++) PUT(out, r * row + i, o[r][i]);
}

KERNEL void back(global const float *a, global const float *b, global const float *x,
                 global const float *y, global const float *x_turned, global const float *y_turned,
                 global const float *logarithm, ulong logarithm_at, global const float *means,
                 global ELEMENT *out,                 global ELEMENT *out_too, ulong queries, ulong keys, ulong d, ulong padded,
                 ulong through, ulong group, int causal, ulong first, ulong first_too, ulong batch,
                 ulong head, ulong row)
{
    ulong at = get_global_id(0) * ROWS, h = get_global_id(2) * get_global_size(1) + get_global_id(1);
    ulong place = get_global_id(2) * batch + get_global_id(1) * head + at * row;
    float o[ROWS][WIDE], s[ROWS][BLOCK], p[ROWS][BLOCK], scale = rsqrt((float)d);
#ifdef KEYS
    float too[ROWS][WIDE];
    ulong from = h * group, to = from + group, low = 0, high = queries;

    if (causal && at + queries > keys) low = (at + queries - keys) / BLOCK * BLOCK;
#else
    ulong from = h / group, to = from + 1, low = 0,
          high = causal ? min(at + ROWS + keys - queries, keys) : keys;
#endif

    logarithm += logarithm_at;
    a += (h * padded + at) * WIDE;
    b += (h * padded + at) * WIDE;
    for (int r = 0; r < ROWS; r++)
        for (int i = 0; i < WIDE; i++) {
            o[r][i] = 0;
#ifdef KEYS
            too[r][i] = 0;
#endif
        }
    for (ulong g = from; g < to; g++)
        for (ulong j = low; j < high; j += BLOCK) {
#ifdef KEYS
            ulong line = g * queries;
#else
            ulong line = h * queries;
#endif
            dots(a, x_turned + g * through * d + j, through, d, s);
            dots(b, y_turned + g * through * d + j, through, d, p);
            slopes(s, p, logarithm + line, means + line, scale, at, j, queries, keys, causal);
            collect(o, p, x + (g * through + j) * WIDE);
#ifdef KEYS
            collect(too, s, y + (g * through + j) * WIDE);
#endif
        }
#ifdef KEYS
    put(out + first + place, o, keys - at, d, row);
    put(out_too + first_too + place, too, keys - at, d, row);
#else
    put(out + first + place, o, queries - at, d, row);
#endif
}

/* The sums of dO O, a work-item a query; both as rows. */
KERNEL void means(global const float *d_out, global const float *out, global float *to,
                  ulong queries, ulong padded, ulong d)
{
    ulong r = get_global_id(0), h = get_global_id(1);
    float sum = 0;

    d_out += (h * padded + r) * WIDE;
    out += (h * padded + r) * WIDE;
    for (ulong i = 0; i < d; i++) sum = fma(d_out[i], out[i], sum);
    to[h * queries + r] = sum;
}
