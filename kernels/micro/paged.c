/* paged.c - attention of one new token of each request over keys and values that lie in blocks of
 * pages (Kwon et al. 2023), in the two ways that KAIST's study of Gaudi 2 compares:
 *
 *   layout=table  a table of block numbers, a row a request, each padded with zeros to the longest
 *                 that there can be; what pads is read, and counts for nothing (vLLM's fork for
 *                 Gaudi gathers all of a row into one piece first, then looks at it)
 *   layout=list   the blocks that are used, one request after another
 *
 * Each request uses the first (1 - padding) of a row of the table, its last block in part. Q, O:
 * batch x heads rows of d; K, V: blocks x kv_heads x block rows of d, blocks in random order.
 *
 * Work: 4 d operations for each head and token; bytes: keys and values of the tokens, Q, O and
 * block numbers once: what is useful, the same for both.
 *
 * Values in which mistakes show, and bound: as those of attention. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/kernel.h"
#include "kernels/micro/edges.h"
#include "kernels/micro/exact_attention.h"

enum { Q, K, V, INDEX, LENGTH, O };

/* Q and O: batch x heads rows of d. K and V: rows of d for each request, block of tokens,
 * kv_head and token of the block. INDEX: the block of a request's i-th tokens, a table with a row a
 * request or a list of used blocks; LENGTH: tokens of each request. */
static abdb_status paged_parse_params_and_setup_tensors(abdb_problem *p,
                                                        const abdb_machine_caches *limits,
                                                        abdb_error *err)
{
    static const char *const layouts[] = {"list", "table", NULL};
    double padding = abdb_param_number(p, "padding", 0);
    size_t batch, heads, kv_heads, d, sequence, block, width, used;
    int layout;
    abdb_dtype dtype;
    abdb_status st = ABDB_OK;

    (void)limits;
    TRY(abdb_param_choice_index_or_first(p, "layout", layouts, &layout, err));
    TRY(abdb_param_parse_allowed_dtype(p, ABDB_F32, ABDB_NETWORK_DTYPES, &dtype, err));
    TRY(abdb_param_parse_size_and_store_default(p, "batch", 32, 1e6, &batch, err));
    TRY(abdb_param_parse_size_and_store_default(p, "heads", 32, 1e4, &heads, err));
    TRY(abdb_param_parse_size_and_store_default(p, "kv_heads", fmin(8, (double)heads), 1e4,
                                                &kv_heads, err));
    TRY(abdb_param_parse_size_and_store_default(p, "d", 128, 1024, &d, err));
    TRY(abdb_param_parse_size_and_store_default(p, "sequence", 4096, 1e7, &sequence, err));
    TRY(abdb_param_parse_size_and_store_default(p, "block", 128, 65536, &block, err));
    if (heads % kv_heads || !(padding >= 0 && padding < 1))
        TRY(ABDB_FAIL(
            err, ABDB_USAGE,
            "paged-attention: heads is a multiple of kv_heads, padding from 0 to below 1"));
    /* width: blocks of the longest request; used: blocks of each request here, rounded, at least
     * one. */
    width = (sequence + block - 1) / block;
    used = (size_t)fmax(1, floor((double)width * (1 - padding) + 0.5));
    p->tensors = 6;
    p->tensor[Q] = abdb_tensor_contiguous(dtype, ABDB_IN, batch * heads, d, 0, 0);
    p->tensor[K] = p->tensor[V] =
        abdb_tensor_contiguous(dtype, ABDB_IN, batch * used * kv_heads * block, d, 0, 0);
    p->tensor[INDEX] = layout ? abdb_tensor_contiguous(ABDB_I32, ABDB_IN, batch, width, 0, 0)
                              : abdb_tensor_contiguous(ABDB_I32, ABDB_IN, batch * used, 0, 0, 0);
    p->tensor[LENGTH] = abdb_tensor_contiguous(ABDB_I32, ABDB_IN, batch, 0, 0, 0);
    p->tensor[O] = abdb_tensor_contiguous(dtype, ABDB_OUT, batch * heads, d, 0, 0);
done:
    return st;
}

static size_t size_param_or_1(const abdb_problem *p, const char *name)
{
    return (size_t)abdb_param_number(p, name, 1);
}

