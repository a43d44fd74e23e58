/* llama_memory.c - the memory of a Llama-like network: how much, where, and what it begins with.
 * All that the device holds but working memory is one piece, counted before it is made. See
 * llama_net.h. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/workloads/device_memory.h"
#include "kernels/workloads/llama_net.h"
#include "kernels/workloads/parts.h"

enum { LINE = 64 };

/* The next piece; NULL while they are only counted. */
static void *carve_or_count_bytes(abdb_llama *g, size_t bytes)
{
    char *piece = g->memory ? g->memory + g->bytes : NULL;

    g->bytes += (bytes + LINE - 1) / LINE * LINE;
    return piece;
}

/* Sizes and places of all matrices: those of each layer, the table of tokens, the last product,
 * which has the table's place where the network ties them. */
static void lay_out_weights(abdb_llama *g)
{
    const abdb_llama_shape *s = &g->s;
    size_t count = s->layers * ABDB_LLAMA_MATRICES;
    abdb_weights *w = g->matrix;

    for (size_t i = 0; i < count; i++) {
        w[i].form = s->form;
        abdb_llama_matrix_rows_and_columns(s, (int)(i % ABDB_LLAMA_MATRICES), &w[i].k, &w[i].n);
    }
    w[count] = w[count + 1] = (abdb_weights){s->form, s->d, s->vocabulary, NULL};
    for (size_t i = 0; i < count + 2; i++) {
        bool shared = s->tied && i == count + 1;

        w[i].data = shared ? w[count].data
                           : carve_or_count_bytes(g, g->decoder->weights_byte_size(g->self, &w[i]));
    }
}

/* Called twice: to count the bytes, and with g->memory to set the places. */
static void lay_out_or_count_memory(abdb_llama *g)
{
    const abdb_llama_shape *s = &g->s;
    size_t row = g->most.rows * g->size, wide = s->heads * s->head,
           cache = s->layers * g->most.blocks * g->most.block * s->kv_heads * s->head * g->size;

    g->bytes = 0;
    lay_out_weights(g);
    g->gains = carve_or_count_bytes(g, (2 * s->layers + 1) * s->d * g->size);
    g->keys = carve_or_count_bytes(g, cache);
    g->values = carve_or_count_bytes(g, cache);
    g->turn = carve_or_count_bytes(g, g->most.length * s->head * sizeof *g->turn);
    g->x = carve_or_count_bytes(g, row * s->d);
    g->n = carve_or_count_bytes(g, row * s->d);
    g->qkv = carve_or_count_bytes(g, row * (wide + 2 * s->kv_heads * s->head));
    g->att = carve_or_count_bytes(g, row * wide);
    g->wide = carve_or_count_bytes(g, row * 2 * s->hidden);
    g->gated = carve_or_count_bytes(g, row * s->hidden);
    g->end = carve_or_count_bytes(g, g->most.sequences * s->d * g->size);
    g->logits = carve_or_count_bytes(g, g->most.sequences * s->vocabulary * g->size);
}

/* Working memory: the most that any part wants. */
static size_t largest_workspace_bytes(abdb_llama *g)
{
    size_t first[] = {0, g->most.rows}, past[] = {g->most.length}, most = 0;
    abdb_part_kv_attention long_one = {.sequences = 1,
                                       .heads = g->s.heads,
                                       .kv_heads = g->s.kv_heads,
                                       .d = g->s.head,
                                       .block = g->most.block,
                                       .width = g->most.width,
                                       .padded = g->most.padded,
                                       .first = first,
                                       .past = past};

    first[1] = g->most.rows < g->most.length ? g->most.rows : g->most.length;
    for (size_t i = 0; i < g->s.layers * ABDB_LLAMA_MATRICES + 2; i++) {
        size_t rows = i < g->s.layers * ABDB_LLAMA_MATRICES ? g->most.rows : g->most.sequences;

        if (g->s.layers && i >= ABDB_LLAMA_MATRICES && i < g->s.layers * ABDB_LLAMA_MATRICES)
            continue;                             /* as those of the first layer */
        for (; rows; rows = rows > 16 ? 16 : 0) { /* many rows, and few */
            size_t room = g->decoder->weight_gemm_work_bytes(
                g->self, &(abdb_part_weight_gemm){.m = rows, .w = &g->matrix[i]});

            most = room > most ? room : most;
        }
    }
    return fmax((double)most, (double)g->decoder->attention_work_bytes(g->self, &long_one));
}

