/* weights.c - backend vec's weights of networks that generate text: how they lie, products of few
 * rows and of many with them, and rows of them. Those of the format of activations are packed as
 * products want them; others lie in panels of 32 columns, as isa/linear_quantised.c does, and
 * behind those their scales. Either way a thread reads one stretch of memory from its beginning to
 * its end. */
#include <omp.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/providers/vec/decoder.h"
#include "kernels/workloads/quantise.h"

/* ROWS: of a product with quantised weights, at a time. */
enum { LINE = 64, PANEL = 32, ROWS = 240, DEEP = 16 };

/* --- where they lie --------------------------------------------------------------------------- */

static size_t panel_count(const abdb_weights *w)
{
    return (w->n + PANEL - 1) / PANEL;
}

/* Bytes of a panel, without its scales. */
static size_t bytes_per_panel(const abdb_weights *w)
{
    return (w->form == ABDB_WEIGHTS_I4 ? w->k / 2 : w->k) * PANEL;
}

/* Numbers along K that share a scale. */
static size_t values_per_scale(const abdb_weights *w)
{
    return w->form == ABDB_WEIGHTS_I4 ? ABDB_QUANTISE_GROUP : w->k;
}

static size_t scales_offset_after_panels(const abdb_weights *w)
{
    return abdb_vec_round_up(panel_count(w) * bytes_per_panel(w), LINE);
}

static float *scales_of_panel(const abdb_weights *w, size_t panel)
{
    return (float *)(void *)((char *)w->data + scales_offset_after_panels(w)) +
           panel * (w->k / values_per_scale(w)) * PANEL;
}

/* A product with weights of the format of activations. */
static abdb_vec_gemm_call plan_unquantised_weight_gemm(const abdb_vec_decoder_state *s,
                                                       const abdb_part_weight_gemm *x)
{
    abdb_vec_gemm_call q = {.dtype = s->dtype,
                            .m = x->m,
                            .n = x->w->n,
                            .k = x->w->k,
                            .lda = x->w->k,
                            .ldb = x->w->n,
                            .ldc = x->w->n,
                            .beta = x->add,
                            .threads = s->threads,
                            .tuning = s->tuning,
                            .a = x->x,
                            .c = x->y,
                            .b_packed = true,
                            .room_b = x->w->data};

    abdb_vec_gemm_plan(&q);
    return q;
}

static abdb_vec_layout packed_layout_of_weights(const abdb_vec_decoder_state *s,
                                                const abdb_weights *w)
{
    abdb_part_weight_gemm x = {.m = 1, .w = w};
    abdb_vec_gemm_call q = plan_unquantised_weight_gemm(s, &x);

    return abdb_vec_packed_b_layout(&q, s->isa);
}

size_t abdb_vec_weights_byte_size(void *self, const abdb_weights *w)
{
    const abdb_vec_decoder_state *s = self;
    abdb_part_weight_gemm x = {.m = 1, .w = w};
    abdb_vec_gemm_call q;

    if (w->form == ABDB_WEIGHTS_SAME) {
        q = plan_unquantised_weight_gemm(s, &x);
        return abdb_vec_packed_b_bytes(&q);
    }
    return scales_offset_after_panels(w) +
           panel_count(w) * (w->k / values_per_scale(w)) * PANEL * sizeof(float);
}

/* `wide` columns from `left` on, in the format of activations; what their panels have beyond them
 * is 0, as tiles of AMX multiply it. */
