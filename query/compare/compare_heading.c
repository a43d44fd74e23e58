/* compare_heading.c - the head of a comparison: its sides, their shared and differing factors; see
 * compare_text.h. */
#include "query/compare/compare_text.h"

#include <math.h>
#include <string.h>

#include "query/compare/compare_table.h"
#include "schema/core/sanitize_text.h"
#include "schema/core/text.h"

enum { VALUE_WIDTH_MAX = 36, SAME_MAX = 14 };

/* "H200-SXM" where all are of that device, else the selection. */
const char *abdb_set_device_or_selection(const abdb_set *set)
{
    const char *device = abdb_member_text(set, 0, ABDB_M_device);

    if (strncmp(set->selection, "device", 6) != 0 || !*device) return set->selection;
    for (size_t i = 1; i < set->members; i++)
        if (strcmp(abdb_member_text(set, i, ABDB_M_device), device) != 0) return set->selection;
    return device;
}

/* Distinct values of a column over a set, "v5.1,v6.0". */
static void append_distinct_values_of_column(const abdb_set *set, abdb_member_column column,
                                             abdb_text *out)
{
    size_t before = out->size;

    for (size_t i = 0; i < set->members; i++) {
        const char *text = abdb_member_text(set, i, column);
        const char *have = abdb_text_get(out) + before;
        size_t size = strlen(text);
        bool seen = !size;

        for (const char *at = have; !seen && (at = strstr(at, text)); at += size)
            seen = (at == have || at[-1] == ',') && (at[size] == ',' || !at[size]);
        if (!seen && out->size - before < VALUE_WIDTH_MAX)
            abdb_text_printf(out, "%s%s", out->size > before ? "," : "", text);
    }
}

void abdb_append_set_headings(const abdb_comparison *c, abdb_text *out)
{
    for (size_t i = 0; i < c->sets; i++) {
        const abdb_set *set = &c->set[i];
        size_t before;

        abdb_text_printf(out, "%s%c %s  ", i ? "    " : "", (char)('A' + i),
                         abdb_set_device_or_selection(set));
        append_distinct_values_of_column(set, ABDB_M_evidence, out);
        before = out->size;
        abdb_text_puts(out, " ");
        append_distinct_values_of_column(set, ABDB_M_round, out);
        if (out->size == before + 1 && out->data) out->data[--out->size] = '\0';
        abdb_text_printf(out, ", %zu result%s", set->members,
                         abdb_plural_ending((long long)set->members));
    }
}

bool abdb_factor_is_displayed(const char *name)
{
    static const char *const hidden[] = {"benchmark", "metric_class",  "rank",      "x",
                                         "unit",      "workload",      "statistic", "source",
                                         "per",       "compatibility", NULL};

    return !abdb_text_is_in_list(name, hidden);
}

/* Do all pairs that are shown have this one value on both sides? */
static bool all_shown_pairs_share_factor_value(const abdb_comparison *c, const char *name,
                                               const char *value)
{
    abdb_arena arena = {0};
    bool all = true, unknown;

    for (size_t i = 0; i < c->pairs && all; i++) {
        if (!abdb_pair_may_be_shown(c, &c->pair[i])) continue;
        all = strcmp(abdb_side_distinct_factor_values(c->pair[i].a, name, &unknown, &arena),
                     value) == 0 &&
              !unknown;
        all = all && strcmp(abdb_side_distinct_factor_values(c->pair[i].b, name, &unknown, &arena),
                            value) == 0;
        all = all && !unknown;
    }
    abdb_arena_free(&arena);
    return all;
}

