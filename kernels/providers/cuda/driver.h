/* driver.h - the CUDA driver, cuBLAS and cuBLASLt, loaded at run time: a program that was built
 * where the toolkit is starts everywhere, and names missing libraries. */
#ifndef ABDB_PROVIDERS_CUDA_DRIVER_H
#define ABDB_PROVIDERS_CUDA_DRIVER_H

#include <cublasLt.h>
#include <cublas_v2.h>
#include <cuda.h>
#include <stdbool.h>

#include "schema/core/error.h"

/* Functions by the names that cuda.h gives them (a macro of it may add a version). */
#define ABDB_CU_FUNCTIONS(X)    \
    X(cuInit)                   \
    X(cuDriverGetVersion)       \
    X(cuDeviceGetCount)         \
    X(cuDeviceGet)              \
    X(cuDeviceGetName)          \
    X(cuDeviceGetAttribute)     \
    X(cuDeviceTotalMem)         \
    X(cuDeviceGetPCIBusId)      \
    X(cuDevicePrimaryCtxRetain) \
    X(cuCtxSetCurrent)          \
    X(cuCtxSynchronize)         \
    X(cuStreamCreate)           \
    X(cuStreamSynchronize)      \
    X(cuStreamBeginCapture)     \
    X(cuStreamEndCapture)       \
    X(cuGraphInstantiate)       \
    X(cuGraphLaunch)            \
    X(cuGraphExecDestroy)       \
    X(cuGraphDestroy)           \
    X(cuEventCreate)            \
    X(cuEventRecord)            \
    X(cuEventSynchronize)       \
    X(cuEventElapsedTime)       \
    X(cuMemAlloc)               \
    X(cuMemFree)                \
    X(cuMemGetInfo)             \
    X(cuMemcpyHtoD)             \
    X(cuMemcpyDtoH)             \
    X(cuMemcpyDtoDAsync)        \
    X(cuMemsetD8Async)          \
    X(cuModuleLoadData)         \
    X(cuModuleGetFunction)      \
    X(cuFuncSetAttribute)       \
    X(cuFuncGetAttribute)       \
    X(cuLaunchKernel)           \
    X(cuGetErrorName)           \
    X(cuGetErrorString)

#define ABDB_CUBLAS_FUNCTIONS(X) \
    X(cublasCreate)              \
    X(cublasGetVersion)          \
    X(cublasSetStream)           \
    X(cublasSetWorkspace)        \
    X(cublasGemmStridedBatchedEx)

#define ABDB_CUBLASLT_FUNCTIONS(X)          \
    X(cublasLtCreate)                       \
    X(cublasLtGetVersion)                   \
    X(cublasLtMatmul)                       \
    X(cublasLtMatmulDescCreate)             \
    X(cublasLtMatmulDescDestroy)            \
    X(cublasLtMatmulDescSetAttribute)       \
    X(cublasLtMatrixLayoutCreate)           \
    X(cublasLtMatrixLayoutDestroy)          \
    X(cublasLtMatrixLayoutSetAttribute)     \
    X(cublasLtMatmulPreferenceCreate)       \
    X(cublasLtMatmulPreferenceDestroy)      \
    X(cublasLtMatmulPreferenceSetAttribute) \
    X(cublasLtMatmulAlgoGetHeuristic)       \
    X(cublasLtMatmulAlgoConfigGetAttribute)

#define ABDB_CU_FIELD(name) __typeof__(&name) name##_;
typedef struct {
    ABDB_CU_FUNCTIONS(ABDB_CU_FIELD)
    ABDB_CUBLAS_FUNCTIONS(ABDB_CU_FIELD)
    ABDB_CUBLASLT_FUNCTIONS(ABDB_CU_FIELD)
    bool blas, lt;                 /* which libraries are there */
    char no_blas[160], no_lt[160]; /* else why not */
} abdb_cu_library;

/* Filled by abdb_cu_load_libraries. */
extern abdb_cu_library abdb_cu;

/* Loads libcuda.so.1 ($ABDB_CUDA_DRIVER: another), and cuBLAS and cuBLASLt where they are
 * ($ABDB_CUBLAS, $ABDB_CUBLASLT). ABDB_BACKEND: there is no driver. */
ABDB_MUST_USE abdb_status abdb_cu_load_libraries(abdb_error *err);
/* ABDB_OK; ABDB_NOMEM where memory of the device was missing; else ABDB_BACKEND, with the failed
 * call. */
ABDB_MUST_USE abdb_status abdb_cu_check_result(CUresult code, const char *what, abdb_error *err);
/* The same of cuBLAS and cuBLASLt. */
ABDB_MUST_USE abdb_status abdb_cublas_check_status(cublasStatus_t code, const char *what,
                                                   abdb_error *err);

#endif
