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
    abdb_vec_gemm_call product; /* dense */
    bool dense, bytes;
    void *packed, *room, *sums;
    uint32_t *start, *index;
    size_t each; /* floats of room of a thread */
} linear_state;

/* Frees a state, also one that was prepared in part. */
static void vec_linear_free(void *state)
{
    linear_state *s = state;

    free(s->packed);
    free(s->room);
    free(s->sums);
    free(s->start);
    free(s->index);
    free(s);
}

/* The weights that are left, column after column (compressed sparse columns): start[j] to start[j +
 * 1] are those of column j, index their place along K. */
static bool pack_csc_weights(linear_state *s, size_t k, size_t n)
{
    const float *w = s->p->tensor[W].data;
    size_t left = 0;
    float *value;

    for (size_t i = 0; i < k * n; i++) left += w[i] != 0;
    s->start = calloc(n + 1, sizeof *s->start);
    s->index = calloc(left + 1, sizeof *s->index);
    s->packed = value = abdb_vec_alloc_advising_huge_pages((left + 1) * sizeof *value);
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

static bool block_has_nonzero(const float *w, size_t n)
{
    for (size_t r = 0; r < BLOCK_K; r++)
        for (size_t j = 0; j < PANEL; j++)
            if (w[r * n + j] != 0) return true;
    return false;
}

/* Blocks of 64 x 32 with any weight left, panel of 32 columns by panel: start[j] to start[j + 1]
 * are those of panel j, index which 64 along K. Within a block elements lie in the panels that
 * gemm_tiles.c reads, whose width is the instruction set's. */
static bool pack_nonzero_blocks(linear_state *s, size_t k, size_t n)
{
    const float *w = s->p->tensor[W].data;
    size_t panels = n / PANEL, deep = k / BLOCK_K, left = 0, wide = s->isa->panel;
    float *value;

    s->start = calloc(panels + 1, sizeof *s->start);
    s->index = calloc(panels * deep + 1, sizeof *s->index);
    if (!s->start || !s->index) return false;
    for (size_t j = 0; j < panels; j++) {
        for (size_t i = 0; i < deep; i++)
            if (block_has_nonzero(w + i * BLOCK_K * n + j * PANEL, n))
                s->index[left++] = (uint32_t)i;
        s->start[j + 1] = (uint32_t)left;
    }
    s->packed = value =
        abdb_vec_alloc_advising_huge_pages((left + 1) * BLOCK_K * PANEL * sizeof *value);
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
static bool pack_quantised_panels(linear_state *s, size_t rows, size_t n)
{
    const int8_t *w = s->p->tensor[W].data;
    size_t panels = (n + PANEL - 1) / PANEL, scales = s->p->tensor[W_SCALE].dim[0];
    const float *scale = s->p->tensor[W_SCALE].data;
    int8_t *out = s->packed = abdb_vec_alloc_advising_huge_pages(panels * rows * PANEL);
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

/* An ordinary product, B packed beforehand; of bytes its sums in i32 go to s->sums, and
 * scale_i32_sums_to_output makes the result of them. */
static bool plan_and_pack_dense_gemm(linear_state *s)
{
    const abdb_tensor *x = &s->p->tensor[X];
    size_t m = x->dim[0], k = x->dim[1], n = s->p->tensor[Y].dim[1], packed;

    s->bytes = x->dtype == ABDB_I8;
    if (s->bytes) s->sums = abdb_vec_alloc_advising_huge_pages(m * n * sizeof(int32_t));
    s->product = (abdb_vec_gemm_call){.dtype = x->dtype,
                                      .m = m,
                                      .n = n,
                                      .k = k,
                                      .lda = k,
                                      .ldb = n,
                                      .ldc = n,
                                      .threads = abdb_vec_thread_count(s->p),
                                      .tuning = abdb_vec_select_block_tuning_or_null(s->p),
                                      .a = x->data,
                                      .b = s->p->tensor[W].data,
                                      .c = s->bytes ? s->sums : s->p->tensor[Y].data,
                                      .b_packed = true};
    abdb_vec_gemm_plan(&s->product);
    packed = abdb_vec_packed_b_bytes(&s->product);
    s->room =
        abdb_vec_alloc_advising_huge_pages(packed + abdb_vec_gemm_workspace_bytes(&s->product));
    if (!s->room || (s->bytes && !s->sums)) return false;
    s->product.room_b = s->room;
    abdb_vec_gemm_set_workspace(&s->product, (char *)s->room + packed);
    s->isa->pack(&s->product);
    return true;
}

/* Weights in the form that isa/linear.c multiplies. What was allocated before a failure is freed by
 * vec_linear_free. */
static bool pack_sparse_or_quantised_weights(linear_state *s)
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
    done = s->linear.how == ABDB_QUANTISED ? pack_quantised_panels(s, p->tensor[W].dim[0], n)
           : s->linear.how == ABDB_BLOCKS  ? pack_nonzero_blocks(s, k, n)
                                           : pack_csc_weights(s, k, n);
    s->linear.packed = s->packed;
    s->linear.start = s->start;
    s->linear.index = s->index;
    s->each = (s->isa->linear_work_floats(&s->linear) + LINE - 1) / LINE * LINE;
    s->room = abdb_vec_alloc_advising_huge_pages((size_t)abdb_vec_thread_count(p) * s->each *
                                                 sizeof(float));
    return done && s->room;
}

/* Packs the weights for their path: a plain product, sparse, or quantised weights. ABDB_NOMEM. */
static abdb_status vec_linear_prepare_packed_weights(void **state, const abdb_problem *p,
                                                     abdb_error *err)
{
    linear_state *s = calloc(1, sizeof *s);

    if (!s) return ABDB_FAIL(err, ABDB_NOMEM, "a layer");
    s->p = p;
    s->isa = abdb_vec_select_isa(p);
    /* Not dense, although nothing is pruned, where a pattern is named: then its own path is asked
     * for. */
    s->dense = p->tensor[X].dtype == ABDB_I8 ||
               (p->tensor[W].dtype == ABDB_F32 && abdb_param_number(p, "sparsity", 0) == 0 &&
                !abdb_param_text(p, "pattern"));
    if (!(s->dense ? plan_and_pack_dense_gemm(s) : pack_sparse_or_quantised_weights(s))) {
        vec_linear_free(s);
        return ABDB_FAIL(err, ABDB_NOMEM, "a layer's weights");
    }
    *state = s;
    return ABDB_OK;
}

/* Sums of bytes times the scales of their row and column. */
static void scale_i32_sums_to_output(const linear_state *s)
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

/* Y = X W as micro/linear.c defines it, panels of columns shared among threads. */
static abdb_status vec_linear_launch(void *state, abdb_error *err)
{
    const linear_state *s = state;
    size_t panels = (s->linear.n + PANEL - 1) / PANEL;

    (void)err;
    if (s->dense) {
        s->isa->gemm(&s->product);
        if (s->bytes) scale_i32_sums_to_output(s);
        return ABDB_OK;
    }
#pragma omp parallel num_threads(abdb_vec_thread_count(s->p))
    {
        size_t thread = (size_t)omp_get_thread_num(), threads = (size_t)omp_get_num_threads();

        s->isa->linear(&s->linear, panels * thread / threads, panels * (thread + 1) / threads,
                       (float *)s->room + thread * s->each);
    }
    return ABDB_OK;
}

static const char *vec_linear_chosen_isa(const void *state)
{
    return ((const linear_state *)state)->isa->name;
}

const abdb_impl abdb_vec_linear_impl = {"linear",
                                        "vec",
                                        abdb_vec_supports_gemm_blocks_and_dtype,
                                        vec_linear_prepare_packed_weights,
                                        vec_linear_launch,
                                        vec_linear_chosen_isa,
                                        vec_linear_free};
