/* isa.h - the functions of one instruction set. Each file of this folder is compiled once for each
 * set, with VEC(name) standing for another name each time; table.c collects them, and nothing else
 * outside calls them. */
#ifndef ABDB_PROVIDERS_VEC_ISA_H
#define ABDB_PROVIDERS_VEC_ISA_H

#include "kernels/providers/vec/vec.h"

double VEC(stream_passes)(const abdb_problem *p, size_t low, size_t high);
void VEC(fma_chains)(const abdb_problem *p, size_t low, size_t high);
void VEC(f16_fma_chains)(const abdb_problem *p, size_t low, size_t high);
void VEC(gather_or_scatter)(const abdb_problem *p, size_t low, size_t high);
void VEC(gemm)(const abdb_vec_gemm_call *product);
void VEC(pack_b)(const abdb_vec_gemm_call *product);
/* Columns [column, ...) of rows [depth, depth + deep) of B: one panel, filled up with zeros. */
void VEC(pack_panel_of_b)(const abdb_vec_gemm_call *b, size_t depth, size_t deep, size_t column,
                          char *out);
/* C's rows from `row` on, columns from `left` on, of sums `stride` apart (which may be C itself, of
 * f32, f64 and i32), beside what is in C where `add`: bias, activation, rounding. */
void VEC(epilogue)(const abdb_vec_gemm_call *s, const void *sums, size_t stride, size_t row,
                   size_t rows, size_t left, size_t wide, bool add);
size_t VEC(attention_bytes)(const abdb_vec_attention *a, bool backward);
void VEC(attention)(const abdb_vec_attention *a, bool backward);
void VEC(decode_attention)(const abdb_vec_decode *x, const void *k, const void *v, const void *then,
                           size_t keys, size_t seen);
void VEC(embedding_bags)(const abdb_vec_bags *bags, size_t low, size_t high);
void VEC(gups_updates)(uint64_t *word, size_t words, size_t updates, uint64_t seed);
void VEC(multiply_pruned_or_quantised)(const abdb_vec_linear *linear, size_t low, size_t high,
                                       float *room);
size_t VEC(linear_work_floats)(const abdb_vec_linear *linear);
/* Panels [low, high) of a quantised layer of at most VEC_FEW rows. */
void VEC(gemm_skinny_quantised)(const abdb_vec_linear *linear, size_t low, size_t high);
void VEC(block_steps)(const abdb_vec_step *step, size_t low, size_t high);
void VEC(row_ops)(const abdb_vec_rows *rows, size_t low, size_t high);
double VEC(cross_entropy_and_gradient)(const abdb_vec_loss *loss, size_t low, size_t high);
void VEC(adamw_update)(const abdb_vec_update *update, size_t low, size_t high);

/* Columns [left, right) of a product that is skinny. */
void VEC(gemm_skinny)(const abdb_vec_gemm_call *product, size_t left, size_t right);

#if defined(__AMX_TILE__)
/* amx.c: C (m x n) = A x B, or +=, of bf16 or bytes; `tiles` of 64 bytes along K, rows of A and C
 * `lda` and `ldc` bytes apart, panels of B `panel` bytes. Between begin and end of this thread. */
void VEC(amx_configure_tiles)(void);
void VEC(amx_release_tiles)(void);
void VEC(amx_gemm)(bool bytes, size_t m, size_t n, size_t tiles, const char *a, size_t lda,
                   const char *b, size_t panel, char *c, size_t ldc, bool add);
#endif

/* Two bf16 of a row, wherever it begins. */
typedef uint32_t abdb_bf16_pair __attribute__((aligned(2), may_alias));

/* --- gemm_tiles.c: C (m x n) = A x B, or +=
 * ----------------------------------------------------------- Element (i, k) of A is a[i * ai + k *
 * ak], ai or ak being 1. B lies in panels of VEC_PANEL columns, `panel` elements apart, a panel's
 * steps one after another, filled up with anything that can be read. A step is one element of k; of
 * bf16 a pair of them, of i8 four (A plus 128, and behind a panel's steps 128 times the sums of its
 * columns). What lies `ahead` bytes further in a panel is asked for beforehand; 0: nothing is.
 * TILE_ROWS x 2 vectors of sums, with those of B and A, fill the registers: 24 of 32, or 12 of 16.
 */
enum { TILE_ROWS = VEC_BYTES == 64 ? 12 : 6, VEC_PANEL = 2 * VEC_F32 };
#define TILE_FUNCTION(name, a_type, b_type, c_type)                                    \
    void name(size_t m, size_t n, size_t steps, const a_type *a, size_t ai, size_t ak, \
              const b_type *b, size_t panel, c_type *c, size_t ldc, bool add, size_t ahead)
TILE_FUNCTION(VEC(f32_tiles), float, float, float);
TILE_FUNCTION(VEC(f64_tiles), double, double, double);
TILE_FUNCTION(VEC(bf16_tiles), abdb_bf16_pair, abdb_bf16_pair, float);
TILE_FUNCTION(VEC(i8_tiles), uint32_t, uint32_t, int32_t);

#endif