static void pack_unquantised_columns(const abdb_vec_decoder_state *s, const abdb_weights *w,
                                     size_t first_column, size_t column_count, const float *in)
{
    abdb_vec_layout x = packed_layout_of_weights(s, w);
    size_t panels = (column_count + x.columns - 1) / x.columns;

    for (size_t from = 0; from < w->k; from += x.deep)
        memset((char *)w->data + abdb_vec_packed_b_byte_offset(&x, from, first_column), 0,
               panels * x.panel);
    for (size_t from = 0; from < w->k; from += DEEP) /* rows that stay near */
        for (size_t j = 0; j < column_count; j++) {
            char *to = (char *)w->data + abdb_vec_packed_b_byte_offset(&x, from, first_column + j);

            for (size_t i = 0; i < DEEP && from + i < w->k; i++) {
                void *at = to + i / x.each * x.row + i % x.each * x.size;

                if (s->dtype == ABDB_BF16)
                    *(uint16_t *)at = abdb_bf16_from_f32(in[j * w->k + from + i]);
                else
                    *(float *)at = in[j * w->k + from + i];
            }
        }
}

/* The same, quantised; what a panel has beyond the last column is 0. */
static void quantise_and_pack_columns(const abdb_weights *w, size_t first_column,
                                      size_t column_count, const float *in,
                                      int8_t *quantised_column)
{
    size_t group = values_per_scale(w), panel = first_column / PANEL;
    uint8_t *out = (uint8_t *)w->data + panel * bytes_per_panel(w);
    float *scale = scales_of_panel(w, panel);
    bool halves = w->form == ABDB_WEIGHTS_I4;

    memset(out, halves ? 0x88 : 0, bytes_per_panel(w));
    memset(scale, 0, w->k / group * PANEL * sizeof *scale);
    for (size_t j = 0; j < column_count; j++) {
        for (size_t i = 0; i < w->k; i += group)
            scale[i / group * PANEL + j] = abdb_quantise_symmetric(
                in + j * w->k + i, group, halves ? 7 : 127, quantised_column + i);
        for (size_t i = 0; i < w->k && !halves; i++)
            out[i * PANEL + j] = (uint8_t)quantised_column[i];
        for (size_t i = 0; i < w->k && halves; i += 2)
            out[i / 2 * PANEL + j] =
                (uint8_t)((quantised_column[i] + 8) | (unsigned)(quantised_column[i + 1] + 8) << 4);
    }
}

abdb_status abdb_vec_pack_or_quantise_weights(void *self, const abdb_weights *w,
                                              abdb_column_reader *column, const void *from,
                                              abdb_error *err)
{
    const abdb_vec_decoder_state *s = self;
    bool failed = false;

#pragma omp parallel num_threads(s->threads) reduction(|| : failed)
    {
        float *in = malloc(PANEL * w->k * sizeof *in);
        int8_t *room = malloc(w->k);

        failed = !in || !room;
#pragma omp for schedule(dynamic, 1)
        for (size_t p = 0; p < panel_count(w); p++) {
            size_t left = p * PANEL, wide = w->n - left < PANEL ? w->n - left : PANEL;

            if (failed) continue;
            for (size_t j = 0; j < wide; j++) column(from, left + j, in + j * w->k);
            if (w->form == ABDB_WEIGHTS_SAME)
                pack_unquantised_columns(s, w, left, wide, in);
            else
                quantise_and_pack_columns(w, left, wide, in, room);
        }
        free(in);
        free(room);
    }
    return failed ? ABDB_FAIL(err, ABDB_NOMEM, "columns of weights") : ABDB_OK;
}

double abdb_vec_dequantise_weight(void *self, const abdb_weights *w, size_t k, size_t n)
{
    const abdb_vec_decoder_state *s = self;
    size_t panel = n / PANEL, j = n % PANEL;
    const uint8_t *in = (const uint8_t *)w->data + panel * bytes_per_panel(w);
    abdb_tensor t = {.dtype = s->dtype, .data = w->data};
    abdb_vec_layout x;
    int number;

    if (w->form == ABDB_WEIGHTS_SAME) {
        x = packed_layout_of_weights(s, w);
        return abdb_tensor_get_f64(&t, abdb_vec_packed_b_byte_offset(&x, k, n) / s->size);
    }
    number = w->form == ABDB_WEIGHTS_I8 ? (int8_t)in[k * PANEL + j]
                                        : (in[k / 2 * PANEL + j] >> 4 * (k % 2) & 15) - 8;
    return number * (double)scales_of_panel(w, panel)[k / values_per_scale(w) * PANEL + j];
}

