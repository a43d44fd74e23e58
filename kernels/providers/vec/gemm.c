/* gemm.c - the matrix product of backend vec: which blocks, and the memory that they are packed
 * into; one product, or a batch of them. weights=packed: B is packed before the clock starts. */
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "kernels/providers/vec/vec.h"

/* GRAIN_ROWS: the height of a tile of AVX-512 (isa/isa.h), a multiple of that of the others. What
 * depends on the processor stands in tuning.c. ALIGNMENT: a huge page. */
enum {
    GRAIN_ROWS = 12,
    LEAST = 128,       /* columns of a thread */
    PANEL_BYTES = 128, /* widest row of a panel */
    MORE_ROWS = 32,    /* behind those of a block: what its last tiles read, or a pad of columns */
    LINE = 64,
    PAGE_BYTES = 4096, /* sets of a cache of the first level repeat so */
    ALIGNMENT = 2 << 20
};

/* --- one product, for whoever needs one ------------------------------------------------------- */

void *abdb_vec_alloc_advising_huge_pages(size_t bytes)
{
    /* Pages of 2 MiB, asked for and not demanded: packing touches memory in an order that would
     * miss small pages' translations. */
    size_t size = abdb_vec_round_up(bytes ? bytes : 1, ALIGNMENT);
    void *data = aligned_alloc(ALIGNMENT, size);

    if (data) (void)!madvise(data, size, MADV_HUGEPAGE);
    return data;
}

/* Threads are dealt by columns while each has at least LEAST of them, because a thread packs what
 * it needs of B and a share by columns packs no column twice; by rows beyond. Every thread packs
 * the columns of B that its part of C needs. */
static void choose_thread_grid_columns_first(abdb_vec_gemm_call *q)
{
    size_t threads = (size_t)q->threads;

    q->grid_n = threads;
    while (q->grid_n > 1 && (q->n < LEAST * q->grid_n || threads % q->grid_n)) q->grid_n--;
    q->grid_m = threads / q->grid_n;
    while (q->grid_m > 1 && q->m < GRAIN_ROWS * q->grid_m) q->grid_m--;
    /* few rows: columns after all */
    while (q->grid_m * (q->grid_n + 1) <= threads && q->n >= PANEL_BYTES / 4 * (q->grid_n + 1))
        q->grid_n++;
}

void abdb_vec_gemm_plan(abdb_vec_gemm_call *q)
{
    const abdb_vec_tuning *t = q->tuning ? q->tuning : abdb_vec_select_block_tuning_or_null(NULL);
    size_t step, most, rows, steps, columns;
    bool rounded = q->dtype == ABDB_BF16 || q->dtype == ABDB_F16, once, near;

    q->size = abdb_dtype_size(q->dtype);
    step = q->size == 8 ? 8 : 4;
    columns = PANEL_BYTES / step;
    choose_thread_grid_columns_first(q);
    q->tuning = t;
    q->depth = t->row / abdb_vec_packed_element_bytes(q->dtype);
    steps =
        abdb_vec_round_up(
            (q->depth < q->k ? q->depth : q->k) * abdb_vec_packed_element_bytes(q->dtype), step) /
        step;
    steps = abdb_vec_round_up(steps, VEC_STEPS);
    /* Blocks of the rows of a thread, all alike, each at most half of a cache of the second level.
     */
    most = t->block / (steps * step + LINE);
    rows = abdb_vec_round_up(abdb_vec_round_up((q->m + q->grid_m - 1) / q->grid_m, GRAIN_ROWS),
                             t->grain);
    q->block = (rows + most - 1) / most;
    q->block = abdb_vec_round_up((rows + q->block - 1) / q->block, t->grain);
    q->slab = abdb_vec_round_up((q->n + q->grid_n - 1) / q->grid_n, columns);
    q->slab = q->slab < t->slab ? q->slab : t->slab;
    /* A is read where it is if that is once (B is one panel), or if its rows lie side by side and
     * do not all fall into the same sets of a cache: packing would only copy it. Pairs of bf16 must
     * not cross two rows, hence even k and lda; f16 is packed as f32. */
    once = q->n <= columns;
    near = q->lda == q->k && q->k <= q->depth && q->lda * q->size % PAGE_BYTES != 0;
    q->direct = !q->ta && (once || near) && q->dtype != ABDB_I8 && q->dtype != ABDB_F16 &&
                (q->dtype != ABDB_BF16 || (q->k % 2 == 0 && q->lda % 2 == 0));
    /* Few rows and more than one panel: see isa/gemm_skinny.c. */
    q->skinny = q->m <= VEC_FEW && q->n > columns && !q->tb && !q->b_packed;
    q->packed_a = abdb_vec_round_up((q->block + MORE_ROWS) * (steps * step + LINE), LINE);
    /* One row longer than its steps: what bytes need. A narrow set of instructions has narrower
     * panels, and more of them. */
    q->packed_b = abdb_vec_round_up((steps + 1) * q->slab * step, LINE);
    q->sums = rounded ? abdb_vec_round_up(rows * q->slab * sizeof(float), LINE) : 0;
    if (q->skinny) q->packed_a = q->packed_b = q->sums = 0; /* nothing is packed */
}

