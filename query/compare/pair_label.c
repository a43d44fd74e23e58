/* pair_label.c - see pair_label.h. */
#include "query/compare/pair_label.h"

#include <stdlib.h>
#include <string.h>

#include "query/compare/compare_text.h"
#include "schema/core/array.h"

/* The value of an entry of a key; size 0: it has none. */
static const char *find_key_entry_value(const char *key, const char *name, size_t *size)
{
    size_t length = strlen(name);

    for (; *key; key += strcspn(key, "\x1f") + 1)
        if (strncmp(key, name, length) == 0 && key[length] == '=') {
            *size = strcspn(key + length + 1, "\x1f");
            return key + length + 1;
        }
    *size = 0;
    return "";
}

/* One entry of a pair's label: "Offline", "n=256". */
static void append_label_entry(const abdb_pair *pair, const char *name, abdb_text *out)
{
    bool bare = strcmp(name, "model") == 0 || strcmp(name, "scenario") == 0 ||
                strcmp(name, "workload") == 0 || strcmp(name, "operation") == 0;
    size_t size;
    const char *value = find_key_entry_value(pair->a.group->key, name, &size);

    if (size)
        abdb_text_printf(out, "%s%s%s%.*s", out->size ? " " : "", bare ? "" : name, bare ? "" : "=",
                         (int)size, value);
}

/* A pair in its class: pairs of one class have the same label so far. */
typedef struct {
    size_t class, pair;
    const char *value;
    size_t size;
} labelled;

static int compare_class_value(const void *a, const void *b)
{
    const labelled *x = a, *y = b;
    int order;

    if (x->class != y->class) return x->class < y->class ? -1 : 1;
    order = strncmp(x->value, y->value, x->size < y->size ? x->size : y->size);
    return order ? order : (x->size > y->size) - (x->size < y->size);
}

/* Splits the classes by one more name, if that separates any. */
static bool split_classes_by_name(const abdb_comparison *c, labelled *all, size_t count,
                                  const char *name)
{
    size_t classes = 0, before = 0;

    for (size_t i = 0; i < count; i++)
        all[i].value = find_key_entry_value(c->pair[all[i].pair].a.group->key, name, &all[i].size);
    abdb_array_sort(all, count, sizeof *all, compare_class_value);
    for (size_t i = 1; i < count; i++) {
        before += all[i].class != all[i - 1].class;
        classes += compare_class_value(&all[i], &all[i - 1]) != 0;
    }
    if (classes == before) return false;
    for (size_t i = 0, now = 0, last = 0; i < count; i++) {
        bool differs = i && compare_class_value(&all[i], &(labelled){.class = last,
                                                                     .value = all[i - 1].value,
                                                                     .size = all[i - 1].size}) != 0;

        last = all[i].class;
        now += differs;
        all[i].class = now;
    }
    return true;
}

size_t abdb_pick_names_distinguishing_pairs(const abdb_comparison *c, size_t contender,
                                            abdb_arena *arena, const char *out[ABDB_DIFFER_MAX])
{
    static const char *const first[] = {"model", "workload", "scenario", "operation", "dtype", "n"};
    labelled *all = calloc(c->pairs + 1, sizeof *all);
    size_t count = 0, pairs = 0;

    if (!all) {
        abdb_count_allocation_failure();
        return 0;
    }
    for (size_t i = 0; i < c->pairs; i++)
        if (c->pair[i].contender == contender && abdb_pair_may_be_shown(c, &c->pair[i]))
            all[pairs++].pair = i;
    for (size_t i = 0; i < sizeof first / sizeof first[0]; i++)
        if (split_classes_by_name(c, all, pairs, first[i])) out[count++] = first[i];
    for (size_t i = 0; i < pairs; i++)
        for (const char *key = c->pair[i].a.group->key; *key && count < ABDB_DIFFER_MAX - 1;
             key += strcspn(key, "\x1f") + 1) {
            const char *name = abdb_arena_copy(arena, key, strcspn(key, "="));

            if (name && (abdb_factor_is_displayed(name) || strcmp(name, "x") == 0) &&
                split_classes_by_name(c, all, pairs, name))
                out[count++] = name;
        }
    free(all);
    return count;
}

void abdb_format_pair_label(const abdb_pair *pair, const char *const *name, size_t names,
                            abdb_text *out)
{
    abdb_text_clear(out);
    for (size_t i = 0; i < names; i++) append_label_entry(pair, name[i], out);
    if (out->size) return;
    append_label_entry(pair, "model", out);
    if (!out->size) append_label_entry(pair, "workload", out);
    append_label_entry(pair, "scenario", out);
    if (!out->size)
        abdb_text_puts(out, abdb_member_text(pair->a.set, pair->a.group->member[0], ABDB_M_metric));
}
