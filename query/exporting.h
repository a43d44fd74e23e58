/* exporting.h - what `abdb export` writes: sinks that print records, and one that leaves out what
 * names a host or a person. */
#ifndef ABDB_QUERY_EXPORTING_H
#define ABDB_QUERY_EXPORTING_H

#include <stdio.h>

#include "schema/core/record.h"
#include "schema/core/text.h"
#include "schema/store/db.h"

typedef struct {
    FILE *out;
    abdb_text text;
    long left_out; /* samples that a CSV cannot hold, factors that were redacted */
    const abdb_sink *next;
    abdb_entry entry; /* of the redacting sink */
} abdb_export;

/* JSON lines; ABDB_IO where they cannot be written. */
abdb_sink abdb_export_jsonl(abdb_export *e);
/* Hands on every entry without host, user and folder names, and every fact as it is. */
abdb_sink abdb_export_redact(abdb_export *e, const abdb_sink *next);
/* Results as abdb's own CSV: one row an entry. entries: SQL as of abdb_store_walk. *left_out:
 * samples, and entries with what a CSV has no column for. */
ABDB_MUST_USE abdb_status abdb_export_csv(abdb_db *db, const char *entries, bool redact, FILE *out,
                                          long *left_out, abdb_error *err);
/* Tables and facts as SQL that makes the same database in sqlite3. */
ABDB_MUST_USE abdb_status abdb_export_sql(abdb_db *db, FILE *out, abdb_error *err);

#endif
