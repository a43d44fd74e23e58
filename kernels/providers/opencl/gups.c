/* gups.c - random updates: a work-item a part of the table. */
#include "kernels/providers/opencl/job.h"
#include "kernels/providers/opencl/opencl.h"

/* A job of random updates: a work-item for each part of the table. */
static abdb_status opencl_gups_random_xor_prepare_job(void **state, const abdb_problem *p,
                                                      abdb_error *err)
{
    size_t parts = (size_t)abdb_param_number(p, "parts", 1),
           updates = (size_t)abdb_param_number(p, "updates", 1);
    abdb_cl_job *job = NULL;
    abdb_status st = ABDB_OK;

    TRY(abdb_cl_job_new(&job, p, err));
    TRY(abdb_cl_issue_kernel(
        job, &(abdb_cl_kernel_call){"gups.cl", "gups_random_xor", "", {parts}, {1}}, err, "bll",
        p->tensor[0].data, p->tensor[0].dim[0] / parts, updates / parts));
done:
    return abdb_cl_job_to_state_or_free(st, job, state);
}

const abdb_impl abdb_cl_gups = {"gups",
                                "opencl",
                                abdb_cl_supports_tensor_formats,
                                opencl_gups_random_xor_prepare_job,
                                abdb_cl_job_launch,
                                abdb_cl_job_chosen_text,
                                abdb_cl_job_free};
