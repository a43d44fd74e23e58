/* entry_chunks.h - the entries of a database in chunks, each known by the digest of its keys: a
 * warehouse that has all of a chunk is not asked for its entries again. Entries come at the end of
 * a file and stay, so that only the last chunk of it changes. */
#ifndef ABDB_QUERY_CHUNKS_H
#define ABDB_QUERY_CHUNKS_H

#include "schema/store/db.h"

/* Makes temp.chunk (number, low, first, last): the halves of the digest, and from which entry_id to
 * which. */
ABDB_MUST_USE abdb_status abdb_create_and_fill_entry_chunk_table(abdb_db *db, abdb_error *err);

#endif
