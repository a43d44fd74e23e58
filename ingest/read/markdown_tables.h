/* markdown_tables.h - the tables of a markdown file as records with named values.
 *
 * A table is a header line between bars, a line of dashes, and rows. Each has the value "(title)"
 * beside its columns: the last line of text above it, without its markup. Cells behind the header's
 * last column are "column 18" and so on. Bold, code marks and links are taken off.
 */
#ifndef ABDB_INGEST_MARKDOWN_H
#define ABDB_INGEST_MARKDOWN_H

#include "ingest/read/flat_records.h"

/* Is there a table, in the first MiB? */
bool markdown_has_table(const abdb_input *in);
/* Rows whose cells are all empty are left out. */
ABDB_MUST_USE abdb_status markdown_read_tables(const abdb_input *in, abdb_flat_handler handler,
                                               void *self, abdb_error *err);

#endif
