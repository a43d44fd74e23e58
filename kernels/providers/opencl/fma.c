/* fma.c - multiply-adds in registers. */
#include "kernels/providers/opencl/job.h"
#include "kernels/providers/opencl/opencl.h"

enum { CHAINS = 8, PERIOD = 16, ITEMS = 64 }; /* CHAINS, PERIOD: as in fma.cl */

static int opencl_fma_accepts_f16_if_supported(const abdb_problem *p, const char **why_not)
{
    *why_not = "this OpenCL device computes in no f16 (cl_khr_fp16)";
    if (p->tensor[0].dtype == ABDB_F16 && !((const abdb_cl_device *)p->device)->halves) return 0;
    return abdb_cl_supports_tensor_formats(p, why_not);
}

/* A job of multiply-adds, as micro/fma.c defines them: several vectors of sums a work-item. */
static abdb_status opencl_fma_chains_prepare_job(void **state, const abdb_problem *p,
                                                 abdb_error *err)
{
    const abdb_tensor *t = p->tensor;
    size_t width = t[2].dim[0], items = abdb_cl_group_size_param_or_usual_1_on_cpu(p, ITEMS), each;
    abdb_cl_job *job = NULL;
    abdb_status st = ABDB_OK;

    TRY(abdb_cl_job_new(&job, p, err));
    each = abdb_cl_vector_lanes(job->d, t[0].dtype) * (t[0].dtype == ABDB_I8 ? 1 : CHAINS);
    if (t[0].dtype == ABDB_F16) each = PERIOD * CHAINS;
    TRY(abdb_cl_issue_kernel(job,
                             &(abdb_cl_kernel_call){"fma.cl",
                                                    "run_fma_chains_of_item",
                                                    abdb_cl_compile_option_of_dtype(t[0].dtype),
                                                    {abdb_cl_ceil_divide(width, each * items)},
                                                    {items}},
                             err, "bbblli", t[0].data, t[1].data, t[2].data, width,
                             (size_t)abdb_param_number(p, "n", 1), 0));
done:
    return abdb_cl_job_to_state_or_free(st, job, state);
}

const abdb_impl abdb_cl_fma = {"fma",
                               "opencl",
                               opencl_fma_accepts_f16_if_supported,
                               opencl_fma_chains_prepare_job,
                               abdb_cl_job_launch,
                               abdb_cl_job_chosen_text,
                               abdb_cl_job_free};
