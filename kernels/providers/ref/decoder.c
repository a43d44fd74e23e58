/* decoder.c - parts of networks that generate text in plain C: every number in double, rounded
 * once; see kernels/workloads/decoder.h. Weights in bytes, and those of four bits too, lie one to a
 * byte, K x N, and behind them their scales. */
#include "kernels/workloads/decoder.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/providers/ref/ref.h"
#include "kernels/workloads/quantise.h"

typedef struct {
    abdb_dtype dtype;
    double *score; /* working memory */
} ref_decoder_state;

static double decoder_get_element_f64(const ref_decoder_state *s, const void *at, size_t i)
{
    abdb_tensor t = {.dtype = s->dtype, .data = (void *)(uintptr_t)at};

    return abdb_tensor_get_f64(&t, i);
}

static void decoder_set_element_rounded(const ref_decoder_state *s, void *at, size_t i,
                                        double value)
{
    abdb_tensor t = {.dtype = s->dtype, .data = at};

    abdb_tensor_set_rounded(&t, i, value);
}

static const char *ref_decoder_why_i4_row_length_refused(const abdb_problem *p, abdb_dtype dtype,
                                                         int form, size_t d, size_t columns)
{
    (void)p, (void)dtype, (void)d;
    return form == ABDB_WEIGHTS_I4 && columns % ABDB_QUANTISE_GROUP
               ? "weights of 4 bits for rows whose length is no multiple of 32"
               : NULL;
}

static void ref_decoder_close(void *self)
{
    ref_decoder_state *s = self;

    free(s->score);
    free(s);
}

/* The state is the format of activations alone. ABDB_NOMEM. */
static abdb_status ref_decoder_open(void **self, const abdb_problem *p, abdb_dtype dtype,
                                    abdb_error *err)
{
    ref_decoder_state *s = calloc(1, sizeof *s);

    (void)p;
    if (!s) return ABDB_FAIL(err, ABDB_NOMEM, "parts");
    s->dtype = dtype;
    *self = s;
    return ABDB_OK;
}

static size_t ref_weight_gemm_no_work_bytes(void *self, const abdb_part_weight_gemm *x)
{
    (void)self, (void)x;
    return 0;
}

static size_t ref_kv_attention_work_bytes(void *self, const abdb_part_kv_attention *x)
{
    (void)self;
    return (x->first[1] + x->past[0]) * sizeof(double);
}

static abdb_status ref_decoder_alloc_workspace(void *self, size_t bytes, abdb_error *err)
{
    ref_decoder_state *s = self;

    s->score = malloc(bytes ? bytes : 1);
    return s->score ? ABDB_OK : ABDB_FAIL(err, ABDB_NOMEM, "%zu bytes to work in", bytes);
}

/* --- weights ---------------------------------------------------------------------------------- */

/* Numbers along K that share a scale. */
static size_t quantised_group_size(const abdb_weights *w)
{
    return w->form == ABDB_WEIGHTS_I4 ? ABDB_QUANTISE_GROUP : w->k;
}

static size_t scales_byte_offset(const abdb_weights *w)
{
    return (w->k * w->n + 63) / 64 * 64;
}

static size_t ref_weights_byte_size(void *self, const abdb_weights *w)
{
    const ref_decoder_state *s = self;

    if (w->form == ABDB_WEIGHTS_SAME) return w->k * w->n * abdb_dtype_size(s->dtype);
    return scales_byte_offset(w) + w->k / quantised_group_size(w) * w->n * sizeof(float);
}

/* A column of k numbers as bytes, each group with its scale: the largest magnitude is 127 (i4:
 * 7). Bytes lie k x n, scales groups x n behind them. */
static void quantise_and_store_column(const abdb_weights *w, size_t column, const float *in,
                                      int8_t *quantised_column)
{
    int8_t *out = w->data;
    float *scale = (float *)(void *)((char *)w->data + scales_byte_offset(w));
    size_t group = quantised_group_size(w);

    for (size_t i = 0; i < w->k; i += group) {
        scale[i / group * w->n + column] = abdb_quantise_symmetric(
            in + i, group, w->form == ABDB_WEIGHTS_I4 ? 7 : 127, quantised_column);
        for (size_t j = 0; j < group; j++) out[(i + j) * w->n + column] = quantised_column[j];
    }
}

/* W, k x n, from its columns: rounded to the format, or quantised. */
static abdb_status ref_round_or_quantise_weights_from_columns(void *self, const abdb_weights *w,
                                                              abdb_column_reader *column,
                                                              const void *from, abdb_error *err)
{
    const ref_decoder_state *s = self;
    float *in = calloc(w->k, sizeof *in);
    int8_t *room = calloc(w->k, 1);
    abdb_status st = ABDB_OK;

    if (!in || !room) TRY(ABDB_FAIL(err, ABDB_NOMEM, "a column of weights"));
    for (size_t j = 0; j < w->n; j++) {
        column(from, j, in);
        if (w->form != ABDB_WEIGHTS_SAME) quantise_and_store_column(w, j, in, room);
        for (size_t i = 0; i < w->k && w->form == ABDB_WEIGHTS_SAME; i++)
            decoder_set_element_rounded(s, w->data, i * w->n + j, (double)in[i]);
    }
done:
    free(in);
    free(room);
    return st;
}