/* "same: suite inference, division closed, ..." */
void abdb_append_factors_shared_by_shown_pairs(const abdb_comparison *c, abdb_text *out)
{
    const abdb_pair *first = NULL;
    size_t at, count = 0, more = 0;

    for (size_t i = 0; i < c->pairs && !first; i++)
        if (abdb_pair_may_be_shown(c, &c->pair[i])) first = &c->pair[i];
    if (!first) return;
    at = first->a.group->member[0];
    for (size_t t = 0; t < first->a.set->member[at].traits; t++) {
        const abdb_member_factor *trait = &first->a.set->member[at].trait[t];
        bool needed;
        const char *role =
            abdb_find_factor_role_or_agree(&c->book, first->a.set, at, trait->name, &needed);

        if (trait->state != ABDB_KNOWN || !abdb_factor_is_displayed(trait->name) ||
            (strcmp(role, "agree") != 0 && strcmp(role, "pair") != 0) ||
            !all_shown_pairs_share_factor_value(c, trait->name, trait->text))
            continue;
        if (count == SAME_MAX || abdb_display_width(trait->text) > VALUE_WIDTH_MAX ||
            strcmp(trait->text, "no") == 0) {
            more++;
            continue;
        }
        abdb_text_printf(out, "%s%s %s", count++ ? ", " : "same: ", trait->name, trait->text);
    }
    if (more && count) abdb_text_printf(out, ", %zu more factors", more);
}

/* Known values over all shown pairs of a contender, on one side. */
static void append_known_factor_values_of_side(const abdb_comparison *c, size_t contender,
                                               const char *name, bool left, abdb_text *out)
{
    size_t before = out->size;

    for (size_t i = 0; i < c->pairs; i++) {
        const abdb_pair *pair = &c->pair[i];
        abdb_side side = left ? pair->a : pair->b;

        if (pair->contender != contender || !abdb_pair_may_be_shown(c, pair)) continue;
        for (size_t k = 0; k < side.group->count; k++) {
            const abdb_member_factor *t =
                abdb_member_find_factor(&side.set->member[side.group->member[k]], name);
            const char *have = abdb_text_get(out) + before;
            bool seen = !t || t->state != ABDB_KNOWN;

            for (const char *at = have; !seen && (at = strstr(at, t->text));
                 at += strlen(t->text)) {
                size_t size = strlen(t->text);

                seen = !size || ((at == have || at[-1] == ',') && (at[size] == ',' || !at[size]));
                if (!size) break;
            }
            if (!seen) abdb_text_printf(out, "%s%s", out->size > before ? "," : "", t->text);
        }
    }
}

/* "round v5.1|v6.0  submitter": long values by name only; unknown ones on a line of their own. */
void abdb_append_contender_differing_factors(const abdb_comparison *c, size_t contender,
                                             bool only_unknown, abdb_text *out)
{
    abdb_text values = {0}, seen = {0};

    for (size_t i = 0; i < c->pairs; i++) {
        const abdb_pair *pair = &c->pair[i];

        if (pair->contender != contender || !abdb_pair_may_be_shown(c, pair)) continue;
        for (size_t d = 0; d < pair->differs; d++) {
            const char *name = pair->differ[d].name;
            char word[256];

            snprintf(word, sizeof word, " %s ", name);
            if (strcmp(name, "quality") == 0) /* of this pair, and no factor of its results */
                snprintf(word, sizeof word, "quality %s|%s", pair->differ[d].a, pair->differ[d].b);
            if (pair->differ[d].unknown != only_unknown || strstr(abdb_text_get(&seen), word))
                continue;
            abdb_text_puts(&seen, word);
            abdb_text_printf(out, "%s%s", out->size ? (only_unknown ? ", " : "  ") : "",
                             *word == ' ' ? name : word);
            if (only_unknown || *word != ' ') continue;
            abdb_text_clear(&values);
            append_known_factor_values_of_side(c, contender, name, true, &values);
            abdb_text_puts(&values, "|");
            append_known_factor_values_of_side(c, contender, name, false, &values);
            if (values.size <= VALUE_WIDTH_MAX)
                abdb_text_printf(out, " %s", abdb_text_get(&values));
            if (pair->differ[d].meaning_unknown) abdb_text_puts(out, ", meaning unknown");
            if (strcmp(name, "round") == 0) {
                const abdb_member_factor *t = abdb_member_find_factor(
                    &pair->a.set->member[pair->a.group->member[0]], "compatibility");

                if (t && t->state == ABDB_KNOWN && pair->comparability != ABDB_REFUSED)
                    abdb_text_printf(out, " (compatible: %s)", t->text);
            }
        }
    }
    abdb_text_free(&values);
    abdb_text_free(&seen);
}
