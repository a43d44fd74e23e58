/* attention.c - attention over heads: in blocks, plain by cuBLAS, its gradients, one query. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "kernels/providers/cuda/cu/thread_maps.h"
#include "kernels/providers/cuda/decode_attention.h"
#include "kernels/providers/cuda/flash_attention.h"
#include "kernels/providers/cuda/implementations.h"
#include "kernels/providers/cuda/cublas_gemm.h"

enum { Q, K, V, O, L, OUT = 3, D_OUT = 4, L_IN = 5, DQ = 6, DK, DV };

typedef struct {
    size_t batch, heads, kv_heads, queries, keys, d;
    bool causal;
} attention_sizes;

/* The sizes that the kernel set in the problem's parameters. */
static attention_sizes attention_sizes_of_problem(const abdb_problem *p)
{
    return (attention_sizes){.batch = (size_t)abdb_param_number(p, "batch", 1),
                             .heads = (size_t)abdb_param_number(p, "heads", 1),
                             .kv_heads = (size_t)abdb_param_number(p, "kv_heads", 1),
                             .queries = (size_t)abdb_param_number(p, "queries", 1),
                             .keys = (size_t)abdb_param_number(p, "keys", 1),
                             .d = (size_t)abdb_param_number(p, "d", 1),
                             .causal = abdb_param_text_equals(p, "causal", "yes")};
}

static int cuda_attention_accepts_unless_plain_backward(const abdb_problem *p, const char **why_not)
{
    bool plain = abdb_param_text_equals(p, "algorithm", "plain");

    *why_not = "gradients are made in blocks only";
    if (plain && abdb_param_text_equals(p, "pass", "backward")) return 0;
    *why_not = "cuBLAS was not found";
    return !plain || ((const abdb_cu_device *)p->device)->blas != NULL;
}

/* The rows of a tensor: batch x heads x rows of d. */
static abdb_cu_heads heads_layout_of_tensor(const abdb_problem *p, const attention_sizes *s,
                                            int tensor, bool keys)
{
    size_t rows = keys ? s->keys : s->queries, heads = keys ? s->kv_heads : s->heads;

    return (abdb_cu_heads){p->tensor[tensor].data, heads * rows * s->d, rows * s->d, s->d};
}

/* Adds O and L of all heads in blocks; rows and shapes as in micro/attention.c. */
static abdb_status add_flash_forward_kernel(abdb_cu_job *job, const attention_sizes *s,
                                            abdb_error *err)
{
    const abdb_problem *p = job->p;
    abdb_cu_attention of = {.q = heads_layout_of_tensor(p, s, Q, false),
                            .k = heads_layout_of_tensor(p, s, K, true),
                            .v = heads_layout_of_tensor(p, s, V, true),
                            .o = heads_layout_of_tensor(p, s, O, false),
                            .logarithm = p->tensor[L].data,
                            .queries = (uint32_t)s->queries,
                            .keys = (uint32_t)s->keys,
                            .d = (uint32_t)s->d,
                            .heads = (uint32_t)s->heads,
                            .group = (uint32_t)(s->heads / s->kv_heads),
                            .causal = s->causal};

    return abdb_cu_add_flash_or_plain_forward_kernel(job, p->tensor[Q].dtype, s->batch, &of, err);
}

/* Adds dQ, dK, dV of all heads in blocks, from Q, K, V, O, dO and L. */
static abdb_status add_flash_backward_kernels(abdb_cu_job *job, const attention_sizes *s,
                                              abdb_error *err)
{
    const abdb_problem *p = job->p;
    abdb_cu_attention_backward of = {.q = heads_layout_of_tensor(p, s, Q, false),
                                     .k = heads_layout_of_tensor(p, s, K, true),
                                     .v = heads_layout_of_tensor(p, s, V, true),
                                     .o = heads_layout_of_tensor(p, s, OUT, false),
                                     .d_o = heads_layout_of_tensor(p, s, D_OUT, false),
                                     .dq = heads_layout_of_tensor(p, s, DQ, false),
                                     .dk = heads_layout_of_tensor(p, s, DK, true),
                                     .dv = heads_layout_of_tensor(p, s, DV, true),
                                     .logarithm = p->tensor[L_IN].data,
                                     .queries = (uint32_t)s->queries,
                                     .keys = (uint32_t)s->keys,
                                     .d = (uint32_t)s->d,
                                     .heads = (uint32_t)s->heads,
                                     .group = (uint32_t)(s->heads / s->kv_heads),
                                     .causal = s->causal};

    return abdb_cu_add_flash_or_plain_backward_kernels(job, p->tensor[Q].dtype, s->batch, &of, err);
}

