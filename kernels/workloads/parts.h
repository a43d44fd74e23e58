/* parts.h - a backend's functions for workloads: the parts of a network, forward and backward.
 *
 * All data, whole numbers too, lie in rows in memory of the device (memory.h), in one number format
 * chosen by `open`; sums that must be exact over many steps (moments, master weights, accumulated
 * gradients) are wide: f64 where the format is f64, else f32. A pointer to data is an address of
 * the device, from its `alloc` or so many bytes behind: only parts, upload, download and
 * fill follow it. A function that a backend lacks is NULL. On the host parts compute when they are
 * called, on the threads of their user; on a device with a queue they are enqueued in their order.
 * Working memory comes from `reserve`.
 */
#ifndef ABDB_WORKLOADS_PARTS_H
#define ABDB_WORKLOADS_PARTS_H

#include "kernels/kernel.h"

/* c (m x n) = act(a (m x k) b (k x n) + bias), a or b stored transposed if set. */
typedef struct {
    size_t m, n, k;
    bool ta, tb;
    const void *a, *b;
    void *c;
    size_t lda, ldc;    /* elements from a row of a or c to the next; 0: rows lie side by side */
    const void *bias;   /* n numbers; NULL: none */
    int act;            /* ABDB_ACT_NONE or ABDB_ACT_RELU */
    const void *packed; /* b as `pack` laid it out; NULL: b is read */
} abdb_part_gemm;

static inline abdb_part_gemm abdb_part_gemm_of(size_t m, size_t n, size_t k, bool ta, bool tb,
                                               const void *a, const void *b, void *c)
{
    return (abdb_part_gemm){.m = m, .n = n, .k = k, .ta = ta, .tb = tb, .a = a, .b = b, .c = c};
}

/* Embedding bags: out = sums of `lookups` rows of each table, by index; tables of `rows` rows of
 * `columns` numbers, one after another; indices by table, sample and lookup. */
typedef struct {
    size_t tables, rows, lookups, batch, columns;
    size_t sample_stride; /* elements from a sample's sums to the next one's */
    const void *table;
    const int32_t *index;
    void *out; /* sums of table t at t x columns of a sample's */
} abdb_part_embedding_bags;

/* Causal attention of sequences with themselves; a row of qkv is 3 x heads x d: queries, keys,
 * values of all heads. l: log-sums, heads x rows floats, written by forward. Backward: dqkv from
 * dout, and out and l as forward left them. */
typedef struct {
    size_t batch, heads, sequence, d;
    const void *qkv;
    void *out, *l;
    const void *dout;
    void *dqkv;
} abdb_part_attention;

/* Row by row; gain and shift are of columns, NULL counts as 0 (of a norm's gain: not allowed). */
enum {
    ABDB_ROWS_CROSS,     /* out = kept (x + gain) + add: a cross layer's end (DCNv2) */
    ABDB_ROWS_NORM,      /* out = norm(x) gain + shift */
    ABDB_ROWS_BIAS,      /* out = x + gain (+ add) */
    ABDB_ROWS_GELU,      /* kept += gain; out = gelu(kept) */
    ABDB_ROWS_GELU_BACK, /* out *= derivative of gelu at x; dgain = sums of out */
    ABDB_ROWS_NORM_BACK, /* out = (add +) gradient of x from dy = kept; dgain, dshift */
    ABDB_ROWS_SUM        /* dgain = sums of x */
};
typedef struct {
    int what;
    size_t rows, columns;
    const void *x, *gain, *shift, *add;
    void *kept, *out;
    void *dgain, *dshift; /* sums over rows; NULL: not wanted */
} abdb_part_row_op;

/* out = table[token] + position[row % sequence]; backward: table += sums of rows of dx by token
 * (first[t] .. first[t + 1] are places in `order` of its rows), position = sums by place. */
typedef struct {
    size_t rows, columns, sequence, vocabulary;
    const int32_t *token, *first, *order;
    void *table, *position; /* backward: of their gradients */
    void *x;                /* out, or dx */
} abdb_part_embedding;

/* Cross entropy of rows of logits x; x becomes its gradient times scale. */
typedef struct {
    size_t rows, columns;
    const int32_t *target;
    double scale;
    void *x;
} abdb_part_cross_entropy;

/* AdamW (Loshchilov and Hutter 2019) of step number `step`, 1 the first:
 *   m = beta1 m + (1 - beta1) g scale, v = beta2 v + (1 - beta2) (g scale)^2,
 *   w = w (1 - rate decay) - rate (m / (1 - beta1^step)) / (sqrt(v / (1 - beta2^step)) + epsilon)
 * w, m, v are wide. Where mask is not NULL, w is 0 where it is 0. out, unless NULL: w in the
 * format. */
typedef struct {
    size_t n;
    const void *g;
    bool wide; /* g is */
    void *w, *m, *v, *out;
    const unsigned char *mask;
    double scale, rate, beta1, beta2, epsilon, decay, step;
} abdb_part_adamw;

typedef struct abdb_parts {
    /* Says why parts of a problem (isa, threads) cannot be had in this format and for heads of d
     * and rows of `columns` numbers; NULL: they can. */
    const char *(*why_refused)(const abdb_problem *p, abdb_dtype dtype, size_t d, size_t columns);
    /* ABDB_NOMEM. */
    abdb_status (*open)(void **self, const abdb_problem *p, abdb_dtype dtype, abdb_error *err);
    void (*close)(void *self);
    /* Bytes of working memory; `columns` the widest rows that are summed. reserve gives as much to
     * all of them: ABDB_NOMEM. */
    size_t (*gemm_work_bytes)(void *self, const abdb_part_gemm *x);
    size_t (*attention_work_bytes)(void *self, const abdb_part_attention *x, bool backward);
    size_t (*row_op_work_bytes)(void *self, size_t columns);
    abdb_status (*alloc_workspace)(void *self, size_t bytes, abdb_error *err);
    /* Bytes that b of such a product takes where it was laid out beforehand. `pack` lays it out, to
     * memory of whole lines. Both NULL: it is best read as it is. */
    size_t (*packed_bytes)(void *self, const abdb_part_gemm *x);
    void (*pack)(void *self, const abdb_part_gemm *x, void *to);
    void (*gemm)(void *self, const abdb_part_gemm *x);
    void (*attention)(void *self, const abdb_part_attention *x, bool backward);
    void (*row_op)(void *self, const abdb_part_row_op *x);
    void (*embedding)(void *self, const abdb_part_embedding *x, bool backward);
    void (*embedding_bags)(void *self, const abdb_part_embedding_bags *x);
    double (*cross_entropy)(void *self,
                            const abdb_part_cross_entropy *x); /* sum over rows; it waits for it */
    /* Wide `to`, which begins at a line of 64 bytes, += x. */
    void (*add_to_wide)(void *self, size_t n, const void *x, void *to);
    void (*adamw_update)(void *self, const abdb_part_adamw *x);
    /* What went wrong first since `open`, for parts that can fail (a launch that the device
     * refuses): from then on nothing is computed. NULL: nothing can. */
    abdb_status (*check_failed)(void *self, abdb_error *err);
    /* Of networks that generate text (decoder.h). NULL: it has none. */
    const struct abdb_decoder *decoder;
} abdb_parts;

/* The wide format beside one. */
static inline abdb_dtype abdb_wide_dtype_f64_or_f32(abdb_dtype dtype)
{
    return dtype == ABDB_F64 ? ABDB_F64 : ABDB_F32;
}

#endif
