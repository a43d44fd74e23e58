/* row_ops.h - element-wise kernels over rows: a template, included by elementwise.c once for each
 * format. Wants ROW_OF(name), ELEMENT, and GET, PUT, PART, KEEP of math.h. A row comes from
 * memory once. What softmax and norms make of it is written while the next one is summed up and
 * what follows is asked for, so that memory is read and written at all times. */

/* A row of which everything is known but what is not written yet. y NULL: there is none. */
typedef struct {
    const ELEMENT *x;
    ELEMENT *y;
    const float *room;
    float mean, scale;
} ROW_OF(known);

/* Asks for as many elements as LANES vectors have, AHEAD of x: of this row, or of the next. */
VEC_INLINE void ROW_OF(prefetch_ahead)(const ELEMENT *x, size_t count)
{
    for (size_t at = 0; at < count * sizeof *x; at += 64)
        vec_prefetch((const char *)x + AHEAD + at);
}

/* `body` for each vector v at j of a row x of n elements, the last perhaps not whole: `beyond` past
 * its end. LANES in a row have a `lane` each, to sum up in: one sum would wait for the addition
 * before. */
#define OVER(n, beyond, body)                                                  \
    do {                                                                       \
        size_t j = 0;                                                          \
                                                                               \
        while (j + LANES * VEC_F32 <= (n)) {                                   \
            ROW_OF(prefetch_ahead)(x + j, LANES * VEC_F32);                    \
            for (int lane = 0; lane < LANES; lane++, j += VEC_F32) {           \
                const vec_f32 v = GET(x + j);                                  \
                const bool whole = true;                                       \
                body                                                           \
            }                                                                  \
        }                                                                      \
        for (; j < (n); j += VEC_F32) {                                        \
            const bool whole = j + VEC_F32 <= (n);                             \
            const int lane = 0;                                                \
            const vec_f32 v = whole ? GET(x + j) : PART(x + j, (n)-j, beyond); \
            body                                                               \
        }                                                                      \
    } while (0)

VEC_INLINE float ROW_OF(sum_of_four_vectors)(const vec_f32 *lane)
{
    return vec_sum_lanes(lane[0] + lane[1] + (lane[2] + lane[3]));
}

VEC_INLINE float ROW_OF(max_of_four_vectors)(const vec_f32 *lane)
{
    return vec_max_lane(vec_max(vec_max(lane[0], lane[1]), vec_max(lane[2], lane[3])));
}

VEC_INLINE float ROW_OF(row_max)(size_t n, const ELEMENT *x)
{
    vec_f32 most[LANES];

    for (int i = 0; i < LANES; i++) most[i] = vec_broadcast(-INFINITY);
    OVER(n, -INFINITY, {
        (void)whole;
        most[lane] = vec_max(most[lane], v);
    });
    return ROW_OF(max_of_four_vectors)(most);
}

/* --- softmax and cross entropy ---------------------------------------------------------------- */

/* A vector of a row's softmax. */
VEC_INLINE void ROW_OF(write_softmax_vector)(const ROW_OF(known) * row, size_t j, size_t n,
                                             bool whole, bool past)
{
    vec_f32 v = *(const vec_f32 *)(row->room + j) * row->scale;

    if (whole)
        PUT(row->y + j, v, past);
    else
        KEEP(row->y + j, v, n - j);
}

/* exp(x - from) to room, where there is some, while the softmax of the row `was` is written;
 * returns the sum, and the largest of x. */
VEC_INLINE float ROW_OF(sum_exponentials_write_previous)(const abdb_vec_rows *s, const ELEMENT *x,
                                                         float from, float *room,
                                                         const ROW_OF(known) * was, float *largest)
{
    size_t n = s->columns;
    vec_f32 sum[LANES] = {{0}}, most[LANES], base = vec_broadcast(from * vec_log2_e);

    for (int i = 0; i < LANES; i++) most[i] = vec_broadcast(-INFINITY);
    OVER(n, -INFINITY, {
        vec_f32 e = vec_exp2(v * vec_log2_e - base);

        if (room) *(vec_f32 *)(room + j) = e;
        sum[lane] += e;
        most[lane] = vec_max(most[lane], v);
        if (was) ROW_OF(write_softmax_vector)(was, j, n, whole, s->past);
    });
    *largest = ROW_OF(max_of_four_vectors)(most);
    return ROW_OF(sum_of_four_vectors)(sum);
}

/* As sum_exponentials_write_previous, from the largest of the row's beginning: powers of what is
 * larger are in range still, and the sum has as many digits, unless it is much larger. Then the row
 * is read again. Returns the sum, and what it is from. */
