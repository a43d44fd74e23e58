/* decoder.h - common code of the parts of networks that generate text: decoder.c, weights.c,
 * kv_cache_attention.c. */
#ifndef ABDB_PROVIDERS_VEC_DECODER_H
#define ABDB_PROVIDERS_VEC_DECODER_H

#include "kernels/providers/vec/vec.h"
#include "kernels/workloads/decoder.h"

typedef struct {
    abdb_dtype dtype;
    size_t size;
    const abdb_vec_isa *isa;
    const abdb_vec_tuning *tuning;
    int threads;
    abdb_problem p; /* stands for kernels over rows, and for a stream that reads */
    char *work;
} abdb_vec_decoder_state;

/* Rows of kernels over rows (isa/row_ops.h): x, what they take besides, and where to. */
void abdb_vec_run_row_op(const abdb_vec_decoder_state *s, int op, size_t rows, size_t columns,
                         const void *x, const void *gain_or_angles, void *out);
/* weights.c: functions of abdb_decoder. */
size_t abdb_vec_weights_byte_size(void *self, const abdb_weights *w);
abdb_status abdb_vec_pack_or_quantise_weights(void *self, const abdb_weights *w,
                                              abdb_column_reader *column, const void *from,
                                              abdb_error *err);
double abdb_vec_dequantise_weight(void *self, const abdb_weights *w, size_t k, size_t n);
size_t abdb_vec_weight_gemm_work_bytes(void *self, const abdb_part_weight_gemm *x);
void abdb_vec_gemm_packed_or_quantised_weights(void *self, const abdb_part_weight_gemm *x);
void abdb_vec_embed_tokens(void *self, const abdb_weights *w, const int32_t *token, size_t rows,
                           void *x);
/* kv_cache_attention.c: functions of abdb_decoder. */
size_t abdb_vec_kv_attention_work_bytes(void *self, const abdb_part_kv_attention *x);
void abdb_vec_rotate_and_append_kv(void *self, const abdb_part_kv_attention *x);
void abdb_vec_attend_kv_cache(void *self, const abdb_part_kv_attention *x);

#endif
