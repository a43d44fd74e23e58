/* decoder.c - text generation by OpenCL (kernels/workloads/decoder.h). A matrix lies column by
 * column; tokens, pages and lengths are copied from the host when they change. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/providers/opencl/memory.h"
#include "kernels/providers/opencl/opencl.h"
#include "kernels/providers/opencl/parts.h"
#include "kernels/workloads/decoder.h"
#include "kernels/workloads/quantise.h"

/* ROWS, COLUMNS: of a product at a time, COLUMNS as in quantised_weights.cl; PIECE: columns that
 * are made together. */
enum { LINE = 64, ROWS = 6, COLUMNS = 4, PIECE = 64, OPTIONS = 128, GROUP = ABDB_QUANTISE_GROUP };

typedef struct {
    abdb_cl_builder *builder;
    cl_mem device_ints; /* whole numbers of the host, at most `capacity` of them */
    int32_t *last, *next;
    size_t count, capacity;
} cl_decoder;

static const char *opencl_decoder_why_refused(const abdb_problem *p, abdb_dtype dtype, int form,
                                              size_t d, size_t columns)
{
    (void)p;
    if (dtype != ABDB_F32 && dtype != ABDB_BF16) return "parts of networks but in f32 and bf16";
    if (d % 2) return "heads of an odd size";
    if (form == ABDB_WEIGHTS_I4 && columns % GROUP)
        return "weights of 4 bits for rows whose length is no multiple of 32";
    return NULL;
}

static void opencl_decoder_close(void *self)
{
    cl_decoder *s = self;

    if (s->device_ints) clReleaseMemObject(s->device_ints);
    if (s->builder) abdb_cl_builder_close(s->builder);
    free(s->last);
    free(s->next);
    free(s);
}

static abdb_status opencl_decoder_open(void **self, const abdb_problem *p, abdb_dtype dtype,
                                       abdb_error *err)
{
    cl_decoder *s = calloc(1, sizeof *s);
    void *builder = NULL;
    abdb_status st = ABDB_OK;

    if (!s) return ABDB_FAIL(err, ABDB_NOMEM, "parts");
    TRY(abdb_cl_builder_open(&builder, p, dtype, err));
    s->builder = builder;
    *self = s;
done:
    if (st != ABDB_OK) opencl_decoder_close(s);
    return st;
}

static size_t opencl_weight_gemm_no_work_bytes(void *self, const abdb_part_weight_gemm *x)
{
    (void)self, (void)x;
    return 0;
}

static size_t opencl_kv_attention_no_work_bytes(void *self, const abdb_part_kv_attention *x)
{
    (void)self, (void)x;
    return 0;
}

static abdb_status opencl_decoder_reserve_nothing(void *self, size_t bytes, abdb_error *err)
{
    (void)self, (void)bytes, (void)err;
    return ABDB_OK;
}

static bool no_earlier_part_failed(const cl_decoder *s)
{
    return s->builder->status == ABDB_OK;
}

/* Room for so many whole numbers, here and there. */
static abdb_status grow_integer_buffers(cl_decoder *s, size_t count, abdb_error *err)
{
    cl_int code;

    if (count <= s->capacity) return ABDB_OK;
    if (s->device_ints) clReleaseMemObject(s->device_ints);
    free(s->last);
    free(s->next);
    s->count = s->capacity = 0;
    s->last = calloc(count, sizeof *s->last);
    s->next = calloc(count, sizeof *s->next);
    s->device_ints = clCreateBuffer(s->builder->job->d->context, CL_MEM_READ_WRITE,
                                    count * sizeof *s->last, NULL, &code);
    if (code != CL_SUCCESS) s->device_ints = NULL;
    if (!s->last || !s->next) return ABDB_FAIL(err, ABDB_NOMEM, "tokens and pages");
    s->capacity = code == CL_SUCCESS ? count : 0;
    return abdb_cl_check_result(code, "clCreateBuffer", err);
}

/* s->next to the device, unless it is there. */
static abdb_status upload_ints_if_changed(cl_decoder *s, size_t count, abdb_error *err)
{
    abdb_device *d = &s->builder->job->d->device;
    size_t bytes = count * sizeof *s->last;
    abdb_status st = ABDB_OK;

    if (count == s->count && memcmp(s->last, s->next, bytes) == 0) return ABDB_OK;
    TRY(d->upload(d, s->device_ints, s->next, bytes, err));
    memcpy(s->last, s->next, bytes);
    s->count = count;
done:
    return st;
}

