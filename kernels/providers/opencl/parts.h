/* parts.h - common code of the parts of networks by OpenCL, from which workloads are made. */
#ifndef ABDB_PROVIDERS_OPENCL_PARTS_H
#define ABDB_PROVIDERS_OPENCL_PARTS_H

#include "kernels/providers/opencl/job.h"
#include "kernels/workloads/parts.h"

enum { ABDB_CL_CHUNK = 1 << 14 }; /* elements of a group where there are no rows */

typedef struct {
    abdb_cl_job *job; /* does each kernel when it is added */
    abdb_dtype dtype;
    size_t size;           /* of an element */
    size_t items;          /* of a group that has a row */
    char format[64];       /* options of the compiler */
    cl_mem row_workspace;  /* of rows: grows, and is small beside any of their tensors */
    size_t workspace_rows; /* rows that it has room for */
    abdb_status status;    /* of the first failure */
    abdb_error err;
} abdb_cl_builder;

/* call_builder.c: `open` and `close` of parts. */
ABDB_MUST_USE abdb_status abdb_cl_builder_open(void **self, const abdb_problem *p, abdb_dtype dtype,
                                               abdb_error *err);
void abdb_cl_builder_close(void *self);
/* Ends a part: frees its scratch memory, keeps the first failure. */
void abdb_cl_finish_part(abdb_cl_builder *s, abdb_status st, const abdb_error *err);
/* A kernel of groups of a row each; of pieces of all elements; of a work-item for a vector of
 * columns. */
abdb_cl_kernel_call abdb_cl_call_per_row(const abdb_cl_builder *s, const char *file,
                                         const char *function, const char *options, size_t rows);
abdb_cl_kernel_call abdb_cl_call_descriptor_one_group_per_chunk(const abdb_cl_builder *s,
                                                                const char *file,
                                                                const char *function,
                                                                const char *options, size_t n);
abdb_cl_kernel_call abdb_cl_call_descriptor_for_column_vectors(const abdb_cl_builder *s,
                                                               const char *file,
                                                               const char *function,
                                                               const char *options, size_t columns);

/* Members of abdb_parts that are in embedding_bag.c and parts_row_ops.c. */
void abdb_cl_part_embedding_bags(void *self, const abdb_part_embedding_bags *x);
void abdb_cl_part_row_ops(void *self, const abdb_part_row_op *x);
void abdb_cl_part_embed_or_gradients(void *self, const abdb_part_embedding *x, bool backward);
double abdb_cl_part_cross_entropy_replace_by_grad(void *self, const abdb_part_cross_entropy *x);
void abdb_cl_part_add_to_float_sums(void *self, size_t n, const void *x, void *to);
void abdb_cl_part_adamw_update(void *self, const abdb_part_adamw *x);
/* Two numbers of f32 for each of so many rows, for a part. ABDB_NOMEM. */
ABDB_MUST_USE abdb_status abdb_cl_row_workspace(abdb_cl_builder *s, size_t rows, cl_mem *out,
                                                abdb_error *err);

#endif
