/* environment_diff.h - differences between the machines and the software of two sets of runs. */
#ifndef ABDB_QUERY_ENVIRONMENT_H
#define ABDB_QUERY_ENVIRONMENT_H

#include "query/compare/result_set.h"
#include "schema/store/db.h"

/* Of two sets: rows of `key, a, b, matters` where the environments of their runs differ. */
ABDB_MUST_USE abdb_status abdb_query_environment_diff(sqlite3 *db, const abdb_set *a,
                                                      const abdb_set *b, abdb_table *table,
                                                      abdb_error *err);
/* A row for each key of the environments that differs between two sets, with whether it is known to
 * matter (data/rules/workloads.csv, workload `environment`). where: a condition for both, or NULL.
 * ABDB_USAGE: a selection picks nothing, or its runs have no environment. */
ABDB_MUST_USE abdb_status abdb_compare_environments(abdb_db *db, const char *a, const char *b,
                                                    const char *where, abdb_table *table,
                                                    abdb_error *err);

#endif
