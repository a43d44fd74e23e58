/* embedding_bag_gups.c - backend vec's embedding bags and random updates: bags are dealt to threads
 * in one call (mode=batched) or in a call for each table (mode=single); each thread updates its own
 * part of the table. The loops are in isa/embedding_bag_gups.c. */
#include <omp.h>
#include <string.h>

#include "kernels/providers/vec/vec.h"

static int vec_embedding_gups_accepts_parts_of_threads(const abdb_problem *p, const char **why_not)
{
    if (!abdb_vec_supports_isa_stores_and_threads(p, why_not)) return 0;
    *why_not = "as many parts as threads";
    /* A part belongs to one thread, or updates of the same word could be lost. */
    return strcmp(p->kernel, "gups") != 0 ||
           abdb_param_number(p, "parts", 1) == abdb_vec_thread_count(p);
}

/* out[b][t] = the sum of the rows of table t that sample b looks up; mode=single does one table
 * after another. */
static abdb_status vec_embedding_bag_launch(void *state, abdb_error *err)
{
    const abdb_problem *p = state;
    const abdb_vec_isa *isa = abdb_vec_select_isa(p);
    const char *mode = abdb_param_text(p, "mode");
    int threads = abdb_vec_thread_count(p);
    abdb_vec_bags b = {.dtype = ABDB_F32,
                       .table = p->tensor[0].data,
                       .index = p->tensor[1].data,
                       .out = p->tensor[2].data,
                       .sample_stride = p->tensor[2].dim[1],
                       .width = p->tensor[0].dim[1],
                       .tables = p->tensor[1].dim[0],
                       .batch = p->tensor[1].dim[1],
                       .lookups = p->tensor[1].dim[2]};
    size_t calls = mode && strcmp(mode, "single") == 0 ? b.tables : 1,
           each = b.tables / calls * b.batch;

    (void)err;
    b.rows = p->tensor[0].dim[0] / b.tables;
    for (size_t call = 0; call < calls; call++)
#pragma omp parallel num_threads(threads)
    {
        size_t thread = (size_t)omp_get_thread_num(), n = (size_t)omp_get_num_threads();

        isa->embedding_bags(&b, call * each + each * thread / n,
                            call * each + each * (thread + 1) / n);
    }
    return ABDB_OK;
}

/* word[r mod words] ^= r for each part's sequence of random numbers r, a thread for each part. */
static abdb_status vec_gups_random_xor_launch(void *state, abdb_error *err)
{
    const abdb_problem *p = state;
    const abdb_vec_isa *isa = abdb_vec_select_isa(p);
    size_t parts = (size_t)abdb_vec_thread_count(p), words = p->tensor[0].dim[0] / parts,
           updates = (size_t)abdb_param_number(p, "updates", 1) / parts;
    uint64_t *word = p->tensor[0].data;

    (void)err;
#pragma omp parallel for num_threads((int)parts) schedule(static)
    for (size_t i = 0; i < parts; i++)
        isa->gups_updates(word + i * words, words, updates, 0x9E3779B97F4A7C15u * (i + 1));
    return ABDB_OK;
}

static const char *vec_embedding_gups_chosen_isa(const void *state)
{
    return abdb_vec_select_isa(state)->name;
}

const abdb_impl abdb_vec_embedding = {"embedding-bag",
                                      "vec",
                                      vec_embedding_gups_accepts_parts_of_threads,
                                      NULL,
                                      vec_embedding_bag_launch,
                                      vec_embedding_gups_chosen_isa,
                                      NULL};
const abdb_impl abdb_vec_gups = {"gups",
                                 "vec",
                                 vec_embedding_gups_accepts_parts_of_threads,
                                 NULL,
                                 vec_gups_random_xor_launch,
                                 vec_embedding_gups_chosen_isa,
                                 NULL};