/* Bytes of a slab of B for each thread. */
static size_t bytes_of_b_slabs(const abdb_vec_gemm_call *q)
{
    return q->b_packed ? 0 : q->packed_b * (size_t)q->threads;
}

size_t abdb_vec_gemm_workspace_bytes(const abdb_vec_gemm_call *q)
{
    return bytes_of_b_slabs(q) + (q->packed_a + q->sums) * (size_t)q->threads;
}

void abdb_vec_gemm_set_workspace(abdb_vec_gemm_call *q, void *room)
{
    if (!q->b_packed) q->room_b = room;
    q->room_a = (char *)room + bytes_of_b_slabs(q);
    q->room_sums = (float *)(void *)((char *)q->room_a + q->packed_a * (size_t)q->threads);
}

/* --- B packed beforehand ---------------------------------------------------------------------- */

/* All panels of every pass. A column of a panel has the steps of a pass and one more; slabs are
 * whole panels, of the widest instruction set. */
size_t abdb_vec_packed_b_bytes(const abdb_vec_gemm_call *q)
{
    size_t passes = (q->k + q->depth - 1) / q->depth, step = q->size == 8 ? 8 : 4;

    return passes * abdb_vec_round_up(q->n, PANEL_BYTES / step) * (q->packed_b / q->slab);
}

abdb_vec_layout abdb_vec_packed_b_layout(const abdb_vec_gemm_call *q, const abdb_vec_isa *isa)
{
    size_t row = isa->panel * sizeof(float), panel = q->packed_b / q->slab * isa->panel;

    return (abdb_vec_layout){.deep = q->depth,
                             .columns = isa->panel,
                             .each = sizeof(float) / q->size,
                             .size = q->size,
                             .row = row,
                             .panel = panel,
                             .pass = (q->n + isa->panel - 1) / isa->panel * panel};
}

/* --- the kernel ------------------------------------------------------------------------------- */

typedef struct {
    const abdb_problem *p;
    const abdb_vec_isa *isa;
    size_t batch, together; /* products at once, each on one thread; 1: one after another on all */
    size_t bytes;           /* of room for each */
    void *room;
    size_t packed; /* the first of these bytes: B, packed beforehand */
    abdb_vec_gemm_call product;
} gemm_state;

static void vec_gemm_free(void *state)
{
    gemm_state *s = state;

    free(s->room);
    free(s);
}

/* Product `i` of the batch, in the room of place `place`. */
static abdb_vec_gemm_call gemm_call_of_batch_item(const gemm_state *s, size_t i, size_t place)
{
    abdb_vec_gemm_call q = s->product;

    q.a = (const char *)s->p->tensor[0].data + i * q.m * q.k * q.size;
    q.b = (const char *)s->p->tensor[1].data + i * q.k * q.n * q.size;
    q.c = (char *)s->p->tensor[2].data + i * q.m * q.n * abdb_dtype_size(s->p->tensor[2].dtype);
    q.room_b = (char *)s->room + place * s->bytes;
    abdb_vec_gemm_set_workspace(&q, (char *)q.room_b + s->packed);
    return q;
}

/* Plans the product and makes room for packed operands. weights=packed: B is packed here, not in
 * a launch. A large batch runs one product a thread. */
