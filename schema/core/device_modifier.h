/* device_modifier.h - decorations in names of devices: the words beside the product.
 *
 * "AMD Instinct MI300X-NPS1-SPX-192GB-750W" is the MI300X of AMD, 192 GB, 750 W, one partition.
 * Which words are such decorations is data (data/rules/decorations.csv, the table `decoration`).
 */
#ifndef ABDB_CORE_DECORATION_H
#define ABDB_CORE_DECORATION_H

#include <stdbool.h>
#include <stddef.h>

/* One rule. The pattern is words between blanks, as a name has them in lower case without
 * punctuation; brackets of any kind are the words "(" and ")". "#" in a word stands for a number,
 * "..." for any words up to the bracket that closes. */
typedef struct {
    const char *pattern;
    const char
        *attribute;    /* vendor, form_factor, memory, kind: columns in table `device`; else free */
    const char *value; /* what it says, the number in place of a "#"; NULL: the number */
    const char *factor, *unit; /* NULL: it becomes no factor */
} abdb_modifier_rule;

enum { ABDB_DECORATIONS_MAX = 12, ABDB_BARE_SIZE = 128, ABDB_DECORATION_SIZE = 32 };

/* A name without its decorations, and these in the order of the rules, each once. */
typedef struct {
    char core[ABDB_BARE_SIZE]; /* the words of the product without blanks: "mi300x" */
    size_t count;
    struct {
        const abdb_modifier_rule *rule;
        char value[ABDB_DECORATION_SIZE];
    } modifier[ABDB_DECORATIONS_MAX];
} abdb_parsed_device_name;

/* Splits a name by the rules; an earlier rule has precedence. false: it is longer or has more
 * decorations than a name of a device can have; *out is then of no use. */
bool abdb_split_device_name_into_core_and_modifiers(const abdb_modifier_rule *rule, size_t rules,
                                                    const char *name, abdb_parsed_device_name *out);
/* Has the name that decoration? "SXM5" counts as "SXM". */
bool abdb_device_name_has_modifier(const abdb_parsed_device_name *bare, const char *attribute,
                                   const char *value);
/* Is stated_value equal to `value`, or `value` with a number appended to its letters? */
bool abdb_modifier_value_is_or_adds_digits_to(const char *stated_value, const char *value);

#endif
