/* dlrm_memory.c - the memory of a recommendation model: how much, where, and what it begins with.
 * All but tables and working memory is one piece, counted before it is made. See dlrm_net.h. */
#include <math.h>
#include <stdlib.h>

#include "kernels/workloads/dlrm_net.h"
#include "kernels/workloads/device_memory.h"

enum { LINE = 64, CHUNK = 1 << 18 };

/* The next piece; NULL while they are only counted. */
static void *carve_or_count_bytes(abdb_dlrm *d, size_t bytes)
{
    char *piece = d->memory ? d->memory + d->bytes : NULL;

    d->bytes += (bytes + LINE - 1) / LINE * LINE;
    return piece;
}

static abdb_part_gemm gemm_arguments_of_layer(const abdb_dlrm *d, const abdb_dlrm_layer *l)
{
    return (abdb_part_gemm){
        .m = d->s.batch, .n = l->out, .k = l->in, .lda = l->lda, .ldc = l->ldc, .b = l->w};
}

/* lda and ldc: 0 where rows lie side by side. */
static abdb_dlrm_layer lay_out_layer_and_grow_workspace(abdb_dlrm *d, size_t in, size_t out,
                                                        size_t lda, size_t ldc)
{
    const abdb_parts *parts = d->stage->parts;
    abdb_dlrm_layer l = {.in = in, .out = out, .lda = lda, .ldc = ldc};
    abdb_part_gemm x;
    size_t room;

    l.w = carve_or_count_bytes(d, in * out * d->size);
    x = gemm_arguments_of_layer(d, &l);
    if (parts->pack) {
        l.packed = carve_or_count_bytes(d, parts->packed_bytes(d->parts, &x));
        x.packed = &x; /* that it is counts, where does not yet */
    }
    room = parts->gemm_work_bytes(d->parts, &x);
    d->work = room > d->work ? room : d->work;
    return l;
}

/* last: is there a ReLU behind the last layer too? */
static void lay_out_mlp(abdb_dlrm *d, abdb_dlrm_layer *of, const size_t *width, size_t layers,
                        size_t in, size_t lda, size_t ldc, bool relu_after_last)
{
    for (size_t i = 0; i < layers; in = width[i++]) {
        of[i] = lay_out_layer_and_grow_workspace(d, in, width[i], i ? 0 : lda,
                                                 i + 1 < layers ? 0 : ldc);
        of[i].bias = carve_or_count_bytes(d, width[i] * d->size);
        of[i].relu = i + 1 < layers || relu_after_last;
    }
}

static size_t widest_layer_of_mlp(const size_t *width, size_t layers)
{
    size_t most = 1;

    for (size_t i = 0; i < layers; i++) most = width[i] > most ? width[i] : most;
    return most;
}

/* Called twice: to count the bytes, and with d->memory to set the places. */
static void lay_out_or_count_memory(abdb_dlrm *d)
{
    const abdb_dlrm_shape *s = &d->s;
    size_t bottom = widest_layer_of_mlp(s->bottom, s->bottoms),
           top = widest_layer_of_mlp(s->top, s->tops), row = s->batch * s->x0_stride * d->size;

    d->bytes = 0;
    lay_out_mlp(d, d->bottom, s->bottom, s->bottoms, s->dense, 0, s->x0_stride, true);
    for (size_t i = 0; i < s->crosses; i++) {
        d->down[i] = lay_out_layer_and_grow_workspace(d, s->joined, s->rank, s->x0_stride, 0);
        d->up[i] = lay_out_layer_and_grow_workspace(d, s->rank, s->joined, 0, s->x0_stride);
        d->shift[i] = carve_or_count_bytes(d, s->x0_stride * d->size);
    }
    lay_out_mlp(d, d->top, s->top, s->tops, s->joined, s->x0_stride, 0, false);
    d->dense = carve_or_count_bytes(d, s->batch * s->dense * d->size);
    d->x0 = carve_or_count_bytes(d, row);
    d->x = carve_or_count_bytes(d, row);
    d->wide = carve_or_count_bytes(d, row);
    d->low = carve_or_count_bytes(d, s->batch * s->rank * d->size);
    d->hidden[0] = carve_or_count_bytes(d, s->batch * (bottom > top ? bottom : top) * d->size);
    d->hidden[1] = carve_or_count_bytes(d, s->batch * (bottom > top ? bottom : top) * d->size);
    d->out = carve_or_count_bytes(d, s->batch * d->size);
    d->index = carve_or_count_bytes(d, s->tables * s->batch * s->lookups * sizeof *d->index);
}

/* Bytes of so many tables. */
static size_t byte_size_of_tables(const abdb_dlrm *d, size_t tables)
{
    return tables * d->s.rows * d->s.width * d->size;
}

