/* machine.h - what instruction sets differ in beside their width: asking for a line, stores past
 * the caches (x86 has them; elsewhere none is offered). */
#ifndef ABDB_PROVIDERS_VEC_MACHINE_H
#define ABDB_PROVIDERS_VEC_MACHINE_H

#include "kernels/providers/vec/vec.h"

#if defined(__x86_64__)
#include <immintrin.h>
#elif defined(VEC_NEON)
#include <arm_neon.h>
#endif

static inline __attribute__((always_inline, unused)) void vec_ask(const void *at)
{
    __builtin_prefetch(at, 0, 3);
}

/* A vector past the caches, to an address that is aligned to it. */
static inline __attribute__((always_inline, unused)) void vec_past(void *at, vec_f32 v)
{
#if VEC_WIDTH == 64
    _mm512_stream_ps(at, (__m512)v);
#elif VEC_WIDTH == 32
    _mm256_stream_ps(at, (__m256)v);
#elif defined(__x86_64__)
    _mm_stream_ps(at, (__m128)v);
#else
    *(vec_f32 *)at = v;
#endif
}

/* What went past the caches has arrived before what follows. */
static inline __attribute__((always_inline, unused)) void vec_fence(void)
{
#if defined(__x86_64__)
    _mm_sfence();
#endif
}

#endif
