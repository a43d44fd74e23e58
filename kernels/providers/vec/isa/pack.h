/* pack.h - where packed steps of A and B lie, and how they come there; shared by pack.c and gemm.c.
 *
 * Sizes are in bytes where formats share the code: a step of A is a 32-bit element of f32, a pair
 * of bf16, four i8, or a 64-bit one of f64, and so is an element of the sums. f16 is packed as f32:
 * its own multiply-adds (AVX512-FP16) have sums of f16, which lose what sums of f32 keep. */
#ifndef ABDB_PROVIDERS_VEC_PACK_H
#define ABDB_PROVIDERS_VEC_PACK_H

#include "kernels/providers/vec/isa/isa.h"

/* ROW: bytes of a row of a panel of B. PAD: between rows of packed A, so that they do not all fall
 * into the same sets of a cache. */
enum { ROW = 2 * VEC_BYTES, PAD = 64 };

/* Bytes of a step of A, and of a sum. */
static inline size_t bytes_per_step(const abdb_vec_gemm_call *s)
{
    return s->dtype == ABDB_F64 ? 8 : 4;
}

static inline size_t steps_of_depth(const abdb_vec_gemm_call *s, size_t deep)
{
    return (deep * abdb_vec_packed_element_bytes(s->dtype) + bytes_per_step(s) - 1) /
           bytes_per_step(s);
}

/* Is it made of tiles of AMX? Then A and B are packed as they are, up to whole tiles. */
static inline bool gemm_uses_amx_tiles(const abdb_vec_gemm_call *s)
{
#if defined(__AMX_TILE__)
    return s->dtype == ABDB_BF16 || s->dtype == ABDB_I8;
#else
    (void)s;
    return false;
#endif
}

static inline size_t packed_steps_of_depth(const abdb_vec_gemm_call *s, size_t deep)
{
    return gemm_uses_amx_tiles(s) ? abdb_vec_round_up(steps_of_depth(s, deep), VEC_STEPS)
                                  : steps_of_depth(s, deep);
}

/* From a panel of B to the next: the steps of a whole pass, and one more row, where i8 keeps what
 * its result is corrected by (append_column_sum_offsets). */
static inline size_t packed_panel_bytes(const abdb_vec_gemm_call *s)
{
    return (abdb_vec_round_up(steps_of_depth(s, s->depth < s->k ? s->depth : s->k), VEC_STEPS) +
            1) *
           ROW;
}

/* Row `row` of A, elements [depth, depth + deep), zeros up to a whole step. */
void VEC(pack_row_of_a)(const abdb_vec_gemm_call *s, size_t row, size_t depth, size_t deep,
                        char *out);

/* The same of `rows` rows of an A that is stored transposed: step k of all rows, then step k + 1,
 * `stride` steps apart, and up to VEC_F32 steps behind the last row of each; for tiles of AMX row
 * after row, `stride` apart, of whole vectors of steps and rows. */
void VEC(pack_rows_of_transposed_a)(const abdb_vec_gemm_call *s, size_t row, size_t rows,
                                    size_t depth, size_t deep, size_t stride, char *out);

#endif
