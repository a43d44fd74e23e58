/* block_forward.c - where parameters and heads of a transformer block lie, and forward; see
 * block.h. */
#include "kernels/providers/cuda/block.h"
#include "kernels/providers/cuda/cu/maps.h"
#include "kernels/providers/cuda/heads.h"
#include "kernels/providers/cuda/product.h"
#include "kernels/providers/cuda/rows.h"

abdb_status abdb_cu_room(abdb_cu_block *b, size_t columns, void **out, abdb_error *err)
{
    return abdb_cu_scratch(b->job, b->n * columns * abdb_dtype_size(b->p->dtype), out, err);
}

void *abdb_cu_matrix_at(const abdb_cu_block *b, const abdb_tensor *t, int which)
{
    static const size_t first[] = {0, 3, 4, 8};

    return (char *)t->data + first[which] * b->d * b->d * abdb_dtype_size(t->dtype);
}

void *abdb_cu_vector_at(const abdb_cu_block *b, const abdb_tensor *t, int which)
{
    return (char *)t->data + (12 * b->d * b->d + (size_t)which * b->d) * abdb_dtype_size(t->dtype);
}

size_t abdb_cu_columns_of(const abdb_cu_block *b, int which)
{
    return which == ABDB_CU_QKV ? 3 * b->d : which == ABDB_CU_UP ? 4 * b->d : b->d;
}

size_t abdb_cu_depth_of(const abdb_cu_block *b, int which)
{
    return which == ABDB_CU_DOWN ? 4 * b->d : b->d;
}

abdb_cu_heads abdb_cu_third(const abdb_cu_block *b, void *data, size_t which)
{
    return (abdb_cu_heads){(char *)data + which * b->d * abdb_dtype_size(b->p->dtype),
                           b->sequence * 3 * b->d, b->d / b->heads, 3 * b->d};
}

abdb_cu_heads abdb_cu_plain_heads(const abdb_cu_block *b, void *data)
{
    return (abdb_cu_heads){data, b->sequence * b->d, b->d / b->heads, b->d};
}

static abdb_status add_norm(abdb_cu_block *b, void *from, void *to, int gain, int shift,
                            abdb_error *err)
{
    abdb_cu_row of = {.x = from,
                      .p = abdb_cu_vector_at(b, b->p, gain),
                      .q = abdb_cu_vector_at(b, b->p, shift),
                      .y = to,
                      .columns = b->d};

    return abdb_cu_add_rows(b->job, "layernorm", b->p->dtype, b->n, &of, err);
}

/* to = base (or nothing) + bias + from x a matrix of parameters. */
static abdb_status add_layer(abdb_cu_block *b, void *from, void *base, void *to, int matrix,
                             int bias, abdb_error *err)
{
    abdb_dtype dtype = b->p->dtype;
    size_t columns = abdb_cu_columns_of(b, matrix), depth = abdb_cu_depth_of(b, matrix);
    abdb_cu_matrix x = {from, dtype, depth, 0, false},
                   w = {abdb_cu_matrix_at(b, b->p, matrix), dtype, columns, 0, false},
                   c = {to, dtype, columns, 0, false};
    abdb_cu_spread of = {abdb_cu_vector_at(b, b->p, bias), base, to, b->n * columns, columns};
    abdb_status st = ABDB_OK;

    TRY(abdb_cu_add_named(b->job, "block.cu", "spread", dtype, abdb_cu_grid(of.n), &of, sizeof of,
                          err));
    TRY(abdb_cu_product(b->job, &x, &w, &c, &(abdb_cu_size){b->n, columns, depth, 1, true}, err));
done:
    return st;
}

abdb_status abdb_cu_block_forward(abdb_cu_block *b, abdb_error *err)
{
    abdb_cu_attention of = {.q = abdb_cu_third(b, b->qkv, 0),
                            .k = abdb_cu_third(b, b->qkv, 1),
                            .v = abdb_cu_third(b, b->qkv, 2),
                            .o = abdb_cu_plain_heads(b, b->att),
                            .logarithm = b->logarithm,
                            .queries = (uint32_t)b->sequence,
                            .keys = (uint32_t)b->sequence,
                            .d = (uint32_t)(b->d / b->heads),
                            .heads = (uint32_t)b->heads,
                            .group = 1,
                            .causal = 1};
    abdb_status st = ABDB_OK;

    TRY(add_norm(b, b->x, b->n1, ABDB_CU_G1, ABDB_CU_B1, err));
    TRY(add_layer(b, b->n1, NULL, b->qkv, ABDB_CU_QKV, ABDB_CU_BQKV, err));
    TRY(abdb_cu_flash(b->job, b->p->dtype, b->n / b->sequence, &of, err));
    TRY(add_layer(b, b->att, b->x, b->h, ABDB_CU_OUT, ABDB_CU_BO, err));
    TRY(add_norm(b, b->h, b->n2, ABDB_CU_G2, ABDB_CU_B2, err));
    TRY(add_layer(b, b->n2, NULL, b->f, ABDB_CU_UP, ABDB_CU_BFC, err));
    TRY(abdb_cu_add_flat(b->job, "gelu", b->p->dtype, b->f, b->g, b->n * 4 * b->d, err));
    TRY(add_layer(b, b->g, b->h, b->y, ABDB_CU_DOWN, ABDB_CU_BPR, err));
done:
    return st;
}
