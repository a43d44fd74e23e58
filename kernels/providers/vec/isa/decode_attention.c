/* decode_attention.c - attention of few queries: keys and values are read once, where they lie, RUN
 * rows at a time. The scores of a run become probabilities relative to the largest score so far,
 * and sums that were added up before shrink when a larger one comes (the online softmax of Milakov
 * and Gimelshein 2018). Bound by memory: the next run's rows are asked for meanwhile. See vec.h. */
#include "kernels/providers/vec/isa/isa.h"
#include "kernels/providers/vec/isa/math.h"

/* RUN: keys worked on together; ROWS: queries that share a read of them; WIDE: vectors of a row of
 * values at a time; SUMS: scores that are summed across lanes together. */
enum { RUN = 32, ROWS = 4, WIDE = 4, LINE = 64, SUMS = 16 };

VEC_INLINE size_t bytes_per_element(const abdb_dtype of)
{
    return of == ABDB_F32 ? 4 : 2;
}

VEC_INLINE vec_f32 load_elements_as_f32(const char *row, size_t i, const abdb_dtype of)
{
    const void *at = row + i * bytes_per_element(of);

    return of == ABDB_BF16  ? vec_load_bf16(at)
           : of == ABDB_F16 ? vec_load_f16(at)
                            : vec_load_f32(at);
}

/* Asks for a row. */
VEC_INLINE void prefetch_row(const char *row, size_t bytes)
{
    for (size_t l = 0; l < bytes; l += LINE) vec_prefetch(row + l);
}

/* The sums of 16 vectors, times scale, each `keys` of them to a row of RUN. */
VEC_INLINE void sum_16_vectors_scaled(const vec_f32 *v, float scale, float *out, const size_t keys)
{
#if VEC_WIDTH == 64
    __m512 a[8], b[4], c[2], d;

    /* Adding 16 lanes of each of 16 vectors one by one takes 64 steps; pairs of vectors are
     * interleaved and added instead: 16 vectors become 8 of partial sums, 4, 2, then one of 16
     * sums. */
    _Pragma("GCC unroll 8") for (int i = 0; i < 8; i++)
    {
        __m512 x = (__m512)v[2 * i], y = (__m512)v[2 * i + 1];

        a[i] = _mm512_add_ps(_mm512_unpacklo_ps(x, y), _mm512_unpackhi_ps(x, y));
    }
    _Pragma("GCC unroll 4") for (int i = 0; i < 4; i++)
    {
        __m512d x = _mm512_castps_pd(a[2 * i]), y = _mm512_castps_pd(a[2 * i + 1]);

        b[i] = _mm512_add_ps(_mm512_castpd_ps(_mm512_unpacklo_pd(x, y)),
                             _mm512_castpd_ps(_mm512_unpackhi_pd(x, y)));
    }
    _Pragma("GCC unroll 2") for (int i = 0; i < 2; i++) c[i] =
        _mm512_add_ps(_mm512_shuffle_f32x4(b[2 * i], b[2 * i + 1], 0x88),
                      _mm512_shuffle_f32x4(b[2 * i], b[2 * i + 1], 0xDD));
    d = _mm512_add_ps(_mm512_shuffle_f32x4(c[0], c[1], 0x88),
                      _mm512_shuffle_f32x4(c[0], c[1], 0xDD));
    d = _mm512_mul_ps(d, _mm512_set1_ps(scale));
    if (keys == SUMS) {
        _mm512_storeu_ps(out, d);
        return;
    }
    _mm_storeu_ps(out, _mm512_castps512_ps128(d));
    _mm_storeu_ps(out + RUN, _mm512_extractf32x4_ps(d, 1));
    _mm_storeu_ps(out + 2 * RUN, _mm512_extractf32x4_ps(d, 2));
    _mm_storeu_ps(out + 3 * RUN, _mm512_extractf32x4_ps(d, 3));
#else
    for (size_t i = 0; i < SUMS; i++) out[i / keys * RUN + i % keys] = vec_sum_lanes(v[i]) * scale;
#endif
}

