/* math.h - vectors of f32 for every width: read and written as f32, bf16 or f16, whole or in part;
 * largest, sum, powers of 2. */
#ifndef ABDB_PROVIDERS_VEC_MATH_H
#define ABDB_PROVIDERS_VEC_MATH_H

#include <math.h>
#include <string.h>

#include "kernels/providers/vec/isa/machine.h"

#define VEC_INLINE static inline __attribute__((always_inline, unused))

typedef uint32_t vec_u32 __attribute__((vector_size(VEC_BYTES)));
typedef uint16_t vec_u16 __attribute__((vector_size(VEC_BYTES / 2)));
typedef uint16_t vec_u16_any __attribute__((vector_size(VEC_BYTES / 2), aligned(2), may_alias));

VEC_INLINE vec_f32 vec_broadcast(float x)
{
    return (vec_f32){0} + x;
}

VEC_INLINE vec_f32 vec_max(vec_f32 a, vec_f32 b)
{
#if VEC_WIDTH == 64
    return (vec_f32)_mm512_max_ps((__m512)a, (__m512)b);
#elif VEC_WIDTH == 32
    return (vec_f32)_mm256_max_ps((__m256)a, (__m256)b);
#elif defined(__x86_64__)
    return (vec_f32)_mm_max_ps((__m128)a, (__m128)b);
#elif defined(VEC_NEON)
    return (vec_f32)vmaxq_f32((float32x4_t)a, (float32x4_t)b);
#else
    vec_i32 larger = a > b; /* of a NaN b, as there */

    return (vec_f32)(((vec_i32)a & larger) | ((vec_i32)b & ~larger));
#endif
}

VEC_INLINE vec_f32 vec_sqrt(vec_f32 a)
{
#if VEC_WIDTH == 64
    return (vec_f32)_mm512_sqrt_ps((__m512)a);
#elif VEC_WIDTH == 32
    return (vec_f32)_mm256_sqrt_ps((__m256)a);
#elif defined(__x86_64__)
    return (vec_f32)_mm_sqrt_ps((__m128)a);
#elif defined(VEC_NEON)
    return (vec_f32)vsqrtq_f32((float32x4_t)a);
#else
    for (int i = 0; i < VEC_F32; i++) a[i] = sqrtf(a[i]);
    return a;
#endif
}

VEC_INLINE float vec_sum_lanes(vec_f32 v)
{
#if VEC_WIDTH == 64
    return _mm512_reduce_add_ps((__m512)v);
#else
    float sum = 0;

    for (int i = 0; i < VEC_F32; i++) sum += v[i];
    return sum;
#endif
}

/* The largest lane. What comes out where one of them is NaN is not defined. */
VEC_INLINE float vec_max_lane(vec_f32 v)
{
#if VEC_WIDTH == 64
    return _mm512_reduce_max_ps((__m512)v);
#else
    float most = v[0];

    for (int i = 1; i < VEC_F32; i++)
        if (most < v[i]) most = v[i];
    return most;
#endif
}

/* 2^x of x below 128, within 2 units in the last place; 0 below 2^-126; of NaN NaN. The polynomial
 * is the minimax one of degree 6 for 2^f, |f| <= 1/2 (found by Lawson's iteration; relative error
 * 2e-9). */
VEC_INLINE vec_f32 vec_exp2(vec_f32 x)
{
    vec_f32 n, f, y;

#if VEC_WIDTH == 64
    n = (vec_f32)_mm512_roundscale_ps((__m512)x, 0);
#else
    x = vec_max(vec_broadcast(-150), x); /* this order: a NaN in x stays */
    n = (x + 0x1.8p23f) - 0x1.8p23f;
#endif
    f = x - n;
    y = f * 0x1.41d334p-13f + 0x1.5f456ap-10f;
    y = y * f + 0x1.3b2dbcp-7f;
    y = y * f + 0x1.c6aed4p-5f;
    y = y * f + 0x1.ebfbdap-3f;
    y = y * f + 0x1.62e430p-1f;
    y = y * f + 1.0f;
#if VEC_WIDTH == 64
    return (vec_f32)_mm512_scalef_ps((__m512)y, (__m512)n);
#else
    {
        vec_i32 power = __builtin_convertvector(n, vec_i32), low = power < -126;

        power = (power & ~low) + 127;
        return y * (vec_f32)((vec_i32)(power << 23) & ~low);
    }
#endif
}

static const float vec_log2_e = 1.44269504f;

