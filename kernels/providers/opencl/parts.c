/* parts.c - parts of networks by OpenCL: products and attention, working memory, and what goes
 * wrong; see kernels/workloads/parts.h. Each part is enqueued when it is called. */
#include "kernels/providers/opencl/parts.h"

#include "kernels/providers/opencl/heads.h"
#include "kernels/providers/opencl/memory.h"
#include "kernels/providers/opencl/opencl.h"
#include "kernels/providers/opencl/product.h"

static const char *refuses(const abdb_problem *p, abdb_dtype dtype, size_t d, size_t columns)
{
    (void)p, (void)d, (void)columns;
    if (dtype != ABDB_F32 && dtype != ABDB_BF16) return "parts of networks but in f32 and bf16";
    return NULL;
}

static abdb_status failed(void *self, abdb_error *err)
{
    const abdb_cl_maker *s = self;

    if (s->status != ABDB_OK) *err = s->err;
    return s->status;
}

/* --- products --------------------------------------------------------------------------------- */

/* Rows and columns as they are multiplied: of what is stored transposed they change places. apart:
 * elements from a row to the next; 0: rows lie side by side. */
static abdb_cl_matrix matrix_of(const abdb_cl_maker *s, const void *data, size_t rows,
                                size_t columns, bool transposed, size_t apart)
{
    abdb_cl_place place = abdb_cl_find(s->job->d, data);

    return (abdb_cl_matrix){.data = place.memory,
                            .dtype = s->dtype,
                            .first = place.at / s->size,
                            .row = transposed ? 1 : (apart ? apart : columns),
                            .column = transposed ? (apart ? apart : rows) : 1};
}

/* Tiles have no more rows than there are: those of one row would be multiplied twelve times. */
static abdb_cl_size size_of(const abdb_cl_maker *s, const abdb_part_product *x)
{
    abdb_cl_size size = {.m = x->m,
                         .n = x->n,
                         .k = x->k,
                         .batch = 1,
                         .dtype = s->dtype,
                         .tiles = abdb_cl_usual(s->job->d, s->dtype),
                         .relu = x->act == ABDB_ACT_RELU,
                         .bias = x->bias};

    if (x->m < (size_t)size.tiles.rows) size.tiles.rows = (int)x->m;
    return size;
}

static abdb_status add_product(const abdb_cl_maker *s, const abdb_part_product *x, abdb_error *err)
{
    abdb_cl_matrix a = matrix_of(s, x->a, x->m, x->k, x->ta, x->lda),
                   b = matrix_of(s, x->b, x->k, x->n, x->tb, 0),
                   c = matrix_of(s, x->c, x->m, x->n, false, x->ldc);
    abdb_cl_size size = size_of(s, x);
    abdb_cl_panels of_a, of_b = {(void *)(uintptr_t)x->packed, 1}; /* it is only read */
    abdb_status st = ABDB_OK;

    TRY(abdb_cl_pack_a(s->job, &a, &size, &of_a, err));
    if (!x->packed) TRY(abdb_cl_pack_b(s->job, &b, &size, &of_b, err));
    TRY(abdb_cl_tile(s->job, &of_a, &of_b, &c, &size, err));
done:
    return st;
}

static size_t packed_bytes(void *self, const abdb_part_product *x)
{
    const abdb_cl_maker *s = self;
    abdb_cl_size size = size_of(s, x);

    return abdb_cl_panels_bytes(s->job, &size);
}

static void pack(void *self, const abdb_part_product *x, void *to)
{
    abdb_cl_maker *s = self;
    abdb_cl_matrix b = matrix_of(s, x->b, x->k, x->n, x->tb, 0);
    abdb_cl_size size = size_of(s, x);
    abdb_error err;

    if (s->status == ABDB_OK) abdb_cl_made(s, abdb_cl_pack_b_to(s->job, &b, &size, to, &err), &err);
}

static void product(void *self, const abdb_part_product *x)
{
    abdb_cl_maker *s = self;
    abdb_error err;

    if (s->status == ABDB_OK) abdb_cl_made(s, add_product(s, x, &err), &err);
}

/* What a part works in: it is gone through without a kernel. */
static size_t counted(abdb_cl_maker *s, abdb_status st, const abdb_error *err)
{
    size_t used = s->job->used;

    s->job->counts = false;
    abdb_cl_made(s, st, err);
    return used;
}

