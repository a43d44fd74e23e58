/* merge_group_sizes.h - trainings on systems of every size as one group. */
#ifndef ABDB_COMPARE_MERGE_GROUP_SIZES_H
#define ABDB_COMPARE_MERGE_GROUP_SIZES_H

#include "query/compare/choose.h"

/* Groups of trainings that only the size of the system keeps apart become one: what a training
 * costs on a system that is done in time is the same question at every size, unlike how long it
 * takes. ABDB_NOMEM. */
ABDB_MUST_USE abdb_status abdb_merge_groups_across_sizes(abdb_system_choice *c, abdb_error *err);

#endif
