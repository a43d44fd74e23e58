/* linear.c - layers of pruned or quantised weights, brought into their form beforehand: panels
 * (dense), strips of bytes, halves or blocks (linear_quantised.cl), columns of what is not 0
 * (linear_sparse.cl). */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/providers/opencl/opencl.h"
#include "kernels/providers/opencl/packed_gemm.h"

enum { X, W, Y, X_SCALE, W_SCALE, BLOCK_K = 64, SPARSE_COLUMNS = 8 };

typedef struct {
    abdb_cl_job *job;
    const abdb_tensor *t;
    abdb_cl_gemm_size size;
    abdb_cl_matrix x;
    size_t strip; /* columns */
} cl_linear_layer;

/* Whole numbers or weights that the host has made, on the device. */
static abdb_status alloc_scratch_and_upload(cl_linear_layer *l, const void *data, size_t size,
                                            cl_mem *out, abdb_error *err)
{
    abdb_device *d = &l->job->d->device;
    abdb_status st = ABDB_OK;

    TRY(abdb_cl_alloc_or_count_scratch(l->job, size ? size : 1, out, err));
    if (size) TRY(d->upload(d, *out, data, size, err));
done:
    return st;
}

/* W of f32, in the host's memory, to be freed. */
static abdb_status alloc_and_download_weights(cl_linear_layer *l, float **out, abdb_error *err)
{
    abdb_device *d = &l->job->d->device;
    size_t size = l->size.k * l->size.n * sizeof(float);
    abdb_status st = ABDB_OK;

    *out = malloc(size);
    if (!*out) return ABDB_FAIL(err, ABDB_NOMEM, "%zu bytes of weights", size);
    TRY(d->download(d, *out, l->t[W].data, size, err));
done:
    return st;
}

/* Packs W once, then adds Y = X W of f32 by tiles. */
static abdb_status cl_pack_w_once_and_add_dense_gemm(cl_linear_layer *l, abdb_error *err)
{
    const abdb_cl_gemm_size *s = &l->size;
    abdb_cl_matrix w = {.data = l->t[W].data, .dtype = ABDB_F32, .row = s->n, .column = 1},
                   y = {.data = l->t[Y].data, .dtype = ABDB_F32, .row = s->n, .column = 1};
    abdb_cl_panels a, b;
    abdb_status st = ABDB_OK;

    TRY(abdb_cl_alloc_panels_and_add_pack_b(l->job, &w, s, &b, err));
    TRY(abdb_cl_run_and_clear_steps(l->job, err));
    TRY(abdb_cl_alloc_panels_and_add_pack_a(l->job, &l->x, s, &a, err));
    TRY(abdb_cl_add_gemm_of_panels(l->job, &a, &b, &y, s, err));
done:
    return st;
}

/* Which blocks of each strip are not 0: where the list of a strip begins, and the list. */
static abdb_status upload_nonzero_block_lists(cl_linear_layer *l, cl_mem *start, cl_mem *list,
                                              abdb_error *err)
{
    size_t k = l->size.k, n = l->size.n, strips = abdb_cl_ceil_divide(n, l->strip),
           blocks = k / BLOCK_K;
    int *first = calloc(strips + 1, sizeof *first), *found = calloc(strips * blocks, sizeof *found);
    float *w = NULL;
    int count = 0;
    abdb_status st = ABDB_OK;

    if (!first || !found) TRY(ABDB_FAIL(err, ABDB_NOMEM, "blocks of weights"));
    TRY(alloc_and_download_weights(l, &w, err));
    for (size_t s = 0; s < strips; s++) {
        for (size_t b = 0; b < blocks; b++) {
            bool any = false;

            for (size_t i = b * BLOCK_K; i < (b + 1) * BLOCK_K && !any; i++)
                for (size_t j = s * l->strip; j < n && j < (s + 1) * l->strip; j++)
                    any |= w[i * n + j] != 0;
            if (any) found[count++] = (int)b;
        }
        first[s + 1] = count;
    }
    TRY(alloc_scratch_and_upload(l, first, (strips + 1) * sizeof *first, start, err));
    TRY(alloc_scratch_and_upload(l, found, (size_t)count * sizeof *found, list, err));
done:
    free(first);
    free(found);
    free(w);
    return st;
}

/* Copies W into strips of columns once, then adds Y = X W by them. kind: BYTES, HALVES (two
 * weights a byte) or BLOCKS (those that are not 0). */
static abdb_status copy_w_to_strips_once_and_add_gemm(cl_linear_layer *l, const char *kind,
                                                      abdb_error *err)
{
    const abdb_cl_gemm_size *s = &l->size;
    size_t rows = l->t[W].dim[0], strips = abdb_cl_ceil_divide(s->n, l->strip);
    bool blocks = l->t[W].dtype == ABDB_F32;
    cl_mem w, start, list;
    abdb_cl_panels x;
    char options[96];
    abdb_status st = ABDB_OK;

    snprintf(options, sizeof options, "-DF32 -DROWS=%d -D%s%s", s->tiles.rows, kind,
             l->t[X].dtype == ABDB_I8 ? " -DX_SCALED" : "");
    TRY(abdb_cl_alloc_or_count_scratch(l->job, strips * rows * l->strip * (blocks ? 4 : 1), &w,
                                       err));
    TRY(abdb_cl_issue_kernel(
        l->job,
        &(abdb_cl_kernel_call){
            "linear_quantised.cl", "copy_weights_to_strips", options, {strips, rows}, {0}},
        err, "bbl", l->t[W].data, w, s->n));
    start = list = w;
    if (blocks) TRY(upload_nonzero_block_lists(l, &start, &list, err));
    TRY(abdb_cl_run_and_clear_steps(l->job, err));
    TRY(abdb_cl_alloc_panels_and_add_pack_a(l->job, &l->x, s, &x, err));
    TRY(abdb_cl_issue_kernel(
        l->job,
        &(abdb_cl_kernel_call){"linear_quantised.cl",
                               "linear_layer_gemm",
                               options,
                               {abdb_cl_ceil_divide(s->m, (size_t)s->tiles.rows), strips},
                               {0}},
        err, "bbbbbbblll", x.panels, w, l->t[Y].data, l->t[X_SCALE].data, l->t[W_SCALE].data, start,
        list, s->m, s->n, s->k));
done:
    return st;
}