/* Scores of `n` keys for `rows` queries, 16 at a time; values are asked for. */
VEC_INLINE void score_keys_prefetch_values(const abdb_vec_decode *x, size_t first, const char *k,
                                           const char *v, size_t n, size_t stride, float *s,
                                           const size_t rows, const abdb_dtype of)
{
    const size_t keys = SUMS / rows;
    const float *q = x->q + first * x->d;

    for (size_t from = 0; from < n; from += keys) {
        vec_f32 sum[SUMS];

        for (size_t j = 0; j < keys && from + j < n; j++, k += stride, v += stride) {
            vec_f32 part[ROWS] = {{0}};

            prefetch_row(v, x->d * bytes_per_element(of));
            for (size_t i = 0; i < x->d; i += VEC_F32) {
                vec_f32 key = load_elements_as_f32(k, i, of);

                _Pragma("GCC unroll 4") for (size_t r = 0; r < rows; r++) part[r] +=
                    key * vec_load_f32(q + r * x->d + i);
            }
            _Pragma("GCC unroll 4") for (size_t r = 0; r < rows; r++) sum[r * keys + j] = part[r];
        }
        for (size_t j = n - from < keys ? n - from : keys; j < keys; j++)
            for (size_t r = 0; r < rows; r++) sum[r * keys + j] = (vec_f32){0};
        sum_16_vectors_scaled(sum, x->scale, s + from, keys);
    }
}

/* Values of `n` keys by their probabilities, added to `rows` sums; the next keys are asked for. */
VEC_INLINE void rescale_sums_add_weighted_values(const abdb_vec_decode *x, float *acc,
                                                 const char *v, const char *next_keys, size_t n,
                                                 size_t stride, const float *p, const float *shrink,
                                                 const size_t rows, const size_t wide, size_t i,
                                                 const abdb_dtype of)
{
    vec_f32 sum[ROWS][WIDE];

    _Pragma("GCC unroll 4") for (size_t r = 0; r < rows; r++)
        _Pragma("GCC unroll 4") for (size_t w = 0; w < wide; w++) sum[r][w] =
            vec_load_f32(acc + r * x->d + i + w * VEC_F32) * shrink[r];
    for (size_t j = 0; j < n; j++, v += stride) {
        if (i == 0) prefetch_row(next_keys + j * stride, x->d * bytes_per_element(of));
        _Pragma("GCC unroll 4") for (size_t w = 0; w < wide; w++)
        {
            vec_f32 value = load_elements_as_f32(v, i + w * VEC_F32, of);

            _Pragma("GCC unroll 4") for (size_t r = 0; r < rows; r++) sum[r][w] +=
                value * p[r * RUN + j];
        }
    }
    _Pragma("GCC unroll 4") for (size_t r = 0; r < rows; r++)
        _Pragma("GCC unroll 4") for (size_t w = 0; w < wide; w++)
            vec_store_f32(acc + r * x->d + i + w * VEC_F32, sum[r][w], false);
}

/* Scores of a run beyond `seen` are -infinity; the others become 2^(score - largest so far).
 * *shrink is what earlier sums are multiplied by; most and sum of the row go on. */
static void online_softmax_of_run(const abdb_vec_decode *x, size_t row, float *s, size_t seen,
                                  float *shrink)
{
    vec_f32 top = vec_broadcast(-INFINITY), total = {0};
    float now;

    for (size_t j = seen; j < RUN; j++) s[j] = -INFINITY;
    for (size_t j = 0; j < RUN; j += VEC_F32) top = vec_max(top, vec_load_f32(s + j));
    now = fmaxf(vec_max_lane(top), x->most[row]);
    *shrink = 1;
    /* Else infinity minus infinity would make NaN of scores that are not seen. */
    if (now == -INFINITY) now = 0; /* nothing is seen yet */
    if (x->most[row] != now) *shrink = exp2f(x->most[row] - now);
    for (size_t j = 0; j < RUN; j += VEC_F32) {
        vec_f32 e = vec_exp2(vec_load_f32(s + j) - now);

        vec_store_f32(s + j, e, false);
        total += e;
    }
    x->sum[row] = x->sum[row] * *shrink + vec_sum_lanes(total);
    if (seen) x->most[row] = now;
}

