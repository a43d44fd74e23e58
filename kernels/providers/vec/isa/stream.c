/* stream.c - the loops of STREAM on one thread's part of the arrays, with plain stores or past the
 * caches, so many vectors a step; see vec.h. */
#include <string.h>

#include "kernels/providers/vec/isa/isa.h"
#include "kernels/providers/vec/isa/machine.h"

/* SUMS: vectors that dot and read add up side by side; CHAINS: see fma.c. */
enum { SUMS = 8, CHAINS = VEC_BYTES == 64 ? 16 : 12 };

/* How a pass is done. */
typedef struct {
    char op; /* first letter */
    bool nt;
    size_t unroll, fmas, grain; /* grain: elements together, 0: all in order */
} pass_options;

/* z[i] = expr for i in [low, high): expr is a vector at j, `one` a single element. With stores past
 * the caches, elements up to the first aligned address go one by one; those beyond the last whole
 * step always do. */
#define WRITE(T, V, ANY, LANES, expr, one)                               \
    do {                                                                 \
        size_t i = low, step = unroll * (size_t)LANES;                   \
                                                                         \
        for (; nt && i < high && (uintptr_t)(z + i) % VEC_BYTES; i++) {  \
            size_t j = i;                                                \
                                                                         \
            z[j] = (one);                                                \
        }                                                                \
        for (; nt && i + step <= high; i += step)                        \
            _Pragma("GCC unroll 16") for (size_t u = 0; u < unroll; u++) \
            {                                                            \
                size_t j = i + u * (size_t)LANES;                        \
                                                                         \
                vec_store_nontemporal(z + j, (vec_f32)(V)(expr));        \
            }                                                            \
        for (; !nt && i + step <= high; i += step)                       \
            _Pragma("GCC unroll 16") for (size_t u = 0; u < unroll; u++) \
            {                                                            \
                size_t j = i + u * (size_t)LANES;                        \
                                                                         \
                *(ANY *)(z + j) = (V)(expr);                             \
            }                                                            \
        for (size_t j = i; j < high; j++) z[j] = (one);                  \
    } while (0)

/* sum = the sum of expr over [low, high). */
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

/* v = f times (1 - 2^-12) v + 2^-13, for one element. */
#define CHAIN_OF_ONE(T)                                  \
    static T T##_chain(T v, size_t fmas)                 \
    {                                                    \
        const T a = (T)(1 - 0x1p-12), b = (T)0x1p-13;    \
                                                         \
        for (size_t s = 0; s < fmas; s++) v = a * v + b; \
        return v;                                        \
    }
CHAIN_OF_ONE(float)
CHAIN_OF_ONE(double)

/* z[low, high) = the chains of x[low, high), CHAINS vectors side by side: as many as hide the
 * latency of a multiply-add. Stores past the caches begin at the first aligned address, as in
 * WRITE. */
#define CHAIN(T, V, ANY, LANES)                                                                   \
    static void T##_chains(const T *x, T *z, bool nt, size_t fmas, size_t low, size_t high)       \
    {                                                                                             \
        const T a = (T)(1 - 0x1p-12), b = (T)0x1p-13;                                             \
        size_t i = low;                                                                           \
                                                                                                  \
        for (; nt && i < high && (uintptr_t)(z + i) % VEC_BYTES; i++)                             \
            z[i] = T##_chain(x[i], fmas);                                                         \
        for (; i + CHAINS * (size_t)LANES <= high; i += CHAINS * (size_t)LANES) {                 \
            V v[CHAINS];                                                                          \
                                                                                                  \
            _Pragma("GCC unroll 16") for (size_t c = 0; c < CHAINS; c++) v[c] =                   \
                *(const ANY *)(x + i + c * (size_t)LANES);                                        \
            for (size_t s = 0; s < fmas; s++)                                                     \
                _Pragma("GCC unroll 16") for (size_t c = 0; c < CHAINS; c++) v[c] = a * v[c] + b; \
            if (nt)                                                                               \
                _Pragma("GCC unroll 16") for (size_t c = 0; c < CHAINS; c++)                      \
                    vec_store_nontemporal(z + i + c * (size_t)LANES, (vec_f32)v[c]);              \
            else                                                                                  \
                _Pragma("GCC unroll 16") for (size_t c = 0; c < CHAINS; c++) *                    \
                    (ANY *)(z + i + c * (size_t)LANES) = v[c];                                    \
        }                                                                                         \
        for (; i < high; i++) z[i] = T##_chain(x[i], fmas);                                       \
    }
CHAIN(float, vec_f32, vec_f32_any, VEC_F32)
CHAIN(double, vec_f64, vec_f64_any, VEC_F64)

/* One pass over [low, high) of every operation, with `unroll` a constant in each copy that T_loops
 * picks, so that the compiler unrolls it. */
