/* compare.c - pairs the groups of two sets and finds the kind of comparison allowed for each pair.
 * The judgement of one pair is in verdict.c, rules are in rules.c; see compare.h. */
#include "query/compare/like_for_like.h"
#include "query/compare/machine_identity.h"
#include "query/compare/side_prices.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "schema/core/array.h"
#include "schema/core/stats.h"

/* --- one pair --------------------------------------------------------------------------------- */

/* Collects the rules that refuse or remark on a pair, and sets its comparability by them. */
static void apply_rules_set_comparability(abdb_comparison *c, abdb_pair *pair)
{
    for (size_t i = 0; i < c->book.rules; i++) {
        const abdb_rule *rule = &c->book.rule[i];

        if (!abdb_rule_applies_to_pair(&c->book, rule, pair->a, pair->b, &pair->needed_factor))
            continue;
        if (strcmp(rule->effect, "refuse") == 0)
            pair->refusal[pair->refusals++] = rule;
        else
            pair->remark[pair->remarks++] = rule;
    }
    pair->comparability = pair->refusals  ? ABDB_REFUSED
                          : pair->differs ? ABDB_EXCEPT
                                          : ABDB_COMPARABLE;
}

/* Refuses a pair of a gate that was measured on two machines, and keeps their differences. */
static abdb_status refuse_pair_of_two_machines(abdb_comparison *c, abdb_pair *pair, abdb_error *err)
{
    abdb_text words = {0};
    abdb_status st = ABDB_OK;

    if (!c->options->gate || c->options->across_machines ||
        strcmp(abdb_member_text(pair->a.set, pair->a.group->member[0], ABDB_M_evidence),
               "measured") != 0)
        return ABDB_OK;
    TRY(abdb_pair_append_unlike_machines(c->db, pair, (char)('A' + pair->contender), &words, err));
    if (!words.size) goto done;
    pair->machines = abdb_arena_copy(&c->arena, abdb_text_get(&words), words.size);
    if (!pair->machines || words.failed) TRY(ABDB_FAIL(err, ABDB_NOMEM, "machines"));
    if (pair->refusals < ABDB_RULES_MAX) pair->refusal[pair->refusals++] = &abdb_rule_one_machine;
    pair->comparability = ABDB_REFUSED;
done:
    abdb_text_free(&words);
    return st;
}

bool abdb_pair_may_be_shown(const abdb_comparison *c, const abdb_pair *pair)
{
    return pair->comparability != ABDB_REFUSED || c->options->exploratory;
}

/* Sets the differing factors of the picked results; without one picked result, of a whole side. */
static void set_unlike_factors_of_pair(abdb_comparison *c, abdb_pair *pair)
{
    abdb_side a = pair->a, b = pair->b;
    abdb_single_member_side left, right;

    if (pair->left.picked != SIZE_MAX && !pair->left.sampled) {
        abdb_make_single_member_side(&left, a.set, pair->left.picked);
        a = left.side;
    }
    if (pair->right.picked != SIZE_MAX && !pair->right.sampled) {
        abdb_make_single_member_side(&right, b.set, pair->right.picked);
        b = right.side;
    }
    pair->unlike = abdb_describe_unlike_factors(a, b, c->per, &c->arena);
}

/* Appends the pair of two groups: differing factors, comparability, values and their test. */
static abdb_status judge_test_and_append_pair(abdb_comparison *c, size_t contender,
                                              abdb_pair_size_rule choice, const abdb_group *a,
                                              const abdb_group *b, abdb_error *err)
{
    abdb_pair *pair, *more = abdb_array_reserve_one(c->pair, c->pairs, &c->capacity, sizeof *more);
    abdb_status st = ABDB_OK;

    if (!more) return ABDB_FAIL(err, ABDB_NOMEM, "pairs");
    c->pair = more;
    pair = &c->pair[c->pairs++];
    memset(pair, 0, sizeof *pair);
    pair->contender = contender;
    pair->choice = choice;
    pair->unlike = "";
    pair->a = (abdb_side){&c->set[0], a};
    pair->b = (abdb_side){&c->set[contender], b};
    TRY(abdb_pair_collect_differing_factors(c, pair, err));
    apply_rules_set_comparability(c, pair);
    TRY(refuse_pair_of_two_machines(c, pair, err));
    c->refused += pair->comparability == ABDB_REFUSED;
    TRY(abdb_pair_summarise_and_test(c, pair, err));
    if (pair->has_ratio) set_unlike_factors_of_pair(c, pair);
done:
    return st;
}

