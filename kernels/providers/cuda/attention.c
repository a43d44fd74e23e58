/* attention.c - attention over heads: in blocks, plain by cuBLAS, its gradients, one query. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "kernels/providers/cuda/cu/maps.h"
#include "kernels/providers/cuda/decode.h"
#include "kernels/providers/cuda/heads.h"
#include "kernels/providers/cuda/implementations.h"
#include "kernels/providers/cuda/product.h"

enum { Q, K, V, O, L, OUT = 3, D_OUT = 4, L_IN = 5, DQ = 6, DK, DV };

typedef struct {
    size_t batch, heads, kv_heads, queries, keys, d;
    bool causal;
} sizes;

static bool is_word(const abdb_problem *p, const char *name, const char *word)
{
    const char *text = abdb_param_text(p, name);

    return text && strcmp(text, word) == 0;
}

static sizes sizes_of(const abdb_problem *p)
{
    return (sizes){.batch = (size_t)abdb_param_number(p, "batch", 1),
                   .heads = (size_t)abdb_param_number(p, "heads", 1),
                   .kv_heads = (size_t)abdb_param_number(p, "kv_heads", 1),
                   .queries = (size_t)abdb_param_number(p, "queries", 1),
                   .keys = (size_t)abdb_param_number(p, "keys", 1),
                   .d = (size_t)abdb_param_number(p, "d", 1),
                   .causal = is_word(p, "causal", "yes")};
}

static int accepts(const abdb_problem *p, const char **why_not)
{
    bool plain = is_word(p, "algorithm", "plain");

    *why_not = "gradients are made in blocks only";
    if (plain && is_word(p, "pass", "backward")) return 0;
    *why_not = "cuBLAS was not found";
    return !plain || ((const abdb_cu_device *)p->device)->blas != NULL;
}

/* The rows of a tensor: batch x heads x rows of d. */
static abdb_cu_heads heads_of(const abdb_problem *p, const sizes *s, int tensor, bool keys)
{
    size_t rows = keys ? s->keys : s->queries, heads = keys ? s->kv_heads : s->heads;

    return (abdb_cu_heads){p->tensor[tensor].data, heads * rows * s->d, rows * s->d, s->d};
}

static abdb_status add_flash(abdb_cu_job *job, const sizes *s, abdb_error *err)
{
    const abdb_problem *p = job->p;
    abdb_cu_attention of = {.q = heads_of(p, s, Q, false),
                            .k = heads_of(p, s, K, true),
                            .v = heads_of(p, s, V, true),
                            .o = heads_of(p, s, O, false),
                            .logarithm = p->tensor[L].data,
                            .queries = (uint32_t)s->queries,
                            .keys = (uint32_t)s->keys,
                            .d = (uint32_t)s->d,
                            .heads = (uint32_t)s->heads,
                            .group = (uint32_t)(s->heads / s->kv_heads),
                            .causal = s->causal};

    return abdb_cu_flash(job, p->tensor[Q].dtype, s->batch, &of, err);
}

static abdb_status add_back(abdb_cu_job *job, const sizes *s, abdb_error *err)
{
    const abdb_problem *p = job->p;
    abdb_cu_slopes of = {.q = heads_of(p, s, Q, false),
                         .k = heads_of(p, s, K, true),
                         .v = heads_of(p, s, V, true),
                         .o = heads_of(p, s, OUT, false),
                         .d_o = heads_of(p, s, D_OUT, false),
                         .dq = heads_of(p, s, DQ, false),
                         .dk = heads_of(p, s, DK, true),
                         .dv = heads_of(p, s, DV, true),
                         .logarithm = p->tensor[L_IN].data,
                         .queries = (uint32_t)s->queries,
                         .keys = (uint32_t)s->keys,
                         .d = (uint32_t)s->d,
                         .heads = (uint32_t)s->heads,
                         .group = (uint32_t)(s->heads / s->kv_heads),
                         .causal = s->causal};

    return abdb_cu_flash_back(job, p->tensor[Q].dtype, s->batch, &of, err);
}

/* The whole matrix of scores: the heads that share keys are one matrix of queries. */
static abdb_status add_plain(abdb_cu_job *job, const sizes *s, abdb_error *err)
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
    abdb_cu_scores of = {.logarithm = t[L].data,
                         .queries = (uint32_t)s->queries,
                         .keys = (uint32_t)s->keys,
                         .causal = s->causal,
                         .scale = (float)(1 / sqrt((double)s->d))};
    char name[ABDB_CU_KERNEL_NAME];
    void *scores = NULL;
    abdb_status st = ABDB_OK;

    TRY(abdb_cu_scratch(job, all * s->keys * sizeof(float), &scores, err));
    TRY(abdb_cu_scratch(job, all * s->keys * abdb_dtype_size(dtype), &of.out, err));
    score.data = of.scores = scores;
    weight.data = of.out;
    snprintf(name, sizeof name, "probabilities_%s", abdb_cu_suffix(dtype));
    TRY(abdb_cu_product(job, &q, &k, &score, &(abdb_cu_size){rows, s->keys, s->d, batch, false},
                        err));
    TRY(abdb_cu_add(job, &(abdb_cu_call){"attend.cu", name, {all}, ABDB_CU_THREADS, 0}, &of,
                    sizeof of, err));
    TRY(abdb_cu_product(job, &weight, &v, &o, &(abdb_cu_size){rows, s->d, s->keys, batch, false},
                        err));
done:
    return st;
}

/* One query: the keys of a head are one page. */
static abdb_status add_one(abdb_cu_job *job, const sizes *s, abdb_error *err)
{
    const abdb_tensor *t = job->p->tensor;
    abdb_cu_decode of = {.q = t[Q].data,
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

    return abdb_cu_add_decode(job, t[Q].dtype, &of, s->keys, err);
}

static abdb_status prepare(void **state, const abdb_problem *p, abdb_error *err)
{
    sizes s = sizes_of(p);
    abdb_cu_job *job = NULL;
    abdb_status st = ABDB_OK;

    TRY(abdb_cu_job_new(&job, p, err));
    if (is_word(p, "pass", "backward"))
        TRY(add_back(job, &s, err));
    else if (is_word(p, "algorithm", "plain"))
        TRY(add_plain(job, &s, err));
    else if (s.queries == 1)
        TRY(add_one(job, &s, err));
    else
        TRY(add_flash(job, &s, err));
done:
    return abdb_cu_hand(st, job, state, err);
}

const abdb_impl abdb_cu_attention_impl = {"attention",    "cuda",         accepts,      prepare,
                                          abdb_cu_launch, abdb_cu_chosen, abdb_cu_close};
