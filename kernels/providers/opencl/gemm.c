/* gemm.c - the matrix product out of panels and tiles. tiles=usual: those of a table; search: the
 * quickest of some, tried once on this device; by default searched where the product is large. */
#include <stdio.h>
#include <string.h>

#include "kernels/providers/opencl/opencl.h"
#include "kernels/providers/opencl/product.h"

enum { A, B, C };
static const double large_ops = 1e9;

static int accepts(const abdb_problem *p, const char **why_not)
{
    return abdb_cl_has(p, p->tensor[0].dtype, why_not);
}

static abdb_status choose(const abdb_problem *p, abdb_cl_size *s, abdb_error *err)
{
    static const char *const words[] = {"auto", "usual", "search", NULL};
    double ops = 2 * (double)s->m * (double)s->n * (double)s->k * (double)s->batch;
    int which;
    abdb_status st = ABDB_OK;

    TRY(abdb_param_word(p, "tiles", words, &which, err));
    s->tiles = abdb_cl_usual((const abdb_cl_device *)p->device, s->dtype);
    if (which == 2 || (which == 0 && ops >= large_ops))
        TRY(abdb_cl_search(p, s->dtype, &s->tiles, err));
done:
    return st;
}

static abdb_cl_matrix matrix_of(const abdb_tensor *t)
{
    size_t rows = t->dim[t->rank - 2], columns = t->dim[t->rank - 1];

    return (abdb_cl_matrix){.data = t->data,
                            .dtype = t->dtype,
                            .row = columns,
                            .column = 1,
                            .stride = t->rank == 3 ? rows * columns : 0};
}

static abdb_status prepare(void **state, const abdb_problem *p, abdb_error *err)
{
    const abdb_tensor *t = p->tensor;
    const char *weights = abdb_param_text(p, "weights");
    abdb_cl_matrix a = matrix_of(&t[A]), b = matrix_of(&t[B]), c = matrix_of(&t[C]);
    abdb_cl_size s = {.m = t[C].dim[t[C].rank - 2],
                      .n = t[C].dim[t[C].rank - 1],
                      .k = t[A].dim[t[A].rank - 1],
                      .batch = t[C].rank == 3 ? t[C].dim[0] : 1,
                      .dtype = t[A].dtype};
    abdb_cl_panels pa, pb;
    abdb_cl_job *job = NULL;
    abdb_status st = ABDB_OK;

    TRY(choose(p, &s, err));
    TRY(abdb_cl_job_new(&job, p, err));
    snprintf(job->chosen, sizeof job->chosen, "tiles of %d x %zu, depth %zu, %s", s.tiles.rows,
             (size_t)s.tiles.vectors * abdb_cl_lanes(job->d, s.dtype), s.tiles.depth, s.tiles.how);
    TRY(abdb_cl_pack_b(job, &b, &s, &pb, err));
    if (weights && strcmp(weights, "packed") == 0) TRY(abdb_cl_before(job, err));
    TRY(abdb_cl_pack_a(job, &a, &s, &pa, err));
    TRY(abdb_cl_tile(job, &pa, &pb, &c, &s, err));
done:
    return abdb_cl_hand(st, job, state);
}

const abdb_impl abdb_cl_gemm = {"gemm",         "opencl",       accepts,      prepare,
                                abdb_cl_launch, abdb_cl_chosen, abdb_cl_close};