VEC_INLINE float ROW_OF(sum_exponentials_from_estimated_max)(const abdb_vec_rows *s,
                                                             const ELEMENT *x, float *room,
                                                             const ROW_OF(known) * was, float *from)
{
    size_t n = s->columns, some = LANES * VEC_F32;
    float first = ROW_OF(row_max)(n < some ? n : some, x), largest, sum;

    *from = first;
    sum = ROW_OF(sum_exponentials_write_previous)(s, x, first, room, was, &largest);
    if (largest - first < 64) return sum;
    *from = largest;
    return ROW_OF(sum_exponentials_write_previous)(s, x, largest, room, NULL, &largest);
}

static void ROW_OF(softmax_rows)(const abdb_vec_rows *s, size_t low, size_t high)
{
    const abdb_tensor *t = s->p->tensor;
    size_t n = s->columns;
    ROW_OF(known) was = {0};

    for (size_t r = low; r < high; r++) {
        const ELEMENT *x = (const ELEMENT *)t[0].data + r * n;
        float *room = s->row + (r & 1) * s->row_size, from;
        float sum = was.y ? ROW_OF(sum_exponentials_from_estimated_max)(s, x, room, &was, &from)
                          : ROW_OF(sum_exponentials_from_estimated_max)(s, x, room, NULL, &from);

        was = (ROW_OF(known)){x, (ELEMENT *)t[1].data + r * n, room, 0, 1 / sum};
        if (n <= TOGETHER && r + 1 < high) continue;
        for (size_t j = 0; j < n; j += VEC_F32)
            ROW_OF(write_softmax_vector)(&was, j, n, j + VEC_F32 <= n, s->past);
        was.y = NULL;
    }
}

static float ROW_OF(cross_entropy_of_row)(const abdb_vec_rows *s, const ELEMENT *x, size_t target)
{
    float at[VEC_F32], from,
        sum = ROW_OF(sum_exponentials_from_estimated_max)(s, x, NULL, NULL, &from);

    vec_store_part_f32(at, PART(x + target, 1, 0), 1);
    return logf(sum) + from - at[0];
}

/* --- norms ------------------------------------------------------------------------------------ */

/* What a norm is scaled by, and what is added to it (NULL: nothing; then it is not centred). Where
 * there is room, both are kept side by side in it, as f32: vectors of one and the other in turn. */
typedef struct {
    const ELEMENT *gain, *shift;
    const float *both;
} ROW_OF(affine);

VEC_INLINE vec_f32 ROW_OF(load_whole_or_part)(const ELEMENT *x, size_t n, bool whole)
{
    return whole ? GET(x) : PART(x, n, 0);
}

static ROW_OF(affine) ROW_OF(interleave_gain_and_shift)(const abdb_vec_rows *s, const ELEMENT *gain,
                                                        const ELEMENT *shift)
{
    size_t n = s->columns;
    vec_f32 *both = (vec_f32 *)s->row;

    for (size_t j = 0; both && shift && j < n; j += VEC_F32) {
        *both++ = ROW_OF(load_whole_or_part)(gain + j, n - j, j + VEC_F32 <= n);
        *both++ = ROW_OF(load_whole_or_part)(shift + j, n - j, j + VEC_F32 <= n);
    }
    return (ROW_OF(affine)){gain, shift, shift ? s->row : NULL};
}

/* A vector of a row's norm. */
VEC_INLINE void ROW_OF(write_normalised_vector)(const ROW_OF(known) * row,
                                                const ROW_OF(affine) * by, size_t j, size_t n,
                                                bool whole, bool past)
{
    vec_f32 v = (ROW_OF(load_whole_or_part)(row->x + j, n - j, whole) - row->mean) * row->scale;

    if (by->both)
        v = v * ((const vec_f32 *)(by->both + 2 * j))[0] + ((const vec_f32 *)(by->both + 2 * j))[1];
    else
        v *= ROW_OF(load_whole_or_part)(by->gain + j, n - j, whole);
    if (!by->both && by->shift) v += ROW_OF(load_whole_or_part)(by->shift + j, n - j, whole);
    if (whole)
        PUT(row->y + j, v, past);
    else
        KEEP(row->y + j, v, n - j);
}

/* Sums of what differs from `from`, and of its squares, while the norm of the row `was` is
 * written. */
VEC_INLINE void ROW_OF(sum_moments_write_previous)(const abdb_vec_rows *s, const ELEMENT *x,
                                                   float from, const ROW_OF(affine) * by,
                                                   const ROW_OF(known) * was, float *sum,
                                                   float *square)
{
    size_t n = s->columns;
    vec_f32 first[LANES] = {{0}}, second[LANES] = {{0}};

    OVER(n, from, { /* beyond the end nothing differs */
                    vec_f32 off = v - from;

                    first[lane] += off;
                    second[lane] += off * off;
                    if (was) ROW_OF(write_normalised_vector)(was, by, j, n, whole, s->past);
    });
    *sum = ROW_OF(sum_of_four_vectors)(first);
    *square = ROW_OF(sum_of_four_vectors)(second);
}

