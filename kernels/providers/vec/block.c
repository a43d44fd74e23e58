/* block.c - backend vec's transformer block: the order of its products (gemm.c), attention
 * (isa/flash.h) and of the steps row by row between them (isa/block.h). Names, shapes and formulas
 * as in kernels/micro/block.c.
 * All activations lie in one piece of memory that prepare() makes; pass=backward runs forward
 * there, so that the clock sees the backward pass alone. */
#include <math.h>
#include <omp.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/providers/vec/vec.h"

enum { X, P, Y, DY = 2, DX, DP, LINE = 64 };
enum { WQKV, WO, WFC, WPR };
enum { BQKV, BO = 3, BFC, BPR = 8, G1, B1, G2, B2 };

typedef struct {
    const abdb_problem *p;
    const abdb_vec_isa *isa;
    abdb_dtype dtype;
    size_t n, d, size;
    int threads;
    bool backward;
    abdb_vec_attention attention;
    /* kept by forward: tokens x (d, 3d, d, d, d, 4d, 4d); log-sums */
    char *norm1, *qkv, *att, *h, *norm2, *f, *g;
    float *l;
    /* of backward: tokens x (4d, d, d, d, 3d); sums of columns, 4d for each thread */
    char *dg, *dn, *dh, *datt, *dqkv, *y;
    float *sums;
    char *work, *room; /* what products and attention work in; everything */
    size_t bytes, taken;
} block_state;

/* --- parts ------------------------------------------------------------------------------------ */

/* Parameters: of P, or of their gradient. */
static char *weight_matrix_at(const block_state *s, int tensor, int which)
{
    /* In units of d x d elements: Wqkv is d x 3d, Wo d x d, Wfc d x 4d, Wpr 4d x d. */
    static const size_t first[] = {0, 3, 4, 8};

    return (char *)s->p->tensor[tensor].data + first[which] * s->d * s->d * s->size;
}

static char *parameter_vector_at(const block_state *s, int tensor, int which)
{
    return (char *)s->p->tensor[tensor].data + (12 * s->d + (size_t)which) * s->d * s->size;
}

/* c(m,n) = a(m,k) b(k,n), a or b stored transposed where asked; returns the bytes that it works in.
 * Before s->work is there it only counts them. */
static size_t block_gemm_or_count_bytes(const block_state *s, void *c, const void *a, const void *b,
                                        size_t m, size_t n, size_t k, bool ta, bool tb)
{
    abdb_vec_gemm_call q = {.dtype = s->dtype,
                            .m = m,
                            .n = n,
                            .k = k,
                            .lda = ta ? m : k,
                            .ldb = tb ? k : n,
                            .ldc = n,
                            .ta = ta,
                            .tb = tb,
                            .threads = s->threads,
                            .tuning = abdb_vec_select_block_tuning_or_null(s->p),
                            .a = a,
                            .b = b,
                            .c = c};

    abdb_vec_gemm_plan(&q);
    if (s->work) {
        abdb_vec_gemm_set_workspace(&q, s->work);
        s->isa->gemm(&q);
    }
    return abdb_vec_gemm_workspace_bytes(&q);
}

/* A step over all tokens, cut among the threads. Each thread adds up columns in room of its own;
 * the `sums` columns are put together afterwards, in double and in the order of threads, and
 * rounded once to `out`. */
static void run_step_and_sum_columns(const block_state *s, abdb_vec_step step, size_t sums,
                                     char *out)
{
    step.dtype = s->dtype;
    if (sums) memset(s->sums, 0, (size_t)s->threads * 4 * s->d * sizeof *s->sums);
#pragma omp parallel num_threads(s->threads)
    {
        size_t thread = (size_t)omp_get_thread_num(), threads = (size_t)omp_get_num_threads();
        abdb_vec_step mine = step;

        mine.sums = s->sums + thread * 4 * s->d;
        s->isa->block_steps(&mine, s->n * thread / threads, s->n * (thread + 1) / threads);
    }
    for (size_t j = 0; j < sums; j++) {
        abdb_tensor to = {.dtype = s->dtype, .data = out};
        double sum = 0;

        for (int t = 0; t < s->threads; t++) sum += (double)s->sums[(size_t)t * 4 * s->d + j];
        abdb_tensor_set_rounded(&to, j, sum);
    }
}

