/* jsonl_record_parts.h - the parts beside the results of one of abdb's own records: telemetry,
 * spans, ranks, process, origin. See schema/core/record_json.h. */
#ifndef ABDB_INGEST_RECORD_PARTS_H
#define ABDB_INGEST_RECORD_PARTS_H

#include <jansson.h>
#include <stdbool.h>

#include "schema/core/record.h"
#include "schema/core/text.h"

/* Fills them in; texts stay the record's, lists come from arena. False, with reason (of `room`
 * bytes): one of them has a wrong form. */
bool abdb_fill_telemetry_spans_ranks_process_origin(abdb_entry *e, const json_t *object,
                                                    abdb_arena *arena, char *reason, size_t room);

#endif
