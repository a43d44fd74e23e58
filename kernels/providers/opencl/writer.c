/* writer.c - parts of networks that generate text by OpenCL; see kernels/workloads/decoder.h. A
 * matrix lies column by column, as weights.cl says; what the host gives (tokens, pages, lengths) is
 * copied when it changes. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/providers/opencl/memory.h"
#include "kernels/providers/opencl/opencl.h"
#include "kernels/providers/opencl/parts.h"
#include "kernels/workloads/decoder.h"
#include "kernels/workloads/quantise.h"

/* ROWS, COLUMNS: of a product at a time, COLUMNS as in weights.cl; PIECE: columns that are made
 * together. */
enum { LINE = 64, ROWS = 6, COLUMNS = 4, PIECE = 64, OPTIONS = 128, GROUP = ABDB_QUANTISE_GROUP };

typedef struct {
    abdb_cl_maker *maker;
    cl_mem told; /* whole numbers of the host, `room` of them */
    int32_t *last, *next;
    size_t count, room;
} writer;

static const char *refuses(const abdb_problem *p, abdb_dtype dtype, int form, size_t d,
                           size_t columns)
{
    (void)p;
    if (dtype != ABDB_F32 && dtype != ABDB_BF16) return "parts of networks but in f32 and bf16";
    if (d % 2) return "heads of an odd size";
    if (form == ABDB_WEIGHTS_I4 && columns % GROUP)
        return "weights of 4 bits for rows whose length is no multiple of 32";
    return NULL;
}

static void stop(void *self)
{
    writer *s = self;

    if (s->told) clReleaseMemObject(s->told);
    if (s->maker) abdb_cl_maker_close(s->maker);
    free(s->last);
    free(s->next);
    free(s);
}

static abdb_status start(void **self, const abdb_problem *p, abdb_dtype dtype, abdb_error *err)
{
    writer *s = calloc(1, sizeof *s);
    void *maker = NULL;
    abdb_status st = ABDB_OK;

    if (!s) return ABDB_FAIL(err, ABDB_NOMEM, "parts");
    TRY(abdb_cl_maker_open(&maker, p, dtype, err));
    s->maker = maker;
    *self = s;
done:
    if (st != ABDB_OK) stop(s);
    return st;
}

static size_t room_of_weigh(void *self, const abdb_part_weigh *x)
{
    (void)self, (void)x;
    return 0;
}

static size_t room_of_attention(void *self, const abdb_part_cached *x)
{
    (void)self, (void)x;
    return 0;
}

static abdb_status reserve(void *self, size_t bytes, abdb_error *err)
{
    (void)self, (void)bytes, (void)err;
    return ABDB_OK;
}

static bool goes_on(const writer *s)
{
    return s->maker->status == ABDB_OK;
}

/* Room for so many whole numbers, here and there. */
static abdb_status make_room(writer *s, size_t count, abdb_error *err)
{
    cl_int code;

    if (count <= s->room) return ABDB_OK;
    if (s->told) clReleaseMemObject(s->told);
    free(s->last);
    free(s->next);
    s->count = s->room = 0;
    s->last = calloc(count, sizeof *s->last);
    s->next = calloc(count, sizeof *s->next);
    s->told = clCreateBuffer(s->maker->job->d->context, CL_MEM_READ_WRITE, count * sizeof *s->last,
                             NULL, &code);
    if (code != CL_SUCCESS) s->told = NULL;
    if (!s->last || !s->next) return ABDB_FAIL(err, ABDB_NOMEM, "tokens and pages");
    s->room = code == CL_SUCCESS ? count : 0;
    return abdb_cl_check(code, "clCreateBuffer", err);
}

/* s->next to the device, unless it is there. */
static abdb_status tell(writer *s, size_t count, abdb_error *err)
{
    abdb_device *d = &s->maker->job->d->device;
    size_t bytes = count * sizeof *s->last;
    abdb_status st = ABDB_OK;

    if (count == s->count && memcmp(s->last, s->next, bytes) == 0) return ABDB_OK;
    TRY(d->upload(d, s->told, s->next, bytes, err));
    memcpy(s->last, s->next, bytes);
    s->count = count;
done:
    return st;
}

/* --- weights ---------------------------------------------------------------------------------- */

static size_t column_bytes(const writer *s, const abdb_weights *w)
{
    return w->form == ABDB_WEIGHTS_SAME ? w->k * s->maker->size
           : w->form == ABDB_WEIGHTS_I8 ? w->k
                                        : w->k / 2;
}

