/* paged_attention.c - backend vec's attention of few queries over keys where they lie: in one piece
 * (attention with as many queries), or in blocks of pages (paged-attention). */
#include <math.h>
#include <omp.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/providers/vec/vec.h"

static const float log2_e = 1.44269504f;
enum { LINE = 16, UNPACKED = 32 }; /* floats; columns that are unpacked together */

/* Queries and sums of values (rows x d each), largest score and sum of exponentials (rows each),
 * every one begun at a line of the caches. */
size_t abdb_vec_decode_work_floats(size_t rows, size_t d)
{
    return 2 * abdb_vec_round_up(rows * d, LINE) + 2 * abdb_vec_round_up(rows, LINE);
}

void abdb_vec_decode_set_workspace(abdb_vec_decode *x, const abdb_vec_isa *isa, float *room)
{
    x->scale = log2_e / sqrtf((float)x->d);
    x->unpacked = x->dtype == ABDB_BF16 && x->d % UNPACKED == 0 &&
                  abdb_vec_has_native_dot_or_f16_fma(isa, ABDB_BF16);
    x->q = room;
    x->acc = room + abdb_vec_round_up(x->rows * x->d, LINE);
    x->most = x->acc + abdb_vec_round_up(x->rows * x->d, LINE);
    x->sum = x->most + abdb_vec_round_up(x->rows, LINE);
}

void abdb_vec_decode_load_queries_and_reset(abdb_vec_decode *x, const abdb_vec_isa *isa,
                                            const abdb_tensor *q, size_t first_query_row,
                                            float *room)
{
    abdb_vec_decode_set_workspace(x, isa, room);
    if (x->dtype == ABDB_BF16) x->q_bf16 = (const uint16_t *)q->data + first_query_row * x->d;
    for (size_t i = 0; i < x->rows * x->d; i++) {
        room[i] = (float)abdb_tensor_get_f64(q, first_query_row * x->d + i);
        x->acc[i] = 0;
    }
    for (size_t i = 0; i < x->rows; i++) {
        x->most[i] = -INFINITY;
        x->sum[i] = 0;
    }
}

/* Where column `j` lies: see rescale_sums_add_weighted_native_bf16 in isa/decode_attention.c. */
static size_t index_of_column_in_unpacked_order(const abdb_vec_decode *x, size_t j)
{
    size_t in = j % UNPACKED;

    return x->unpacked ? j - in + in / 4 % 2 * 16 + in / 8 * 4 + in % 4 : j;
}

/* Parts add up relative to their own largest score; each is brought to the largest of all by 2^(its
 * own - largest of all). Scores are in powers of 2 (scale holds log2(e)), hence exp2, and L = (most
 * + log2(sum)) / log2(e). */
void abdb_vec_decode_merge_parts_to_output(const abdb_vec_decode *x, size_t parts,
                                           const abdb_tensor *o, size_t first, float *l)
{
    size_t apart = abdb_vec_decode_work_floats(x->rows, x->d);

    for (size_t r = 0; r < x->rows; r++) {
        float most = -INFINITY, sum = 0;

        for (size_t i = 0; i < parts; i++) most = fmaxf(most, x->most[i * apart + r]);
        for (size_t i = 0; i < parts; i++)
            sum += x->sum[i * apart + r] * exp2f(x->most[i * apart + r] - most);
        for (size_t j = 0; j < x->d; j++) {
            float value = 0;

            for (size_t i = 0; i < parts; i++)
                value += x->acc[i * apart + r * x->d + index_of_column_in_unpacked_order(x, j)] *
                         exp2f(x->most[i * apart + r] - most);
            abdb_tensor_set_rounded(o, (first + r) * x->d + j, value / sum);
        }
        if (l) l[r] = (most + log2f(sum)) / log2_e;
    }
}

/* --- paged attention -------------------------------------------------------------------------- */

enum { Q, K, V, INDEX, LENGTH, O };

typedef struct {
    const abdb_problem *p;
    const abdb_vec_isa *isa;
    size_t batch, heads, kv_heads, d, block, width; /* width: of the table, 0 of a list */
    const size_t *start;                            /* of a request in the list */
    float *room;
    char *pieces; /* of a table: gathered keys and values, for each thread */
} paged_attention;

static int vec_paged_attention_accepts_d_multiple_of_16(const abdb_problem *p, const char **why_not)
{
    if (!abdb_vec_supports_isa_stores_and_threads(p, why_not)) return 0;
    *why_not = "d is no multiple of 16";
    return p->tensor[Q].dim[1] % 16 == 0;
}

static void vec_paged_attention_free(void *state)
{
    paged_attention *s = state;

    free((void *)(uintptr_t)s->start);
    free(s->room);
    free(s->pieces);
    free(s);
}

/* Sizes, the first block of each request, and room for each thread; of a padded table also for
 * the keys and values of the longest row. ABDB_NOMEM. */
