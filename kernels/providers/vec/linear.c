/* linear.c - backend vec's layers of pruned or quantised weights: which form they are brought into.
 * What is dense in f32, and bytes times bytes, is an ordinary product. 2:4 is done as unstructured:
 * this processor has no instruction for it. */
#include <omp.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/providers/vec/vec.h"

enum { X, W, Y, X_SCALE, W_SCALE, PANEL = 32, BLOCK_K = 64, LINE = 16 };

typedef struct {
    const abdb_problem *p;
    const abdb_vec_isa *isa;
    abdb_vec_linear linear;
    abdb_vec_product product; /* dense */
    bool dense, bytes;
    void *packed, *room, *sums;
    uint32_t *start, *index;
    size_t each; /* floats of room of a thread */
} linear;

static void stop(void *state)
{
    linear *s = state;

    free(s->packed);
    free(s->room);
    free(s->sums);
    free(s->start);
    free(s->index);
    free(s);
}

/* The weights that are left, column after column (compressed sparse columns): start[j] to start[j +
 * 1] are those of column j, index their place along K. */
static bool pack_columns(linear *s, size_t k, size_t n)
{
    const float *w = s->p->tensor[W].data;
    size_t left = 0;
    float *value;

    for (size_t i = 0; i < k * n; i++) left += w[i] != 0;
    s->start = calloc(n + 1, sizeof *s->start);
    s->index = calloc(left + 1, sizeof *s->index);
    s->packed = value = abdb_vec_room((left + 1) * sizeof *value);
    if (!s->start || !s->index || !value) return false;
    left = 0;
    for (size_t j = 0; j < n; j++) {
        for (size_t i = 0; i < k; i++) {
            if (w[i * n + j] == 0) continue;
            s->index[left] = (uint32_t)i;
            value[left++] = w[i * n + j];
        }
        s->start[j + 1] = (uint32_t)left;
    }
    return true;
}

static bool block_left(const float *w, size_t n)
{
    for (size_t r = 0; r < BLOCK_K; r++)
        for (size_t j = 0; j < PANEL; j++)
            if (w[r * n + j] != 0) return true;
    return false;
}

/* Blocks of 64 x 32 with any weight left, panel of 32 columns by panel: start[j] to start[j + 1]
 * are those of panel j, index which 64 along K. Within a block elements lie in the panels that
 * tiles.c reads, whose width is the instruction set's. */
static bool pack_blocks(linear *s, size_t k, size_t n)
{
    const float *w = s->p->tensor[W].data;
    size_t panels = n / PANEL, deep = k / BLOCK_K, left = 0, wide = s->isa->panel;
    float *value;

    s->start = calloc(panels + 1, sizeof *s->start);
    s->index = calloc(panels * deep + 1, sizeof *s->index);
    if (!s->start || !s->index) return false;
    for (size_t j = 0; j < panels; j++) {
        for (size_t i = 0; i < deep; i++)
            if (block_left(w + i * BLOCK_K * n + j * PANEL, n)) s->index[left++] = (uint32_t)i;
        s->start[j + 1] = (uint32_t)left;
    }
    s->packed = value = abdb_vec_room((left + 1) * BLOCK_K * PANEL * sizeof *value);
    if (!value) return false;
    for (size_t j = 0; j < panels; j++)
        for (size_t b = s->start[j]; b < s->start[j + 1]; b++, value += BLOCK_K * PANEL)
            for (size_t r = 0; r < BLOCK_K; r++)
                for (size_t c = 0; c < PANEL; c++)
                    value[(c / wide * BLOCK_K + r) * wide + c % wide] =
                        w[(s->index[b] * BLOCK_K + r) * n + j * PANEL + c];
    return true;
}

/* Bytes by panels of 32 columns, a panel's rows one after another and zeros beyond the last column;
 * of i4 two rows of K share one of bytes. Scales are padded to whole panels alike. */
static bool pack_bytes(linear *s, size_t rows, size_t n)
{
    const int8_t *w = s->p->tensor[W].data;
    size_t panels = (n + PANEL - 1) / PANEL, scales = s->p->tensor[W_SCALE].dim[0];
    const float *scale = s->p->tensor[W_SCALE].data;
    int8_t *out = s->packed = abdb_vec_room(panels * rows * PANEL);
    float *padded = s->sums = calloc(scales * panels * PANEL, sizeof *padded);

    if (!out || !padded) return false;
    for (size_t i = 0; i < panels * rows * PANEL; i++) {
        size_t j = i / (rows * PANEL) * PANEL + i % PANEL;

        out[i] = j < n ? w[i / PANEL % rows * n + j] : 0;
    }
    for (size_t i = 0; i < panels * scales * PANEL; i++) {
        size_t j = i / (scales * PANEL) * PANEL + i % PANEL;

        padded[i] = j < n ? scale[i / PANEL % scales * n + j] : 0;
    }
    s->linear.scale = padded;
    s->linear.scales = scales;
    s->linear.panel = rows * PANEL;
    return true;
}

/* An ordinary product, B packed beforehand; of bytes its sums in i32 go to s->sums, and scale_sums
 * makes the result of them. */
