/* decode_attention.c - attention of new tokens: a work-item has all heads of a request that share
 * keys. */
#include "kernels/providers/opencl/decode_attention.h"

#include <stdio.h>
#include <string.h>

#include "kernels/providers/opencl/opencl.h"

enum { Q, K, V, INDEX, LENGTH, O };

abdb_status abdb_cl_add_decode_attention_kernel(abdb_cl_job *job,
                                                const abdb_cl_decode_attention *of, abdb_error *err)
{
    char options[128];

    snprintf(options, sizeof options, "%s -DGROUP=%zu -DD=%zu%s%s%s",
             abdb_cl_compile_option_of_dtype(of->dtype), of->heads / of->kv_heads, of->d,
             of->index ? " -DPAGES" : "", of->table ? " -DTABLE" : "",
             of->logarithm ? " -DWITH_L" : "");
    return abdb_cl_issue_kernel(job,
                                &(abdb_cl_kernel_call){"decode_attention.cl",
                                                       "paged_decode_attention",
                                                       options,
                                                       {of->kv_heads, of->batch},
                                                       {0}},
                                err, "bbbbbbbll", of->q, of->k, of->v,
                                of->index ? of->index : of->q, of->length ? of->length : of->q,
                                of->o, of->logarithm ? of->logarithm : of->o, of->block, of->width);
}

/* A job of attention over pages, as micro/paged.c defines it; a list has as many pages of each
 * request. */
static abdb_status opencl_paged_attention_prepare_job(void **state, const abdb_problem *p,
                                                      abdb_error *err)
{
    const abdb_tensor *t = p->tensor;
    abdb_cl_decode_attention of = {.q = t[Q].data,
                                   .k = t[K].data,
                                   .v = t[V].data,
                                   .index = t[INDEX].data,
                                   .length = t[LENGTH].data,
                                   .o = t[O].data,
                                   .dtype = t[Q].dtype,
                                   .batch = t[LENGTH].dim[0],
                                   .heads = t[Q].dim[0] / t[LENGTH].dim[0],
                                   .kv_heads = (size_t)abdb_param_number(p, "kv_heads", 1),
                                   .d = t[Q].dim[1],
                                   .block = (size_t)abdb_param_number(p, "block", 1),
                                   .width = t[INDEX].rank == 2 ? t[INDEX].dim[1]
                                                               : t[INDEX].dim[0] / t[LENGTH].dim[0],
                                   .table = t[INDEX].rank == 2};
    abdb_cl_job *job = NULL;
    abdb_status st = ABDB_OK;

    TRY(abdb_cl_job_new(&job, p, err));
    TRY(abdb_cl_add_decode_attention_kernel(job, &of, err));
done:
    return abdb_cl_job_to_state_or_free(st, job, state);
}

const abdb_impl abdb_cl_paged = {"paged-attention",
                                 "opencl",
                                 abdb_cl_supports_tensor_formats,
                                 opencl_paged_attention_prepare_job,
                                 abdb_cl_job_launch,
                                 abdb_cl_job_chosen_text,
                                 abdb_cl_job_free};
