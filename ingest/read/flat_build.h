/* flat_build.h - how the readers of flat records fill one; flat_records.h is the outside. */
#ifndef ABDB_INGEST_FLAT_BUILD_H
#define ABDB_INGEST_FLAT_BUILD_H

#include "ingest/read/flat_records.h"

/* A record without values, whose memory ends with _free. NULL: no memory. */
abdb_flat_record *abdb_flat_record_allocate(void);
void abdb_flat_record_free(abdb_flat_record *record);
/* One more value, or one more that is lost. */
void abdb_flat_append_item_or_count_lost(abdb_flat_record *record, const char *name,
                                         const char *text);
/* Plain members of an object, and of objects inside it "outer.inner"; outer NULL: of the outermost.
 */
void abdb_flat_append_flattened_json(abdb_flat_record *record, abdb_arena *arena, const char *outer,
                                     const json_t *object);

#endif