/* --- products --------------------------------------------------------------------------------- */

/* A product with quantised weights, and where in working memory its operands in f32 lie, unless
 * they are where they are, and room for threads. */
typedef struct {
    abdb_vec_linear linear;
    size_t x, y, rooms, each, bytes;
} quantised_gemm;

/* The quantised product of m rows, and where in the working memory rows in f32, sums and each
 * thread's room begin. */
static quantised_gemm plan_quantised_gemm_and_workspace_layout(const abdb_vec_decoder_state *s,
                                                               const abdb_part_weight_gemm *x,
                                                               size_t m)
{
    const abdb_weights *w = x->w;
    bool plain = s->dtype == ABDB_F32;
    quantised_gemm q = {.linear = {.how = ABDB_QUANTISED,
                                   .halves = w->form == ABDB_WEIGHTS_I4,
                                   .m = m,
                                   .n = w->n,
                                   .k = w->k,
                                   .packed = w->data,
                                   .scales = w->k / values_per_scale(w),
                                   .panel = bytes_per_panel(w)}};

    q.each = abdb_vec_round_up(s->isa->linear_work_floats(&q.linear), LINE);
    q.y = plain ? 0 : abdb_vec_round_up(m * w->k * sizeof(float), LINE);
    q.rooms = q.y + (plain && !x->add ? 0 : abdb_vec_round_up(m * w->n * sizeof(float), LINE));
    q.bytes = q.rooms + (size_t)s->threads * q.each * sizeof(float);
    return q;
}

size_t abdb_vec_weight_gemm_work_bytes(void *self, const abdb_part_weight_gemm *x)
{
    const abdb_vec_decoder_state *s = self;
    abdb_vec_gemm_call q;
    abdb_part_weight_gemm adds = *x;

    adds.add = true;
    if (x->w->form != ABDB_WEIGHTS_SAME)
        return plan_quantised_gemm_and_workspace_layout(s, &adds, x->m < ROWS ? x->m : ROWS).bytes;
    q = plan_unquantised_weight_gemm(s, x);
    return abdb_vec_gemm_workspace_bytes(&q);
}

static float bf16_bits_to_float(uint16_t bits)
{
    union {
        uint32_t bits;
        float value;
    } u = {(uint32_t)bits << 16};

    return u.value;
}

/* Columns [left, right) of sums to y. */
static void store_sums_to_y_columns(const abdb_vec_decoder_state *s, const float *in, void *y,
                                    size_t m, size_t n, size_t left, size_t right, bool add)
{
    for (size_t i = 0; i < m; i++)
        for (size_t j = left; j < right; j++) {
            size_t at = i * n + j;

            if (s->dtype == ABDB_F32) {
                ((float *)y)[at] = in[at] + (add ? ((float *)y)[at] : 0);
            } else {
                uint16_t *out = (uint16_t *)y + at;

                *out = abdb_bf16_from_f32(in[at] + (add ? bf16_bits_to_float(*out) : 0));
            }
        }
}

/* Rows [row, row + rows) of y = x W, or y += x W, by quantised weights: bf16 rows become f32,
 * panels of columns are shared among threads, sums become y. */
