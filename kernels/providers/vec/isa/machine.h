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

/* Functions between VEC_WITH("avx512bf16") and VEC_WITHOUT may use what only some processors of a
 * set have; whoever calls them has asked. */
#define VEC_PRAGMA(...) _Pragma(#__VA_ARGS__)
#if defined(__clang__)
#define VEC_WITH(features) \
    VEC_PRAGMA(clang attribute push(__attribute__((target(features))), apply_to = function))
#define VEC_WITHOUT VEC_PRAGMA(clang attribute pop)
#else
#define VEC_WITH(features) VEC_PRAGMA(GCC push_options) VEC_PRAGMA(GCC target(features))
#define VEC_WITHOUT        VEC_PRAGMA(GCC pop_options)
#endif

static inline __attribute__((always_inline, unused)) void vec_prefetch(const void *at)
{
    __builtin_prefetch(at, 0, 3);
}

/* A vector past the caches, to an address that is aligned to it. */
static inline __attribute__((always_inline, unused)) void vec_store_nontemporal(void *at, vec_f32 v)
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
static inline __attribute__((always_inline, unused)) void vec_store_fence(void)
{
#if defined(__x86_64__)
    _mm_sfence();
#endif
}

#endif
