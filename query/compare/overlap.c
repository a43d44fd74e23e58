/* overlap.c - sides of a comparison that share results; see compare.h. */
#include <stdlib.h>
#include <string.h>

#include "query/compare/compare.h"

#include "schema/core/array.h"

enum { NAMED_MAX = 3 };

/* The keys of a set's results, sorted; the caller frees the list. NULL: no memory. */
static const char **sorted_keys(const abdb_set *set)
{
    const char **key = calloc(set->members + 1, sizeof *key);

    if (!key) return NULL;
    for (size_t i = 0; i < set->members; i++) key[i] = abdb_member_text(set, i, ABDB_M_key);
    abdb_array_sort(key, set->members, sizeof *key, abdb_compare_text_pointers);
    return key;
}

/* Counts keys that both lists have, and appends the first of them. */
static size_t count_common_keys(const char *const *a, size_t m, const char *const *b, size_t n,
                                abdb_text *names)
{
    size_t count = 0;

    for (size_t i = 0, k = 0; i < m && k < n;) {
        int order = strcmp(a[i], b[k]);

        if (order == 0 && *a[i] && count++ < NAMED_MAX)
            abdb_text_printf(names, "%s%s", names->size ? ", " : "", a[i]);
        i += order <= 0;
        k += order >= 0;
    }
    return count;
}

abdb_status abdb_sets_refuse_overlap(const abdb_set *a, const abdb_set *b, char letter,
                                     abdb_error *err)
{
    const char **left = sorted_keys(a), **right = sorted_keys(b);
    abdb_text names = {0};
    size_t shared = 0;
    abdb_status st = ABDB_OK;

    if (!left || !right) TRY(ABDB_FAIL(err, ABDB_NOMEM, "a comparison"));
    shared = count_common_keys(left, a->members, right, b->members, &names);
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