/* The whole matrix of scores: the heads that share keys are one matrix of queries. */
static abdb_status add_unfused_attention_steps(abdb_cu_job *job, const attention_sizes *s,
                                               abdb_error *err)
{
    const abdb_tensor *t = job->p->tensor;
    abdb_dtype dtype = t[Q].dtype;
    size_t rows = s->heads / s->kv_heads * s->queries, batch = s->batch * s->kv_heads,
           all = batch * rows;
    abdb_cu_matrix q = {t[Q].data, dtype, s->d, rows * s->d, false},
                   k = {t[K].data, dtype, s->d, s->keys * s->d, true},
                   v = {t[V].data, dtype, s->d, s->keys * s->d, false},
                   o = {t[O].data, dtype, s->d, rows * s->d, false},
                   score = {NULL, ABDB_F32, s->keys, rows * s->keys, false},
                   weight = {NULL, dtype, s->keys, rows * s->keys, false};
    abdb_cu_softmax_scores of = {.logarithm = t[L].data,
                                 .queries = (uint32_t)s->queries,
                                 .keys = (uint32_t)s->keys,
                                 .causal = s->causal,
                                 .scale = (float)(1 / sqrt((double)s->d))};
    char name[ABDB_CU_KERNEL_NAME];
    void *scores = NULL;
    abdb_status st = ABDB_OK;

    TRY(abdb_cu_alloc_scratch(job, all * s->keys * sizeof(float), &scores, err));
    TRY(abdb_cu_alloc_scratch(job, all * s->keys * abdb_dtype_size(dtype), &of.out, err));
    score.data = of.scores = scores;
    weight.data = of.out;
    snprintf(name, sizeof name, "softmax_scores_%s", abdb_cu_kernel_name_suffix(dtype));
    TRY(abdb_cu_add_cublas_gemm_step(job, &q, &k, &score,
                                     &(abdb_cu_gemm_size){rows, s->keys, s->d, batch, false}, err));
    TRY(abdb_cu_load_and_add_kernel_step(
        job, &(abdb_cu_kernel_launch){"attention_plain.cu", name, {all}, ABDB_CU_THREADS, 0}, &of,
        sizeof of, err));
    TRY(abdb_cu_add_cublas_gemm_step(job, &weight, &v, &o,
                                     &(abdb_cu_gemm_size){rows, s->d, s->keys, batch, false}, err));
done:
    return st;
}

/* One query: the keys of a head are one page. */
static abdb_status add_single_query_decode_kernels(abdb_cu_job *job, const attention_sizes *s,
                                                   abdb_error *err)
{
    const abdb_tensor *t = job->p->tensor;
    abdb_cu_decode_attention of = {.q = t[Q].data,
                                   .k = t[K].data,
                                   .v = t[V].data,
                                   .o = t[O].data,
                                   .logarithm = t[L].data,
                                   .batch = (uint32_t)s->batch,
                                   .heads = (uint32_t)s->heads,
                                   .kv_heads = (uint32_t)s->kv_heads,
                                   .d = (uint32_t)s->d,
                                   .block = (uint32_t)s->keys,
                                   .width = 1};

    return abdb_cu_add_split_kv_decode_attention(job, t[Q].dtype, &of, s->keys, err);
}

/* A job of attention: backward, plain, of one query, or in blocks. */
static abdb_status cuda_attention_prepare_job(void **state, const abdb_problem *p, abdb_error *err)
{
    attention_sizes s = attention_sizes_of_problem(p);
    abdb_cu_job *job = NULL;
    abdb_status st = ABDB_OK;

    TRY(abdb_cu_job_new(&job, p, err));
    if (abdb_param_text_equals(p, "pass", "backward"))
        TRY(add_flash_backward_kernels(job, &s, err));
    else if (abdb_param_text_equals(p, "algorithm", "plain"))
        TRY(add_unfused_attention_steps(job, &s, err));
    else if (s.queries == 1)
        TRY(add_single_query_decode_kernels(job, &s, err));
    else
        TRY(add_flash_forward_kernel(job, &s, err));
done:
    return abdb_cu_job_to_state_or_graph_or_free(st, job, state, err);
}

const abdb_impl abdb_cu_attention_impl = {"attention",
                                          "cuda",
                                          cuda_attention_accepts_unless_plain_backward,
                                          cuda_attention_prepare_job,
                                          abdb_cu_job_launch_graph_or_enqueue_steps,
                                          abdb_cu_job_chosen_text,
                                          abdb_cu_job_free};
