/* block.c - a transformer block: its memory, forward, or backward after a forward beforehand; see
 * block.h. */
#include "kernels/providers/cuda/block.h"

#include "kernels/providers/cuda/implementations.h"

enum { X, P, Y, DY = 2, DX, DP };

/* All pieces of memory of forward but x and y, which may be the problem's. */
static abdb_status alloc_block_activations(abdb_cu_block *b, abdb_error *err)
{
    void **const one[] = {&b->n1, &b->att, &b->h, &b->n2};
    abdb_status st = ABDB_OK;

    for (size_t i = 0; i < sizeof one / sizeof one[0]; i++)
        TRY(abdb_cu_block_alloc_rows(b, b->d, one[i], err));
    TRY(abdb_cu_block_alloc_rows(b, 3 * b->d, &b->qkv, err));
    TRY(abdb_cu_block_alloc_rows(b, 4 * b->d, &b->f, err));
    TRY(abdb_cu_block_alloc_rows(b, 4 * b->d, &b->g, err));
    TRY(abdb_cu_alloc_scratch(b->job, b->n * b->heads * sizeof(float), &b->logarithm, err));
    if (!b->y) TRY(abdb_cu_block_alloc_rows(b, b->d, &b->y, err));
done:
    return st;
}

static int cuda_block_accepts_if_cublas(const abdb_problem *p, const char **why_not)
{
    *why_not = "cuBLAS was not found";
    return ((const abdb_cu_device *)p->device)->blas != NULL;
}

/* A job of a transformer block. Backward runs the forward pass here, once, and keeps its
 * activations. */
static abdb_status cuda_block_prepare_forward_or_backward(void **state, const abdb_problem *p,
                                                          abdb_error *err)
{
    const abdb_tensor *t = p->tensor;
    bool forward = p->tensors == 3;
    abdb_cu_block b = {.p = &t[P],
                       .n = t[X].dim[0],
                       .d = t[X].dim[1],
                       .sequence = (size_t)abdb_param_number(p, "sequence", 1),
                       .heads = (size_t)abdb_param_number(p, "heads", 1),
                       .x = t[X].data,
                       .y = forward ? t[Y].data : NULL};
    abdb_status st = ABDB_OK;

    TRY(abdb_cu_job_new(&b.job, p, err));
    TRY(alloc_block_activations(&b, err));
    TRY(abdb_cu_add_block_forward_steps(&b, err));
    if (!forward) {
        TRY(abdb_cu_run_steps_wait_and_clear(b.job, err)); /* what forward keeps is there */
        TRY(abdb_cu_add_block_backward_steps(&b, &t[DY], &t[DX], &t[DP], err));
    }
done:
    return abdb_cu_job_to_state_or_graph_or_free(st, b.job, state, err);
}

const abdb_impl abdb_cu_block_impl = {"transformer-block",
                                      "cuda",
                                      cuda_block_accepts_if_cublas,
                                      cuda_block_prepare_forward_or_backward,
                                      abdb_cu_job_launch_graph_or_enqueue_steps,
                                      abdb_cu_job_chosen_text,
                                      abdb_cu_job_free};
