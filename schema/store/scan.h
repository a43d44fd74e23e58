/* scan.h - hands all rows of a database that were not withdrawn to a sink: dictionaries,
 * published facts, entries with their results, factors and samples. The order is that of keys, the
 * same in every database; the pieces of a score come just before it. */
#ifndef ABDB_STORE_WALK_H
#define ABDB_STORE_WALK_H

#include "schema/core/record.h"
#include "schema/store/db.h"

/* entry_ids_sql: a SELECT that gives entry_id (never of withdrawn entries, which no view has), or
 * NULL for all entries. Facts of other tables come along only where it is NULL. */
ABDB_MUST_USE abdb_status abdb_store_scan_into_sink(abdb_db *db, const char *entry_ids_sql,
                                                    const abdb_sink *sink, abdb_error *err);
/* The facts of other tables alone. */
ABDB_MUST_USE abdb_status abdb_store_pass_facts_to_sink(abdb_db *db, const abdb_sink *sink,
                                                        abdb_error *err);

#endif
