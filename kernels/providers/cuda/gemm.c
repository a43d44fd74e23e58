/* gemm.c - products by cuBLAS and by cuBLASLt, two providers. Formats of 8 bits want B transposed:
 * it is transposed in the launch, or beforehand with weights=packed. */
#include <stdio.h>
#include <string.h>

#include "kernels/providers/cuda/cu/kernel_args.h"
#include "kernels/providers/cuda/cu/thread_maps.h"
#include "kernels/providers/cuda/implementations.h"
#include "kernels/providers/cuda/cublas_gemm.h"

enum { A, B, C, TILE = 32 }; /* TILE: as in transpose.cu */

static bool is_weights_param_packed(const abdb_problem *p)
{
    const char *weights = abdb_param_text(p, "weights");

    return weights && strcmp(weights, "packed") == 0;
}

/* Sizes m, n, k and batch of a problem. */
static abdb_cu_gemm_size gemm_size_of_problem(const abdb_problem *p)
{
    abdb_gemm g = abdb_gemm_from_problem(p);

    return (abdb_cu_gemm_size){.m = g.m, .n = g.n, .k = g.k, .batch = g.batch, .added = g.beta};
}

static bool is_fp8_dtype(abdb_dtype dtype)
{
    return dtype == ABDB_E4M3 || dtype == ABDB_E5M2;
}

/* 1: cuBLASLt has this product on this device; else 0 and *why_not. */
static int cublaslt_gemm_accepts_by_dtype_and_sizes(const abdb_problem *p, const char **why_not)
{
    const abdb_cu_device *d = (const abdb_cu_device *)p->device;
    abdb_dtype dtype = p->tensor[A].dtype;
    abdb_cu_gemm_size s = gemm_size_of_problem(p);

    *why_not = "cuBLASLt was not found";
    if (!d->lt) return 0;
    *why_not = "the backend cuda has no epilogues of a product yet";
    if (abdb_gemm_has_bias_or_activation(p)) return 0;
    *why_not = "products of 8 bits want A as it is";
    if (abdb_dtype_size(dtype) == 1 && abdb_gemm_from_problem(p).ta) return 0;
    *why_not = "NVIDIA's libraries multiply no two matrices of e5m2";
    if (dtype == ABDB_E5M2) return 0;
    *why_not = "products of e4m3 want compute capability 8.9 or more";
    if (is_fp8_dtype(dtype) && d->architecture < 89) return 0;
    *why_not = "products of e4m3 want all sizes in multiples of 16, of i8 of 4";
    if (is_fp8_dtype(dtype) && (s.m % 16 || s.n % 16 || s.k % 16)) return 0;
    return dtype != ABDB_I8 || (s.m % 4 == 0 && s.n % 4 == 0 && s.k % 4 == 0);
}

/* 1: cuBLAS has this product; else 0 and *why_not. */
static int cublas_gemm_accepts_no_epilogue_no_fp8(const abdb_problem *p, const char **why_not)
{
    const abdb_cu_device *d = (const abdb_cu_device *)p->device;
    abdb_cu_gemm_size s = gemm_size_of_problem(p);

    *why_not = "cuBLAS was not found";
    if (!d->blas) return 0;
    *why_not = "the backend cuda has no epilogues of a product yet";
    if (abdb_gemm_has_bias_or_activation(p)) return 0;
    *why_not = "cuBLAS has products of fp8 in cuBLASLt only";
    if (is_fp8_dtype(p->tensor[A].dtype)) return 0;
    *why_not = "products of i8 want sizes in multiples of 4";
    return p->tensor[A].dtype != ABDB_I8 || (s.m % 4 == 0 && s.n % 4 == 0 && s.k % 4 == 0);
}

/* Transposes B by a kernel of ours. */
static abdb_status add_or_run_transpose_of_8bit_b(abdb_cu_job *job, const abdb_cu_gemm_size *s,
                                                  abdb_cu_matrix *b, abdb_error *err)
{
    void *b_transposed;
    abdb_cu_transpose of = {b->data, NULL, s->k, s->n};
    abdb_status st = ABDB_OK;

    TRY(abdb_cu_alloc_scratch(job, s->batch * s->k * s->n, &b_transposed, err));
    of.to = b_transposed;
    TRY(abdb_cu_load_and_add_kernel_step(
        job,
        &(abdb_cu_kernel_launch){"transpose.cu",
                                 "transpose_bytes",
                                 {(s->n + TILE - 1) / TILE, (s->k + TILE - 1) / TILE, s->batch},
                                 ABDB_CU_THREADS,
                                 0},
        &of, sizeof of, err));
    b->data = b_transposed;
    b->row = s->k;
    b->transposed = true;
    if (is_weights_param_packed(job->p)) TRY(abdb_cu_run_steps_wait_and_clear(job, err));
done:
    return st;
}

/* A job of C = A B + beta C. cuBLASLt wants B of 8 bits transposed, which each launch does where
 * it is not. */
static abdb_status prepare_cublas_or_lt_gemm(void **state, const abdb_problem *p, bool lt,
                                             abdb_error *err)
{
    const abdb_tensor *t = p->tensor;
    abdb_cu_gemm_size s = gemm_size_of_problem(p);
    abdb_gemm g = abdb_gemm_from_problem(p);
    abdb_cu_matrix a = {t[A].data, t[A].dtype, g.ta ? s.m : s.k, s.m * s.k, g.ta},
                   b = {t[B].data, t[B].dtype, g.tb ? s.k : s.n, s.k * s.n, g.tb},
                   c = {t[C].data, t[C].dtype, s.n, s.m * s.n, false};
    int version = 0;
    abdb_cu_job *job = NULL;
    abdb_status st = ABDB_OK;

    TRY(abdb_cu_job_new(&job, p, err));
    if (abdb_dtype_size(t[A].dtype) == 1 && lt && !g.tb)
        TRY(add_or_run_transpose_of_8bit_b(job, &s, &b, err));
    if (lt) {
        TRY(abdb_cu_add_cublaslt_gemm_step(job, &a, &b, &c, &s, err));
    } else {
        abdb_cu.cublasGetVersion_(job->d->blas, &version);
        snprintf(job->chosen, sizeof job->chosen, "cuBLAS %d", version);
        TRY(abdb_cu_add_cublas_gemm_step(job, &a, &b, &c, &s, err));
    }
done:
    return abdb_cu_job_to_state_or_graph_or_free(st, job, state, err);
}

static abdb_status cublas_gemm_prepare_job(void **state, const abdb_problem *p, abdb_error *err)
{
    return prepare_cublas_or_lt_gemm(state, p, false, err);
}

static abdb_status cublaslt_gemm_prepare_job(void **state, const abdb_problem *p, abdb_error *err)
{
    return prepare_cublas_or_lt_gemm(state, p, true, err);
}

const abdb_impl abdb_cu_gemm = {"gemm",
                                "cublas",
                                cublas_gemm_accepts_no_epilogue_no_fp8,
                                cublas_gemm_prepare_job,
                                abdb_cu_job_launch_graph_or_enqueue_steps,
                                abdb_cu_job_chosen_text,
                                abdb_cu_job_free};
const abdb_impl abdb_cu_gemm_lt = {"gemm",
                                   "cublaslt",
                                   cublaslt_gemm_accepts_by_dtype_and_sizes,
                                   cublaslt_gemm_prepare_job,
                                   abdb_cu_job_launch_graph_or_enqueue_steps,
                                   abdb_cu_job_chosen_text,
                                   abdb_cu_job_free};
