/* rank_results.h - a result of several ranks: is what it says of them right, and what of it is
 * kept. */
#ifndef ABDB_KERNELS_RANKS_H
#define ABDB_KERNELS_RANKS_H

#include <jansson.h>

#include "kernels/kernel.h"
#include "schema/core/record.h"
#include "schema/core/text.h"

/* Of more ranks than ABDB_RANKS_KEPT only the quickest and the slowest one's time is kept. */
enum { ABDB_RANKS_MOST = 65536, ABDB_RANKS_KEPT = 32 };

/* Are the ranks of a result a list of objects with texts and times? NULL, or what is wrong. */
const char *abdb_why_result_ranks_invalid(const json_t *result);
/* Adds them to an entry: where each worked, its median time with the least and the most, nodes and
 * devices. Texts are those of the result, or from the arena; *list is the entry's as long as it is
 * kept: free() it. ABDB_NOMEM. */
ABDB_MUST_USE abdb_status
abdb_entry_set_ranks_counts_and_add_times(abdb_entry *entry, const json_t *result, size_t samples,
                                          abdb_arena *arena, abdb_rank **list, abdb_error *err);

#endif
