/* gpt_reference.c - the loss of a GPT-like network by plain loops in double; see gpt_reference.h.
 */
#include "kernels/workloads/gpt_reference.h"

#include <math.h>
#include <stdlib.h>

/* One sequence: rows of T x d, of T x 3d, of T x 4d; scores of a row. */
typedef struct {
    const abdb_gpt_shape *s;
    const double *p;
    double *x, *y, *wide, *score;
} reference_pass;

/* out = (x - mean) / sqrt(variance + 1e-5) gain + shift, one row of d numbers. */
static void layernorm_row(const reference_pass *w, const double *x, const double *gain,
                          const double *shift, double *out)
{
    size_t d = w->s->d;
    double mean = 0, variance = 0;

    for (size_t j = 0; j < d; j++) mean += x[j] / (double)d;
    for (size_t j = 0; j < d; j++) variance += (x[j] - mean) * (x[j] - mean) / (double)d;
    for (size_t j = 0; j < d; j++)
        out[j] = (x[j] - mean) / sqrt(variance + 1e-5) * gain[j] + (w->s->bias ? shift[j] : 0);
}

/* out (n numbers) = x (k numbers) matrix + bias. */
static void affine_row(const reference_pass *w, const double *x, size_t k, size_t n,
                       const double *matrix, const double *bias, double *out)
{
    for (size_t j = 0; j < n; j++) out[j] = w->s->bias ? bias[j] : 0;
    for (size_t i = 0; i < k; i++)
        for (size_t j = 0; j < n; j++) out[j] += x[i] * matrix[i * n + j];
}

/* Row t of attention, from rows of queries, keys and values in w->wide, to out. */
static void causal_attention_row(const reference_pass *w, size_t t, double *out)
{
    size_t d = w->s->d, each = d / w->s->heads;

    for (size_t h = 0; h < w->s->heads; h++) {
        const double *query = w->wide + t * 3 * d + h * each;
        double total = 0, most = -INFINITY;

        for (size_t u = 0; u <= t; u++) {
            const double *key = w->wide + u * 3 * d + d + h * each;

            w->score[u] = 0;
            for (size_t e = 0; e < each; e++) w->score[u] += query[e] * key[e];
            w->score[u] /= sqrt((double)each);
            most = fmax(most, w->score[u]);
        }
        for (size_t e = 0; e < each; e++) out[h * each + e] = 0;
        for (size_t u = 0; u <= t; u++) total += exp(w->score[u] - most);
        for (size_t u = 0; u <= t; u++)
            for (size_t e = 0; e < each; e++)
                out[h * each + e] +=
                    exp(w->score[u] - most) / total * w->wide[u * 3 * d + 2 * d + h * each + e];
    }
}

/* Layer i in double: x += attention(norm(x) Wqkv) Wout, then x += gelu(norm(x) Wup) Wdown, each
 * product with its bias; x is sequence x d. */
static void reference_transformer_layer_in_place(const reference_pass *w, size_t i)
{
    size_t d = w->s->d, rows = w->s->sequence;
    const double *m[ABDB_GPT_MATRICES], *v[ABDB_GPT_VECTORS];

    for (int k = 0; k < ABDB_GPT_MATRICES; k++) m[k] = w->p + abdb_gpt_matrix_offset(w->s, i, k);
    for (int k = 0; k < ABDB_GPT_VECTORS; k++) v[k] = w->p + abdb_gpt_vector_offset(w->s, i, k);
    for (size_t t = 0; t < rows; t++) {
        layernorm_row(w, w->x + t * d, v[ABDB_GPT_GAIN1], v[ABDB_GPT_SHIFT1], w->y);
        affine_row(w, w->y, d, 3 * d, m[ABDB_GPT_QKV], v[ABDB_GPT_BQKV], w->wide + t * 3 * d);
    }
    for (size_t t = 0; t < rows; t++) {
        causal_attention_row(w, t, w->y);
        affine_row(w, w->y, d, d, m[ABDB_GPT_OUT], v[ABDB_GPT_BOUT], w->y + d);
        for (size_t j = 0; j < d; j++) w->x[t * d + j] += w->y[d + j];
    }
    for (size_t t = 0; t < rows; t++) {
        double *up = w->wide;

        layernorm_row(w, w->x + t * d, v[ABDB_GPT_GAIN2], v[ABDB_GPT_SHIFT2], w->y);
        affine_row(w, w->y, d, 4 * d, m[ABDB_GPT_UP], v[ABDB_GPT_BUP], up);
        for (size_t j = 0; j < 4 * d; j++)
            up[j] *= 0.5 * (1 + tanh(sqrt(2 / M_PI) * (up[j] + 0.044715 * up[j] * up[j] * up[j])));
        affine_row(w, up, 4 * d, d, m[ABDB_GPT_DOWN], v[ABDB_GPT_BDOWN], w->y);
        for (size_t j = 0; j < d; j++) w->x[t * d + j] += w->y[j];
    }
}

/* Sum of the losses of one sequence. */
static double sequence_cross_entropy_sum(const reference_pass *w, const int32_t *token,
                                         const int32_t *target)
{
    size_t d = w->s->d, gain = abdb_gpt_last_norm_gain_offset(w->s);
    double loss = 0;

    for (size_t t = 0; t < w->s->sequence; t++)
        for (size_t j = 0; j < d; j++)
            w->x[t * d + j] =
                w->p[(size_t)token[t] * d + j] + w->p[abdb_gpt_positions_offset(w->s) + t * d + j];
    for (size_t i = 0; i < w->s->layers; i++) reference_transformer_layer_in_place(w, i);
    for (size_t t = 0; t < w->s->sequence; t++) {
        double total = 0, wanted = 0;

        layernorm_row(w, w->x + t * d, w->p + gain, w->p + gain + d, w->y);
        for (size_t v = 0; v < w->s->vocabulary; v++) {
            double logit = 0;

            for (size_t j = 0; j < d; j++) logit += w->y[j] * w->p[v * d + j];
            total += exp(logit);
            if (v == (size_t)target[t]) wanted = logit;
        }
        loss += log(total) - wanted;
    }
    return loss;
}

double abdb_gpt_reference_mean_loss(const abdb_gpt_shape *s, const double *parameters,
                                    size_t sequences, const int32_t *token, const int32_t *target)
{
    size_t d = s->d, rows = s->sequence, room = rows * d + 2 * d + (3 * rows + 4) * d + rows;
    reference_pass w = {.s = s, .p = parameters, .x = calloc(room, sizeof(double))};
    double loss = 0;

    if (!w.x) return NAN;
    w.y = w.x + rows * d;
    w.wide = w.y + 2 * d;
    w.score = w.wide + (3 * rows + 4) * d;
    for (size_t i = 0; i < sequences; i++)
        loss += sequence_cross_entropy_sum(&w, token + i * rows, target + i * rows);
    free(w.x);
    return loss / (double)(sequences * rows);
}