/* --- weights ---------------------------------------------------------------------------------- */

static size_t weight_column_bytes(const cl_decoder *s, const abdb_weights *w)
{
    return w->form == ABDB_WEIGHTS_SAME ? w->k * s->builder->size
           : w->form == ABDB_WEIGHTS_I8 ? w->k
                                        : w->k / 2;
}

static size_t scales_per_column(const abdb_weights *w)
{
    return w->form == ABDB_WEIGHTS_SAME ? 0 : w->form == ABDB_WEIGHTS_I8 ? 1 : w->k / GROUP;
}

static size_t scales_byte_offset(const cl_decoder *s, const abdb_weights *w)
{
    return abdb_cl_ceil_divide(w->n * weight_column_bytes(s, w), LINE) * LINE;
}

static size_t opencl_weights_byte_size(void *self, const abdb_weights *w)
{
    return scales_byte_offset(self, w) + w->n * scales_per_column(w) * sizeof(float);
}

/* A column as it lies; room: its numbers in bytes. */
static void encode_weight_column(const cl_decoder *s, const abdb_weights *w, const float *in,
                                 int8_t *quantised_group, char *out, float *scale)
{
    abdb_tensor t = {.dtype = s->builder->dtype, .data = out};

    if (w->form == ABDB_WEIGHTS_SAME) {
        for (size_t i = 0; i < w->k; i++) abdb_tensor_set_rounded(&t, i, (double)in[i]);
        return;
    }
    if (w->form == ABDB_WEIGHTS_I8) {
        *scale = abdb_quantise_symmetric(in, w->k, 127, (int8_t *)out);
        return;
    }
    for (size_t i = 0; i < w->k; i += GROUP) {
        scale[i / GROUP] = abdb_quantise_symmetric(in + i, GROUP, 7, quantised_group);
        for (size_t j = 0; j < GROUP / 2; j++)
            out[i / 2 + j] =
                (char)((quantised_group[j] + 8) | (quantised_group[j + GROUP / 2] + 8) << 4);
    }
}

/* Columns [first, first + n). */
static abdb_status upload_weight_columns(cl_decoder *s, const abdb_weights *w,
                                         abdb_column_reader *column, const void *from, size_t first,
                                         size_t n, abdb_error *err)
{
    abdb_device *d = &s->builder->job->d->device;
    size_t each = weight_column_bytes(s, w), scales = scales_per_column(w);
    char *out = calloc(n, each), *to = (char *)w->data + first * each;
    float *in = calloc(n * w->k, sizeof *in), *scale = calloc(n * scales + 1, sizeof *scale);
    int8_t *room = calloc(n, GROUP);
    abdb_status st = ABDB_OK;

    if (!out || !in || !scale || !room) TRY(ABDB_FAIL(err, ABDB_NOMEM, "columns of weights"));
#pragma omp parallel for schedule(static)
    for (size_t j = 0; j < n; j++) {
        column(from, first + j, in + j * w->k);
        encode_weight_column(s, w, in + j * w->k, room + j * GROUP, out + j * each,
                             scale + j * scales);
    }
    TRY(d->upload(d, to, out, n * each, err));
    to = (char *)w->data + scales_byte_offset(s, w) + first * scales * sizeof *scale;
    if (scales) TRY(d->upload(d, to, scale, n * scales * sizeof *scale, err));
done:
    free(out);
    free(in);
    free(scale);
    free(room);
    return st;
}

static abdb_status opencl_build_weights(void *self, const abdb_weights *w,
                                        abdb_column_reader *column, const void *from,
                                        abdb_error *err)
{
    abdb_status st = ABDB_OK;

    for (size_t first = 0; first < w->n; first += PIECE)
        TRY(upload_weight_columns(self, w, column, from, first,
                                  w->n - first < PIECE ? w->n - first : PIECE, err));
done:
    return st;
}

/* So many bytes of a matrix; 0 where they cannot be had. */
static void download_or_zero(cl_decoder *s, const abdb_weights *w, size_t at, size_t bytes,
                             void *out)
{
    abdb_device *d = &s->builder->job->d->device;
    abdb_error err;
    abdb_status st = d->download(d, out, (const char *)w->data + at, bytes, &err);

    if (st != ABDB_OK) {
        memset(out, 0, bytes);
        abdb_cl_finish_part(s->builder, st, &err);
    }
}

