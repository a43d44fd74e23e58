/* differing_factors.c - factors in which the sides of a pair differ, or that are unknown on a side;
 * see compare.h. */
#include <stdio.h>
#include <string.h>

#include "query/compare/compare.h"
#include "query/compare/quality.h"
#include "query/compare/unknown_factors.h"

static bool factor_is_listed_as_differing(const abdb_pair *pair, const char *factor)
{
    for (size_t i = 0; i < pair->differs; i++)
        if (strcmp(pair->differ[i].name, factor) == 0) return true;
    return false;
}

/* Adds a name to the list of identifiers, once. */
static void append_identifier_once(abdb_comparison *c, const char *name)
{
    char word[256];

    snprintf(word, sizeof word, " %s,", name);
    if (!strstr(abdb_text_get(&c->identifiers), word)) abdb_text_puts(&c->identifiers, word);
}

static abdb_status append_differing(abdb_comparison *c, abdb_pair *pair, const abdb_differing *d,
                                    abdb_error *err)
{
    abdb_differing *more;

    if (pair->differs == pair->differs_room) {
        pair->differs_room = pair->differs_room ? 2 * pair->differs_room : 16;
        more = abdb_arena_alloc(&c->arena, pair->differs_room * sizeof *more);
        if (!more) return ABDB_FAIL(err, ABDB_NOMEM, "factors");
        if (pair->differs) memcpy(more, pair->differ, pair->differs * sizeof *more);
        pair->differ = more;
    }
    pair->differ[pair->differs++] = *d;
    return ABDB_OK;
}

/* One that may differ; an identifier is left aside. */
static abdb_status add_factor_if_it_differs(abdb_comparison *c, abdb_pair *pair, abdb_side side,
                                            size_t at, const char *name, abdb_error *err)
{
    abdb_differing d = {.name = name};
    bool unknown_a, unknown_b, identifier;

    d.a = abdb_side_distinct_factor_values(pair->a, name, &unknown_a, &c->arena);
    d.b = abdb_side_distinct_factor_values(pair->b, name, &unknown_b, &c->arena);
    if (strcmp(d.a, d.b) == 0 && !unknown_a && !unknown_b) return ABDB_OK;
    d.unknown = unknown_a || unknown_b || !*d.a || !*d.b;
    d.meaning_unknown = abdb_factor_meaning_is_unknown(&c->book, side.set, at, name);
    if (d.meaning_unknown && !d.unknown) {
        abdb_status st = abdb_factor_is_unique_in_every_row(&identifier, c->db, pair->a.set,
                                                            pair->a.group->member[0], pair->b.set,
                                                            pair->b.group->member[0], name, err);

        if (st != ABDB_OK) return st;
        if (identifier) {
            append_identifier_once(c, name);
            return ABDB_OK;
        }
    }
    return append_differing(c, pair, &d, err);
}

/* Factors of a side's members that must agree and do not, or that are unknown on a side. */
static abdb_status collect_differing_factors(abdb_comparison *c, abdb_pair *pair, abdb_side side,
                                             abdb_error *err)
{
    abdb_status st = ABDB_OK;

    for (size_t i = 0; i < side.group->count; i++) {
        size_t at = side.group->member[i];
        const abdb_member *m = &side.set->member[at];

        for (size_t t = 0; t < m->traits; t++) {
            const char *name = m->trait[t].name, *role;
            bool needed;

            if (m->trait[t].state == ABDB_INAPPLICABLE || factor_is_listed_as_differing(pair, name))
                continue;
            role = abdb_find_factor_role_or_agree(&c->book, side.set, at, name, &needed);
            if (strcmp(role, "free") == 0 || strcmp(role, "report") == 0) continue;
            TRY(add_factor_if_it_differs(c, pair, side, at, name, err));
        }
    }
done:
    return st;
}

/* Where the sides serve one model in two number formats: the quality of each, known or not. */
static abdb_status add_quality_if_formats_differ(abdb_comparison *c, abdb_pair *pair,
                                                 abdb_error *err)
{
    abdb_differing d = {.name = "quality"};
    abdb_status st = ABDB_OK;

    if (!abdb_sides_differ_in_format_alone(pair->a, pair->b)) return ABDB_OK;
    TRY(abdb_describe_quality_of_side(pair->a, c->db, &d.a, &c->arena, err));
    TRY(abdb_describe_quality_of_side(pair->b, c->db, &d.b, &c->arena, err));
    if (strcmp(d.a, d.b) != 0 || strcmp(d.a, "unknown") == 0)
        st = append_differing(c, pair, &d, err);
done:
    return st;
}

abdb_status abdb_pair_collect_differing_factors(abdb_comparison *c, abdb_pair *pair,
                                                abdb_error *err)
{
    abdb_status st = ABDB_OK;

    TRY(collect_differing_factors(c, pair, pair->a, err));
    TRY(collect_differing_factors(c, pair, pair->b, err));
    TRY(add_quality_if_formats_differ(c, pair, err));
done:
    return st;
}
