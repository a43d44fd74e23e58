/* recognised.h - files of known programs that abdb does not read, by what they begin with: a
 * refusal then says what the file is, and in which form abdb reads it. */
#ifndef ABDB_INGEST_RECOGNISED_H
#define ABDB_INGEST_RECOGNISED_H

#include "ingest/importer.h"

/* What the input is, and what to do with it, as one sentence part; NULL: not known. */
const char *abdb_describe_known_unsupported_file(const abdb_input *in);

#endif
