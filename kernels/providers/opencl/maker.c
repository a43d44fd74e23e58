/* maker.c - what parts of networks by OpenCL share: kinds of calls, a little memory, and what goes
 * wrong; see parts.h. */
#include "kernels/providers/opencl/parts.h"

#include <stdio.h>
#include <stdlib.h>

enum { ITEMS = 128 };

void abdb_cl_maker_close(void *self)
{
    abdb_cl_maker *s = self;

    if (s->pairs) clReleaseMemObject(s->pairs);
    if (s->job) abdb_cl_close(s->job);
    free(s);
}

abdb_status abdb_cl_maker_open(void **self, const abdb_problem *p, abdb_dtype dtype,
                               abdb_error *err)
{
    abdb_cl_maker *s = calloc(1, sizeof *s);
    abdb_status st = ABDB_OK;

    if (!s) return ABDB_FAIL(err, ABDB_NOMEM, "parts");
    s->dtype = dtype;
    s->size = abdb_dtype_size(dtype);
    snprintf(s->format, sizeof s->format, "%s", abdb_cl_format(dtype));
    TRY(abdb_cl_job_new(&s->job, p, err));
    s->job->at_once = true;
    s->items = s->job->d->processor ? 1 : ITEMS;
    *self = s;
done:
    if (st != ABDB_OK) abdb_cl_maker_close(s);
    return st;
}

void abdb_cl_made(abdb_cl_maker *s, abdb_status st, const abdb_error *err)
{
    abdb_cl_forget(s->job);
    if (st == ABDB_OK || s->status != ABDB_OK) return;
    s->status = st;
    s->err = *err;
}

abdb_cl_call abdb_cl_rows_call(const abdb_cl_maker *s, const char *file, const char *function,
                               const char *options, size_t rows)
{
    return (abdb_cl_call){file, function, options, {rows}, {s->items}};
}

abdb_cl_call abdb_cl_pieces_call(const abdb_cl_maker *s, const char *file, const char *function,
                                 const char *options, size_t n)
{
    return (abdb_cl_call){file, function, options, {abdb_cl_pieces(n, ABDB_CL_CHUNK)}, {s->items}};
}

abdb_cl_call abdb_cl_columns_call(const abdb_cl_maker *s, const char *file, const char *function,
                                  const char *options, size_t columns)
{
    size_t each = s->items * abdb_cl_lanes(s->job->d, ABDB_F32);

    return (abdb_cl_call){file, function, options, {abdb_cl_pieces(columns, each)}, {s->items}};
}

abdb_status abdb_cl_pairs(abdb_cl_maker *s, size_t rows, cl_mem *out, abdb_error *err)
{
    cl_int code = CL_SUCCESS;

    if (rows > s->paired) {
        if (s->pairs) clReleaseMemObject(s->pairs);
        s->pairs = clCreateBuffer(s->job->d->context, CL_MEM_READ_WRITE, 2 * rows * sizeof(float),
                                  NULL, &code);
        s->paired = code == CL_SUCCESS ? rows : 0;
        if (code != CL_SUCCESS) s->pairs = NULL;
    }
    *out = s->pairs;
    return abdb_cl_check(code, "clCreateBuffer", err);
}
