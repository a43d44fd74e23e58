/* embedding_bag.c - embedding bags: all tables in one kernel, or a kernel each (mode=single). */
#include <string.h>

#include "kernels/providers/cuda/cu/kernel_args.h"
#include "kernels/providers/cuda/cu/thread_maps.h"
#include "kernels/providers/cuda/implementations.h"
#include "kernels/providers/cuda/launch.h"

enum { TABLES, INDEX, OUT, TOGETHER_MOST = 65535 }; /* blocks along y */

/* A job of sums of looked-up rows: one launch for each table (mode=single), or for up to
 * TOGETHER_MOST. */
static abdb_status cuda_embedding_bag_prepare_job(void **state, const abdb_problem *p,
                                                  abdb_error *err)
{
    const abdb_tensor *t = p->tensor;
    const char *mode = abdb_param_text(p, "mode");
    size_t tables = t[INDEX].dim[0], width = t[TABLES].dim[1], lanes = width % 4 ? 1 : 4,
           bags = ABDB_CU_THREADS / abdb_cu_threads_per_row_up_to_warp(width / lanes),
           together = mode && strcmp(mode, "single") == 0 ? 1 : TOGETHER_MOST;
    abdb_cu_embedding_bag of = {.table = t[TABLES].data,
                                .index = t[INDEX].data,
                                .out = t[OUT].data,
                                .rows = t[TABLES].dim[0] / tables,
                                .batch = t[INDEX].dim[1],
                                .lookups = t[INDEX].dim[2],
                                .width = width,
                                .tables = tables};
    abdb_cu_job *job = NULL;
    abdb_status st = ABDB_OK;

    TRY(abdb_cu_job_new(&job, p, err));
    for (; of.first < tables; of.first += together)
        TRY(abdb_cu_load_and_add_kernel_step(
            job,
            &(abdb_cu_kernel_launch){"embedding_bag.cu",
                                     lanes > 1 ? "embedding_bag_4" : "embedding_bag_1",
                                     {(of.batch + bags - 1) / bags,
                                      tables - of.first < together ? tables - of.first : together},
                                     ABDB_CU_THREADS,
                                     0},
            &of, sizeof of, err));
done:
    return abdb_cu_job_to_state_or_graph_or_free(st, job, state, err);
}

const abdb_impl abdb_cu_embedding = {"embedding-bag",
                                     "cuda",
                                     NULL,
                                     cuda_embedding_bag_prepare_job,
                                     abdb_cu_job_launch_graph_or_enqueue_steps,
                                     abdb_cu_job_chosen_text,
                                     abdb_cu_job_free};
