/* push.h - sends facts of a database to a warehouse: only the ones missing there. */
#ifndef ABDB_QUERY_PUSH_H
#define ABDB_QUERY_PUSH_H

#include "query/warehouse/store_client.h"
#include "schema/store/db.h"

typedef struct {
    long long held;                      /* entries of the database */
    long long entries, results, samples; /* that were new there */
    long long rows;                      /* of other tables that were new there */
    abdb_text different;                 /* tables with rows that differ there, and their number */
} abdb_push_counts;

/* Pushes in transactions of some thousand entries: shared rows before them, rows that refer to them
 * after them. Interrupted anywhere and repeated, it ends with the same facts. Derived rows are the
 * caller's to settle. ABDB_DB: a digest collides. */
ABDB_MUST_USE abdb_status abdb_push_database(abdb_store_client *link, abdb_db *db,
                                             abdb_push_counts *out, abdb_error *err);

#endif
