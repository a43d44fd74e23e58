/* elementwise.c - backend vec's element-wise kernels: whether stores go past the caches, a row of
 * room for each thread, and rows dealt to threads. The loops are in isa/row_ops.h. */
#include <omp.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/harness/harness.h"
#include "kernels/providers/vec/vec.h"

enum { ALIGNMENT = 64 };

typedef struct {
    abdb_vec_rows rows;
    const abdb_vec_isa *isa;
    float *room;
    size_t each; /* elements of room for a thread */
} elementwise_state;

/* Stores go past the caches when they are asked to, or when tensors together are larger than the
 * last level, so that nothing of them would be left there. Half a row of each output must then be
 * whole lines, because such a store wants an aligned address and rotary writes both halves. */
static bool should_use_nontemporal_stores(const abdb_problem *p)
{
    const char *stores = abdb_param_text(p, "stores");
    size_t bytes = 0;

    for (int i = 0; i < p->tensors; i++) {
        const abdb_tensor *t = &p->tensor[i];
        size_t size = abdb_dtype_size(t->dtype);

        bytes += abdb_tensor_element_count(t) * size;
        if (t->role == ABDB_OUT &&
            ((uintptr_t)t->data % ALIGNMENT || t->dim[t->rank - 1] / 2 * size % ALIGNMENT))
            return false;
    }
    if (stores && strcmp(stores, "auto") != 0) return strcmp(stores, "nt") == 0;
    return VEC_PAST && bytes > abdb_last_level_cache_bytes_or_32_mib();
}

static void vec_elementwise_free(void *state)
{
    elementwise_state *s = state;

    free(s->room);
    free(s);
}

/* Keeps the operation and makes two rows of room for each thread, far enough apart that no two
 * threads write to one cache line. ABDB_NOMEM. */
static abdb_status vec_elementwise_prepare_thread_rows(void **state, const abdb_problem *p,
                                                       abdb_error *err)
{
    static const char *const words[] = {ABDB_ROW_OPERATIONS, NULL};
    size_t columns = p->tensor[0].dim[1], threads = (size_t)abdb_vec_thread_count(p), size;
    elementwise_state *s = calloc(1, sizeof *s);
    int op;

    if (!s) return ABDB_FAIL(err, ABDB_NOMEM, "rows");
    if (abdb_param_choice_index_or_first(p, "op", words, &op, err) != ABDB_OK) {
        free(s);
        return err->status;
    }
    s->isa = abdb_vec_select_isa(p);
    /* Whole vectors, and 64 floats between threads, so that no two write to one line. */
    size = (columns + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    s->each = 2 * size + ALIGNMENT;
    s->room = aligned_alloc(ALIGNMENT, threads * s->each * sizeof *s->room);
    s->rows = (abdb_vec_rows){.p = p,
                              .op = op,
                              .columns = columns,
                              .past = should_use_nontemporal_stores(p),
                              .row_size = size};
    if (!s->room) {
        vec_elementwise_free(s);
        return ABDB_FAIL(err, ABDB_NOMEM, "a row for each thread");
    }
    *state = s;
    return ABDB_OK;
}

/* The operation on all rows, shared among threads in equal parts. */
static abdb_status vec_elementwise_launch(void *state, abdb_error *err)
{
    const elementwise_state *s = state;
    size_t rows = s->rows.p->tensor[0].dim[0];

    (void)err;
#pragma omp parallel num_threads(abdb_vec_thread_count(s->rows.p))
    {
        size_t thread = (size_t)omp_get_thread_num(), threads = (size_t)omp_get_num_threads();
        abdb_vec_rows mine = s->rows;

        mine.row = s->room + thread * s->each;
        s->isa->row_ops(&mine, rows * thread / threads, rows * (thread + 1) / threads);
    }
    return ABDB_OK;
}

static const char *vec_elementwise_chosen_isa(const void *state)
{
    return ((const elementwise_state *)state)->isa->name;
}

const abdb_impl abdb_vec_elementwise = {"elementwise",
                                        "vec",
                                        abdb_vec_supports_isa_stores_and_threads,
                                        vec_elementwise_prepare_thread_rows,
                                        vec_elementwise_launch,
                                        vec_elementwise_chosen_isa,
                                        vec_elementwise_free};