static double ref_dequantise_weight(void *self, const abdb_weights *w, size_t k, size_t n)
{
    const float *scale =
        (const float *)(const void *)((const char *)w->data + scales_byte_offset(w));

    if (w->form == ABDB_WEIGHTS_SAME) return decoder_get_element_f64(self, w->data, k * w->n + n);
    return (double)((const int8_t *)w->data)[k * w->n + n] *
           (double)scale[k / quantised_group_size(w) * w->n + n];
}

/* y[i][j] = sum over k of x[i][k] W[k][j], added to y where asked; x is m x k, W k x n, sums in
 * double. */
static void ref_gemm_dequantising_weights(void *self, const abdb_part_weight_gemm *x)
{
    const ref_decoder_state *s = self;
    const abdb_weights *w = x->w;

    for (size_t i = 0; i < x->m; i++)
        for (size_t j = 0; j < w->n; j++) {
            double sum = x->add ? decoder_get_element_f64(s, x->y, i * w->n + j) : 0;

            for (size_t k = 0; k < w->k; k++)
                sum += decoder_get_element_f64(s, x->x, i * w->k + k) *
                       ref_dequantise_weight(self, w, k, j);
            decoder_set_element_rounded(s, x->y, i * w->n + j, sum);
        }
}

static void ref_embed_tokens(void *self, const abdb_weights *w, const int32_t *token, size_t rows,
                             void *x)
{
    for (size_t i = 0; i < rows; i++)
        for (size_t k = 0; k < w->k; k++)
            decoder_set_element_rounded(self, x, i * w->k + k,
                                        ref_dequantise_weight(self, w, k, (size_t)token[i]));
}

/* --- rows ------------------------------------------------------------------------------------- */

/* out = x / sqrt(mean of x^2 + 1e-5) gain, rows x columns. */
static void ref_rmsnorm_rows(void *self, size_t rows, size_t columns, const void *x,
                             const void *gain, void *out)
{
    const ref_decoder_state *s = self;

    for (size_t r = 0; r < rows; r++) {
        double square = 0, scale;

        for (size_t j = 0; j < columns; j++)
            square += pow(decoder_get_element_f64(s, x, r * columns + j), 2);
        scale = 1 / sqrt(square / (double)columns + 1e-5);
        for (size_t j = 0; j < columns; j++)
            decoder_set_element_rounded(s, out, r * columns + j,
                                        decoder_get_element_f64(s, x, r * columns + j) * scale *
                                            decoder_get_element_f64(s, gain, j));
    }
}

/* out[r][j] = g / (1 + exp(-g)) u, g and u being x[r][j] and x[r][columns + j]; x is rows x 2
 * columns. */
static void ref_swiglu_rows(void *self, size_t rows, size_t columns, const void *x, void *out)
{
    const ref_decoder_state *s = self;

    for (size_t r = 0; r < rows; r++)
        for (size_t j = 0; j < columns; j++) {
            double g = decoder_get_element_f64(s, x, 2 * r * columns + j),
                   u = decoder_get_element_f64(s, x, (2 * r + 1) * columns + j);

            decoder_set_element_rounded(s, out, r * columns + j, g / (1 + exp(-g)) * u);
        }
}

/* out[r]: the first column of the largest number of row r, or of the first NaN. */
static void ref_argmax_or_first_nan_of_rows(void *self, size_t rows, size_t columns, const void *x,
                                            int32_t *out)
{
    const ref_decoder_state *s = self;

    for (size_t r = 0; r < rows; r++) {
        out[r] = 0;
        for (size_t j = 0; j < columns; j++) {
            double v = decoder_get_element_f64(s, x, r * columns + j),
                   best = decoder_get_element_f64(s, x, r * columns + (size_t)out[r]);

            if (v > best || isnan(v)) out[r] = (int32_t)j;
            if (isnan(v)) break;
        }
    }
}

/* --- attention -------------------------------------------------------------------------------- */

/* Numbers of the cache before those of a token and head. */
static size_t paged_kv_offset_of_token_and_head(const abdb_part_kv_attention *x, size_t sequence,
                                                size_t token, size_t head)
{
    size_t block = (size_t)x->page[sequence * x->width + token / x->block];

    return ((block * x->kv_heads + head) * x->block + token % x->block) * x->d;
}

/* Rotates the pairs (i, d / 2 + i) of a head by the angles of its position; turn has d / 2
 * cosines, then sines, of each. */