/* Everything that is known before memory is made: sizes, the decoder and its working memory. */
static abdb_status open_decoder_and_count_memory(abdb_llama *g, const abdb_run_context *stage,
                                                 const abdb_llama_shape *s,
                                                 const abdb_llama_capacity *most, abdb_error *err)
{
    abdb_status st = ABDB_OK;

    *g = (abdb_llama){.s = *s,
                      .most = *most,
                      .stage = stage,
                      .decoder = stage->parts->decoder,
                      .size = abdb_dtype_size(s->dtype)};
    g->matrix = calloc(s->layers * ABDB_LLAMA_MATRICES + 2, sizeof *g->matrix);
    if (!g->matrix) TRY(ABDB_FAIL(err, ABDB_NOMEM, "a network"));
    TRY(g->decoder->open(&g->self, stage->p, s->dtype, err));
    lay_out_or_count_memory(g);
    g->work = largest_workspace_bytes(g);
done:
    return st;
}

abdb_status abdb_llama_predict_memory_bytes(const abdb_run_context *stage,
                                            const abdb_llama_shape *s,
                                            const abdb_llama_capacity *most, double *out,
                                            abdb_error *err)
{
    abdb_llama g;
    abdb_status st = open_decoder_and_count_memory(&g, stage, s, most, err);

    if (st == ABDB_OK) *out = (double)g.bytes + (double)g.work;
    abdb_llama_free(&g);
    return st;
}

/* --- what it begins with ---------------------------------------------------------------------- */

typedef struct {
    const abdb_llama_weights_source *source;
    size_t layer;
    int which;
} column_origin;

static void read_source_column(const void *from, size_t column, float *out)
{
    const column_origin *o = from;

    o->source->column(o->source->self, o->layer, o->which, column, out);
}

/* Rounds the gains of all norms to the network's format and brings them to the device. */
static abdb_status upload_norm_gains(abdb_llama *g, const abdb_llama_weights_source *source,
                                     abdb_error *err)
{
    size_t d = g->s.d;
    float *gain = calloc(d, sizeof *gain);
    char *row = calloc(d, g->size);
    abdb_tensor t = {.dtype = g->s.dtype, .data = row};
    abdb_status st = ABDB_OK;

    if (!gain || !row) TRY(ABDB_FAIL(err, ABDB_NOMEM, "a norm's gains"));
    for (size_t i = 0; i < 2 * g->s.layers + 1; i++) {
        source->gains(source->self, i, gain);
        for (size_t j = 0; j < d; j++) abdb_tensor_set_rounded(&t, j, (double)gain[j]);
        TRY(abdb_device_upload(g->stage, g->gains + i * d * g->size, row, d * g->size, err));
    }
done:
    free(gain);
    free(row);
    return st;
}

/* Makes the cosines and sines of every position and brings them to the device. */
static abdb_status upload_rotary_table(abdb_llama *g, abdb_error *err)
{
    size_t bytes = g->most.length * g->s.head * sizeof(float);
    float *turn = malloc(bytes);
    abdb_status st = ABDB_OK;

    if (!turn) TRY(ABDB_FAIL(err, ABDB_NOMEM, "angles of positions"));
    abdb_llama_fill_cos_sin_table(&g->s, g->most.length, turn);
    TRY(abdb_device_upload(g->stage, g->turn, turn, bytes, err));
done:
    free(turn);
    return st;
}

/* Makes every matrix from its source's columns in the form asked, then gains and angles. */
static abdb_status build_weights_gains_and_rotary_table(abdb_llama *g,
                                                        const abdb_llama_weights_source *source,
                                                        abdb_error *err)
{
    size_t count = g->s.layers * ABDB_LLAMA_MATRICES + (g->s.tied ? 1 : 2);
    abdb_status st = ABDB_OK;

    for (size_t i = 0; i < count; i++) {
        bool of_layer = i < g->s.layers * ABDB_LLAMA_MATRICES;
        column_origin o = {
            source, of_layer ? i / ABDB_LLAMA_MATRICES : g->s.layers,
            (int)(of_layer ? i % ABDB_LLAMA_MATRICES : i - g->s.layers * ABDB_LLAMA_MATRICES)};

        TRY(g->decoder->build_weights(g->self, &g->matrix[i], read_source_column, &o, err));
    }
    TRY(upload_norm_gains(g, source, err));
    TRY(upload_rotary_table(g, err));
done:
    return st;
}