/* The argument of the logistic function in gelu: 2 sqrt(2/pi) (x + 0.044715 x^3). */
VEC_INLINE vec_f32 vec_gelu_argument(vec_f32 x)
{
    return x * (x * x * (1.5957691216f * 0.044715f) + 1.5957691216f);
}

/* 1 + e^-z: what a number is divided by that is taken times the logistic function of z. Below -88,
 * where that is 0 beside any number, the power would leave the format. */
VEC_INLINE vec_f32 vec_one_plus_exp_minus(vec_f32 z)
{
    return vec_exp2(vec_max(vec_broadcast(-88), z) * -vec_log2_e) + 1.0f;
}

/* --- bytes ------------------------------------------------------------------------------------ */

/* So many bytes as lanes. (gcc makes single conversions of a __builtin_convertvector of bytes.) */
VEC_INLINE vec_i32 vec_load_i8_as_i32(const void *at)
{
#if defined(__AVX512F__)
    return (vec_i32)_mm512_cvtepi8_epi32(_mm_loadu_si128(at));
#elif defined(__AVX2__)
    return (vec_i32)_mm256_cvtepi8_epi32(_mm_loadl_epi64(at));
#else
    const int8_t *b = at;

    return (vec_i32){b[0], b[1], b[2], b[3]};
#endif
}

VEC_INLINE vec_i32 vec_load_u8_as_i32(const void *at)
{
#if defined(__AVX512F__)
    return (vec_i32)_mm512_cvtepu8_epi32(_mm_loadu_si128(at));
#elif defined(__AVX2__)
    return (vec_i32)_mm256_cvtepu8_epi32(_mm_loadl_epi64(at));
#else
    const uint8_t *b = at;

    return (vec_i32){b[0], b[1], b[2], b[3]};
#endif
}

/* --- bf16 ------------------------------------------------------------------------------------- */

/* Widened in one step: gcc takes halves of a vector and puts them together again, which made sums
 * of rows of bf16 take twice as long. */
VEC_INLINE vec_f32 vec_bf16_to_f32(vec_u16 v)
{
#if VEC_WIDTH == 64
    return (vec_f32)((vec_u32)_mm512_cvtepu16_epi32((__m256i)v) << 16);
#elif VEC_WIDTH == 32
    return (vec_f32)((vec_u32)_mm256_cvtepu16_epi32((__m128i)v) << 16);
#else
    return (vec_f32)(__builtin_convertvector(v, vec_u32) << 16);
#endif
}

/* Rounded to nearest even; a NaN stays one. */
VEC_INLINE vec_u16 vec_f32_to_bf16(vec_f32 v)
{
    vec_u32 bits = (vec_u32)v, up = bits + 0x7FFF + (bits >> 16 & 1), nan = (vec_u32)(v != v);

    return __builtin_convertvector(((up & ~nan) | ((bits | 0x400000) & nan)) >> 16, vec_u16);
}

/* --- f16: by the processor's conversions, where the set has them ------------------------------ */

VEC_INLINE vec_f32 vec_f16_to_f32(vec_u16 v)
{
#if VEC_WIDTH == 64
    return (vec_f32)_mm512_cvtph_ps((__m256i)v);
#elif VEC_WIDTH == 32
    return (vec_f32)_mm256_cvtph_ps((__m128i)v);
#elif defined(VEC_NEON)
    return (vec_f32)vcvt_f32_f16((float16x4_t)v);
#else
    vec_u32 bits = __builtin_convertvector(v, vec_u32), size = (bits & 0x7FFF) << 13;
    vec_u32 value = (vec_u32)((vec_f32)size * 0x1p112f),
            special = (vec_u32)(size >= (vec_u32){0} + 0x0F800000);

    return (vec_f32)((bits & 0x8000) << 16 | (value & ~special) | ((size | 0x7F800000) & special));
#endif
}

/* As abdb_f16_from_f32. */
VEC_INLINE vec_u16 vec_f32_to_f16(vec_f32 v)
{
#if VEC_WIDTH == 64
    return (vec_u16)_mm512_cvtps_ph((__m512)v, _MM_FROUND_TO_NEAREST_INT);
#elif VEC_WIDTH == 32
    return (vec_u16)_mm256_cvtps_ph((__m256)v, _MM_FROUND_TO_NEAREST_INT);
#elif defined(VEC_NEON)
    return (vec_u16)vcvt_f16_f32((float32x4_t)v);
#else
    vec_u32 bits = (vec_u32)v & 0x7FFFFFFF, half = bits - 0x38000000;
    vec_u32 small = (vec_u32)(bits < (vec_u32){0} + 0x38800000),
            large = (vec_u32)(bits >= (vec_u32){0} + 0x47800000), nan = (vec_u32)(v != v);
    vec_u32 below = (vec_u32)((vec_f32)bits + 0.5f) - 0x3F000000,
            code = (half + 0xFFF + (half >> 13 & 1)) >> 13;

    code = (code & ~(small | large)) | (below & small) | (0x7C00 & large) | (0x200 & nan);
    return __builtin_convertvector(((vec_u32)v >> 16 & 0x8000) | code, vec_u16);
#endif
}