static abdb_status vec_paged_attention_prepare(void **state, const abdb_problem *p, abdb_error *err)
{
    paged_attention *s = calloc(1, sizeof *s);
    const int32_t *length = p->tensor[LENGTH].data;
    size_t *start, group;

    if (!s) return ABDB_FAIL(err, ABDB_NOMEM, "paged attention");
    *s = (paged_attention){.p = p,
                           .isa = abdb_vec_select_isa(p),
                           .batch = p->tensor[LENGTH].dim[0],
                           .heads = (size_t)abdb_param_number(p, "heads", 1),
                           .kv_heads = (size_t)abdb_param_number(p, "kv_heads", 1),
                           .d = p->tensor[Q].dim[1],
                           .block = (size_t)abdb_param_number(p, "block", 1),
                           .width = p->tensor[INDEX].rank == 2 ? p->tensor[INDEX].dim[1] : 0};
    group = s->heads / s->kv_heads;
    s->start = start = calloc(s->batch + 1, sizeof *start);
    s->room = abdb_vec_alloc_advising_huge_pages((size_t)abdb_vec_thread_count(p) *
                                                 abdb_vec_decode_work_floats(group, s->d) *
                                                 sizeof(float));
    /* Keys and values of the longest row, for each thread. */
    if (s->width)
        s->pieces = abdb_vec_alloc_advising_huge_pages((size_t)abdb_vec_thread_count(p) * 2 *
                                                       s->width * s->block * s->d *
                                                       abdb_dtype_size(p->tensor[K].dtype));
    if (!start || !s->room || (s->width && !s->pieces)) {
        vec_paged_attention_free(s);
        return ABDB_FAIL(err, ABDB_NOMEM, "paged attention");
    }
    for (size_t b = 0; b < s->batch; b++)
        start[b + 1] = start[b] + ((size_t)length[b] + s->block - 1) / s->block;
    *state = s;
    return ABDB_OK;
}

/* The pages of a row of the table, what pads it too, in one piece: K, then V. */
static const char *gather_padded_pages(const paged_attention *s, const int32_t *index, size_t kv)
{
    size_t bytes = s->block * s->d * abdb_dtype_size(s->p->tensor[K].dtype);
    char *piece = s->pieces + (size_t)omp_get_thread_num() * 2 * s->width * bytes;

    for (int t = K; t <= V; t++)
        for (size_t i = 0; i < s->width; i++)
            memcpy(piece + ((size_t)(t - K) * s->width + i) * bytes,
                   (const char *)s->p->tensor[t].data +
                       ((size_t)index[i] * s->kv_heads + kv) * bytes,
                   bytes);
    return piece;
}

/* One request and head of keys: by a list its blocks where they lie; by a table as the study's
 * baseline does, first gathered, then looked at. */
static void attend_request_and_kv_head(const paged_attention *s, size_t b, size_t kv)
{
    const abdb_tensor *t = s->p->tensor;
    size_t group = s->heads / s->kv_heads, seen = (size_t)((const int32_t *)t[LENGTH].data)[b];
    size_t blocks = s->width ? 0 : s->start[b + 1] - s->start[b],
           bytes = s->block * s->d * abdb_dtype_size(t[K].dtype);
    const int32_t *index = (const int32_t *)t[INDEX].data + (s->width ? b * s->width : s->start[b]);
    abdb_vec_decode x = {.dtype = t[K].dtype, .rows = group, .d = s->d, .row = s->d};
    size_t first = b * s->heads + kv * group;

    abdb_vec_decode_load_queries_and_reset(&x, s->isa, &t[Q], first,
                                           s->room + (size_t)omp_get_thread_num() *
                                                         abdb_vec_decode_work_floats(group, s->d));
    if (s->width) {
        const char *piece = gather_padded_pages(s, index, kv);

        /* The whole padded row is worked on, as in the baseline; `seen` says how much of it
         * counts. */
        s->isa->decode(&x, piece, piece + s->width * bytes, piece, s->width * s->block, seen);
    }
    for (size_t i = 0; i < blocks; i++) {
        /* `then`: the next block is asked for while this one is worked on. */
        size_t at = ((size_t)index[i] * s->kv_heads + kv) * bytes, see = seen - i * s->block,
               then = i + 1 < blocks ? ((size_t)index[i + 1] * s->kv_heads + kv) * bytes : at;
        const char *keys = t[K].data;

        s->isa->decode(&x, keys + at, (const char *)t[V].data + at, keys + then,
                       see > s->block ? s->block : see, see);
    }
    abdb_vec_decode_merge_parts_to_output(&x, 1, &t[O], first, NULL);
}

/* O as micro/paged.c defines it: a request and kv_head at a time, on whatever thread is free. */
static abdb_status vec_paged_attention_launch(void *state, abdb_error *err)
{
    const paged_attention *s = state;

    (void)err;
#pragma omp parallel for num_threads(abdb_vec_thread_count(s->p)) schedule(dynamic, 1)
    for (size_t i = 0; i < s->batch * s->kv_heads; i++)
        attend_request_and_kv_head(s, i / s->kv_heads, i % s->kv_heads);
    return ABDB_OK;
}

static const char *vec_paged_attention_chosen_isa(const void *state)
{
    return ((const paged_attention *)state)->isa->name;
}

const abdb_impl abdb_vec_paged = {"paged-attention",
                                  "vec",
                                  vec_paged_attention_accepts_d_multiple_of_16,
                                  vec_paged_attention_prepare,
                                  vec_paged_attention_launch,
                                  vec_paged_attention_chosen_isa,
                                  vec_paged_attention_free};