/* The host's arrays of a pass: rows, pages, tokens and picked tokens of as many sequences as
 * `most` allows. */
static abdb_status alloc_host_tokens_pages_and_picks(abdb_llama *g, abdb_error *err)
{
    g->first = calloc(g->most.sequences + 1, sizeof *g->first);
    g->past = calloc(g->most.sequences, sizeof *g->past);
    g->page = calloc(g->most.sequences * g->most.width, sizeof *g->page);
    g->token = calloc(g->most.rows, sizeof *g->token);
    g->picked = calloc(g->most.sequences, sizeof *g->picked);
    if (!g->first || !g->past || !g->page || !g->token || !g->picked)
        return ABDB_FAIL(err, ABDB_NOMEM, "tokens and pages");
    return ABDB_OK;
}

abdb_status abdb_llama_alloc_and_init(abdb_llama *g, const abdb_run_context *stage,
                                      const abdb_llama_shape *s, const abdb_llama_capacity *most,
                                      const abdb_llama_weights_source *source, abdb_error *err)
{
    void *memory = NULL;
    abdb_status st = ABDB_OK;

    TRY(open_decoder_and_count_memory(g, stage, s, most, err));
    TRY(alloc_host_tokens_pages_and_picks(g, err));
    TRY(abdb_device_alloc_zeroed(stage, g->bytes, &memory, err));
    g->memory = memory;
    TRY(g->decoder->alloc_workspace(g->self, g->work, err));
    lay_out_or_count_memory(g);
    TRY(build_weights_gains_and_rotary_table(g, source, err));
done:
    return st;
}

void abdb_llama_free(abdb_llama *g)
{
    if (g->memory) g->stage->device->release(g->stage->device, g->memory);
    if (g->self) g->decoder->close(g->self);
    free(g->matrix);
    free(g->first);
    free(g->past);
    free(g->page);
    free(g->token);
    free(g->picked);
    *g = (abdb_llama){0};
}

/* --- numbers made by a seed ------------------------------------------------------------------- */

/* n numbers, two of each 64 random bits. */
static void fill_uniform_around_centre(uint64_t state, double deviation, float centre, size_t n,
                                       float *out)
{
    const float by = (float)(sqrt(3) * deviation * 0x1p-31);

    for (size_t i = 0; i < n; i += 2) {
        uint64_t bits = abdb_xorshift64_next(&state);

        out[i] = centre + (float)(int32_t)(uint32_t)bits * by;
        if (i + 1 < n) out[i + 1] = centre + (float)(int32_t)(uint32_t)(bits >> 32) * by;
    }
}

/* Column `column` of a matrix, uniform with the source's deviation, smaller by sqrt(2 layers)
 * where it ends a residual branch; the same for each seed. */
static void draw_random_column(const void *self, size_t layer, int matrix_kind, size_t column,
                               float *out)
{
    const abdb_llama_random_weights *m = self;
    bool residual =
        layer < m->s.layers && (matrix_kind == ABDB_LLAMA_OUT || matrix_kind == ABDB_LLAMA_DOWN);
    double deviation = m->deviation / (residual ? sqrt(2 * (double)m->s.layers) : 1);
    size_t k = m->s.d, n;
    uint64_t state = abdb_random_bits_at(
        m->seed, (layer * ABDB_LLAMA_MATRICES + (size_t)matrix_kind) << 32 | column);

    if (layer < m->s.layers) abdb_llama_matrix_rows_and_columns(&m->s, matrix_kind, &k, &n);
    fill_uniform_around_centre(state, deviation, 0, k, out);
}

static void draw_random_gains(const void *self, size_t norm, float *out)
{
    const abdb_llama_random_weights *m = self;
    fill_uniform_around_centre(abdb_random_bits_at(m->seed + 1, norm), m->spread, 1, m->s.d, out);
}

abdb_llama_weights_source abdb_llama_weights_source_of_random(const abdb_llama_random_weights *made)
{
    return (abdb_llama_weights_source){draw_random_column, draw_random_gains, made};
}
