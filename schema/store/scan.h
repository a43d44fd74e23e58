/* scan.h - everything that a database holds and nobody withdrew, handed to a sink: dictionaries,
 * published facts, entries with their results, factors and samples. The order is that of keys, the
 * same in every database; the pieces of a score come just before it. */
#ifndef ABDB_STORE_WALK_H
#define ABDB_STORE_WALK_H

#include "schema/core/record.h"
#include "schema/store/db.h"

/* entries: SQL of a SELECT that gives entry_id (of those that count: what is withdrawn is in no
 * view), or NULL for all. Facts of other tables come along only where it is NULL. */
ABDB_MUST_USE abdb_status abdb_store_scan_into_sink(abdb_db *db, const char *entry_ids_sql,
                                                    const abdb_sink *sink, abdb_error *err);
/* The facts of other tables alone. */
ABDB_MUST_USE abdb_status abdb_store_pass_facts_to_sink(abdb_db *db, const abdb_sink *sink,
                                                        abdb_error *err);

#endif
