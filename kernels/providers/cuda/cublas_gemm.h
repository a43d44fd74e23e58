/* cublas_gemm.h - products of matrices by cuBLAS and cuBLASLt, as parts of a job. Matrices are rows
 * one after another; the libraries' are columns, so that they compute C' = B' A'. */
#ifndef ABDB_PROVIDERS_CUDA_PRODUCT_H
#define ABDB_PROVIDERS_CUDA_PRODUCT_H

#include "kernels/providers/cuda/launch.h"

/* Element (i, j) of a matrix is at i row + j, where transposed at j row + i; number b of a batch is
 * `stride` elements further. */
typedef struct {
    const void *data;
    abdb_dtype dtype;
    size_t row, stride;
    bool transposed;
} abdb_cu_matrix;

/* C(m,n) = A(m,k) B(k,n), or, added, C + A B; `batch` times. */
typedef struct {
    size_t m, n, k, batch;
    bool added;
} abdb_cu_gemm_size;

/* Adds a product by cuBLAS. Operands have one format, C that of sums or theirs. ABDB_BACKEND: there
 * is no cuBLAS. */
ABDB_MUST_USE abdb_status abdb_cu_add_cublas_gemm_step(abdb_cu_job *job, const abdb_cu_matrix *a,
                                                       const abdb_cu_matrix *b,
                                                       const abdb_cu_matrix *c,
                                                       const abdb_cu_gemm_size *size,
                                                       abdb_error *err);
/* The same by cuBLASLt, by the first algorithm that its heuristics give. */
ABDB_MUST_USE abdb_status abdb_cu_add_cublaslt_gemm_step(abdb_cu_job *job, const abdb_cu_matrix *a,
                                                         const abdb_cu_matrix *b,
                                                         const abdb_cu_matrix *c,
                                                         const abdb_cu_gemm_size *size,
                                                         abdb_error *err);
/* A format as the libraries call it. */
cudaDataType_t abdb_cu_data_type_of_dtype(abdb_dtype dtype);
/* What operands of a format are multiplied and added up with. */
cublasComputeType_t abdb_cu_compute_type_of_dtype(abdb_dtype dtype);

#endif
