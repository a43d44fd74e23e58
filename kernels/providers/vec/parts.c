/* parts.c - backend vec's parts of networks: its products, attention and rows, cut among threads;
 * see kernels/workloads/parts.h. */
#include "kernels/workloads/parts.h"

#include <math.h>
#include <omp.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/providers/vec/vec.h"

enum { LINE = 64, CHUNK = 4096 };

typedef struct {
    abdb_dtype dtype;
    size_t size, room; /* bytes of an element, of `work` */
    const abdb_vec_isa *isa;
    const abdb_vec_tuning *tuning;
    int threads;
    char *work;
    char *zeros; /* where a vector is not there */
    size_t widest;
} parts_state;

/* What stands for the problem of a transformer block: it picks instructions and blocks. */
static abdb_problem transformer_block_stand_in_problem(const abdb_problem *p, abdb_dtype dtype)
{
    abdb_problem q = *p;

    q.kernel = "transformer-block";
    q.tensor[0] = (abdb_tensor){.dtype = dtype};
    return q;
}

/* NULL: this processor has the parts in that format and size; else what it lacks, in words. */
static const char *vec_parts_why_refused(const abdb_problem *p, abdb_dtype dtype, size_t d,
                                         size_t columns)
{
    abdb_problem q = transformer_block_stand_in_problem(p, dtype);
    const char *why;

    if (dtype != ABDB_F32 && dtype != ABDB_BF16) return "parts of networks but in f32 and bf16";
    if (!abdb_vec_supports_isa_stores_and_threads(&q, &why)) return why;
    if (!abdb_vec_supports_gemm_dtype(&q, dtype) || !abdb_vec_select_block_tuning_or_null(&q))
        return "products of this format or blocks on this processor";
    if (columns % 16) return "rows whose length is no multiple of 16";
    if (d % 2) return "heads of an odd size";
    return NULL;
}

static void vec_parts_close(void *self)
{
    parts_state *s = self;

    free(s->work);
    free(s->zeros);
    free(s);
}

/* State of parts: format, instruction set and tiles; working memory comes later. ABDB_NOMEM. */
static abdb_status vec_parts_open(void **self, const abdb_problem *p, abdb_dtype dtype,
                                  abdb_error *err)
{
    abdb_problem q = transformer_block_stand_in_problem(p, dtype);
    parts_state *s = calloc(1, sizeof *s);

    if (!s) return ABDB_FAIL(err, ABDB_NOMEM, "parts");
    s->dtype = dtype;
    s->size = abdb_dtype_size(dtype);
    s->isa = abdb_vec_select_isa(&q);
    s->tuning = abdb_vec_select_block_tuning_or_null(&q);
    s->threads = abdb_vec_thread_count(p);
    *self = s;
    return ABDB_OK;
}

/* --- working memory --------------------------------------------------------------------------- */

/* The product C = act(A B + bias) of a part as this provider calls it, planned; lda and ldc 0:
 * rows side by side. */
static abdb_vec_gemm_call plan_gemm_of_part(const parts_state *s, const abdb_part_gemm *x)
{
    abdb_vec_gemm_call q = {.dtype = s->dtype,
                            .m = x->m,
                            .n = x->n,
                            .k = x->k,
                            .lda = x->lda  ? x->lda
                                   : x->ta ? x->m
                                           : x->k,
                            .ldb = x->tb ? x->k : x->n,
                            .ldc = x->ldc ? x->ldc : x->n,
                            .ta = x->ta,
                            .tb = x->tb,
                            .bias = x->bias,
                            .act = x->act,
                            .b_packed = x->packed != NULL,
                            .threads = s->threads,
                            .tuning = s->tuning,
                            .a = x->a,
                            .b = x->b,
                            .c = x->c};

    abdb_vec_gemm_plan(&q);
    return q;
}

static size_t vec_gemm_part_work_bytes(void *self, const abdb_part_gemm *x)
{
    abdb_vec_gemm_call q = plan_gemm_of_part(self, x);

    return abdb_vec_gemm_workspace_bytes(&q);
}

/* The call for causal attention over qkv, batch x sequence rows of 3 x heads x d: q, k and v are
 * the thirds of a row, as their gradients are of dqkv. */
