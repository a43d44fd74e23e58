/* linear.c - layers of pruned or quantised weights, brought into their form beforehand: bytes
 * turned for tensor cores, columns of what is not 0; others are read as they are. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/providers/cuda/cu/args.h"
#include "kernels/providers/cuda/cu/maps.h"
#include "kernels/providers/cuda/implementations.h"
#include "kernels/providers/cuda/product.h"

/* SIDE, THREADS, COLUMNS, TALL: as in layer.cu; TILE: as in turn.cu. FEW: rows of X that a tile of
 * 16 has. */
enum { X, W, Y, X_SCALE, W_SCALE };
enum { SIDE = 64, THREADS = 128, COLUMNS = 8, TALL = 128, TILE = 32, FEW = 16 };

typedef struct {
    abdb_cu_job *job;
    const abdb_tensor *t;
    size_t m, n, k;
} layer;

static bool is_word(const abdb_problem *p, const char *name, const char *word)
{
    const char *text = abdb_param_text(p, name);

    return text && strcmp(text, word) == 0;
}

static bool is_dense(const abdb_problem *p)
{
    return p->tensor[W].dtype == ABDB_F32 && !(abdb_param_number(p, "sparsity", 0) > 0) &&
           !is_word(p, "pattern", "2:4");
}

static int accepts(const abdb_problem *p, const char **why_not)
{
    *why_not = "cuBLAS was not found";
    return !is_dense(p) || ((const abdb_cu_device *)p->device)->blas != NULL;
}

/* A matrix of rows x columns, turned. */
static abdb_status turn(layer *l, const char *kernel, const void *from, size_t rows, size_t columns,
                        size_t size, void **out, abdb_error *err)
{
    abdb_cu_turn of = {from, NULL, rows, columns};
    abdb_status st = ABDB_OK;

    TRY(abdb_cu_scratch(l->job, rows * columns * size, out, err));
    of.to = *out;
    TRY(abdb_cu_add(l->job,
                    &(abdb_cu_call){"turn.cu",
                                    kernel,
                                    {abdb_cu_pieces(columns, TILE), abdb_cu_pieces(rows, TILE)},
                                    ABDB_CU_THREADS,
                                    0},
                    &of, sizeof of, err));
done:
    return st;
}

static abdb_status add_dense(layer *l, abdb_error *err)
{
    abdb_cu_matrix x = {l->t[X].data, ABDB_F32, l->k, 0, false},
                   w = {l->t[W].data, ABDB_F32, l->n, 0, false},
                   y = {l->t[Y].data, ABDB_F32, l->n, 0, false};

    return abdb_cu_product(l->job, &x, &w, &y, &(abdb_cu_size){l->m, l->n, l->k, 1, false}, err);
}

static abdb_status add_quantised(layer *l, bool halves, abdb_error *err)
{
    abdb_cu_layer of = {l->t[X].data, l->t[W].data, l->t[W_SCALE].data, l->t[Y].data, l->m,
                        l->n,         l->k};
    size_t rows = l->m <= FEW ? FEW : SIDE;
    char name[ABDB_CU_KERNEL_NAME];

    snprintf(name, sizeof name, "layer_%s_%zu", halves ? "i4" : "i8", rows / FEW);
    snprintf(l->job->chosen, sizeof l->job->chosen, "tiles of %zu x %d", rows, SIDE);
    return abdb_cu_add(l->job,
                       &(abdb_cu_call){"layer.cu",
                                       name,
                                       {abdb_cu_pieces(l->n, SIDE), abdb_cu_pieces(l->m, rows)},
                                       ABDB_CU_THREADS,
                                       0},
                       &of, sizeof of, err);
}

static abdb_status add_bytes(layer *l, abdb_error *err)
{
    abdb_cu_bytes of = {
        l->t[X].data, NULL, l->t[X_SCALE].data, l->t[W_SCALE].data, l->t[Y].data, l->m, l->n, l->k};
    void *turned;
    abdb_status st = ABDB_OK;

    TRY(turn(l, "turn_bytes", l->t[W].data, l->k, l->n, 1, &turned, err));
    of.w = turned;
    TRY(abdb_cu_before(l->job, err));
    snprintf(l->job->chosen, sizeof l->job->chosen, "tensor cores, tiles of %d x %d", SIDE, SIDE);
    TRY(abdb_cu_add(l->job,
                    &(abdb_cu_call){"layer.cu",
                                    "layer_bytes",
                                    {abdb_cu_pieces(l->n, SIDE), abdb_cu_pieces(l->m, SIDE)},
                                    THREADS,
                                    0},
                    &of, sizeof of, err));
done:
    return st;
}

/* Columns of W: where each begins, its rows and weights; on the device. */
static abdb_status find_columns(layer *l, abdb_cu_sparse *of, abdb_error *err)
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
    TRY(abdb_cu_give(l->job, start, (n + 1) * sizeof *start, &on_device, err));
    of->start = on_device;
    TRY(abdb_cu_give(l->job, row, count * sizeof *row, &on_device, err));
    of->row = on_device;
    TRY(abdb_cu_give(l->job, left, count * sizeof *left, &on_device, err));
    of->weight = on_device;
done:
    free(start);
    free(row);
    free(w);
    free(left);
    return st;
}

static abdb_status add_sparse(layer *l, abdb_error *err)
{
    abdb_cu_sparse of = {.y = l->t[Y].data, .m = l->m, .n = l->n, .k = l->k};
    void *turned;
    abdb_status st = ABDB_OK;

    TRY(find_columns(l, &of, err));
    TRY(turn(l, "turn_floats", l->t[X].data, l->m, l->k, sizeof(float), &turned, err));
    of.x = turned;
    snprintf(l->job->chosen, sizeof l->job->chosen, "columns of weights, %d rows at a time", TALL);
    TRY(abdb_cu_add(l->job,
                    &(abdb_cu_call){"layer.cu",
                                    "layer_sparse",
                                    {abdb_cu_pieces(l->n, COLUMNS), abdb_cu_pieces(l->m, TALL)},
                                    ABDB_CU_THREADS,
                                    0},
                    &of, sizeof of, err));
done:
    return st;
}

static abdb_status prepare(void **state, const abdb_problem *p, abdb_error *err)
{
    const abdb_tensor *t = p->tensor;
    layer l = {.t = t, .m = t[X].dim[0], .n = t[Y].dim[1], .k = t[X].dim[1]};
    abdb_status st = ABDB_OK;

    TRY(abdb_cu_job_new(&l.job, p, err));
    if (t[X].dtype == ABDB_I8)
        TRY(add_bytes(&l, err));
    else if (t[W].dtype == ABDB_I8)
        TRY(add_quantised(&l, is_word(p, "weights", "i4"), err));
    else if (is_dense(p))
        TRY(add_dense(&l, err));
    else
        TRY(add_sparse(&l, err));
done:
    return abdb_cu_hand(st, l.job, state, err);
}

const abdb_impl abdb_cu_linear = {"linear",       "cuda",         accepts,      prepare,
                                  abdb_cu_launch, abdb_cu_chosen, abdb_cu_close};
