/* call_builder.c - what parts of networks by OpenCL share: kinds of calls, a little memory, and
 * what goes wrong; see parts.h. */
#include "kernels/providers/opencl/parts.h"

#include <stdio.h>
#include <stdlib.h>

enum { ITEMS = 128 };

void abdb_cl_builder_close(void *self)
{
    abdb_cl_builder *s = self;

    if (s->row_workspace) clReleaseMemObject(s->row_workspace);
    if (s->job) abdb_cl_job_free(s->job);
    free(s);
}

abdb_status abdb_cl_builder_open(void **self, const abdb_problem *p, abdb_dtype dtype,
                                 abdb_error *err)
{
    abdb_cl_builder *s = calloc(1, sizeof *s);
    abdb_status st = ABDB_OK;

    if (!s) return ABDB_FAIL(err, ABDB_NOMEM, "parts");
    s->dtype = dtype;
    s->size = abdb_dtype_size(dtype);
    snprintf(s->format, sizeof s->format, "%s", abdb_cl_compile_option_of_dtype(dtype));
    TRY(abdb_cl_job_new(&s->job, p, err));
    s->job->immediate = true;
    s->items = s->job->d->processor ? 1 : ITEMS;
    *self = s;
done:
    if (st != ABDB_OK) abdb_cl_builder_close(s);
    return st;
}

void abdb_cl_finish_part(abdb_cl_builder *s, abdb_status st, const abdb_error *err)
{
    abdb_cl_free_scratch(s->job);
    if (st == ABDB_OK || s->status != ABDB_OK) return;
    s->status = st;
    s->err = *err;
}

abdb_cl_kernel_call abdb_cl_call_per_row(const abdb_cl_builder *s, const char *file,
                                         const char *function, const char *options, size_t rows)
{
    return (abdb_cl_kernel_call){file, function, options, {rows}, {s->items}};
}

abdb_cl_kernel_call abdb_cl_call_descriptor_one_group_per_chunk(const abdb_cl_builder *s,
                                                                const char *file,
                                                                const char *function,
                                                                const char *options, size_t n)
{
    return (abdb_cl_kernel_call){
        file, function, options, {abdb_cl_ceil_divide(n, ABDB_CL_CHUNK)}, {s->items}};
}

abdb_cl_kernel_call abdb_cl_call_descriptor_for_column_vectors(const abdb_cl_builder *s,
                                                               const char *file,
                                                               const char *function,
                                                               const char *options, size_t columns)
{
    size_t each = s->items * abdb_cl_vector_lanes(s->job->d, ABDB_F32);

    return (abdb_cl_kernel_call){
        file, function, options, {abdb_cl_ceil_divide(columns, each)}, {s->items}};
}

abdb_status abdb_cl_row_workspace(abdb_cl_builder *s, size_t rows, cl_mem *out, abdb_error *err)
{
    cl_int code = CL_SUCCESS;

    if (rows > s->workspace_rows) {
        if (s->row_workspace) clReleaseMemObject(s->row_workspace);
        s->row_workspace = clCreateBuffer(s->job->d->context, CL_MEM_READ_WRITE,
                                          2 * rows * sizeof(float), NULL, &code);
        s->workspace_rows = code == CL_SUCCESS ? rows : 0;
        if (code != CL_SUCCESS) s->row_workspace = NULL;
    }
    *out = s->row_workspace;
    return abdb_cl_check_result(code, "clCreateBuffer", err);
}
