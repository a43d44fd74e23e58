// blas.cpp - the functions of cuBLAS and cuBLASLt that abdb calls, as their manual describes them, by
// plain loops: do leading dimensions, transposes, strides and formats say what is meant? It refuses
// what the libraries refuse: fp8 that is not transposed, leading dimensions that are too short.
#include <cublasLt.h>
#include <cublas_v2.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <vector>

extern "C" {
#include "kernels/kernel.h"
}
#include "tests/cuda/enqueue.h"

namespace
{

int dtype_of_cuda_type(cudaDataType_t type)
{
    switch (type) {
    case CUDA_R_64F: return ABDB_F64;
    case CUDA_R_32F: return ABDB_F32;
    case CUDA_R_16BF: return ABDB_BF16;
    case CUDA_R_16F: return ABDB_F16;
    case CUDA_R_8F_E4M3: return ABDB_E4M3;
    case CUDA_R_8F_E5M2: return ABDB_E5M2;
    case CUDA_R_8I: return ABDB_I8;
    case CUDA_R_32I: return ABDB_I32;
    default: return -1;
    }
}

double read_as_double(int type, const void *from, int64_t i)
{
    switch (type) {
    case ABDB_F64: return ((const double *)from)[i];
    case ABDB_F32: return ((const float *)from)[i];
    case ABDB_BF16: return abdb_bf16_to_f32(((const uint16_t *)from)[i]);
    case ABDB_F16: return abdb_f16_to_f32(((const uint16_t *)from)[i]);
    case ABDB_I8: return ((const int8_t *)from)[i];
    case ABDB_I32: return ((const int32_t *)from)[i];
    default: return abdb_format_decode_bits((abdb_dtype)type, ((const uint8_t *)from)[i]);
    }
}

void store_from_double(int type, void *to, int64_t i, double x)
{
    switch (type) {
    case ABDB_F64: ((double *)to)[i] = x; break;
    case ABDB_F32: ((float *)to)[i] = (float)x; break;
    case ABDB_BF16: ((uint16_t *)to)[i] = abdb_bf16_from_f32((float)x); break;
    case ABDB_F16: ((uint16_t *)to)[i] = abdb_f16_from_f32((float)x); break;
    default: ((int32_t *)to)[i] = (int32_t)x;
    }
}

struct operand {
    const void *at;
    int type;
    bool transposed;
    int64_t ld, stride;
};

// Matrix number b of an operand as rows x columns of double.
std::vector<double> matrix_of_operand(const operand &o, int64_t rows, int64_t columns,
                                      int64_t batch_index)
{
    std::vector<double> out((size_t)(rows * columns));

    for (int64_t i = 0; i < rows; i++)
        for (int64_t j = 0; j < columns; j++)
            out[(size_t)(i * columns + j)] = read_as_double(
                o.type, o.at,
                batch_index * o.stride + (o.transposed ? i * o.ld + j : j * o.ld + i));
    return out;
}

bool leading_dimension_is_long_enough(const operand &o, int64_t rows, int64_t columns)
{
    return o.type >= 0 && o.ld >= (o.transposed ? columns : rows);
}

cublasStatus_t gemm_strided_batched(int64_t m, int64_t n, int64_t k, const operand &a,
                                    const operand &b, const operand &c, double alpha, double beta,
                                    int64_t batch)
{
    if (!leading_dimension_is_long_enough(a, m, k) || !leading_dimension_is_long_enough(b, k, n) ||
        !leading_dimension_is_long_enough(c, m, n))
        return CUBLAS_STATUS_INVALID_VALUE;
    for (int64_t number = 0; number < batch; number++) {
        std::vector<double> x = matrix_of_operand(a, m, k, number),
                            y = matrix_of_operand(b, k, n, number), row((size_t)n);

        for (int64_t i = 0; i < m; i++) {
            std::fill(row.begin(), row.end(), 0.0);
            for (int64_t l = 0; l < k; l++)
                for (int64_t j = 0; j < n; j++)
                    row[(size_t)j] += x[(size_t)(i * k + l)] * y[(size_t)(l * n + j)];
            for (int64_t j = 0; j < n; j++) {
                int64_t at = number * c.stride + j * c.ld + i;
                double old = beta != 0 ? beta * read_as_double(c.type, c.at, at) : 0;

                store_from_double(c.type, const_cast<void *>(c.at), at,
                                  alpha * row[(size_t)j] + old);
            }
        }
    }
    return CUBLAS_STATUS_SUCCESS;
}

double scalar_of_compute_type(cublasComputeType_t compute, const void *at)
{
    return compute == CUBLAS_COMPUTE_64F   ? *(const double *)at
           : compute == CUBLAS_COMPUTE_32I ? *(const int *)at
                                           : *(const float *)at;
}

struct matrix_layout {
    int type;
    int64_t rows, columns, ld, stride;
    int batch;
};
struct matmul_desc {
    cublasComputeType_t compute;
    bool transposed[2];
};

} // namespace

