/* gups.c - random updates: a work-item a part of the table. */
#include "kernels/providers/opencl/job.h"
#include "kernels/providers/opencl/opencl.h"

static abdb_status prepare(void **state, const abdb_problem *p, abdb_error *err)
{
    size_t parts = (size_t)abdb_param_number(p, "parts", 1),
           updates = (size_t)abdb_param_number(p, "updates", 1);
    abdb_cl_job *job = NULL;
    abdb_status st = ABDB_OK;

    TRY(abdb_cl_job_new(&job, p, err));
    TRY(abdb_cl_add(job, &(abdb_cl_call){"gups.cl", "update", "", {parts}, {1}}, err, "bll",
                    p->tensor[0].data, p->tensor[0].dim[0] / parts, updates / parts));
done:
    return abdb_cl_hand(st, job, state);
}

const abdb_impl abdb_cl_gups = {"gups",         "opencl",       NULL,         prepare,
                                abdb_cl_launch, abdb_cl_chosen, abdb_cl_close};
