/* rank.h - the best under constraints: one set of results, split into groups that may be compared
 * (compare.h), and in each group the best of every device (or system, submitter, ...).
 */
#ifndef ABDB_COMPARE_RANK_H
#define ABDB_COMPARE_RANK_H

#include <string.h>

#include "query/compare/compare.h"

typedef struct {
    abdb_normalisation measure;
    const char *by;          /* column of v_comparable; NULL: device */
    const char *pareto;      /* a second metric of the same run, or a numeric column; NULL: none */
    const char *baseline;    /* with suite: the device whose values are 1 */
    bool suite, exploratory; /* suite: one number over all groups */
    bool common;             /* suite: over the largest part of it that several have */
    abdb_pick pick;
} abdb_rank_options;

typedef struct {
    size_t group, member; /* the member that stands for `name` */
    const char *name;     /* the device, system, ... */
    const char
        *unlike; /* in what it differs from the first of its group (like_for_like.h), or "" */
    double value, other; /* other: of the second metric */
    size_t place, of;    /* from 1 in its group; how many results it is the best of */
    bool front;          /* on the Pareto front */
    double geomean;      /* suite: of its ratios to the baseline */
    size_t n;            /* suite: groups in it */
} abdb_ranked;

typedef struct {
    abdb_set set;
    abdb_rulebook book;
    abdb_groups groups;
    size_t count;
    abdb_ranked *row; /* by group, then place */
    const char *per;  /* the divisor of values: as requested, or by like_for_like.h */
    size_t left_out;  /* members that cannot stand for anything */
    bool other_higher;
    bool providers;     /* each provider of a backend is ranked apart */
    size_t suite;       /* groups of the suite */
    size_t twins;       /* groups that repeat a number of another accuracy target: not in it */
    abdb_text excluded; /* suite: names not ranked, and their missing results */
    abdb_text
        common; /* suite: the largest part of it that several have, and who; "" (suite_geomean.c) */
    bool part;  /* suite: it is that part that was ranked */
    abdb_arena arena;
} abdb_ranking;

/* ABDB_USAGE: see abdb_set_load_normalised; no such column or metric; the baseline has no result.
 */
ABDB_MUST_USE abdb_status abdb_rank_results(abdb_ranking *out, sqlite3 *db, const char *selection,
                                            const char *where, const abdb_rank_options *options,
                                            abdb_error *err);
/* Is more better in that group? Groups of other metrics may have the other direction. */
static inline bool abdb_ranking_group_is_higher(const abdb_ranking *ranking, size_t group)
{
    const abdb_group *g = &ranking->groups.group[group];

    return !g->count ||
           strcmp(abdb_member_text(&ranking->set, g->member[0], ABDB_M_better), "lower") != 0;
}
/* suite_geomean.c: one row for each name instead of one for each group and name. */
ABDB_MUST_USE abdb_status abdb_ranking_replace_rows_by_suite_geomean(abdb_ranking *r,
                                                                     const abdb_rank_options *o,
                                                                     abdb_error *err);
void abdb_ranking_free(abdb_ranking *ranking);

#endif
