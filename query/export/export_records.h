/* export_records.h - the formats of `abdb export`: JSON lines, CSV, SQL and folders of CSV.
 */
#ifndef ABDB_QUERY_EXPORTING_H
#define ABDB_QUERY_EXPORTING_H

#include <stdio.h>

#include "query/export/redact.h"
#include "schema/core/record.h"
#include "schema/core/text.h"
#include "schema/store/db.h"

typedef struct {
    FILE *out;
    abdb_text text;
} abdb_export;

/* JSON lines; ABDB_IO where they cannot be written. */
abdb_sink abdb_jsonl_sink(abdb_export *e);
/* Everything of a database, or of some entries (SQL as of abdb_store_scan_into_sink), to a sink;
 * redacted where there is a redaction. */
ABDB_MUST_USE abdb_status abdb_export_records_to_sink(abdb_db *db, const char *entries,
                                                      abdb_redaction *redaction,
                                                      const abdb_sink *sink, abdb_error *err);
/* Results as abdb's own CSV: one row an entry. *left_out: the number of values without a column,
 * such as samples. */
ABDB_MUST_USE abdb_status abdb_export_csv(abdb_db *db, const char *entries,
                                          abdb_redaction *redaction, FILE *out, long *left_out,
                                          abdb_error *err);
/* Public views as folders of CSV files at folder, where none is: all of it or nothing. */
ABDB_MUST_USE abdb_status abdb_export_partitioned_csv(abdb_db *db, const char *folder,
                                                      abdb_error *err);
/* Tables and facts as SQL that makes the same database in sqlite3. */
ABDB_MUST_USE abdb_status abdb_export_database_as_sql(abdb_db *db, FILE *out, abdb_error *err);

#endif
