/* block.c - a transformer block: its memory, forward, or backward after a forward beforehand. */
#include "kernels/providers/opencl/block.h"
#include "kernels/providers/opencl/opencl.h"

enum { X, P, Y, DY = 2, DX, DP };

/* All pieces of memory of forward. */
static abdb_status cl_alloc_block_activations(abdb_cl_block *b, abdb_error *err)
{
    cl_mem *const one[] = {&b->x, &b->n1, &b->att, &b->h, &b->n2, &b->y};
    abdb_status st = ABDB_OK;

    for (size_t i = 0; i < sizeof one / sizeof one[0]; i++)
        TRY(abdb_cl_block_alloc_rows(b, b->d, one[i], err));
    TRY(abdb_cl_block_alloc_rows(b, 3 * b->d, &b->qkv, err));
    TRY(abdb_cl_block_alloc_rows(b, 4 * b->d, &b->f, err));
    TRY(abdb_cl_block_alloc_rows(b, 4 * b->d, &b->g, err));
    TRY(abdb_cl_block_alloc_rows(b, b->attention.heads, &b->logarithm, err));
done:
    return st;
}

/* A job of a transformer block in f32. Backward runs the forward pass here, once, and keeps its
 * activations. */
static abdb_status opencl_block_prepare_forward_or_backward(void **state, const abdb_problem *p,
                                                            abdb_error *err)
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
    TRY(cl_alloc_block_activations(&b, err));
    TRY(abdb_cl_block_add_widen_or_narrow(&b, true, t[X].dtype, t[X].data, b.x, err));
    TRY(abdb_cl_add_block_forward_kernels(&b, err));
    if (p->tensors == 3) {
        TRY(abdb_cl_block_add_widen_or_narrow(&b, false, t[Y].dtype, b.y, t[Y].data, err));
    } else {
        TRY(abdb_cl_run_and_clear_steps(b.job, err)); /* what forward keeps is there */
        TRY(abdb_cl_add_block_backward_kernels(&b, &t[DY], &t[DX], &t[DP], err));
    }
done:
    return abdb_cl_job_to_state_or_free(st, b.job, state);
}

const abdb_impl abdb_cl_block_impl = {"transformer-block",
                                      "opencl",
                                      abdb_cl_supports_tensor_formats,
                                      opencl_block_prepare_forward_or_backward,
                                      abdb_cl_job_launch,
                                      abdb_cl_job_chosen_text,
                                      abdb_cl_job_free};
