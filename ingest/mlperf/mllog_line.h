/* mllog_line.h - a line of MLLOG, for the readers of LoadGen's logs and of training logs. */
#ifndef ABDB_INGEST_MLLOG_LINE_H
#define ABDB_INGEST_MLLOG_LINE_H

#include <jansson.h>

#include "ingest/mlperf/mlperf_log.h"
#include "ingest/read/text_lines.h"

/* A scalar as text: from buffer, or the JSON value's own; NULL: it is none. */
const char *abdb_mlperf_scalar_to_text(const json_t *value, char buffer[32]);
/* The JSON behind ":::MLLOG", to json_decref, or NULL: another line. A damaged one is ABDB_DATA. */
abdb_status abdb_mlperf_parse_mllog_line(json_t **out, const text_line *line, abdb_error *err);

#endif