static double opencl_read_weight(void *self, const abdb_weights *w, size_t k, size_t n)
{
    cl_decoder *s = self;
    size_t first = n * weight_column_bytes(s, w), scales = scales_per_column(w), half = GROUP / 2;
    unsigned char room[sizeof(double)] = {0};
    abdb_tensor t = {.dtype = s->builder->dtype, .data = room};
    float scale;

    if (w->form == ABDB_WEIGHTS_SAME) {
        download_or_zero(s, w, first + k * s->builder->size, s->builder->size, room);
        return abdb_tensor_get_f64(&t, 0);
    }
    download_or_zero(
        s, w, scales_byte_offset(s, w) + (n * scales + (scales > 1 ? k / GROUP : 0)) * sizeof scale,
        sizeof scale, &scale);
    if (w->form == ABDB_WEIGHTS_I8) {
        download_or_zero(s, w, first + k, 1, room);
        return (double)(int8_t)room[0] * (double)scale;
    }
    download_or_zero(s, w, first + k / GROUP * half + k % half, 1, room);
    return (double)((room[0] >> (k % GROUP / half * 4) & 15) - 8) * (double)scale;
}

static void write_weight_options(const cl_decoder *s, int form, size_t rows, char *out)
{
    static const char *const forms[] = {
        [ABDB_WEIGHTS_SAME] = "SAME", [ABDB_WEIGHTS_I8] = "BYTES", [ABDB_WEIGHTS_I4] = "HALVES"};

    snprintf(out, OPTIONS, "%s -D%s -DROWS=%zu", s->builder->format, forms[form], rows);
}

static void opencl_gemm_dequantising_weights(void *self, const abdb_part_weight_gemm *x)
{
    cl_decoder *s = self;
    abdb_cl_builder *m = s->builder;
    const abdb_weights *w = x->w;
    char options[OPTIONS] = "";
    abdb_cl_kernel_call call = {"quantised_weights.cl",
                                "weight_gemm",
                                options,
                                {abdb_cl_ceil_divide(w->n, COLUMNS * m->items)},
                                {m->items}};
    abdb_error err;

    write_weight_options(s, w->form, x->m > 1 ? ROWS : 1, options);
    if (no_earlier_part_failed(s))
        abdb_cl_finish_part(m,
                            abdb_cl_issue_kernel(m->job, &call, &err, "pplpllli", x->x, m->size,
                                                 w->data, (size_t)1, scales_byte_offset(s, w), x->y,
                                                 m->size, x->m, w->n, w->k, x->add ? 1 : 0),
                            &err);
}

static abdb_status look_up_tokens(cl_decoder *s, const abdb_weights *w, const int32_t *token,
                                  size_t rows, void *x, abdb_error *err)
{
    char options[OPTIONS] = "";
    abdb_cl_kernel_call call = abdb_cl_call_per_row(s->builder, "quantised_weights.cl",
                                                    "dequantise_token_rows", options, rows);
    abdb_status st = ABDB_OK;

    write_weight_options(s, w->form, rows > 1 ? ROWS : 1, options);
    TRY(grow_integer_buffers(s, rows, err));
    memcpy(s->next, token, rows * sizeof *token);
    TRY(upload_ints_if_changed(s, rows, err));
    TRY(abdb_cl_issue_kernel(s->builder->job, &call, err, "plbpl", w->data, (size_t)1,
                             scales_byte_offset(s, w), s->device_ints, x, s->builder->size, w->k));
done:
    return st;
}

static void opencl_embed_tokens(void *self, const abdb_weights *w, const int32_t *token,
                                size_t rows, void *x)
{
    cl_decoder *s = self;
    abdb_error err;

    if (no_earlier_part_failed(s))
        abdb_cl_finish_part(s->builder, look_up_tokens(s, w, token, rows, x, &err), &err);
}

