/* block_back.c - a transformer block backward; see block.h. */
#include "kernels/providers/cuda/block.h"
#include "kernels/providers/cuda/heads.h"
#include "kernels/providers/cuda/product.h"
#include "kernels/providers/cuda/rows.h"

enum { COLUMNS = 32 }; /* as in block.cu */

/* What a layer's gradients are made of: rows of its depth, and of its columns. */
typedef struct {
    abdb_cu_block *b;
    const abdb_tensor *dp;
    int matrix, bias;
    void *in, *d_out;
} layer;

/* Sums of columns into a vector of gradients. */
static abdb_status add_columns(const layer *l, void *from, size_t width, int vector,
                               abdb_error *err)
{
    abdb_cu_columns of = {from, abdb_cu_vector_at(l->b, l->dp, vector), l->b->n, width};

    return abdb_cu_add_named(l->b->job, "block.cu", "columns", l->dp->dtype,
                             (width + COLUMNS - 1) / COLUMNS, &of, sizeof of, err);
}

/* Gradients of a layer's weights and bias, and of what went into it. */
static abdb_status add_layer(const layer *l, void *d_in, abdb_error *err)
{
    abdb_cu_block *b = l->b;
    abdb_dtype dtype = l->dp->dtype;
    size_t columns = abdb_cu_columns_of(b, l->matrix), depth = abdb_cu_depth_of(b, l->matrix);
    abdb_cu_matrix in = {l->in, dtype, depth, 0, true}, back = {l->d_out, dtype, columns, 0, false},
                   dw = {abdb_cu_matrix_at(b, l->dp, l->matrix), dtype, columns, 0, false},
                   w = {abdb_cu_matrix_at(b, b->p, l->matrix), dtype, columns, 0, true},
                   out = {d_in, dtype, depth, 0, false};
    abdb_status st = ABDB_OK;

    TRY(abdb_cu_product(b->job, &in, &back, &dw, &(abdb_cu_size){depth, columns, b->n, 1, false},
                        err));
    TRY(add_columns(l, l->d_out, columns, l->bias, err));
    TRY(abdb_cu_product(b->job, &back, &w, &out, &(abdb_cu_size){b->n, depth, columns, 1, false},
                        err));
done:
    return st;
}

/* Slopes of a norm: dx = base + those of x; its gains and shifts. */
static abdb_status add_norm(const layer *l, void *dy, void *x, void *base, void *dx, int gain,
                            int shift, abdb_error *err)
{
    abdb_cu_block *b = l->b;
    abdb_cu_norm_back of = {dy, x, abdb_cu_vector_at(b, b->p, gain), base, dx, NULL, b->d};
    abdb_status st = ABDB_OK;

    TRY(abdb_cu_room(b, b->d, &of.hats, err));
    TRY(abdb_cu_add_named(b->job, "block.cu", "norm_back", l->dp->dtype, b->n, &of, sizeof of,
                          err));
    TRY(add_columns(l, of.hats, b->d, gain, err));
    TRY(add_columns(l, dy, b->d, shift, err));
done:
    return st;
}

static abdb_status add_attention(abdb_cu_block *b, void *d_att, void *d_qkv, abdb_error *err)
{
    abdb_cu_slopes of = {.q = abdb_cu_third(b, b->qkv, 0),
                         .k = abdb_cu_third(b, b->qkv, 1),
                         .v = abdb_cu_third(b, b->qkv, 2),
                         .o = abdb_cu_plain_heads(b, b->att),
                         .d_o = abdb_cu_plain_heads(b, d_att),
                         .dq = abdb_cu_third(b, d_qkv, 0),
                         .dk = abdb_cu_third(b, d_qkv, 1),
                         .dv = abdb_cu_third(b, d_qkv, 2),
                         .logarithm = b->logarithm,
                         .queries = (uint32_t)b->sequence,
                         .keys = (uint32_t)b->sequence,
                         .d = (uint32_t)(b->d / b->heads),
                         .heads = (uint32_t)b->heads,
                         .group = 1,
                         .causal = 1};

    return abdb_cu_flash_back(b->job, b->p->dtype, b->n / b->sequence, &of, err);
}

abdb_status abdb_cu_block_backward(abdb_cu_block *b, const abdb_tensor *dy, const abdb_tensor *dx,
                                   const abdb_tensor *dp, abdb_error *err)
{
    void *d_g, *d_n2, *d_h, *d_att, *d_qkv, *d_n1;
    layer down = {b, dp, ABDB_CU_DOWN, ABDB_CU_BPR, b->g, dy->data},
          up = {b, dp, ABDB_CU_UP, ABDB_CU_BFC, b->n2, NULL},
          out = {b, dp, ABDB_CU_OUT, ABDB_CU_BO, b->att, NULL},
          qkv = {b, dp, ABDB_CU_QKV, ABDB_CU_BQKV, b->n1, NULL};
    void **const one[] = {&d_n2, &d_h, &d_att, &d_n1};
    abdb_status st = ABDB_OK;

    for (size_t i = 0; i < sizeof one / sizeof one[0]; i++) TRY(abdb_cu_room(b, b->d, one[i], err));
    TRY(abdb_cu_room(b, 3 * b->d, &d_qkv, err));
    TRY(abdb_cu_room(b, 4 * b->d, &d_g, err));
    up.d_out = d_g;
    out.d_out = d_h;
    qkv.d_out = d_qkv;
    TRY(add_layer(&down, d_g, err));
    TRY(abdb_cu_add_flat(b->job, "gelu_back", dp->dtype, b->f, d_g, b->n * 4 * b->d, err));
    TRY(add_layer(&up, d_n2, err));
    TRY(add_norm(&up, d_n2, b->h, dy->data, d_h, ABDB_CU_G2, ABDB_CU_B2, err));
    TRY(add_layer(&out, d_att, err));
    TRY(add_attention(b, d_att, d_qkv, err));
    TRY(add_layer(&qkv, d_n1, err));
    TRY(add_norm(&qkv, d_n1, b->x, d_h, dx->data, ABDB_CU_G1, ABDB_CU_B1, err));
done:
    return st;
}
