/* kernel_args.h - the arguments of each kernel, one struct each, shared by the host's C and device
 * code. Pointers are of the device. */
#ifndef ABDB_PROVIDERS_CUDA_ARGS_H
#define ABDB_PROVIDERS_CUDA_ARGS_H

#include <stdint.h>

typedef struct {
    int nothing;
} abdb_cu_empty;

/* z = op(x, y) over n elements; fmas of each element. */
typedef struct {
    const void *x, *y;
    void *z;
    uint64_t n, fmas;
} abdb_cu_pass;

/* Sums of pieces of x (times y) to part, or of n parts to one number. */
typedef struct {
    const void *x, *y;
    void *out;
    uint64_t n;
} abdb_cu_partial_sums;

/* Rows of `width` floats by index, `count` of them. */
typedef struct {
    const float *from;
    const int32_t *index;
    float *to;
    uint64_t count, width;
} abdb_cu_indexed_rows;

/* Matrices, rows x columns, transposed; one after another along z of the grid. */
typedef struct {
    const void *from;
    void *to;
    uint64_t rows, columns;
} abdb_cu_transpose;

/* A block a row: x to y, with up to two vectors of parameters (gain and shift; or the targets of
 * cross entropy). wide: rows begin at multiples of 16 bytes; kept: a row fits shared memory. */
typedef struct {
    const void *x, *p, *q;
    void *y;
    uint64_t columns;
    int32_t wide, kept;
} abdb_cu_row_op;

/* Elements one after another: y = f(x), n of them; or dy *= the derivative of f at x. */
typedef struct {
    const void *x;
    void *y;
    uint64_t n;
} abdb_cu_elements;

/* Rotary embedding: rows of two halves rotated by the cosines, then sines, of their position. */
typedef struct {
    const void *x;
    const float *turn;
    void *y;
    uint64_t rows, columns, positions;
    int32_t wide;
} abdb_cu_rotary;

/* Parameter, gradient and moments to parameter and moments; by_m, by_v: 1 / (1 - beta^step). */
typedef struct {
    const void *p, *g;
    const float *m, *v;
    void *p_out;
    float *m_out, *v_out;
    uint64_t n;
    float by_m, by_v;
} abdb_cu_adamw;

/* Sums of rows of tables: tables x batch bags of `lookups` rows each. */
typedef struct {
    const float *table;
    const int32_t *index;
    float *out;
    uint64_t first, rows, batch, lookups, width, tables;
} abdb_cu_embedding_bag;

/* Updates of words of a table; parts of `each` words, `updates` of each part. */
typedef struct {
    uint64_t *table;
    uint64_t parts, each, updates;
} abdb_cu_gups;

typedef struct {
    const int32_t *next;
    int32_t *end;
    uint64_t hops;
} abdb_cu_latency;

/* Multiply-adds: z over x and y; none: 0, which the compiler does not know. */
typedef struct {
    const void *x, *y;
    void *z;
    uint64_t width, n;
    int32_t none;
} abdb_cu_fma;

/* Rows of heads: row r of head h of batch b is at b batch + h head + r row, in elements. */
typedef struct {
    void *data;
    uint64_t batch, head, row;
} abdb_cu_heads;

/* Attention of heads in blocks; `group` heads share keys and values; logarithm: of each row's sum,
 * batch x heads x queries, or NULL. Blocks: x, tile + tiles (head + heads batch). */
typedef struct {
    abdb_cu_heads q, k, v, o;
    float *logarithm;
    uint32_t queries, keys, d, heads, group, causal;
    float scale;
} abdb_cu_attention;

/* Its gradients; means: of dO O over each row. */
typedef struct {
    abdb_cu_heads q, k, v, o, d_o, dq, dk, dv;
    const float *logarithm;
    float *means;
    uint64_t rows; /* of queries, of all heads and batches */
    uint32_t queries, keys, d, heads, group, causal;
    float scale;
} abdb_cu_attention_backward;

/* Scores of whole heads to probabilities: rows of `keys`, `queries` of a head. */
typedef struct {
    const float *scores;
    void *out;
    float *logarithm;
    uint32_t queries, keys, causal;
    float scale;
} abdb_cu_softmax_scores;

/* One new token of each request over pages of keys and values (kernels/micro/paged.c). Without
 * pages (index NULL) request b has one page, b, of `block` tokens. width: pages of a request in
 * index; table: all of them are read, whether they are used or not. splits: blocks that share a
 * head, each `chunk` tokens; parts of several are put together from `part`: sums, then largest and
 * weight. */
typedef struct {
    const void *q, *k, *v;
    const int32_t *index, *length;
    void *o;
    float *logarithm, *part;
    uint32_t batch, heads, kv_heads, d, block, width, table, splits, chunk;
    float scale;
} abdb_cu_decode_attention;

/* Y(m,n) = X(m,k) W(k,n), W quantised: bytes with a scale a column, or halves of bytes with a
 * scale for each 32 along k. */
typedef struct {
    const float *x;
    const void *w;
    const float *scale;
    float *y;
    uint64_t m, n, k;
} abdb_cu_linear_quantised;

/* The same of bytes by bytes: rows of X and of W transposed (n x k), with a scale a row each. */
typedef struct {
    const int8_t *x, *w;
    const float *x_scale, *w_scale;
    float *y;
    uint64_t m, n, k;
} abdb_cu_linear_int8;

/* The same of pruned weights: X transposed (k x m); of column j of W the rows and weights from
 * start[j] to start[j + 1]. */
typedef struct {
    const float *x, *weight;
    const int32_t *start, *row;
    float *y;
    uint64_t m, n, k;
} abdb_cu_linear_sparse;

/* A block's steps: rows of `columns`; to = base (or nothing) + bias. */
typedef struct {
    const void *bias, *base;
    void *to;
    uint64_t n, columns;
} abdb_cu_broadcast_bias;

/* Sums of columns: rows x columns. */
typedef struct {
    const void *from;
    void *to;
    uint64_t rows, columns;
} abdb_cu_column_sums;

/* The gradient of a norm, added to `base`: dx, and the terms of the gain's gradient (hats). */
typedef struct {
    const void *dy, *x, *gain, *base;
    void *dx, *hats;
    uint64_t columns;
} abdb_cu_norm_backward;

#endif