static size_t room_of_product(void *self, const abdb_part_product *x)
{
    abdb_cl_maker *s = self;
    abdb_error err;

    s->job->counts = true;
    return counted(s, add_product(s, x, &err), &err);
}

/* --- attention -------------------------------------------------------------------------------- */

/* Heads of rows of `width` numbers, from number `first` of each on. */
static abdb_cl_heads heads_of(const abdb_cl_maker *s, const abdb_part_attention *x,
                              const void *data, size_t width, size_t first)
{
    abdb_cl_place place = abdb_cl_find(s->job->d, data);

    return (abdb_cl_heads){.data = place.memory,
                           .dtype = s->dtype,
                           .first = place.at / s->size + first,
                           .batch = x->sequence * width,
                           .head = x->d,
                           .row = width};
}

static abdb_status add_attention(const abdb_cl_maker *s, const abdb_part_attention *x,
                                 bool backward, abdb_error *err)
{
    size_t width = x->heads * x->d;
    abdb_cl_attention size = {.batch = x->batch,
                              .heads = x->heads,
                              .kv_heads = x->heads,
                              .queries = x->sequence,
                              .keys = x->sequence,
                              .d = x->d,
                              .causal = true};
    abdb_cl_slopes of = {.q = heads_of(s, x, x->qkv, 3 * width, 0),
                         .k = heads_of(s, x, x->qkv, 3 * width, width),
                         .v = heads_of(s, x, x->qkv, 3 * width, 2 * width),
                         .o = heads_of(s, x, x->out, width, 0),
                         .logarithm = x->l};

    if (!backward)
        return abdb_cl_flash(s->job, &size, &of.q, &of.k, &of.v, &of.o, of.logarithm, err);
    of.d_o = heads_of(s, x, x->dout, width, 0);
    of.dq = heads_of(s, x, x->dqkv, 3 * width, 0);
    of.dk = heads_of(s, x, x->dqkv, 3 * width, width);
    of.dv = heads_of(s, x, x->dqkv, 3 * width, 2 * width);
    return abdb_cl_flash_back(s->job, &size, &of, err);
}

static void attention(void *self, const abdb_part_attention *x, bool backward)
{
    abdb_cl_maker *s = self;
    abdb_error err;

    if (s->status == ABDB_OK) abdb_cl_made(s, add_attention(s, x, backward, &err), &err);
}

static size_t room_of_attention(void *self, const abdb_part_attention *x, bool backward)
{
    abdb_cl_maker *s = self;
    abdb_error err;

    s->job->counts = true;
    return counted(s, add_attention(s, x, backward, &err), &err);
}

/* --- working memory --------------------------------------------------------------------------- */

static size_t room_of_rows(void *self, size_t columns)
{
    (void)self, (void)columns;
    return 0;
}

static abdb_status reserve(void *self, size_t bytes, abdb_error *err)
{
    abdb_cl_maker *s = self;
    cl_mem *work = &s->job->work;
    cl_int code;

    if (*work) clReleaseMemObject(*work);
    *work = clCreateBuffer(s->job->d->context, CL_MEM_READ_WRITE, bytes ? bytes : 1, NULL, &code);
    if (code != CL_SUCCESS) *work = NULL;
    return abdb_cl_check(code, "clCreateBuffer", err);
}

const abdb_parts abdb_cl_parts = {.refuses = refuses,
                                  .open = abdb_cl_maker_open,
                                  .close = abdb_cl_maker_close,
                                  .room_of_product = room_of_product,
                                  .room_of_attention = room_of_attention,
                                  .room_of_rows = room_of_rows,
                                  .reserve = reserve,
                                  .packed_bytes = packed_bytes,
                                  .pack = pack,
                                  .product = product,
                                  .attention = attention,
                                  .rows = abdb_cl_part_rows,
                                  .embedding = abdb_cl_part_embedding,
                                  .bags = abdb_cl_part_bags,
                                  .loss = abdb_cl_part_loss,
                                  .add = abdb_cl_part_add,
                                  .update = abdb_cl_part_update,
                                  .failed = failed,
                                  .decoder = &abdb_cl_decoder};
