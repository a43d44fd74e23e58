/* cublas_gemm.c - products by cuBLAS; see cublas_gemm.h. */
#include "kernels/providers/cuda/cublas_gemm.h"

#include <stdlib.h>

/* A product as cuBLAS takes it: its first operand is our B, its second our A. */
typedef struct {
    abdb_cu_device *d;
    abdb_cu_matrix a, b, c;
    abdb_cu_gemm_size size;
} cublas_gemm_call;

cudaDataType_t abdb_cu_data_type_of_dtype(abdb_dtype dtype)
{
    switch (dtype) {
    case ABDB_F64: return CUDA_R_64F;
    case ABDB_BF16: return CUDA_R_16BF;
    case ABDB_F16: return CUDA_R_16F;
    case ABDB_I8: return CUDA_R_8I;
    case ABDB_I32: return CUDA_R_32I;
    case ABDB_E4M3: return CUDA_R_8F_E4M3;
    case ABDB_E5M2: return CUDA_R_8F_E5M2;
    default: return CUDA_R_32F; /* tf32 lies in memory as f32 */
    }
}

cublasComputeType_t abdb_cu_compute_type_of_dtype(abdb_dtype dtype)
{
    switch (dtype) {
    case ABDB_F64: return CUBLAS_COMPUTE_64F;
    case ABDB_I8: return CUBLAS_COMPUTE_32I;
    case ABDB_TF32: return CUBLAS_COMPUTE_32F_FAST_TF32;
    default: return CUBLAS_COMPUTE_32F;
    }
}

/* Enqueues C = A B (+ C) of a batch. cuBLAS counts columns first, so it computes C^T = B^T A^T. */
static abdb_status enqueue_cublas_gemm(void *what, abdb_error *err)
{
    static const double ones_f64[] = {0, 1};
    static const float ones_f32[] = {0, 1};
    static const int ones_i32[] = {0, 1};
    const cublas_gemm_call *p = what;
    const abdb_cu_gemm_size *s = &p->size;
    int added = s->added;
    const void *one = ones_f32 + 1, *beta = ones_f32 + added;

    if (p->a.dtype == ABDB_F64) {
        one = ones_f64 + 1;
        beta = ones_f64 + added;
    } else if (p->a.dtype == ABDB_I8) {
        one = ones_i32 + 1;
        beta = ones_i32 + added;
    }
    return abdb_cublas_check_status(
        abdb_cu.cublasGemmStridedBatchedEx_(
            p->d->blas, p->b.transposed ? CUBLAS_OP_T : CUBLAS_OP_N,
            p->a.transposed ? CUBLAS_OP_T : CUBLAS_OP_N, (int)s->n, (int)s->m, (int)s->k, one,
            p->b.data, abdb_cu_data_type_of_dtype(p->b.dtype), (int)p->b.row,
            (long long)p->b.stride, p->a.data, abdb_cu_data_type_of_dtype(p->a.dtype),
            (int)p->a.row, (long long)p->a.stride, beta, (void *)(uintptr_t)p->c.data,
            abdb_cu_data_type_of_dtype(p->c.dtype), (int)p->c.row, (long long)p->c.stride,
            (int)s->batch, abdb_cu_compute_type_of_dtype(p->a.dtype), CUBLAS_GEMM_DEFAULT),
        "cublasGemmStridedBatchedEx", err);
}

abdb_status abdb_cu_add_cublas_gemm_step(abdb_cu_job *job, const abdb_cu_matrix *a,
                                         const abdb_cu_matrix *b, const abdb_cu_matrix *c,
                                         const abdb_cu_gemm_size *size, abdb_error *err)
{
    cublas_gemm_call *p;

    if (!job->d->blas)
        return ABDB_FAIL(err, ABDB_BACKEND, "cuBLAS is not here: %s", abdb_cu.no_blas);
    p = malloc(sizeof *p);
    if (!p) return ABDB_FAIL(err, ABDB_NOMEM, "a product");
    *p = (cublas_gemm_call){job->d, *a, *b, *c, *size};
    return abdb_cu_add_host_call_or_free_context(job, enqueue_cublas_gemm, p, free, err);
}