static void opencl_rmsnorm_rows(void *self, size_t rows, size_t columns, const void *x,
                                const void *gain, void *out)
{
    cl_decoder *s = self;
    abdb_cl_builder *m = s->builder;
    abdb_cl_kernel_call call =
        abdb_cl_call_per_row(m, "norm.cl", "layernorm_or_rmsnorm", m->format, rows);
    abdb_error err;

    if (no_earlier_part_failed(s))
        abdb_cl_finish_part(m,
                            abdb_cl_issue_kernel(m->job, &call, &err, "ppppl", x, m->size, gain,
                                                 m->size, gain, m->size, out, m->size, columns),
                            &err);
}

static void write_chunk_options(const cl_decoder *s, char *out)
{
    snprintf(out, OPTIONS, "%s -DCHUNK=%d", s->builder->format, ABDB_CL_CHUNK);
}

static void opencl_swiglu_rows(void *self, size_t rows, size_t columns, const void *x, void *out)
{
    cl_decoder *s = self;
    abdb_cl_builder *m = s->builder;
    char options[OPTIONS] = "";
    abdb_cl_kernel_call call = abdb_cl_call_per_row(m, "decode_misc.cl", "swiglu", options, rows);
    abdb_error err;

    write_chunk_options(s, options);
    if (no_earlier_part_failed(s))
        abdb_cl_finish_part(
            m, abdb_cl_issue_kernel(m->job, &call, &err, "ppl", x, m->size, out, m->size, columns),
            &err);
}

static abdb_status add_argmax_and_download(cl_decoder *s, size_t rows, size_t columns,
                                           const void *x, int32_t *out, abdb_error *err)
{
    abdb_cl_builder *m = s->builder;
    abdb_device *d = &m->job->d->device;
    char options[OPTIONS] = "";
    abdb_cl_kernel_call call = {"decode_misc.cl",
                                "argmax_rows",
                                options,
                                {abdb_cl_ceil_divide(rows, m->items)},
                                {m->items}};
    cl_mem places;
    abdb_status st = ABDB_OK;

    write_chunk_options(s, options);
    TRY(abdb_cl_row_workspace(m, rows, &places, err));
    TRY(abdb_cl_issue_kernel(m->job, &call, err, "pbll", x, m->size, places, rows, columns));
    TRY(d->download(d, out, places, rows * sizeof *out, err));
done:
    return st;
}

static void opencl_argmax_rows_minus1_on_error(void *self, size_t rows, size_t columns,
                                               const void *x, int32_t *out)
{
    cl_decoder *s = self;
    abdb_error err;

    for (size_t r = 0; r < rows; r++) out[r] = -1;
    if (no_earlier_part_failed(s))
        abdb_cl_finish_part(s->builder, add_argmax_and_download(s, rows, columns, x, out, &err),
                            &err);
    if (!no_earlier_part_failed(s)) fprintf(stderr, "%s\n", s->builder->err.message);
}

/* --- attention -------------------------------------------------------------------------------- */

/* Sequence and position of each row, and the blocks of each sequence, to the device_ints. */
static abdb_status upload_positions_and_pages(cl_decoder *s, const abdb_part_kv_attention *x,
                                              size_t *rows, abdb_error *err)
{
    size_t n = x->first[x->sequences], pages = x->sequences * x->width;
    abdb_status st = ABDB_OK;

    *rows = n;
    TRY(grow_integer_buffers(s, 2 * n + pages, err));
    for (size_t i = 0; i < x->sequences; i++)
        for (size_t r = x->first[i]; r < x->first[i + 1]; r++) {
            s->next[r] = (int32_t)i;
            s->next[n + r] = (int32_t)(x->past[i] + r - x->first[i]);
        }
    memcpy(s->next + 2 * n, x->page, pages * sizeof *x->page);
    TRY(upload_ints_if_changed(s, 2 * n + pages, err));
done:
    return st;
}

static void write_cache_options(const cl_decoder *s, const abdb_part_kv_attention *x, char *out)
{
    size_t lanes = abdb_cl_vector_lanes(s->builder->job->d, ABDB_F32);

    snprintf(out, OPTIONS, "%s -DWIDE=%zu", s->builder->format,
             abdb_cl_ceil_divide(x->d, lanes) * lanes);
}

