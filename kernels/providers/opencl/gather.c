/* gather.c - vectors by index: some rows a work-item, or many where a processor takes them. */
#include <stdio.h>
#include <string.h>

#include "kernels/providers/opencl/job.h"
#include "kernels/providers/opencl/opencl.h"

enum { TABLE, INDEX, OUT, ROWS = 256, ITEMS = 64 };

/* A job that copies rows by index; on a processor a work-item copies several. */
static abdb_status opencl_gather_scatter_prepare_job(void **state, const abdb_problem *p,
                                                     abdb_error *err)
{
    const abdb_tensor *t = p->tensor;
    const char *op = abdb_param_text(p, "op");
    size_t count = t[INDEX].dim[0], items = abdb_cl_group_size_param_or_usual_1_on_cpu(p, ITEMS),
           rows;
    char options[64];
    abdb_cl_job *job = NULL;
    abdb_status st = ABDB_OK;

    TRY(abdb_cl_job_new(&job, p, err));
    rows = job->d->processor ? ROWS : 1;
    snprintf(options, sizeof options, "-DF32 -DROWS=%zu%s", rows,
             op && strcmp(op, "scatter") == 0 ? " -DSCATTER" : "");
    snprintf(job->chosen, sizeof job->chosen, "%zu rows a work-item, %zu a group", rows, items);
    TRY(abdb_cl_issue_kernel(job,
                             &(abdb_cl_kernel_call){"gather.cl",
                                                    "gather_or_scatter_rows",
                                                    options,
                                                    {abdb_cl_ceil_divide(count, rows * items)},
                                                    {items}},
                             err, "bbbll", t[TABLE].data, t[INDEX].data, t[OUT].data, count,
                             t[OUT].dim[1]));
done:
    return abdb_cl_job_to_state_or_free(st, job, state);
}

const abdb_impl abdb_cl_gather = {"gather",
                                  "opencl",
                                  abdb_cl_supports_tensor_formats,
                                  opencl_gather_scatter_prepare_job,
                                  abdb_cl_job_launch,
                                  abdb_cl_job_chosen_text,
                                  abdb_cl_job_free};
