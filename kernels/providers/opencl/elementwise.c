/* elementwise.c - what stands between the products of a network: a group a row, or a piece of all
 * elements. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "kernels/providers/opencl/job.h"
#include "kernels/providers/opencl/opencl.h"

enum { SOFTMAX, LAYERNORM, RMSNORM, GELU, SILU, ROTARY, CROSS_ENTROPY, ADAMW };
enum { CHUNK = 1 << 14, ITEMS = 128 };
static const double beta1 = 0.9, beta2 = 0.999, step = 10;

static int opencl_elementwise_accepts_unless_nt_stores(const abdb_problem *p, const char **why_not)
{
    const char *stores = abdb_param_text(p, "stores");

    *why_not = "stores past the caches are the stream's only";
    if (stores && strcmp(stores, "nt") == 0) return 0;
    return abdb_cl_supports_tensor_formats(p, why_not);
}

/* A kernel that has a row, or a piece of all elements, a group. */
static abdb_status add_row_or_elementwise_kernel(abdb_cl_job *job, int op, const char *options,
                                                 size_t items, abdb_error *err)
{
    static const struct {
        const char *file, *function;
    } kernels[] = {{"softmax.cl", "softmax"},
                   {"norm.cl", "layernorm_or_rmsnorm"},
                   {"norm.cl", "layernorm_or_rmsnorm"},
                   {"activation.cl", "gelu_or_silu_elements"},
                   {"activation.cl", "gelu_or_silu_elements"},
                   {"rotary.cl", "apply_rotary_to_rows"},
                   {"softmax.cl", "cross_entropy_rows"},
                   {"adamw.cl", "adamw"}};
    const abdb_tensor *t = job->p->tensor;
    size_t columns = t[0].dim[1], n = abdb_tensor_element_count(&t[0]), none = 0;
    bool row = op != GELU && op != SILU && op != ADAMW;
    abdb_cl_kernel_call call = {kernels[op].file,
                                kernels[op].function,
                                options,
                                {row ? t[0].dim[0] : abdb_cl_ceil_divide(n, CHUNK)},
                                {items}};

    switch (op) {
    case SOFTMAX:
        return abdb_cl_issue_kernel(job, &call, err, "bbl", t[0].data, t[1].data, columns);
    case CROSS_ENTROPY:
        return abdb_cl_issue_kernel(job, &call, err, "bbbl", t[0].data, t[1].data, t[2].data,
                                    columns);
    case LAYERNORM:
        return abdb_cl_issue_kernel(job, &call, err, "blblblbll", t[0].data, none, t[1].data, none,
                                    t[2].data, none, t[3].data, none, columns);
    case RMSNORM: /* it has no shift */
        return abdb_cl_issue_kernel(job, &call, err, "blblblbll", t[0].data, none, t[1].data, none,
                                    t[1].data, none, t[2].data, none, columns);
    case ROTARY:
        return abdb_cl_issue_kernel(job, &call, err, "bbbll", t[0].data, t[1].data, t[2].data,
                                    columns, t[1].dim[0]);
    case ADAMW:
        return abdb_cl_issue_kernel(job, &call, err, "bbbbbbblff", t[0].data, t[1].data, t[2].data,
                                    t[3].data, t[4].data, t[5].data, t[6].data, n,
                                    1 / (1 - pow(beta1, step)), 1 / (1 - pow(beta2, step)));
    default: return abdb_cl_issue_kernel(job, &call, err, "bbl", t[0].data, t[1].data, n);
    }
}

/* A job of the operation `op`, as micro/elementwise.c defines it. */
static abdb_status opencl_elementwise_prepare_job(void **state, const abdb_problem *p,
                                                  abdb_error *err)
{
    static const char *const words[] = {"softmax", "layernorm",     "rmsnorm", "gelu", "silu",
                                        "rotary",  "cross-entropy", "adamw",   NULL};
    size_t items = abdb_cl_group_size_param_or_usual_1_on_cpu(p, ITEMS);
    char options[128];
    abdb_cl_job *job = NULL;
    int op;
    abdb_status st = ABDB_OK;

    TRY(abdb_param_choice_index_or_first(p, "op", words, &op, err));
    TRY(abdb_cl_job_new(&job, p, err));
    snprintf(options, sizeof options, "%s -DCHUNK=%d%s%s",
             abdb_cl_compile_option_of_dtype(p->tensor[0].dtype), CHUNK,
             op == LAYERNORM ? " -DCENTRED" : "", op == GELU ? " -DGELU" : "");
    snprintf(job->chosen, sizeof job->chosen, "%zu work-items a group", items);
    TRY(add_row_or_elementwise_kernel(job, op, options, items, err));
done:
    return abdb_cl_job_to_state_or_free(st, job, state);
}

const abdb_impl abdb_cl_elementwise = {"elementwise",
                                       "opencl",
                                       opencl_elementwise_accepts_unless_nt_stores,
                                       opencl_elementwise_prepare_job,
                                       abdb_cl_job_launch,
                                       abdb_cl_job_chosen_text,
                                       abdb_cl_job_free};
