/* flash_attention.c - attention of heads in blocks; see flash_attention.h. */
#include "kernels/providers/opencl/flash_attention.h"

#include <stdio.h>

/* Rows are filled up to a multiple of what a work-item has, and of what it goes through. */
enum { PAD = 192, PIECE = 16, OPTIONS = 96 };

static size_t pad_row_count(size_t rows)
{
    return abdb_cl_ceil_divide(rows, PAD) * PAD;
}

static size_t rows_per_work_item(const abdb_cl_job *job)
{
    return job->d->wide == 64 ? 12 : job->d->wide == 32 ? 6 : 4;
}

static size_t padded_head_width(const abdb_cl_job *job, size_t d)
{
    size_t lanes = abdb_cl_vector_lanes(job->d, ABDB_F32);

    return abdb_cl_ceil_divide(d, lanes) * lanes;
}

static const char forward[] = "copy_heads.cl attention_blocks.cl flash.cl",
                  backward[] = "copy_heads.cl attention_blocks.cl attention_backward.cl";

static void write_attention_compile_options(const abdb_cl_job *job, size_t d, abdb_dtype dtype,
                                            char *out)
{
    snprintf(out, OPTIONS, "%s -DROWS=%zu -DWIDE=%zu", abdb_cl_compile_option_of_dtype(dtype),
             rows_per_work_item(job), padded_head_width(job, d));
}

/* Copies one operand, Q or (keys) K or V, to f32 in scratch, as padded rows or transposed. */
static abdb_status add_operand_copy_to_f32(abdb_cl_job *job, const char *files,
                                           const abdb_cl_attention *s, const abdb_cl_heads *from,
                                           bool keys, bool transposed, cl_mem *out, abdb_error *err)
{
    size_t heads = keys ? s->kv_heads : s->heads, count = keys ? s->keys : s->queries,
           rows = pad_row_count(count), wide = padded_head_width(job, s->d);
    char options[OPTIONS];
    abdb_status st = ABDB_OK;

    write_attention_compile_options(job, s->d, from->dtype, options);
    TRY(abdb_cl_alloc_or_count_scratch(
        job, s->batch * heads * rows * (transposed ? s->d : wide) * sizeof(float), out, err));
    TRY(abdb_cl_issue_kernel(job,
                             &(abdb_cl_kernel_call){files,
                                                    transposed
                                                        ? "copy_head_rows_transposed_padded_f32"
                                                        : "copy_head_rows_padded_f32",
                                                    options,
                                                    {rows / PIECE, heads, s->batch},
                                                    {0}},
                             err, "bblllllll", from->data, *out, count, rows, s->d, from->first,
                             from->batch, from->head, from->row));
done:
    return st;
}

abdb_status abdb_cl_add_f32_copies_and_flash_forward(abdb_cl_job *job, const abdb_cl_attention *s,
                                                     const abdb_cl_heads *q, const abdb_cl_heads *k,
                                                     const abdb_cl_heads *v, const abdb_cl_heads *o,
                                                     void *logarithm, abdb_error *err)
{
    cl_mem q_rows, k_transposed, v_rows;
    char options[OPTIONS];
    abdb_status st = ABDB_OK;

    TRY(add_operand_copy_to_f32(job, forward, s, q, false, false, &q_rows, err));
    TRY(add_operand_copy_to_f32(job, forward, s, k, true, true, &k_transposed, err));
    TRY(add_operand_copy_to_f32(job, forward, s, v, true, false, &v_rows, err));
    write_attention_compile_options(job, s->d, o->dtype, options);
    TRY(abdb_cl_issue_kernel(
        job,
        &(abdb_cl_kernel_call){
            forward,
            "flash_attention_rows",
            options,
            {abdb_cl_ceil_divide(s->queries, rows_per_work_item(job)), s->heads, s->batch},
            {0}},
        err, "bbbbpllllllillll", q_rows, k_transposed, v_rows, o->data, logarithm, sizeof(float),
        s->queries, s->keys, s->d, pad_row_count(s->queries), pad_row_count(s->keys),
        s->heads / s->kv_heads, s->causal, o->first, o->batch, o->head, o->row));
done:
    return st;
}

