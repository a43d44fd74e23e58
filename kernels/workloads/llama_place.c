/* llama_place.c - the memory of a Llama-like network: how much, where, and what it begins with. All
 * that the device holds but working memory is one piece, counted before it is made. See
 * llama_net.h. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/workloads/llama_net.h"
#include "kernels/workloads/parts.h"

enum { LINE = 64 };

/* The next piece; NULL while they are only counted. */
static void *take(abdb_llama *g, size_t bytes)
{
    char *piece = g->memory ? g->memory + g->bytes : NULL;

    g->bytes += (bytes + LINE - 1) / LINE * LINE;
    return piece;
}

static void place_weights(abdb_llama *g)
{
    const abdb_llama_shape *s = &g->s;
    size_t count = s->layers * ABDB_LLAMA_MATRICES;
    abdb_weights *w = g->matrix;

    for (size_t i = 0; i < count; i++) {
        w[i].form = s->form;
        abdb_llama_matrix(s, (int)(i % ABDB_LLAMA_MATRICES), &w[i].k, &w[i].n);
    }
    w[count] = w[count + 1] = (abdb_weights){s->form, s->d, s->vocabulary, NULL};
    for (size_t i = 0; i < count + 2; i++) {
        bool shared = s->tied && i == count + 1;

        w[i].data = shared ? w[count].data : take(g, g->decoder->bytes_of(g->self, &w[i]));
    }
}

/* Called twice: to count the bytes, and with g->memory to set the places. */
static void place(abdb_llama *g)
{
    const abdb_llama_shape *s = &g->s;
    size_t row = g->most.rows * g->size, wide = s->heads * s->head,
           cache = s->layers * g->most.blocks * g->most.block * s->kv_heads * s->head * g->size;

    g->bytes = 0;
    place_weights(g);
    g->gains = take(g, (2 * s->layers + 1) * s->d * g->size);
    g->keys = take(g, cache);
    g->values = take(g, cache);
    g->turn = take(g, g->most.length * s->head * sizeof *g->turn);
    g->x = take(g, row * s->d);
    g->n = take(g, row * s->d);
    g->qkv = take(g, row * (wide + 2 * s->kv_heads * s->head));
    g->att = take(g, row * wide);
    g->wide = take(g, row * 2 * s->hidden);
    g->gated = take(g, row * s->hidden);
    g->end = take(g, g->most.sequences * s->d * g->size);
    g->logits = take(g, g->most.sequences * s->vocabulary * g->size);
}

/* Working memory: the most that any part wants. */
static size_t working(abdb_llama *g)
{
    size_t first[] = {0, g->most.rows}, past[] = {g->most.length}, most = 0;
    abdb_part_cached long_one = {.sequences = 1,
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
            size_t room = g->decoder->room_of_weigh(
                g->self, &(abdb_part_weigh){.m = rows, .w = &g->matrix[i]});

            most = room > most ? room : most;
        }
    }
    return fmax((double)most, (double)g->decoder->room_of_attention(g->self, &long_one));
}

static abdb_status begin(abdb_llama *g, const abdb_stage *stage, const abdb_llama_shape *s,
                         const abdb_llama_size *most, abdb_error *err)
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
    place(g);
    g->work = working(g);
done:
    return st;
}

abdb_status abdb_llama_bytes(const abdb_stage *stage, const abdb_llama_shape *s,
                             const abdb_llama_size *most, double *out, abdb_error *err)
{
    abdb_llama g;
    abdb_status st = begin(&g, stage, s, most, err);

    if (st == ABDB_OK) *out = (double)g.bytes + (double)g.work;
    abdb_llama_close(&g);
    return st;
}

/* --- what it begins with ---------------------------------------------------------------------- */

typedef struct {
    const abdb_llama_source *source;
    size_t layer;
    int which;
} origin;

static void column_of(const void *from, size_t column, float *out)
{
    const origin *o = from;

    o->source->column(o->source->self, o->layer, o->which, column, out);
}

/* Numbers from the host into memory of the device. */
static abdb_status put(const abdb_llama *g, void *to, const void *from, size_t bytes,
                       abdb_error *err)
{
    abdb_device *d = g->stage->device;

    if (!d->on_host) return d->upload(d, to, from, bytes, err);
    memcpy(to, from, bytes);
    return ABDB_OK;
}

