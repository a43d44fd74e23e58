/* training_v05_log.h - lines of logs of training v0.5 and v0.6, in the form of today. */
#ifndef ABDB_INGEST_TRAINING_OLD_H
#define ABDB_INGEST_TRAINING_OLD_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

/* The event of a line ":::MLPv0.5.0 ..." or ":::MLL ..." as an object with key, time_ms, value and
 * metadata, which is the caller's; NULL: another line, or no memory. */
json_t *abdb_mlperf_parse_v05_or_v06_event(const char *line);
/* "key: value" or "key": the key, cut to 63 bytes, and the value; NULL: there is none. */
const char *abdb_mlperf_copy_key_find_value(const char *text, char key[64]);
/* Has the text lines of these forms, or of today's? */
bool abdb_mlperf_has_training_lines(const char *text, size_t size);

#endif