/* Columns of W: where each begins, its rows and weights. */
static abdb_status upload_weights_as_csc(cl_linear_layer *l, cl_mem *start, cl_mem *row,
                                         cl_mem *weight, abdb_error *err)
{
    size_t k = l->size.k, n = l->size.n, all = 0, count = 0;
    int *first = calloc(n + 1, sizeof *first), *at = NULL;
    float *w = NULL, *left = NULL;
    abdb_status st = ABDB_OK;

    if (!first) TRY(ABDB_FAIL(err, ABDB_NOMEM, "columns of weights"));
    TRY(alloc_and_download_weights(l, &w, err));
    for (size_t i = 0; i < k * n; i++) all += w[i] != 0;
    at = malloc((all + 1) * sizeof *at);
    left = malloc((all + 1) * sizeof *left);
    if (!at || !left) TRY(ABDB_FAIL(err, ABDB_NOMEM, "columns of weights"));
    for (size_t j = 0; j < n; j++) {
        for (size_t i = 0; i < k; i++) {
            if (w[i * n + j] == 0) continue;
            at[count] = (int)i;
            left[count++] = w[i * n + j];
        }
        first[j + 1] = (int)count;
    }
    TRY(alloc_scratch_and_upload(l, first, (n + 1) * sizeof *first, start, err));
    TRY(alloc_scratch_and_upload(l, at, count * sizeof *at, row, err));
    TRY(alloc_scratch_and_upload(l, left, count * sizeof *left, weight, err));
done:
    free(first);
    free(at);
    free(left);
    free(w);
    return st;
}

/* Uploads the weights that are not 0 by column, then adds Y = X W by them. */
static abdb_status cl_upload_csc_weights_and_add_gemm(cl_linear_layer *l, abdb_error *err)
{
    size_t lanes = abdb_cl_vector_lanes(l->job->d, ABDB_F32),
           side = (l->size.m > 2 * lanes ? 4 : 2) * lanes;
    cl_mem start, row, weight;
    abdb_cl_panels x;
    char options[64];
    abdb_status st = ABDB_OK;

    TRY(upload_weights_as_csc(l, &start, &row, &weight, err));
    l->size.tiles.rows = (int)side;
    TRY(abdb_cl_alloc_panels_and_add_pack_a(l->job, &l->x, &l->size, &x, err));
    snprintf(options, sizeof options, "-DF32 -DSIDE=%zu", side);
    TRY(abdb_cl_issue_kernel(l->job,
                             &(abdb_cl_kernel_call){"linear_sparse.cl",
                                                    "linear_layer_gemm",
                                                    options,
                                                    {abdb_cl_ceil_divide(l->size.n, SPARSE_COLUMNS),
                                                     abdb_cl_ceil_divide(l->size.m, side)},
                                                    {0}},
                             err, "bbbbblll", x.panels, start, row, weight, l->t[Y].data, l->size.m,
                             l->size.n, l->size.k));
done:
    return st;
}

/* A job of a layer, as micro/linear.c defines it: quantised, blocks, pruned or dense weights. */
static abdb_status opencl_linear_prepare_job(void **state, const abdb_problem *p, abdb_error *err)
{
    const char *weights = abdb_param_text(p, "weights"), *pattern = abdb_param_text(p, "pattern");
    const abdb_tensor *t = p->tensor;
    cl_linear_layer l = {
        .t = t,
        .size =
            {.m = t[X].dim[0], .n = t[Y].dim[1], .k = t[X].dim[1], .batch = 1, .dtype = ABDB_F32},
        .x = {.data = t[X].data, .dtype = t[X].dtype, .row = t[X].dim[1], .column = 1}};
    bool pruned = abdb_param_number(p, "sparsity", 0) > 0;
    abdb_status st = ABDB_OK;

    TRY(abdb_cl_job_new(&l.job, p, err));
    l.size.tiles = abdb_cl_default_tiles(l.job->d, ABDB_F32);
    l.strip = 2 * abdb_cl_vector_lanes(l.job->d, ABDB_F32);
    if (weights && strcmp(weights, "i8") == 0)
        TRY(copy_w_to_strips_once_and_add_gemm(&l, "BYTES", err));
    else if (weights && strcmp(weights, "i4") == 0)
        TRY(copy_w_to_strips_once_and_add_gemm(&l, "HALVES", err));
    else if (pruned && pattern && strcmp(pattern, "block") == 0)
        TRY(copy_w_to_strips_once_and_add_gemm(&l, "BLOCKS", err));
    else if (pruned || (pattern && strcmp(pattern, "2:4") == 0))
        TRY(cl_upload_csc_weights_and_add_gemm(&l, err));
    else
        TRY(cl_pack_w_once_and_add_dense_gemm(&l, err));
done:
    return abdb_cl_job_to_state_or_free(st, l.job, state);
}

const abdb_impl abdb_cl_linear = {"linear",
                                  "opencl",
                                  abdb_cl_supports_tensor_formats,
                                  opencl_linear_prepare_job,
                                  abdb_cl_job_launch,
                                  abdb_cl_job_chosen_text,
                                  abdb_cl_job_free};