static abdb_vec_attention self_attention_args(const parts_state *s, const abdb_part_attention *x)
{
    size_t width = x->heads * x->d, third = width * s->size;
    const char *qkv = x->qkv;
    char *dqkv = x->dqkv;

    return (abdb_vec_attention){.dtype = s->dtype,
                                .batch = x->batch,
                                .heads = x->heads,
                                .kv_heads = x->heads,
                                .queries = x->sequence,
                                .keys = x->sequence,
                                .d = x->d,
                                .causal = true,
                                .scale = (float)(1 / sqrt((double)x->d)),
                                .threads = s->threads,
                                .of_q = {3 * width, x->d, x->sequence * 3 * width},
                                .of_kv = {3 * width, x->d, x->sequence * 3 * width},
                                .of_o = {width, x->d, x->sequence * width},
                                .q = qkv,
                                .k = qkv ? qkv + third : NULL,
                                .v = qkv ? qkv + 2 * third : NULL,
                                .o = x->out,
                                .l = x->l,
                                .dout = x->dout,
                                .dq = dqkv,
                                .dk = dqkv ? dqkv + third : NULL,
                                .dv = dqkv ? dqkv + 2 * third : NULL};
}

static size_t vec_attention_work_bytes(void *self, const abdb_part_attention *x, bool backward)
{
    const parts_state *s = self;
    abdb_vec_attention a = self_attention_args(s, x);

    return s->isa->attention_bytes(&a, backward);
}

/* Sums of columns of two kinds for each thread, in whole lines. */
static size_t column_sum_floats_per_thread(size_t columns)
{
    return abdb_vec_round_up(2 * columns, LINE);
}

static size_t vec_row_ops_bytes_note_widest(void *self, size_t columns)
{
    parts_state *s = self;

    s->widest = columns > s->widest ? columns : s->widest;
    return (size_t)s->threads * column_sum_floats_per_thread(columns) * sizeof(float);
}

/* Working memory of that many bytes, and a row of zeros for vectors that are not there.
 * ABDB_NOMEM. */
static abdb_status vec_parts_alloc_workspace(void *self, size_t bytes, abdb_error *err)
{
    parts_state *s = self;

    s->room = bytes;
    s->work = abdb_vec_alloc_advising_huge_pages(bytes);
    s->zeros = aligned_alloc(LINE, abdb_vec_round_up(s->widest * s->size + 1, LINE));
    if (!s->work || !s->zeros) return ABDB_FAIL(err, ABDB_NOMEM, "%zu bytes to work in", bytes);
    memset(s->zeros, 0, s->widest * s->size);
    return ABDB_OK;
}

/* --- parts ------------------------------------------------------------------------------------ */

static void vec_gemm_part(void *self, const abdb_part_gemm *x)
{
    const parts_state *s = self;
    abdb_vec_gemm_call q = plan_gemm_of_part(s, x);

    q.room_b = (void *)(uintptr_t)x->packed; /* it is only read */
    abdb_vec_gemm_set_workspace(&q, s->work);
    abdb_vec_isa_for_packed_gemm(s->isa, &q)->gemm(&q);
}

/* b as it is packed. */
static abdb_vec_gemm_call plan_gemm_with_packed_b(const parts_state *s, const abdb_part_gemm *x)
{
    abdb_part_gemm as = *x;

    as.packed = x;
    return plan_gemm_of_part(s, &as);
}

static size_t vec_packed_b_bytes(void *self, const abdb_part_gemm *x)
{
    abdb_vec_gemm_call q = plan_gemm_with_packed_b(self, x);

    return abdb_vec_packed_b_bytes(&q);
}

static void vec_pack_b(void *self, const abdb_part_gemm *x, void *to)
{
    const parts_state *s = self;
    abdb_vec_gemm_call q = plan_gemm_with_packed_b(s, x);

    q.room_b = to;
    s->isa->pack(&q);
}

static void vec_causal_attention_or_gradients(void *self, const abdb_part_attention *x,
                                              bool backward)
{
    const parts_state *s = self;
    abdb_vec_attention a = self_attention_args(s, x);

    a.room = s->work;
    s->isa->attention(&a, backward);
}

static int step_of_row_op(int what)
{
    static const int steps[] = {ABDB_STEP_CROSS, ABDB_STEP_NORM,      ABDB_STEP_BIAS,
                                ABDB_STEP_GELU,  ABDB_STEP_GELU_BACK, ABDB_STEP_NORM_BACK,
                                ABDB_STEP_SUM};

    return steps[what];
}

/* Each thread adds up columns in room of its own; they are put together in double, in the order of
 * threads, and rounded once. */
static void merge_column_sums_of_threads(const parts_state *s, size_t first, size_t columns,
                                         void *out)
{
    const float *sums = (const float *)(const void *)s->work;
    abdb_tensor to = {.dtype = s->dtype, .data = out};
    size_t each = column_sum_floats_per_thread(s->widest);

    for (size_t j = 0; j < columns && out; j++) {
        double sum = 0;

        for (size_t t = 0; t < (size_t)s->threads; t++) sum += (double)sums[t * each + first + j];
        abdb_tensor_set_rounded(&to, j, sum);
    }
}