static bool prepare_dense(linear *s)
{
    const abdb_tensor *x = &s->p->tensor[X];
    size_t m = x->dim[0], k = x->dim[1], n = s->p->tensor[Y].dim[1], packed;

    s->bytes = x->dtype == ABDB_I8;
    if (s->bytes) s->sums = abdb_vec_room(m * n * sizeof(int32_t));
    s->product = (abdb_vec_product){.dtype = x->dtype,
                                    .m = m,
                                    .n = n,
                                    .k = k,
                                    .lda = k,
                                    .ldb = n,
                                    .ldc = n,
                                    .threads = abdb_vec_threads(s->p),
                                    .tuning = abdb_vec_tune(s->p),
                                    .a = x->data,
                                    .b = s->p->tensor[W].data,
                                    .c = s->bytes ? s->sums : s->p->tensor[Y].data,
                                    .ready = true};
    abdb_vec_product_plan(&s->product);
    packed = abdb_vec_packed_bytes(&s->product);
    s->room = abdb_vec_room(packed + abdb_vec_product_bytes(&s->product));
    if (!s->room || (s->bytes && !s->sums)) return false;
    s->product.room_b = s->room;
    abdb_vec_product_room(&s->product, (char *)s->room + packed);
    s->isa->pack(&s->product);
    return true;
}

/* Weights in the form that isa/linear.c multiplies. What was allocated before a failure is freed by
 * stop(). */
static bool prepare_other(linear *s)
{
    const abdb_problem *p = s->p;
    const char *pattern = abdb_param_text(p, "pattern"), *weights = abdb_param_text(p, "weights");
    size_t k = p->tensor[X].dim[1], n = p->tensor[Y].dim[1];
    bool done;

    s->linear = (abdb_vec_linear){
        .m = p->tensor[X].dim[0], .n = n, .k = k, .x = p->tensor[X].data, .y = p->tensor[Y].data};
    s->linear.halves = weights && strcmp(weights, "i4") == 0;
    s->linear.how = p->tensor[W].dtype == ABDB_I8              ? ABDB_QUANTISED
                    : pattern && strcmp(pattern, "block") == 0 ? ABDB_BLOCKS
                                                               : ABDB_UNSTRUCTURED;
    done = s->linear.how == ABDB_QUANTISED ? pack_bytes(s, p->tensor[W].dim[0], n)
           : s->linear.how == ABDB_BLOCKS  ? pack_blocks(s, k, n)
                                           : pack_columns(s, k, n);
    s->linear.packed = s->packed;
    s->linear.start = s->start;
    s->linear.index = s->index;
    s->each = (s->isa->linear_floats(&s->linear) + LINE - 1) / LINE * LINE;
    s->room = abdb_vec_room((size_t)abdb_vec_threads(p) * s->each * sizeof(float));
    return done && s->room;
}

static abdb_status prepare(void **state, const abdb_problem *p, abdb_error *err)
{
    linear *s = calloc(1, sizeof *s);

    if (!s) return ABDB_FAIL(err, ABDB_NOMEM, "a layer");
    s->p = p;
    s->isa = abdb_vec_pick(p);
    /* Not dense, although nothing is pruned, where a pattern is named: then its own path is asked
     * for. */
    s->dense = p->tensor[X].dtype == ABDB_I8 ||
               (p->tensor[W].dtype == ABDB_F32 && abdb_param_number(p, "sparsity", 0) == 0 &&
                !abdb_param_text(p, "pattern"));
    if (!(s->dense ? prepare_dense(s) : prepare_other(s))) {
        stop(s);
        return ABDB_FAIL(err, ABDB_NOMEM, "a layer's weights");
    }
    *state = s;
    return ABDB_OK;
}

/* Sums of bytes times the scales of their row and column. */
static void scale_sums(const linear *s)
{
    const int32_t *sums = s->sums;
    const float *by_row = s->p->tensor[X_SCALE].data, *by_column = s->p->tensor[W_SCALE].data;
    float *y = s->p->tensor[Y].data;
    size_t n = s->product.n;

#pragma omp parallel for num_threads(s->product.threads) schedule(static)
    for (size_t i = 0; i < s->product.m; i++)
        for (size_t j = 0; j < n; j++)
            y[i * n + j] = (float)sums[i * n + j] * by_row[i] * by_column[j];
}

static abdb_status launch(void *state, abdb_error *err)
{
    const linear *s = state;
    size_t panels = (s->linear.n + PANEL - 1) / PANEL;

    (void)err;
    if (s->dense) {
        s->isa->gemm(&s->product);
        if (s->bytes) scale_sums(s);
        return ABDB_OK;
    }
#pragma omp parallel num_threads(abdb_vec_threads(s->p))
    {
        size_t thread = (size_t)omp_get_thread_num(), threads = (size_t)omp_get_num_threads();

        s->isa->linear(&s->linear, panels * thread / threads, panels * (thread + 1) / threads,
                       (float *)s->room + thread * s->each);
    }
    return ABDB_OK;
}

static const char *chosen(const void *state)
{
    return ((const linear *)state)->isa->name;
}

const abdb_impl abdb_vec_linear_impl = {"linear", "vec", abdb_vec_can_multiply, prepare, launch,
                                        chosen,   stop};
