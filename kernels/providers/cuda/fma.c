/* fma.c - multiply-adds in registers. */
#include "kernels/providers/cuda/cu/kernel_args.h"
#include "kernels/providers/cuda/cu/thread_maps.h"
#include "kernels/providers/cuda/implementations.h"
#include "kernels/providers/cuda/row_ops.h"

enum { CHAINS = 8 }; /* as in fma.cu */

/* A job of multiply-adds, as micro/fma.c defines them: CHAINS sums a thread. */
static abdb_status cuda_fma_chains_prepare_job(void **state, const abdb_problem *p, abdb_error *err)
{
    const abdb_tensor *t = p->tensor;
    abdb_cu_fma of = {
        t[0].data, t[1].data, t[2].data, t[2].dim[0], (uint64_t)abdb_param_number(p, "n", 1), 0};
    size_t each = (size_t)ABDB_CU_THREADS * CHAINS * (t[0].dtype == ABDB_F16 ? 2 : 1);
    abdb_cu_job *job = NULL;
    abdb_status st = ABDB_OK;

    TRY(abdb_cu_job_new(&job, p, err));
    TRY(abdb_cu_add_kernel_of_dtype(job, "fma.cu", "fma", t[0].dtype, (of.width + each - 1) / each,
                                    &of, sizeof of, err));
done:
    return abdb_cu_job_to_state_or_graph_or_free(st, job, state, err);
}

const abdb_impl abdb_cu_fma_impl = {"fma",
                                    "cuda",
                                    NULL,
                                    cuda_fma_chains_prepare_job,
                                    abdb_cu_job_launch_graph_or_enqueue_steps,
                                    abdb_cu_job_chosen_text,
                                    abdb_cu_job_free};
