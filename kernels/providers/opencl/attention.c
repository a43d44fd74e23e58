/* attention.c - attention forward and backward in blocks (flash), forward with the whole matrix of
 * scores (plain), and of one query by the kernel for new tokens (decode_attention.c). */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "kernels/providers/opencl/decode_attention.h"
#include "kernels/providers/opencl/flash_attention.h"
#include "kernels/providers/opencl/opencl.h"
#include "kernels/providers/opencl/packed_gemm.h"

enum { Q, K, V, O, L, OUT = 3, D_OUT = 4, L_IN = 5, DQ = 6, DK, DV, ITEMS = 128 };

static int opencl_attention_accepts_if_flash_or_forward(const abdb_problem *p, const char **why_not)
{
    *why_not = "gradients are made in blocks only (algorithm=flash)";
    if (abdb_param_text_equals(p, "pass", "backward") &&
        abdb_param_text_equals(p, "algorithm", "plain"))
        return 0;
    return abdb_cl_supports_tensor_formats(p, why_not);
}

/* The sizes that the kernel set in the problem's parameters. */
static abdb_cl_attention attention_size_of_problem(const abdb_problem *p)
{
    return (abdb_cl_attention){.batch = (size_t)abdb_param_number(p, "batch", 1),
                               .heads = (size_t)abdb_param_number(p, "heads", 1),
                               .kv_heads = (size_t)abdb_param_number(p, "kv_heads", 1),
                               .queries = (size_t)abdb_param_number(p, "queries", 1),
                               .keys = (size_t)abdb_param_number(p, "keys", 1),
                               .d = (size_t)abdb_param_number(p, "d", 1),
                               .causal = abdb_param_text_equals(p, "causal", "yes")};
}

/* A tensor of heads one after another. */
static abdb_cl_heads contiguous_heads_of_tensor(const abdb_problem *p, const abdb_cl_attention *s,
                                                int tensor, bool keys)
{
    size_t head = (keys ? s->keys : s->queries) * s->d;

    return (abdb_cl_heads){.data = p->tensor[tensor].data,
                           .dtype = p->tensor[tensor].dtype,
                           .batch = (keys ? s->kv_heads : s->heads) * head,
                           .head = head,
                           .row = s->d};
}

/* Adds dQ, dK, dV of all heads in blocks, from Q, K, V, O, dO and L. */
static abdb_status cl_add_flash_backward_kernels(abdb_cl_job *job, const abdb_cl_attention *s,
                                                 abdb_error *err)
{
    const abdb_problem *p = job->p;
    abdb_cl_attention_backward of = {.q = contiguous_heads_of_tensor(p, s, Q, false),
                                     .k = contiguous_heads_of_tensor(p, s, K, true),
                                     .v = contiguous_heads_of_tensor(p, s, V, true),
                                     .o = contiguous_heads_of_tensor(p, s, OUT, false),
                                     .d_o = contiguous_heads_of_tensor(p, s, D_OUT, false),
                                     .dq = contiguous_heads_of_tensor(p, s, DQ, false),
                                     .dk = contiguous_heads_of_tensor(p, s, DK, true),
                                     .dv = contiguous_heads_of_tensor(p, s, DV, true),
                                     .logarithm = p->tensor[L_IN].data};

    return abdb_cl_add_f32_copies_and_flash_backward(job, s, &of, err);
}

static abdb_status cl_add_flash_forward_kernels(abdb_cl_job *job, const abdb_cl_attention *s,
                                                abdb_error *err)
{
    abdb_cl_heads q = contiguous_heads_of_tensor(job->p, s, Q, false),
                  k = contiguous_heads_of_tensor(job->p, s, K, true),
                  v = contiguous_heads_of_tensor(job->p, s, V, true),
                  o = contiguous_heads_of_tensor(job->p, s, O, false);

    return abdb_cl_add_f32_copies_and_flash_forward(job, s, &q, &k, &v, &o, job->p->tensor[L].data,
                                                    err);
}

/* The matrix of a tensor of heads; keys and values are shared by a group. */
static abdb_cl_matrix matrix_of_heads_tensor(const abdb_problem *p, const abdb_cl_attention *s,
                                             int tensor, bool keys)
{
    return (abdb_cl_matrix){.data = p->tensor[tensor].data,
                            .dtype = p->tensor[tensor].dtype,
                            .row = s->d,
                            .column = 1,
                            .stride = (keys ? s->keys : s->queries) * s->d,
                            .share = keys ? s->heads / s->kv_heads : 1};
}