extern "C" {

cublasStatus_t cublasCreate_v2(cublasHandle_t *out)
{
    *out = (cublasHandle_t)1;
    return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasGetVersion_v2(cublasHandle_t, int *version)
{
    *version = 0;
    return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasSetStream_v2(cublasHandle_t, cudaStream_t)
{
    return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasSetWorkspace_v2(cublasHandle_t, void *, size_t)
{
    return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasGemmStridedBatchedEx(
    cublasHandle_t, cublasOperation_t ta, cublasOperation_t tb, int m, int n, int k,
    const void *alpha, const void *a, cudaDataType at, int lda, long long stride_a, const void *b,
    cudaDataType bt, int ldb, long long stride_b, const void *beta, void *c, cudaDataType ct,
    int ldc, long long stride_c, int batch, cublasComputeType_t compute, cublasGemmAlgo_t)
{
    if (at == CUDA_R_8F_E4M3 || at == CUDA_R_8F_E5M2) return CUBLAS_STATUS_NOT_SUPPORTED;
    if (at == CUDA_R_8I && (k % 4 || lda % 4 || ldb % 4)) return CUBLAS_STATUS_NOT_SUPPORTED;
    operand x = {a, dtype_of_cuda_type(at), ta == CUBLAS_OP_T, lda, stride_a},
            y = {b, dtype_of_cuda_type(bt), tb == CUBLAS_OP_T, ldb, stride_b},
            z = {c, dtype_of_cuda_type(ct), false, ldc, stride_c};
    double by = scalar_of_compute_type(compute, alpha), old = scalar_of_compute_type(compute, beta);

    return (cublasStatus_t)emulated::enqueue_or_capture(
        [=] { return (int)gemm_strided_batched(m, n, k, x, y, z, by, old, batch); });
}

// --- cuBLASLt -------------------------------------------------------------------------------------

cublasStatus_t cublasLtCreate(cublasLtHandle_t *out)
{
    *out = (cublasLtHandle_t)1;
    return CUBLAS_STATUS_SUCCESS;
}
size_t cublasLtGetVersion(void)
{
    return 0;
}
cublasStatus_t cublasLtMatmulDescCreate(cublasLtMatmulDesc_t *out, cublasComputeType_t compute,
                                        cudaDataType_t)
{
    *out = (cublasLtMatmulDesc_t) new matmul_desc{compute, {false, false}};
    return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasLtMatmulDescDestroy(cublasLtMatmulDesc_t d)
{
    delete (matmul_desc *)d;
    return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasLtMatmulDescSetAttribute(cublasLtMatmulDesc_t d,
                                              cublasLtMatmulDescAttributes_t what,
                                              const void *value, size_t)
{
    if (what == CUBLASLT_MATMUL_DESC_TRANSA)
        ((matmul_desc *)d)->transposed[0] = *(const cublasOperation_t *)value == CUBLAS_OP_T;
    if (what == CUBLASLT_MATMUL_DESC_TRANSB)
        ((matmul_desc *)d)->transposed[1] = *(const cublasOperation_t *)value == CUBLAS_OP_T;
    return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasLtMatrixLayoutCreate(cublasLtMatrixLayout_t *out, cudaDataType type,
                                          uint64_t rows, uint64_t columns, int64_t ld)
{
    *out = (cublasLtMatrixLayout_t) new matrix_layout{
        dtype_of_cuda_type(type), (int64_t)rows, (int64_t)columns, ld, 0, 1};
    return ld < (int64_t)rows ? CUBLAS_STATUS_INVALID_VALUE : CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasLtMatrixLayoutDestroy(cublasLtMatrixLayout_t l)
{
    delete (matrix_layout *)l;
    return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasLtMatrixLayoutSetAttribute(cublasLtMatrixLayout_t l,
                                                cublasLtMatrixLayoutAttribute_t what,
                                                const void *value, size_t)
{
    if (what == CUBLASLT_MATRIX_LAYOUT_BATCH_COUNT)
        ((matrix_layout *)l)->batch = *(const int *)value;
    if (what == CUBLASLT_MATRIX_LAYOUT_STRIDED_BATCH_OFFSET)
        ((matrix_layout *)l)->stride = *(const int64_t *)value;
    return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasLtMatmulPreferenceCreate(cublasLtMatmulPreference_t *out)
{
    *out = (cublasLtMatmulPreference_t)1;
    return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasLtMatmulPreferenceDestroy(cublasLtMatmulPreference_t)
{
    return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasLtMatmulPreferenceSetAttribute(cublasLtMatmulPreference_t,
                                                    cublasLtMatmulPreferenceAttributes_t,
                                                    const void *, size_t)
{
    return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasLtMatmulAlgoGetHeuristic(cublasLtHandle_t, cublasLtMatmulDesc_t d,
                                              cublasLtMatrixLayout_t a, cublasLtMatrixLayout_t b,
                                              cublasLtMatrixLayout_t, cublasLtMatrixLayout_t,
                                              cublasLtMatmulPreference_t, int,
                                              cublasLtMatmulHeuristicResult_t *out, int *found)
{
    const matmul_desc *h = (const matmul_desc *)d;
    const matrix_layout *x = (const matrix_layout *)a, *y = (const matrix_layout *)b;
    bool fp8 = x->type == ABDB_E4M3 || x->type == ABDB_E5M2;

    *found = 0;
    /* "A must be transposed and B non-transposed (the TN format)", sizes in multiples of 16 */
    if (fp8 && (!h->transposed[0] || h->transposed[1] || x->rows % 16 || x->columns % 16 ||
                y->columns % 16))
        return CUBLAS_STATUS_NOT_SUPPORTED;
    if (x->type == ABDB_E5M2 && y->type == ABDB_E5M2) return CUBLAS_STATUS_NOT_SUPPORTED;
    out->wavesCount = 1;
    *found = 1;
    return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasLtMatmulAlgoConfigGetAttribute(const cublasLtMatmulAlgo_t *,
                                                    cublasLtMatmulAlgoConfigAttributes_t,
                                                    void *value, size_t, size_t *)
{
    *(int *)value = 0;
    return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasLtMatmul(cublasLtHandle_t, cublasLtMatmulDesc_t d, const void *alpha,
                              const void *a, cublasLtMatrixLayout_t la, const void *b,
                              cublasLtMatrixLayout_t lb, const void *beta, const void *c,
                              cublasLtMatrixLayout_t, void *out, cublasLtMatrixLayout_t lc,
                              const cublasLtMatmulAlgo_t *, void *, size_t, cudaStream_t)
{
    const matmul_desc *h = (const matmul_desc *)d;
    const matrix_layout *x = (const matrix_layout *)la, *y = (const matrix_layout *)lb,
                        *z = (const matrix_layout *)lc;

    if (c != out || (h->transposed[0] ? x->columns : x->rows) != z->rows ||
        (h->transposed[1] ? y->rows : y->columns) != z->columns ||
        (h->transposed[0] ? x->rows : x->columns) != (h->transposed[1] ? y->columns : y->rows))
        return CUBLAS_STATUS_INVALID_VALUE;
    operand first = {a, x->type, h->transposed[0], x->ld, x->stride},
            second = {b, y->type, h->transposed[1], y->ld, y->stride},
            third = {out, z->type, false, z->ld, z->stride};
    int64_t m = z->rows, n = z->columns, k = h->transposed[0] ? x->rows : x->columns;
    double by = scalar_of_compute_type(h->compute, alpha),
           old = scalar_of_compute_type(h->compute, beta);
    int batch = z->batch;

    return (cublasStatus_t)emulated::enqueue_or_capture(
        [=] { return (int)gemm_strided_batched(m, n, k, first, second, third, by, old, batch); });
}

} // extern "C"