/* out = layernorm(x) gain + shift, n x d; gain: the place of the gain among the vectors of P,
 * the shift lies behind it. */
static void block_layernorm(const block_state *s, char *out, const char *x, int gain)
{
    run_step_and_sum_columns(s,
                             (abdb_vec_step){.what = ABDB_STEP_NORM,
                                             .columns = s->d,
                                             .x = x,
                                             .gain = parameter_vector_at(s, P, gain),
                                             .shift = parameter_vector_at(s, P, gain + 1),
                                             .out = out},
                             0, NULL);
}

/* out = out + bias (+ add). */
static void block_add_bias_and_residual(const block_state *s, char *out, int which, size_t columns,
                                        const char *add)
{
    run_step_and_sum_columns(s,
                             (abdb_vec_step){.what = ABDB_STEP_BIAS,
                                             .columns = columns,
                                             .x = out,
                                             .gain = parameter_vector_at(s, P, which),
                                             .add = add,
                                             .out = out},
                             0, NULL);
}

/* y, n x d, by the formula of micro/block.c; activations stay for the backward pass. */
static void block_forward(const block_state *s, char *y)
{
    size_t n = s->n, d = s->d;
    const char *x = s->p->tensor[X].data;

    block_layernorm(s, s->norm1, x, G1);
    block_gemm_or_count_bytes(s, s->qkv, s->norm1, weight_matrix_at(s, P, WQKV), n, 3 * d, d, false,
                              false);
    block_add_bias_and_residual(s, s->qkv, BQKV, 3 * d, NULL);
    s->isa->attention(&s->attention, false);
    block_gemm_or_count_bytes(s, s->h, s->att, weight_matrix_at(s, P, WO), n, d, d, false, false);
    block_add_bias_and_residual(s, s->h, BO, d, x);
    block_layernorm(s, s->norm2, s->h, G2);
    block_gemm_or_count_bytes(s, s->f, s->norm2, weight_matrix_at(s, P, WFC), n, 4 * d, d, false,
                              false);
    run_step_and_sum_columns(s,
                             (abdb_vec_step){.what = ABDB_STEP_GELU,
                                             .columns = 4 * d,
                                             .kept = s->f,
                                             .gain = parameter_vector_at(s, P, BFC),
                                             .out = s->g},
                             0, NULL);
    block_gemm_or_count_bytes(s, y, s->g, weight_matrix_at(s, P, WPR), n, d, 4 * d, false, false);
    block_add_bias_and_residual(s, y, BPR, d, s->h);
}

static void sum_columns_to_gradient(const block_state *s, const char *x, size_t columns, int which)
{
    run_step_and_sum_columns(s, (abdb_vec_step){.what = ABDB_STEP_SUM, .columns = columns, .x = x},
                             columns, parameter_vector_at(s, DP, which));
}

/* out = add + what a norm makes of dy at x; gradients of its gain and shift. */
static void block_layernorm_backward_and_param_sums(const block_state *s, char *out, char *dy,
                                                    const char *x, const char *add, int gain)
{
    run_step_and_sum_columns(s,
                             (abdb_vec_step){.what = ABDB_STEP_NORM_BACK,
                                             .columns = s->d,
                                             .x = x,
                                             .kept = dy,
                                             .gain = parameter_vector_at(s, P, gain),
                                             .add = add,
                                             .out = out},
                             2 * s->d, parameter_vector_at(s, DP, gain));
}

/* dX and dP from dY, in the reverse order of block_forward; each gradient of a matrix is (its
 * input)^T times the gradient of its output. */
