/* device.h - a CUDA device as a device of abdb: memory, a stream, the clock of its events. */
#ifndef ABDB_PROVIDERS_CUDA_DEVICE_H
#define ABDB_PROVIDERS_CUDA_DEVICE_H

#include "kernels/kernel.h"
#include "kernels/providers/cuda/driver.h"

enum { ABDB_CU_NAME = 256, ABDB_CU_MODULES = 32 };

/* What the host can launch: a file of kernels (kernels/providers/cuda/cu), built for every
 * architecture. */
typedef struct {
    const char *name; /* "stream.cu"; end of a list: NULL */
    const void *image;
} abdb_cu_image;
extern const abdb_cu_image abdb_cu_images[]; /* made by the Makefile */

typedef struct {
    abdb_device device; /* first: a pointer to it is one to this */
    CUdevice id;
    CUcontext context;
    CUstream stream;
    CUevent first, last;
    CUmodule module[ABDB_CU_MODULES]; /* by number in abdb_cu_images; NULL: not loaded yet */
    CUdeviceptr flushed, workspace;
    cublasHandle_t blas;
    cublasLtHandle_t lt;
    int architecture;         /* 90: compute capability 9.0 */
    int processors;           /* streaming multiprocessors */
    int shared_most;          /* bytes of shared memory that a block may use */
    double launch_s, graph_s; /* of an empty kernel, one after another, launched and in a graph */
    char name[ABDB_CU_NAME], bus[32];
} abdb_cu_device;

/* The device that $ABDB_CUDA_DEVICE or $ABDB_DEVICE numbers, by default the first. ABDB_BACKEND:
 * there is none. */
ABDB_MUST_USE abdb_status abdb_cu_open_device(abdb_device **out, abdb_error *err);
/* After abdb_cu_open_device: all devices, as abdb_backend wants them; NULL where $ABDB_CUDA_DEVICE
 * has chosen one, or there is no driver. The text is kept. */
const char *abdb_cu_selectable_device_lines(void);
/* A kernel by file and name; the file is loaded at its first use. ABDB_BACKEND. */
ABDB_MUST_USE abdb_status abdb_cu_load_kernel_function(abdb_cu_device *d, const char *file,
                                                       const char *name, CUfunction *out,
                                                       abdb_error *err);
/* Bytes of a device's workspace, which cuBLAS and cuBLASLt share. */
size_t abdb_cu_workspace_bytes(void);
/* An attribute of the device, 0 where it has none. */
int abdb_cu_device_attribute(const abdb_cu_device *d, CUdevice_attribute what);
/* A pointer of a tensor as the driver takes it. */
static inline CUdeviceptr abdb_cu_device_pointer(const void *data)
{
    return (CUdeviceptr)(uintptr_t)data;
}

#endif
