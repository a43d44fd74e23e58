/* shipped_records.h - recognises data shipped with abdb in another database, by its content. */
#ifndef ABDB_QUERY_REDACT_KNOWN_H
#define ABDB_QUERY_REDACT_KNOWN_H

#include "schema/core/record.h"
#include "schema/core/text.h"

/* Zeroed is empty. */
typedef struct {
    abdb_key *key; /* of records as JSON lines, in order */
    size_t count, capacity;
    abdb_arena arena;
    const char **source; /* names of sources */
    size_t sources, source_room;
} abdb_shipped_records;

/* Reads the data that abdb ships into a database that is removed again. Where they are not
 * installed nothing is known. */
ABDB_MUST_USE abdb_status abdb_shipped_records_import_and_digest(abdb_shipped_records *known,
                                                                 abdb_error *err);
void abdb_shipped_records_free(abdb_shipped_records *known);
/* Is a record, as a JSON line, one of them? */
bool abdb_is_shipped_record(const abdb_shipped_records *known, const abdb_text *json_line);
/* Is it the name of a source of theirs? NULL is none. */
bool abdb_is_shipped_source(const abdb_shipped_records *known, const char *source);

#endif