/* Adds three steps: scores = Q K^T of all heads, softmax of each row (and L), O = scores V. */
static abdb_status cl_add_unfused_attention_kernels(abdb_cl_job *job, const abdb_cl_attention *s,
                                                    abdb_error *err)
{
    const abdb_problem *p = job->p;
    size_t heads = s->batch * s->heads,
           items = abdb_cl_group_size_param_or_usual_1_on_cpu(p, ITEMS);
    abdb_cl_matrix q = matrix_of_heads_tensor(p, s, Q, false),
                   k = matrix_of_heads_tensor(p, s, K, true),
                   v = matrix_of_heads_tensor(p, s, V, true),
                   o = matrix_of_heads_tensor(p, s, O, false),
                   score = {.dtype = ABDB_F32,
                            .row = s->keys,
                            .column = 1,
                            .stride = s->queries * s->keys};
    abdb_cl_gemm_size size = {.m = s->queries,
                              .n = s->keys,
                              .k = s->d,
                              .batch = heads,
                              .dtype = ABDB_F32,
                              .tiles = abdb_cl_default_tiles(job->d, ABDB_F32)};
    cl_mem scores;
    abdb_status st = ABDB_OK;

    TRY(abdb_cl_alloc_or_count_scratch(job, heads * s->queries * s->keys * sizeof(float), &scores,
                                       err));
    score.data = scores;
    k.row = 1;
    k.column = s->d;
    TRY(abdb_cl_add_pack_and_gemm(job, &q, &k, &score, &size, err));
    TRY(abdb_cl_issue_kernel(
        job,
        &(abdb_cl_kernel_call){
            "softmax_scores.cl", "softmax_scores_in_place", "-DF32", {heads * s->queries}, {items}},
        err, "bbllfi", scores, p->tensor[L].data, s->queries, s->keys, 1 / sqrt((double)s->d),
        s->causal));
    size.n = s->d;
    size.k = s->keys;
    TRY(abdb_cl_add_pack_and_gemm(job, &score, &v, &o, &size, err));
done:
    return st;
}

/* One query: the keys of a head are one page. */
static abdb_status cl_add_single_query_decode_kernel(abdb_cl_job *job, const abdb_cl_attention *s,
                                                     abdb_error *err)
{
    const abdb_tensor *t = job->p->tensor;
    abdb_cl_decode_attention of = {.q = t[Q].data,
                                   .k = t[K].data,
                                   .v = t[V].data,
                                   .o = t[O].data,
                                   .logarithm = t[L].data,
                                   .dtype = t[Q].dtype,
                                   .batch = s->batch,
                                   .heads = s->heads,
                                   .kv_heads = s->kv_heads,
                                   .d = s->d,
                                   .block = s->keys};

    return abdb_cl_add_decode_attention_kernel(job, &of, err);
}

/* A job of attention: backward, plain, of one query, or in blocks. */
static abdb_status opencl_attention_prepare_job(void **state, const abdb_problem *p,
                                                abdb_error *err)
{
    abdb_cl_attention s = attention_size_of_problem(p);
    abdb_cl_job *job = NULL;
    abdb_status st = ABDB_OK;

    TRY(abdb_cl_job_new(&job, p, err));
    if (abdb_param_text_equals(p, "pass", "backward"))
        TRY(cl_add_flash_backward_kernels(job, &s, err));
    else if (abdb_param_text_equals(p, "algorithm", "plain"))
        TRY(cl_add_unfused_attention_kernels(job, &s, err));
    else if (s.queries == 1)
        TRY(cl_add_single_query_decode_kernel(job, &s, err));
    else
        TRY(cl_add_flash_forward_kernels(job, &s, err));
done:
    return abdb_cl_job_to_state_or_free(st, job, state);
}

const abdb_impl abdb_cl_attention_impl = {"attention",
                                          "opencl",
                                          opencl_attention_accepts_if_flash_or_forward,
                                          opencl_attention_prepare_job,
                                          abdb_cl_job_launch,
                                          abdb_cl_job_chosen_text,
                                          abdb_cl_job_free};
