/* hard_links.c - the hard links of an archive; see hard_links.h. */
#include "ingest/read/hard_links.h"

#include <stdlib.h>
#include <string.h>

#include "ingest/read/member_name.h"
#include "schema/core/array.h"

const char *abdb_hard_link_key(abdb_arena *arena, const char *archive, const char *name)
{
    const char *clean = abdb_member_name_drop_empty_and_dot_parts(arena, name);

    return clean ? abdb_arena_printf(arena, "%s!%s", archive, clean) : "";
}

abdb_status abdb_hard_links_add_within_bytes_limit(hard_link_list *list, const char *archive,
                                                   const char *name, const char *target,
                                                   bool wanted, abdb_error *err)
{
    size_t size = 3 * (strlen(archive) + strlen(name)) + 3 * (strlen(archive) + strlen(target));
    unsigned starved = abdb_allocation_failure_count();
    hard_link *more;

    if (list->bytes + size > HARD_LINKS_BYTES_MAX)
        return ABDB_FAIL(err, ABDB_LIMIT,
                         "a hard link to %s, and the names of the hard links before it take %d"
                         " bytes: unpack the archive, and import the folder",
                         target, HARD_LINKS_BYTES_MAX);
    more = abdb_array_reserve_one(list->item, list->count, &list->room, sizeof *more);
    if (!more) return ABDB_FAIL(err, ABDB_NOMEM, "%zu hard links", list->count);
    list->item = more;
    list->item[list->count++] =
        (hard_link){.path = abdb_arena_printf(&list->arena, "%s!%s", archive, name),
                    .target_name = abdb_arena_copy(&list->arena, target, strlen(target)),
                    .key = abdb_hard_link_key(&list->arena, archive, name),
                    .target = abdb_hard_link_key(&list->arena, archive, target),
                    .wanted = wanted};
    list->bytes += size;
    return abdb_allocation_failure_count() == starved ? ABDB_OK
                                                      : ABDB_FAIL(err, ABDB_NOMEM, "a hard link");
}

static int by_target(const void *a, const void *b, void *items)
{
    const hard_link *item = items;
    size_t x = *(const size_t *)a, y = *(const size_t *)b;
    int order = strcmp(item[x].target, item[y].target);

    return order ? order : (x > y) - (x < y);
}

static int by_key(const void *a, const void *b, void *items)
{
    const hard_link *item = items;
    size_t x = *(const size_t *)a, y = *(const size_t *)b;
    int order = strcmp(item[x].key, item[y].key);

    return order ? order : (x > y) - (x < y);
}

/* The first place of a sorted list whose text is not below `text`. */
static size_t lower_bound_link_by_key_or_target(const hard_link_list *list, const size_t *sorted,
                                                const char *text)
{
    size_t low = 0, high = list->count;

    while (low < high) {
        size_t middle = low + (high - low) / 2;
        const hard_link *l = &list->item[sorted[middle]];

        if (strcmp(sorted == list->by_key ? l->key : l->target, text) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* A link to a link leads to that link's target; rings end. */
static void resolve_link_chain(hard_link_list *list, hard_link *link)
{
    enum { STEPS_MAX = 64 };

    for (int i = 0; i < STEPS_MAX; i++) {
        size_t at = lower_bound_link_by_key_or_target(list, list->by_key, link->target);
        const hard_link *next = at < list->count ? &list->item[list->by_key[at]] : NULL;

        if (!next || next == link || strcmp(next->key, link->target) != 0) return;
        link->target = next->target;
    }
}

abdb_status abdb_hard_links_resolve_chains_and_sort(hard_link_list *list, abdb_error *err)
{
    list->by_target = calloc(list->count, sizeof *list->by_target);
    list->by_key = calloc(list->count, sizeof *list->by_key);
    list->by_source = calloc(list->count, sizeof *list->by_source);
    if (!list->by_target || !list->by_key || !list->by_source)
        return ABDB_FAIL(err, ABDB_NOMEM, "%zu hard links", list->count);
    for (size_t i = 0; i < list->count; i++)
        list->by_target[i] = list->by_key[i] = list->by_source[i] = i;
    abdb_array_sort_with(list->by_key, list->count, sizeof *list->by_key, by_key, list->item);
    for (size_t i = 0; i < list->count; i++) resolve_link_chain(list, &list->item[i]);
    abdb_array_sort_with(list->by_target, list->count, sizeof *list->by_target, by_target,
                         list->item);
    return ABDB_OK;
}

bool abdb_hard_links_have_target_with_prefix(const hard_link_list *list, const char *prefix)
{
    size_t at = lower_bound_link_by_key_or_target(list, list->by_target, prefix);

    return at < list->count &&
           strncmp(list->item[list->by_target[at]].target, prefix, strlen(prefix)) == 0;
}

/* The first link of that target, which holds what all of them share; or NULL. */
static hard_link *find_first_link_of_target(hard_link_list *list, const char *target)
{
    size_t at = lower_bound_link_by_key_or_target(list, list->by_target, target);
    hard_link *l = at < list->count ? &list->item[list->by_target[at]] : NULL;

    return l && strcmp(l->target, target) == 0 ? l : NULL;
}

void abdb_hard_links_record_member_as_source(hard_link_list *list, const char *key,
                                             size_t member_number)
{
    hard_link *l = find_first_link_of_target(list, key);

    if (!l) return;
    if (!l->first) l->first = member_number;
    l->latest = member_number;
}

void abdb_hard_links_bind_passed_link_to_latest(hard_link_list *list, const char *key)
{
    size_t at = lower_bound_link_by_key_or_target(list, list->by_key, key);
    hard_link *first = at < list->count ? &list->item[list->by_key[at]] : NULL, *l, *target;

    if (!first || strcmp(first->key, key) != 0) return;
    at += first->passes;
    l = at < list->count ? &list->item[list->by_key[at]] : NULL;
    if (!l || strcmp(l->key, key) != 0) return;
    first->passes++;
    target = find_first_link_of_target(list, l->target);
    if (target) l->source = target->latest;
}

static int by_source(const void *a, const void *b, void *items)
{
    const hard_link *item = items;
    size_t x = *(const size_t *)a, y = *(const size_t *)b;

    if (item[x].source != item[y].source) return item[x].source < item[y].source ? -1 : 1;
    return (x > y) - (x < y);
}

void abdb_hard_links_assign_sources_and_sort(hard_link_list *list)
{
    for (size_t i = 0; i < list->count; i++) {
        hard_link *l = &list->item[i],
                  *target = l->source ? NULL : find_first_link_of_target(list, l->target);

        if (target) l->source = target->first;
    }
    abdb_array_sort_with(list->by_source, list->count, sizeof *list->by_source, by_source,
                         list->item);
    list->next = 0;
}

hard_link *abdb_hard_links_next_undelivered(hard_link_list *list, const char *key,
                                            size_t member_number)
{
    for (; list->next < list->count; list->next++) {
        hard_link *l = &list->item[list->by_source[list->next]];

        if (l->source > member_number) return NULL;
        if (l->source == member_number && l->wanted && !l->delivered && strcmp(l->target, key) == 0)
            return l;
    }
    return NULL;
}

void abdb_hard_links_free(hard_link_list *list)
{
    free(list->item);
    free(list->by_target);
    free(list->by_key);
    free(list->by_source);
    abdb_arena_free(&list->arena);
    *list = (hard_link_list){0};
}
