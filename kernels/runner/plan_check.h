/* plan_check.h - is what a plan asks for known? A mistyped name is said before anything is
 * measured. */
#ifndef ABDB_KERNELS_KNOWN_H
#define ABDB_KERNELS_KNOWN_H

#include <jansson.h>

#include "kernels/runner/plan.h"

/* Kernels that abdb has, or one of the backends names in its `hello`, are known; so are parameters
 * that a backend names for a kernel, of backends that name any. What a backend lacks is no mistake:
 * it becomes a row "not-implemented". A backend that names no kernels may have any: then nothing is
 * checked. ABDB_USAGE: the nearest name is suggested. */
ABDB_MUST_USE abdb_status abdb_plan_require_names_known_to_backends(const abdb_plan *plan,
                                                                    json_t *const *hello,
                                                                    size_t hellos, abdb_error *err);

/* The names of the kernels that abdb has; end: NULL. */
const char *const *abdb_built_in_kernel_and_workload_names(void);

#endif
