/* markdown_tables.h - the tables of a markdown file as records with named values.
 *
 * A table is a header line between bars, a line of dashes, and rows. Each has the value "(title)"
 * beside its columns: the last line of text between it and the table before, without its markup. A
 * row with more or fewer cells than the header goes to sink as rejected; empty ones behind the last
 * heading are allowed. Bold, code marks and links are taken off.
 */
#ifndef ABDB_INGEST_MARKDOWN_H
#define ABDB_INGEST_MARKDOWN_H

#include "ingest/read/flat_records.h"

/* Is there a table, in the first MiB? */
bool markdown_has_table(const abdb_input *in);
/* Rows whose cells are all empty are left out. */
ABDB_MUST_USE abdb_status markdown_deliver_table_rows_as_records(const abdb_input *in,
                                                                 const abdb_sink *sink,
                                                                 abdb_flat_handler handler,
                                                                 void *self, abdb_error *err);

#endif