/* Everything that is known before memory is made. */
static abdb_status open_parts_and_count_memory(abdb_dlrm *d, const abdb_run_context *stage,
                                               const abdb_dlrm_shape *s, abdb_error *err)
{
    const abdb_parts *parts = stage->parts;
    size_t room;
    abdb_status st = ABDB_OK;

    *d = (abdb_dlrm){.s = *s, .stage = stage, .size = abdb_dtype_size(s->dtype)};
    TRY(parts->open(&d->parts, stage->p, s->dtype, err));
    lay_out_or_count_memory(d);
    room = parts->row_op_work_bytes(d->parts, s->x0_stride);
    d->work = room > d->work ? room : d->work;
done:
    return st;
}

abdb_status abdb_dlrm_predict_memory_bytes(const abdb_run_context *stage, const abdb_dlrm_shape *s,
                                           double *out, abdb_error *err)
{
    abdb_dlrm d;
    abdb_status st = ABDB_OK;

    TRY(open_parts_and_count_memory(&d, stage, s, err));
    *out = (double)d.bytes + (double)d.work + (double)byte_size_of_tables(&d, s->tables);
done:
    abdb_dlrm_free(&d);
    return st;
}

/* --- what it begins with ---------------------------------------------------------------------- */

/* What is made of elements [first, first + n) of a piece. */
typedef void element_maker(const abdb_dlrm *d, void *to, size_t first, size_t n, uint64_t seed,
                           double of);

/* Numbers, uniform with mean 0 and that deviation. */
static void fill_host_uniform_numbers(const abdb_dlrm *d, void *to, size_t first, size_t n,
                                      uint64_t seed, double deviation)
{
    const double wide = 2 * sqrt(3) * deviation;

#pragma omp parallel for schedule(static)
    for (size_t i = 0; i < n; i++) {
        double value =
            ((double)(abdb_random_bits_at(seed, first + i) >> 11) * 0x1p-53 - 0.5) * wide;

        if (d->s.dtype == ABDB_F64)
            ((double *)to)[i] = value;
        else if (d->s.dtype == ABDB_F32)
            ((float *)to)[i] = (float)value;
        else
            ((uint16_t *)to)[i] = abdb_bf16_from_f32((float)value);
    }
}

/* Rows of tables, uniform, of so many. */
static void fill_host_random_indices(const abdb_dlrm *d, void *to, size_t first, size_t n,
                                     uint64_t seed, double rows)
{
    int32_t *index = to;

    (void)d;
#pragma omp parallel for schedule(static)
    for (size_t i = 0; i < n; i++)
        index[i] = (int32_t)((abdb_random_bits_at(seed, first + i) >> 32) * (uint64_t)rows >> 32);
}

/* Makes elements [first, first + n): where they lie if that is the host, else some at a time in
 * d->room, from where they are uploaded. */
static abdb_status make_elements_and_upload_in_chunks(const abdb_dlrm *d, element_maker *maker,
                                                      void *to, size_t first, size_t n, size_t size,
                                                      uint64_t seed, double maker_argument,
                                                      abdb_error *err)
{
    abdb_status st = ABDB_OK;

    if (d->stage->device->on_host) {
        maker(d, to, first, n, seed, maker_argument);
        return ABDB_OK;
    }
    for (size_t i = 0; i < n; i += CHUNK) {
        size_t here = n - i < CHUNK ? n - i : CHUNK;

        maker(d, d->room, first + i, here, seed, maker_argument);
        TRY(abdb_device_upload(d->stage, (char *)to + i * size, d->room, here * size, err));
    }
done:
    return st;
}

/* Another `seed` for each piece. */
static abdb_status fill_device_uniform_with_deviation(const abdb_dlrm *d, void *to, size_t n,
                                                      uint64_t seed, double deviation,
                                                      abdb_error *err)
{
    return make_elements_and_upload_in_chunks(d, fill_host_uniform_numbers, to, 0, n, d->size, seed,
                                              deviation, err);
}

/* Numbers that pass keep their size: half of them pass a ReLU. */
static abdb_status init_and_pack_layer(const abdb_dlrm *d, const abdb_dlrm_layer *l, uint64_t *seed,
                                       abdb_error *err)
{
    abdb_part_gemm x = gemm_arguments_of_layer(d, l);
    abdb_status st = ABDB_OK;

    TRY(fill_device_uniform_with_deviation(d, l->w, l->in * l->out, ++*seed,
                                           sqrt((l->relu ? 2 : 1) / (double)l->in), err));
    if (l->bias) TRY(fill_device_uniform_with_deviation(d, l->bias, l->out, ++*seed, 0.2, err));
    if (l->packed) d->stage->parts->pack(d->parts, &x, l->packed);
done:
    return st;
}

