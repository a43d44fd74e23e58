/* heads.c - attention of heads in blocks; see heads.h. */
#include "kernels/providers/opencl/heads.h"

#include <stdio.h>

/* Rows are filled up to a multiple of what a work-item has, and of what it goes through. */
enum { PAD = 192, PIECE = 16, OPTIONS = 96 };

static size_t padded(size_t rows)
{
    return abdb_cl_pieces(rows, PAD) * PAD;
}

static size_t rows_of(const abdb_cl_job *job)
{
    return job->d->wide == 64 ? 12 : job->d->wide == 32 ? 6 : 4;
}

static size_t wide_of(const abdb_cl_job *job, size_t d)
{
    size_t lanes = abdb_cl_lanes(job->d, ABDB_F32);

    return abdb_cl_pieces(d, lanes) * lanes;
}

static const char forward[] = "heads.cl blocks.cl flash.cl",
                  backward[] = "heads.cl blocks.cl back.cl";

static void options_of(const abdb_cl_job *job, size_t d, abdb_dtype dtype, char *out)
{
    snprintf(out, OPTIONS, "%s -DROWS=%zu -DWIDE=%zu", abdb_cl_format(dtype), rows_of(job),
             wide_of(job, d));
}

/* One operand as f32, as rows or turned; `heads` of it. */
static abdb_status copy(abdb_cl_job *job, const char *files, const abdb_cl_attention *s,
                        const abdb_cl_heads *from, bool keys, bool turned, cl_mem *out,
                        abdb_error *err)
{
    size_t heads = keys ? s->kv_heads : s->heads, count = keys ? s->keys : s->queries,
           rows = padded(count), wide = wide_of(job, s->d);
    char options[OPTIONS];
    abdb_status st = ABDB_OK;

    options_of(job, s->d, from->dtype, options);
    TRY(abdb_cl_scratch(job, s->batch * heads * rows * (turned ? s->d : wide) * sizeof(float), out,
                        err));
    TRY(abdb_cl_add(
        job,
        &(abdb_cl_call){
            files, turned ? "turned" : "rows", options, {rows / PIECE, heads, s->batch}, {0}},
        err, "bblllllll", from->data, *out, count, rows, s->d, from->first, from->batch, from->head,
        from->row));
done:
    return st;
}

abdb_status abdb_cl_flash(abdb_cl_job *job, const abdb_cl_attention *s, const abdb_cl_heads *q,
                          const abdb_cl_heads *k, const abdb_cl_heads *v, const abdb_cl_heads *o,
                          void *logarithm, abdb_error *err)
{
    cl_mem q_rows, k_turned, v_rows;
    char options[OPTIONS];
    abdb_status st = ABDB_OK;

    TRY(copy(job, forward, s, q, false, false, &q_rows, err));
    TRY(copy(job, forward, s, k, true, true, &k_turned, err));
    TRY(copy(job, forward, s, v, true, false, &v_rows, err));
    options_of(job, s->d, o->dtype, options);
    TRY(abdb_cl_add(job,
                    &(abdb_cl_call){forward,
                                    "flash",
                                    options,
                                    {abdb_cl_pieces(s->queries, rows_of(job)), s->heads, s->batch},
                                    {0}},
                    err, "bbbbpllllllillll", q_rows, k_turned, v_rows, o->data, logarithm,
                    sizeof(float), s->queries, s->keys, s->d, padded(s->queries), padded(s->keys),
                    s->heads / s->kv_heads, s->causal, o->first, o->batch, o->head, o->row));
done:
    return st;
}

/* Everything that gradients are made of, as f32. */
typedef struct {
    cl_mem q, k, v, o, d_o, q_turned, k_turned, v_turned, d_o_turned, means;
} operands;

static abdb_status copy_all(abdb_cl_job *job, const abdb_cl_attention *s, const abdb_cl_slopes *of,
                            operands *x, abdb_error *err)
{
    size_t heads = s->batch * s->heads;
    char options[OPTIONS];
    abdb_status st = ABDB_OK;

    TRY(copy(job, backward, s, &of->q, false, false, &x->q, err));
    TRY(copy(job, backward, s, &of->q, false, true, &x->q_turned, err));
    TRY(copy(job, backward, s, &of->k, true, false, &x->k, err));
    TRY(copy(job, backward, s, &of->k, true, true, &x->k_turned, err));
    TRY(copy(job, backward, s, &of->v, true, false, &x->v, err));
    TRY(copy(job, backward, s, &of->v, true, true, &x->v_turned, err));
    TRY(copy(job, backward, s, &of->d_o, false, false, &x->d_o, err));
    TRY(copy(job, backward, s, &of->d_o, false, true, &x->d_o_turned, err));
    TRY(copy(job, backward, s, &of->o, false, false, &x->o, err));
    TRY(abdb_cl_scratch(job, heads * s->queries * sizeof(float), &x->means, err));
    options_of(job, s->d, of->dq.dtype, options);
    TRY(abdb_cl_add(job, &(abdb_cl_call){backward, "means", options, {s->queries, heads}, {0}}, err,
                    "bbblll", x->d_o, x->o, x->means, s->queries, padded(s->queries), s->d));
done:
    return st;
}

abdb_status abdb_cl_flash_back(abdb_cl_job *job, const abdb_cl_attention *s,
                               const abdb_cl_slopes *of, abdb_error *err)
{
    size_t rows = rows_of(job), group = s->heads / s->kv_heads;
    operands x;
    char options[OPTIONS];
    abdb_status st = ABDB_OK;

    TRY(copy_all(job, s, of, &x, err));
    options_of(job, s->d, of->dq.dtype, options);
    TRY(abdb_cl_add(job,
                    &(abdb_cl_call){backward,
                                    "back_queries",
                                    options,
                                    {abdb_cl_pieces(s->queries, rows), s->heads, s->batch},
                                    {0}},
                    err, "bbbbbbpbbbllllllilllll", x.q, x.d_o, x.k, x.v, x.k_turned, x.v_turned,
                    of->logarithm, sizeof(float), x.means, of->dq.data, of->dq.data, s->queries,
                    s->keys, s->d, padded(s->queries), padded(s->keys), group, s->causal,
                    of->dq.first, of->dq.first, of->dq.batch, of->dq.head, of->dq.row));
    options_of(job, s->d, of->dk.dtype, options);
    TRY(abdb_cl_add(job,
                    &(abdb_cl_call){backward,
                                    "back_keys",
                                    options,
                                    {abdb_cl_pieces(s->keys, rows), s->kv_heads, s->batch},
                                    {0}},
                    err, "bbbbbbpbbbllllllilllll", x.k, x.v, x.q, x.d_o, x.q_turned, x.d_o_turned,
                    of->logarithm, sizeof(float), x.means, of->dk.data, of->dv.data, s->queries,
                    s->keys, s->d, padded(s->keys), padded(s->queries), group, s->causal,
                    of->dk.first, of->dv.first, of->dk.batch, of->dk.head, of->dk.row));
done:
    return st;
}