/* `rows` queries from `first` on. */
VEC_INLINE void attend_to_run_of_keys(const abdb_vec_decode *x, size_t first, const char *k,
                                      const char *v, const char *next_keys, size_t n, size_t seen,
                                      const size_t rows, const abdb_dtype of)
{
    size_t stride = x->row * bytes_per_element(of), i = 0;
    float s[ROWS * RUN] __attribute__((aligned(64))), shrink[ROWS];
    float *acc = x->acc + first * x->d;

    score_keys_prefetch_values(x, first, k, v, n, stride, s, rows, of);
    for (size_t r = 0; r < rows; r++)
        online_softmax_of_run(x, first + r, s + r * RUN, seen, &shrink[r]);
    for (; i + WIDE * VEC_F32 <= x->d; i += WIDE * VEC_F32)
        rescale_sums_add_weighted_values(x, acc, v, next_keys, n, stride, s, shrink, rows, WIDE, i,
                                         of);
    for (; i < x->d; i += VEC_F32)
        rescale_sums_add_weighted_values(x, acc, v, next_keys, n, stride, s, shrink, rows, 1, i,
                                         of);
}

#if VEC_WIDTH == 64
VEC_WITH("avx512bf16")
/* The same by the processor's dot products of bf16: no key or value is converted. */
VEC_INLINE void score_keys_native_bf16(const abdb_vec_decode *x, size_t first, const char *k,
                                       const char *v, size_t n, size_t stride, float *s,
                                       const size_t rows)
{
    const size_t keys = SUMS / rows;
    const uint16_t *q = x->q_bf16 + first * x->d;

    for (size_t from = 0; from < n; from += keys) {
        vec_f32 sum[SUMS];

        for (size_t j = 0; j < keys && from + j < n; j++, k += stride, v += stride) {
            __m512 part[ROWS] = {{0}};

            prefetch_row(v, 2 * x->d);
            for (size_t i = 0; i < x->d; i += 32) {
                __m512bh key = (__m512bh)_mm512_loadu_si512(k + 2 * i);

                _Pragma("GCC unroll 4") for (size_t r = 0; r < rows; r++) part[r] =
                    _mm512_dpbf16_ps(part[r], key, (__m512bh)_mm512_loadu_si512(q + r * x->d + i));
            }
            _Pragma("GCC unroll 4") for (size_t r = 0; r < rows; r++) sum[r * keys + j] =
                (vec_f32)part[r];
        }
        for (size_t j = n - from < keys ? n - from : keys; j < keys; j++)
            for (size_t r = 0; r < rows; r++) sum[r * keys + j] = (vec_f32){0};
        sum_16_vectors_scaled(sum, x->scale, s + from, keys);
    }
}

/* Values of two keys side by side, multiplied by the pair of their probabilities: dpbf16 adds
 * products of neighbours. Sums of 32 columns lie as unpacking leaves them, of each 8 the first 4,
 * then of each 8 the last 4; abdb_vec_decode_merge_parts_to_output puts them in order. */
VEC_INLINE void rescale_sums_add_weighted_native_bf16(const abdb_vec_decode *x, float *acc,
                                                      const char *v, const char *next_keys,
                                                      size_t n, size_t stride, const uint32_t *p,
                                                      const float *shrink, const size_t rows,
                                                      size_t i)
{
    __m512 sum[ROWS][2];

    _Pragma("GCC unroll 4") for (size_t r = 0; r < rows; r++)
        _Pragma("GCC unroll 2") for (size_t w = 0; w < 2; w++) sum[r][w] =
            _mm512_mul_ps(_mm512_loadu_ps(acc + r * x->d + i + 16 * w), _mm512_set1_ps(shrink[r]));
    for (size_t j = 0; j < n; j += 2, v += 2 * stride) {
        __m512i one = _mm512_loadu_si512(v + 2 * i),
                two = j + 1 < n ? _mm512_loadu_si512(v + stride + 2 * i) : _mm512_setzero_si512();
        __m512bh low = (__m512bh)_mm512_unpacklo_epi16(one, two),
                 high = (__m512bh)_mm512_unpackhi_epi16(one, two);

        if (i == 0) {
            prefetch_row(next_keys + j * stride, 2 * x->d);
            prefetch_row(next_keys + (j + 1) * stride, 2 * x->d);
        }
        _Pragma("GCC unroll 4") for (size_t r = 0; r < rows; r++)
        {
            __m512bh pair = (__m512bh)_mm512_set1_epi32((int)p[(r * RUN + j) / 2]);

            sum[r][0] = _mm512_dpbf16_ps(sum[r][0], low, pair);
            sum[r][1] = _mm512_dpbf16_ps(sum[r][1], high, pair);
        }
    }
    _Pragma("GCC unroll 4") for (size_t r = 0; r < rows; r++)
        _Pragma("GCC unroll 2") for (size_t w = 0; w < 2; w++)
            _mm512_storeu_ps(acc + r * x->d + i + 16 * w, sum[r][w]);
}

