/* driver.c - finds the libraries and their functions; see driver.h. */
#include "kernels/providers/cuda/driver.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

abdb_cu_library abdb_cu;

#define TEXT_(x) #x
#define TEXT(x)  TEXT_(x)

/* A function of a library, into its field; POSIX has a pointer to it come out as one to data. */
static bool load_symbol_into_field(void *library, const char *name, void *field)
{
    void *found = dlsym(library, name);

    memcpy(field, &found, sizeof found);
    return found != NULL;
}

/* The library that a variable names, else the first of the usual names that is there. Why not is
 * copied at once: what dlerror gives is gone with the next call. */
static void *open_named_or_usual_library(const char *variable, const char *const *usual_names,
                                         char why[160])
{
    const char *asked = getenv(variable);
    void *library = asked ? dlopen(asked, RTLD_NOW) : NULL;

    *why = '\0';
    if (asked && !library) snprintf(why, 160, "%.159s", dlerror());
    for (size_t i = 0; !asked && !library && usual_names[i]; i++) {
        library = dlopen(usual_names[i], RTLD_NOW);
        if (!library && !*why) snprintf(why, 160, "%.159s", dlerror());
    }
    return library;
}

#define FIND(name) all &= load_symbol_into_field(library, TEXT(name), &abdb_cu.name##_);

static bool resolve_driver_functions(void *library)
{
    bool all = true;

    ABDB_CU_FUNCTIONS(FIND)
    return all;
}

static bool resolve_cublas_functions(void *library)
{
    bool all = true;

    ABDB_CUBLAS_FUNCTIONS(FIND)
    return all;
}

static bool resolve_cublaslt_functions(void *library)
{
    bool all = true;

    ABDB_CUBLASLT_FUNCTIONS(FIND)
    return all;
}

/* The libraries of this toolkit's version, by its number. */
#define BLAS_NUMBER TEXT(CUBLAS_VER_MAJOR)

abdb_status abdb_cu_load_libraries(abdb_error *err)
{
    static const char *const drivers[] = {"libcuda.so.1", "libcuda.so", NULL},
                             *const blas[] = {"libcublas.so." BLAS_NUMBER, "libcublas.so", NULL},
                             *const lt[] = {"libcublasLt.so." BLAS_NUMBER, "libcublasLt.so", NULL};
    char why[160] = "";
    void *library = open_named_or_usual_library("ABDB_CUDA_DRIVER", drivers, why);

    if (!library)
        return ABDB_FAIL(err, ABDB_BACKEND, "no CUDA driver, which comes with NVIDIA's: %s", why);
    if (!resolve_driver_functions(library))
        return ABDB_FAIL(err, ABDB_BACKEND, "a CUDA driver older than this program: %d.%d wanted",
                         CUDA_VERSION / 1000, CUDA_VERSION % 1000 / 10);
    library = open_named_or_usual_library("ABDB_CUBLAS", blas, abdb_cu.no_blas);
    abdb_cu.blas = library && resolve_cublas_functions(library);
    library = open_named_or_usual_library("ABDB_CUBLASLT", lt, abdb_cu.no_lt);
    abdb_cu.lt = library && resolve_cublaslt_functions(library);
    return abdb_cu_check_result(abdb_cu.cuInit_(0), "cuInit", err);
}

abdb_status abdb_cu_check_result(CUresult code, const char *what, abdb_error *err)
{
    const char *name = NULL, *text = NULL;

    if (code == CUDA_SUCCESS) return ABDB_OK;
    abdb_cu.cuGetErrorName_(code, &name);
    abdb_cu.cuGetErrorString_(code, &text);
    return ABDB_FAIL(err, code == CUDA_ERROR_OUT_OF_MEMORY ? ABDB_NOMEM : ABDB_BACKEND,
                     "%s: %s (%s)", what, name ? name : "an error without a name",
                     text ? text : "");
}

abdb_status abdb_cublas_check_status(cublasStatus_t code, const char *what, abdb_error *err)
{
    static const struct {
        cublasStatus_t code;
        const char *name;
    } names[] = {{CUBLAS_STATUS_NOT_INITIALIZED, "CUBLAS_STATUS_NOT_INITIALIZED"},
                 {CUBLAS_STATUS_ALLOC_FAILED, "CUBLAS_STATUS_ALLOC_FAILED"},
                 {CUBLAS_STATUS_INVALID_VALUE, "CUBLAS_STATUS_INVALID_VALUE"},
                 {CUBLAS_STATUS_ARCH_MISMATCH, "CUBLAS_STATUS_ARCH_MISMATCH"},
                 {CUBLAS_STATUS_EXECUTION_FAILED, "CUBLAS_STATUS_EXECUTION_FAILED"},
                 {CUBLAS_STATUS_INTERNAL_ERROR, "CUBLAS_STATUS_INTERNAL_ERROR"},
                 {CUBLAS_STATUS_NOT_SUPPORTED, "CUBLAS_STATUS_NOT_SUPPORTED"}};
    const char *name = "an error without a name";

    if (code == CUBLAS_STATUS_SUCCESS) return ABDB_OK;
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        if (names[i].code == code) name = names[i].name;
    return ABDB_FAIL(err, code == CUBLAS_STATUS_ALLOC_FAILED ? ABDB_NOMEM : ABDB_BACKEND, "%s: %s",
                     what, name);
}