static void block_backward(const block_state *s)
{
    size_t n = s->n, d = s->d;
    const char *x = s->p->tensor[X].data, *dy = s->p->tensor[DY].data;
    char *dx = s->p->tensor[DX].data;
    abdb_vec_attention a = s->attention;

    block_gemm_or_count_bytes(s, weight_matrix_at(s, DP, WPR), s->g, dy, 4 * d, d, n, true, false);
    sum_columns_to_gradient(s, dy, d, BPR);
    block_gemm_or_count_bytes(s, s->dg, dy, weight_matrix_at(s, P, WPR), n, 4 * d, d, false, true);
    run_step_and_sum_columns(
        s, (abdb_vec_step){.what = ABDB_STEP_GELU_BACK, .columns = 4 * d, .x = s->f, .out = s->dg},
        4 * d, parameter_vector_at(s, DP, BFC));
    block_gemm_or_count_bytes(s, weight_matrix_at(s, DP, WFC), s->norm2, s->dg, d, 4 * d, n, true,
                              false);
    block_gemm_or_count_bytes(s, s->dn, s->dg, weight_matrix_at(s, P, WFC), n, d, 4 * d, false,
                              true);
    block_layernorm_backward_and_param_sums(s, s->dh, s->dn, s->h, dy, G2);
    block_gemm_or_count_bytes(s, weight_matrix_at(s, DP, WO), s->att, s->dh, d, d, n, true, false);
    sum_columns_to_gradient(s, s->dh, d, BO);
    block_gemm_or_count_bytes(s, s->datt, s->dh, weight_matrix_at(s, P, WO), n, d, d, false, true);
    a.dout = s->datt;
    /* dQ, dK and dV are the three thirds of each row of dqkv, as Q, K and V are of qkv. */
    a.dq = s->dqkv;
    a.dk = s->dqkv + d * s->size;
    a.dv = s->dqkv + 2 * d * s->size;
    s->isa->attention(&a, true);
    block_gemm_or_count_bytes(s, weight_matrix_at(s, DP, WQKV), s->norm1, s->dqkv, d, 3 * d, n,
                              true, false);
    sum_columns_to_gradient(s, s->dqkv, 3 * d, BQKV);
    block_gemm_or_count_bytes(s, s->dn, s->dqkv, weight_matrix_at(s, P, WQKV), n, d, 3 * d, false,
                              true);
    block_layernorm_backward_and_param_sums(s, dx, s->dn, x, s->dh, G1);
}

/* --- room ------------------------------------------------------------------------------------- */

static char *claim_workspace_or_count(block_state *s, size_t bytes)
{
    char *at = s->room ? s->room + s->taken : NULL;

    s->taken += (bytes + LINE - 1) / LINE * LINE;
    return at;
}

/* The most that any product or the attention works in. */
static size_t most_gemm_or_attention_bytes(block_state *s)
{
    size_t d = s->d, n = s->n, most = s->isa->attention_bytes(&s->attention, s->backward), each;

    /* All shapes that forward and backward multiply: d to wide d and back, and gradients of
     * weights. */
    for (size_t wide = 1; wide <= 4; wide++) {
        each = block_gemm_or_count_bytes(s, NULL, NULL, NULL, n, wide * d, d, false, false);
        most = each > most ? each : most;
        each = block_gemm_or_count_bytes(s, NULL, NULL, NULL, n, d, wide * d, false, true);
        most = each > most ? each : most;
        each = block_gemm_or_count_bytes(s, NULL, NULL, NULL, wide * d, d, n, true, false);
        most = each > most ? each : most;
        each = block_gemm_or_count_bytes(s, NULL, NULL, NULL, d, wide * d, n, true, false);
        most = each > most ? each : most;
    }
    return most;
}