static void release_embedding_tables(abdb_dlrm *d)
{
    for (size_t i = 0; i < ABDB_DLRM_PIECES; i++) {
        if (d->tables[i]) d->stage->device->release(d->stage->device, d->tables[i]);
        d->tables[i] = NULL;
    }
}

/* Memory of tables, `each` in a piece, in large pages where the system has them. */
static abdb_status alloc_tables_in_pieces(abdb_dlrm *d, abdb_error *err)
{
    size_t left = d->s.tables;
    abdb_status st = ABDB_OK;

    for (size_t i = 0; left; i++) {
        size_t here = left < d->each ? left : d->each, bytes = byte_size_of_tables(d, here);
        void *memory;

        TRY(abdb_device_alloc_huge_pages_if_possible(d->stage, bytes, &memory, err));
        d->tables[i] = memory;
        left -= here;
    }
done:
    if (st != ABDB_OK) release_embedding_tables(d);
    return st;
}

/* In one piece, or where a device has none that large, in as few as do. */
static abdb_status alloc_tables_in_fewest_pieces_and_fill(abdb_dlrm *d, uint64_t seed,
                                                          abdb_error *err)
{
    const abdb_dlrm_shape *s = &d->s;
    size_t row = s->rows * s->width;
    abdb_status st = ABDB_NOMEM;

    for (size_t pieces = 1; st != ABDB_OK && pieces <= ABDB_DLRM_PIECES; pieces *= 2) {
        d->each = (s->tables + pieces - 1) / pieces;
        st = alloc_tables_in_pieces(d, err);
    }
    TRY(st);
    for (size_t t = 0; t < s->tables; t += d->each) {
        size_t here = s->tables - t < d->each ? s->tables - t : d->each;

        TRY(make_elements_and_upload_in_chunks(d, fill_host_uniform_numbers, d->tables[t / d->each],
                                               t * row, here * row, d->size, seed,
                                               1 / sqrt((double)s->lookups), err));
    }
done:
    return st;
}

abdb_status abdb_dlrm_alloc_and_init(abdb_dlrm *d, const abdb_run_context *stage,
                                     const abdb_dlrm_shape *s, uint64_t seed, abdb_error *err)
{
    void *memory;
    abdb_status st = ABDB_OK;

    TRY(open_parts_and_count_memory(d, stage, s, err));
    seed <<= 8;
    d->room = stage->device->on_host ? NULL : malloc(CHUNK * sizeof(double));
    if (!d->room && !stage->device->on_host) TRY(ABDB_FAIL(err, ABDB_NOMEM, "features"));
    TRY(abdb_device_alloc_zeroed(stage, d->bytes, &memory, err)); /* what pads rows stays 0 */
    d->memory = memory;
    TRY(stage->parts->alloc_workspace(d->parts, d->work, err));
    lay_out_or_count_memory(d);
    TRY(alloc_tables_in_fewest_pieces_and_fill(d, ++seed, err));
    for (size_t i = 0; i < s->bottoms; i++) TRY(init_and_pack_layer(d, &d->bottom[i], &seed, err));
    for (size_t i = 0; i < s->crosses; i++) {
        TRY(init_and_pack_layer(d, &d->down[i], &seed, err));
        TRY(init_and_pack_layer(d, &d->up[i], &seed, err));
        TRY(fill_device_uniform_with_deviation(d, d->shift[i], s->joined, ++seed, 0.2, err));
    }
    for (size_t i = 0; i < s->tops; i++) TRY(init_and_pack_layer(d, &d->top[i], &seed, err));
    TRY(abdb_parts_get_deferred_error(stage, d->parts, err));
done:
    return st;
}

abdb_status abdb_dlrm_draw_features_and_indices(abdb_dlrm *d, uint64_t seed, abdb_error *err)
{
    const abdb_dlrm_shape *s = &d->s;
    abdb_status st = ABDB_OK;

    TRY(fill_device_uniform_with_deviation(d, d->dense, s->batch * s->dense, 2 * seed, 1, err));
    TRY(make_elements_and_upload_in_chunks(d, fill_host_random_indices, d->index, 0,
                                           s->tables * s->batch * s->lookups, sizeof *d->index,
                                           2 * seed + 1, (double)s->rows, err));
done:
    return st;
}

void abdb_dlrm_free(abdb_dlrm *d)
{
    if (d->memory) d->stage->device->release(d->stage->device, d->memory);
    release_embedding_tables(d);
    if (d->parts) d->stage->parts->close(d->parts);
    free(d->room);
    d->memory = NULL;
    d->parts = NULL;
    d->room = NULL;
}
