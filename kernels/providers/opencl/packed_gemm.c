/* packed_gemm.c - packing and tiles as parts of a job; see packed_gemm.h. */
#include "kernels/providers/opencl/packed_gemm.h"

#include <stdio.h>

enum { DEPTH = 256, BLOCKS = 4 }; /* DEPTH: as in pack_panels.cl; BLOCKS: panels of A a work-item */
/* So many products of bytes are exact in f32. */
enum { BYTES_DEPTH = 1024 };

abdb_cl_tiles abdb_cl_default_tiles(const abdb_cl_device *d, abdb_dtype dtype)
{
    abdb_cl_tiles t = {d->wide == 64 ? 12 : d->wide == 32 ? 6 : 4, 2, 2048, "usual"};

    if (dtype == ABDB_I8) t.depth = BYTES_DEPTH;
    return t;
}

/* The format of panels. */
static abdb_dtype panel_dtype(abdb_dtype dtype)
{
    return dtype == ABDB_F64 ? ABDB_F64 : ABDB_F32;
}

static size_t tile_columns(const abdb_cl_job *job, const abdb_cl_gemm_size *s)
{
    return (size_t)s->tiles.vectors * abdb_cl_vector_lanes(job->d, s->dtype);
}

/* Panels of `side` rows of a matrix of `rows`; across, along: strides. */
typedef struct {
    size_t rows, side, across, along;
} panel_cut;

static size_t distinct_matrix_count(const abdb_cl_matrix *m, const abdb_cl_gemm_size *s)
{
    return m->stride ? abdb_cl_ceil_divide(s->batch, m->share ? m->share : 1) : 1;
}

static size_t packed_matrix_bytes(const panel_cut *c, const abdb_cl_gemm_size *s)
{
    return abdb_cl_ceil_divide(c->rows, c->side) * c->side * s->k *
           abdb_dtype_size(panel_dtype(s->dtype));
}

/* Adds the packing of a matrix into panels of c->side rows (of A) or columns (of B). */
static abdb_status add_pack_to_buffer(abdb_cl_job *job, const abdb_cl_matrix *m,
                                      const abdb_cl_gemm_size *s, const panel_cut *c, void *panels,
                                      abdb_error *err)
{
    char options[64];
    abdb_cl_kernel_call call = {"pack_panels.cl",
                                "pack_panel_piece",
                                options,
                                {abdb_cl_ceil_divide(c->rows, c->side),
                                 abdb_cl_ceil_divide(s->k, DEPTH), distinct_matrix_count(m, s)},
                                {0}};

    snprintf(options, sizeof options, "%s -DSIDE=%zu", abdb_cl_compile_option_of_dtype(m->dtype),
             c->side);
    return abdb_cl_issue_kernel(job, &call, err, "bpllllll", m->data, panels,
                                abdb_dtype_size(panel_dtype(s->dtype)), c->rows, s->k, m->first,
                                c->across, c->along, m->stride);
}

/* Makes room for a matrix's panels and adds their packing; matrices that a batch shares are
 * packed once. */
static abdb_status alloc_panels_and_add_pack(abdb_cl_job *job, const abdb_cl_matrix *m,
                                             const abdb_cl_gemm_size *s, const panel_cut *c,
                                             abdb_cl_panels *out, abdb_error *err)
{
    cl_mem panels;
    abdb_status st = ABDB_OK;

    out->share = m->stride ? (m->share ? m->share : 1) : s->batch;
    TRY(abdb_cl_alloc_or_count_scratch(job, distinct_matrix_count(m, s) * packed_matrix_bytes(c, s),
                                       &panels, err));
    out->panels = panels;
    TRY(add_pack_to_buffer(job, m, s, c, panels, err));
done:
    return st;
}

abdb_status abdb_cl_alloc_panels_and_add_pack_a(abdb_cl_job *job, const abdb_cl_matrix *a,
                                                const abdb_cl_gemm_size *s, abdb_cl_panels *out,
                                                abdb_error *err)
{
    return alloc_panels_and_add_pack(
        job, a, s, &(panel_cut){s->m, (size_t)s->tiles.rows, a->row, a->column}, out, err);
}

