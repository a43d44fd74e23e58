/* llama_net.c - a pass of tokens through a Llama-like network; see llama_net.h. */
#include "kernels/workloads/llama_net.h"

#include <string.h>

/* --- parts, each a span ----------------------------------------------------------------------- */

static void leave(const abdb_llama *g, double ops, double bytes)
{
    abdb_span_leave(g->stage->spans, ops, bytes);
}

static void enter(const abdb_llama *g, const char *name, const char *kernel)
{
    abdb_span_enter(g->stage->spans, name, kernel);
}

static void weigh(const abdb_llama *g, const char *name, const abdb_weights *w, size_t m,
                  const void *x, void *y, bool add)
{
    double rows = (double)m, k = (double)w->k, n = (double)w->n;

    enter(g, name, w->form == ABDB_WEIGHTS_SAME ? "gemm" : "linear");
    g->decoder->weigh(g->self, &(abdb_part_weigh){m, w, x, y, add});
    leave(g, 2 * rows * k * n,
          (double)g->decoder->bytes_of(g->self, w) +
              (double)g->size * rows * (k + n * (add ? 2 : 1)));
}

static void norm(const abdb_llama *g, size_t rows, const void *x, size_t which, void *out)
{
    double elements = (double)rows * (double)g->s.d;

    enter(g, "norm", "elementwise");
    g->decoder->norm(g->self, rows, g->s.d, x, g->gains + which * g->s.d * g->size, out);
    leave(g, 4 * elements, 2 * (double)g->size * elements);
}

static abdb_part_cached cached(const abdb_llama *g, size_t layer)
{
    size_t each = g->most.blocks * g->most.block * g->s.kv_heads * g->s.head * g->size;

    return (abdb_part_cached){.sequences = g->sequences,
                              .heads = g->s.heads,
                              .kv_heads = g->s.kv_heads,
                              .d = g->s.head,
                              .block = g->most.block,
                              .width = g->most.width,
                              .padded = g->most.padded,
                              .page = g->page,
                              .first = g->first,
                              .past = g->past,
                              .turn = g->turn,
                              .qkv = g->qkv,
                              .keys = g->keys + layer * each,
                              .values = g->values + layer * each,
                              .out = g->att};
}

/* Tokens that the new ones see, each for itself; tokens of the cache that are read. */
static void seen_of(const abdb_llama *g, double *seen, double *held)
{
    *seen = *held = 0;
    for (size_t i = 0; i < g->sequences; i++) {
        double n = (double)(g->first[i + 1] - g->first[i]), past = (double)g->past[i];

        *seen += n * past + n * (n + 1) / 2;
        *held += past;
    }
}

static void attention(const abdb_llama *g, size_t layer)
{
    abdb_part_cached x = cached(g, layer);
    double rows = (double)g->first[g->sequences], width = (double)(g->s.heads * g->s.head),
           both = 2 * (double)(g->s.kv_heads * g->s.head), size = (double)g->size, seen, held;

    seen_of(g, &seen, &held);
    enter(g, "rotary and cache", "elementwise");
    g->decoder->remember(g->self, &x);
    leave(g, 3 * rows * (width + both / 2), size * rows * (2 * width + 3 * both));
    enter(g, "attention", "attention");
    g->decoder->attend(g->self, &x);
    leave(g, 4 * width * seen, size * (2 * rows * width + both * (held + rows)));
}

/* --- a pass ----------------------------------------------------------------------------------- */

static void layer(const abdb_llama *g, size_t i, size_t rows)
{
    const abdb_weights *w = g->matrix + i * ABDB_LLAMA_MATRICES;
    double elements = (double)rows * (double)g->s.hidden;

    norm(g, rows, g->x, 2 * i, g->n);
    weigh(g, "qkv product", &w[ABDB_LLAMA_QKV], rows, g->n, g->qkv, false);
    attention(g, i);
    weigh(g, "attention product", &w[ABDB_LLAMA_OUT], rows, g->att, g->x, true);
    norm(g, rows, g->x, 2 * i + 1, g->n);
    weigh(g, "mlp products", &w[ABDB_LLAMA_UP], rows, g->n, g->wide, false);
    enter(g, "swiglu", "elementwise");
    g->decoder->gate(g->self, rows, g->s.hidden, g->wide, g->gated);
    leave(g, 5 * elements, 3 * (double)g->size * elements);
    weigh(g, "mlp products", &w[ABDB_LLAMA_DOWN], rows, g->gated, g->x, true);
}

/* The last norm, and logits, of the last token of each sequence alone. */
static void finish(const abdb_llama *g)
{
    const abdb_weights *last = g->matrix + g->s.layers * ABDB_LLAMA_MATRICES + 1;
    size_t row = g->s.d * g->size;
    double logits = (double)g->sequences * (double)g->s.vocabulary;

    if (g->first[g->sequences] == g->sequences) /* one row each */
        norm(g, g->sequences, g->x, 2 * g->s.layers, g->end);
    else
        for (size_t i = 0; i < g->sequences; i++)
            norm(g, 1, g->x + (g->first[i + 1] - 1) * row, 2 * g->s.layers, g->end + i * row);
    weigh(g, "head product", last, g->sequences, g->end, g->logits, false);
    enter(g, "pick", "elementwise");
    g->decoder->pick(g->self, g->sequences, g->s.vocabulary, g->logits, g->picked);
    leave(g, logits, (double)g->size * logits);
}

void abdb_llama_pass(abdb_llama *g)
{
    size_t rows = g->first[g->sequences];
    double elements = (double)rows * (double)g->s.d;

    enter(g, "embedding", "gather");
    g->decoder->embed(g->self, g->matrix + g->s.layers * ABDB_LLAMA_MATRICES, g->token, rows, g->x);
    leave(g, 0, 2 * (double)g->size * elements);
    for (size_t i = 0; i < g->s.layers; i++) layer(g, i, rows);
    finish(g);
    for (size_t i = 0; i < g->sequences; i++) g->past[i] += g->first[i + 1] - g->first[i];
}

void abdb_llama_needs(const abdb_llama *g, abdb_work *out)
{
    double seen, held;

    seen_of(g, &seen, &held);
    abdb_llama_work(&g->s, (double)g->first[g->sequences], (double)g->sequences, seen, held, out);
}
