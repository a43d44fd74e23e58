/* stream.c - STREAM: a kernel a pass, of a sum two. */
#include <stdio.h>
#include <string.h>

#include "kernels/providers/opencl/job.h"
#include "kernels/providers/opencl/opencl.h"

enum { CHUNK = 1 << 14, ITEMS = 256, PASSES_MOST = 1 << 16 };

/* 1: the device can do the operation as asked; else 0 and *why_not. */
static int opencl_stream_accepts_memory_level_no_unroll(const abdb_problem *p, const char **why_not)
{
    const char *level = abdb_param_text(p, "level");

    *why_not = "a launch takes longer than a pass over a cache";
    if (level && strcmp(level, "memory") != 0) return 0;
    *why_not = "the device's compiler and scheduler decide on loops and order";
    if (abdb_param_text(p, "unroll") || abdb_param_text(p, "grain")) return 0;
    *why_not = "sums store one number";
    if (abdb_param_text_equals(p, "stores", "nt") &&
        (abdb_param_text_equals(p, "op", "dot") || abdb_param_text_equals(p, "op", "read")))
        return 0;
    return abdb_cl_supports_tensor_formats(p, why_not);
}

/* The sums of groups, then their sum. */
static abdb_status cl_add_repeated_two_stage_sum_kernels(abdb_cl_job *job, const char *options,
                                                         size_t n, size_t items, abdb_error *err)
{
    const abdb_tensor *t = job->p->tensor;
    size_t groups = abdb_cl_ceil_divide(n, CHUNK);
    abdb_cl_kernel_call call = {
        "sum_reduction.cl", "partial_sum_or_dot_of_group", options, {groups}, {items}};
    cl_mem part;
    abdb_status st = ABDB_OK;

    TRY(abdb_cl_alloc_or_count_scratch(job, groups * abdb_dtype_size(t[0].dtype), &part, err));
    for (double r = abdb_param_number(job->p, "repeat", 1); r > 0; r--) {
        TRY(abdb_cl_issue_kernel(job, &call, err, "bbbl", t[0].data, t[1].data, part, n));
        TRY(abdb_cl_issue_kernel(
            job,
            &(abdb_cl_kernel_call){"sum_reduction.cl", "total_of_partial_sums", options, {1}, {1}},
            err, "blb", part, groups, t[2].data));
    }
done:
    return st;
}

/* A job of `repeat` passes over the arrays, or of a sum in two stages. */
static abdb_status opencl_stream_prepare_job(void **state, const abdb_problem *p, abdb_error *err)
{
    const abdb_tensor *t = p->tensor;
    const char *op = abdb_param_text(p, "op");
    size_t n = (size_t)abdb_param_number(p, "n", 1),
           items = abdb_cl_group_size_param_or_usual_1_on_cpu(p, ITEMS),
           fmas = (size_t)abdb_param_number(p, "fmas", 1);
    bool dot = op && strcmp(op, "dot") == 0;
    char options[128];
    abdb_cl_job *job = NULL;
    abdb_status st = ABDB_OK;

    if (!op) op = "triad";
    if (strcmp(op, "fma") == 0) op = "chain"; /* fma is a word of the compiler's */
    TRY(abdb_cl_job_new(&job, p, err));
    snprintf(options, sizeof options, "%s -DOP=%s -DCHUNK=%d%s%s",
             abdb_cl_compile_option_of_dtype(t[0].dtype), op, CHUNK,
             abdb_param_text_equals(p, "stores", "nt") ? " -DNT" : "", dot ? " -DDOT" : "");
    snprintf(job->chosen, sizeof job->chosen, "%zu work-items a group, vectors of %zu", items,
             abdb_cl_vector_lanes(job->d, t[0].dtype));
    if (abdb_param_number(p, "repeat", 1) > PASSES_MOST)
        TRY(ABDB_FAIL(err, ABDB_USAGE, "at most %d passes are launched together", PASSES_MOST));
    if (dot || strcmp(op, "read") == 0) {
        TRY(cl_add_repeated_two_stage_sum_kernels(job, options, n, items, err));
    } else {
        for (double r = abdb_param_number(p, "repeat", 1); r > 0; r--)
            TRY(abdb_cl_issue_kernel(job,
                                     &(abdb_cl_kernel_call){"stream.cl",
                                                            "stream_pass_of_group",
                                                            options,
                                                            {abdb_cl_ceil_divide(n, CHUNK)},
                                                            {items}},
                                     err, "bbbll", t[0].data, t[1].data, t[2].data, n, fmas));
    }
done:
    return abdb_cl_job_to_state_or_free(st, job, state);
}

const abdb_impl abdb_cl_stream = {"stream",
                                  "opencl",
                                  opencl_stream_accepts_memory_level_no_unroll,
                                  opencl_stream_prepare_job,
                                  abdb_cl_job_launch,
                                  abdb_cl_job_chosen_text,
                                  abdb_cl_job_free};
