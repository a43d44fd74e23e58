/* attention.c - backend vec's attention: which of three ways a problem takes, and the room it works
 * in. By blocks (flash, forward and backward) and plain with the whole matrix of scores, both in
 * isa/flash.h; and for one new query a head (decode) keys and values read once where they lie, in
 * isa/decode_attention.c. */
#include <math.h>
#include <omp.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/providers/vec/vec.h"

typedef struct {
    const abdb_problem *p;
    abdb_vec_attention a;
    const abdb_vec_isa *isa;
    bool backward, decode; /* decode: few queries, keys are read where they are */
    size_t parts;          /* of the keys, where there are fewer heads than threads */
} attention_state;

/* decode: d is a multiple of GRAIN, and at most FEW heads share keys; beyond, packing pays. */
enum { GRAIN = 16, FEW = 16 };

/* 1: it has this attention; 0 and *why_not: gradients with algorithm=plain, or a format that
 * this processor has no dot product of. */
static int vec_attention_accepts_format_and_algorithm(const abdb_problem *p, const char **why_not)
{
    const char *algorithm = abdb_param_text(p, "algorithm"), *pass = abdb_param_text(p, "pass");

    if (!abdb_vec_supports_isa_stores_and_threads(p, why_not)) return 0;
    *why_not = "backward only by blocks (algorithm=flash)";
    if (algorithm && strcmp(algorithm, "plain") == 0 && pass && strcmp(pass, "backward") == 0)
        return 0;
    *why_not = "of bf16 this processor has no dot product, or d is odd";
    return abdb_vec_supports_gemm_dtype(p, p->tensor[0].dtype) &&
           (p->tensor[0].dtype != ABDB_BF16 || p->tensor[0].dim[1] % 2 == 0);
}

static void vec_attention_free(void *state)
{
    attention_state *s = state;

    free(s->a.room);
    free(s);
}

/* Strides, pointers and working memory of a launch. One query with few heads a kv_head is split
 * over the keys, so that every thread has a part (decode). */
static abdb_status vec_attention_prepare_strides_and_workspace(void **state, const abdb_problem *p,
                                                               abdb_error *err)
{
    attention_state *s = calloc(1, sizeof *s);
    const char *causal = abdb_param_text(p, "causal"), *pass = abdb_param_text(p, "pass"),
               *algorithm = abdb_param_text(p, "algorithm");
    abdb_vec_attention *a;

    if (!s) return ABDB_FAIL(err, ABDB_NOMEM, "attention");
    a = &s->a;
    s->isa = abdb_vec_select_isa(p);
    s->backward = pass && strcmp(pass, "backward") == 0;
    *a = (abdb_vec_attention){.dtype = p->tensor[0].dtype,
                              .batch = (size_t)abdb_param_number(p, "batch", 1),
                              .heads = (size_t)abdb_param_number(p, "heads", 1),
                              .kv_heads = (size_t)abdb_param_number(p, "kv_heads", 1),
                              .queries = (size_t)abdb_param_number(p, "queries", 1),
                              .keys = (size_t)abdb_param_number(p, "keys", 1),
                              .d = p->tensor[0].dim[1],
                              .causal = causal && strcmp(causal, "yes") == 0,
                              .plain = algorithm && strcmp(algorithm, "plain") == 0,
                              .threads = abdb_vec_thread_count(p),
                              .q = p->tensor[0].data,
                              .k = p->tensor[1].data,
                              .v = p->tensor[2].data,
                              .o = p->tensor[3].data,
                              .l = p->tensor[s->backward ? 5 : 4].data};
    a->scale = (float)(1 / sqrt((double)a->d));
    /* Row, head, batch: one head's rows lie together, heads one after another. */
    a->of_q = (abdb_vec_stride){a->d, a->queries * a->d, a->heads * a->queries * a->d};
    a->of_kv = (abdb_vec_stride){a->d, a->keys * a->d, a->kv_heads * a->keys * a->d};
    a->of_o = a->of_q;
    if (s->backward) {
        a->dout = p->tensor[4].data;
        a->dq = p->tensor[6].data;
        a->dk = p->tensor[7].data;
        a->dv = p->tensor[8].data;
    }
    s->p = p;
    s->decode = !s->backward && !a->plain && a->queries == 1 && a->heads / a->kv_heads <= FEW &&
                a->d % GRAIN == 0;
    /* As many parts of the keys as give each thread one piece of work. */
    s->parts = ((size_t)a->threads + a->batch * a->kv_heads - 1) / (a->batch * a->kv_heads);
    a->room = abdb_vec_alloc_advising_huge_pages(
        s->decode ? s->parts * a->batch * a->kv_heads * sizeof(float) *
                        abdb_vec_decode_work_floats(a->heads / a->kv_heads, a->d)
                  : s->isa->attention_bytes(a, s->backward));
    if (!a->room) {
        vec_attention_free(s);
        return ABDB_FAIL(err, ABDB_NOMEM, "room for attention");
    }
    *state = s;
    return ABDB_OK;
}

/* One query of each head. Items of work are (head of keys, part of its keys); each adds up in a
 * room of its own, and then the parts of a head are put together. */
static void run_single_query_attention(const attention_state *s)
{
    const abdb_vec_attention *a = &s->a;
    size_t group = a->heads / a->kv_heads, all = a->batch * a->kv_heads;
    size_t each = abdb_vec_decode_work_floats(group, a->d), size = abdb_dtype_size(a->dtype);
    abdb_vec_decode x = {.dtype = a->dtype, .rows = group, .d = a->d, .row = a->d};

#pragma omp parallel num_threads(a->threads) firstprivate(x)
    {
#pragma omp for schedule(dynamic, 1)
        for (size_t i = 0; i < all * s->parts; i++) {
            size_t kv = i / s->parts, from = a->keys * (i % s->parts) / s->parts,
                   n = a->keys * (i % s->parts + 1) / s->parts - from,
                   at = (kv * a->keys + from) * a->d * size;

            abdb_vec_decode_load_queries_and_reset(&x, s->isa, &s->p->tensor[0], kv * group,
                                                   (float *)(void *)a->room + i * each);
            s->isa->decode(&x, (const char *)a->k + at, (const char *)a->v + at,
                           (const char *)a->k + at + n * a->d * size, n, n);
        }
#pragma omp for schedule(static)
        for (size_t kv = 0; kv < all; kv++) {
            float *room = (float *)(void *)a->room + kv * s->parts * each;

            abdb_vec_decode_set_workspace(&x, s->isa, room);
            abdb_vec_decode_merge_parts_to_output(&x, s->parts, &s->p->tensor[3], kv * group,
                                                  a->l + kv * group);
        }
    }
}

/* O and L, or of backward dQ, dK, dV, as micro/attention.c defines them. */
static abdb_status vec_attention_launch(void *state, abdb_error *err)
{
    const attention_state *s = state;

    (void)err;
    if (s->decode)
        run_single_query_attention(s);
    else
        s->isa->attention(&s->a, s->backward);
    return ABDB_OK;
}

static const char *vec_attention_chosen_isa(const void *state)
{
    return ((const attention_state *)state)->isa->name;
}

const abdb_impl abdb_vec_attention_impl = {"attention",
                                           "vec",
                                           vec_attention_accepts_format_and_algorithm,
                                           vec_attention_prepare_strides_and_workspace,
                                           vec_attention_launch,
                                           vec_attention_chosen_isa,
                                           vec_attention_free};
