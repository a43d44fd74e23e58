/* merge_group_sizes.c - trainings of every size as one group; see merge_group_sizes.h. */
#include "query/compare/merge_group_sizes.h"

#include <string.h>

/* The key of a group without its number of devices. */
static const char *key_without_device_count(abdb_system_choice *c, const char *key)
{
    static const char size_is[] = "devices=";
    abdb_text out = {0};
    const char *copy;

    for (size_t size; *key; key += size + (key[size] != 0)) {
        size = strcspn(key, "\x1f");
        if (strncmp(key, size_is, strlen(size_is)) == 0) continue;
        if (out.size) abdb_text_puts(&out, "\x1f");
        abdb_text_add(&out, key, size);
    }
    copy = out.failed ? NULL : abdb_arena_copy(&c->arena, abdb_text_get(&out), out.size);
    abdb_text_free(&out);
    return copy;
}

abdb_status abdb_merge_groups_across_sizes(abdb_system_choice *c, abdb_error *err)
{
    abdb_groups *all = &c->ranking.groups;
    size_t kept = 0;

    for (size_t g = 0; g < all->count; g++) {
        abdb_group one = all->group[g], *same = NULL;
        size_t *member;

        one.key = key_without_device_count(c, one.key);
        if (!one.key) return ABDB_FAIL(err, ABDB_NOMEM, "a choice");
        for (size_t k = 0; k < kept && !same; k++)
            if (strcmp(all->group[k].key, one.key) == 0) same = &all->group[k];
        if (!same) {
            all->group[kept++] = one;
            continue;
        }
        member = abdb_arena_alloc(&c->arena, (same->count + one.count) * sizeof *member);
        if (!member) return ABDB_FAIL(err, ABDB_NOMEM, "a choice");
        memcpy(member, same->member, same->count * sizeof *member);
        memcpy(member + same->count, one.member, one.count * sizeof *member);
        same->member = member;
        same->count += one.count;
    }
    all->count = kept;
    return ABDB_OK;
}
