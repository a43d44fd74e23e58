/* fma.c - the peak of multiply-adds: so many independent chains in registers that each cycle has
 * one ready, whose latency is over. See vec.h and kernels/micro/fma.c. */

#include "kernels/providers/vec/isa/isa.h"
#include "kernels/providers/vec/isa/machine.h"

/* Two units with a latency of four cycles need 8 chains; more leave slack and still fit 32
 * registers (AVX-512) or 16. */
enum { CHAINS = VEC_BYTES == 64 ? 16 : 12, DOTS = 14 };

/* n steps of z = (1 - 2^-12) z + 2^-13 on CHAINS vectors at a time; what is left goes one by
 * one. */
#define CHAIN(T, V, ANY, LANES)                                                     \
    static void T##_chains(const abdb_problem *p, size_t low, size_t high)          \
    {                                                                               \
        const T *x = p->tensor[0].data, a = (T)(1 - 0x1p-12), b = (T)0x1p-13;       \
        T *z = p->tensor[2].data;                                                   \
        size_t i = low, n = (size_t)abdb_param_number(p, "n", 1);                   \
        V va = {0}, vb = {0};                                                       \
                                                                                    \
        va += a;                                                                    \
        vb += b;                                                                    \
        for (; i + CHAINS * (size_t)LANES <= high; i += CHAINS * (size_t)LANES) {   \
            V v[CHAINS];                                                            \
                                                                                    \
            _Pragma("GCC unroll 16") for (size_t c = 0; c < CHAINS; c++) v[c] =     \
                *(const ANY *)(x + i + c * (size_t)LANES);                          \
            for (size_t s = 0; s < n; s++)                                          \
                _Pragma("GCC unroll 16") for (size_t c = 0; c < CHAINS; c++) v[c] = \
                    va * v[c] + vb;                                                 \
            _Pragma("GCC unroll 16") for (size_t c = 0; c < CHAINS; c++) *          \
                (ANY *)(z + i + c * (size_t)LANES) = v[c];                          \
        }                                                                           \
        for (; i < high; i++) {                                                     \
            T v = x[i];                                                             \
                                                                                    \
            for (size_t s = 0; s < n; s++) v = a * v + b;                           \
            z[i] = v;                                                               \
        }                                                                           \
    }

CHAIN(float, vec_f32, vec_f32_any, VEC_F32)
CHAIN(double, vec_f64, vec_f64_any, VEC_F64)

#if defined(__AVX512F__)
/* Dot products of pairs of bf16, or of four bytes: z of 16 lanes, b the same for all of them. Past
 * the end a chain repeats the first vector, and its result is not stored. */
#define DOT(name, isa, V, zero, dot, store)                                                       \
    __attribute__((target(isa))) static void name(const abdb_problem *p, size_t low, size_t high) \
    {                                                                                             \
        const char *x = p->tensor[0].data;                                                        \
        char *z = p->tensor[2].data;                                                              \
        size_t n = (size_t)abdb_param_number(p, "n", 1);                                          \
        __m512i b = _mm512_loadu_si512(p->tensor[1].data);                                        \
                                                                                                  \
        for (size_t i = low; i < high; i += 16 * DOTS) {                                          \
            V sum[DOTS];                                                                          \
            __m512i a[DOTS];                                                                      \
                                                                                                  \
            _Pragma("GCC unroll 14") for (size_t c = 0; c < DOTS; c++)                            \
            {                                                                                     \
                size_t at = i + 16 * c < high ? i + 16 * c : low;                                 \
                                                                                                  \
                sum[c] = zero;                                                                    \
                a[c] = _mm512_loadu_si512(x + 4 * at);                                            \
            }                                                                                     \
            for (size_t s = 0; s < n; s++)                                                        \
                _Pragma("GCC unroll 14") for (size_t c = 0; c < DOTS; c++) sum[c] = dot;          \
            for (size_t c = 0; c < DOTS && i + 16 * c < high; c++)                                \
                store(z + 4 * (i + 16 * c), sum[c]);                                              \
        }                                                                                         \
    }

DOT(run_dot_chains_bf16, "avx512bf16", __m512, _mm512_setzero_ps(),
    _mm512_dpbf16_ps(sum[c], (__m512bh)a[c], (__m512bh)b), _mm512_storeu_ps)
DOT(run_dot_chains_i8, "avx512vnni", __m512i, _mm512_setzero_si512(),
    _mm512_dpbusd_epi32(sum[c], a[c], b), _mm512_storeu_si512)
#endif

void VEC(fma_chains)(const abdb_problem *p, size_t low, size_t high)
{
    switch (p->tensor[0].dtype) {
    case ABDB_F64: double_chains(p, low, high); break;
    case ABDB_F32: float_chains(p, low, high); break;
#if defined(__AVX512F__)
    case ABDB_BF16: run_dot_chains_bf16(p, low, high); break;
    case ABDB_I8: run_dot_chains_i8(p, low, high); break;
#if defined(VEC_HALVES)
    case ABDB_F16: VEC(f16_fma_chains)(p, low, high); break;
#endif
#endif
    default: break; /* refused */
    }
}