/* Called twice: to count the bytes, and with s->room to set the places. */
static void count_or_lay_out_activations(block_state *s)
{
    size_t row = s->n * s->d * s->size;
    abdb_vec_attention *a = &s->attention;

    s->taken = 0;
    s->norm1 = claim_workspace_or_count(s, row);
    s->qkv = claim_workspace_or_count(s, 3 * row);
    s->att = claim_workspace_or_count(s, row);
    s->h = claim_workspace_or_count(s, row);
    s->norm2 = claim_workspace_or_count(s, row);
    s->f = claim_workspace_or_count(s, 4 * row);
    s->g = claim_workspace_or_count(s, 4 * row);
    s->l = (float *)(void *)claim_workspace_or_count(s, s->n * a->heads * sizeof *s->l);
    s->sums = (float *)(void *)claim_workspace_or_count(s, (size_t)s->threads * 4 * s->d *
                                                               sizeof *s->sums);
    if (s->backward) {
        s->y = claim_workspace_or_count(s, row);
        s->dg = claim_workspace_or_count(s, 4 * row);
        s->dn = claim_workspace_or_count(s, row);
        s->dh = claim_workspace_or_count(s, row);
        s->datt = claim_workspace_or_count(s, row);
        s->dqkv = claim_workspace_or_count(s, 3 * row);
    }
    a->q = s->qkv;
    a->k = s->qkv + s->d * s->size;
    a->v = s->qkv + 2 * s->d * s->size;
    a->o = s->att;
    a->l = s->l;
}

static void vec_block_free(void *state)
{
    block_state *s = state;

    free(s->room);
    free(s);
}

/* Room for all activations and for the largest product or attention; backward also runs the
 * forward pass once, whose activations every launch uses. */
static abdb_status vec_block_prepare_forward_or_backward(void **state, const abdb_problem *p,
                                                         abdb_error *err)
{
    block_state *s = calloc(1, sizeof *s);
    const char *pass = abdb_param_text(p, "pass");
    size_t heads = (size_t)abdb_param_number(p, "heads", 1), work,
           sequence = (size_t)abdb_param_number(p, "sequence", 1);

    if (!s) return ABDB_FAIL(err, ABDB_NOMEM, "a block");
    s->p = p;
    s->isa = abdb_vec_select_isa(p);
    s->dtype = p->tensor[X].dtype;
    s->size = abdb_dtype_size(s->dtype);
    s->n = p->tensor[X].dim[0];
    s->d = p->tensor[X].dim[1];
    s->threads = abdb_vec_thread_count(p);
    s->backward = pass && strcmp(pass, "backward") == 0;
    s->attention = (abdb_vec_attention){.dtype = s->dtype,
                                        .batch = s->n / sequence,
                                        .heads = heads,
                                        .kv_heads = heads,
                                        .queries = sequence,
                                        .keys = sequence,
                                        .d = s->d / heads,
                                        .causal = true,
                                        .scale = (float)(1 / sqrt((double)(s->d / heads))),
                                        .threads = s->threads,
                                        .of_q = {3 * s->d, s->d / heads, sequence * 3 * s->d},
                                        .of_kv = {3 * s->d, s->d / heads, sequence * 3 * s->d},
                                        .of_o = {s->d, s->d / heads, sequence * s->d}};
    work = most_gemm_or_attention_bytes(s);
    count_or_lay_out_activations(s);
    s->bytes = s->taken;
    s->room = abdb_vec_alloc_advising_huge_pages(s->bytes + work);
    if (!s->room) {
        vec_block_free(s);
        return ABDB_FAIL(err, ABDB_NOMEM, "a block's activations");
    }
    count_or_lay_out_activations(s);
    s->work = s->attention.room = s->room + s->bytes;
    if (s->backward) block_forward(s, s->y);
    *state = s;
    return ABDB_OK;
}

/* One pass, forward or backward, over the whole block. */
static abdb_status vec_block_launch(void *state, abdb_error *err)
{
    const block_state *s = state;

    (void)err;
    if (s->backward)
        block_backward(s);
    else
        block_forward(s, s->p->tensor[Y].data);
    return ABDB_OK;
}

static const char *vec_block_chosen_isa(const void *state)
{
    return ((const block_state *)state)->isa->name;
}

const abdb_impl abdb_vec_block = {"transformer-block",
                                  "vec",
                                  abdb_vec_supports_gemm_blocks_and_dtype,
                                  vec_block_prepare_forward_or_backward,
                                  vec_block_launch,
                                  vec_block_chosen_isa,
                                  vec_block_free};
