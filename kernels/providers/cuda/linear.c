/* linear.c - layers of pruned or quantised weights, brought into their form beforehand: bytes
 * transposed for tensor cores, columns of what is not 0; others are read as they are. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/providers/cuda/cu/kernel_args.h"
#include "kernels/providers/cuda/cu/thread_maps.h"
#include "kernels/providers/cuda/implementations.h"
#include "kernels/providers/cuda/cublas_gemm.h"

/* SIDE, THREADS, COLUMNS, TALL: as in linear_quantised.cu; TILE: as in transpose.cu. FEW: rows of X
 * that a tile of 16 has. */
enum { X, W, Y, X_SCALE, W_SCALE };
enum { SIDE = 64, THREADS = 128, COLUMNS = 8, TALL = 128, TILE = 32, FEW = 16 };

typedef struct {
    abdb_cu_job *job;
    const abdb_tensor *t;
    size_t m, n, k;
} linear_layer;

static bool has_dense_f32_weights(const abdb_problem *p)
{
    return p->tensor[W].dtype == ABDB_F32 && !(abdb_param_number(p, "sparsity", 0) > 0) &&
           !abdb_param_text_equals(p, "pattern", "2:4");
}

static int cuda_linear_accepts_dense_if_cublas(const abdb_problem *p, const char **why_not)
{
    *why_not = "cuBLAS was not found";
    return !has_dense_f32_weights(p) || ((const abdb_cu_device *)p->device)->blas != NULL;
}

/* Adds the transposition of a matrix of rows x columns to the job. */
static abdb_status alloc_scratch_and_add_transpose(linear_layer *l, const char *kernel,
                                                   const void *from, size_t rows, size_t columns,
                                                   size_t size, void **out, abdb_error *err)
{
    abdb_cu_transpose of = {from, NULL, rows, columns};
    abdb_status st = ABDB_OK;

    TRY(abdb_cu_alloc_scratch(l->job, rows * columns * size, out, err));
    of.to = *out;
    TRY(abdb_cu_load_and_add_kernel_step(
        l->job,
        &(abdb_cu_kernel_launch){
            "transpose.cu",
            kernel,
            {abdb_cu_ceil_divide(columns, TILE), abdb_cu_ceil_divide(rows, TILE)},
            ABDB_CU_THREADS,
            0},
        &of, sizeof of, err));
done:
    return st;
}

static abdb_status add_dense_cublas_gemm_step(linear_layer *l, abdb_error *err)
{
    abdb_cu_matrix x = {l->t[X].data, ABDB_F32, l->k, 0, false},
                   w = {l->t[W].data, ABDB_F32, l->n, 0, false},
                   y = {l->t[Y].data, ABDB_F32, l->n, 0, false};

    return abdb_cu_add_cublas_gemm_step(l->job, &x, &w, &y,
                                        &(abdb_cu_gemm_size){l->m, l->n, l->k, 1, false}, err);
}

/* Adds Y = X W, W in i8 or (halves) i4 with scales: tiles of FEW rows for few tokens, else SIDE. */
static abdb_status add_weight_quantised_gemm_kernel(linear_layer *l, bool is_i4, abdb_error *err)
{
    abdb_cu_linear_quantised of = {
        l->t[X].data, l->t[W].data, l->t[W_SCALE].data, l->t[Y].data, l->m, l->n, l->k};
    size_t rows = l->m <= FEW ? FEW : SIDE;
    char name[ABDB_CU_KERNEL_NAME];

    snprintf(name, sizeof name, "linear_%s_%zu", is_i4 ? "i4" : "i8", rows / FEW);
    snprintf(l->job->chosen, sizeof l->job->chosen, "tiles of %zu x %d", rows, SIDE);
    return abdb_cu_load_and_add_kernel_step(
        l->job,
        &(abdb_cu_kernel_launch){"linear_quantised.cu",
                                 name,
                                 {abdb_cu_ceil_divide(l->n, SIDE), abdb_cu_ceil_divide(l->m, rows)},
                                 ABDB_CU_THREADS,
                                 0},
        &of, sizeof of, err);
}

/* Transposes W once, then adds Y = (X W) times both scales, X and W in i8, on tensor cores. */
static abdb_status transpose_w_once_and_add_int8_gemm_kernel(linear_layer *l, abdb_error *err)
{
    abdb_cu_linear_int8 of = {
        l->t[X].data, NULL, l->t[X_SCALE].data, l->t[W_SCALE].data, l->t[Y].data, l->m, l->n, l->k};
    void *w_transposed;
    abdb_status st = ABDB_OK;

    TRY(alloc_scratch_and_add_transpose(l, "transpose_bytes", l->t[W].data, l->k, l->n, 1,
                                        &w_transposed, err));
    of.w = w_transposed;
    TRY(abdb_cu_run_steps_wait_and_clear(l->job, err));
    snprintf(l->job->chosen, sizeof l->job->chosen, "tensor cores, tiles of %d x %d", SIDE, SIDE);
    TRY(abdb_cu_load_and_add_kernel_step(
        l->job,
        &(abdb_cu_kernel_launch){"linear_quantised.cu",
                                 "linear_int8",
                                 {abdb_cu_ceil_divide(l->n, SIDE), abdb_cu_ceil_divide(l->m, SIDE)},
                                 THREADS,
                                 0},
        &of, sizeof of, err));
done:
    return st;
}

