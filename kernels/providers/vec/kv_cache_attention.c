/* kv_cache_attention.c - backend vec's rotary embedding and attention with a cache in blocks: many
 * queries over themselves, or few over blocks where they lie; see kernels/workloads/decoder.h. */
#include <math.h>
#include <omp.h>
#include <string.h>

#include "kernels/providers/vec/decoder.h"

enum { LINE = 64 };

void abdb_vec_run_row_op(const abdb_vec_decoder_state *s, int op, size_t rows, size_t columns,
                         const void *x, const void *gain_or_angles, void *out)
{
    abdb_problem p = s->p;
    abdb_vec_rows of = {.p = &p, .op = op, .columns = columns};

    p.tensor[0] = abdb_tensor_contiguous(s->dtype, ABDB_IN, rows, columns, 0, 0);
    p.tensor[0].data = (void *)(uintptr_t)x;
    p.tensor[1] =
        abdb_tensor_contiguous(op == ABDB_ROTARY ? ABDB_F32 : s->dtype, ABDB_IN, 1, columns, 0, 0);
    p.tensor[1].data = (void *)(uintptr_t)gain_or_angles;
    p.tensor[2].data = out;
    s->isa->row_ops(&of, 0, rows);
}

/* Bytes of a block of one head. */
static size_t kv_block_bytes(const abdb_vec_decoder_state *s, const abdb_part_kv_attention *x)
{
    return x->block * x->d * s->size;
}

/* Where in keys or values block `number` of a sequence lies, of one head. */
static size_t kv_block_byte_offset(const abdb_vec_decoder_state *s, const abdb_part_kv_attention *x,
                                   size_t sequence, size_t number, size_t kv)
{
    return ((size_t)x->page[sequence * x->width + number] * x->kv_heads + kv) *
           kv_block_bytes(s, x);
}

static size_t qkv_row_bytes(const abdb_vec_decoder_state *s, const abdb_part_kv_attention *x)
{
    return (x->heads + 2 * x->kv_heads) * x->d * s->size;
}

/* Rotates queries and keys of one new row by its position, and copies its keys and values to their
 * places in the cache. */
static void rotate_and_append_kv_row(const abdb_vec_decoder_state *s,
                                     const abdb_part_kv_attention *x, size_t sequence, size_t row)
{
    size_t position = x->past[sequence] + row - x->first[sequence], head = x->d * s->size,
           place = position % x->block * head;
    char *q = (char *)x->qkv + row * qkv_row_bytes(s, x), *k = q + x->heads * head;

    abdb_vec_run_row_op(s, ABDB_ROTARY, x->heads + x->kv_heads, x->d, q, x->turn + position * x->d,
                        q);
    for (size_t h = 0; h < x->kv_heads; h++) {
        size_t to = kv_block_byte_offset(s, x, sequence, position / x->block, h) + place;

        memcpy((char *)x->keys + to, k + h * head, head);
        memcpy((char *)x->values + to, k + (x->kv_heads + h) * head, head);
    }
}

void abdb_vec_rotate_and_append_kv(void *self, const abdb_part_kv_attention *x)
{
    const abdb_vec_decoder_state *s = self;

#pragma omp parallel num_threads(s->threads) if (x->first[x->sequences] > 1)
    for (size_t i = 0; i < x->sequences; i++) {
#pragma omp for schedule(static) nowait
        for (size_t r = x->first[i]; r < x->first[i + 1]; r++) rotate_and_append_kv_row(s, x, i, r);
    }
}

/* All of a sequence at once. */
static abdb_vec_attention prefill_attention_args(const abdb_vec_decoder_state *s,
                                                 const abdb_part_kv_attention *x, size_t sequence)
{
    size_t row = (x->heads + 2 * x->kv_heads) * x->d, width = x->heads * x->d,
           first = x->first[sequence], n = x->first[sequence + 1] - first;
    char *q = x->qkv ? (char *)x->qkv + first * row * s->size : NULL;

    return (abdb_vec_attention){.dtype = s->dtype,
                                .batch = 1,
                                .heads = x->heads,
                                .kv_heads = x->kv_heads,
                                .queries = n,
                                .keys = n,
                                .d = x->d,
                                .causal = true,
                                .scale = (float)(1 / sqrt((double)x->d)),
                                .threads = s->threads,
                                .of_q = {row, x->d, n * row},
                                .of_kv = {row, x->d, n * row},
                                .of_o = {width, x->d, n * width},
                                .q = q,
                                .k = q ? q + width * s->size : NULL,
                                .v = q ? q + (width + x->kv_heads * x->d) * s->size : NULL,
                                .o = q ? (char *)x->out + first * width * s->size : NULL,
                                .room = s->work};
}

