/* stream.c - the loops of STREAM on one thread's part of the arrays, four vectors at a time, with
 * plain stores or past the caches; see vec.h. */
#include <immintrin.h>
#include <string.h>

#include "kernels/providers/vec/isa/isa.h"

enum { UNROLL = 4, SUMS = 8 };

#if defined(__AVX512F__)
#define PAST_F32(at, v) _mm512_stream_ps(at, (__m512)(v))
#define PAST_F64(at, v) _mm512_stream_pd(at, (__m512d)(v))
#elif defined(__AVX2__)
#define PAST_F32(at, v) _mm256_stream_ps(at, (__m256)(v))
#define PAST_F64(at, v) _mm256_stream_pd(at, (__m256d)(v))
#else
#define PAST_F32(at, v) _mm_stream_ps(at, (__m128)(v))
#define PAST_F64(at, v) _mm_stream_pd(at, (__m128d)(v))
#endif

/* z[i] = expr for i in [low, high), expr in terms of j; vectors first, then what is left. */
#define WRITE(T, V, ANY, LANES, PAST, expr, one)                        \
    do {                                                                \
        size_t i = low, step = UNROLL * (size_t)LANES;                  \
                                                                        \
        for (; nt && i < high && (uintptr_t)(z + i) % VEC_BYTES; i++) { \
            size_t j = i;                                               \
                                                                        \
            z[j] = (one);                                               \
        }                                                               \
        for (; nt && i + step <= high; i += step)                       \
            _Pragma("GCC unroll 4") for (size_t u = 0; u < UNROLL; u++) \
            {                                                           \
                size_t j = i + u * (size_t)LANES;                       \
                                                                        \
                PAST(z + j, (V)(expr));                                 \
            }                                                           \
        for (; !nt && i + step <= high; i += step)                      \
            _Pragma("GCC unroll 4") for (size_t u = 0; u < UNROLL; u++) \
            {                                                           \
                size_t j = i + u * (size_t)LANES;                       \
                                                                        \
                *(ANY *)(z + j) = (V)(expr);                            \
            }                                                           \
        for (size_t j = i; j < high; j++) z[j] = (one);                 \
    } while (0)

#define SUM(T, V, ANY, LANES, expr, one)                                      \
    do {                                                                      \
        V part[SUMS] = {{0}};                                                 \
        size_t i = low, step = SUMS * (size_t)LANES;                          \
                                                                              \
        for (; i + step <= high; i += step)                                   \
            _Pragma("GCC unroll 8") for (size_t u = 0; u < SUMS; u++)         \
            {                                                                 \
                size_t j = i + u * (size_t)LANES;                             \
                                                                              \
                part[u] += (expr);                                            \
            }                                                                 \
        for (size_t u = 1; u < SUMS; u++) part[0] += part[u];                 \
        sum = 0;                                                              \
        for (size_t l = 0; l < (size_t)LANES; l++) sum += (double)part[0][l]; \
        for (size_t j = i; j < high; j++) sum += (double)(one);               \
    } while (0)

#define LOOPS(T, V, ANY, LANES, PAST)                                                          \
    static double T##_loops(const abdb_problem *p, char op, bool nt, size_t low, size_t high)  \
    {                                                                                          \
        const T *restrict x = p->tensor[0].data, *restrict y = p->tensor[1].data;              \
        T *restrict z = p->tensor[2].data;                                                     \
        const T f = (T)0.4, a = (T)(1 - 0x1p-12), b = (T)0x1p-13;                              \
        double sum = 0;                                                                        \
        V all = {0};                                                                           \
        size_t fmas = (size_t)abdb_param_number(p, "fmas", 1);                                 \
                                                                                               \
        all += f;                                                                              \
        if (op == 'c') WRITE(T, V, ANY, LANES, PAST, *(const ANY *)(x + j), x[j]);             \
        if (op == 's') WRITE(T, V, ANY, LANES, PAST, f **(const ANY *)(x + j), f *x[j]);       \
        if (op == 'a')                                                                         \
            WRITE(T, V, ANY, LANES, PAST, *(const ANY *)(x + j) + *(const ANY *)(y + j),       \
                  x[j] + y[j]);                                                                \
        if (op == 't')                                                                         \
            WRITE(T, V, ANY, LANES, PAST, *(const ANY *)(x + j) + f * *(const ANY *)(y + j),   \
                  x[j] + f * y[j]);                                                            \
        if (op == 'w') WRITE(T, V, ANY, LANES, PAST, all, f);                                  \
        if (op == 'f')                                                                         \
            WRITE(T, V, ANY, LANES, PAST, T##_steps(*(const ANY *)(x + j), a, b, fmas),        \
                  T##_step(x[j], a, b, fmas));                                                 \
        if (op == 'd')                                                                         \
            SUM(T, V, ANY, LANES, *(const ANY *)(x + j) * *(const ANY *)(y + j), x[j] * y[j]); \
        if (op == 'r') SUM(T, V, ANY, LANES, *(const ANY *)(x + j), x[j]);                     \
        return sum;                                                                            \
    }

#define STEPS(T, V)                                    \
    static inline V T##_steps(V v, T a, T b, size_t n) \
    {                                                  \
        for (size_t i = 0; i < n; i++) v = a * v + b;  \
        return v;                                      \
    }                                                  \
    static inline T T##_step(T v, T a, T b, size_t n)  \
    {                                                  \
        for (size_t i = 0; i < n; i++) v = a * v + b;  \
        return v;                                      \
    }

STEPS(float, vec_f32)
STEPS(double, vec_f64)
LOOPS(float, vec_f32, vec_f32_any, VEC_F32, PAST_F32)
LOOPS(double, vec_f64, vec_f64_any, VEC_F64, PAST_F64)

double VEC(stream)(const abdb_problem *p, size_t low, size_t high)
{
    const char *op = abdb_param_text(p, "op"), *stores = abdb_param_text(p, "stores");
    bool nt = stores && strcmp(stores, "nt") == 0;
    double sum = 0;

    for (size_t r = (size_t)abdb_param_number(p, "repeat", 1); r > 0; r--) {
        sum = p->tensor[0].dtype == ABDB_F64 ? double_loops(p, op ? *op : 't', nt, low, high)
                                             : float_loops(p, op ? *op : 't', nt, low, high);
        __asm__ volatile("" : : : "memory"); /* a pass is a pass */
    }
    if (nt) _mm_sfence();
    return sum;
}
