/* gather.c - vectors by index: a group of threads has four rows at once. */
#include <stdio.h>
#include <string.h>

#include "kernels/providers/cuda/cu/kernel_args.h"
#include "kernels/providers/cuda/cu/thread_maps.h"
#include "kernels/providers/cuda/implementations.h"
#include "kernels/providers/cuda/launch.h"

enum { TABLE, INDEX, OUT, ROWS = 4 }; /* ROWS: as in gather.cu */

/* A job that copies rows by index, by the widest vectors that the length of a row allows. */
static abdb_status cuda_gather_scatter_prepare_job(void **state, const abdb_problem *p,
                                                   abdb_error *err)
{
    const abdb_tensor *t = p->tensor;
    const char *op = abdb_param_text(p, "op");
    abdb_cu_indexed_rows of = {t[TABLE].data, t[INDEX].data, t[OUT].data, t[INDEX].dim[0],
                               t[OUT].dim[1]};
    size_t bytes = 4 * t[OUT].dim[1],
           piece = bytes % 16 == 0  ? 16
                   : bytes % 8 == 0 ? 8
                                    : 4,
           group = abdb_cu_threads_per_row_up_to_warp(bytes / piece),
           rows = ABDB_CU_THREADS / group * ROWS;
    char name[32];
    abdb_cu_job *job = NULL;
    abdb_status st = ABDB_OK;

    TRY(abdb_cu_job_new(&job, p, err));
    snprintf(name, sizeof name, "%s_%zu", op && strcmp(op, "scatter") == 0 ? "scatter" : "gather",
             piece);
    snprintf(job->chosen, sizeof job->chosen, "%zu threads a row, vectors of %zu bytes", group,
             piece);
    TRY(abdb_cu_load_and_add_kernel_step(
        job,
        &(abdb_cu_kernel_launch){
            "gather.cu", name, {(of.count + rows - 1) / rows}, ABDB_CU_THREADS, 0},
        &of, sizeof of, err));
done:
    return abdb_cu_job_to_state_or_graph_or_free(st, job, state, err);
}

const abdb_impl abdb_cu_gather = {"gather",
                                  "cuda",
                                  NULL,
                                  cuda_gather_scatter_prepare_job,
                                  abdb_cu_job_launch_graph_or_enqueue_steps,
                                  abdb_cu_job_chosen_text,
                                  abdb_cu_job_free};
