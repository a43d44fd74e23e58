/* f16.c - multiply-adds of f16 in registers, by AVX512-FP16: a file of its own, because clang has
 * the format only where all of a file may use it. Whoever calls it has asked the processor. */
#include "kernels/providers/vec/isa/isa.h"
#include "kernels/providers/vec/isa/machine.h"

#if defined(__AVX512FP16__)
enum { SUMS = 14 }; /* vectors at once */

/* z of 32 lanes in f16: products of x and y, which repeats after 16. */
void VEC(f16_fma_chains)(const abdb_problem *p, size_t low, size_t high)
{
    const uint16_t *x = p->tensor[0].data;
    uint16_t *z = p->tensor[2].data;
    size_t n = (size_t)abdb_param_number(p, "n", 1);
    __m512h b = (__m512h)_mm512_broadcast_i64x4(_mm256_loadu_si256(p->tensor[1].data));

    for (size_t i = low; i < high; i += 32 * SUMS) {
        __m512h sum[SUMS], a[SUMS];
        __mmask32 there[SUMS];

        _Pragma("GCC unroll 14") for (size_t c = 0; c < SUMS; c++)
        {
            size_t at = i + 32 * c, left = at < high ? high - at : 0;

            there[c] = left >= 32 ? 0xFFFFFFFF : (1u << left) - 1;
            sum[c] = _mm512_setzero_ph();
            a[c] = (__m512h)_mm512_maskz_loadu_epi16(there[c], x + at);
        }
        for (size_t s = 0; s < n; s++)
            _Pragma("GCC unroll 14") for (size_t c = 0; c < SUMS; c++) sum[c] =
                _mm512_fmadd_ph(a[c], b, sum[c]);
        for (size_t c = 0; c < SUMS; c++)
            _mm512_mask_storeu_epi16(z + i + 32 * c, there[c], (__m512i)sum[c]);
    }
}
#else
typedef int abdb_no_halves; /* a file is never empty */
#endif
