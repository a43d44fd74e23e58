/* block_backward.c - a transformer block backward; see block.h. */
#include <stdio.h>

#include "kernels/providers/opencl/block.h"

/* What a layer's gradients are made of. */
typedef struct {
    const abdb_cl_block *b;
    const abdb_tensor *dp;
    int matrix, bias;
    cl_mem in, d_out; /* rows of the layer's depth, and of its columns */
} cl_linear_layer_gradient;

static size_t matrix_rows_of_layer(const cl_linear_layer_gradient *l)
{
    return l->matrix == ABDB_CL_DOWN ? 4 * l->b->d : l->b->d;
}

/* Sums of columns into a vector of gradients. */
static abdb_status cl_add_column_sum_gradient_kernel(const cl_linear_layer_gradient *l, cl_mem from,
                                                     size_t width, int vector, abdb_error *err)
{
    const abdb_cl_block *b = l->b;
    size_t groups = abdb_cl_ceil_divide(width, abdb_cl_vector_lanes(b->job->d, ABDB_F32)), none = 0;
    char options[32];

    snprintf(options, sizeof options, "%s -DFROM_F32",
             abdb_cl_compile_option_of_dtype(l->dp->dtype));
    return abdb_cl_issue_kernel(
        b->job, &(abdb_cl_kernel_call){"column_sums.cl", "column_sums", options, {groups}, {0}},
        err, "blblll", from, none, l->dp->data, abdb_cl_block_vector_offset(b, vector), b->n,
        width);
}

/* Gradients of a layer's weights and bias, and of what went into it. */
static abdb_status cl_add_linear_layer_backward_kernels(const cl_linear_layer_gradient *l,
                                                        cl_mem d_in, abdb_error *err)
{
    const abdb_cl_block *b = l->b;
    size_t columns = abdb_cl_block_matrix_columns(b, l->matrix), depth = matrix_rows_of_layer(l),
           first = abdb_cl_block_matrix_offset(b, l->matrix);
    abdb_cl_tiles tiles = abdb_cl_default_tiles(b->job->d, ABDB_F32);
    abdb_cl_matrix in = {.data = l->in, .dtype = ABDB_F32, .row = 1, .column = depth},
                   back = {.data = l->d_out, .dtype = ABDB_F32, .row = columns, .column = 1},
                   dw = {.data = l->dp->data,
                         .dtype = l->dp->dtype,
                         .first = first,
                         .row = columns,
                         .column = 1},
                   w = {.data = b->p->data,
                        .dtype = b->p->dtype,
                        .first = first,
                        .row = 1,
                        .column = columns},
                   out = {.data = d_in, .dtype = ABDB_F32, .row = depth, .column = 1};
    abdb_cl_gemm_size
        of_w = {.m = depth, .n = columns, .k = b->n, .batch = 1, .dtype = ABDB_F32, .tiles = tiles},
        of_in = {
            .m = b->n, .n = depth, .k = columns, .batch = 1, .dtype = ABDB_F32, .tiles = tiles};
    abdb_status st = ABDB_OK;

    TRY(abdb_cl_add_pack_and_gemm(b->job, &in, &back, &dw, &of_w, err));
    TRY(cl_add_column_sum_gradient_kernel(l, l->d_out, columns, l->bias, err));
    TRY(abdb_cl_add_pack_and_gemm(b->job, &back, &w, &out, &of_in, err));
done:
    return st;
}

/* Slopes of a norm: dx = base + those of x; its gains and shifts. */
static abdb_status cl_add_layernorm_backward_kernels(const cl_linear_layer_gradient *l, cl_mem dy,
                                                     cl_mem x, cl_mem added_gradient, cl_mem dx,
                                                     int gain, int shift, abdb_error *err)
{
    abdb_cl_block b = *l->b;
    size_t groups = abdb_cl_ceil_divide(b.d, abdb_cl_vector_lanes(b.job->d, ABDB_F32)), none = 0;
    char options[96] = "";
    abdb_cl_kernel_call call = abdb_cl_block_call_descriptor_group_per_row(
        &b, "layernorm_backward.cl", "layernorm_backward_rows", options);
    cl_mem stats;
    abdb_status st = ABDB_OK;

    snprintf(options, sizeof options, "%s -DFROM_F32 -DON_TOP",
             abdb_cl_compile_option_of_dtype(b.p->dtype));
    TRY(abdb_cl_block_alloc_rows(&b, 2, &stats, err));
    TRY(abdb_cl_issue_kernel(b.job, &call, err, "blblblblblbl", dy, none, x, none, b.p->data,
                             abdb_cl_block_vector_offset(&b, gain), added_gradient, none, dx, none,
                             stats, b.d));
    TRY(abdb_cl_issue_kernel(
        b.job,
        &(abdb_cl_kernel_call){
            "layernorm_backward.cl", "layernorm_gain_shift_sums", options, {groups}, {0}},
        err, "blblbblbllli", dy, none, x, none, stats, l->dp->data,
        abdb_cl_block_vector_offset(&b, gain), l->dp->data, abdb_cl_block_vector_offset(&b, shift),
        b.n, b.d, 1));
done:
    return st;
}