#define LOOPS(T, V, ANY, LANES)                                                                    \
    static inline __attribute__((always_inline)) double T##_unrolled(                              \
        const abdb_problem *p, char op, bool nt, size_t fmas, size_t low, size_t high,             \
        const size_t unroll)                                                                       \
    {                                                                                              \
        const T *restrict x = p->tensor[0].data, *restrict y = p->tensor[1].data;                  \
        T *restrict z = p->tensor[2].data;                                                         \
        const T f = (T)0.4;                                                                        \
        double sum = 0;                                                                            \
        V all = {0};                                                                               \
                                                                                                   \
        all += f;                                                                                  \
        if (op == 'c') WRITE(T, V, ANY, LANES, *(const ANY *)(x + j), x[j]);                       \
        if (op == 's') WRITE(T, V, ANY, LANES, f **(const ANY *)(x + j), f *x[j]);                 \
        if (op == 'a')                                                                             \
            WRITE(T, V, ANY, LANES, *(const ANY *)(x + j) + *(const ANY *)(y + j), x[j] + y[j]);   \
        if (op == 't')                                                                             \
            WRITE(T, V, ANY, LANES, *(const ANY *)(x + j) + f * *(const ANY *)(y + j),             \
                  x[j] + f * y[j]);                                                                \
        if (op == 'w') WRITE(T, V, ANY, LANES, all, f);                                            \
        if (op == 'f') T##_chains(x, z, nt, fmas, low, high);                                      \
        if (op == 'd')                                                                             \
            SUM(T, V, ANY, LANES, *(const ANY *)(x + j) * *(const ANY *)(y + j), x[j] * y[j]);     \
        if (op == 'r') SUM(T, V, ANY, LANES, *(const ANY *)(x + j), x[j]);                         \
        return sum;                                                                                \
    }                                                                                              \
                                                                                                   \
    static double T##_loops(const abdb_problem *p, const pass_options *s, size_t low, size_t high) \
    {                                                                                              \
        switch (s->unroll) {                                                                       \
        case 1: return T##_unrolled(p, s->op, s->nt, s->fmas, low, high, 1);                       \
        case 2: return T##_unrolled(p, s->op, s->nt, s->fmas, low, high, 2);                       \
        case 8: return T##_unrolled(p, s->op, s->nt, s->fmas, low, high, 8);                       \
        case 16: return T##_unrolled(p, s->op, s->nt, s->fmas, low, high, 16);                     \
        default: return T##_unrolled(p, s->op, s->nt, s->fmas, low, high, 4);                      \
        }                                                                                          \
    }

LOOPS(float, vec_f32, vec_f32_any, VEC_F32)
LOOPS(double, vec_f64, vec_f64_any, VEC_F64)

static double run_pass_of_dtype(const abdb_problem *p, const pass_options *s, size_t low,
                                size_t high)
{
    return p->tensor[0].dtype == ABDB_F64 ? double_loops(p, s, low, high)
                                          : float_loops(p, s, low, high);
}

static size_t greatest_common_divisor(size_t a, size_t b)
{
    return b ? greatest_common_divisor(b, a % b) : a;
}

/* All grains of [low, high), each once and each far from the one before: every `step`th of them
 * (mod their number), step being near the golden section and without a common divisor, so that all
 * are reached. */
static void run_pass_in_scattered_grains(const abdb_problem *p, const pass_options *s, size_t low,
                                         size_t high)
{
    size_t count = (high - low + s->grain - 1) / s->grain, step = count * 618 / 1000 | 1, at = 0;

    while (greatest_common_divisor(count, step) > 1) step += 2;
    for (size_t i = 0; i < count; i++) {
        size_t from = low + at * s->grain;

        run_pass_of_dtype(p, s, from, high - from < s->grain ? high : from + s->grain);
        at = (at + step) % count;
    }
}

double VEC(stream_passes)(const abdb_problem *p, size_t low, size_t high)
{
    const char *op = abdb_param_text(p, "op"), *stores = abdb_param_text(p, "stores");
    size_t grain = (size_t)abdb_param_number(p, "grain", 0);
    pass_options s = {.op = op ? *op : 't',
                      .nt = stores && strcmp(stores, "nt") == 0,
                      .unroll = (size_t)abdb_param_number(p, "unroll", grain ? 1 : 4),
                      .fmas = (size_t)abdb_param_number(p, "fmas", 1),
                      .grain = grain / abdb_dtype_size(p->tensor[0].dtype)};
    double sum = 0;

    for (size_t r = (size_t)abdb_param_number(p, "repeat", 1); r > 0; r--) {
        if (s.grain)
            run_pass_in_scattered_grains(p, &s, low, high);
        else
            sum = run_pass_of_dtype(p, &s, low, high);
        __asm__ volatile("" : : : "memory"); /* a pass is a pass */
    }
    if (s.nt) vec_store_fence();
    return sum;
}