/* Scales of a column. */
static size_t scales_of(const abdb_weights *w)
{
    return w->form == ABDB_WEIGHTS_SAME ? 0 : w->form == ABDB_WEIGHTS_I8 ? 1 : w->k / GROUP;
}

static size_t scales_at(const writer *s, const abdb_weights *w)
{
    return abdb_cl_pieces(w->n * column_bytes(s, w), LINE) * LINE;
}

static size_t bytes_of(void *self, const abdb_weights *w)
{
    return scales_at(self, w) + w->n * scales_of(w) * sizeof(float);
}

/* A column as it lies; room: its numbers in bytes. */
static void lay(const writer *s, const abdb_weights *w, const float *in, int8_t *room, char *out,
                float *scale)
{
    abdb_tensor t = {.dtype = s->maker->dtype, .data = out};

    if (w->form == ABDB_WEIGHTS_SAME) {
        for (size_t i = 0; i < w->k; i++) abdb_tensor_set(&t, i, (double)in[i]);
        return;
    }
    if (w->form == ABDB_WEIGHTS_I8) {
        *scale = abdb_quantise(in, w->k, 127, (int8_t *)out);
        return;
    }
    for (size_t i = 0; i < w->k; i += GROUP) {
        scale[i / GROUP] = abdb_quantise(in + i, GROUP, 7, room);
        for (size_t j = 0; j < GROUP / 2; j++)
            out[i / 2 + j] = (char)((room[j] + 8) | (room[j + GROUP / 2] + 8) << 4);
    }
}

/* Columns [first, first + n). */
static abdb_status make_piece(writer *s, const abdb_weights *w, abdb_column_of *column,
                              const void *from, size_t first, size_t n, abdb_error *err)
{
    abdb_device *d = &s->maker->job->d->device;
    size_t each = column_bytes(s, w), scales = scales_of(w);
    char *out = calloc(n, each), *to = (char *)w->data + first * each;
    float *in = calloc(n * w->k, sizeof *in), *scale = calloc(n * scales + 1, sizeof *scale);
    int8_t *room = calloc(n, GROUP);
    abdb_status st = ABDB_OK;

    if (!out || !in || !scale || !room) TRY(ABDB_FAIL(err, ABDB_NOMEM, "columns of weights"));
#pragma omp parallel for schedule(static)
    for (size_t j = 0; j < n; j++) {
        column(from, first + j, in + j * w->k);
        lay(s, w, in + j * w->k, room + j * GROUP, out + j * each, scale + j * scales);
    }
    TRY(d->upload(d, to, out, n * each, err));
    to = (char *)w->data + scales_at(s, w) + first * scales * sizeof *scale;
    if (scales) TRY(d->upload(d, to, scale, n * scales * sizeof *scale, err));
done:
    free(out);
    free(in);
    free(scale);
    free(room);
    return st;
}

static abdb_status make(void *self, const abdb_weights *w, abdb_column_of *column, const void *from,
                        abdb_error *err)
{
    abdb_status st = ABDB_OK;

    for (size_t first = 0; first < w->n; first += PIECE)
        TRY(make_piece(self, w, column, from, first, w->n - first < PIECE ? w->n - first : PIECE,
                       err));
done:
    return st;
}

/* So many bytes of a matrix; 0 where they cannot be had. */
static void fetch(writer *s, const abdb_weights *w, size_t at, size_t bytes, void *out)
{
    abdb_device *d = &s->maker->job->d->device;
    abdb_error err;
    abdb_status st = d->download(d, out, (const char *)w->data + at, bytes, &err);

    if (st != ABDB_OK) {
        memset(out, 0, bytes);
        abdb_cl_made(s->maker, st, &err);
    }
}

static double value(void *self, const abdb_weights *w, size_t k, size_t n)
{
    writer *s = self;
    size_t first = n * column_bytes(s, w), scales = scales_of(w), half = GROUP / 2;
    unsigned char room[sizeof(double)] = {0};
    abdb_tensor t = {.dtype = s->maker->dtype, .data = room};
    float scale;

    if (w->form == ABDB_WEIGHTS_SAME) {
        fetch(s, w, first + k * s->maker->size, s->maker->size, room);
        return abdb_tensor_get(&t, 0);
    }
    fetch(s, w, scales_at(s, w) + (n * scales + (scales > 1 ? k / GROUP : 0)) * sizeof scale,
          sizeof scale, &scale);
    if (w->form == ABDB_WEIGHTS_I8) {
        fetch(s, w, first + k, 1, room);
        return (double)(int8_t)room[0] * (double)scale;
    }
    fetch(s, w, first + k / GROUP * half + k % half, 1, room);
    return (double)((room[0] >> (k % GROUP / half * 4) & 15) - 8) * (double)scale;
}

