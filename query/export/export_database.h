/* export_database.h - the records of a database as a database of its own. */
#ifndef ABDB_QUERY_EXPORT_DATABASE_H
#define ABDB_QUERY_EXPORT_DATABASE_H

#include "query/export/redact.h"
#include "schema/store/db.h"

/* Makes a new database, without file names, at a path where none is: all records, or some entries
 * (SQL as of abdb_store_scan_into_sink), redacted where there is a redaction. */
ABDB_MUST_USE abdb_status abdb_export_to_new_database(abdb_db *db, const char *entries,
                                                      abdb_redaction *redaction, const char *path,
                                                      abdb_error *err);
/* Removes values that differ between two exports from such a copy of `db`: its creation date (it
 * gets the date of the newest import of db), and the secret of its own pseudonyms. */
ABDB_MUST_USE abdb_status abdb_export_unify_dates_delete_pseudonym_salt(const char *path,
                                                                        abdb_db *db,
                                                                        abdb_error *err);

#endif
