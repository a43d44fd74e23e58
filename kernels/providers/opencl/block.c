/* block.c - a transformer block: forward, and what both directions share; see block.h. */
#include "kernels/providers/opencl/block.h"

#include <stdio.h>
#include <string.h>

#include "kernels/providers/opencl/opencl.h"

enum { X, P, Y, DY = 2, DX, DP, CHUNK = 1 << 14 };

abdb_status abdb_cl_room(abdb_cl_block *b, size_t columns, cl_mem *out, abdb_error *err)
{
    return abdb_cl_scratch(b->job, b->n * columns * sizeof(float), out, err);
}

size_t abdb_cl_columns_of(const abdb_cl_block *b, int which)
{
    return which == ABDB_CL_QKV ? 3 * b->d : which == ABDB_CL_UP ? 4 * b->d : b->d;
}

size_t abdb_cl_matrix_at(const abdb_cl_block *b, int which)
{
    static const size_t first[] = {0, 3, 4, 8, 12};

    return first[which] * b->d * b->d;
}

size_t abdb_cl_vector_at(const abdb_cl_block *b, int which)
{
    return abdb_cl_matrix_at(b, ABDB_CL_MATRICES) + (size_t)which * b->d;
}

abdb_cl_heads abdb_cl_third(const abdb_cl_block *b, void *data, size_t which)
{
    const abdb_cl_attention *s = &b->attention;

    return (abdb_cl_heads){.data = data,
                           .dtype = ABDB_F32,
                           .first = which * b->d,
                           .batch = s->queries * 3 * b->d,
                           .head = s->d,
                           .row = 3 * b->d};
}

abdb_cl_heads abdb_cl_plain_heads(const abdb_cl_block *b, void *data)
{
    return (abdb_cl_heads){.data = data,
                           .dtype = ABDB_F32,
                           .batch = b->attention.queries * b->d,
                           .head = b->attention.d,
                           .row = b->d};
}

abdb_cl_call abdb_cl_by_row(const abdb_cl_block *b, const char *file, const char *function,
                            const char *options)
{
    return (abdb_cl_call){file, function, options, {b->n}, {0}};
}

abdb_cl_call abdb_cl_by_piece(const char *file, const char *function, const char *options,
                              size_t elements)
{
    return (abdb_cl_call){file, function, options, {abdb_cl_pieces(elements, CHUNK)}, {0}};
}

abdb_status abdb_cl_convert(abdb_cl_block *b, bool widen, abdb_dtype dtype, void *from, void *to,
                            abdb_error *err)
{
    char options[96] = "";
    abdb_cl_call call =
        abdb_cl_by_piece("convert.cl", widen ? "widen" : "narrow", options, b->n * b->d);

    snprintf(options, sizeof options, "%s " ABDB_CL_ONE_ITEM, abdb_cl_format(dtype));
    return abdb_cl_add(b->job, &call, err, "bbl", from, to, b->n * b->d);
}

static abdb_status add_norm(abdb_cl_block *b, cl_mem from, cl_mem to, int gain, int shift,
                            abdb_error *err)
{
    char options[96] = "";
    abdb_cl_call call = abdb_cl_by_row(b, "norm.cl", "norm", options);

    snprintf(options, sizeof options, "%s -DFROM_F32 -DCENTRED " ABDB_CL_ONE_ITEM,
             abdb_cl_format(b->p->dtype));
    return abdb_cl_add(b->job, &call, err, "bbbblll", from, b->p->data, b->p->data, to, b->d,
                       abdb_cl_vector_at(b, gain), abdb_cl_vector_at(b, shift));
}

/* to = base (or nothing) + bias + from x a matrix of parameters. */
static abdb_status add_layer(abdb_cl_block *b, cl_mem from, cl_mem base, cl_mem to, int matrix,
                             int bias, abdb_error *err)
{
    size_t columns = abdb_cl_columns_of(b, matrix),
           depth = matrix == ABDB_CL_DOWN ? 4 * b->d : b->d;
    abdb_cl_matrix x = {.data = from, .dtype = ABDB_F32, .row = depth, .column = 1},
                   w = {.data = b->p->data,
                        .dtype = b->p->dtype,
                        .first = abdb_cl_matrix_at(b, matrix),
                        .row = columns,
                        .column = 1},
                   c = {.data = to, .dtype = ABDB_F32, .row = columns, .column = 1};
    abdb_cl_size s = {b->n, columns, depth, 1, ABDB_F32, abdb_cl_usual(b->job->d, ABDB_F32), true};
    char options[96] = "";
    abdb_cl_call call = abdb_cl_by_row(b, "bias.cl", "spread", options);
    abdb_status st = ABDB_OK;

    snprintf(options, sizeof options, "%s%s " ABDB_CL_ONE_ITEM, abdb_cl_format(b->p->dtype),
             base ? " -DON_TOP" : "");
    TRY(abdb_cl_add(b->job, &call, err, "bbbll", b->p->data, base ? base : to, to, columns,
                    abdb_cl_vector_at(b, bias)));
    TRY(abdb_cl_product(b->job, &x, &w, &c, &s, err));
done:
    return st;
}