/* The operation on all rows, shared among threads; sums over rows are made by each thread and
 * then added up. */
static void vec_row_ops_with_column_sums(void *self, const abdb_part_row_op *x)
{
    const parts_state *s = self;
    size_t each = column_sum_floats_per_thread(s->widest);
    abdb_vec_step step = {.what = step_of_row_op(x->what),
                          .dtype = s->dtype,
                          .columns = x->columns,
                          .x = x->x,
                          .gain = x->gain ? x->gain : s->zeros,
                          .shift = x->shift ? x->shift : s->zeros,
                          .add = x->add,
                          .kept = x->kept,
                          .out = x->out};
    bool sums = x->what >= ABDB_ROWS_GELU_BACK;

#pragma omp parallel num_threads(s->threads)
    {
        size_t thread = (size_t)omp_get_thread_num(), threads = (size_t)omp_get_num_threads();
        abdb_vec_step mine = step;

        mine.sums = (float *)(void *)s->work + thread * each;
        if (sums) memset(mine.sums, 0, 2 * x->columns * sizeof *mine.sums);
        s->isa->block_steps(&mine, x->rows * thread / threads, x->rows * (thread + 1) / threads);
    }
    if (!sums) return;
    merge_column_sums_of_threads(s, 0, x->columns, x->dgain);
    merge_column_sums_of_threads(s, x->columns, x->columns, x->dshift);
}

/* --- ends of the network ---------------------------------------------------------------------- */

/* One row: to = (add_to_existing: +=) the sum of `count` rows of x, those that `order` lists or,
 * where it is NULL, every stride-th from `first` on. */
static void sum_rows_into_one(const parts_state *s, const abdb_part_embedding *x,
                              const int32_t *order, size_t count, size_t first, size_t stride,
                              float *sums, char *to, bool add_to_existing)
{
    abdb_tensor t = {.dtype = s->dtype, .data = to};
    abdb_vec_step step = {
        .what = ABDB_STEP_SUM, .dtype = s->dtype, .columns = x->columns, .sums = sums};

    memset(sums, 0, x->columns * sizeof *sums);
    for (size_t i = 0; i < count; i++) {
        size_t row = order ? (size_t)order[i] : first + i * stride;

        step.x = (const char *)x->x + row * x->columns * s->size;
        s->isa->block_steps(&step, 0, 1);
    }
    for (size_t j = 0; j < x->columns; j++)
        abdb_tensor_set_rounded(
            &t, j, (double)sums[j] + (add_to_existing ? abdb_tensor_get_f64(&t, j) : 0));
}

/* table[t] += the sum of x[r] of all rows whose token is t; position[i] = the sum of x[r] with r
 * mod sequence = i. */
static void vec_add_token_and_set_position_grads(const parts_state *s, const abdb_part_embedding *x)
{
    size_t each = column_sum_floats_per_thread(s->widest), row = x->columns * s->size;

#pragma omp parallel num_threads(s->threads)
    {
        float *sums = (float *)(void *)s->work + (size_t)omp_get_thread_num() * each;

#pragma omp for schedule(dynamic, 64)
        for (size_t t = 0; t < x->vocabulary; t++) {
            size_t count = (size_t)(x->first[t + 1] - x->first[t]);

            if (count)
                sum_rows_into_one(s, x, x->order + x->first[t], count, 0, 0, sums,
                                  (char *)x->table + t * row, true);
        }
#pragma omp for schedule(static)
        for (size_t place = 0; place < x->sequence; place++)
            sum_rows_into_one(s, x, NULL, x->rows / x->sequence, place, x->sequence, sums,
                              (char *)x->position + place * row, false);
    }
}

/* x[r] = table[token[r]] + position[r mod sequence], or the gradients of table and position. */
static void vec_token_embedding_or_gradients(void *self, const abdb_part_embedding *x,
                                             bool backward)
{
    const parts_state *s = self;
    size_t row = x->columns * s->size;

    if (backward) {
        vec_add_token_and_set_position_grads(s, x);
        return;
    }
#pragma omp parallel for num_threads(s->threads) schedule(static)
    for (size_t r = 0; r < x->rows; r++) {
        abdb_vec_step step = {.what = ABDB_STEP_BIAS,
                              .dtype = s->dtype,
                              .columns = x->columns,
                              .x = (const char *)x->table + (size_t)x->token[r] * row,
                              .gain = (const char *)x->position + r % x->sequence * row,
                              .out = (char *)x->x + r * row};

        s->isa->block_steps(&step, 0, 1);
    }
}

