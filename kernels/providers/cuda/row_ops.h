/* row_ops.h - kernels over rows and over elements one after another, as parts of a job. */
#ifndef ABDB_PROVIDERS_CUDA_ROWS_H
#define ABDB_PROVIDERS_CUDA_ROWS_H

#include "kernels/providers/cuda/cu/kernel_args.h"
#include "kernels/providers/cuda/launch.h"

/* Adds a kernel of ABDB_CU_THREADS threads a block, whose name ends in that of a format. */
ABDB_MUST_USE abdb_status abdb_cu_add_kernel_of_dtype(abdb_cu_job *job, const char *file,
                                                      const char *name, abdb_dtype dtype,
                                                      size_t blocks, const void *argument,
                                                      size_t size, abdb_error *err);
/* Adds "softmax", "loss", "layernorm" or "rmsnorm" of so many rows; `wide` and `kept` of the
 * argument are set here. */
ABDB_MUST_USE abdb_status abdb_cu_add_row_kernel(abdb_cu_job *job, const char *name,
                                                 abdb_dtype dtype, size_t rows,
                                                 const abdb_cu_row_op *of, abdb_error *err);
/* Adds "gelu", "silu" or "gelu_back" of n elements. */
ABDB_MUST_USE abdb_status abdb_cu_add_elementwise_kernel(abdb_cu_job *job, const char *name,
                                                         abdb_dtype dtype, const void *x, void *y,
                                                         size_t n, abdb_error *err);

#endif
