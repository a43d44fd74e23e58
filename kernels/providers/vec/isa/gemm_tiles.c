/* gemm_tiles.c - small products with B in panels, for each format; see gemm_tile.h. */

#include "kernels/providers/vec/isa/isa.h"
#include "kernels/providers/vec/isa/machine.h"

#define PLAIN_STEP(sum, a, b) ((sum) + (a) * (b))
#define AS_IT_IS(sum, b)      (sum)

#define TILE(name) f32_##name
#define A_TYPE     float
#define B_TYPE     float
#define C_TYPE     float
#define VECTOR     vec_f32
#define VECTOR_ANY vec_f32_any
#define LANES      VEC_F32
#define LOAD(at)   (*(const vec_f32_any *)(at))
#define STEP       PLAIN_STEP
#define FINISH     AS_IT_IS
#include "kernels/providers/vec/isa/gemm_tile.h"

#define TILE(name) f64_##name
#define A_TYPE     double
#define B_TYPE     double
#define C_TYPE     double
#define VECTOR     vec_f64
#define VECTOR_ANY vec_f64_any
#define LANES      VEC_F64
#define LOAD(at)   (*(const vec_f64_any *)(at))
#define STEP       PLAIN_STEP
#define FINISH     AS_IT_IS
#include "kernels/providers/vec/isa/gemm_tile.h"

#if defined(__AVX512F__)
VEC_WITH("avx512bf16,avx512vnni")

#define PAIRS(sum, a, b) \
    (vec_f32) _mm512_dpbf16_ps((__m512)(sum), (__m512bh)_mm512_set1_epi32((int)(a)), (__m512bh)(b))

#define TILE(name) bf16_##name
#define A_TYPE     abdb_bf16_pair
#define B_TYPE     abdb_bf16_pair
#define C_TYPE     float
#define VECTOR     vec_f32
#define VECTOR_ANY vec_f32_any
#define LANES      VEC_F32
#define LOAD(at)   ((vec_f32)_mm512_loadu_si512(at))
#define STEP       PAIRS
#define FINISH     AS_IT_IS
#include "kernels/providers/vec/isa/gemm_tile.h"

/* vpdpbusd multiplies unsigned by signed bytes: A was packed as a + 128, and 128 times the sums of
 * B's columns stand behind the last step. */
#define QUADS(sum, a, b) \
    (vec_i32) _mm512_dpbusd_epi32((__m512i)(sum), _mm512_set1_epi32((int)(a)), (__m512i)(b))
#define WITHOUT_OFFSET(sum, b) ((sum) - (vec_i32)_mm512_loadu_si512(b))

#define TILE(name) i8_##name
#define A_TYPE     uint32_t
#define B_TYPE     uint32_t
#define C_TYPE     int32_t
#define VECTOR     vec_i32
#define VECTOR_ANY vec_i32_any
#define LANES      VEC_F32
#define LOAD(at)   ((vec_i32)_mm512_loadu_si512(at))
#define STEP       QUADS
#define FINISH     WITHOUT_OFFSET
#include "kernels/providers/vec/isa/gemm_tile.h"
VEC_WITHOUT
#endif