VEC_INLINE void attend_to_run_native_bf16(const abdb_vec_decode *x, size_t first, const char *k,
                                          const char *v, const char *next_keys, size_t n,
                                          size_t seen, const size_t rows)
{
    size_t stride = x->row * 2;
    float s[ROWS * RUN] __attribute__((aligned(64))), shrink[ROWS];
    uint16_t p[ROWS * RUN] __attribute__((aligned(64)));

    score_keys_native_bf16(x, first, k, v, n, stride, s, rows);
    for (size_t r = 0; r < rows; r++) {
        online_softmax_of_run(x, first + r, s + r * RUN, seen, &shrink[r]);
        for (size_t j = 0; j < RUN; j += VEC_F32)
            vec_store_native_bf16(p + r * RUN + j, vec_load_f32(s + r * RUN + j), false);
    }
    for (size_t i = 0; i < x->d; i += 32)
        rescale_sums_add_weighted_native_bf16(x, x->acc + first * x->d, v, next_keys, n, stride,
                                              (const uint32_t *)(const void *)p, shrink, rows, i);
}
VEC_WITHOUT
#endif

/* Run after run, four queries together. `then`: the keys that follow these, asked for in time. */
#define RUNS(name, size, run4, run1)                                                            \
    static void name(const abdb_vec_decode *x, const char *k, const char *v, const char *then,  \
                     size_t keys, size_t seen)                                                  \
    {                                                                                           \
        size_t stride = x->row * (size);                                                        \
                                                                                                \
        for (size_t from = 0; from < keys; from += RUN, k += RUN * stride, v += RUN * stride) { \
            size_t n = keys - from < RUN ? keys - from : RUN, r = 0;                            \
            size_t see = seen < from ? 0 : seen - from < n ? seen - from : n;                   \
            const char *next = from + RUN < keys ? k + RUN * stride : then;                     \
                                                                                                \
            for (; r + ROWS <= x->rows; r += ROWS) run4;                                        \
            for (; r < x->rows; r++) run1;                                                      \
        }                                                                                       \
    }
RUNS(attend_to_keys_f32, 4, attend_to_run_of_keys(x, r, k, v, next, n, see, ROWS, ABDB_F32),
     attend_to_run_of_keys(x, r, k, v, next, n, see, 1, ABDB_F32))
RUNS(attend_to_keys_bf16, 2, attend_to_run_of_keys(x, r, k, v, next, n, see, ROWS, ABDB_BF16),
     attend_to_run_of_keys(x, r, k, v, next, n, see, 1, ABDB_BF16))
RUNS(attend_to_keys_f16, 2, attend_to_run_of_keys(x, r, k, v, next, n, see, ROWS, ABDB_F16),
     attend_to_run_of_keys(x, r, k, v, next, n, see, 1, ABDB_F16))
#if VEC_WIDTH == 64
VEC_WITH("avx512bf16")
RUNS(attend_to_keys_native_bf16, 2, attend_to_run_native_bf16(x, r, k, v, next, n, see, ROWS),
     attend_to_run_native_bf16(x, r, k, v, next, n, see, 1))
VEC_WITHOUT
#endif

void VEC(decode_attention)(const abdb_vec_decode *x, const void *k, const void *v, const void *then,
                           size_t keys, size_t seen)
{
#if VEC_WIDTH == 64
    if (x->unpacked) {
        attend_to_keys_native_bf16(x, k, v, then, keys, seen);
        return;
    }
#endif
    switch (x->dtype) {
    case ABDB_BF16: attend_to_keys_bf16(x, k, v, then, keys, seen); break;
    case ABDB_F16: attend_to_keys_f16(x, k, v, then, keys, seen); break;
    default: attend_to_keys_f32(x, k, v, then, keys, seen);
    }
}
