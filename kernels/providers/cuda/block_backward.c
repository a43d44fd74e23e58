/* block_backward.c - a transformer block backward; see block.h. */
#include "kernels/providers/cuda/block.h"
#include "kernels/providers/cuda/flash_attention.h"
#include "kernels/providers/cuda/cublas_gemm.h"
#include "kernels/providers/cuda/row_ops.h"

enum { COLUMNS = 32 }; /* as in transformer_block.cu */

/* What a layer's gradients are made of: rows of its depth, and of its columns. */
typedef struct {
    abdb_cu_block *b;
    const abdb_tensor *dp;
    int matrix, bias;
    void *in, *d_out;
} linear_layer_gradient;

/* Sums of columns into a vector of gradients. */
static abdb_status add_column_sum_gradient_kernel(const linear_layer_gradient *l, void *from,
                                                  size_t width, int vector, abdb_error *err)
{
    abdb_cu_column_sums of = {from, abdb_cu_block_weight_vector(l->b, l->dp, vector), l->b->n,
                              width};

    return abdb_cu_add_kernel_of_dtype(l->b->job, "transformer_block.cu", "columns", l->dp->dtype,
                                       (width + COLUMNS - 1) / COLUMNS, &of, sizeof of, err);
}

/* Gradients of a layer's weights and bias, and of what went into it. */
static abdb_status add_linear_layer_backward_steps(const linear_layer_gradient *l, void *d_in,
                                                   abdb_error *err)
{
    abdb_cu_block *b = l->b;
    abdb_dtype dtype = l->dp->dtype;
    size_t columns = abdb_cu_block_matrix_columns(b, l->matrix),
           depth = abdb_cu_block_matrix_rows(b, l->matrix);
    abdb_cu_matrix in = {l->in, dtype, depth, 0, true}, back = {l->d_out, dtype, columns, 0, false},
                   dw = {abdb_cu_block_weight_matrix(b, l->dp, l->matrix), dtype, columns, 0,
                         false},
                   w = {abdb_cu_block_weight_matrix(b, b->p, l->matrix), dtype, columns, 0, true},
                   out = {d_in, dtype, depth, 0, false};
    abdb_status st = ABDB_OK;

    TRY(abdb_cu_add_cublas_gemm_step(b->job, &in, &back, &dw,
                                     &(abdb_cu_gemm_size){depth, columns, b->n, 1, false}, err));
    TRY(add_column_sum_gradient_kernel(l, l->d_out, columns, l->bias, err));
    TRY(abdb_cu_add_cublas_gemm_step(b->job, &back, &w, &out,
                                     &(abdb_cu_gemm_size){b->n, depth, columns, 1, false}, err));
done:
    return st;
}

/* The gradients of a norm: dx = base + that of x; its gains and shifts. */
static abdb_status add_layernorm_backward_kernels(const linear_layer_gradient *l, void *dy, void *x,
                                                  void *added_gradient, void *dx, int gain,
                                                  int shift, abdb_error *err)
{
    abdb_cu_block *b = l->b;
    abdb_cu_norm_backward of = {
        dy, x, abdb_cu_block_weight_vector(b, b->p, gain), added_gradient, dx, NULL, b->d};
    abdb_status st = ABDB_OK;

    TRY(abdb_cu_block_alloc_rows(b, b->d, &of.hats, err));
    TRY(abdb_cu_add_kernel_of_dtype(b->job, "transformer_block.cu", "norm_back", l->dp->dtype, b->n,
                                    &of, sizeof of, err));
    TRY(add_column_sum_gradient_kernel(l, of.hats, b->d, gain, err));
    TRY(add_column_sum_gradient_kernel(l, dy, b->d, shift, err));
done:
    return st;
}

/* Adds the gradients of causal attention: d_qkv, n x 3d, from d_att, n x d; its thirds are dQ,
 * dK, dV. */
static abdb_status add_causal_attention_backward_kernels(abdb_cu_block *b, void *d_att, void *d_qkv,
                                                         abdb_error *err)
{
    abdb_cu_attention_backward of = {.q = abdb_cu_block_qkv_heads(b, b->qkv, 0),
                                     .k = abdb_cu_block_qkv_heads(b, b->qkv, 1),
                                     .v = abdb_cu_block_qkv_heads(b, b->qkv, 2),
                                     .o = abdb_cu_block_contiguous_heads(b, b->att),
                                     .d_o = abdb_cu_block_contiguous_heads(b, d_att),
                                     .dq = abdb_cu_block_qkv_heads(b, d_qkv, 0),
                                     .dk = abdb_cu_block_qkv_heads(b, d_qkv, 1),
                                     .dv = abdb_cu_block_qkv_heads(b, d_qkv, 2),
                                     .logarithm = b->logarithm,
                                     .queries = (uint32_t)b->sequence,
                                     .keys = (uint32_t)b->sequence,
                                     .d = (uint32_t)(b->d / b->heads),
                                     .heads = (uint32_t)b->heads,
                                     .group = 1,
                                     .causal = 1};

    return abdb_cu_add_flash_or_plain_backward_kernels(b->job, b->p->dtype, b->n / b->sequence, &of,
                                                       err);
}

abdb_status abdb_cu_add_block_backward_steps(abdb_cu_block *b, const abdb_tensor *dy,
                                             const abdb_tensor *dx, const abdb_tensor *dp,
                                             abdb_error *err)
{
    void *d_g, *d_n2, *d_h, *d_att, *d_qkv, *d_n1;
    linear_layer_gradient down = {b, dp, ABDB_CU_DOWN, ABDB_CU_BPR, b->g, dy->data},
                          up = {b, dp, ABDB_CU_UP, ABDB_CU_BFC, b->n2, NULL},
                          out = {b, dp, ABDB_CU_OUT, ABDB_CU_BO, b->att, NULL},
                          qkv = {b, dp, ABDB_CU_QKV, ABDB_CU_BQKV, b->n1, NULL};
    void **const one[] = {&d_n2, &d_h, &d_att, &d_n1};
    abdb_status st = ABDB_OK;

    for (size_t i = 0; i < sizeof one / sizeof one[0]; i++)
        TRY(abdb_cu_block_alloc_rows(b, b->d, one[i], err));
    TRY(abdb_cu_block_alloc_rows(b, 3 * b->d, &d_qkv, err));
    TRY(abdb_cu_block_alloc_rows(b, 4 * b->d, &d_g, err));
    up.d_out = d_g;
    out.d_out = d_h;
    qkv.d_out = d_qkv;
    TRY(add_linear_layer_backward_steps(&down, d_g, err));
    TRY(abdb_cu_add_elementwise_kernel(b->job, "gelu_back", dp->dtype, b->f, d_g, b->n * 4 * b->d,
                                       err));
    TRY(add_linear_layer_backward_steps(&up, d_n2, err));
    TRY(add_layernorm_backward_kernels(&up, d_n2, b->h, dy->data, d_h, ABDB_CU_G2, ABDB_CU_B2,
                                       err));
    TRY(add_linear_layer_backward_steps(&out, d_att, err));
    TRY(add_causal_attention_backward_kernels(b, d_att, d_qkv, err));
    TRY(add_linear_layer_backward_steps(&qkv, d_n1, err));
    TRY(add_layernorm_backward_kernels(&qkv, d_n1, b->x, d_h, dx->data, ABDB_CU_G1, ABDB_CU_B1,
                                       err));
done:
    return st;
}
