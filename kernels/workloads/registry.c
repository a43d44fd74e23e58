/* registry.c - the list of workloads, from kernels/workloads/registry.def. */
#include <stddef.h>

#include "kernels/workloads/workload.h"

const abdb_workload *const abdb_workloads[] = {
#define WORKLOAD(name, printed) &abdb_workload_##name,
#include "kernels/workloads/registry.def"
#undef WORKLOAD
    NULL};
