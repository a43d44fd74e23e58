/* cublaslt_gemm.c - products by cuBLASLt; see cublas_gemm.h. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/providers/cuda/cublas_gemm.h"

/* What a launch needs; made once. */
typedef struct {
    abdb_cu_device *d;
    const void *a, *b;
    void *c;
    bool whole, wide, added; /* scales of i32, of f64 */
    cublasLtMatmulDesc_t how;
    cublasLtMatrixLayout_t layout[3]; /* of the library's first and second operand, and C */
    cublasLtMatmulAlgo_t algorithm;
} cublaslt_matmul_call;

/* Enqueues the product. cuBLASLt counts columns first, so it computes C^T = B^T A^T. */
static abdb_status enqueue_cublaslt_matmul(void *what, abdb_error *err)
{
    static const double ones_f64[] = {0, 1};
    static const float ones_f32[] = {0, 1};
    static const int ones_i32[] = {0, 1};
    const cublaslt_matmul_call *p = what;
    const void *one = p->wide    ? (const void *)(ones_f64 + 1)
                      : p->whole ? (const void *)(ones_i32 + 1)
                                 : (const void *)(ones_f32 + 1),
               *beta = p->wide    ? (const void *)(ones_f64 + p->added)
                       : p->whole ? (const void *)(ones_i32 + p->added)
                                  : (const void *)(ones_f32 + p->added);

    return abdb_cublas_check_status(
        abdb_cu.cublasLtMatmul_(p->d->lt, p->how, one, p->b, p->layout[0], p->a, p->layout[1], beta,
                                p->c, p->layout[2], p->c, p->layout[2], &p->algorithm,
                                (void *)(uintptr_t)p->d->workspace, abdb_cu_workspace_bytes(),
                                p->d->stream),
        "cublasLtMatmul", err);
}

/* A matrix as the library sees it: rows are columns of length `rows`. */
static abdb_status create_matrix_layout(cublasLtMatrixLayout_t *out, const abdb_cu_matrix *m,
                                        size_t rows, size_t columns, size_t batch, abdb_error *err)
{
    int count = (int)batch;
    int64_t stride = (int64_t)m->stride;
    abdb_status st = ABDB_OK;

    TRY(abdb_cublas_check_status(
        abdb_cu.cublasLtMatrixLayoutCreate_(out, abdb_cu_data_type_of_dtype(m->dtype),
                                            m->transposed ? columns : rows,
                                            m->transposed ? rows : columns, (int64_t)m->row),
        "cublasLtMatrixLayoutCreate", err));
    if (batch < 2) goto done;
    TRY(abdb_cublas_check_status(
        abdb_cu.cublasLtMatrixLayoutSetAttribute_(*out, CUBLASLT_MATRIX_LAYOUT_BATCH_COUNT, &count,
                                                  sizeof count),
        "cublasLtMatrixLayoutSetAttribute", err));
    TRY(abdb_cublas_check_status(
        abdb_cu.cublasLtMatrixLayoutSetAttribute_(*out, CUBLASLT_MATRIX_LAYOUT_STRIDED_BATCH_OFFSET,
                                                  &stride, sizeof stride),
        "cublasLtMatrixLayoutSetAttribute", err));
done:
    return st;
}

/* Describes C^T = B^T A^T to cuBLASLt: formats of sums and scale, transposition, and the three
 * layouts. */
static abdb_status create_matmul_desc_and_layouts(cublaslt_matmul_call *p, const abdb_cu_matrix *a,
                                                  const abdb_cu_matrix *b, const abdb_cu_matrix *c,
                                                  const abdb_cu_gemm_size *s, abdb_error *err)
{
    cublasOperation_t first = b->transposed ? CUBLAS_OP_T : CUBLAS_OP_N,
                      second = a->transposed ? CUBLAS_OP_T : CUBLAS_OP_N;
    cudaDataType_t scale = p->wide ? CUDA_R_64F : p->whole ? CUDA_R_32I : CUDA_R_32F;
    abdb_status st = ABDB_OK;

    TRY(abdb_cublas_check_status(
        abdb_cu.cublasLtMatmulDescCreate_(&p->how, abdb_cu_compute_type_of_dtype(a->dtype), scale),
        "cublasLtMatmulDescCreate", err));
    TRY(abdb_cublas_check_status(abdb_cu.cublasLtMatmulDescSetAttribute_(
                                     p->how, CUBLASLT_MATMUL_DESC_TRANSA, &first, sizeof first),
                                 "cublasLtMatmulDescSetAttribute", err));
    TRY(abdb_cublas_check_status(abdb_cu.cublasLtMatmulDescSetAttribute_(
                                     p->how, CUBLASLT_MATMUL_DESC_TRANSB, &second, sizeof second),
                                 "cublasLtMatmulDescSetAttribute", err));
    TRY(create_matrix_layout(&p->layout[0], b, s->n, s->k, s->batch, err));
    TRY(create_matrix_layout(&p->layout[1], a, s->k, s->m, s->batch, err));
    TRY(create_matrix_layout(&p->layout[2], c, s->n, s->m, s->batch, err));
done:
    return st;
}

