/* latency.c - dependent loads by one work-item. */
#include "kernels/providers/opencl/job.h"
#include "kernels/providers/opencl/opencl.h"

static abdb_status prepare(void **state, const abdb_problem *p, abdb_error *err)
{
    abdb_cl_job *job = NULL;
    abdb_status st = ABDB_OK;

    TRY(abdb_cl_job_new(&job, p, err));
    TRY(abdb_cl_add(job, &(abdb_cl_call){"latency.cl", "walk", "", {1}, {1}}, err, "bbl",
                    p->tensor[0].data, p->tensor[1].data, (size_t)abdb_param_number(p, "hops", 1)));
done:
    return abdb_cl_hand(st, job, state);
}

const abdb_impl abdb_cl_latency = {"latency",      "opencl",       NULL,         prepare,
                                   abdb_cl_launch, abdb_cl_chosen, abdb_cl_close};