/* Columns of W: where each begins, its rows and weights; on the device. */
static abdb_status upload_weights_as_csc(linear_layer *l, abdb_cu_linear_sparse *of,
                                         abdb_error *err)
{
    abdb_device *d = &l->job->d->device;
    size_t k = l->k, n = l->n, count = 0;
    int32_t *start = calloc(n + 1, sizeof *start), *row = malloc((k * n + 1) * sizeof *row);
    float *w = malloc((k * n + 1) * sizeof *w), *left = malloc((k * n + 1) * sizeof *left);
    void *on_device;
    abdb_status st = ABDB_OK;

    if (!start || !row || !w || !left) TRY(ABDB_FAIL(err, ABDB_NOMEM, "columns of weights"));
    TRY(d->download(d, w, l->t[W].data, k * n * sizeof *w, err));
    for (size_t j = 0; j < n; j++) {
        for (size_t i = 0; i < k; i++) {
            if (w[i * n + j] == 0) continue;
            row[count] = (int32_t)i;
            left[count++] = w[i * n + j];
        }
        start[j + 1] = (int32_t)count;
    }
    TRY(abdb_cu_alloc_scratch_and_upload(l->job, start, (n + 1) * sizeof *start, &on_device, err));
    of->start = on_device;
    TRY(abdb_cu_alloc_scratch_and_upload(l->job, row, count * sizeof *row, &on_device, err));
    of->row = on_device;
    TRY(abdb_cu_alloc_scratch_and_upload(l->job, left, count * sizeof *left, &on_device, err));
    of->weight = on_device;
done:
    free(start);
    free(row);
    free(w);
    free(left);
    return st;
}

/* Uploads the weights that are not 0 by column, then adds Y = X W with X transposed by each
 * launch. */
static abdb_status upload_csc_weights_and_add_gemm_kernels(linear_layer *l, abdb_error *err)
{
    abdb_cu_linear_sparse of = {.y = l->t[Y].data, .m = l->m, .n = l->n, .k = l->k};
    void *x_transposed;
    abdb_status st = ABDB_OK;

    TRY(upload_weights_as_csc(l, &of, err));
    TRY(alloc_scratch_and_add_transpose(l, "transpose_floats", l->t[X].data, l->m, l->k,
                                        sizeof(float), &x_transposed, err));
    of.x = x_transposed;
    snprintf(l->job->chosen, sizeof l->job->chosen, "columns of weights, %d rows at a time", TALL);
    TRY(abdb_cu_load_and_add_kernel_step(
        l->job,
        &(abdb_cu_kernel_launch){
            "linear_quantised.cu",
            "linear_sparse",
            {abdb_cu_ceil_divide(l->n, COLUMNS), abdb_cu_ceil_divide(l->m, TALL)},
            ABDB_CU_THREADS,
            0},
        &of, sizeof of, err));
done:
    return st;
}

/* A job of a layer, as micro/linear.c defines it: i8 by i8, quantised, dense or pruned weights. */
static abdb_status cuda_linear_prepare_job(void **state, const abdb_problem *p, abdb_error *err)
{
    const abdb_tensor *t = p->tensor;
    linear_layer l = {.t = t, .m = t[X].dim[0], .n = t[Y].dim[1], .k = t[X].dim[1]};
    abdb_status st = ABDB_OK;

    TRY(abdb_cu_job_new(&l.job, p, err));
    if (t[X].dtype == ABDB_I8)
        TRY(transpose_w_once_and_add_int8_gemm_kernel(&l, err));
    else if (t[W].dtype == ABDB_I8)
        TRY(add_weight_quantised_gemm_kernel(&l, abdb_param_text_equals(p, "weights", "i4"), err));
    else if (has_dense_f32_weights(p))
        TRY(add_dense_cublas_gemm_step(&l, err));
    else
        TRY(upload_csc_weights_and_add_gemm_kernels(&l, err));
done:
    return abdb_cu_job_to_state_or_graph_or_free(st, l.job, state, err);
}

const abdb_impl abdb_cu_linear = {"linear",
                                  "cuda",
                                  cuda_linear_accepts_dense_if_cublas,
                                  cuda_linear_prepare_job,
                                  abdb_cu_job_launch_graph_or_enqueue_steps,
                                  abdb_cu_job_chosen_text,
                                  abdb_cu_job_free};
