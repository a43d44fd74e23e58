/* overlap.c - sides that cannot be compared as a whole: they share results, or a run of theirs has
 * not ended, a name means two things; see compare.h. */
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "query/compare/compare.h"

#include "schema/core/array.h"
#include "schema/store/unfinished_runs.h"

enum { NAMED_MAX = 3 };

/* The keys of a set's results, sorted; the caller frees the list. NULL: no memory. */
static const char **allocate_sorted_result_keys(const abdb_set *set)
{
    const char **key = calloc(set->members + 1, sizeof *key);

    if (!key) return NULL;
    for (size_t i = 0; i < set->members; i++) key[i] = abdb_member_text(set, i, ABDB_M_key);
    abdb_array_sort(key, set->members, sizeof *key, abdb_compare_text_pointers);
    return key;
}

/* Counts keys that both lists have, and appends the first of them. */
static size_t count_common_keys_append_first_few(const char *const *a, size_t a_count,
                                                 const char *const *b, size_t b_count,
                                                 abdb_text *names)
{
    size_t count = 0;

    for (size_t i = 0, k = 0; i < a_count && k < b_count;) {
        int order = strcmp(a[i], b[k]);

        if (order == 0 && *a[i] && count++ < NAMED_MAX)
            abdb_text_printf(names, "%s%s", names->size ? ", " : "", a[i]);
        i += order <= 0;
        k += order >= 0;
    }
    return count;
}

/* ABDB_USAGE: b, called by that letter, shares results with a. */
static abdb_status refuse_overlap(const abdb_set *a, const abdb_set *b, char letter,
                                  abdb_error *err)
{
    const char **left = allocate_sorted_result_keys(a), **right = allocate_sorted_result_keys(b);
    abdb_text names = {0};
    size_t shared = 0;
    abdb_status st = ABDB_OK;

    if (!left || !right) TRY(ABDB_FAIL(err, ABDB_NOMEM, "a comparison"));
    shared = count_common_keys_append_first_few(left, a->members, right, b->members, &names);
    if (shared)
        st = ABDB_FAIL(err, ABDB_USAGE,
                       "A '%s' (%zu results) and %c '%s' (%zu) share %zu of them (%s%s), so a"
                       " difference would be hidden: leave them out of one side, for example by a"
                       " condition with !=",
                       a->selection, a->members, letter, b->selection, b->members, shared,
                       abdb_text_get(&names), shared > NAMED_MAX ? ", ..." : "");
done:
    free(left);
    free(right);
    abdb_text_free(&names);
    return st;
}

/* ABDB_USAGE: a run of the set is under way or was stopped. */
static abdb_status refuse_unfinished_run(sqlite3 *db, const abdb_set *set, char letter,
                                         abdb_error *err)
{
    const char *last = "";

    for (size_t i = 0; i < set->members; i++) {
        const char *campaign = abdb_member_text(set, i, ABDB_M_campaign);
        abdb_unfinished_run run;
        bool found;
        abdb_status st;

        if (strcmp(campaign, last) == 0) continue;
        last = campaign;
        st = abdb_unfinished_run_find(db, campaign, &found, &run, err);
        if (st != ABDB_OK) return st;
        if (found)
            return ABDB_FAIL(err, ABDB_USAGE,
                             "%c '%s' has a run that %s %lld of %lld cells (%s), and a part is not"
                             " judged as a whole: %s, or compare what is there by --partial",
                             letter, set->selection,
                             run.running ? "is under way, with" : "was stopped after", run.measured,
                             run.planned, run.campaign,
                             run.running ? "wait for its end"
                                         : "the same command of abdb run with --resume measures"
                                           " the others");
    }
    return ABDB_OK;
}

/* ABDB_USAGE: one name was taken for another model than in a. */
static abdb_status refuse_other_meaning(const abdb_set *a, const abdb_set *b, char letter,
                                        abdb_error *err)
{
    if (!a->typed_model || !a->taken_model || !b->typed_model || !b->taken_model ||
        strcasecmp(a->typed_model, b->typed_model) != 0 ||
        strcmp(a->taken_model, b->taken_model) == 0)
        return ABDB_OK;
    if (strcasestr(a->selection, a->typed_model) || strcasestr(b->selection, b->typed_model))
        return ABDB_FAIL(err, ABDB_USAGE,
                         "'%s' would be %s for A and %s for %c, since each has no other results:"
                         " write these names in its place",
                         a->typed_model, a->taken_model, b->taken_model, letter);
    return ABDB_FAIL(err, ABDB_USAGE,
                     "'%s' would be %s for A and %s for %c, since each has no other results: leave"
                     " it out of --where and name it for each side, as '%.80s,%s' '%.80s,%s'",
                     a->typed_model, a->taken_model, b->taken_model, letter, a->selection,
                     a->taken_model, b->selection, b->taken_model);
}

abdb_status abdb_sets_refuse_unfit_sides(sqlite3 *db, const abdb_set *set, size_t sets,
                                         bool partial, bool own_prices, abdb_error *err)
{
    abdb_status st = ABDB_OK;

    for (size_t i = 0; i < sets && !partial; i++)
        TRY(refuse_unfinished_run(db, &set[i], (char)('A' + i), err));
    for (size_t i = 1; i < sets; i++) {
        TRY(refuse_other_meaning(&set[0], &set[i], (char)('A' + i), err));
        if (!own_prices) TRY(refuse_overlap(&set[0], &set[i], (char)('A' + i), err));
    }
done:
    return st;
}