/* The algorithm that the library thinks best within the workspace, and its number. */
static abdb_status choose_and_describe_cublaslt_algorithm(cublaslt_matmul_call *p, abdb_cu_job *job,
                                                          abdb_error *err)
{
    cublasLtMatmulPreference_t preference = NULL;
    cublasLtMatmulHeuristicResult_t best;
    size_t room = abdb_cu_workspace_bytes(), written;
    int found = 0, number = -1;
    abdb_status st = ABDB_OK;

    memset(&best, 0, sizeof best);
    TRY(abdb_cublas_check_status(abdb_cu.cublasLtMatmulPreferenceCreate_(&preference),
                                 "cublasLtMatmulPreferenceCreate", err));
    TRY(abdb_cublas_check_status(
        abdb_cu.cublasLtMatmulPreferenceSetAttribute_(
            preference, CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES, &room, sizeof room),
        "cublasLtMatmulPreferenceSetAttribute", err));
    TRY(abdb_cublas_check_status(abdb_cu.cublasLtMatmulAlgoGetHeuristic_(
                                     p->d->lt, p->how, p->layout[0], p->layout[1], p->layout[2],
                                     p->layout[2], preference, 1, &best, &found),
                                 "cublasLtMatmulAlgoGetHeuristic", err));
    if (found < 1)
        TRY(ABDB_FAIL(err, ABDB_BACKEND, "cuBLASLt knows no algorithm for this product"));
    p->algorithm = best.algo;
    abdb_cu.cublasLtMatmulAlgoConfigGetAttribute_(&p->algorithm, CUBLASLT_ALGO_CONFIG_ID, &number,
                                                  sizeof number, &written);
    snprintf(job->chosen, sizeof job->chosen, "cuBLASLt %zu, algorithm %d, %.2f waves",
             abdb_cu.cublasLtGetVersion_(), number, (double)best.wavesCount);
done:
    if (preference) abdb_cu.cublasLtMatmulPreferenceDestroy_(preference);
    return st;
}

static void free_cublaslt_matmul(void *what)
{
    cublaslt_matmul_call *p = what;

    for (int i = 0; i < 3; i++)
        if (p->layout[i]) abdb_cu.cublasLtMatrixLayoutDestroy_(p->layout[i]);
    if (p->how) abdb_cu.cublasLtMatmulDescDestroy_(p->how);
    free(p);
}

abdb_status abdb_cu_add_cublaslt_gemm_step(abdb_cu_job *job, const abdb_cu_matrix *a,
                                           const abdb_cu_matrix *b, const abdb_cu_matrix *c,
                                           const abdb_cu_gemm_size *size, abdb_error *err)
{
    cublaslt_matmul_call *p = calloc(1, sizeof *p);
    abdb_status st = ABDB_OK;

    if (!p) return ABDB_FAIL(err, ABDB_NOMEM, "a product");
    if (!job->d->lt) TRY(ABDB_FAIL(err, ABDB_BACKEND, "cuBLASLt is not here: %s", abdb_cu.no_lt));
    p->d = job->d;
    p->a = a->data;
    p->b = b->data;
    p->c = (void *)(uintptr_t)c->data;
    p->whole = a->dtype == ABDB_I8;
    p->wide = a->dtype == ABDB_F64;
    p->added = size->added;
    TRY(create_matmul_desc_and_layouts(p, a, b, c, size, err));
    TRY(choose_and_describe_cublaslt_algorithm(p, job, err));
    return abdb_cu_add_host_call_or_free_context(job, enqueue_cublaslt_matmul, p,
                                                 free_cublaslt_matmul, err);
done:
    free_cublaslt_matmul(p);
    return st;
}