abdb_status abdb_cl_alloc_panels_and_add_pack_b(abdb_cl_job *job, const abdb_cl_matrix *b,
                                                const abdb_cl_gemm_size *s, abdb_cl_panels *out,
                                                abdb_error *err)
{
    return alloc_panels_and_add_pack(
        job, b, s, &(panel_cut){s->n, tile_columns(job, s), b->column, b->row}, out, err);
}

size_t abdb_cl_packed_b_bytes(const abdb_cl_job *job, const abdb_cl_gemm_size *s)
{
    return packed_matrix_bytes(&(panel_cut){.rows = s->n, .side = tile_columns(job, s)}, s);
}

abdb_status abdb_cl_add_pack_b_to_buffer(abdb_cl_job *job, const abdb_cl_matrix *b,
                                         const abdb_cl_gemm_size *s, void *to, abdb_error *err)
{
    return add_pack_to_buffer(job, b, s,
                              &(panel_cut){s->n, tile_columns(job, s), b->column, b->row}, to, err);
}

/* Adds C (+)= A B over the depth [k_from, k_to); bias and ReLU follow the last. */
static abdb_status add_tile_kernel_of_depth_range(abdb_cl_job *job, const abdb_cl_panels *a,
                                                  const abdb_cl_panels *b, const abdb_cl_matrix *c,
                                                  const abdb_cl_gemm_size *s, size_t k_from,
                                                  size_t k_to, abdb_error *err)
{
    bool last = k_to == s->k;
    const void *bias = s->bias ? s->bias : c->data;
    const char *out = c->dtype == ABDB_BF16  ? " -DTO_BF16"
                      : c->dtype == ABDB_F16 ? " -DTO_F16"
                      : c->dtype == ABDB_I32 ? " -DTO_I32"
                                             : "";
    size_t panels = abdb_cl_ceil_divide(s->m, (size_t)s->tiles.rows);
    char options[128];

    snprintf(options, sizeof options, "%s -DROWS=%d -DVECTORS=%d -DBLOCKS=%d%s%s%s",
             abdb_cl_compile_option_of_dtype(panel_dtype(s->dtype)), s->tiles.rows,
             s->tiles.vectors, BLOCKS, out, s->bias && last ? " -DBIAS" : "",
             s->relu && last ? " -DRELU" : "");
    return abdb_cl_issue_kernel(
        job,
        &(abdb_cl_kernel_call){"gemm_tile.cl",
                               "gemm_tile",
                               options,
                               {abdb_cl_ceil_divide(panels, BLOCKS),
                                abdb_cl_ceil_divide(s->n, tile_columns(job, s)), s->batch},
                               {0}},
        err, "bpbllllllllllip", a->panels, b->panels, abdb_dtype_size(panel_dtype(s->dtype)),
        c->data, s->m, s->n, s->k, k_from, k_to, c->first, c->row, c->stride, a->share, b->share,
        s->add || k_from > 0, bias, abdb_dtype_size(c->dtype));
}

/* Of C that is bf16 or f16 the whole depth is one, so that it is rounded once. */
abdb_status abdb_cl_add_gemm_of_panels(abdb_cl_job *job, const abdb_cl_panels *a,
                                       const abdb_cl_panels *b, const abdb_cl_matrix *c,
                                       const abdb_cl_gemm_size *s, abdb_error *err)
{
    bool rounded = c->dtype == ABDB_BF16 || c->dtype == ABDB_F16;
    size_t depth = rounded ? s->k : s->tiles.depth;
    abdb_status st = ABDB_OK;

    for (size_t from = 0; from < s->k; from += depth)
        TRY(add_tile_kernel_of_depth_range(job, a, b, c, s, from,
                                           from + depth < s->k ? from + depth : s->k, err));
done:
    return st;
}

abdb_status abdb_cl_add_pack_and_gemm(abdb_cl_job *job, const abdb_cl_matrix *a,
                                      const abdb_cl_matrix *b, const abdb_cl_matrix *c,
                                      const abdb_cl_gemm_size *s, abdb_error *err)
{
    abdb_cl_panels pa, pb;
    abdb_status st = ABDB_OK;

    TRY(abdb_cl_alloc_panels_and_add_pack_a(job, a, s, &pa, err));
    TRY(abdb_cl_alloc_panels_and_add_pack_b(job, b, s, &pb, err));
    TRY(abdb_cl_add_gemm_of_panels(job, &pa, &pb, c, s, err));
done:
    return st;
}
