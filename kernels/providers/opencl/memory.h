/* memory.h - memory of an OpenCL device by address. OpenCL gives handles; tensors and workloads
 * have addresses that can be reckoned with (kernels/workloads/device_memory.h). An address is of a
 * range that the process reserves and nothing can read or write: who follows one on the host ends
 * there.
 */
#ifndef ABDB_PROVIDERS_OPENCL_MEMORY_H
#define ABDB_PROVIDERS_OPENCL_MEMORY_H

#include "kernels/providers/opencl/device.h"

/* What an address means: bytes from the beginning of a piece of memory. */
typedef struct {
    cl_mem memory;
    size_t at;
} abdb_cl_buffer_offset;

/* ABDB_NOMEM. */
ABDB_MUST_USE abdb_status abdb_cl_alloc_buffer_and_reserve_address(abdb_cl_device *d, size_t size,
                                                                   void **out, abdb_error *err);
void abdb_cl_release_buffer_and_address(abdb_cl_device *d, void *address);
/* An address that abdb_cl_alloc_buffer_and_reserve_address did not give is a cl_mem. */
abdb_cl_buffer_offset abdb_cl_buffer_and_offset_of_address(const abdb_cl_device *d,
                                                           const void *address);

#endif