/* Are the results that stand for both sides of unlike numbers of devices? */
static bool best_results_have_unequal_device_counts(const abdb_comparison *c, const abdb_pair *pair)
{
    double x, y;

    if (!pair->has_ratio || pair->comparability == ABDB_REFUSED || pair->left.sampled ||
        c->options->pick != ABDB_PICK_BEST || pair->left.picked == SIZE_MAX ||
        pair->right.picked == SIZE_MAX ||
        (strcmp(c->per, "none") != 0 && strcmp(c->per, "device") != 0))
        return false;
    x = abdb_member_number(pair->a.set, pair->left.picked, ABDB_M_devices);
    y = abdb_member_number(pair->b.set, pair->right.picked, ABDB_M_devices);
    return x > 0 && y > 0 && (x < y || x > y);
}

/* A pair; where the best have unlike numbers of devices, first the best of equal numbers. */
static abdb_status append_pair_preceded_by_equal_size_pair(abdb_comparison *c, size_t contender,
                                                           const abdb_group *a, const abdb_group *b,
                                                           abdb_error *err)
{
    abdb_group *even = abdb_arena_alloc(&c->arena, 2 * sizeof *even);
    abdb_pair *all, swap;
    abdb_status st = ABDB_OK;

    if (!even) TRY(ABDB_FAIL(err, ABDB_NOMEM, "pairs"));
    TRY(judge_test_and_append_pair(c, contender, ABDB_OF_ALL, a, b, err));
    all = &c->pair[c->pairs - 1];
    if (!best_results_have_unequal_device_counts(c, all) ||
        !abdb_select_best_common_device_count_members(all->a, all->b, all->higher, &even[0],
                                                      &even[1], &c->arena))
        goto done;
    TRY(judge_test_and_append_pair(c, contender, ABDB_OF_EQUAL_SIZE, &even[0], &even[1], err));
    all = &c->pair[c->pairs - 2];
    /* The pair of equal sizes stands first, and is the headline; that of all sizes becomes the one
     * beside it. */
    swap = all[0];
    all[0] = all[1];
    all[1] = swap;
    all[1].choice = ABDB_OF_ANY_SIZE;
done:
    return st;
}

/* --- who meets whom --------------------------------------------------------------------------- */

/* How many entries of two keys differ: each key is sorted "name=value\x1f" items. */
static size_t count_differing_key_entries(const char *a, const char *b)
{
    size_t count = 0;

    while (*a || *b) {
        size_t x = strcspn(a, "\x1f"), y = strcspn(b, "\x1f");
        size_t nx = strcspn(a, "="), ny = strcspn(b, "=");
        int order = !*a ? 1 : !*b ? -1 : strncmp(a, b, nx < ny ? nx : ny);

        if (order == 0 && nx != ny) order = nx < ny ? -1 : 1;
        count += order != 0 || x != y || strncmp(a, b, x) != 0;
        if (order <= 0) a += x + (a[x] != 0);
        if (order >= 0) b += y + (b[y] != 0);
    }
    return count;
}

static bool groups_share_benchmark_scenario_metric_class(const abdb_comparison *c, size_t set,
                                                         const abdb_group *a, const abdb_group *b)
{
    static const abdb_member_column columns[] = {ABDB_M_benchmark, ABDB_M_scenario,
                                                 ABDB_M_metric_class};

    for (size_t i = 0; i < sizeof columns / sizeof columns[0]; i++)
        if (strcmp(abdb_member_text(&c->set[0], a->member[0], columns[i]),
                   abdb_member_text(&c->set[set], b->member[0], columns[i])) != 0)
            return false;
    return true;
}

/* Has a group of the contender with this work met its like already? */
static bool benchmark_already_paired(const abdb_comparison *c, size_t set, const abdb_group *b,
                                     size_t first_pair, size_t end_pair)
{
    for (size_t i = first_pair; i < end_pair; i++)
        if (groups_share_benchmark_scenario_metric_class(c, set, c->pair[i].a.group, b))
            return true;
    return false;
}

/* The nearest group of the baseline; NULL: none may be. */
static const abdb_group *nearest_baseline_group_by_key_difference(const abdb_comparison *c,
                                                                  size_t set, const abdb_group *b,
                                                                  const bool *already_paired,
                                                                  bool of_any_benchmark)
{
    const abdb_group *best = NULL;
    size_t least = SIZE_MAX;

    for (size_t i = 0; i < c->groups[0].count; i++) {
        const abdb_group *a = &c->groups[0].group[i];
        size_t away = count_differing_key_entries(a->key, b->key);

        if (of_any_benchmark
                ? false
                : already_paired[i] || !groups_share_benchmark_scenario_metric_class(c, set, a, b))
            continue;
        if (away < least) {
            least = away;
            best = a;
        }
    }
    return best;
}