static void options_of(const writer *s, int form, size_t rows, char *out)
{
    static const char *const forms[] = {
        [ABDB_WEIGHTS_SAME] = "SAME", [ABDB_WEIGHTS_I8] = "BYTES", [ABDB_WEIGHTS_I4] = "HALVES"};

    snprintf(out, OPTIONS, "%s -D%s -DROWS=%zu", s->maker->format, forms[form], rows);
}

static void weigh(void *self, const abdb_part_weigh *x)
{
    writer *s = self;
    abdb_cl_maker *m = s->maker;
    const abdb_weights *w = x->w;
    char options[OPTIONS] = "";
    abdb_cl_call call = {
        "weights.cl", "weigh", options, {abdb_cl_pieces(w->n, COLUMNS * m->items)}, {m->items}};
    abdb_error err;

    options_of(s, w->form, x->m > 1 ? ROWS : 1, options);
    if (goes_on(s))
        abdb_cl_made(m,
                     abdb_cl_add(m->job, &call, &err, "pplpllli", x->x, m->size, w->data, (size_t)1,
                                 scales_at(s, w), x->y, m->size, x->m, w->n, w->k, x->add ? 1 : 0),
                     &err);
}

static abdb_status add_lookup(writer *s, const abdb_weights *w, const int32_t *token, size_t rows,
                              void *x, abdb_error *err)
{
    char options[OPTIONS] = "";
    abdb_cl_call call = abdb_cl_rows_call(s->maker, "weights.cl", "lookup", options, rows);
    abdb_status st = ABDB_OK;

    options_of(s, w->form, rows > 1 ? ROWS : 1, options);
    TRY(make_room(s, rows, err));
    memcpy(s->next, token, rows * sizeof *token);
    TRY(tell(s, rows, err));
    TRY(abdb_cl_add(s->maker->job, &call, err, "plbpl", w->data, (size_t)1, scales_at(s, w),
                    s->told, x, s->maker->size, w->k));
done:
    return st;
}

static void embed(void *self, const abdb_weights *w, const int32_t *token, size_t rows, void *x)
{
    writer *s = self;
    abdb_error err;

    if (goes_on(s)) abdb_cl_made(s->maker, add_lookup(s, w, token, rows, x, &err), &err);
}

/* --- rows ------------------------------------------------------------------------------------- */

static void norm(void *self, size_t rows, size_t columns, const void *x, const void *gain,
                 void *out)
{
    writer *s = self;
    abdb_cl_maker *m = s->maker;
    abdb_cl_call call = abdb_cl_rows_call(m, "norm.cl", "norm", m->format, rows);
    abdb_error err;

    if (goes_on(s))
        abdb_cl_made(m,
                     abdb_cl_add(m->job, &call, &err, "ppppl", x, m->size, gain, m->size, gain,
                                 m->size, out, m->size, columns),
                     &err);
}

static void token_options(const writer *s, char *out)
{
    snprintf(out, OPTIONS, "%s -DCHUNK=%d", s->maker->format, ABDB_CL_CHUNK);
}

static void gate(void *self, size_t rows, size_t columns, const void *x, void *out)
{
    writer *s = self;
    abdb_cl_maker *m = s->maker;
    char options[OPTIONS] = "";
    abdb_cl_call call = abdb_cl_rows_call(m, "token.cl", "swiglu", options, rows);
    abdb_error err;

    token_options(s, options);
    if (goes_on(s))
        abdb_cl_made(m, abdb_cl_add(m->job, &call, &err, "ppl", x, m->size, out, m->size, columns),
                     &err);
}

static abdb_status add_pick(writer *s, size_t rows, size_t columns, const void *x, int32_t *out,
                            abdb_error *err)
{
    abdb_cl_maker *m = s->maker;
    abdb_device *d = &m->job->d->device;
    char options[OPTIONS] = "";
    abdb_cl_call call = {"token.cl", "pick", options, {abdb_cl_pieces(rows, m->items)}, {m->items}};
    cl_mem places;
    abdb_status st = ABDB_OK;

    token_options(s, options);
    TRY(abdb_cl_pairs(m, rows, &places, err));
    TRY(abdb_cl_add(m->job, &call, err, "pbll", x, m->size, places, rows, columns));
    TRY(d->download(d, out, places, rows * sizeof *out, err));
done:
    return st;
}