/* Floats that a thread works in: what is added up, and a padded row of pages in one piece. */
static size_t decode_floats_per_thread(const abdb_vec_decoder_state *s,
                                       const abdb_part_kv_attention *x)
{
    size_t piece = x->padded ? 2 * x->width * kv_block_bytes(s, x) : 0;

    return abdb_vec_round_up(abdb_vec_decode_work_floats(x->heads / x->kv_heads, x->d), LINE) +
           abdb_vec_round_up(piece, LINE) / sizeof(float);
}

size_t abdb_vec_kv_attention_work_bytes(void *self, const abdb_part_kv_attention *x)
{
    const abdb_vec_decoder_state *s = self;
    abdb_vec_attention a = prefill_attention_args(s, x, 0);
    size_t flash = s->isa->attention_bytes(&a, false),
           decode = (size_t)s->threads * decode_floats_per_thread(s, x) * sizeof(float);

    return flash > decode ? flash : decode;
}

/* All blocks of a row of pages in one piece, keys, then values, as a padded table wants it. */
static void gather_padded_kv_blocks(const abdb_vec_decoder_state *s,
                                    const abdb_part_kv_attention *x, size_t sequence, size_t kv,
                                    char *piece)
{
    size_t bytes = kv_block_bytes(s, x);

    for (size_t i = 0; i < x->width; i++) {
        size_t at = kv_block_byte_offset(s, x, sequence, i, kv);

        memcpy(piece + i * bytes, (const char *)x->keys + at, bytes);
        memcpy(piece + (x->width + i) * bytes, (const char *)x->values + at, bytes);
    }
}

/* The queries of a row that share a head of keys, over the tokens of its sequence up to itself. */
static void attend_row_and_kv_head_to_cache(const abdb_vec_decoder_state *s,
                                            const abdb_part_kv_attention *x, size_t sequence,
                                            size_t row, size_t kv)
{
    size_t group = x->heads / x->kv_heads, bytes = kv_block_bytes(s, x),
           visible = x->past[sequence] + row - x->first[sequence] + 1,
           floats = abdb_vec_round_up(abdb_vec_decode_work_floats(group, x->d), LINE);
    float *room =
        (float *)(void *)s->work + (size_t)omp_get_thread_num() * decode_floats_per_thread(s, x);
    abdb_tensor q = {.dtype = s->dtype,
                     .data =
                         (char *)x->qkv + row * qkv_row_bytes(s, x) + kv * group * x->d * s->size},
                o = {.dtype = s->dtype,
                     .data = (char *)x->out + (row * x->heads + kv * group) * x->d * s->size};
    abdb_vec_decode y = {.dtype = s->dtype, .rows = group, .d = x->d, .row = x->d};

    abdb_vec_decode_load_queries_and_reset(&y, s->isa, &q, 0, room);
    if (x->padded) {
        char *piece = (char *)(room + floats);

        gather_padded_kv_blocks(s, x, sequence, kv, piece);
        s->isa->decode(&y, piece, piece + x->width * bytes, piece, x->width * x->block, visible);
    }
    for (size_t i = 0; i * x->block < visible && !x->padded; i++) {
        /* The next block is asked for while this one is worked on. */
        size_t at = kv_block_byte_offset(s, x, sequence, i, kv), see = visible - i * x->block,
               then = see > x->block ? kv_block_byte_offset(s, x, sequence, i + 1, kv) : at;
        const char *keys = x->keys;

        s->isa->decode(&y, keys + at, (const char *)x->values + at, keys + then,
                       see > x->block ? x->block : see, see);
    }
    abdb_vec_decode_merge_parts_to_output(&y, 1, &o, 0, NULL);
}

/* Does nothing lie before its tokens, and are they many? */
static bool is_prefill_of_several_tokens(const abdb_part_kv_attention *x, size_t sequence)
{
    return x->past[sequence] == 0 && x->first[sequence + 1] - x->first[sequence] > 1;
}

void abdb_vec_attend_kv_cache(void *self, const abdb_part_kv_attention *x)
{
    const abdb_vec_decoder_state *s = self;
    bool others = false;

    for (size_t i = 0; i < x->sequences; i++) {
        abdb_vec_attention a = prefill_attention_args(s, x, i);

        if (is_prefill_of_several_tokens(x, i))
            s->isa->attention(&a, false);
        else
            others = true;
    }
    if (!others) return;
#pragma omp parallel for num_threads(s->threads) schedule(dynamic, 1)
    for (size_t i = 0; i < x->sequences * x->kv_heads; i++) {
        size_t sequence = i / x->kv_heads;

        for (size_t r = x->first[sequence]; r < x->first[sequence + 1]; r++)
            if (!is_prefill_of_several_tokens(x, sequence))
                attend_row_and_kv_head_to_cache(s, x, sequence, r, i % x->kv_heads);
    }
}
