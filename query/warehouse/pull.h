/* pull.h - copies facts of a warehouse with their keys into a database of abdb, which is merged
 * into another (abdb_merge_database) or used to derive the warehouse's names and subjects.
 */
#ifndef ABDB_QUERY_PULL_H
#define ABDB_QUERY_PULL_H

#include "query/warehouse/store_client.h"
#include "schema/store/db.h"

/* The extent of a pull: dictionaries and facts about devices; also the wanted entries (request
 * "wanted") with their values; also samples, circumstances and rejects. */
typedef enum { ABDB_PULL_WORDS, ABDB_PULL_VALUES, ABDB_PULL_ALL } abdb_pulled;
/* Its rows into an empty database, in one transaction. */
ABDB_MUST_USE abdb_status abdb_pull_into_database(abdb_store_client *link, abdb_db *db,
                                                  abdb_pulled extent, abdb_error *err);
/* Makes names, subjects, withdrawn rows and ceilings of the warehouse anew, if rows came since the
 * last time: scratch is the path of a database that is made for it. */
ABDB_MUST_USE abdb_status abdb_derive_remote_rows_if_store_asks(abdb_store_client *link,
                                                                const char *scratch,
                                                                abdb_error *err);

#endif