/* --- reading and writing: whole vectors, or the first `there` elements ------------------------ */

VEC_INLINE vec_f32 vec_load_f32(const float *at)
{
    return *(const vec_f32_any *)at;
}

VEC_INLINE vec_f32 vec_load_bf16(const uint16_t *at)
{
    return vec_bf16_to_f32(*(const vec_u16_any *)at);
}

VEC_INLINE vec_f32 vec_load_f16(const uint16_t *at)
{
    return vec_f16_to_f32(*(const vec_u16_any *)at);
}

/* past: beyond the caches; the address is aligned to what is written. */
VEC_INLINE void vec_store_f32(float *at, vec_f32 v, bool past)
{
    if (!past)
        *(vec_f32_any *)at = v;
    else
        vec_store_nontemporal(at, v);
}

VEC_INLINE void vec_store_u16(uint16_t *at, vec_u16 bits, bool past)
{
#if VEC_WIDTH == 64
    if (past) {
        _mm256_stream_si256((__m256i *)(void *)at, (__m256i)bits);
        return;
    }
#elif VEC_WIDTH == 32
    if (past) {
        _mm_stream_si128((__m128i *)(void *)at, (__m128i)bits);
        return;
    }
#else
    (void)past;
#endif
    *(vec_u16_any *)at = bits;
}

VEC_INLINE void vec_store_bf16(uint16_t *at, vec_f32 v, bool past)
{
    vec_store_u16(at, vec_f32_to_bf16(v), past);
}

VEC_INLINE void vec_store_f16(uint16_t *at, vec_f32 v, bool past)
{
    vec_store_u16(at, vec_f32_to_f16(v), past);
}

#if VEC_WIDTH == 64
VEC_WITH("avx512bf16")
/* bf16 by the processor's own conversion, where it has one. */
VEC_INLINE void vec_store_native_bf16(uint16_t *at, vec_f32 v, bool past)
{
    vec_store_u16(at, (vec_u16)_mm512_cvtneps_pbh((__m512)v), past);
}
VEC_WITHOUT
#endif

/* Parts go through room on the stack, by loops: what has a call in it, memcpy too, makes gcc keep
 * the sums of the loop around it in memory. */
VEC_INLINE vec_f32 vec_set_lanes_beyond(vec_f32 v, size_t there, float beyond)
{
    for (size_t i = there; i < VEC_F32; i++) v[i] = beyond;
    return v;
}

VEC_INLINE vec_f32 vec_load_part_f32(const float *at, size_t there, float beyond)
{
    vec_f32 v = vec_broadcast(beyond);

    for (size_t i = 0; i < there; i++) v[i] = at[i];
    return v;
}

VEC_INLINE vec_f32 vec_load_part_bf16(const uint16_t *at, size_t there, float beyond)
{
    vec_u16 bits = {0};

    for (size_t i = 0; i < there; i++) bits[i] = at[i];
    return vec_set_lanes_beyond(vec_bf16_to_f32(bits), there, beyond);
}

VEC_INLINE vec_f32 vec_load_part_f16(const uint16_t *at, size_t there, float beyond)
{
    vec_u16 bits = {0};

    for (size_t i = 0; i < there; i++) bits[i] = at[i];
    return vec_set_lanes_beyond(vec_f16_to_f32(bits), there, beyond);
}

VEC_INLINE void vec_store_part_f32(float *at, vec_f32 v, size_t there)
{
    for (size_t i = 0; i < there; i++) at[i] = v[i];
}

VEC_INLINE void vec_store_part_u16(uint16_t *at, vec_u16 bits, size_t there)
{
    for (size_t i = 0; i < there; i++) at[i] = bits[i];
}

VEC_INLINE void vec_store_part_bf16(uint16_t *at, vec_f32 v, size_t there)
{
    vec_store_part_u16(at, vec_f32_to_bf16(v), there);
}

VEC_INLINE void vec_store_part_f16(uint16_t *at, vec_f32 v, size_t there)
{
    vec_store_part_u16(at, vec_f32_to_f16(v), there);
}

#endif
