/* nearest_format.h - which format a refused file resembles, for the message. */
#ifndef ABDB_INGEST_NEAREST_FORMAT_H
#define ABDB_INGEST_NEAREST_FORMAT_H

#include "ingest/importer.h"
#include "schema/core/text.h"

/* The name of the format with most of its usual words at the beginning of the file, at least two of
 * them; NULL: none. */
const char *abdb_guess_format_by_its_words(const abdb_input *in);
/* Where the first line has at least two columns of abdb's own CSV of results: the columns that it
 * lacks, ", " between them. Otherwise out becomes empty. */
void abdb_list_columns_lacking_for_results(const abdb_input *in, abdb_text *out);
/* Does it look like a table or records, which a map can explain? */
bool abdb_looks_like_table_or_json(const abdb_input *in);

#endif
