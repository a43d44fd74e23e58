/* decoder.h - what the parts of networks that generate text share: decoder.c, weights.c,
 * cached.c. */
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
} abdb_vec_maker;

/* Rows of kernels over rows (isa/rows.h): x, what they take besides, and where to. */
void abdb_vec_over_rows(const abdb_vec_maker *s, int op, size_t rows, size_t columns, const void *x,
                        const void *by, void *out);
/* weights.c: functions of abdb_decoder. */
size_t abdb_vec_weights_bytes(void *self, const abdb_weights *w);
abdb_status abdb_vec_weights_make(void *self, const abdb_weights *w, abdb_column_of *column,
                                  const void *from, abdb_error *err);
double abdb_vec_weights_value(void *self, const abdb_weights *w, size_t k, size_t n);
size_t abdb_vec_weigh_room(void *self, const abdb_part_weigh *x);
void abdb_vec_weigh(void *self, const abdb_part_weigh *x);
void abdb_vec_embed(void *self, const abdb_weights *w, const int32_t *token, size_t rows, void *x);
/* cached.c: functions of abdb_decoder. */
size_t abdb_vec_cached_room(void *self, const abdb_part_cached *x);
void abdb_vec_remember(void *self, const abdb_part_cached *x);
void abdb_vec_attend(void *self, const abdb_part_cached *x);

#endif
