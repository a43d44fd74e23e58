/* block.c - backend vec's transformer block: the order of its products (gemm.c), attention
 * (isa/flash.h) and of the steps row by row between them (isa/block.h). Names, shapes and formulas
 * as in kernels/micro/block.c.
 * // All activations lie in one piece of memory that prepare() makes; pass=backward runs forward
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
} block;

/* --- parts ------------------------------------------------------------------------------------ */

/* Parameters: of P, or of their gradient. */
static char *matrix(const block *s, int tensor, int which)
{
    /* In units of d x d elements: Wqkv is d x 3d, Wo d x d, Wfc d x 4d, Wpr 4d x d. */
    static const size_t first[] = {0, 3, 4, 8};

    return (char *)s->p->tensor[tensor].data + first[which] * s->d * s->d * s->size;
}

static char *vector(const block *s, int tensor, int which)
{
    return (char *)s->p->tensor[tensor].data + (12 * s->d + (size_t)which) * s->d * s->size;
}

/* c(m,n) = a(m,k) b(k,n), a or b stored transposed where asked; returns the bytes that it works in.
 * Before s->work is there it only counts them. */
static size_t product(const block *s, void *c, const void *a, const void *b, size_t m, size_t n,
                      size_t k, bool ta, bool tb)
{
    abdb_vec_product q = {.dtype = s->dtype,
                          .m = m,
                          .n = n,
                          .k = k,
                          .lda = ta ? m : k,
                          .ldb = tb ? k : n,
                          .ldc = n,
                          .ta = ta,
                          .tb = tb,
                          .threads = s->threads,
                          .tuning = abdb_vec_tune(s->p),
                          .a = a,
                          .b = b,
                          .c = c};

    abdb_vec_product_plan(&q);
    if (s->work) {
        abdb_vec_product_room(&q, s->work);
        s->isa->gemm(&q);
    }
    return abdb_vec_product_bytes(&q);
}

/* A step over all tokens, cut among the threads. Each thread adds up columns in room of its own;
 * the `sums` columns are put together afterwards, in double and in the order of threads, and
 * rounded once to `out`. */
static void steps(const block *s, abdb_vec_step step, size_t sums, char *out)
{
    step.dtype = s->dtype;
    if (sums) memset(s->sums, 0, (size_t)s->threads * 4 * s->d * sizeof *s->sums);
#pragma omp parallel num_threads(s->threads)
    {
        size_t thread = (size_t)omp_get_thread_num(), threads = (size_t)omp_get_num_threads();
        abdb_vec_step mine = step;

        mine.sums = s->sums + thread * 4 * s->d;
        s->isa->steps(&mine, s->n * thread / threads, s->n * (thread + 1) / threads);
    }
    for (size_t j = 0; j < sums; j++) {
        abdb_tensor to = {.dtype = s->dtype, .data = out};
        double sum = 0;

        for (int t = 0; t < s->threads; t++) sum += (double)s->sums[(size_t)t * 4 * s->d + j];
        abdb_tensor_set(&to, j, sum);
    }
}

static void norm(const block *s, char *out, const char *x, int gain)
{
    steps(s,
          (abdb_vec_step){.what = ABDB_STEP_NORM,
                          .columns = s->d,
                          .x = x,
                          .gain = vector(s, P, gain),
                          .shift = vector(s, P, gain + 1),
                          .out = out},
          0, NULL);
}

/* out = out + bias (+ add). */
static void bias(const block *s, char *out, int which, size_t columns, const char *add)
{
    steps(s,
          (abdb_vec_step){.what = ABDB_STEP_BIAS,
                          .columns = columns,
                          .x = out,
                          .gain = vector(s, P, which),
                          .add = add,
                          .out = out},
          0, NULL);
}

static void forward(const block *s, char *y)
{
    size_t n = s->n, d = s->d;
    const char *x = s->p->tensor[X].data;

    norm(s, s->norm1, x, G1);
    product(s, s->qkv, s->norm1, matrix(s, P, WQKV), n, 3 * d, d, false, false);
    bias(s, s->qkv, BQKV, 3 * d, NULL);
    s->isa->attention(&s->attention, false);
    product(s, s->h, s->att, matrix(s, P, WO), n, d, d, false, false);
    bias(s, s->h, BO, d, x);
    norm(s, s->norm2, s->h, G2);
    product(s, s->f, s->norm2, matrix(s, P, WFC), n, 4 * d, d, false, false);
    steps(s,
          (abdb_vec_step){.what = ABDB_STEP_GELU,
                          .columns = 4 * d,
                          .kept = s->f,
                          .gain = vector(s, P, BFC),
                          .out = s->g},
          0, NULL);
    product(s, y, s->g, matrix(s, P, WPR), n, d, 4 * d, false, false);
    bias(s, y, BPR, d, s->h);
}

static void sum_columns(const block *s, const char *x, size_t columns, int which)
{
    steps(s, (abdb_vec_step){.what = ABDB_STEP_SUM, .columns = columns, .x = x}, columns,
          vector(s, DP, which));
}

/* out = add + what a norm makes of dy at x; gradients of its gain and shift. */
static void norm_back(const block *s, char *out, char *dy, const char *x, const char *add, int gain)
{
    steps(s,
          (abdb_vec_step){.what = ABDB_STEP_NORM_BACK,
                          .columns = s->d,
                          .x = x,
                          .kept = dy,
                          .gain = vector(s, P, gain),
                          .add = add,
                          .out = out},
          2 * s->d, vector(s, DP, gain));
}

