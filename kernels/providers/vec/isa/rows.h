/* rows.h - element-wise kernels over rows: a template, included by elementwise.c once for each
 * format. Wants ROW_OF(name), ELEMENT, and GET, PUT, PART, KEEP of math.h. A row comes from
 * memory once and is read again from the caches; while it is worked on, the next one is asked for.
 */

/* `body` for each vector v at j of a row x of n elements, `beyond` past its end. */
#define OVER(n, beyond, body)                       \
    do {                                            \
        size_t j = 0;                               \
                                                    \
        for (; j + VEC_F32 <= (n); j += VEC_F32) {  \
            vec_f32 v = GET(x + j);                 \
            body                                    \
        }                                           \
        if (j < (n)) {                              \
            vec_f32 v = PART(x + j, (n)-j, beyond); \
            body                                    \
        }                                           \
    } while (0)

VEC_INLINE float ROW_OF(largest)(const abdb_vec_rows *s, const ELEMENT *x)
{
    vec_f32 most = vec_of(-INFINITY);

    OVER(s->columns, -INFINITY, { most = vec_max(most, v); });
    return vec_most(most);
}

/* Asks for every other line of the next row: one pass over a row asks for the even ones, another
 * for the odd ones, so that memory is never idle. */
VEC_INLINE void ROW_OF(ask)(const ELEMENT *next, size_t j, size_t odd)
{
    size_t at = j * sizeof *next;

    if (at % 64 == 0 && at / 64 % 2 == odd) vec_ask((const char *)(next + j));
}

/* exp(x - most) to s->row; returns the sum. */
VEC_INLINE float ROW_OF(exponentials)(const abdb_vec_rows *s, const ELEMENT *x, const ELEMENT *next,
                                      float most)
{
    vec_f32 sum = {0}, from = vec_of(most * vec_log2_e);

    OVER(s->columns, -INFINITY, {
        vec_f32 e = vec_exp2(v * vec_log2_e - from);

        ROW_OF(ask)(next, j, 0);
        *(vec_f32 *)(s->row + j) = e;
        sum += e;
    });
    return vec_sum(sum);
}

static void ROW_OF(softmax)(const abdb_vec_rows *s, const ELEMENT *x, const ELEMENT *next,
                            ELEMENT *y)
{
    size_t n = s->columns, j = 0;
    float scale = 1 / ROW_OF(exponentials)(s, x, next, ROW_OF(largest)(s, x));

    for (; j + VEC_F32 <= n; j += VEC_F32) {
        ROW_OF(ask)(next, j, 1);
        PUT(y + j, *(vec_f32 *)(s->row + j) * scale, s->past);
    }
    if (j < n) KEEP(y + j, *(vec_f32 *)(s->row + j) * scale, n - j);
}

static float ROW_OF(loss)(const abdb_vec_rows *s, const ELEMENT *x, const ELEMENT *next,
                          size_t target)
{
    float top = ROW_OF(largest)(s, x), at[VEC_F32];

    vec_keep_f32(at, PART(x + target, 1, 0), 1);
    return logf(ROW_OF(exponentials)(s, x, next, top)) + top - at[0];
}

/* beta NULL: not centred. */
static void ROW_OF(norm)(const abdb_vec_rows *s, const ELEMENT *x, const ELEMENT *next,
                         const ELEMENT *gamma, const ELEMENT *beta, ELEMENT *y)
{
    size_t n = s->columns, i = 0;
    vec_f32 sum = {0}, square = {0};
    float mean = 0, scale;

    if (beta) {
        OVER(n, 0, { sum += v; });
        mean = vec_sum(sum) / (float)n;
    }
    OVER(n, mean, { /* beyond the end nothing differs from the mean */
                    v -= mean;
                    ROW_OF(ask)(next, j, 0);
                    square += v * v;
    });
    scale = 1 / sqrtf(vec_sum(square) / (float)n + 1e-5f);
    for (; i + VEC_F32 <= n; i += VEC_F32) {
        vec_f32 v = (GET(x + i) - mean) * scale * GET(gamma + i);

        ROW_OF(ask)(next, i, 1);
        PUT(y + i, beta ? v + GET(beta + i) : v, s->past);
    }
    if (i < n) {
        vec_f32 v = (PART(x + i, n - i, 0) - mean) * scale * PART(gamma + i, n - i, 0);

        KEEP(y + i, beta ? v + PART(beta + i, n - i, 0) : v, n - i);
    }
}

/* y = x s(z): z = x (silu), or z = 2 sqrt(2/pi) (x + 0.044715 x^3) (gelu). */
VEC_INLINE vec_f32 ROW_OF(gate)(vec_f32 x, bool gelu)
{
    return x / vec_gate(gelu ? vec_gelu_argument(x) : x);
}

VEC_INLINE void ROW_OF(activation)(const abdb_vec_rows *s, const ELEMENT *x, ELEMENT *y, bool gelu)
{
    size_t n = s->columns, j = 0;

    for (; j + VEC_F32 <= n; j += VEC_F32) PUT(y + j, ROW_OF(gate)(GET(x + j), gelu), s->past);
    if (j < n) KEEP(y + j, ROW_OF(gate)(PART(x + j, n - j, 0), gelu), n - j);
}