/* Adds the gradients of causal attention: d_qkv, n x 3d, from d_att, n x d; its thirds are dQ,
 * dK, dV. */
static abdb_status cl_add_attention_backward_kernels(abdb_cl_block *b, cl_mem d_att, cl_mem d_qkv,
                                                     abdb_error *err)
{
    abdb_cl_attention_backward of = {.q = abdb_cl_block_qkv_heads(b, b->qkv, 0),
                                     .k = abdb_cl_block_qkv_heads(b, b->qkv, 1),
                                     .v = abdb_cl_block_qkv_heads(b, b->qkv, 2),
                                     .o = abdb_cl_block_contiguous_heads(b, b->att),
                                     .d_o = abdb_cl_block_contiguous_heads(b, d_att),
                                     .dq = abdb_cl_block_qkv_heads(b, d_qkv, 0),
                                     .dk = abdb_cl_block_qkv_heads(b, d_qkv, 1),
                                     .dv = abdb_cl_block_qkv_heads(b, d_qkv, 2),
                                     .logarithm = b->logarithm};

    return abdb_cl_add_f32_copies_and_flash_backward(b->job, &b->attention, &of, err);
}

abdb_status abdb_cl_add_block_backward_kernels(abdb_cl_block *b, const abdb_tensor *dy,
                                               const abdb_tensor *dx, const abdb_tensor *dp,
                                               abdb_error *err)
{
    size_t all = b->n * 4 * b->d, none = 0;
    abdb_cl_kernel_call gelu_backward = abdb_cl_block_call_descriptor_group_per_chunk(
        "activation.cl", "gelu_backward_in_place", "-DF32 -DGELU " ABDB_CL_PIECE, all);
    cl_mem d_y, d_g, d_n2, d_h, d_att, d_qkv, d_n1, d_x;
    cl_linear_layer_gradient down = {b, dp, ABDB_CL_DOWN, ABDB_CL_BPR, b->g, NULL},
                             up = {b, dp, ABDB_CL_UP, ABDB_CL_BFC, b->n2, NULL},
                             out = {b, dp, ABDB_CL_OUT, ABDB_CL_BO, b->att, NULL},
                             qkv = {b, dp, ABDB_CL_QKV, ABDB_CL_BQKV, b->n1, NULL};
    cl_mem *const one[] = {&d_y, &d_n2, &d_h, &d_att, &d_n1, &d_x};
    abdb_status st = ABDB_OK;

    for (size_t i = 0; i < sizeof one / sizeof one[0]; i++)
        TRY(abdb_cl_block_alloc_rows(b, b->d, one[i], err));
    TRY(abdb_cl_block_alloc_rows(b, 3 * b->d, &d_qkv, err));
    TRY(abdb_cl_block_alloc_rows(b, 4 * b->d, &d_g, err));
    down.d_out = d_y;
    up.d_out = d_g;
    out.d_out = d_h;
    qkv.d_out = d_qkv;
    TRY(abdb_cl_block_add_widen_or_narrow(b, true, dy->dtype, dy->data, d_y, err));
    TRY(cl_add_linear_layer_backward_kernels(&down, d_g, err));
    TRY(abdb_cl_issue_kernel(b->job, &gelu_backward, err, "blbll", b->f, none, d_g, none, all));
    TRY(cl_add_linear_layer_backward_kernels(&up, d_n2, err));
    TRY(cl_add_layernorm_backward_kernels(&up, d_n2, b->h, d_y, d_h, ABDB_CL_G2, ABDB_CL_B2, err));
    TRY(cl_add_linear_layer_backward_kernels(&out, d_att, err));
    TRY(cl_add_attention_backward_kernels(b, d_att, d_qkv, err));
    TRY(cl_add_linear_layer_backward_kernels(&qkv, d_n1, err));
    TRY(cl_add_layernorm_backward_kernels(&qkv, d_n1, b->x, d_h, d_x, ABDB_CL_G1, ABDB_CL_B1, err));
    TRY(abdb_cl_block_add_widen_or_narrow(b, false, dx->dtype, d_x, dx->data, err));
done:
    return st;
}