static void backward(const block *s)
{
    size_t n = s->n, d = s->d;
    const char *x = s->p->tensor[X].data, *dy = s->p->tensor[DY].data;
    char *dx = s->p->tensor[DX].data;
    abdb_vec_attention a = s->attention;

    product(s, matrix(s, DP, WPR), s->g, dy, 4 * d, d, n, true, false);
    sum_columns(s, dy, d, BPR);
    product(s, s->dg, dy, matrix(s, P, WPR), n, 4 * d, d, false, true);
    steps(s,
          (abdb_vec_step){.what = ABDB_STEP_GELU_BACK, .columns = 4 * d, .x = s->f, .out = s->dg},
          4 * d, vector(s, DP, BFC));
    product(s, matrix(s, DP, WFC), s->norm2, s->dg, d, 4 * d, n, true, false);
    product(s, s->dn, s->dg, matrix(s, P, WFC), n, d, 4 * d, false, true);
    norm_back(s, s->dh, s->dn, s->h, dy, G2);
    product(s, matrix(s, DP, WO), s->att, s->dh, d, d, n, true, false);
    sum_columns(s, s->dh, d, BO);
    product(s, s->datt, s->dh, matrix(s, P, WO), n, d, d, false, true);
    a.dout = s->datt;
    /* dQ, dK and dV are the three thirds of each row of dqkv, as Q, K and V are of qkv. */
    a.dq = s->dqkv;
    a.dk = s->dqkv + d * s->size;
    a.dv = s->dqkv + 2 * d * s->size;
    s->isa->attention(&a, true);
    product(s, matrix(s, DP, WQKV), s->norm1, s->dqkv, d, 3 * d, n, true, false);
    sum_columns(s, s->dqkv, 3 * d, BQKV);
    product(s, s->dn, s->dqkv, matrix(s, P, WQKV), n, d, 3 * d, false, true);
    norm_back(s, dx, s->dn, x, s->dh, G1);
}

/* --- room ------------------------------------------------------------------------------------- */

static char *take(block *s, size_t bytes)
{
    char *at = s->room ? s->room + s->taken : NULL;

    s->taken += (bytes + LINE - 1) / LINE * LINE;
    return at;
}

/* The most that any product or the attention works in. */
static size_t work_bytes(block *s)
{
    size_t d = s->d, n = s->n, most = s->isa->attention_bytes(&s->attention, s->backward), each;

    /* All shapes that forward and backward multiply: d to wide d and back, and gradients of
     * weights. */
    for (size_t wide = 1; wide <= 4; wide++) {
        each = product(s, NULL, NULL, NULL, n, wide * d, d, false, false);
        most = each > most ? each : most;
        each = product(s, NULL, NULL, NULL, n, d, wide * d, false, true);
        most = each > most ? each : most;
        each = product(s, NULL, NULL, NULL, wide * d, d, n, true, false);
        most = each > most ? each : most;
        each = product(s, NULL, NULL, NULL, d, wide * d, n, true, false);
        most = each > most ? each : most;
    }
    return most;
}

/* Called twice: to count the bytes, and with s->room to set the places. */
static void place(block *s)
{
    size_t row = s->n * s->d * s->size;
    abdb_vec_attention *a = &s->attention;

    s->taken = 0;
    s->norm1 = take(s, row);
    s->qkv = take(s, 3 * row);
    s->att = take(s, row);
    s->h = take(s, row);
    s->norm2 = take(s, row);
    s->f = take(s, 4 * row);
    s->g = take(s, 4 * row);
    s->l = (float *)(void *)take(s, s->n * a->heads * sizeof *s->l);
    s->sums = (float *)(void *)take(s, (size_t)s->threads * 4 * s->d * sizeof *s->sums);
    if (s->backward) {
        s->y = take(s, row);
        s->dg = take(s, 4 * row);
        s->dn = take(s, row);
        s->dh = take(s, row);
        s->datt = take(s, row);
        s->dqkv = take(s, 3 * row);
    }
    a->q = s->qkv;
    a->k = s->qkv + s->d * s->size;
    a->v = s->qkv + 2 * s->d * s->size;
    a->o = s->att;
    a->l = s->l;
}

static void stop(void *state)
{
    block *s = state;

    free(s->room);
    free(s);
}

static abdb_status prepare(void **state, const abdb_problem *p, abdb_error *err)
{
    block *s = calloc(1, sizeof *s);
    const char *pass = abdb_param_text(p, "pass");
    size_t heads = (size_t)abdb_param_number(p, "heads", 1), work,
           sequence = (size_t)abdb_param_number(p, "sequence", 1);

    if (!s) return ABDB_FAIL(err, ABDB_NOMEM, "a block");
    s->p = p;
    s->isa = abdb_vec_pick(p);
    s->dtype = p->tensor[X].dtype;
    s->size = abdb_dtype_size(s->dtype);
    s->n = p->tensor[X].dim[0];
    s->d = p->tensor[X].dim[1];
    s->threads = abdb_vec_threads(p);
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
    work = work_bytes(s);
    place(s);
    s->bytes = s->taken;
    s->room = abdb_vec_room(s->bytes + work);
    if (!s->room) {
        stop(s);
        return ABDB_FAIL(err, ABDB_NOMEM, "a block's activations");
    }
    place(s);
    s->work = s->attention.room = s->room + s->bytes;
    if (s->backward) forward(s, s->y);
    *state = s;
    return ABDB_OK;
}

static abdb_status launch(void *state, abdb_error *err)
{
    const block *s = state;

    (void)err;
    if (s->backward)
        backward(s);
    else
        forward(s, s->p->tensor[Y].data);
    return ABDB_OK;
}

static const char *chosen(const void *state)
{
    return ((const block *)state)->isa->name;
}

const abdb_impl abdb_vec_block = {
    "transformer-block", "vec", abdb_vec_can_multiply, prepare, launch, chosen, stop};
