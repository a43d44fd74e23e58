/* plan_scale.h - workloads fitted to the machine. */
#ifndef ABDB_KERNELS_SCALE_H
#define ABDB_KERNELS_SCALE_H

#include "kernels/runner/plan.h"

/* Gives each cell of a workload scale=auto, unless it says otherwise: its backend makes it as large
 * as the machine bears and tells what it left out. Other cells stay. ABDB_LIMIT. */
ABDB_MUST_USE abdb_status abdb_plan_add_scale_auto_to_workloads(abdb_plan *plan, abdb_error *err);

#endif