/* out[b][t] = the sum of the rows of table t that sample b looks up; bags shared among threads. */
static void vec_embedding_bag_sums(void *self, const abdb_part_embedding_bags *x)
{
    const parts_state *s = self;
    abdb_vec_bags b = {.dtype = s->dtype,
                       .table = x->table,
                       .index = x->index,
                       .out = x->out,
                       .sample_stride = x->sample_stride,
                       .width = x->columns,
                       .rows = x->rows,
                       .tables = x->tables,
                       .batch = x->batch,
                       .lookups = x->lookups};
    size_t all = x->tables * x->batch;

#pragma omp parallel num_threads(s->threads)
    {
        size_t thread = (size_t)omp_get_thread_num(), n = (size_t)omp_get_num_threads();

        s->isa->embedding_bags(&b, all * thread / n, all * (thread + 1) / n);
    }
}

/* Returns the sum of the losses of all rows; x becomes its gradient, times scale. */
static double vec_cross_entropy_sum_replace_by_gradient(void *self,
                                                        const abdb_part_cross_entropy *x)
{
    const parts_state *s = self;
    abdb_vec_loss of = {s->dtype, x->columns, x->target, (float)x->scale, x->x};
    double sum = 0;

#pragma omp parallel num_threads(s->threads) reduction(+ : sum)
    {
        size_t thread = (size_t)omp_get_thread_num(), threads = (size_t)omp_get_num_threads();

        sum += s->isa->loss(&of, x->rows * thread / threads, x->rows * (thread + 1) / threads);
    }
    return sum;
}

/* Pieces of CHUNK elements as rows of a sum of one row each. */
static void vec_add_to_wide_sums(void *self, size_t n, const void *x, void *to)
{
    const parts_state *s = self;
    size_t chunks = (n + CHUNK - 1) / CHUNK;

#pragma omp parallel for num_threads(s->threads) schedule(static)
    for (size_t c = 0; c < chunks; c++) {
        size_t at = c * CHUNK, count = n - at < CHUNK ? n - at : CHUNK, whole = count / 16 * 16;
        abdb_tensor rest = {.dtype = s->dtype, .data = (char *)(uintptr_t)x + at * s->size};
        abdb_vec_step step = {.what = ABDB_STEP_SUM,
                              .dtype = s->dtype,
                              .columns = whole,
                              .x = rest.data,
                              .sums = (float *)to + at};

        s->isa->block_steps(&step, 0, 1);
        for (size_t j = whole; j < count; j++)
            ((float *)to)[at + j] += (float)abdb_tensor_get_f64(&rest, j);
    }
}

/* AdamW (micro/elementwise.c) on n parameters with their moments, in chunks shared among
 * threads; the corrections for the start are part of step and by_root. */
static void vec_adamw_update(void *self, const abdb_part_adamw *x)
{
    const parts_state *s = self;
    size_t chunks = (x->n + CHUNK - 1) / CHUNK;
    abdb_vec_update of = {.dtype = s->dtype,
                          .g = x->g,
                          .by_format = !x->wide,
                          .w = x->w,
                          .m = x->m,
                          .v = x->v,
                          .out = x->out,
                          .mask = x->mask,
                          .scale = (float)x->scale,
                          .beta1 = (float)x->beta1,
                          .beta2 = (float)x->beta2,
                          .keep = (float)(1 - x->rate * x->decay),
                          .step = (float)(x->rate / (1 - pow(x->beta1, x->step))),
                          .by_root = (float)(1 / sqrt(1 - pow(x->beta2, x->step))),
                          .epsilon = (float)x->epsilon};

#pragma omp parallel for num_threads(s->threads) schedule(static)
    for (size_t c = 0; c < chunks; c++)
        s->isa->adamw_update(&of, c * CHUNK, c + 1 < chunks ? (c + 1) * CHUNK : x->n);
}

const abdb_parts abdb_vec_parts = {.why_refused = vec_parts_why_refused,
                                   .open = vec_parts_open,
                                   .close = vec_parts_close,
                                   .gemm_work_bytes = vec_gemm_part_work_bytes,
                                   .attention_work_bytes = vec_attention_work_bytes,
                                   .row_op_work_bytes = vec_row_ops_bytes_note_widest,
                                   .alloc_workspace = vec_parts_alloc_workspace,
                                   .packed_bytes = vec_packed_b_bytes,
                                   .pack = vec_pack_b,
                                   .gemm = vec_gemm_part,
                                   .attention = vec_causal_attention_or_gradients,
                                   .row_op = vec_row_ops_with_column_sums,
                                   .embedding = vec_token_embedding_or_gradients,
                                   .embedding_bags = vec_embedding_bag_sums,
                                   .cross_entropy = vec_cross_entropy_sum_replace_by_gradient,
                                   .add_to_wide = vec_add_to_wide_sums,
                                   .adamw_update = vec_adamw_update,
                                   .decoder = &abdb_vec_decoder};
