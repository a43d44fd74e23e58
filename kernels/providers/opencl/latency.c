/* latency.c - dependent loads by one work-item. */
#include "kernels/providers/opencl/job.h"
#include "kernels/providers/opencl/opencl.h"

/* A job of one work-item that follows the array `hops` times. */
static abdb_status opencl_latency_pointer_chase_prepare_job(void **state, const abdb_problem *p,
                                                            abdb_error *err)
{
    abdb_cl_job *job = NULL;
    abdb_status st = ABDB_OK;

    TRY(abdb_cl_job_new(&job, p, err));
    TRY(abdb_cl_issue_kernel(
        job, &(abdb_cl_kernel_call){"latency.cl", "chase_pointers", "", {1}, {1}}, err, "bbl",
        p->tensor[0].data, p->tensor[1].data, (size_t)abdb_param_number(p, "hops", 1)));
done:
    return abdb_cl_job_to_state_or_free(st, job, state);
}

const abdb_impl abdb_cl_latency = {"latency",
                                   "opencl",
                                   abdb_cl_supports_tensor_formats,
                                   opencl_latency_pointer_chase_prepare_job,
                                   abdb_cl_job_launch,
                                   abdb_cl_job_chosen_text,
                                   abdb_cl_job_free};
