/* exact_attention.h - inputs of f32 attention whose outputs are exact though they need its bits: of
 * each query one key has the score 0 and all others one below -222, whose exponentials are 0. A
 * score is the sum of a pair of products, of numbers of 24 bits that differ by 16: who drops bits
 * finds other scores. For `make_exact_inputs` of kernel.h. */
#ifndef ABDB_MICRO_EXACT_ATTENTION_H
#define ABDB_MICRO_EXACT_ATTENTION_H

#include "kernels/kernel.h"

/* Keys of one head of keys, and what draws their numbers. */
typedef struct {
    uint64_t seed;
    size_t head, keys;
} abdb_exact_head;

/* Row `row` of K is key number `key` of the head. */
void abdb_exact_attention_put_key(const abdb_tensor *k, size_t row, const abdb_exact_head *h,
                                  size_t key);
/* Row `row` of Q looks for a key among the first `visible`. */
void abdb_exact_attention_put_query(const abdb_tensor *q, size_t row, const abdb_exact_head *h,
                                    size_t visible);
/* Odd numbers of 24 bits in all of V. */
void abdb_exact_attention_fill_values(const abdb_tensor *v, uint64_t seed);
/* For gradients: V and dO whose products are -64 for each key and query, O and L of 0. */
void abdb_exact_attention_fill_for_gradients(const abdb_tensor *v, const abdb_tensor *d_out,
                                             const abdb_tensor *o, const abdb_tensor *l,
                                             uint64_t seed);

#endif
