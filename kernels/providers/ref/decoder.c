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
} plain;

static double get(const plain *s, const void *at, size_t i)
{
    abdb_tensor t = {.dtype = s->dtype, .data = (void *)(uintptr_t)at};

    return abdb_tensor_get(&t, i);
}

static void put(const plain *s, void *at, size_t i, double value)
{
    abdb_tensor t = {.dtype = s->dtype, .data = at};

    abdb_tensor_set(&t, i, value);
}

static const char *refuses(const abdb_problem *p, abdb_dtype dtype, int form, size_t d,
                           size_t columns)
{
    (void)p, (void)dtype, (void)d;
    return form == ABDB_WEIGHTS_I4 && columns % ABDB_QUANTISE_GROUP
               ? "weights of 4 bits for rows whose length is no multiple of 32"
               : NULL;
}

static void stop(void *self)
{
    plain *s = self;

    free(s->score);
    free(s);
}

static abdb_status start(void **self, const abdb_problem *p, abdb_dtype dtype, abdb_error *err)
{
    plain *s = calloc(1, sizeof *s);

    (void)p;
    if (!s) return ABDB_FAIL(err, ABDB_NOMEM, "parts");
    s->dtype = dtype;
    *self = s;
    return ABDB_OK;
}

static size_t room_of_weigh(void *self, const abdb_part_weigh *x)
{
    (void)self, (void)x;
    return 0;
}

static size_t room_of_attention(void *self, const abdb_part_cached *x)
{
    (void)self;
    return (x->first[1] + x->past[0]) * sizeof(double);
}

static abdb_status reserve(void *self, size_t bytes, abdb_error *err)
{
    plain *s = self;

    s->score = malloc(bytes ? bytes : 1);
    return s->score ? ABDB_OK : ABDB_FAIL(err, ABDB_NOMEM, "%zu bytes to work in", bytes);
}

/* --- weights ---------------------------------------------------------------------------------- */

/* Numbers along K that share a scale. */
static size_t group_of(const abdb_weights *w)
{
    return w->form == ABDB_WEIGHTS_I4 ? ABDB_QUANTISE_GROUP : w->k;
}

static size_t scales_at(const abdb_weights *w)
{
    return (w->k * w->n + 63) / 64 * 64;
}

static size_t bytes_of(void *self, const abdb_weights *w)
{
    const plain *s = self;

    if (w->form == ABDB_WEIGHTS_SAME) return w->k * w->n * abdb_dtype_size(s->dtype);
    return scales_at(w) + w->k / group_of(w) * w->n * sizeof(float);
}

static void quantise(const abdb_weights *w, size_t column, const float *in, int8_t *room)
{
    int8_t *out = w->data;
    float *scale = (float *)(void *)((char *)w->data + scales_at(w));
    size_t group = group_of(w);

    for (size_t i = 0; i < w->k; i += group) {
        scale[i / group * w->n + column] =
            abdb_quantise(in + i, group, w->form == ABDB_WEIGHTS_I4 ? 7 : 127, room);
        for (size_t j = 0; j < group; j++) out[(i + j) * w->n + column] = room[j];
    }
}

static abdb_status make(void *self, const abdb_weights *w, abdb_column_of *column, const void *from,
                        abdb_error *err)
{
    const plain *s = self;
    float *in = calloc(w->k, sizeof *in);
    int8_t *room = calloc(w->k, 1);
    abdb_status st = ABDB_OK;

    if (!in || !room) TRY(ABDB_FAIL(err, ABDB_NOMEM, "a column of weights"));
    for (size_t j = 0; j < w->n; j++) {
        column(from, j, in);
        if (w->form != ABDB_WEIGHTS_SAME) quantise(w, j, in, room);
        for (size_t i = 0; i < w->k && w->form == ABDB_WEIGHTS_SAME; i++)
            put(s, w->data, i * w->n + j, (double)in[i]);
    }
done:
    free(in);
    free(room);
    return st;
}

static double value(void *self, const abdb_weights *w, size_t k, size_t n)
{
    const float *scale = (const float *)(const void *)((const char *)w->data + scales_at(w));

    if (w->form == ABDB_WEIGHTS_SAME) return get(self, w->data, k * w->n + n);
    return (double)((const int8_t *)w->data)[k * w->n + n] *
           (double)scale[k / group_of(w) * w->n + n];
}

static void weigh(void *self, const abdb_part_weigh *x)
{
    const plain *s = self;
    const abdb_weights *w = x->w;

    for (size_t i = 0; i < x->m; i++)
        for (size_t j = 0; j < w->n; j++) {
            double sum = x->add ? get(s, x->y, i * w->n + j) : 0;

            for (size_t k = 0; k < w->k; k++)
                sum += get(s, x->x, i * w->k + k) * value(self, w, k, j);
            put(s, x->y, i * w->n + j, sum);
        }
}

static void embed(void *self, const abdb_weights *w, const int32_t *token, size_t rows, void *x)
{
    for (size_t i = 0; i < rows; i++)
        for (size_t k = 0; k < w->k; k++)
            put(self, x, i * w->k + k, value(self, w, k, (size_t)token[i]));
}

/* --- rows ------------------------------------------------------------------------------------- */

