/* round_text_pool.h - memory for the values of a round's files until all were seen; inside round.h.
 */
#ifndef ABDB_INGEST_ROUND_KEEP_H
#define ABDB_INGEST_ROUND_KEEP_H

#include "ingest/mlperf/mlperf_log.h"

/* Texts, each kept once, since files of a round repeat many values. Zeroed is empty. */
typedef struct {
    abdb_arena arena;
    const char **slot; /* by hash, a power of two of them; NULL: free */
    size_t texts, slots;
} abdb_text_pool;

/* The text as the pool has it, which equal texts share; NULL: no memory. */
const char *abdb_text_pool_intern(abdb_text_pool *pool, const char *text);
void abdb_text_pool_free(abdb_text_pool *pool);

/* Copies the values of a file into the pool, in as little memory as they need; the source can be
 * freed afterwards. */
ABDB_MUST_USE abdb_status abdb_round_copy_values_to_pool(abdb_text_pool *pool,
                                                         abdb_mlperf_values *out,
                                                         const abdb_mlperf_values *read,
                                                         abdb_error *err);

#endif