static void run_quantised_weight_gemm(const abdb_vec_decoder_state *s,
                                      const abdb_part_weight_gemm *x, size_t row, size_t rows)
{
    quantised_gemm q = plan_quantised_gemm_and_workspace_layout(s, x, rows);
    size_t count = rows * x->w->k, panels = panel_count(x->w), n = x->w->n;
    bool plain = s->dtype == ABDB_F32, direct = plain && !x->add;
    const char *in = (const char *)x->x + row * x->w->k * s->size;
    char *out = (char *)x->y + row * n * s->size;
    float *wide = (float *)(void *)(s->work + q.x);

    q.linear.scale = scales_of_panel(x->w, 0);
    q.linear.x = plain ? (const void *)in : wide;
    q.linear.y = (float *)(void *)(direct ? out : s->work + q.y);
#pragma omp parallel num_threads(s->threads)
    {
        size_t thread = (size_t)omp_get_thread_num(), threads = (size_t)omp_get_num_threads(),
               low = panels * thread / threads, high = panels * (thread + 1) / threads;

        if (!plain) {
#pragma omp for schedule(static)
            for (size_t i = 0; i < count; i++)
                wide[i] = bf16_bits_to_float(((const uint16_t *)(const void *)in)[i]);
        }
        s->isa->linear(&q.linear, low, high,
                       (float *)(void *)(s->work + q.rooms) + thread * q.each);
        if (!direct)
            store_sums_to_y_columns(s, q.linear.y, out, rows, n, low * PANEL,
                                    high * PANEL < n ? high * PANEL : n, x->add);
    }
}

void abdb_vec_gemm_packed_or_quantised_weights(void *self, const abdb_part_weight_gemm *x)
{
    const abdb_vec_decoder_state *s = self;

    if (x->w->form == ABDB_WEIGHTS_SAME) {
        abdb_vec_gemm_call q = plan_unquantised_weight_gemm(s, x);

        abdb_vec_gemm_set_workspace(&q, s->work);
        abdb_vec_isa_for_packed_gemm(s->isa, &q)->gemm(&q);
        return;
    }
    for (size_t row = 0; row < x->m; row += ROWS)
        run_quantised_weight_gemm(s, x, row, x->m - row < ROWS ? x->m - row : ROWS);
}

/* --- rows of them ----------------------------------------------------------------------------- */

/* A piece of x at a time: its numbers lie in as many rows of packed w, or half as many, which are
 * asked for while those of the token before are read. */
static void copy_packed_token_rows(const abdb_vec_decoder_state *s, const abdb_weights *w,
                                   const int32_t *token, size_t rows, char *out)
{
    abdb_vec_layout x = packed_layout_of_weights(s, w);

#pragma omp parallel for num_threads(s->threads) schedule(static) if (rows > 1)
    for (size_t low = 0; low < w->k; low += PANEL)
        for (size_t i = 0; i < rows; i++) {
            size_t wide = w->k - low < PANEL ? w->k - low : PANEL;
            size_t next = (size_t)token[i + 1 < rows ? i + 1 : i];
            const char *in = (char *)w->data +
                             abdb_vec_packed_b_byte_offset(&x, low, (size_t)token[i]),
                       *then = (char *)w->data + abdb_vec_packed_b_byte_offset(&x, low, next);
            char *to = out + (i * w->k + low) * s->size;

            for (size_t k = 0; k < wide / x.each && rows > 1; k++)
                __builtin_prefetch(then + k * x.row);
            for (size_t k = 0; k < wide / x.each; k++) /* 4 bytes of a column of each row */
                memcpy(to + k * sizeof(float), in + k * x.row, sizeof(float));
        }
}

void abdb_vec_embed_tokens(void *self, const abdb_weights *w, const int32_t *token, size_t rows,
                           void *x)
{
    const abdb_vec_decoder_state *s = self;
    abdb_tensor t = {.dtype = s->dtype, .data = x};

    if (w->form == ABDB_WEIGHTS_SAME) {
        copy_packed_token_rows(s, w, token, rows, x);
        return;
    }
#pragma omp parallel for num_threads(s->threads) schedule(static) if (rows > 1)
    for (size_t low = 0; low < w->k; low += PANEL)
        for (size_t i = 0; i < rows; i++)
            for (size_t k = low; k < low + PANEL && k < w->k; k++)
                abdb_tensor_set_rounded(&t, i * w->k + k,
                                        abdb_vec_dequantise_weight(self, w, k, (size_t)token[i]));
}