static abdb_status fill_norms(abdb_llama *g, const abdb_llama_source *source, abdb_error *err)
{
    size_t d = g->s.d;
    float *gain = calloc(d, sizeof *gain);
    char *row = calloc(d, g->size);
    abdb_tensor t = {.dtype = g->s.dtype, .data = row};
    abdb_status st = ABDB_OK;

    if (!gain || !row) TRY(ABDB_FAIL(err, ABDB_NOMEM, "a norm's gains"));
    for (size_t i = 0; i < 2 * g->s.layers + 1; i++) {
        source->gains(source->self, i, gain);
        for (size_t j = 0; j < d; j++) abdb_tensor_set(&t, j, (double)gain[j]);
        TRY(put(g, g->gains + i * d * g->size, row, d * g->size, err));
    }
done:
    free(gain);
    free(row);
    return st;
}

static abdb_status fill_turns(abdb_llama *g, abdb_error *err)
{
    size_t bytes = g->most.length * g->s.head * sizeof(float);
    float *turn = malloc(bytes);
    abdb_status st = ABDB_OK;

    if (!turn) TRY(ABDB_FAIL(err, ABDB_NOMEM, "angles of positions"));
    abdb_llama_turns(&g->s, g->most.length, turn);
    TRY(put(g, g->turn, turn, bytes, err));
done:
    free(turn);
    return st;
}

static abdb_status fill(abdb_llama *g, const abdb_llama_source *source, abdb_error *err)
{
    size_t count = g->s.layers * ABDB_LLAMA_MATRICES + (g->s.tied ? 1 : 2);
    abdb_status st = ABDB_OK;

    for (size_t i = 0; i < count; i++) {
        bool of_layer = i < g->s.layers * ABDB_LLAMA_MATRICES;
        origin o = {
            source, of_layer ? i / ABDB_LLAMA_MATRICES : g->s.layers,
            (int)(of_layer ? i % ABDB_LLAMA_MATRICES : i - g->s.layers * ABDB_LLAMA_MATRICES)};

        TRY(g->decoder->make(g->self, &g->matrix[i], column_of, &o, err));
    }
    TRY(fill_norms(g, source, err));
    TRY(fill_turns(g, err));
done:
    return st;
}

static abdb_status host_side(abdb_llama *g, abdb_error *err)
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

abdb_status abdb_llama_open(abdb_llama *g, const abdb_stage *stage, const abdb_llama_shape *s,
                            const abdb_llama_size *most, const abdb_llama_source *source,
                            abdb_error *err)
{
    abdb_device *device = stage->device;
    void *memory;
    abdb_status st = ABDB_OK;

    TRY(begin(g, stage, s, most, err));
    TRY(host_side(g, err));
    /* In large pages, where the system has them. */
    if (device->alloc(device, g->bytes, true, &memory, err) != ABDB_OK)
        TRY(device->alloc(device, g->bytes, false, &memory, err));
    g->memory = memory;
    TRY(device->fill(device, memory, 0, g->bytes, err)); /* every page is touched */
    TRY(g->decoder->reserve(g->self, g->work, err));
    place(g);
    TRY(fill(g, source, err));
done:
    return st;
}

void abdb_llama_close(abdb_llama *g)
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
static void uniform(uint64_t state, double deviation, float around, size_t n, float *out)
{
    const float by = (float)(sqrt(3) * deviation * 0x1p-31);

    for (size_t i = 0; i < n; i += 2) {
        uint64_t bits = abdb_random_next(&state);

        out[i] = around + (float)(int32_t)(uint32_t)bits * by;
        if (i + 1 < n) out[i + 1] = around + (float)(int32_t)(uint32_t)(bits >> 32) * by;
    }
}

static void made_column(const void *self, size_t layer, int which, size_t column, float *out)
{
    const abdb_llama_made *m = self;
    bool residual = layer < m->s.layers && (which == ABDB_LLAMA_OUT || which == ABDB_LLAMA_DOWN);
    double deviation = m->deviation / (residual ? sqrt(2 * (double)m->s.layers) : 1);
    size_t k = m->s.d, n;
    uint64_t state =
        abdb_random_at(m->seed, (layer * ABDB_LLAMA_MATRICES + (size_t)which) << 32 | column);

    if (layer < m->s.layers) abdb_llama_matrix(&m->s, which, &k, &n);
    uniform(state, deviation, 0, k, out);
}

static void made_gains(const void *self, size_t norm, float *out)
{
    const abdb_llama_made *m = self;
    uniform(abdb_random_at(m->seed + 1, norm), m->spread, 1, m->s.d, out);
}

abdb_llama_source abdb_llama_make(const abdb_llama_made *made)
{
    return (abdb_llama_source){made_column, made_gains, made};
}
