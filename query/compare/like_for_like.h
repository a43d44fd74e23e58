/* like_for_like.h - conditions of a ratio of like with like: rates per device where the numbers of
 * devices differ, results of equal size, and the same accuracy target, power submission,
 * availability and verification.
 */
#ifndef ABDB_COMPARE_ALIKE_H
#define ABDB_COMPARE_ALIKE_H

#include "query/compare/compare.h"

/* Sets *per, the divisor of values: the requested one; else "device" where rates add and come from
 * unlike numbers of devices (the sets are normalised anew; other metrics keep their values); else
 * "none". */
ABDB_MUST_USE abdb_status abdb_sets_normalise_per_device_if_counts_differ(
    abdb_set *set, size_t sets, sqlite3 *db, const abdb_normalisation *requested, const char **per,
    abdb_error *err);
/* The differences that keep the ratio of two sides from being a headline: "devices 8|88,
 * availability available|preview"; "": none. per: as above. From arena. */
const char *abdb_describe_unlike_factors(abdb_side a, abdb_side b, const char *per,
                                         abdb_arena *arena);
/* One member as a side. */
typedef struct {
    abdb_group group;
    size_t member;
    abdb_side side;
} abdb_single_member_side;
void abdb_make_single_member_side(abdb_single_member_side *out, const abdb_set *set, size_t member);
/* The results of both sides at the number of devices that both have and at which they do best;
 * false: there is none, or all are of that size. */
bool abdb_select_best_common_device_count_members(abdb_side a, abdb_side b, bool higher,
                                                  abdb_group *of_a, abdb_group *of_b,
                                                  abdb_arena *arena);
/* "8, 16, 88": of the members, in their order of size; the first few. *usual: the most frequent;
 * may be NULL. From arena. */
const char *abdb_list_device_counts_find_most_frequent(const abdb_set *set, size_t sets,
                                                       double *most_frequent_count,
                                                       abdb_arena *arena);
/* "per device, because the numbers of devices differ (8, 88); ...", where that was not asked for,
 * is added to out. */
void abdb_append_why_per_device_and_equal_sizes(const abdb_comparison *c, abdb_text *out);

#endif
