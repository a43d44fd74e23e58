/* elementwise.c - what stands between the products of a network: a block a row, or packs of all
 * elements. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "kernels/providers/cuda/cu/kernel_args.h"
#include "kernels/providers/cuda/cu/thread_maps.h"
#include "kernels/providers/cuda/implementations.h"
#include "kernels/providers/cuda/row_ops.h"

enum { SOFTMAX, LAYERNORM, RMSNORM, GELU, SILU, ROTARY, CROSS_ENTROPY, ADAMW };
enum { LANES = 4 }; /* as in elementwise.cu */
static const double beta1 = 0.9, beta2 = 0.999, step = 10;

static int cuda_elementwise_accepts_unless_nt_stores(const abdb_problem *p, const char **why_not)
{
    const char *stores = abdb_param_text(p, "stores");

    *why_not = "stores past the caches are the stream's only";
    return !stores || strcmp(stores, "nt") != 0;
}

/* Adds softmax, a norm or cross entropy: a block a row. */
static abdb_status add_softmax_norm_or_cross_entropy_kernel(abdb_cu_job *job, int op,
                                                            abdb_error *err)
{
    static const char *const names[] = {"softmax", "layernorm", "rmsnorm", NULL,
                                        NULL,      NULL,        "loss"};
    const abdb_tensor *t = job->p->tensor;
    abdb_cu_row_op of = {.x = t[0].data, .y = t[job->p->tensors - 1].data, .columns = t[0].dim[1]};

    if (op != SOFTMAX) of.p = t[1].data;
    if (op == LAYERNORM) of.q = t[2].data;
    return abdb_cu_add_row_kernel(job, names[op], t[0].dtype, t[0].dim[0], &of, err);
}

/* Adds the rotation of pairs (i, columns / 2 + i) of each row, several pairs at once where they
 * align. */
static abdb_status add_rotary_embedding_kernel(abdb_cu_job *job, abdb_error *err)
{
    const abdb_tensor *t = job->p->tensor;
    size_t half = t[0].dim[1] / 2, lanes = half % LANES == 0 ? LANES : 1;
    abdb_cu_rotary of = {.x = t[0].data,
                         .turn = t[1].data,
                         .y = t[2].data,
                         .rows = t[0].dim[0],
                         .columns = t[0].dim[1],
                         .positions = t[1].dim[0],
                         .wide = lanes > 1};

    return abdb_cu_add_kernel_of_dtype(job, "elementwise.cu", "rotary", t[0].dtype,
                                       abdb_cu_blocks_for_pieces(of.rows * (half / lanes)), &of,
                                       sizeof of, err);
}

/* Adds a step of AdamW on all elements, with the corrections of the moments for the step. */
static abdb_status add_adamw_update_kernel(abdb_cu_job *job, abdb_error *err)
{
    const abdb_tensor *t = job->p->tensor;
    abdb_cu_adamw of = {.p = t[0].data,
                        .g = t[1].data,
                        .m = t[2].data,
                        .v = t[3].data,
                        .p_out = t[4].data,
                        .m_out = t[5].data,
                        .v_out = t[6].data,
                        .n = abdb_tensor_element_count(&t[0]),
                        .by_m = (float)(1 / (1 - pow(beta1, step))),
                        .by_v = (float)(1 / (1 - pow(beta2, step)))};

    return abdb_cu_add_kernel_of_dtype(job, "elementwise.cu", "adamw", t[0].dtype,
                                       abdb_cu_blocks_for_pieces(of.n / LANES), &of, sizeof of,
                                       err);
}

/* A job of the operation `op`, as micro/elementwise.c defines it. */
static abdb_status cuda_elementwise_prepare_job(void **state, const abdb_problem *p,
                                                abdb_error *err)
{
    static const char *const words[] = {"softmax", "layernorm",     "rmsnorm", "gelu", "silu",
                                        "rotary",  "cross-entropy", "adamw",   NULL};
    const abdb_tensor *t = p->tensor;
    abdb_cu_job *job = NULL;
    int op;
    abdb_status st = ABDB_OK;

    TRY(abdb_param_choice_index_or_first(p, "op", words, &op, err));
    TRY(abdb_cu_job_new(&job, p, err));
    if (op == ROTARY)
        TRY(add_rotary_embedding_kernel(job, err));
    else if (op == ADAMW)
        TRY(add_adamw_update_kernel(job, err));
    else if (op == GELU || op == SILU)
        TRY(abdb_cu_add_elementwise_kernel(job, words[op], t[0].dtype, t[0].data, t[1].data,
                                           abdb_tensor_element_count(&t[0]), err));
    else
        TRY(add_softmax_norm_or_cross_entropy_kernel(job, op, err));
done:
    return abdb_cu_job_to_state_or_graph_or_free(st, job, state, err);
}

const abdb_impl abdb_cu_elementwise = {"elementwise",
                                       "cuda",
                                       cuda_elementwise_accepts_unless_nt_stores,
                                       cuda_elementwise_prepare_job,
                                       abdb_cu_job_launch_graph_or_enqueue_steps,
                                       abdb_cu_job_chosen_text,
                                       abdb_cu_job_free};
