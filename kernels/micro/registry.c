/* registry.c - the list of kernels, from kernels/registry.def. */
#include <stddef.h>

#include "kernels/kernel.h"

const abdb_kernel *const abdb_kernels[] = {
#define KERNEL(name, printed, ref) &abdb_kernel_##name,
#include "kernels/registry.def"
#undef KERNEL
    NULL};