static abdb_status add_rotate_and_append_kv(cl_decoder *s, const abdb_part_kv_attention *x,
                                            abdb_error *err)
{
    size_t size = s->builder->size, rows;
    char options[OPTIONS] = "";
    abdb_status st = ABDB_OK;

    write_cache_options(s, x, options);
    TRY(upload_positions_and_pages(s, x, &rows, err));
    TRY(abdb_cl_issue_kernel(s->builder->job,
                             &(abdb_cl_kernel_call){"kv_cache_attention.cl",
                                                    "rotate_qk_append_kv",
                                                    options,
                                                    {rows, x->heads + x->kv_heads},
                                                    {0}},
                             err, "ppppbllllll", x->qkv, size, x->keys, size, x->values, size,
                             x->turn, sizeof(float), s->device_ints, rows, x->heads, x->kv_heads,
                             x->d, x->block, x->width));
done:
    return st;
}

static void opencl_rotate_qk_append_kv(void *self, const abdb_part_kv_attention *x)
{
    cl_decoder *s = self;
    abdb_error err;

    if (no_earlier_part_failed(s))
        abdb_cl_finish_part(s->builder, add_rotate_and_append_kv(s, x, &err), &err);
}

static abdb_status add_kv_cache_attention(cl_decoder *s, const abdb_part_kv_attention *x,
                                          abdb_error *err)
{
    size_t size = s->builder->size, rows;
    char options[OPTIONS] = "";
    abdb_status st = ABDB_OK;

    write_cache_options(s, x, options);
    TRY(upload_positions_and_pages(s, x, &rows, err));
    TRY(abdb_cl_issue_kernel(
        s->builder->job,
        &(abdb_cl_kernel_call){
            "kv_cache_attention.cl", "attend_to_kv_cache", options, {rows, x->heads}, {0}},
        err, "ppppblllllli", x->qkv, size, x->keys, size, x->values, size, x->out, size,
        s->device_ints, rows, x->heads, x->kv_heads, x->d, x->block, x->width, x->padded ? 1 : 0));
done:
    return st;
}

static void opencl_attend_kv_cache(void *self, const abdb_part_kv_attention *x)
{
    cl_decoder *s = self;
    abdb_error err;

    if (no_earlier_part_failed(s))
        abdb_cl_finish_part(s->builder, add_kv_cache_attention(s, x, &err), &err);
}

static void opencl_read_bytes_and_wait(void *self, const void *at, size_t bytes)
{
    cl_decoder *s = self;
    abdb_cl_builder *m = s->builder;
    size_t n = bytes / sizeof(cl_uint), groups = abdb_cl_ceil_divide(n, ABDB_CL_CHUNK);
    char options[OPTIONS] = "";
    abdb_cl_kernel_call call = {"decode_misc.cl", "read_and_sum_words", options, {groups}, {0}};
    cl_mem sums;
    abdb_error err;
    abdb_status st = ABDB_OK;

    if (!no_earlier_part_failed(s)) return;
    write_chunk_options(s, options);
    TRY(abdb_cl_row_workspace(m, groups, &sums, &err));
    TRY(abdb_cl_issue_kernel(m->job, &call, &err, "pbl", at, sizeof(cl_uint), sums, n));
    TRY(abdb_cl_check_result(clFinish(m->job->d->queue), "clFinish", &err));
done:
    abdb_cl_finish_part(m, st, &err);
}

const abdb_decoder abdb_cl_decoder = {.why_refused = opencl_decoder_why_refused,
                                      .open = opencl_decoder_open,
                                      .close = opencl_decoder_close,
                                      .weight_gemm_work_bytes = opencl_weight_gemm_no_work_bytes,
                                      .attention_work_bytes = opencl_kv_attention_no_work_bytes,
                                      .alloc_workspace = opencl_decoder_reserve_nothing,
                                      .weights_byte_size = opencl_weights_byte_size,
                                      .build_weights = opencl_build_weights,
                                      .dequantise_weight = opencl_read_weight,
                                      .weight_gemm = opencl_gemm_dequantising_weights,
                                      .embed_tokens = opencl_embed_tokens,
                                      .rmsnorm_rows = opencl_rmsnorm_rows,
                                      .rotate_and_append_kv = opencl_rotate_qk_append_kv,
                                      .attend_kv_cache = opencl_attend_kv_cache,
                                      .swiglu_rows = opencl_swiglu_rows,
                                      .argmax_rows = opencl_argmax_rows_minus1_on_error,
                                      .read_all_bytes = opencl_read_bytes_and_wait};
