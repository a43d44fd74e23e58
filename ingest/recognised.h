/* recognised.h - files of known programs that abdb does not read, recognised by their first bytes:
 * a refusal then names the file's kind and a form that abdb reads. */
#ifndef ABDB_INGEST_RECOGNISED_H
#define ABDB_INGEST_RECOGNISED_H

#include "ingest/importer.h"

/* The input's kind and the user's next step, as one sentence part; NULL: not known. */
const char *abdb_describe_known_unsupported_file(const abdb_input *in);

#endif
