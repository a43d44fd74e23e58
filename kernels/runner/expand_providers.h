/* expand_providers.h - several ways to compute one kernel in one backend: a cell for each.
 *
 * What a backend says of its kernels in `hello` names a provider for each. Of a kernel that has
 * several there, a cell that names none becomes one for each of them (" provider=NAME"), so that no
 * number is taken for another's; backends with one or none keep the cell as it was asked.
 */
#ifndef ABDB_KERNELS_PROVIDE_H
#define ABDB_KERNELS_PROVIDE_H

#include <jansson.h>

#include "kernels/runner/plan.h"

/* The provider of a kernel that `hello` names at this place, from 0, each once; NULL: no more. */
const char *abdb_nth_distinct_provider_of_kernel(const json_t *hello, const char *kernel,
                                                 size_t index);
/* Takes the cells of a plan apart, and says whose each is: (*has)[h * plan->cells + c] is 1 where
 * the backend of hello[h] (NULL: it did not say) measures cell c. The caller frees *has.
 * ABDB_LIMIT: more cells or parameters than a plan has; ABDB_NOMEM. */
ABDB_MUST_USE abdb_status abdb_plan_expand_providers_and_assign_cells(abdb_plan *plan,
                                                                      json_t *const *hello,
                                                                      size_t hellos,
                                                                      unsigned char **measured_by,
                                                                      abdb_error *err);

#endif
