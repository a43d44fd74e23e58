/* nearest_format.h - which format a refused file resembles, for the message. */
#ifndef ABDB_INGEST_NEAREST_FORMAT_H
#define ABDB_INGEST_NEAREST_FORMAT_H

#include "ingest/importer.h"

/* The name of the format with most of its usual words at the beginning of the file, at least two of
 * them; NULL: none. */
const char *abdb_guess_format_by_its_words(const abdb_input *in);
/* Does it look like a table or records, which a map can explain? */
bool abdb_looks_like_table_or_json(const abdb_input *in);

#endif