static void norm(void *self, size_t rows, size_t columns, const void *x, const void *gain,
                 void *out)
{
    const plain *s = self;

    for (size_t r = 0; r < rows; r++) {
        double square = 0, scale;

        for (size_t j = 0; j < columns; j++) square += pow(get(s, x, r * columns + j), 2);
        scale = 1 / sqrt(square / (double)columns + 1e-5);
        for (size_t j = 0; j < columns; j++)
            put(s, out, r * columns + j, get(s, x, r * columns + j) * scale * get(s, gain, j));
    }
}

static void gate(void *self, size_t rows, size_t columns, const void *x, void *out)
{
    const plain *s = self;

    for (size_t r = 0; r < rows; r++)
        for (size_t j = 0; j < columns; j++) {
            double g = get(s, x, 2 * r * columns + j), u = get(s, x, (2 * r + 1) * columns + j);

            put(s, out, r * columns + j, g / (1 + exp(-g)) * u);
        }
}

static void pick(void *self, size_t rows, size_t columns, const void *x, int32_t *out)
{
    const plain *s = self;

    for (size_t r = 0; r < rows; r++) {
        out[r] = 0;
        for (size_t j = 0; j < columns; j++) {
            double v = get(s, x, r * columns + j), best = get(s, x, r * columns + (size_t)out[r]);

            if (v > best || isnan(v)) out[r] = (int32_t)j;
            if (isnan(v)) break;
        }
    }
}

/* --- attention -------------------------------------------------------------------------------- */

/* Numbers of the cache before those of a token and head. */
static size_t place(const abdb_part_cached *x, size_t sequence, size_t token, size_t head)
{
    size_t block = (size_t)x->page[sequence * x->width + token / x->block];

    return ((block * x->kv_heads + head) * x->block + token % x->block) * x->d;
}

static void turn(const plain *s, const abdb_part_cached *x, size_t position, char *head)
{
    const float *by = x->turn + position * x->d;
    size_t half = x->d / 2;

    for (size_t i = 0; i < half; i++) {
        double a = get(s, head, i), b = get(s, head, half + i), c = (double)by[i],
               t = (double)by[half + i];

        put(s, head, i, a * c - b * t);
        put(s, head, half + i, a * t + b * c);
    }
}

static void remember(void *self, const abdb_part_cached *x)
{
    const plain *s = self;
    size_t size = abdb_dtype_size(s->dtype), head = x->d * size,
           row = (x->heads + 2 * x->kv_heads) * head;

    for (size_t i = 0; i < x->sequences; i++)
        for (size_t r = x->first[i]; r < x->first[i + 1]; r++) {
            size_t position = x->past[i] + r - x->first[i];
            char *q = (char *)x->qkv + r * row, *k = q + x->heads * head,
                 *v = k + x->kv_heads * head;

            for (size_t h = 0; h < x->heads + x->kv_heads; h++) turn(s, x, position, q + h * head);
            for (size_t h = 0; h < x->kv_heads; h++) {
                size_t to = place(x, i, position, h) * size;

                memcpy((char *)x->keys + to, k + h * head, head);
                memcpy((char *)x->values + to, v + h * head, head);
            }
        }
}

/* One row and head: over the `seen` first tokens of its sequence. */
static void attend_row(const plain *s, const abdb_part_cached *x, size_t sequence, size_t row,
                       size_t head, size_t seen)
{
    size_t kv = head / (x->heads / x->kv_heads),
           q = (row * (x->heads + 2 * x->kv_heads) + head) * x->d;
    double most = -INFINITY, sum = 0, scale = 1 / sqrt((double)x->d);

    for (size_t t = 0; t < seen; t++) {
        size_t k = place(x, sequence, t, kv);

        s->score[t] = 0;
        for (size_t e = 0; e < x->d; e++)
            s->score[t] += get(s, x->qkv, q + e) * get(s, x->keys, k + e) * scale;
        most = fmax(most, s->score[t]);
    }
    for (size_t t = 0; t < seen; t++) sum += s->score[t] = exp(s->score[t] - most);
    for (size_t e = 0; e < x->d; e++) {
        double out = 0;

        for (size_t t = 0; t < seen; t++)
            out += s->score[t] / sum * get(s, x->values, place(x, sequence, t, kv) + e);
        put(s, x->out, (row * x->heads + head) * x->d + e, out);
    }
}

static void attend(void *self, const abdb_part_cached *x)
{
    for (size_t i = 0; i < x->sequences; i++)
        for (size_t r = x->first[i]; r < x->first[i + 1]; r++)
            for (size_t h = 0; h < x->heads; h++)
                attend_row(self, x, i, r, h, x->past[i] + r - x->first[i] + 1);
}

static void read_all(void *self, const void *at, size_t bytes)
{
    const unsigned char *byte = at;
    unsigned sum = 0;

    (void)self;
    for (size_t i = 0; i < bytes; i++) sum += byte[i];
    *(volatile unsigned *)&sum = sum;
}

const abdb_decoder abdb_ref_decoder = {.refuses = refuses,
                                       .open = start,
                                       .close = stop,
                                       .room_of_weigh = room_of_weigh,
                                       .room_of_attention = room_of_attention,
                                       .reserve = reserve,
                                       .bytes_of = bytes_of,
                                       .make = make,
                                       .value = value,
                                       .weigh = weigh,
                                       .embed = embed,
                                       .norm = norm,
                                       .remember = remember,
                                       .attend = attend,
                                       .gate = gate,
                                       .pick = pick,
                                       .read = read_all};
