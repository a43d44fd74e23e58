/* compare_geomean.c - the geometric mean of a contender's ratios; see compare.h. */
#include <math.h>
#include <string.h>

#include "query/compare/compare.h"

#include "schema/core/stats.h"

bool abdb_is_same_mlperf_number_under_other_target(const abdb_set *a, size_t i, double x,
                                                   const abdb_set *b, size_t k, double y)
{
    static const abdb_member_column same[] = {ABDB_M_benchmark, ABDB_M_scenario, ABDB_M_evidence};

    if (x < y || x > y || strcmp(abdb_member_text(a, i, ABDB_M_evidence), "mlperf") != 0)
        return false;
    for (size_t c = 0; c < sizeof same / sizeof same[0]; c++)
        if (strcmp(abdb_member_text(a, i, same[c]), abdb_member_text(b, k, same[c])) != 0)
            return false;
    return strcmp(abdb_member_text(a, i, ABDB_M_accuracy_target),
                  abdb_member_text(b, k, ABDB_M_accuracy_target)) != 0;
}

/* Is a pair's ratio one of like with like, and not one beside another? */
static bool pair_counts_in_geomean(const abdb_pair *pair)
{
    return pair->has_ratio && pair->comparability != ABDB_REFUSED && !*pair->unlike &&
           pair->choice != ABDB_OF_ANY_SIZE;
}

/* False: an earlier pair has the same number, as under the 99 % and the 99.9 % target. */
static bool pair_repeats_no_earlier_number(const abdb_comparison *c, size_t pair_index)
{
    const abdb_pair *pair = &c->pair[pair_index];

    for (size_t i = 0; i < pair_index; i++) {
        const abdb_pair *other = &c->pair[i];

        if (other->contender != pair->contender || !pair_counts_in_geomean(other)) continue;
        if (abdb_is_same_mlperf_number_under_other_target(
                pair->a.set, pair->a.group->member[0], pair->left.value, other->a.set,
                other->a.group->member[0], other->left.value) ||
            abdb_is_same_mlperf_number_under_other_target(
                pair->b.set, pair->b.group->member[0], pair->right.value, other->b.set,
                other->b.group->member[0], other->right.value))
            return false;
    }
    return true;
}

bool abdb_pairs_mix_higher_and_lower_is_better(const abdb_comparison *c, size_t contender)
{
    bool seen[2] = {false, false};

    for (size_t i = 0; i < c->pairs; i++)
        if (c->pair[i].contender == contender && pair_counts_in_geomean(&c->pair[i]))
            seen[c->pair[i].higher] = true;
    return seen[0] && seen[1];
}

double abdb_geomean_of_like_ratios(const abdb_comparison *c, size_t contender, size_t *n,
                                   size_t *left_out, size_t *repeats)
{
    bool mixed = abdb_pairs_mix_higher_and_lower_is_better(c, contender);
    double sum = 0;

    *n = *left_out = *repeats = 0;
    for (size_t i = 0; i < c->pairs; i++) {
        const abdb_pair *pair = &c->pair[i];

        if (pair->contender != contender || pair->choice == ABDB_OF_ANY_SIZE) continue;
        if (!pair_counts_in_geomean(pair)) {
            ++*left_out;
        } else if (!pair_repeats_no_earlier_number(c, i)) {
            ++*left_out;
            ++*repeats;
        } else {
            sum += log(pair->difference.ratio) * (mixed && !pair->higher ? -1 : 1);
            ++*n;
        }
    }
    return *n ? abdb_exp_rounded_to_13_digits(sum / (double)*n) : NAN;
}
