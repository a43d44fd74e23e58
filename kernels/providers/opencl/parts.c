/* parts.c - parts of networks by OpenCL: products and attention, working memory, and what goes
 * wrong; see kernels/workloads/parts.h. Each part is enqueued when it is called. */
#include "kernels/providers/opencl/parts.h"

#include "kernels/providers/opencl/flash_attention.h"
#include "kernels/providers/opencl/memory.h"
#include "kernels/providers/opencl/opencl.h"
#include "kernels/providers/opencl/packed_gemm.h"

static const char *opencl_parts_why_refused(const abdb_problem *p, abdb_dtype dtype, size_t d,
                                            size_t columns)
{
    (void)p, (void)d, (void)columns;
    if (dtype != ABDB_F32 && dtype != ABDB_BF16) return "parts of networks but in f32 and bf16";
    return NULL;
}

static abdb_status opencl_parts_first_error(void *self, abdb_error *err)
{
    const abdb_cl_builder *s = self;

    if (s->status != ABDB_OK) *err = s->err;
    return s->status;
}

/* --- products --------------------------------------------------------------------------------- */

/* Rows and columns as they are multiplied: of what is stored transposed they change places. apart:
 * elements from a row to the next; 0: rows lie side by side. */
static abdb_cl_matrix matrix_of_part_operand(const abdb_cl_builder *s, const void *data,
                                             size_t rows, size_t columns, bool transposed,
                                             size_t apart)
{
    abdb_cl_buffer_offset place = abdb_cl_buffer_and_offset_of_address(s->job->d, data);

    return (abdb_cl_matrix){.data = place.memory,
                            .dtype = s->dtype,
                            .first = place.at / s->size,
                            .row = transposed ? 1 : (apart ? apart : columns),
                            .column = transposed ? (apart ? apart : rows) : 1};
}

/* Tiles have no more rows than there are: those of one row would be multiplied twelve times. */
static abdb_cl_gemm_size gemm_size_of_part(const abdb_cl_builder *s, const abdb_part_gemm *x)
{
    abdb_cl_gemm_size size = {.m = x->m,
                              .n = x->n,
                              .k = x->k,
                              .batch = 1,
                              .dtype = s->dtype,
                              .tiles = abdb_cl_default_tiles(s->job->d, s->dtype),
                              .relu = x->act == ABDB_ACT_RELU,
                              .bias = x->bias};

    if (x->m < (size_t)size.tiles.rows) size.tiles.rows = (int)x->m;
    return size;
}

/* Adds C = act(A B + bias) of a part; B may be packed already. */
static abdb_status add_pack_and_gemm_of_part(const abdb_cl_builder *s, const abdb_part_gemm *x,
                                             abdb_error *err)
{
    abdb_cl_matrix a = matrix_of_part_operand(s, x->a, x->m, x->k, x->ta, x->lda),
                   b = matrix_of_part_operand(s, x->b, x->k, x->n, x->tb, 0),
                   c = matrix_of_part_operand(s, x->c, x->m, x->n, false, x->ldc);
    abdb_cl_gemm_size size = gemm_size_of_part(s, x);
    abdb_cl_panels of_a, of_b = {(void *)(uintptr_t)x->packed, 1}; /* it is only read */
    abdb_status st = ABDB_OK;

    TRY(abdb_cl_alloc_panels_and_add_pack_a(s->job, &a, &size, &of_a, err));
    if (!x->packed) TRY(abdb_cl_alloc_panels_and_add_pack_b(s->job, &b, &size, &of_b, err));
    TRY(abdb_cl_add_gemm_of_panels(s->job, &of_a, &of_b, &c, &size, err));
done:
    return st;
}

static size_t opencl_packed_b_bytes(void *self, const abdb_part_gemm *x)
{
    const abdb_cl_builder *s = self;
    abdb_cl_gemm_size size = gemm_size_of_part(s, x);

    return abdb_cl_packed_b_bytes(s->job, &size);
}

/* Enqueues the packing of B into `to`; nothing after an error. */
static void opencl_pack_b(void *self, const abdb_part_gemm *x, void *to)
{
    abdb_cl_builder *s = self;
    abdb_cl_matrix b = matrix_of_part_operand(s, x->b, x->k, x->n, x->tb, 0);
    abdb_cl_gemm_size size = gemm_size_of_part(s, x);
    abdb_error err;

    if (s->status == ABDB_OK)
        abdb_cl_finish_part(s, abdb_cl_add_pack_b_to_buffer(s->job, &b, &size, to, &err), &err);
}

static void opencl_enqueue_gemm_keep_first_error(void *self, const abdb_part_gemm *x)
{
    abdb_cl_builder *s = self;
    abdb_error err;

    if (s->status == ABDB_OK) abdb_cl_finish_part(s, add_pack_and_gemm_of_part(s, x, &err), &err);
}

/* What a part works in: it is gone through without a kernel. */
static size_t end_counting_and_get_work_bytes(abdb_cl_builder *s, abdb_status st,
                                              const abdb_error *err)
{
    size_t used = s->job->used;

    s->job->counting_only = false;
    abdb_cl_finish_part(s, st, err);
    return used;
}