/* Blocks of a request. */
static size_t blocks_per_request(const abdb_problem *p)
{
    return p->tensor[K].dim[0] / (size_param_or_1(p, "batch") * size_param_or_1(p, "kv_heads") *
                                  size_param_or_1(p, "block"));
}

/* The row of K and V of token `j` of request `b` and head `kv`. They are blocks x kv_heads x block
 * rows; the number of the block stands in the request's row of the table, or in its part of the
 * list. */
static size_t kv_cache_row_of_token(const abdb_problem *p, size_t request, size_t kv_head,
                                    size_t token)
{
    size_t block = size_param_or_1(p, "block"), used = blocks_per_request(p);
    size_t width = p->tensor[INDEX].rank == 2 ? p->tensor[INDEX].dim[1] : used;
    size_t page = (size_t)((const int32_t *)p->tensor[INDEX].data)[request * width + token / block];

    return (page * size_param_or_1(p, "kv_heads") + kv_head) * block + token % block;
}

/* Each head looks for one token of its request: the last, or one at the beginning or the end of a
 * page; and as much for the first that its last page has too many. */
static void aim_query_at_target_and_hidden_token(const abdb_problem *p, uint64_t seed,
                                                 size_t query_row)
{
    size_t d = size_param_or_1(p, "d"), heads = size_param_or_1(p, "heads"),
           block = size_param_or_1(p, "block"), b = query_row / heads,
           kv = query_row % heads / (heads / size_param_or_1(p, "kv_heads")), at;
    size_t n = (size_t)((const int32_t *)p->tensor[LENGTH].data)[b];
    bool more = n % block != 0; /* does the last page have one too many? */
    double a = 3 * (log((double)n) + 1) / sqrt((double)d);
    uint64_t any = abdb_random_bits_at(seed, query_row);

    at = (size_t)(any % n);
    /* The upper two bits choose: the last token, the first of a page, the last of a page, any. */
    if (any >> 62 == 0) at = n - 1;
    if (any >> 62 == 1) at -= at % block;
    if (any >> 62 == 2) at = at - at % block + block - 1;
    if (at >= n) at = n - 1;
    for (size_t i = 0; i < d; i++) {
        double key =
                   abdb_tensor_get_f64(&p->tensor[K], kv_cache_row_of_token(p, b, kv, at) * d + i),
               hidden = more ? abdb_tensor_get_f64(&p->tensor[K],
                                                   kv_cache_row_of_token(p, b, kv, n) * d + i)
                             : 0,
               own = abdb_tensor_get_f64(&p->tensor[Q], query_row * d + i);

        abdb_tensor_set_rounded(&p->tensor[Q], query_row * d + i, a * (key + hidden) + own / 4);
    }
}

/* All scores of every other head become less by 12; see attention.c. */
static void lower_scores_of_even_heads(const abdb_problem *p)
{
    size_t d = size_param_or_1(p, "d");

    for (size_t r = 0; r < p->tensor[K].dim[0]; r++)
        abdb_tensor_set_rounded(&p->tensor[K], r * d, 1);
    for (size_t r = 0; r < p->tensor[Q].dim[0]; r += 2)
        abdb_tensor_set_rounded(&p->tensor[Q], r * d, -12 * sqrt((double)d));
}

static void aim_all_queries(const abdb_problem *p, uint64_t seed)
{
    for (size_t r = 0; r < p->tensor[Q].dim[0]; r++)
        aim_query_at_target_and_hidden_token(p, seed, r);
    lower_scores_of_even_heads(p);
}

/* Gives each request its blocks in random order and a length that leaves up to half of its last
 * block empty; aims each query at one token; lowers the scores of even heads. */
static void paged_prepare_pages_lengths_and_queries(const abdb_problem *p, uint64_t seed)
{
    size_t batch = size_param_or_1(p, "batch"), block = size_param_or_1(p, "block"),
           used = blocks_per_request(p);
    size_t width = p->tensor[INDEX].rank == 2 ? p->tensor[INDEX].dim[1] : used, all = batch * used;
    int32_t *index = p->tensor[INDEX].data, *length = p->tensor[LENGTH].data;
    int32_t *order = malloc(all * sizeof *order);

    memset(index, 0, abdb_tensor_element_count(&p->tensor[INDEX]) * sizeof *index);
    if (order) abdb_random_permutation(order, all, seed);
    for (size_t b = 0; b < batch; b++) {
        /* The last page is full, or up to half of it is missing, a different number for each
         * request. */
        length[b] = (int32_t)(used * block - b % (block / 2 + 1));
        for (size_t i = 0; i < used; i++)
            index[b * width + i] = order ? order[b * used + i] : (int32_t)(b * used + i);
    }
    free(order);
    aim_all_queries(p, seed + 1);
}

