/* recognised.h - files of known programs that abdb does not read, recognised by their first bytes:
 * a refusal then names the file's kind and a form that abdb reads. Output of
 * benchmarks makes the exit code 5, in folders and archives, too. */
#ifndef ABDB_INGEST_RECOGNISED_H
#define ABDB_INGEST_RECOGNISED_H

#include "ingest/importer.h"

/* The input's kind and the user's next step, as one sentence part; NULL: not known. *has_results:
 * it is output of a benchmark or acceptance program. */
const char *abdb_describe_known_unsupported_file(const abdb_input *in, bool *has_results);

#endif
