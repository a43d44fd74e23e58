/* gemm.c - the matrix product of backend vec: which blocks, and the memory that they are packed
 * into. */
#include <omp.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "kernels/providers/vec/vec.h"

enum {
    PANEL_ROWS = 12,
    PANEL_COLUMNS = 64,
    BLOCK_BYTES = 512 << 10,
    SLAB = 512,
    ALIGNMENT = 2 << 20
};

typedef struct {
    abdb_vec_product product;
    const abdb_vec_isa *isa;
} gemm;

static int accepts(const abdb_problem *p, const char **why_not)
{
    abdb_dtype dtype = p->tensor[0].dtype;

    *why_not = "this processor has no such instruction set";
    if (!abdb_vec_pick(p)) return 0;
    *why_not = "more threads than this machine gives";
    if (abdb_param_number(p, "threads", 1) > omp_get_max_threads()) return 0;
    *why_not = "a product of bytes is not written yet";
    if (dtype == ABDB_I8) return 0;
    *why_not = "this processor has no dot product of bf16";
    return dtype != ABDB_BF16 ||
           (abdb_vec_pick(p) == &abdb_vec_avx512 && __builtin_cpu_supports("avx512bf16"));
}

static void stop(void *state)
{
    gemm *s = state;

    free(s->product.a);
    free(s->product.b);
    free(s->product.sums);
    free(s);
}

/* Room to pack into, in huge pages where the system gives them: panels are far apart. */
static void *room(size_t bytes)
{
    size_t size = (bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    void *data = aligned_alloc(ALIGNMENT, size);

    if (data) (void)!madvise(data, size, MADV_HUGEPAGE);
    return data;
}

static abdb_status prepare(void **state, const abdb_problem *p, abdb_error *err)
{
    gemm *s = calloc(1, sizeof *s);
    abdb_vec_product *q;
    size_t most, blocks, columns;

    if (!s) return ABDB_FAIL(err, ABDB_NOMEM, "a product");
    s->isa = abdb_vec_pick(p);
    q = &s->product;
    *q = (abdb_vec_product){.p = p,
                            .m = p->tensor[2].dim[0],
                            .n = p->tensor[2].dim[1],
                            .k = p->tensor[0].dim[1],
                            .size = abdb_dtype_size(p->tensor[0].dtype),
                            .threads = abdb_vec_threads(p)};
    q->depth = ABDB_VEC_ROW_BYTES / q->size;
    /* As many blocks as threads, or a multiple; each at most half of a cache of the second level.
     */
    most = BLOCK_BYTES / ABDB_VEC_ROW_BYTES * (size_t)q->threads;
    blocks = (q->m + most - 1) / most * (size_t)q->threads;
    q->block = (q->m + blocks - 1) / blocks;
    q->block = (q->block + PANEL_ROWS - 1) / PANEL_ROWS * PANEL_ROWS;
    q->slab = q->n < SLAB ? q->n : SLAB;
    columns = (q->slab + PANEL_COLUMNS - 1) / PANEL_COLUMNS * PANEL_COLUMNS;
    q->a = room(q->block * (size_t)q->threads * ABDB_VEC_ROW_BYTES);
    q->b = room(columns * ABDB_VEC_ROW_BYTES);
    if (p->tensor[0].dtype == ABDB_BF16) q->sums = room(q->m * q->n * sizeof *q->sums);
    if (!q->a || !q->b || (p->tensor[0].dtype == ABDB_BF16 && !q->sums)) {
        stop(s);
        return ABDB_FAIL(err, ABDB_NOMEM, "room to pack a product");
    }
    *state = s;
    return ABDB_OK;
}

static void launch(void *state)
{
    const gemm *s = state;

    s->isa->gemm(&s->product);
}

static const char *chosen(const void *state)
{
    return ((const gemm *)state)->isa->name;
}

const abdb_impl abdb_vec_gemm = {"gemm", "vec", accepts, prepare, launch, chosen, stop};