/* One token of the last page, all but one, all; of a table also one token of all, a block less one,
 * a block, a block and one (a list names no page without tokens). Queries are aimed anew, at tokens
 * that there are. */
static void paged_put_edge_lengths(const abdb_problem *p, uint64_t seed)
{
    size_t block = size_param_or_1(p, "block"), all = blocks_per_request(p) * block,
           least = p->tensor[INDEX].rank == 2 ? 1 : all - block + 1;
    const size_t lengths[] = {1, block - 1, block, block + 1, all - 1, all - block + 1, all};

    for (size_t b = 0; b < p->tensor[LENGTH].dim[0]; b++) {
        size_t n = lengths[b % 7];

        ((int32_t *)p->tensor[LENGTH].data)[b] = (int32_t)(n < least ? least : n > all ? all : n);
    }
    for (size_t t = Q; t <= K; t++) abdb_fill_nonzero_integers(&p->tensor[t], seed + t, 1);
    aim_all_queries(p, seed + 1);
}

/* See exact_attention.h. What pads a page is a key as others, and no query's. */
static bool paged_make_exact_inputs(const abdb_problem *p, uint64_t seed)
{
    size_t heads = size_param_or_1(p, "heads"), kv_heads = size_param_or_1(p, "kv_heads");
    const int32_t *length = p->tensor[LENGTH].data;

    if (p->tensor[Q].dtype != ABDB_F32 || p->tensor[Q].dim[1] < 2) return false;
    for (size_t row = 0; row < p->tensor[LENGTH].dim[0] * kv_heads; row++) {
        size_t n = (size_t)length[row / kv_heads];
        const abdb_exact_head h = {seed, row, n};

        for (size_t j = 0; j < blocks_per_request(p) * size_param_or_1(p, "block"); j++)
            abdb_exact_attention_put_key(
                &p->tensor[K], kv_cache_row_of_token(p, row / kv_heads, row % kv_heads, j), &h, j);
        for (size_t i = 0; i < heads / kv_heads; i++)
            abdb_exact_attention_put_query(&p->tensor[Q], row * (heads / kv_heads) + i, &h, n);
    }
    abdb_exact_attention_fill_values(&p->tensor[V], seed + 4);
    return true;
}

static double paged_exact_error_bound(const abdb_problem *p, int tensor)
{
    (void)p, (void)tensor;
    return 16 * 0x1p-24; /* see attention.c */
}

/* 4d operations for each head and token; bytes: K and V of all tokens once, Q, O and the
 * indices. */
static void paged_count_work(const abdb_problem *p, abdb_work *out)
{
    double tokens = 0, size = (double)abdb_dtype_size(p->tensor[K].dtype),
           d = (double)size_param_or_1(p, "d"), batch = (double)size_param_or_1(p, "batch");

    for (size_t b = 0; b < size_param_or_1(p, "batch"); b++)
        tokens += (double)(blocks_per_request(p) * size_param_or_1(p, "block") -
                           b % (size_param_or_1(p, "block") / 2 + 1));
    out->ops = 4 * d * (double)size_param_or_1(p, "heads") * tokens;
    out->bytes = 2 * tokens * (double)size_param_or_1(p, "kv_heads") * d * size +
                 2 * batch * (double)size_param_or_1(p, "heads") * d * size +
                 4 * batch * (double)blocks_per_request(p);
}

static double paged_sum_error_bound(const abdb_problem *p)
{
    return (double)(size_param_or_1(p, "sequence") + size_param_or_1(p, "d") + 64) * 0x1p-24;
}

static double paged_error_bound(const abdb_problem *p, int tensor)
{
    return paged_sum_error_bound(p) +
           2 * abdb_output_roundoff_or_0_if_accumulator(&p->tensor[tensor]);
}