/* What went wrong is seen in that nothing is picked. */
static void pick(void *self, size_t rows, size_t columns, const void *x, int32_t *out)
{
    writer *s = self;
    abdb_error err;

    for (size_t r = 0; r < rows; r++) out[r] = -1;
    if (goes_on(s)) abdb_cl_made(s->maker, add_pick(s, rows, columns, x, out, &err), &err);
    if (!goes_on(s)) fprintf(stderr, "%s\n", s->maker->err.message);
}

/* --- attention -------------------------------------------------------------------------------- */

/* Sequence and position of each row, and the blocks of each sequence, to the device; s->told. */
static abdb_status tell_plan(writer *s, const abdb_part_cached *x, size_t *rows, abdb_error *err)
{
    size_t n = x->first[x->sequences], pages = x->sequences * x->width;
    abdb_status st = ABDB_OK;

    *rows = n;
    TRY(make_room(s, 2 * n + pages, err));
    for (size_t i = 0; i < x->sequences; i++)
        for (size_t r = x->first[i]; r < x->first[i + 1]; r++) {
            s->next[r] = (int32_t)i;
            s->next[n + r] = (int32_t)(x->past[i] + r - x->first[i]);
        }
    memcpy(s->next + 2 * n, x->page, pages * sizeof *x->page);
    TRY(tell(s, 2 * n + pages, err));
done:
    return st;
}

static void cached_options(const writer *s, const abdb_part_cached *x, char *out)
{
    size_t lanes = abdb_cl_lanes(s->maker->job->d, ABDB_F32);

    snprintf(out, OPTIONS, "%s -DWIDE=%zu", s->maker->format, abdb_cl_pieces(x->d, lanes) * lanes);
}

static abdb_status add_remember(writer *s, const abdb_part_cached *x, abdb_error *err)
{
    size_t size = s->maker->size, rows;
    char options[OPTIONS] = "";
    abdb_status st = ABDB_OK;

    cached_options(s, x, options);
    TRY(tell_plan(s, x, &rows, err));
    TRY(abdb_cl_add(
        s->maker->job,
        &(abdb_cl_call){"cached.cl", "remember", options, {rows, x->heads + x->kv_heads}, {0}}, err,
        "ppppbllllll", x->qkv, size, x->keys, size, x->values, size, x->turn, sizeof(float),
        s->told, rows, x->heads, x->kv_heads, x->d, x->block, x->width));
done:
    return st;
}

static void remember(void *self, const abdb_part_cached *x)
{
    writer *s = self;
    abdb_error err;

    if (goes_on(s)) abdb_cl_made(s->maker, add_remember(s, x, &err), &err);
}

static abdb_status add_attend(writer *s, const abdb_part_cached *x, abdb_error *err)
{
    size_t size = s->maker->size, rows;
    char options[OPTIONS] = "";
    abdb_status st = ABDB_OK;

    cached_options(s, x, options);
    TRY(tell_plan(s, x, &rows, err));
    TRY(abdb_cl_add(
        s->maker->job, &(abdb_cl_call){"cached.cl", "attend", options, {rows, x->heads}, {0}}, err,
        "ppppblllllli", x->qkv, size, x->keys, size, x->values, size, x->out, size, s->told, rows,
        x->heads, x->kv_heads, x->d, x->block, x->width, x->padded ? 1 : 0));
done:
    return st;
}

static void attend(void *self, const abdb_part_cached *x)
{
    writer *s = self;
    abdb_error err;

    if (goes_on(s)) abdb_cl_made(s->maker, add_attend(s, x, &err), &err);
}

/* It waits for it. */
static void read_all(void *self, const void *at, size_t bytes)
{
    writer *s = self;
    abdb_cl_maker *m = s->maker;
    size_t n = bytes / sizeof(cl_uint), groups = abdb_cl_pieces(n, ABDB_CL_CHUNK);
    char options[OPTIONS] = "";
    abdb_cl_call call = {"token.cl", "skim", options, {groups}, {0}};
    cl_mem sums;
    abdb_error err;
    abdb_status st = ABDB_OK;

    if (!goes_on(s)) return;
    token_options(s, options);
    TRY(abdb_cl_pairs(m, groups, &sums, &err));
    TRY(abdb_cl_add(m->job, &call, &err, "pbl", at, sizeof(cl_uint), sums, n));
    TRY(abdb_cl_check(clFinish(m->job->d->queue), "clFinish", &err));
done:
    abdb_cl_made(m, st, &err);
}

const abdb_decoder abdb_cl_decoder = {.refuses = refuses,
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
