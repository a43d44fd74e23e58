/* merge_group_sizes.h - trainings on systems of every size as one group. */
#ifndef ABDB_COMPARE_MERGE_GROUP_SIZES_H
#define ABDB_COMPARE_MERGE_GROUP_SIZES_H

#include "query/compare/choose.h"

/* Groups of trainings that differ only in the size of the system become one: the costs of trainings
 * that end in time may be compared at every size, unlike their durations. ABDB_NOMEM. */
ABDB_MUST_USE abdb_status abdb_merge_groups_across_sizes(abdb_system_choice *c, abdb_error *err);

#endif