/* Everything that gradients are made of, as f32. */
typedef struct {
    cl_mem q, k, v, o, d_o, q_turned, k_transposed, v_turned, d_o_turned, means;
} backward_operands;

/* Adds copies of Q, K, V, dO (also transposed) and O in f32, and for each query the sum of dO O. */
static abdb_status add_backward_operands_and_row_dots(abdb_cl_job *job, const abdb_cl_attention *s,
                                                      const abdb_cl_attention_backward *of,
                                                      backward_operands *x, abdb_error *err)
{
    size_t heads = s->batch * s->heads;
    char options[OPTIONS];
    abdb_status st = ABDB_OK;

    TRY(add_operand_copy_to_f32(job, backward, s, &of->q, false, false, &x->q, err));
    TRY(add_operand_copy_to_f32(job, backward, s, &of->q, false, true, &x->q_turned, err));
    TRY(add_operand_copy_to_f32(job, backward, s, &of->k, true, false, &x->k, err));
    TRY(add_operand_copy_to_f32(job, backward, s, &of->k, true, true, &x->k_transposed, err));
    TRY(add_operand_copy_to_f32(job, backward, s, &of->v, true, false, &x->v, err));
    TRY(add_operand_copy_to_f32(job, backward, s, &of->v, true, true, &x->v_turned, err));
    TRY(add_operand_copy_to_f32(job, backward, s, &of->d_o, false, false, &x->d_o, err));
    TRY(add_operand_copy_to_f32(job, backward, s, &of->d_o, false, true, &x->d_o_turned, err));
    TRY(add_operand_copy_to_f32(job, backward, s, &of->o, false, false, &x->o, err));
    TRY(abdb_cl_alloc_or_count_scratch(job, heads * s->queries * sizeof(float), &x->means, err));
    write_attention_compile_options(job, s->d, of->dq.dtype, options);
    TRY(abdb_cl_issue_kernel(
        job,
        &(abdb_cl_kernel_call){backward, "dot_do_o_per_query", options, {s->queries, heads}, {0}},
        err, "bbblll", x->d_o, x->o, x->means, s->queries, pad_row_count(s->queries), s->d));
done:
    return st;
}

abdb_status abdb_cl_add_f32_copies_and_flash_backward(abdb_cl_job *job, const abdb_cl_attention *s,
                                                      const abdb_cl_attention_backward *of,
                                                      abdb_error *err)
{
    size_t rows = rows_per_work_item(job), group = s->heads / s->kv_heads;
    backward_operands x;
    char options[OPTIONS];
    abdb_status st = ABDB_OK;

    TRY(add_backward_operands_and_row_dots(job, s, of, &x, err));
    write_attention_compile_options(job, s->d, of->dq.dtype, options);
    TRY(abdb_cl_issue_kernel(
        job,
        &(abdb_cl_kernel_call){backward,
                               "attention_backward_dq",
                               options,
                               {abdb_cl_ceil_divide(s->queries, rows), s->heads, s->batch},
                               {0}},
        err, "bbbbbbpbbbllllllilllll", x.q, x.d_o, x.k, x.v, x.k_transposed, x.v_turned,
        of->logarithm, sizeof(float), x.means, of->dq.data, of->dq.data, s->queries, s->keys, s->d,
        pad_row_count(s->queries), pad_row_count(s->keys), group, s->causal, of->dq.first,
        of->dq.first, of->dq.batch, of->dq.head, of->dq.row));
    write_attention_compile_options(job, s->d, of->dk.dtype, options);
    TRY(abdb_cl_issue_kernel(
        job,
        &(abdb_cl_kernel_call){backward,
                               "attention_backward_dk_dv",
                               options,
                               {abdb_cl_ceil_divide(s->keys, rows), s->kv_heads, s->batch},
                               {0}},
        err, "bbbbbbpbbbllllllilllll", x.k, x.v, x.q, x.d_o, x.q_turned, x.d_o_turned,
        of->logarithm, sizeof(float), x.means, of->dk.data, of->dv.data, s->queries, s->keys, s->d,
        pad_row_count(s->keys), pad_row_count(s->queries), group, s->causal, of->dk.first,
        of->dv.first, of->dk.batch, of->dk.head, of->dk.row));
done:
    return st;
}