VEC_INLINE float ROW_OF(row_mean)(size_t n, const ELEMENT *x)
{
    vec_f32 sum[LANES] = {{0}};

    OVER(n, 0, {
        (void)whole;
        sum[lane] += v;
    });
    return ROW_OF(sum_of_four_vectors)(sum) / (float)n;
}

/* What a row's norm is made with. A row that is centred is read once, too: from the mean of its
 * beginning; where that is further from its mean than numbers are in the mean, the difference of
 * sums would lose digits (of infinite squares there is none), and squares are summed up again from
 * the mean itself. */
VEC_INLINE ROW_OF(known)
    ROW_OF(find_mean_and_std_write_previous)(const abdb_vec_rows *s, const ELEMENT *x, ELEMENT *y,
                                             const ROW_OF(affine) * by, const ROW_OF(known) * was)
{
    size_t n = s->columns, some = LANES * VEC_F32;
    float from = by->shift ? ROW_OF(row_mean)(n < some ? n : some, x) : 0, mean = 0, off, sum,
          square, none;

    ROW_OF(sum_moments_write_previous)(s, x, from, by, was, &sum, &square);
    if (by->shift) {
        off = sum / (float)n;
        mean = from + off;
        square -= sum * off;
        if (!(sum * off <= square))
            ROW_OF(sum_moments_write_previous)(s, x, mean, by, NULL, &none, &square);
    }
    return (ROW_OF(known)){x, y, NULL, mean, 1 / sqrtf(square / (float)n + 1e-5f)};
}

/* Rows whose gain and shift the first cache cannot keep beside them are written SIDE_BY_SIDE, so
 * that both are read once for all of them; of a gain alone it would not pay. */
static void ROW_OF(layernorm_or_rmsnorm_rows)(const abdb_vec_rows *s, size_t low, size_t high,
                                              const ELEMENT *gain, const ELEMENT *shift, ELEMENT *y)
{
    const ROW_OF(affine) by = ROW_OF(interleave_gain_and_shift)(s, gain, shift);
    size_t n = s->columns, side = shift ? SIDE_BY_SIDE : 1, there = 0;
    bool together = n * (2 * sizeof *y + (shift ? 8 : sizeof *y)) <= NEAR;
    ROW_OF(known) was[SIDE_BY_SIDE];

    for (size_t r = low; r < high; r++) {
        const ELEMENT *x = (const ELEMENT *)s->p->tensor[0].data + r * n;

        if (together && there)
            was[0] = ROW_OF(find_mean_and_std_write_previous)(s, x, y + r * n, &by, &was[0]);
        else
            was[there++] = ROW_OF(find_mean_and_std_write_previous)(s, x, y + r * n, &by, NULL);
        if (r + 1 < high && (together || there < side)) continue;
        for (size_t j = 0; j < n; j += VEC_F32) { /* of the next row its second half is asked for */
            vec_prefetch(x + n + n / 2 + j / 2);
            for (size_t i = 0; i < there; i++)
                ROW_OF(write_normalised_vector)(&was[i], &by, j, n, j + VEC_F32 <= n, s->past);
        }
        there = 0;
    }
}

/* --- what each row has for itself ------------------------------------------------------------- */

/* y = x s(z): z = x (silu), or z = 2 sqrt(2/pi) (x + 0.044715 x^3) (gelu). */
VEC_INLINE vec_f32 ROW_OF(gelu_or_silu)(vec_f32 x, bool gelu)
{
    return x / vec_one_plus_exp_minus(gelu ? vec_gelu_argument(x) : x);
}

VEC_INLINE void ROW_OF(apply_gelu_or_silu_row)(const abdb_vec_rows *s, const ELEMENT *x, ELEMENT *y,
                                               bool gelu)
{
    size_t n = s->columns, j = 0;

    for (; j + VEC_F32 <= n; j += VEC_F32)
        PUT(y + j, ROW_OF(gelu_or_silu)(GET(x + j), gelu), s->past);
    if (j < n) KEEP(y + j, ROW_OF(gelu_or_silu)(PART(x + j, n - j, 0), gelu), n - j);
}

