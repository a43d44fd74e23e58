/* insert_statements.h - records out of INSERT statements, as tools print them and as the .dump of
 * sqlite3 does, where CREATE TABLE names the columns. */
#ifndef ABDB_INGEST_INSERT_STATEMENTS_H
#define ABDB_INGEST_INSERT_STATEMENTS_H

#include "ingest/read/flat_records.h"

/* Hands over each statement as a record. One with other values than columns goes to sink as
 * rejected. */
ABDB_MUST_USE abdb_status abdb_flat_deliver_insert_statement_rows(const abdb_input *in,
                                                                  const abdb_sink *sink,
                                                                  abdb_flat_handler handler,
                                                                  void *self, abdb_error *err);

#endif
