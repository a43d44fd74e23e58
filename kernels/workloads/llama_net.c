/* llama_net.c - a pass of tokens through a Llama-like network; see llama_net.h. */
#include "kernels/workloads/llama_net.h"

#include <string.h>

/* --- parts, each a span ----------------------------------------------------------------------- */

static void leave_span(const abdb_llama *g, double ops, double bytes)
{
    abdb_span_leave_and_add_work(g->stage->spans, ops, bytes);
}

static void enter_span(const abdb_llama *g, const char *name, const char *kernel)
{
    abdb_span_enter(g->stage->spans, name, kernel);
}

/* y = x W, or y += x W, in a span: x is m x k, W k x n in its form, y m x n. */
static void run_weight_gemm(const abdb_llama *g, const char *name, const abdb_weights *w, size_t m,
                            const void *x, void *y, bool add)
{
    double rows = (double)m, k = (double)w->k, n = (double)w->n;

    enter_span(g, name, w->form == ABDB_WEIGHTS_SAME ? "gemm" : "linear");
    g->decoder->weight_gemm(g->self, &(abdb_part_weight_gemm){m, w, x, y, add});
    leave_span(g, 2 * rows * k * n,
               (double)g->decoder->weights_byte_size(g->self, w) +
                   (double)g->size * rows * (k + n * (add ? 2 : 1)));
}

static void run_rmsnorm(const abdb_llama *g, size_t rows, const void *x, size_t norm_index,
                        void *out)
{
    double elements = (double)rows * (double)g->s.d;

    enter_span(g, "norm", "elementwise");
    g->decoder->rmsnorm_rows(g->self, rows, g->s.d, x, g->gains + norm_index * g->s.d * g->size,
                             out);
    leave_span(g, 4 * elements, 2 * (double)g->size * elements);
}

/* The arguments of attention over a layer's part of the cache. */
static abdb_part_kv_attention kv_attention_args(const abdb_llama *g, size_t layer)
{
    size_t each = g->most.blocks * g->most.block * g->s.kv_heads * g->s.head * g->size;

    return (abdb_part_kv_attention){.sequences = g->sequences,
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
static void sum_visible_and_cached_tokens(const abdb_llama *g, double *visible,
                                          double *cached_tokens)
{
    *visible = *cached_tokens = 0;
    for (size_t i = 0; i < g->sequences; i++) {
        double n = (double)(g->first[i + 1] - g->first[i]), past = (double)g->past[i];

        *visible += n * past + n * (n + 1) / 2;
        *cached_tokens += past;
    }
}

/* Turns queries and keys of the new rows by their positions, appends keys and values to the
 * cache, then attends to all that each row sees. */
static void rotate_append_kv_and_attend(const abdb_llama *g, size_t layer)
{
    abdb_part_kv_attention x = kv_attention_args(g, layer);
    double rows = (double)g->first[g->sequences], width = (double)(g->s.heads * g->s.head),
           both = 2 * (double)(g->s.kv_heads * g->s.head), size = (double)g->size, seen, held;

    sum_visible_and_cached_tokens(g, &seen, &held);
    enter_span(g, "rotary and cache", "elementwise");
    g->decoder->rotate_and_append_kv(g->self, &x);
    leave_span(g, 3 * rows * (width + both / 2), size * rows * (2 * width + 3 * both));
    enter_span(g, "attention", "attention");
    g->decoder->attend_kv_cache(g->self, &x);
    leave_span(g, 4 * width * seen, size * (2 * rows * width + both * (held + rows)));
}

/* --- a pass ----------------------------------------------------------------------------------- */

/* x += attention(rmsnorm(x) Wqkv) Wout; x += (silu(gate) up) Wdown, gate and up being the halves
 * of rmsnorm(x) Wup. x is rows x d. */
static void run_decoder_layer(const abdb_llama *g, size_t i, size_t rows)
{
    const abdb_weights *w = g->matrix + i * ABDB_LLAMA_MATRICES;
    double elements = (double)rows * (double)g->s.hidden;

    run_rmsnorm(g, rows, g->x, 2 * i, g->n);
    run_weight_gemm(g, "qkv product", &w[ABDB_LLAMA_QKV], rows, g->n, g->qkv, false);
    rotate_append_kv_and_attend(g, i);
    run_weight_gemm(g, "attention product", &w[ABDB_LLAMA_OUT], rows, g->att, g->x, true);
    run_rmsnorm(g, rows, g->x, 2 * i + 1, g->n);
    run_weight_gemm(g, "mlp products", &w[ABDB_LLAMA_UP], rows, g->n, g->wide, false);
    enter_span(g, "swiglu", "elementwise");
    g->decoder->swiglu_rows(g->self, rows, g->s.hidden, g->wide, g->gated);
    leave_span(g, 5 * elements, 3 * (double)g->size * elements);
    run_weight_gemm(g, "mlp products", &w[ABDB_LLAMA_DOWN], rows, g->gated, g->x, true);
}

/* The last norm, and logits, of the last token of each sequence alone. */
static void compute_logits_and_pick_tokens(const abdb_llama *g)
{
    const abdb_weights *last = g->matrix + g->s.layers * ABDB_LLAMA_MATRICES + 1;
    size_t row = g->s.d * g->size;
    double logits = (double)g->sequences * (double)g->s.vocabulary;

    if (g->first[g->sequences] == g->sequences) /* one row each */
        run_rmsnorm(g, g->sequences, g->x, 2 * g->s.layers, g->end);
    else
        for (size_t i = 0; i < g->sequences; i++)
            run_rmsnorm(g, 1, g->x + (g->first[i + 1] - 1) * row, 2 * g->s.layers,
                        g->end + i * row);
    run_weight_gemm(g, "head product", last, g->sequences, g->end, g->logits, false);
    enter_span(g, "pick", "elementwise");
    g->decoder->argmax_rows(g->self, g->sequences, g->s.vocabulary, g->logits, g->picked);
    leave_span(g, logits, (double)g->size * logits);
}

void abdb_llama_forward_and_pick_tokens(abdb_llama *g)
{
    size_t rows = g->first[g->sequences];
    double elements = (double)rows * (double)g->s.d;

    enter_span(g, "embedding", "gather");
    g->decoder->embed_tokens(g->self, g->matrix + g->s.layers * ABDB_LLAMA_MATRICES, g->token, rows,
                             g->x);
    leave_span(g, 0, 2 * (double)g->size * elements);
    for (size_t i = 0; i < g->s.layers; i++) run_decoder_layer(g, i, rows);
    compute_logits_and_pick_tokens(g);
    for (size_t i = 0; i < g->sequences; i++) g->past[i] += g->first[i + 1] - g->first[i];
}

void abdb_llama_count_pass_work(const abdb_llama *g, abdb_work *out)
{
    double seen, held;

    sum_visible_and_cached_tokens(g, &seen, &held);
    abdb_llama_count_work_of_rows_and_tokens(&g->s, (double)g->first[g->sequences],
                                             (double)g->sequences, seen, held, out);
}
