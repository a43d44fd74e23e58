/* block_forward.c - where parameters and heads of a transformer block lie, and forward; see
 * block.h. */
#include "kernels/providers/cuda/block.h"
#include "kernels/providers/cuda/cu/thread_maps.h"
#include "kernels/providers/cuda/flash_attention.h"
#include "kernels/providers/cuda/cublas_gemm.h"
#include "kernels/providers/cuda/row_ops.h"

abdb_status abdb_cu_block_alloc_rows(abdb_cu_block *b, size_t columns, void **out, abdb_error *err)
{
    return abdb_cu_alloc_scratch(b->job, b->n * columns * abdb_dtype_size(b->p->dtype), out, err);
}

void *abdb_cu_block_weight_matrix(const abdb_cu_block *b, const abdb_tensor *t, int which)
{
    static const size_t first[] = {0, 3, 4, 8};

    return (char *)t->data + first[which] * b->d * b->d * abdb_dtype_size(t->dtype);
}

void *abdb_cu_block_weight_vector(const abdb_cu_block *b, const abdb_tensor *t, int which)
{
    return (char *)t->data + (12 * b->d * b->d + (size_t)which * b->d) * abdb_dtype_size(t->dtype);
}

size_t abdb_cu_block_matrix_columns(const abdb_cu_block *b, int which)
{
    return which == ABDB_CU_QKV ? 3 * b->d : which == ABDB_CU_UP ? 4 * b->d : b->d;
}

size_t abdb_cu_block_matrix_rows(const abdb_cu_block *b, int which)
{
    return which == ABDB_CU_DOWN ? 4 * b->d : b->d;
}

abdb_cu_heads abdb_cu_block_qkv_heads(const abdb_cu_block *b, void *data, size_t q_k_or_v)
{
    return (abdb_cu_heads){(char *)data + q_k_or_v * b->d * abdb_dtype_size(b->p->dtype),
                           b->sequence * 3 * b->d, b->d / b->heads, 3 * b->d};
}

abdb_cu_heads abdb_cu_block_contiguous_heads(const abdb_cu_block *b, void *data)
{
    return (abdb_cu_heads){data, b->sequence * b->d, b->d / b->heads, b->d};
}

/* Adds to = layernorm(from) gain + shift, n x d; gain and shift are places among the vectors of
 * P. */
static abdb_status add_layernorm_kernel(abdb_cu_block *b, void *from, void *to, int gain, int shift,
                                        abdb_error *err)
{
    abdb_cu_row_op of = {.x = from,
                         .p = abdb_cu_block_weight_vector(b, b->p, gain),
                         .q = abdb_cu_block_weight_vector(b, b->p, shift),
                         .y = to,
                         .columns = b->d};

    return abdb_cu_add_row_kernel(b->job, "layernorm", b->p->dtype, b->n, &of, err);
}

/* to = base (or nothing) + bias + from x a matrix of parameters. */
static abdb_status add_linear_layer_steps(abdb_cu_block *b, void *from, void *residual, void *to,
                                          int matrix, int bias, abdb_error *err)
{
    abdb_dtype dtype = b->p->dtype;
    size_t columns = abdb_cu_block_matrix_columns(b, matrix),
           depth = abdb_cu_block_matrix_rows(b, matrix);
    abdb_cu_matrix x = {from, dtype, depth, 0, false},
                   w = {abdb_cu_block_weight_matrix(b, b->p, matrix), dtype, columns, 0, false},
                   c = {to, dtype, columns, 0, false};
    abdb_cu_broadcast_bias of = {abdb_cu_block_weight_vector(b, b->p, bias), residual, to,
                                 b->n * columns, columns};
    abdb_status st = ABDB_OK;

    TRY(abdb_cu_add_kernel_of_dtype(b->job, "transformer_block.cu", "spread", dtype,
                                    abdb_cu_blocks_for_pieces(of.n), &of, sizeof of, err));
    TRY(abdb_cu_add_cublas_gemm_step(b->job, &x, &w, &c,
                                     &(abdb_cu_gemm_size){b->n, columns, depth, 1, true}, err));
done:
    return st;
}

abdb_status abdb_cu_add_block_forward_steps(abdb_cu_block *b, abdb_error *err)
{
    abdb_cu_attention of = {.q = abdb_cu_block_qkv_heads(b, b->qkv, 0),
                            .k = abdb_cu_block_qkv_heads(b, b->qkv, 1),
                            .v = abdb_cu_block_qkv_heads(b, b->qkv, 2),
                            .o = abdb_cu_block_contiguous_heads(b, b->att),
                            .logarithm = b->logarithm,
                            .queries = (uint32_t)b->sequence,
                            .keys = (uint32_t)b->sequence,
                            .d = (uint32_t)(b->d / b->heads),
                            .heads = (uint32_t)b->heads,
                            .group = 1,
                            .causal = 1};
    abdb_status st = ABDB_OK;

    TRY(add_layernorm_kernel(b, b->x, b->n1, ABDB_CU_G1, ABDB_CU_B1, err));
    TRY(add_linear_layer_steps(b, b->n1, NULL, b->qkv, ABDB_CU_QKV, ABDB_CU_BQKV, err));
    TRY(abdb_cu_add_flash_or_plain_forward_kernel(b->job, b->p->dtype, b->n / b->sequence, &of,
                                                  err));
    TRY(add_linear_layer_steps(b, b->att, b->x, b->h, ABDB_CU_OUT, ABDB_CU_BO, err));
    TRY(add_layernorm_kernel(b, b->h, b->n2, ABDB_CU_G2, ABDB_CU_B2, err));
    TRY(add_linear_layer_steps(b, b->n2, NULL, b->f, ABDB_CU_UP, ABDB_CU_BFC, err));
    TRY(abdb_cu_add_elementwise_kernel(b->job, "gelu", b->p->dtype, b->f, b->g, b->n * 4 * b->d,
                                       err));
    TRY(add_linear_layer_steps(b, b->g, b->h, b->y, ABDB_CU_DOWN, ABDB_CU_BPR, err));
done:
    return st;
}