static abdb_status vec_gemm_prepare_plan_and_pack_b(void **state, const abdb_problem *p,
                                                    abdb_error *err)
{
    gemm_state *s = calloc(1, sizeof *s);
    abdb_gemm g = abdb_gemm_from_problem(p);
    size_t threads = (size_t)abdb_vec_thread_count(p), places;

    if (!s) return ABDB_FAIL(err, ABDB_NOMEM, "a product");
    s->p = p;
    s->isa = abdb_vec_select_isa(p);
    s->batch = g.batch;
    /* Many products: one on each thread, no two share anything. Few: all threads on one after
     * another. */
    s->together = s->batch >= 2 * threads ? threads : 1;
    s->product = (abdb_vec_gemm_call){.dtype = p->tensor[0].dtype,
                                      .m = g.m,
                                      .n = g.n,
                                      .k = g.k,
                                      .lda = g.ta ? g.m : g.k,
                                      .ldb = g.tb ? g.k : g.n,
                                      .ldc = g.n,
                                      .ta = g.ta,
                                      .tb = g.tb,
                                      .beta = g.beta,
                                      .bias = g.bias ? g.bias->data : NULL,
                                      .act = g.act,
                                      .threads = s->together > 1 ? 1 : (int)threads,
                                      .tuning = abdb_vec_select_block_tuning_or_null(p),
                                      .b_packed = g.packed};
    abdb_vec_gemm_plan(&s->product);
    s->packed = s->product.b_packed ? abdb_vec_packed_b_bytes(&s->product) : 0;
    s->bytes = abdb_vec_round_up(s->packed + abdb_vec_gemm_workspace_bytes(&s->product), LINE);
    places = s->product.b_packed ? s->batch : s->together;
    s->room = abdb_vec_alloc_advising_huge_pages(places * s->bytes);
    if (!s->room) {
        vec_gemm_free(s);
        return ABDB_FAIL(err, ABDB_NOMEM, "room to pack a product");
    }
    for (size_t i = 0; s->product.b_packed && i < s->batch; i++) {
        abdb_vec_gemm_call q = gemm_call_of_batch_item(s, i, i);

        s->isa->pack(&q);
    }
    *state = s;
    return ABDB_OK;
}

static void run_gemm_of_batch_item(const gemm_state *s, size_t i)
{
    abdb_vec_gemm_call q =
        gemm_call_of_batch_item(s, i, s->product.b_packed ? i : (size_t)omp_get_thread_num());

    s->isa->gemm(&q);
}

/* No parallel region around another, not even one of a single thread: libgomp would make new
 * threads for the inner one, beside those of its pool that wait. */
static abdb_status vec_gemm_launch(void *state, abdb_error *err)
{
    const gemm_state *s = state;

    (void)err;
    if (s->together == 1) {
        for (size_t i = 0; i < s->batch; i++) run_gemm_of_batch_item(s, i);
        return ABDB_OK;
    }
#pragma omp parallel for num_threads((int)s->together) schedule(dynamic, 1)
    for (size_t i = 0; i < s->batch; i++) run_gemm_of_batch_item(s, i);
    return ABDB_OK;
}

static const char *vec_gemm_chosen_isa_and_blocks(const void *state)
{
    static char text[64];
    const gemm_state *s = state;

    snprintf(text, sizeof text, "%s, blocks=%s", s->isa->name, s->product.tuning->name);
    return text;
}

static int vec_gemm_accepts_unless_f64_gelu_silu(const abdb_problem *p, const char **why_not)
{
    *why_not = "vec has no GELU and no SiLU of f64";
    if (p->tensor[0].dtype == ABDB_F64 && abdb_gemm_from_problem(p).act > ABDB_ACT_RELU) return 0;
    return abdb_vec_supports_gemm_blocks_and_dtype(p, why_not);
}

const abdb_impl abdb_vec_gemm = {"gemm",
                                 "vec",
                                 vec_gemm_accepts_unless_f64_gelu_silu,
                                 vec_gemm_prepare_plan_and_pack_b,
                                 vec_gemm_launch,
                                 vec_gemm_chosen_isa_and_blocks,
                                 vec_gemm_free};