/* O[b][h] in double: the sum over tokens j of softmax(q . k[j] / sqrt(d)) v[j], the tokens of
 * request b found by INDEX. NAN where memory is missing. */
static void paged_reference_rows(const abdb_problem *p, int tensor, const size_t *row, size_t count,
                                 double *out, double *magnitude)
{
    size_t d = size_param_or_1(p, "d"), heads = size_param_or_1(p, "heads"),
           group = heads / size_param_or_1(p, "kv_heads");
    const int32_t *length = p->tensor[LENGTH].data;
    double least = abdb_dtype_least_normal(p->tensor[O].dtype); /* see attention.c */

    for (size_t r = 0; r < count; r++) {
        size_t b = row[r] / heads, kv = row[r] % heads / group, n = (size_t)length[b];
        double *score = malloc(n * sizeof *score), most = -INFINITY, sum = 0, size = 0, larger;

        for (size_t i = 0; i < d; i++) {
            out[r * d + i] = score ? 0 : NAN;
            magnitude[r * d + i] = score ? least : NAN;
        }
        for (size_t j = 0; score && j < n; j++) {
            double s = 0, terms = 0;
            size_t at = kv_cache_row_of_token(p, b, kv, j) * d;

            for (size_t i = 0; i < d; i++) {
                double term = abdb_tensor_get_f64(&p->tensor[Q], row[r] * d + i) *
                              abdb_tensor_get_f64(&p->tensor[K], at + i);

                s += term / sqrt((double)d);
                terms += fabs(term) / sqrt((double)d);
            }
            score[j] = s;
            most = fmax(most, s);
            size = fmax(size, terms);
        }
        /* A score of magnitude `size` is wrong by paged_sum_error_bound of it; see
         * score_error_weight in attention.c. */
        larger = 1 + size * paged_sum_error_bound(p) / paged_error_bound(p, tensor);
        for (size_t j = 0; score && j < n; j++) sum += score[j] = exp(score[j] - most);
        for (size_t j = 0; score && j < n; j++) {
            size_t at = kv_cache_row_of_token(p, b, kv, j) * d;

            for (size_t i = 0; i < d; i++) {
                double v = abdb_tensor_get_f64(&p->tensor[V], at + i), by = score[j] / sum;

                out[r * d + i] += by * v;
                magnitude[r * d + i] += fabs(v) * fmax(by, least) * larger;
            }
        }
        free(score);
    }
}

/* As in attention.c. */
static double paged_norm_bound(const abdb_problem *p, int tensor)
{
    double d = (double)size_param_or_1(p, "d"), scores = 16 * 8 * 0x1p-24 * (sqrt(d) + 8);

    return scores + abdb_sum_norm_bound(&p->tensor[tensor], (double)size_param_or_1(p, "sequence"));
}

/* Bytes, but where more than 8 heads share keys and values. */
static const char *paged_bottleneck(const abdb_problem *p)
{
    abdb_work w;

    paged_count_work(p, &w);
    return abdb_bottleneck_by_ops_per_element(
        w.ops, w.bytes / (double)abdb_dtype_size(p->tensor[K].dtype));
}

const abdb_kernel abdb_kernel_paged = {
    .name = "paged-attention",
    .summary =
        "attention of new tokens over blocks of pages: by a list of blocks, by a padded table",
    .formula = "paged-attention@1",
    .parameters = "layout=list|table  padding=0  batch=32  heads=32  kv_heads=8  d=128  "
                  "sequence=4096  block=128 "
                  " "
                  "dtype=f32|bf16|f16",
    .names = "layout padding batch heads kv_heads d sequence block",
    .setup_tensors = paged_parse_params_and_setup_tensors,
    .count_work = paged_count_work,
    .reference_rows = paged_reference_rows,
    .error_bound = paged_error_bound,
    .norm_bound = paged_norm_bound,
    .prepare_inputs = paged_prepare_pages_lengths_and_queries,
    .bottleneck = paged_bottleneck,
    .make_exact_inputs = paged_make_exact_inputs,
    .exact_error_bound = paged_exact_error_bound,
    .edge_sizes = abdb_paged_edge_sizes,
    .put_edge_values = paged_put_edge_lengths,
};
