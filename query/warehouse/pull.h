/* pull.h - facts of a warehouse as a database of abdb, keyed as they are there: what merges into
 * another (abdb_merge_database), and what names and subjects are made of for the warehouse itself.
 */
#ifndef ABDB_QUERY_PULL_H
#define ABDB_QUERY_PULL_H

#include "query/warehouse/store_client.h"
#include "schema/store/db.h"

/* What is pulled: dictionaries and what is stated of devices; the wanted entries (request "wanted")
 * besides, with their values; samples, circumstances and rejects besides. */
typedef enum { ABDB_PULL_WORDS, ABDB_PULL_VALUES, ABDB_PULL_ALL } abdb_pulled;
/* Its rows into an empty database, in one transaction. */
ABDB_MUST_USE abdb_status abdb_pull_into_database(abdb_store_client *link, abdb_db *db,
                                                  abdb_pulled extent, abdb_error *err);
/* Makes names, subjects, what withdrawals leave out and the ceilings of the warehouse anew, if
 * something came since the last time: scratch is the path of a database that is made for it. */
ABDB_MUST_USE abdb_status abdb_derive_remote_rows_if_store_asks(abdb_store_client *link,
                                                                const char *scratch,
                                                                abdb_error *err);

#endif