static void apply_rotary_to_head(const ref_decoder_state *s, const abdb_part_kv_attention *x,
                                 size_t position, char *head)
{
    const float *by = x->turn + position * x->d;
    size_t half = x->d / 2;

    for (size_t i = 0; i < half; i++) {
        double a = decoder_get_element_f64(s, head, i),
               b = decoder_get_element_f64(s, head, half + i), c = (double)by[i],
               t = (double)by[half + i];

        decoder_set_element_rounded(s, head, i, a * c - b * t);
        decoder_set_element_rounded(s, head, half + i, a * t + b * c);
    }
}

/* Rotates queries and keys of the new rows by their positions; copies keys and values to their
 * places in the cache. A row of qkv: heads, kv_heads and kv_heads times d. */
static void ref_rotate_qk_and_append_kv(void *self, const abdb_part_kv_attention *x)
{
    const ref_decoder_state *s = self;
    size_t size = abdb_dtype_size(s->dtype), head = x->d * size,
           row = (x->heads + 2 * x->kv_heads) * head;

    for (size_t i = 0; i < x->sequences; i++)
        for (size_t r = x->first[i]; r < x->first[i + 1]; r++) {
            size_t position = x->past[i] + r - x->first[i];
            char *q = (char *)x->qkv + r * row, *k = q + x->heads * head,
                 *v = k + x->kv_heads * head;

            for (size_t h = 0; h < x->heads + x->kv_heads; h++)
                apply_rotary_to_head(s, x, position, q + h * head);
            for (size_t h = 0; h < x->kv_heads; h++) {
                size_t to = paged_kv_offset_of_token_and_head(x, i, position, h) * size;

                memcpy((char *)x->keys + to, k + h * head, head);
                memcpy((char *)x->values + to, v + h * head, head);
            }
        }
}

/* Attention of one row and head over the first visible_tokens tokens of its sequence. */
static void attend_row_and_head_over_kv_cache(const ref_decoder_state *s,
                                              const abdb_part_kv_attention *x, size_t sequence,
                                              size_t row, size_t head, size_t visible_tokens)
{
    size_t kv = head / (x->heads / x->kv_heads),
           q = (row * (x->heads + 2 * x->kv_heads) + head) * x->d;
    double most = -INFINITY, sum = 0, scale = 1 / sqrt((double)x->d);

    for (size_t t = 0; t < visible_tokens; t++) {
        size_t k = paged_kv_offset_of_token_and_head(x, sequence, t, kv);

        s->score[t] = 0;
        for (size_t e = 0; e < x->d; e++)
            s->score[t] += decoder_get_element_f64(s, x->qkv, q + e) *
                           decoder_get_element_f64(s, x->keys, k + e) * scale;
        most = fmax(most, s->score[t]);
    }
    for (size_t t = 0; t < visible_tokens; t++) sum += s->score[t] = exp(s->score[t] - most);
    for (size_t e = 0; e < x->d; e++) {
        double out = 0;

        for (size_t t = 0; t < visible_tokens; t++)
            out += s->score[t] / sum *
                   decoder_get_element_f64(
                       s, x->values, paged_kv_offset_of_token_and_head(x, sequence, t, kv) + e);
        decoder_set_element_rounded(s, x->out, (row * x->heads + head) * x->d + e, out);
    }
}

static void ref_attend_kv_cache_causally(void *self, const abdb_part_kv_attention *x)
{
    for (size_t i = 0; i < x->sequences; i++)
        for (size_t r = x->first[i]; r < x->first[i + 1]; r++)
            for (size_t h = 0; h < x->heads; h++)
                attend_row_and_head_over_kv_cache(self, x, i, r, h,
                                                  x->past[i] + r - x->first[i] + 1);
}

static void ref_read_every_byte(void *self, const void *at, size_t bytes)
{
    const unsigned char *byte = at;
    unsigned sum = 0;

    (void)self;
    for (size_t i = 0; i < bytes; i++) sum += byte[i];
    *(volatile unsigned *)&sum = sum;
}

const abdb_decoder abdb_ref_decoder = {.why_refused = ref_decoder_why_i4_row_length_refused,
                                       .open = ref_decoder_open,
                                       .close = ref_decoder_close,
                                       .weight_gemm_work_bytes = ref_weight_gemm_no_work_bytes,
                                       .attention_work_bytes = ref_kv_attention_work_bytes,
                                       .alloc_workspace = ref_decoder_alloc_workspace,
                                       .weights_byte_size = ref_weights_byte_size,
                                       .build_weights = ref_round_or_quantise_weights_from_columns,
                                       .dequantise_weight = ref_dequantise_weight,
                                       .weight_gemm = ref_gemm_dequantising_weights,
                                       .embed_tokens = ref_embed_tokens,
                                       .rmsnorm_rows = ref_rmsnorm_rows,
                                       .rotate_and_append_kv = ref_rotate_qk_and_append_kv,
                                       .attend_kv_cache = ref_attend_kv_cache_causally,
                                       .swiglu_rows = ref_swiglu_rows,
                                       .argmax_rows = ref_argmax_or_first_nan_of_rows,
                                       .read_all_bytes = ref_read_every_byte};
