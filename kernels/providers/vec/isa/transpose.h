/* transpose.h - squares of vectors transposed in registers, so that rows become columns: of 32-bit
 * lanes, and of 64-bit ones. Log2(lanes) rounds, each of which exchanges blocks of so many lanes of
 * two vectors that lie so many apart. */
#ifndef ABDB_PROVIDERS_VEC_TURN_H
#define ABDB_PROVIDERS_VEC_TURN_H

#include "kernels/providers/vec/isa/math.h"

typedef int64_t vec_i64 __attribute__((vector_size(VEC_BYTES)));

/* Lanes of two vectors, those of the second counted on behind the first's; the numbers are
 * constants. */
#if defined(__has_builtin)
#if __has_builtin(__builtin_shufflevector)
#define TURN_PICK(type, a, b, ...) __builtin_shufflevector(a, b, __VA_ARGS__)
#endif
#endif
#ifndef TURN_PICK
#define TURN_PICK(type, a, b, ...) __builtin_shuffle(a, b, (type){__VA_ARGS__})
#endif

/* What lane i of the lower and the upper vector of a pair is, of n lanes, blocks of d. */
#define TURN_LOW(i, n, d)   ((i) & (d) ? (n) + (i) - (d) : (i))
#define TURN_HIGH(i, n, d)  ((i) & (d) ? (n) + (i) : (i) + (d))
#define TURN_2(f, n, d, i)  f(i, n, d), f(i + 1, n, d)
#define TURN_4(f, n, d, i)  TURN_2(f, n, d, i), TURN_2(f, n, d, i + 2)
#define TURN_8(f, n, d, i)  TURN_4(f, n, d, i), TURN_4(f, n, d, i + 4)
#define TURN_16(f, n, d, i) TURN_8(f, n, d, i), TURN_8(f, n, d, i + 8)
#define TURN_ROUND(type, list, n, d)                                                \
    _Pragma("GCC unroll 16") for (int i = 0; i < (n); i++) if (!(i & (d)))          \
    {                                                                               \
        type low = (type)v[i], high = (type)v[i + (d)];                             \
                                                                                    \
        v[i] = (vec_i32)TURN_PICK(type, low, high, list(TURN_LOW, n, d, 0));        \
        v[i + (d)] = (vec_i32)TURN_PICK(type, low, high, list(TURN_HIGH, n, d, 0)); \
    }

/* VEC_F32 vectors. */
VEC_INLINE void vec_transpose_32(vec_i32 *v)
{
#if VEC_WIDTH == 64
    TURN_ROUND(vec_i32, TURN_16, 16, 8)
    TURN_ROUND(vec_i32, TURN_16, 16, 4)
    TURN_ROUND(vec_i32, TURN_16, 16, 2)
    TURN_ROUND(vec_i32, TURN_16, 16, 1)
#elif VEC_WIDTH == 32
    TURN_ROUND(vec_i32, TURN_8, 8, 4)
    TURN_ROUND(vec_i32, TURN_8, 8, 2)
    TURN_ROUND(vec_i32, TURN_8, 8, 1)
#else
    TURN_ROUND(vec_i32, TURN_4, 4, 2)
    TURN_ROUND(vec_i32, TURN_4, 4, 1)
#endif
}

/* VEC_F64 vectors, of 64-bit lanes. */
VEC_INLINE void vec_transpose_64(vec_i32 *v)
{
#if VEC_WIDTH == 64
    TURN_ROUND(vec_i64, TURN_8, 8, 4)
    TURN_ROUND(vec_i64, TURN_8, 8, 2)
    TURN_ROUND(vec_i64, TURN_8, 8, 1)
#elif VEC_WIDTH == 32
    TURN_ROUND(vec_i64, TURN_4, 4, 2)
    TURN_ROUND(vec_i64, TURN_4, 4, 1)
#else
    TURN_ROUND(vec_i64, TURN_2, 2, 1)
#endif
}

#endif
