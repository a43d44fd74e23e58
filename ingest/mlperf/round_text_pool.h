/* round_text_pool.h - what is kept of the files of a round until all were seen; inside of round.h.
 */
#ifndef ABDB_INGEST_ROUND_KEEP_H
#define ABDB_INGEST_ROUND_KEEP_H

#include "ingest/mlperf/mlperf_log.h"

/* Texts, each kept once: files of a round say much alike. Zeroed is empty. */
typedef struct {
    abdb_arena arena;
    const char **slot; /* by hash, a power of two of them; NULL: free */
    size_t texts, slots;
} abdb_text_pool;

/* The text as the pool has it, which equal texts share; NULL: no memory. */
const char *abdb_text_pool_intern(abdb_text_pool *pool, const char *text);
void abdb_text_pool_free(abdb_text_pool *pool);

/* The values of a file in as little memory as they need, in the pool; those that were read can be
 * freed. */
ABDB_MUST_USE abdb_status abdb_round_copy_values_to_pool(abdb_text_pool *pool,
                                                         abdb_mlperf_values *out,
                                                         const abdb_mlperf_values *read,
                                                         abdb_error *err);

#endif