static void ROW_OF(rotary)(const abdb_vec_rows *s, const ELEMENT *x, const float *turn, ELEMENT *y)
{
    size_t half = s->columns / 2, j = 0;

    for (; j + VEC_F32 <= half; j += VEC_F32) {
        vec_f32 low = GET(x + j), high = GET(x + half + j), c = vec_get_f32(turn + j),
                t = vec_get_f32(turn + half + j);

        PUT(y + j, low * c - high * t, s->past);
        PUT(y + half + j, low * t + high * c, s->past);
    }
    if (j < half) {
        vec_f32 low = PART(x + j, half - j, 0), high = PART(x + half + j, half - j, 0),
                c = vec_part_f32(turn + j, half - j, 0),
                t = vec_part_f32(turn + half + j, half - j, 0);

        KEEP(y + j, low * c - high * t, half - j);
        KEEP(y + half + j, low * t + high * c, half - j);
    }
}

/* One vector of AdamW at step 10: rate 1e-3, betas 0.9 and 0.999, epsilon 1e-8, decay 0.01. */
VEC_INLINE vec_f32 ROW_OF(adamw_step)(vec_f32 p, vec_f32 g, vec_f32 *m, vec_f32 *v)
{
    const float by_m = 1.5353439724f, by_root = 10.0224761887f; /* 1/(1-.9^10), 1/sqrt(1-.999^10) */

    *m = *m * 0.9f + g * 0.1f;
    *v = *v * 0.999f + g * g * 0.001f;
    return p * (1 - 1e-5f) - *m * (1e-3f * by_m) / (vec_sqrt(*v) * by_root + 1e-8f);
}

static void ROW_OF(adamw)(const abdb_vec_rows *s, size_t row)
{
    size_t n = s->columns, first = row * n, j = first;
    const ELEMENT *p = s->p->tensor[0].data, *g = s->p->tensor[1].data;
    const float *m = s->p->tensor[2].data, *v = s->p->tensor[3].data;
    ELEMENT *p1 = s->p->tensor[4].data;
    float *m1 = s->p->tensor[5].data, *v1 = s->p->tensor[6].data;

    for (; j + VEC_F32 <= first + n; j += VEC_F32) {
        vec_f32 mean = vec_get_f32(m + j), square = vec_get_f32(v + j);

        PUT(p1 + j, ROW_OF(adamw_step)(GET(p + j), GET(g + j), &mean, &square), s->past);
        vec_put_f32(m1 + j, mean, s->past);
        vec_put_f32(v1 + j, square, s->past);
    }
    if (j < first + n) {
        size_t there = first + n - j;
        vec_f32 mean = vec_part_f32(m + j, there, 0), square = vec_part_f32(v + j, there, 0);

        KEEP(p1 + j,
             ROW_OF(adamw_step)(PART(p + j, there, 0), PART(g + j, there, 0), &mean, &square),
             there);
        vec_keep_f32(m1 + j, mean, there);
        vec_keep_f32(v1 + j, square, there);
    }
}

static void ROW_OF(all)(const abdb_vec_rows *s, size_t low, size_t high)
{
    const abdb_tensor *t = s->p->tensor;
    const ELEMENT *x = t[0].data;
    size_t n = s->columns, last = t[0].dim[0] - 1;

    for (size_t r = low; r < high; r++) {
        const ELEMENT *row = x + r * n, *next = x + (r < last ? r + 1 : r) * n;

        switch (s->op) {
        case ABDB_SOFTMAX: ROW_OF(softmax)(s, row, next, (ELEMENT *)t[1].data + r * n); break;
        case ABDB_LAYERNORM:
            ROW_OF(norm)(s, row, next, t[1].data, t[2].data, (ELEMENT *)t[3].data + r * n);
            break;
        case ABDB_RMSNORM:
            ROW_OF(norm)(s, row, next, t[1].data, NULL, (ELEMENT *)t[2].data + r * n);
            break;
        case ABDB_GELU: ROW_OF(activation)(s, row, (ELEMENT *)t[1].data + r * n, true); break;
        case ABDB_SILU: ROW_OF(activation)(s, row, (ELEMENT *)t[1].data + r * n, false); break;
        case ABDB_ROTARY:
            ROW_OF(rotary)
            (s, row, (const float *)t[1].data + r % t[1].dim[0] * n, (ELEMENT *)t[2].data + r * n);
            break;
        case ABDB_CROSS_ENTROPY:
            ((float *)t[2].data)[r] =
                ROW_OF(loss)(s, row, next, (size_t)((const int32_t *)t[1].data)[r]);
            break;
        default: ROW_OF(adamw)(s, r);
        }
    }
}

#undef OVER
#undef ROW_OF
#undef ELEMENT
#undef GET
#undef PUT
#undef PART
#undef KEEP
