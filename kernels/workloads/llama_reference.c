/* llama_reference.c - logits of a Llama-like network by plain loops in double; see
 * llama_reference.h. */
#include "kernels/workloads/llama_reference.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* One sequence of n tokens: rows of d, of queries, keys and values, of the hidden width. */
typedef struct {
    const abdb_llama_shape *s;
    const abdb_llama_f64_weights *of;
    size_t n;
    double *x, *y, *qkv, *att, *wide, *score;
} reference_pass;

static void rmsnorm_row(const reference_pass *w, const double *x, size_t norm, double *out)
{
    size_t d = w->s->d;
    double square = 0;

    for (size_t j = 0; j < d; j++) square += x[j] * x[j];
    for (size_t j = 0; j < d; j++)
        out[j] = x[j] / sqrt(square / (double)d + 1e-5) * w->of->gains[norm * d + j];
}

/* out (+)= x times a matrix. */
static void vector_matrix_product(const double *matrix, size_t k, size_t n, const double *x,
                                  double *out, bool add)
{
    for (size_t j = 0; j < n && !add; j++) out[j] = 0;
    for (size_t i = 0; i < k; i++)
        for (size_t j = 0; j < n; j++) out[j] += x[i] * matrix[i * n + j];
}

/* The angle of a pair for one position, by the formulas of Llama-3.1's release: wave lengths beyond
 * 8192 positions become longer by the factor, those below a quarter of that stay. Another formula
 * than in llama_shape.c, on purpose: it checks that one. */
static double rotary_angle_per_position(const abdb_llama_shape *s, size_t i)
{
    double a = 1 / pow(s->base, (double)(2 * i) / (double)s->head), wave = 2 * M_PI / a, smooth;

    if (s->factor == 1 || wave < 8192.0 / 4) return a;
    if (wave > 8192) return a / s->factor;
    smooth = (8192 / wave - 1) / (4 - 1);
    return (1 - smooth) * a / s->factor + smooth * a;
}

/* Rotates the pairs (i, head / 2 + i) of a head by its angle times the position. */
static void rotate_head_by_position(const reference_pass *w, double *head, size_t position)
{
    size_t half = w->s->head / 2;

    for (size_t i = 0; i < half; i++) {
        double by = rotary_angle_per_position(w->s, i) * (double)position, a = head[i],
               b = head[half + i];

        head[i] = a * cos(by) - b * sin(by);
        head[half + i] = b * cos(by) + a * sin(by);
    }
}

/* Row t and head h of attention. */
static void causal_attention_head(const reference_pass *w, size_t position, size_t head_index)
{
    const abdb_llama_shape *s = w->s;
    size_t row = (s->heads + 2 * s->kv_heads) * s->head, kv = head_index * s->kv_heads / s->heads;
    const double *query = w->qkv + position * row + head_index * s->head,
                 *key = w->qkv + (s->heads + kv) * s->head, *value = key + s->kv_heads * s->head;
    double *out = w->att + (position * s->heads + head_index) * s->head, total = 0;

    for (size_t u = 0; u <= position; u++) {
        w->score[u] = 0;
        for (size_t e = 0; e < s->head; e++) w->score[u] += query[e] * key[u * row + e];
        w->score[u] = exp(w->score[u] / sqrt((double)s->head));
        total += w->score[u];
    }
    for (size_t e = 0; e < s->head; e++) {
        out[e] = 0;
        for (size_t u = 0; u <= position; u++) out[e] += w->score[u] / total * value[u * row + e];
    }
}

/* Layer i in double for the n tokens of one sequence, by the formula of run_decoder_layer in
 * llama_net.c. */
static void reference_decoder_layer_in_place(const reference_pass *w, size_t i)
{
    const abdb_llama_shape *s = w->s;
    double *const *m = w->of->matrix + i * ABDB_LLAMA_MATRICES;
    size_t d = s->d, wide = s->heads * s->head, row = wide + 2 * s->kv_heads * s->head;

    for (size_t t = 0; t < w->n; t++) {
        rmsnorm_row(w, w->x + t * d, 2 * i, w->y);
        vector_matrix_product(m[ABDB_LLAMA_QKV], d, row, w->y, w->qkv + t * row, false);
        for (size_t h = 0; h < s->heads + s->kv_heads; h++)
            rotate_head_by_position(w, w->qkv + t * row + h * s->head, t);
    }
    for (size_t t = 0; t < w->n; t++) {
        double *up = w->wide, *gate = up;

        for (size_t h = 0; h < s->heads; h++) causal_attention_head(w, t, h);
        vector_matrix_product(m[ABDB_LLAMA_OUT], wide, d, w->att + t * wide, w->x + t * d, true);
        rmsnorm_row(w, w->x + t * d, 2 * i + 1, w->y);
        vector_matrix_product(m[ABDB_LLAMA_UP], d, 2 * s->hidden, w->y, up, false);
        for (size_t j = 0; j < s->hidden; j++)
            gate[j] = gate[j] / (1 + exp(-gate[j])) * up[s->hidden + j];
        vector_matrix_product(m[ABDB_LLAMA_DOWN], s->hidden, d, gate, w->x + t * d, true);
    }
}

bool abdb_llama_reference_logits(const abdb_llama_shape *s, const abdb_llama_f64_weights *numbers,
                                 const int32_t *token, size_t n, double *out)
{
    size_t d = s->d, wide = s->heads * s->head, row = wide + 2 * s->kv_heads * s->head;
    reference_pass w = {.s = s,
                        .of = numbers,
                        .n = n,
                        .x = calloc(n * (d + row + wide + 1) + d + 2 * s->hidden, sizeof(double))};

    if (!w.x) return false;
    w.y = w.x + n * d;
    w.qkv = w.y + d;
    w.att = w.qkv + n * row;
    w.wide = w.att + n * wide;
    w.score = w.wide + 2 * s->hidden;
    for (size_t t = 0; t < n; t++)
        for (size_t j = 0; j < d; j++)
            w.x[t * d + j] = numbers->table[j * s->vocabulary + (size_t)token[t]];
    for (size_t i = 0; i < s->layers; i++) reference_decoder_layer_in_place(&w, i);
    for (size_t t = 0; t < n; t++) {
        rmsnorm_row(&w, w.x + t * d, 2 * s->layers, w.y);
        vector_matrix_product(numbers->last, d, s->vocabulary, w.y, out + t * s->vocabulary, false);
    }
    free(w.x);
    return true;
}
