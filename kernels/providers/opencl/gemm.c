/* gemm.c - the matrix product out of panels and tiles. tiles=usual: those of a table; search: the
 * quickest of some, tried once on this device; by default searched where the product is large. */
#include <stdio.h>

#include "kernels/providers/opencl/opencl.h"
#include "kernels/providers/opencl/packed_gemm.h"

enum { A, B, C };
static const double large_ops = 1e9;

/* Sets the tiles by tiles=: from the table, or searched; auto searches from large_ops operations
 * on. */
static abdb_status choose_or_search_tiles(const abdb_problem *p, abdb_cl_gemm_size *s,
                                          abdb_error *err)
{
    static const char *const words[] = {"auto", "usual", "search", NULL};
    double ops = 2 * (double)s->m * (double)s->n * (double)s->k * (double)s->batch;
    int which;
    abdb_status st = ABDB_OK;

    TRY(abdb_param_choice_index_or_first(p, "tiles", words, &which, err));
    s->tiles = abdb_cl_default_tiles((const abdb_cl_device *)p->device, s->dtype);
    if (which == 2 || (which == 0 && ops >= large_ops))
        TRY(abdb_cl_find_cached_or_fastest_tiles(p, s->dtype, &s->tiles, err));
done:
    return st;
}

/* Rows and columns as they are multiplied: of what is stored transposed they change places. */
static abdb_cl_matrix gemm_matrix_of_tensor(const abdb_tensor *t, bool transposed)
{
    size_t rows = t->dim[t->rank - 2], columns = t->dim[t->rank - 1];

    return (abdb_cl_matrix){.data = t->data,
                            .dtype = t->dtype,
                            .row = transposed ? 1 : columns,
                            .column = transposed ? columns : 1,
                            .stride = t->rank == 3 ? rows * columns : 0};
}

/* A job of C = A B + beta C: packs A and B, then multiplies tiles. weights=packed: B is packed
 * here, not by a launch. */
static abdb_status opencl_gemm_prepare_tiles_and_pack_b(void **state, const abdb_problem *p,
                                                        abdb_error *err)
{
    const abdb_tensor *t = p->tensor;
    abdb_gemm g = abdb_gemm_from_problem(p);
    abdb_cl_matrix a = gemm_matrix_of_tensor(&t[A], g.ta), b = gemm_matrix_of_tensor(&t[B], g.tb),
                   c = gemm_matrix_of_tensor(&t[C], false);
    abdb_cl_gemm_size s = {
        .m = g.m, .n = g.n, .k = g.k, .batch = g.batch, .dtype = t[A].dtype, .add = g.beta};
    abdb_cl_panels pa, pb;
    abdb_cl_job *job = NULL;
    abdb_status st = ABDB_OK;

    TRY(choose_or_search_tiles(p, &s, err));
    TRY(abdb_cl_job_new(&job, p, err));
    snprintf(job->chosen, sizeof job->chosen, "tiles of %d x %zu, depth %zu, %s", s.tiles.rows,
             (size_t)s.tiles.vectors * abdb_cl_vector_lanes(job->d, s.dtype), s.tiles.depth,
             s.tiles.how);
    TRY(abdb_cl_alloc_panels_and_add_pack_b(job, &b, &s, &pb, err));
    if (g.packed) TRY(abdb_cl_run_and_clear_steps(job, err));
    TRY(abdb_cl_alloc_panels_and_add_pack_a(job, &a, &s, &pa, err));
    TRY(abdb_cl_add_gemm_of_panels(job, &pa, &pb, &c, &s, err));
done:
    return abdb_cl_job_to_state_or_free(st, job, state);
}

/* 1: the device has this product; else 0 and *why_not. */
static int opencl_gemm_accepts_without_epilogue(const abdb_problem *p, const char **why_not)
{
    *why_not = "opencl has no epilogues of a product yet";
    if (abdb_gemm_has_bias_or_activation(p)) return 0;
    *why_not = "opencl adds to a C of f32, f64 and i32, not to one that is rounded";
    if (abdb_gemm_from_problem(p).beta &&
        (p->tensor[C].dtype == ABDB_BF16 || p->tensor[C].dtype == ABDB_F16))
        return 0;
    return abdb_cl_supports_tensor_formats(p, why_not);
}

const abdb_impl abdb_cl_gemm = {"gemm",
                                "opencl",
                                opencl_gemm_accepts_without_epilogue,
                                opencl_gemm_prepare_tiles_and_pack_b,
                                abdb_cl_job_launch,
                                abdb_cl_job_chosen_text,
                                abdb_cl_job_free};
