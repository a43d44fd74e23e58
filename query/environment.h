/* environment.h - what differs between the machines and software around two sets of runs. */
#ifndef ABDB_QUERY_ENVIRONMENT_H
#define ABDB_QUERY_ENVIRONMENT_H

#include "query/screen.h"

/* Prints a row for each key of the environments that differs between the first set and another,
 * with whether it is known to matter (data/rules/workloads.csv, workload `environment`).
 * ABDB_USAGE: a selection picks nothing, or its runs have no environment. */
ABDB_MUST_USE abdb_status abdb_environment_compare(const abdb_args *args, abdb_db *db,
                                                   const char *const *sets, size_t count,
                                                   abdb_error *err);

#endif
