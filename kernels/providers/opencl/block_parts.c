/* block_parts.c - where parameters and heads of a transformer block lie, and small steps; see
 * block.h. */
#include <stdio.h>

#include "kernels/providers/opencl/block.h"

enum { CHUNK = 1 << 14 }; /* as in ABDB_CL_PIECE */

abdb_status abdb_cl_block_alloc_rows(abdb_cl_block *b, size_t columns, cl_mem *out, abdb_error *err)
{
    return abdb_cl_alloc_or_count_scratch(b->job, b->n * columns * sizeof(float), out, err);
}

size_t abdb_cl_block_matrix_columns(const abdb_cl_block *b, int which)
{
    return which == ABDB_CL_QKV ? 3 * b->d : which == ABDB_CL_UP ? 4 * b->d : b->d;
}

size_t abdb_cl_block_matrix_offset(const abdb_cl_block *b, int which)
{
    static const size_t first[] = {0, 3, 4, 8, 12};

    return first[which] * b->d * b->d;
}

size_t abdb_cl_block_vector_offset(const abdb_cl_block *b, int which)
{
    return abdb_cl_block_matrix_offset(b, ABDB_CL_MATRICES) + (size_t)which * b->d;
}

abdb_cl_heads abdb_cl_block_qkv_heads(const abdb_cl_block *b, void *data, size_t q_k_or_v)
{
    const abdb_cl_attention *s = &b->attention;

    return (abdb_cl_heads){.data = data,
                           .dtype = ABDB_F32,
                           .first = q_k_or_v * b->d,
                           .batch = s->queries * 3 * b->d,
                           .head = s->d,
                           .row = 3 * b->d};
}

abdb_cl_heads abdb_cl_block_contiguous_heads(const abdb_cl_block *b, void *data)
{
    return (abdb_cl_heads){.data = data,
                           .dtype = ABDB_F32,
                           .batch = b->attention.queries * b->d,
                           .head = b->attention.d,
                           .row = b->d};
}

abdb_cl_kernel_call abdb_cl_block_call_descriptor_group_per_row(const abdb_cl_block *b,
                                                                const char *file,
                                                                const char *function,
                                                                const char *options)
{
    return (abdb_cl_kernel_call){file, function, options, {b->n}, {0}};
}

abdb_cl_kernel_call abdb_cl_block_call_descriptor_group_per_chunk(const char *file,
                                                                  const char *function,
                                                                  const char *options,
                                                                  size_t elements)
{
    return (abdb_cl_kernel_call){
        file, function, options, {abdb_cl_ceil_divide(elements, CHUNK)}, {0}};
}

abdb_status abdb_cl_block_add_widen_or_narrow(abdb_cl_block *b, bool widen, abdb_dtype dtype,
                                              void *from, void *to, abdb_error *err)
{
    char options[96] = "";
    abdb_cl_kernel_call call = abdb_cl_block_call_descriptor_group_per_chunk(
        "convert.cl", widen ? "widen_to_f32" : "narrow_from_f32", options, b->n * b->d);

    snprintf(options, sizeof options, "%s " ABDB_CL_PIECE, abdb_cl_compile_option_of_dtype(dtype));
    return abdb_cl_issue_kernel(b->job, &call, err, "bbl", from, to, b->n * b->d);
}
