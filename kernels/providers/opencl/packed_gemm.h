/* packed_gemm.h - products of matrices, as parts of a job: operands are packed into panels, tiles
 * of the result are made of them. */
#ifndef ABDB_PROVIDERS_OPENCL_PRODUCT_H
#define ABDB_PROVIDERS_OPENCL_PRODUCT_H

#include "kernels/providers/opencl/job.h"

/* A matrix in memory of the device, or many: element (i, j) of number b is at first + i row +
 * j column + b / share stride (share 0: 1). */
typedef struct {
    void *data;
    abdb_dtype dtype;
    size_t first, row, column, stride, share;
} abdb_cl_matrix;

/* Tiles: rows, vectors of columns, and the depth after which C is written and read again. */
typedef struct {
    int rows, vectors;
    size_t depth;
    const char *how; /* "usual", "searched" */
} abdb_cl_tiles;

/* An operand as panels: a cl_mem, or an address of the device. */
typedef struct {
    void *panels;
    size_t share;
} abdb_cl_panels;

typedef struct {
    size_t m, n, k, batch;
    abdb_dtype dtype; /* of the operands */
    abdb_cl_tiles tiles;
    bool add; /* to the old C, which is then f32 or f64 */
    bool relu;
    const void *bias; /* n numbers of C's format, one for each column; NULL: none */
} abdb_cl_gemm_size;

/* The tiles that are usual on the device for a format. */
abdb_cl_tiles abdb_cl_default_tiles(const abdb_cl_device *d, abdb_dtype dtype);
/* The quickest of some, tried once on this device and kept (tile_search.c). */
ABDB_MUST_USE abdb_status abdb_cl_find_cached_or_fastest_tiles(const abdb_problem *p,
                                                               abdb_dtype dtype, abdb_cl_tiles *out,
                                                               abdb_error *err);
/* Adds the packing of A (M x K) or B (K x N) to a job. */
ABDB_MUST_USE abdb_status abdb_cl_alloc_panels_and_add_pack_a(abdb_cl_job *job,
                                                              const abdb_cl_matrix *a,
                                                              const abdb_cl_gemm_size *s,
                                                              abdb_cl_panels *out, abdb_error *err);
ABDB_MUST_USE abdb_status abdb_cl_alloc_panels_and_add_pack_b(abdb_cl_job *job,
                                                              const abdb_cl_matrix *b,
                                                              const abdb_cl_gemm_size *s,
                                                              abdb_cl_panels *out, abdb_error *err);
/* Bytes of one B as panels; abdb_cl_add_pack_b_to_buffer packs it to `to` (a cl_mem, or an
 * address). */
size_t abdb_cl_packed_b_bytes(const abdb_cl_job *job, const abdb_cl_gemm_size *s);
ABDB_MUST_USE abdb_status abdb_cl_add_pack_b_to_buffer(abdb_cl_job *job, const abdb_cl_matrix *b,
                                                       const abdb_cl_gemm_size *s, void *to,
                                                       abdb_error *err);
/* Adds C = A B of panels, with what follows it; C's columns stand side by side. bf16, f16: rounded
 * once; bytes: C is i32, and nothing follows. */
ABDB_MUST_USE abdb_status abdb_cl_add_gemm_of_panels(abdb_cl_job *job, const abdb_cl_panels *a,
                                                     const abdb_cl_panels *b,
                                                     const abdb_cl_matrix *c,
                                                     const abdb_cl_gemm_size *s, abdb_error *err);
/* All of it. */
ABDB_MUST_USE abdb_status abdb_cl_add_pack_and_gemm(abdb_cl_job *job, const abdb_cl_matrix *a,
                                                    const abdb_cl_matrix *b,
                                                    const abdb_cl_matrix *c,
                                                    const abdb_cl_gemm_size *s, abdb_error *err);

#endif
