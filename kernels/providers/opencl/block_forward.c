/* block_forward.c - a transformer block forward; see block.h. */
#include <stdio.h>

#include "kernels/providers/opencl/block.h"

/* Adds to = layernorm(from) gain + shift, n x d; gain and shift are places among the vectors of
 * P. */
static abdb_status cl_add_layernorm_kernel(abdb_cl_block *b, cl_mem from, cl_mem to, int gain,
                                           int shift, abdb_error *err)
{
    char options[96] = "";
    abdb_cl_kernel_call call =
        abdb_cl_block_call_descriptor_group_per_row(b, "norm.cl", "layernorm_or_rmsnorm", options);
    size_t none = 0;

    snprintf(options, sizeof options, "%s -DFROM_F32 -DCENTRED " ABDB_CL_PIECE,
             abdb_cl_compile_option_of_dtype(b->p->dtype));
    return abdb_cl_issue_kernel(b->job, &call, err, "blblblbll", from, none, b->p->data,
                                abdb_cl_block_vector_offset(b, gain), b->p->data,
                                abdb_cl_block_vector_offset(b, shift), to, none, b->d);
}

/* to = base (or nothing) + bias + from x a matrix of parameters. */
static abdb_status cl_add_linear_layer_kernels(abdb_cl_block *b, cl_mem from, cl_mem residual,
                                               cl_mem to, int matrix, int bias, abdb_error *err)
{
    size_t columns = abdb_cl_block_matrix_columns(b, matrix),
           depth = matrix == ABDB_CL_DOWN ? 4 * b->d : b->d;
    abdb_cl_matrix x = {.data = from, .dtype = ABDB_F32, .row = depth, .column = 1},
                   w = {.data = b->p->data,
                        .dtype = b->p->dtype,
                        .first = abdb_cl_block_matrix_offset(b, matrix),
                        .row = columns,
                        .column = 1},
                   c = {.data = to, .dtype = ABDB_F32, .row = columns, .column = 1};
    abdb_cl_gemm_size s = {.m = b->n,
                           .n = columns,
                           .k = depth,
                           .batch = 1,
                           .dtype = ABDB_F32,
                           .tiles = abdb_cl_default_tiles(b->job->d, ABDB_F32),
                           .add = true};
    char options[96] = "";
    abdb_cl_kernel_call call = abdb_cl_block_call_descriptor_group_per_row(
        b, "bias.cl", "broadcast_bias_on_base", options);
    abdb_status st = ABDB_OK;

    snprintf(options, sizeof options, "%s%s " ABDB_CL_PIECE,
             abdb_cl_compile_option_of_dtype(b->p->dtype), residual ? " -DON_TOP" : "");
    TRY(abdb_cl_issue_kernel(b->job, &call, err, "bbbll", b->p->data, residual ? residual : to, to,
                             columns, abdb_cl_block_vector_offset(b, bias)));
    TRY(abdb_cl_add_pack_and_gemm(b->job, &x, &w, &c, &s, err));
done:
    return st;
}

abdb_status abdb_cl_add_block_forward_kernels(abdb_cl_block *b, abdb_error *err)
{
    abdb_cl_heads q, k, v, o;
    abdb_cl_kernel_call gelu = abdb_cl_block_call_descriptor_group_per_chunk(
        "activation.cl", "gelu_or_silu_elements", "-DF32 -DGELU " ABDB_CL_PIECE, b->n * 4 * b->d);
    abdb_status st = ABDB_OK;

    TRY(cl_add_layernorm_kernel(b, b->x, b->n1, ABDB_CL_G1, ABDB_CL_B1, err));
    TRY(cl_add_linear_layer_kernels(b, b->n1, NULL, b->qkv, ABDB_CL_QKV, ABDB_CL_BQKV, err));
    q = abdb_cl_block_qkv_heads(b, b->qkv, 0);
    k = abdb_cl_block_qkv_heads(b, b->qkv, 1);
    v = abdb_cl_block_qkv_heads(b, b->qkv, 2);
    o = abdb_cl_block_contiguous_heads(b, b->att);
    TRY(abdb_cl_add_f32_copies_and_flash_forward(b->job, &b->attention, &q, &k, &v, &o,
                                                 b->logarithm, err));
    TRY(cl_add_linear_layer_kernels(b, b->att, b->x, b->h, ABDB_CL_OUT, ABDB_CL_BO, err));
    TRY(cl_add_layernorm_kernel(b, b->h, b->n2, ABDB_CL_G2, ABDB_CL_B2, err));
    TRY(cl_add_linear_layer_kernels(b, b->n2, NULL, b->f, ABDB_CL_UP, ABDB_CL_BFC, err));
    TRY(abdb_cl_issue_kernel(b->job, &gelu, err, "bbl", b->f, b->g, b->n * 4 * b->d));
    TRY(cl_add_linear_layer_kernels(b, b->g, b->h, b->y, ABDB_CL_DOWN, ABDB_CL_BPR, err));
done:
    return st;
}