abdb_status abdb_cl_block_forward(abdb_cl_block *b, abdb_error *err)
{
    abdb_cl_heads q, k, v, o;
    abdb_cl_call gelu =
        abdb_cl_by_piece("gate.cl", "gate", "-DF32 -DGELU " ABDB_CL_ONE_ITEM, b->n * 4 * b->d);
    abdb_status st = ABDB_OK;

    TRY(add_norm(b, b->x, b->n1, ABDB_CL_G1, ABDB_CL_B1, err));
    TRY(add_layer(b, b->n1, NULL, b->qkv, ABDB_CL_QKV, ABDB_CL_BQKV, err));
    q = abdb_cl_third(b, b->qkv, 0);
    k = abdb_cl_third(b, b->qkv, 1);
    v = abdb_cl_third(b, b->qkv, 2);
    o = abdb_cl_plain_heads(b, b->att);
    TRY(abdb_cl_flash(b->job, &b->attention, &q, &k, &v, &o, b->logarithm, err));
    TRY(add_layer(b, b->att, b->x, b->h, ABDB_CL_OUT, ABDB_CL_BO, err));
    TRY(add_norm(b, b->h, b->n2, ABDB_CL_G2, ABDB_CL_B2, err));
    TRY(add_layer(b, b->n2, NULL, b->f, ABDB_CL_UP, ABDB_CL_BFC, err));
    TRY(abdb_cl_add(b->job, &gelu, err, "bbl", b->f, b->g, b->n * 4 * b->d));
    TRY(add_layer(b, b->g, b->h, b->y, ABDB_CL_DOWN, ABDB_CL_BPR, err));
done:
    return st;
}

/* All pieces of memory of forward. */
static abdb_status make_room(abdb_cl_block *b, abdb_error *err)
{
    cl_mem *const one[] = {&b->x, &b->n1, &b->att, &b->h, &b->n2, &b->y};
    abdb_status st = ABDB_OK;

    for (size_t i = 0; i < sizeof one / sizeof one[0]; i++) TRY(abdb_cl_room(b, b->d, one[i], err));
    TRY(abdb_cl_room(b, 3 * b->d, &b->qkv, err));
    TRY(abdb_cl_room(b, 4 * b->d, &b->f, err));
    TRY(abdb_cl_room(b, 4 * b->d, &b->g, err));
    TRY(abdb_cl_room(b, b->attention.heads, &b->logarithm, err));
done:
    return st;
}

static abdb_status prepare(void **state, const abdb_problem *p, abdb_error *err)
{
    const abdb_tensor *t = p->tensor;
    size_t sequence = (size_t)abdb_param_number(p, "sequence", 1),
           heads = (size_t)abdb_param_number(p, "heads", 1);
    abdb_cl_block b = {.p = &t[P],
                       .n = t[X].dim[0],
                       .d = t[X].dim[1],
                       .attention = {t[X].dim[0] / sequence, heads, heads, sequence, sequence,
                                     t[X].dim[1] / heads, 1}};
    abdb_status st = ABDB_OK;

    TRY(abdb_cl_job_new(&b.job, p, err));
    TRY(make_room(&b, err));
    TRY(abdb_cl_convert(&b, true, t[X].dtype, t[X].data, b.x, err));
    TRY(abdb_cl_block_forward(&b, err));
    if (p->tensors == 3) {
        TRY(abdb_cl_convert(&b, false, t[Y].dtype, b.y, t[Y].data, err));
    } else {
        TRY(abdb_cl_before(b.job, err)); /* what forward keeps is there */
        TRY(abdb_cl_block_backward(&b, &t[DY], &t[DX], &t[DP], err));
    }
done:
    return abdb_cl_hand(st, b.job, state);
}

const abdb_impl abdb_cl_block_impl = {"transformer-block", "opencl",       NULL,         prepare,
                                      abdb_cl_launch,      abdb_cl_chosen, abdb_cl_close};