/* Pairs the groups of the baseline with the groups of a set: first groups of equal key, then each
 * remaining group with the nearest of the same work; only when both give no pair at all, with the
 * nearest of any work. Groups without a partner are counted on both sides. */
static abdb_status pair_groups_by_equal_then_nearest_key(abdb_comparison *c, size_t set,
                                                         abdb_error *err)
{
    const abdb_groups *a = &c->groups[0], *b = &c->groups[set];
    bool *met = calloc(a->count + 1, sizeof *met), *done_b = calloc(b->count + 1, sizeof *met);
    size_t before = c->pairs, exact;
    abdb_status st = ABDB_OK;

    if (!met || !done_b) TRY(ABDB_FAIL(err, ABDB_NOMEM, "pairs"));
    for (size_t i = 0, k = 0; i < a->count && k < b->count;) { /* both sorted by key */
        int order = strcmp(a->group[i].key, b->group[k].key);

        if (order == 0) {
            met[i] = done_b[k] = true;
            TRY(append_pair_preceded_by_equal_size_pair(c, set, &a->group[i], &b->group[k], err));
        }
        i += order <= 0;
        k += order >= 0;
    }
    exact = c->pairs;
    for (int any = 0; any < 2; any++) {
        if (any && c->pairs > before) break;
        for (size_t k = 0; k < b->count; k++) {
            const abdb_group *near =
                done_b[k] || benchmark_already_paired(c, set, &b->group[k], before, exact)
                    ? NULL
                    : nearest_baseline_group_by_key_difference(c, set, &b->group[k], met, any != 0);

            if (!near) continue;
            done_b[k] = met[near - a->group] = true;
            TRY(append_pair_preceded_by_equal_size_pair(c, set, near, &b->group[k], err));
        }
    }
    for (size_t k = 0; k < b->count; k++)
        c->contender_unpaired[set] += done_b[k] ? 0 : b->group[k].count;
    for (size_t i = 0; i < a->count; i++)
        c->baseline_unpaired[set] += met[i] ? 0 : a->group[i].count;
done:
    free(met);
    free(done_b);
    return st;
}

/* --pick each: every member is a group of its own. */
static abdb_status split_groups_into_single_members(abdb_groups *groups, abdb_arena *arena,
                                                    abdb_error *err)
{
    abdb_groups each = {0};
    size_t total = 0;

    for (size_t i = 0; i < groups->count; i++) total += groups->group[i].count;
    each.group = abdb_arena_alloc(arena, (total + 1) * sizeof *each.group);
    if (!each.group) return ABDB_FAIL(err, ABDB_NOMEM, "groups");
    for (size_t i = 0; i < groups->count; i++)
        for (size_t k = 0; k < groups->group[i].count; k++)
            each.group[each.count++] =
                (abdb_group){groups->group[i].key, 1, groups->group[i].member + k};
    *groups = each;
    return ABDB_OK;
}

/* Every member of the contender against every one of the baseline with the same key. */
static abdb_status join_all_pairs_by_key_else_nearest(abdb_comparison *c, size_t set,
                                                      abdb_error *err)
{
    const abdb_groups *a = &c->groups[0], *b = &c->groups[set];
    size_t before = c->pairs;
    abdb_status st = ABDB_OK;

    for (size_t i = 0; i < a->count; i++)
        for (size_t k = 0; k < b->count; k++) {
            if (strcmp(a->group[i].key, b->group[k].key) != 0) continue;
            if (c->pairs - before >= ABDB_EACH_MAX)
                TRY(ABDB_FAIL(err, ABDB_LIMIT,
                              "--pick each: more than %d pairs; say more of what"
                              " you mean, or --pick best",
                              ABDB_EACH_MAX));
            TRY(append_pair_preceded_by_equal_size_pair(c, set, &a->group[i], &b->group[k], err));
        }
    if (c->pairs == before) st = pair_groups_by_equal_then_nearest_key(c, set, err);
done:
    return st;
}

/* Two sides may differ in backend and provider. But where one set has several of them for the same
 * problem, each becomes its own group, paired with its equal: the times of one backend or provider
 * are no further processes of another. The same holds for several devices, where all sets have the
 * same ones. */