static size_t opencl_gemm_work_bytes(void *self, const abdb_part_gemm *x)
{
    abdb_cl_builder *s = self;
    abdb_error err;

    s->job->counting_only = true;
    return end_counting_and_get_work_bytes(s, add_pack_and_gemm_of_part(s, x, &err), &err);
}

/* --- attention -------------------------------------------------------------------------------- */

/* Heads of rows of `width` numbers, from number `first` of each on. */
static abdb_cl_heads heads_of_part_rows(const abdb_cl_builder *s, const abdb_part_attention *x,
                                        const void *data, size_t width, size_t first)
{
    abdb_cl_buffer_offset place = abdb_cl_buffer_and_offset_of_address(s->job->d, data);

    return (abdb_cl_heads){.data = place.memory,
                           .dtype = s->dtype,
                           .first = place.at / s->size + first,
                           .batch = x->sequence * width,
                           .head = x->d,
                           .row = width};
}

/* Adds causal attention over qkv, batch x sequence rows of 3 x heads x d, or its gradients into
 * dqkv. */
static abdb_status add_causal_attention_or_gradients(const abdb_cl_builder *s,
                                                     const abdb_part_attention *x, bool backward,
                                                     abdb_error *err)
{
    size_t width = x->heads * x->d;
    abdb_cl_attention size = {.batch = x->batch,
                              .heads = x->heads,
                              .kv_heads = x->heads,
                              .queries = x->sequence,
                              .keys = x->sequence,
                              .d = x->d,
                              .causal = true};
    abdb_cl_attention_backward of = {.q = heads_of_part_rows(s, x, x->qkv, 3 * width, 0),
                                     .k = heads_of_part_rows(s, x, x->qkv, 3 * width, width),
                                     .v = heads_of_part_rows(s, x, x->qkv, 3 * width, 2 * width),
                                     .o = heads_of_part_rows(s, x, x->out, width, 0),
                                     .logarithm = x->l};

    if (!backward)
        return abdb_cl_add_f32_copies_and_flash_forward(s->job, &size, &of.q, &of.k, &of.v, &of.o,
                                                        of.logarithm, err);
    of.d_o = heads_of_part_rows(s, x, x->dout, width, 0);
    of.dq = heads_of_part_rows(s, x, x->dqkv, 3 * width, 0);
    of.dk = heads_of_part_rows(s, x, x->dqkv, 3 * width, width);
    of.dv = heads_of_part_rows(s, x, x->dqkv, 3 * width, 2 * width);
    return abdb_cl_add_f32_copies_and_flash_backward(s->job, &size, &of, err);
}

static void opencl_causal_attention_or_gradients(void *self, const abdb_part_attention *x,
                                                 bool backward)
{
    abdb_cl_builder *s = self;
    abdb_error err;

    if (s->status == ABDB_OK)
        abdb_cl_finish_part(s, add_causal_attention_or_gradients(s, x, backward, &err), &err);
}

static size_t opencl_attention_work_bytes(void *self, const abdb_part_attention *x, bool backward)
{
    abdb_cl_builder *s = self;
    abdb_error err;

    s->job->counting_only = true;
    return end_counting_and_get_work_bytes(
        s, add_causal_attention_or_gradients(s, x, backward, &err), &err);
}

/* --- working memory --------------------------------------------------------------------------- */

static size_t opencl_row_ops_no_work_bytes(void *self, size_t columns)
{
    (void)self, (void)columns;
    return 0;
}

/* Working memory of that many bytes in place of what there was. */
static abdb_status opencl_replace_workspace(void *self, size_t bytes, abdb_error *err)
{
    abdb_cl_builder *s = self;
    cl_mem *work = &s->job->work;
    cl_int code;

    if (*work) clReleaseMemObject(*work);
    *work = clCreateBuffer(s->job->d->context, CL_MEM_READ_WRITE, bytes ? bytes : 1, NULL, &code);
    if (code != CL_SUCCESS) *work = NULL;
    return abdb_cl_check_result(code, "clCreateBuffer", err);
}

const abdb_parts abdb_cl_parts = {.why_refused = opencl_parts_why_refused,
                                  .open = abdb_cl_builder_open,
                                  .close = abdb_cl_builder_close,
                                  .gemm_work_bytes = opencl_gemm_work_bytes,
                                  .attention_work_bytes = opencl_attention_work_bytes,
                                  .row_op_work_bytes = opencl_row_ops_no_work_bytes,
                                  .alloc_workspace = opencl_replace_workspace,
                                  .packed_bytes = opencl_packed_b_bytes,
                                  .pack = opencl_pack_b,
                                  .gemm = opencl_enqueue_gemm_keep_first_error,
                                  .attention = opencl_causal_attention_or_gradients,
                                  .row_op = abdb_cl_part_row_ops,
                                  .embedding = abdb_cl_part_embed_or_gradients,
                                  .embedding_bags = abdb_cl_part_embedding_bags,
                                  .cross_entropy = abdb_cl_part_cross_entropy_replace_by_grad,
                                  .add_to_wide = abdb_cl_part_add_to_float_sums,
                                  .adamw_update = abdb_cl_part_adamw_update,
                                  .check_failed = opencl_parts_first_error,
                                  .decoder = &abdb_cl_decoder};
