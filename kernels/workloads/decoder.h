/* decoder.h - what a backend offers to networks that generate text: products with weights that lie
 * in a form of its own, attention by a cache of keys and values in blocks, and what stands between.
 *
 * Activations lie in rows, in one number format chosen by `open`, in memory of the stage's device;
 * numbers of tokens, blocks and lengths in the host's. A function that a backend lacks is NULL.
 * Parts compute when they are called, in working memory that `reserve` made.
 */
#ifndef ABDB_WORKLOADS_DECODER_H
#define ABDB_WORKLOADS_DECODER_H

#include "kernels/kernel.h"

/* A matrix (k x n): in the format of activations; or in bytes, with a scale for each column; or in
 * halves of bytes, with a scale for each 32 of K and column (quantise.h). The backend lays it out.
 */
enum { ABDB_WEIGHTS_SAME, ABDB_WEIGHTS_I8, ABDB_WEIGHTS_I4 };
typedef struct {
    int form;
    size_t k, n;
    void *data; /* begins at a line of 64 bytes */
} abdb_weights;
/* Column `column` of a matrix: k numbers. Several threads ask at once. */
typedef void abdb_column_reader(const void *from, size_t column, float *out);

/* y (m x n) = x (m x k) times w, or += where `add`. */
typedef struct {
    size_t m;
    const abdb_weights *w;
    const void *x;
    void *y;
    bool add;
} abdb_part_weight_gemm;

/* Attention of new tokens of several sequences with themselves and with what the cache holds. The
 * new tokens of sequence i are rows [first[i], first[i + 1]) of qkv and out; past[i] tokens came
 * before them. Token t of it lies in place t % block of block page[i * width + t / block]. */
typedef struct {
    size_t sequences, heads, kv_heads, d, block, width;
    bool padded; /* all `width` blocks of a row are gathered and worked on, whatever the length */
    const int32_t *page;
    const size_t *first, *past;
    const float *turn;   /* by position: d / 2 cosines, d / 2 sines */
    void *qkv;           /* rows of (heads + 2 kv_heads) x d */
    void *keys, *values; /* blocks x kv_heads x block rows of d */
    void *out;           /* rows of heads x d */
} abdb_part_kv_attention;

typedef struct abdb_decoder {
    /* Says why it cannot be had in this format, weights in this form, heads of d and rows of
     * `columns` numbers; NULL: it can. */
    const char *(*why_refused)(const abdb_problem *p, abdb_dtype dtype, int form, size_t d,
                               size_t columns);
    /* ABDB_NOMEM. */
    abdb_status (*open)(void **self, const abdb_problem *p, abdb_dtype dtype, abdb_error *err);
    void (*close)(void *self);
    /* Bytes of working memory; of attention, of the longest sequences that there will be. reserve
     * gives as much to all of them: ABDB_NOMEM. */
    size_t (*weight_gemm_work_bytes)(void *self, const abdb_part_weight_gemm *x);
    size_t (*attention_work_bytes)(void *self, const abdb_part_kv_attention *x);
    abdb_status (*alloc_workspace)(void *self, size_t bytes, abdb_error *err);
    /* Bytes of a matrix; its data from columns (ABDB_NOMEM); one number as it enters a product. */
    size_t (*weights_byte_size)(void *self, const abdb_weights *w);
    abdb_status (*build_weights)(void *self, const abdb_weights *w, abdb_column_reader *column,
                                 const void *from, abdb_error *err);
    double (*dequantise_weight)(void *self, const abdb_weights *w, size_t k, size_t n);
    void (*weight_gemm)(void *self, const abdb_part_weight_gemm *x);
    /* Rows of x = columns token[i] of w. */
    void (*embed_tokens)(void *self, const abdb_weights *w, const int32_t *token, size_t rows,
                         void *x);
    /* Rows of out = x gain / sqrt(mean of x^2 + 1e-5). */
    void (*rmsnorm_rows)(void *self, size_t rows, size_t columns, const void *x, const void *gain,
                         void *out);
    /* Queries and keys of new tokens are rotated by their positions (halves of a head are the two
     * parts of its numbers); keys and values go to the cache. */
    void (*rotate_and_append_kv)(void *self, const abdb_part_kv_attention *x);
    void (*attend_kv_cache)(void *self, const abdb_part_kv_attention *x); /* after remember */
    /* out (rows x columns) = silu(g) u; a row of x is g, then u. */
    void (*swiglu_rows)(void *self, size_t rows, size_t columns, const void *x, void *out);
    /* Place of the largest of each row, the first of equals; of a row with a NaN that of a NaN. */
    void (*argmax_rows)(void *self, size_t rows, size_t columns, const void *x, int32_t *out);
    /* Reads so many bytes once, in order, as quickly as the device can, for a bandwidth. */
    void (*read_all_bytes)(void *self, const void *at, size_t bytes);
} abdb_decoder;

#endif