VEC_INLINE void ROW_OF(apply_rotary_row)(const abdb_vec_rows *s, const ELEMENT *x,
                                         const float *turn, ELEMENT *y)
{
    size_t half = s->columns / 2, j = 0;

    for (; j + VEC_F32 <= half; j += VEC_F32) {
        vec_f32 low = GET(x + j), high = GET(x + half + j), c = vec_load_f32(turn + j),
                t = vec_load_f32(turn + half + j);

        PUT(y + j, low * c - high * t, s->past);
        PUT(y + half + j, low * t + high * c, s->past);
    }
    if (j < half) {
        vec_f32 low = PART(x + j, half - j, 0), high = PART(x + half + j, half - j, 0),
                c = vec_load_part_f32(turn + j, half - j, 0),
                t = vec_load_part_f32(turn + half + j, half - j, 0);

        KEEP(y + j, low * c - high * t, half - j);
        KEEP(y + half + j, low * t + high * c, half - j);
    }
}

/* Some rows of one position after another, so that its sines and cosines, which come out of a far
 * cache, are read once for them. */
static void ROW_OF(apply_rotary_rows)(const abdb_vec_rows *s, size_t low, size_t high)
{
    const abdb_tensor *t = s->p->tensor;
    size_t n = s->columns, positions = t[1].dim[0], some = LANES * positions;

    for (size_t first = low; first < high; first += some) {
        size_t end = high - first < some ? high : first + some;

        for (size_t i = first; i < first + positions && i < end; i++)
            for (size_t r = i; r < end; r += positions) {
                const ELEMENT *x = (const ELEMENT *)t[0].data + r * n;

                ROW_OF(prefetch_ahead)(x, n);
                ROW_OF(apply_rotary_row)
                (s, x, (const float *)t[1].data + i % positions * n, (ELEMENT *)t[2].data + r * n);
            }
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

static void ROW_OF(adamw_row)(const abdb_vec_rows *s, size_t row)
{
    size_t n = s->columns, first = row * n, j = first;
    const ELEMENT *p = s->p->tensor[0].data, *g = s->p->tensor[1].data;
    const float *m = s->p->tensor[2].data, *v = s->p->tensor[3].data;
    ELEMENT *p1 = s->p->tensor[4].data;
    float *m1 = s->p->tensor[5].data, *v1 = s->p->tensor[6].data;

    for (; j + VEC_F32 <= first + n; j += VEC_F32) {
        vec_f32 mean = vec_load_f32(m + j), square = vec_load_f32(v + j);

        PUT(p1 + j, ROW_OF(adamw_step)(GET(p + j), GET(g + j), &mean, &square), s->past);
        vec_store_f32(m1 + j, mean, s->past);
        vec_store_f32(v1 + j, square, s->past);
    }
    if (j < first + n) {
        size_t there = first + n - j;
        vec_f32 mean = vec_load_part_f32(m + j, there, 0),
                square = vec_load_part_f32(v + j, there, 0);

        KEEP(p1 + j,
             ROW_OF(adamw_step)(PART(p + j, there, 0), PART(g + j, there, 0), &mean, &square),
             there);
        vec_store_part_f32(m1 + j, mean, there);
        vec_store_part_f32(v1 + j, square, there);
    }
}

static void ROW_OF(run_gelu_silu_loss_or_adamw_rows)(const abdb_vec_rows *s, size_t low,
                                                     size_t high)
{
    const abdb_tensor *t = s->p->tensor;
    size_t n = s->columns;

    for (size_t r = low; r < high; r++) {
        const ELEMENT *x = (const ELEMENT *)t[0].data + r * n;

        switch (s->op) {
        case ABDB_GELU:
            ROW_OF(apply_gelu_or_silu_row)(s, x, (ELEMENT *)t[1].data + r * n, true);
            break;
        case ABDB_SILU:
            ROW_OF(apply_gelu_or_silu_row)(s, x, (ELEMENT *)t[1].data + r * n, false);
            break;
        case ABDB_CROSS_ENTROPY:
            ((float *)t[2].data)[r] =
                ROW_OF(cross_entropy_of_row)(s, x, (size_t)((const int32_t *)t[1].data)[r]);
            break;
        default: ROW_OF(adamw_row)(s, r);
        }
    }
}

static void ROW_OF(run_row_op)(const abdb_vec_rows *s, size_t low, size_t high)
{
    const abdb_tensor *t = s->p->tensor;

    switch (s->op) {
    case ABDB_SOFTMAX: ROW_OF(softmax_rows)(s, low, high); break;
    case ABDB_LAYERNORM:
        ROW_OF(layernorm_or_rmsnorm_rows)(s, low, high, t[1].data, t[2].data, t[3].data);
        break;
    case ABDB_ROTARY: ROW_OF(apply_rotary_rows)(s, low, high); break;
    case ABDB_RMSNORM:
        ROW_OF(layernorm_or_rmsnorm_rows)(s, low, high, t[1].data, NULL, t[2].data);
        break;
    default: ROW_OF(run_gelu_silu_loss_or_adamw_rows)(s, low, high);
    }
}

#undef OVER
#undef ROW_OF
#undef ELEMENT
#undef GET
#undef PUT
#undef PART
#undef KEEP
