/* product.c - packing and tiles as parts of a job; see product.h. */
#include "kernels/providers/opencl/product.h"

#include <stdio.h>

enum { DEPTH = 256, BLOCKS = 4 }; /* DEPTH: as in pack.cl; BLOCKS: panels of A a work-item */
/* So many products of bytes are exact in f32. */
enum { BYTES_DEPTH = 1024 };

abdb_cl_tiles abdb_cl_usual(const abdb_cl_device *d, abdb_dtype dtype)
{
    abdb_cl_tiles t = {d->wide == 64 ? 12 : d->wide == 32 ? 6 : 4, 2, 2048, "usual"};

    if (dtype == ABDB_I8) t.depth = BYTES_DEPTH;
    return t;
}

/* The format of panels. */
static abdb_dtype real_of(abdb_dtype dtype)
{
    return dtype == ABDB_F64 ? ABDB_F64 : ABDB_F32;
}

static size_t columns_of(const abdb_cl_job *job, const abdb_cl_size *s)
{
    return (size_t)s->tiles.vectors * abdb_cl_lanes(job->d, s->dtype);
}

/* Panels of `side` rows of a matrix of `rows`; across, along: strides. */
static abdb_status pack(abdb_cl_job *job, const abdb_cl_matrix *m, const abdb_cl_size *s,
                        size_t rows, size_t side, size_t across, size_t along, abdb_cl_panels *out,
                        abdb_error *err)
{
    size_t panels = abdb_cl_pieces(rows, side), share = m->share ? m->share : 1,
           matrices = abdb_cl_pieces(s->batch, share);
    char options[64];
    abdb_status st = ABDB_OK;

    out->share = m->stride ? share : s->batch;
    if (!m->stride) matrices = 1;
    snprintf(options, sizeof options, "%s -DSIDE=%zu", abdb_cl_format(m->dtype), side);
    TRY(abdb_cl_scratch(job, matrices * panels * side * s->k * abdb_dtype_size(real_of(s->dtype)),
                        &out->panels, err));
    TRY(abdb_cl_add(
        job,
        &(abdb_cl_call){
            "pack.cl", "pack", options, {panels, abdb_cl_pieces(s->k, DEPTH), matrices}, {0}},
        err, "bbllllll", m->data, out->panels, rows, s->k, m->first, across, along, m->stride));
done:
    return st;
}

abdb_status abdb_cl_pack_a(abdb_cl_job *job, const abdb_cl_matrix *a, const abdb_cl_size *s,
                           abdb_cl_panels *out, abdb_error *err)
{
    return pack(job, a, s, s->m, (size_t)s->tiles.rows, a->row, a->column, out, err);
}

abdb_status abdb_cl_pack_b(abdb_cl_job *job, const abdb_cl_matrix *b, const abdb_cl_size *s,
                           abdb_cl_panels *out, abdb_error *err)
{
    return pack(job, b, s, s->n, columns_of(job, s), b->column, b->row, out, err);
}

static abdb_status add_tiles(abdb_cl_job *job, const abdb_cl_panels *a, const abdb_cl_panels *b,
                             const abdb_cl_matrix *c, const abdb_cl_size *s, size_t from, size_t to,
                             abdb_error *err)
{
    const char *out = c->dtype == ABDB_BF16  ? " -DTO_BF16"
                      : c->dtype == ABDB_F16 ? " -DTO_F16"
                      : c->dtype == ABDB_I32 ? " -DTO_I32"
                                             : "";
    size_t panels = abdb_cl_pieces(s->m, (size_t)s->tiles.rows);
    char options[128];

    snprintf(options, sizeof options, "%s -DROWS=%d -DVECTORS=%d -DBLOCKS=%d%s",
             abdb_cl_format(real_of(s->dtype)), s->tiles.rows, s->tiles.vectors, BLOCKS, out);
    return abdb_cl_add(job,
                       &(abdb_cl_call){"tile.cl",
                                       "tile",
                                       options,
                                       {abdb_cl_pieces(panels, BLOCKS),
                                        abdb_cl_pieces(s->n, columns_of(job, s)), s->batch},
                                       {0}},
                       err, "bbblllllllllli", a->panels, b->panels, c->data, s->m, s->n, s->k, from,
                       to, c->first, c->row, c->stride, a->share, b->share, s->add || from > 0);
}

/* Of C that is bf16 or f16 the whole depth is one, so that it is rounded once. */
abdb_status abdb_cl_tile(abdb_cl_job *job, const abdb_cl_panels *a, const abdb_cl_panels *b,
                         const abdb_cl_matrix *c, const abdb_cl_size *s, abdb_error *err)
{
    bool rounded = c->dtype == ABDB_BF16 || c->dtype == ABDB_F16;
    size_t depth = rounded ? s->k : s->tiles.depth;
    abdb_status st = ABDB_OK;

    for (size_t from = 0; from < s->k; from += depth)
        TRY(add_tiles(job, a, b, c, s, from, from + depth < s->k ? from + depth : s->k, err));
done:
    return st;
}

abdb_status abdb_cl_product(abdb_cl_job *job, const abdb_cl_matrix *a, const abdb_cl_matrix *b,
                            const abdb_cl_matrix *c, const abdb_cl_size *s, abdb_error *err)
{
    abdb_cl_panels pa, pb;
    abdb_status st = ABDB_OK;

    TRY(abdb_cl_pack_a(job, a, s, &pa, err));
    TRY(abdb_cl_pack_b(job, b, s, &pb, err));
    TRY(abdb_cl_tile(job, &pa, &pb, c, s, err));
done:
    return st;
}
