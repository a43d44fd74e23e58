/* pair_label.h - what distinguishes the pairs of a comparison, in words: "Offline",
 * "power_submission=yes". */
#ifndef ABDB_COMPARE_PAIR_LABEL_H
#define ABDB_COMPARE_PAIR_LABEL_H

#include "query/compare/compare.h"

/* The fewest names of factors that distinguish the pairs of a contender, from arena; returns their
 * number. */
size_t abdb_pick_names_distinguishing_pairs(const abdb_comparison *c, size_t contender,
                                            abdb_arena *arena, const char *out[ABDB_DIFFER_MAX]);
/* Replaces out by the pair's values of these names; by its workload where they give nothing. */
void abdb_format_pair_label(const abdb_pair *pair, const char *const *name, size_t names,
                            abdb_text *out);

#endif