static abdb_status split_groups_by_mixed_backend_or_provider(abdb_comparison *c, abdb_error *err)
{
    static const char *const ran[] = {"backend", "provider", "device"};
    const char *apart[sizeof ran / sizeof *ran + 1] = {NULL};
    size_t count = 0;
    abdb_status st = ABDB_OK;

    for (size_t i = 0; i < sizeof ran / sizeof *ran; i++) {
        bool mixed = false;

        if (strcmp(ran[i], "device") == 0 && !abdb_sets_have_same_devices(c->set, c->sets))
            continue;
        for (size_t s = 0; s < c->sets && !mixed; s++)
            mixed = abdb_groups_mix_factor_values(&c->groups[s], &c->set[s], ran[i]);
        if (!mixed) continue;
        apart[count++] = ran[i];
        for (size_t s = 0; s < c->sets; s++)
            TRY(abdb_split_set_into_groups(&c->groups[s], &c->book, &c->set[s], true, apart,
                                           &c->arena, err));
    }
done:
    return st;
}

/* Loads the next set and splits it into groups. A set without a result, because its command
 * failed, fails with the reason of that. */
static abdb_status load_next_set(abdb_comparison *out, const char *selection, size_t sides,
                                 abdb_error *err)
{
    abdb_set *set = &out->set[out->sets];
    abdb_side_command *command = &out->command[out->sets];
    abdb_normalisation measure;
    abdb_text words = {0};
    abdb_status st = abdb_set_normalisation_of_side(&measure, &out->options->measure, out->sets,
                                                    sides, &out->arena, err);

    if (st != ABDB_OK) return st;
    st = abdb_set_load_normalised(set, out->db, selection, command->where, &measure, err);
    if (st == ABDB_USAGE && command->failed && command->failed == command->turns) {
        abdb_append_failed_turns(command, &words);
        st = ABDB_FAIL(err, out->options->gate ? ABDB_GATE : ABDB_USAGE, "'%s' has no result: %s",
                       selection, abdb_text_get(&words));
    }
    if (st == ABDB_OK)
        st = abdb_split_set_into_groups(&out->groups[out->sets], &out->book, set, true, NULL,
                                        &out->arena, err);
    if (st != ABDB_OK) abdb_set_free(set);
    abdb_text_free(&words);
    return st;
}

abdb_status abdb_compare_first_set_with_others(abdb_comparison *out, sqlite3 *db,
                                               const char *const *selection, size_t sets,
                                               const abdb_compare_options *options, abdb_error *err)
{
    bool each = options->pick == ABDB_PICK_EACH;
    abdb_status st = ABDB_OK;

    *out = (abdb_comparison){.db = db, .options = options};
    if (sets < 2) TRY(ABDB_FAIL(err, ABDB_USAGE, "compare what with what? two selections or more"));
    if (sets > ABDB_SETS_MAX) TRY(ABDB_FAIL(err, ABDB_LIMIT, "more than %d sets", ABDB_SETS_MAX));
    TRY(abdb_rulebook_load(&out->book, db, err));
    TRY(abdb_find_commands_of_sides(out->command, db, selection, sets, options->where,
                                    options->gate, &out->arena, err));
    for (; out->sets < sets; out->sets++) TRY(load_next_set(out, selection[out->sets], sets, err));
    TRY(abdb_sets_refuse_unfit_sides(db, out->set, sets, options->partial,
                                     abdb_sides_have_own_prices(&options->measure), err));
    TRY(split_groups_by_mixed_backend_or_provider(out, err));
    for (size_t i = 0; each && i < sets; i++)
        TRY(split_groups_into_single_members(&out->groups[i], &out->arena, err));
    TRY(abdb_sets_normalise_per_device_if_counts_differ(out->set, sets, db, &options->measure,
                                                        &out->per, err));
    for (size_t i = 1; i < sets; i++)
        TRY(each ? join_all_pairs_by_key_else_nearest(out, i, err)
                 : pair_groups_by_equal_then_nearest_key(out, i, err));
    TRY(abdb_pairs_holm_correct_and_set_verdicts(out, err));
done:
    return st;
}

void abdb_comparison_free(abdb_comparison *c)
{
    for (size_t i = 0; i < c->sets; i++) abdb_set_free(&c->set[i]);
    abdb_rulebook_free(&c->book);
    abdb_calibrations_free(&c->noise);
    free(c->pair);
    abdb_text_free(&c->identifiers);
    abdb_arena_free(&c->arena);
    *c = (abdb_comparison){0};
}
