/* rules.c - rules and roles out of the database, groups, and whether a rule holds; see compare.h.
 */
#include <stdlib.h>
#include <string.h>

#include "query/compare/compare.h"

#include "schema/core/array.h"

/* --- the rulebook ----------------------------------------------------------------------------- */

static const char *copy_rule_cell(abdb_arena *arena, const abdb_table *t, size_t row, size_t column)
{
    const char *text = abdb_cell_text_or_empty(t, row, column);

    return abdb_arena_copy(arena, text, strlen(text));
}

/* By factor, then workload: a role is looked up for each factor of each result. */
static int compare_roles_factor_then_workload(const void *a, const void *b)
{
    const abdb_role *x = a, *y = b;
    int order = strcmp(x->factor, y->factor);

    return order ? order : strcmp(x->workload, y->workload);
}

abdb_status abdb_rulebook_load(abdb_rulebook *out, sqlite3 *db, abdb_error *err)
{
    abdb_table rules = {0}, roles = {0}, known = {0};
    abdb_rule *rule;
    abdb_role *role;
    abdb_status st = ABDB_OK;

    *out = (abdb_rulebook){0};
    TRY(abdb_query_to_table(
        db,
        "SELECT rule, effect, coalesce(scope_factor, ''), coalesce(scope_value, ''),"
        " coalesce(factor, ''), coalesce(test, ''), coalesce(a, ''), coalesce(b, ''),"
        " sentence, source, locator FROM v_rule WHERE effect <> 'formula' ORDER BY rowid",
        NULL, &rules, err));
    TRY(abdb_query_to_table(db, "SELECT workload, factor, role, needed FROM v_workload_factor",
                            NULL, &roles, err));
    /* Columns, factors of device spellings, and factors of workload names also have a meaning. */
    TRY(abdb_query_to_table(db,
                            "SELECT factor FROM factor WHERE meaning IS NOT NULL UNION SELECT"
                            " factor FROM v_column_factor UNION SELECT factor FROM"
                            " v_workload_factor UNION SELECT factor FROM decoration WHERE factor"
                            " IS NOT NULL ORDER BY 1",
                            NULL, &known, err));
    if (rules.rows > ABDB_RULES_MAX)
        TRY(ABDB_FAIL(err, ABDB_LIMIT, "more than %d rules", ABDB_RULES_MAX));
    rule = abdb_arena_alloc(&out->arena, (rules.rows + 1) * sizeof *rule);
    role = abdb_arena_alloc(&out->arena, (roles.rows + 1) * sizeof *role);
    out->known = abdb_arena_alloc(&out->arena, (known.rows + 1) * sizeof *out->known);
    if (!rule || !role || !out->known) TRY(ABDB_FAIL(err, ABDB_NOMEM, "rules"));
    for (size_t i = 0; i < rules.rows; i++) {
        const char **field[] = {&rule[i].rule,        &rule[i].effect, &rule[i].scope_factor,
                                &rule[i].scope_value, &rule[i].factor, &rule[i].test,
                                &rule[i].a,           &rule[i].b,      &rule[i].sentence,
                                &rule[i].source,      &rule[i].locator};

        for (size_t c = 0; c < sizeof field / sizeof field[0]; c++)
            if (!(*field[c] = copy_rule_cell(&out->arena, &rules, i, c)))
                TRY(ABDB_FAIL(err, ABDB_NOMEM, "rules"));
    }
    for (size_t i = 0; i < roles.rows; i++) {
        role[i] = (abdb_role){
            copy_rule_cell(&out->arena, &roles, i, 0), copy_rule_cell(&out->arena, &roles, i, 1),
            copy_rule_cell(&out->arena, &roles, i, 2), abdb_cell_number_or_nan(&roles, i, 3) > 0};
        if (!role[i].workload || !role[i].factor || !role[i].role)
            TRY(ABDB_FAIL(err, ABDB_NOMEM, "roles"));
    }
    for (; out->knowns < known.rows; out->knowns++)
        if (!(out->known[out->knowns] = copy_rule_cell(&out->arena, &known, out->knowns, 0)))
            TRY(ABDB_FAIL(err, ABDB_NOMEM, "factors"));
    abdb_array_sort(role, roles.rows, sizeof *role, compare_roles_factor_then_workload);
    out->rules = rules.rows;
    out->rule = rule;
    out->roles = roles.rows;
    out->role = role;
done:
    abdb_table_free(&rules);
    abdb_table_free(&roles);
    abdb_table_free(&known);
    return st;
}

void abdb_rulebook_free(abdb_rulebook *book)
{
    abdb_arena_free(&book->arena);
    *book = (abdb_rulebook){0};
}

static const abdb_role *find_role_of_workload_and_factor(const abdb_rulebook *book,
                                                         const char *workload, const char *factor)
{
    const abdb_role key = {.workload = workload, .factor = factor};

    return abdb_array_find_sorted(&key, book->role, book->roles, sizeof key,
                                  compare_roles_factor_then_workload);
}

const char *abdb_find_factor_role_or_agree(const abdb_rulebook *book, const abdb_set *set,
                                           size_t member, const char *factor, bool *needed)
{
    char workload[128], evidence[32];
    const char *who[] = {workload, evidence, "*"};
    /* One rule for all factors with this prefix: marks that a value was given by the user, and
     * the submitter's descriptions of a system. */
    const char *names[] = {factor,
                           strncmp(factor, "user_word.", 10) == 0          ? "user_word"
                           : strncmp(factor, "described_system.", 17) == 0 ? "described_system"
                                                                           : "*",
                           "*"};

    snprintf(workload, sizeof workload, "%s", abdb_member_text(set, member, ABDB_M_workload));
    snprintf(evidence, sizeof evidence, "%s", abdb_member_text(set, member, ABDB_M_evidence));
    *needed = false;
    for (int n = 0; n < 3; n++) /* the factor by name, then "*" */
        for (int i = 0; i < 3; i++) {
            const abdb_role *role = find_role_of_workload_and_factor(book, who[i], names[n]);

            if (!role) continue;
            *needed = role->needed && !n;
            return role->role;
        }
    return "agree";
}

/* --- groups ----------------------------------------------------------------------------------- */

static bool glob_or_negated_matches(const char *pattern, const char *text)
{
    /* A glob, or with '!' every text that does not match it. */
    return pattern[0] == '!' ? sqlite3_strglob(pattern + 1, text) != 0
                             : sqlite3_strglob(pattern, text) == 0;
}

static bool rule_scope_covers_member(const abdb_rule *rule, const abdb_member *member)
{
    const abdb_member_factor *t =
        *rule->scope_factor ? abdb_member_find_factor(member, rule->scope_factor) : NULL;

    return !*rule->scope_factor ||
           (t && t->state == ABDB_KNOWN && glob_or_negated_matches(rule->scope_value, t->text));
}

/* Did the command or plan request this setting (" n=256" in the name of its cell)? A setting that
 * the program chose by itself is not part of the request. */
static bool run_cell_name_requests_setting(const abdb_set *set, size_t member, const char *factor)
{
    const char *cell = abdb_member_text(set, member, ABDB_M_cell);
    char key[96];
    int size = snprintf(key, sizeof key, " %s=", factor);

    if (strcmp(abdb_member_text(set, member, ABDB_M_source), "abdb-run") != 0) return false;
    if (size >= (int)sizeof key || !(cell = strstr(cell, key))) return false;
    return strncmp(cell + size, "auto", 4) != 0 || (cell[size + 4] && cell[size + 4] != ' ');
}

/* Must members of a group agree in this factor? Yes where its role is `pair`, or `load` if loads
 * count; where the plan asked for that setting; or where a rule that may refuse looks at it. Not in
 * the load of a curve that was read within limits, nor in the number format where a quality is
 * kept. */
static bool factor_splits_groups(const abdb_rulebook *book, const abdb_set *set, size_t member,
                                 const char *factor, bool loads)
{
    const char *axis = set->member[member].load_kind;
    bool needed;
    const char *role = abdb_find_factor_role_or_agree(book, set, member, factor, &needed);

    if (axis && strcmp(factor, axis) == 0) return false; /* the limits take its place */
    if (set->member[member].keeps_quality && /* and the quality that of the number format */
        (strcmp(factor, "dtype") == 0 || strcmp(factor, "model") == 0))
        return false;
    if (strcmp(role, "pair") == 0 || (loads && strcmp(role, "load") == 0)) return true;
    if (strcmp(role, "free") != 0 && strcmp(role, "report") != 0 &&
        run_cell_name_requests_setting(set, member, factor))
        return true;
    for (size_t i = 0; i < book->rules; i++)
        if (strcmp(book->rule[i].effect, "refuse") == 0 &&
            strcmp(book->rule[i].factor, factor) == 0 &&
            rule_scope_covers_member(&book->rule[i], &set->member[member]))
            return true;
    return false;
}

typedef struct {
    const char *key;
    size_t member;
} keyed;

static int compare_keys_by_version_then_member(const void *a, const void *b)
{
    const keyed *x = a, *y = b;
    int order = strverscmp(x->key, y->key); /* 2048 before 10240 */

    return order ? order : (x->member > y->member) - (x->member < y->member);
}

abdb_status abdb_split_set_into_groups(abdb_groups *out, const abdb_rulebook *book,
                                       const abdb_set *set, bool split_loads,
                                       const char *const *extra_factors, abdb_arena *arena,
                                       abdb_error *err)
{
    keyed *all = calloc(set->members + 1, sizeof *all);
    size_t *list = abdb_arena_alloc(arena, (set->members + 1) * sizeof *list);
    abdb_text key = {0};
    abdb_status st = ABDB_OK;

    *out = (abdb_groups){0};
    out->group = abdb_arena_alloc(arena, (set->members + 1) * sizeof *out->group);
    if (!all || !list || !out->group) TRY(ABDB_FAIL(err, ABDB_NOMEM, "groups"));
    for (size_t i = 0; i < set->members; i++) {
        const abdb_member *m = &set->member[i];

        abdb_text_clear(&key);
        for (size_t t = 0; t < m->traits; t++)
            if (m->trait[t].state == ABDB_KNOWN &&
                ((extra_factors && abdb_text_is_in_list(m->trait[t].name, extra_factors)) ||
                 factor_splits_groups(book, set, i, m->trait[t].name, split_loads)))
                abdb_text_printf(&key, "%s=%s\x1f", m->trait[t].name, m->trait[t].text);
        all[i] = (keyed){abdb_arena_copy(arena, abdb_text_get(&key), key.size), i};
        if (!all[i].key || key.failed) TRY(ABDB_FAIL(err, ABDB_NOMEM, "groups"));
    }
    abdb_array_sort(all, set->members, sizeof *all, compare_keys_by_version_then_member);
    for (size_t i = 0; i < set->members; i++) {
        list[i] = all[i].member;
        if (!i || strcmp(all[i].key, all[i - 1].key) != 0)
            out->group[out->count++] = (abdb_group){.key = all[i].key, .member = list + i};
        out->group[out->count - 1].count++;
    }
done:
    free(all);
    abdb_text_free(&key);
    return st;
}

bool abdb_groups_mix_factor_values(const abdb_groups *groups, const abdb_set *set,
                                   const char *factor)
{
    for (size_t g = 0; g < groups->count; g++) {
        const char *first = NULL;

        for (size_t i = 0; i < groups->group[g].count; i++) {
            const abdb_member *m = &set->member[groups->group[g].member[i]];
            const abdb_member_factor *t = abdb_member_find_factor(m, factor);

            if (!t || t->state != ABDB_KNOWN) continue;
            if (first && strcmp(first, t->text) != 0) return true;
            first = t->text;
        }
    }
    return false;
}

/* --- a rule and a pair ------------------------------------------------------------------------ */

const char *abdb_side_distinct_factor_values(abdb_side side, const char *factor, bool *some_unknown,
                                             abdb_arena *arena)
{
    const char **seen = calloc(side.group->count + 1, sizeof *seen);
    abdb_text out = {0};
    const char *kept;
    size_t count = 0;

    *some_unknown = false;
    if (!seen) {
        abdb_count_allocation_failure();
        return "";
    }
    for (size_t i = 0; i < side.group->count; i++) {
        const abdb_member_factor *t =
            abdb_member_find_factor(&side.set->member[side.group->member[i]], factor);

        if (t && t->state == ABDB_KNOWN)
            seen[count++] = t->text;
        else
            *some_unknown |= !t || t->state == ABDB_UNKNOWN;
    }
    abdb_array_sort(seen, count, sizeof *seen, abdb_compare_text_pointers);
    for (size_t i = 0; i < count; i++)
        if (!i || strcmp(seen[i], seen[i - 1]) != 0)
            abdb_text_printf(&out, "%s%s", out.size ? "," : "", seen[i]);
    kept = abdb_arena_copy(arena, abdb_text_get(&out), out.size);
    abdb_text_free(&out);
    free(seen);
    return kept ? kept : "";
}

/* Does a side have a member with a known value that the pattern matches? */
static bool side_has_matching_value(abdb_side side, const char *factor, const char *pattern)
{
    for (size_t i = 0; i < side.group->count; i++) {
        const abdb_member_factor *t =
            abdb_member_find_factor(&side.set->member[side.group->member[i]], factor);

        if (t && t->state == ABDB_KNOWN && glob_or_negated_matches(pattern, t->text)) return true;
    }
    return false;
}

static bool rule_scope_covers_whole_side(const abdb_rule *rule, abdb_side side)
{
    for (size_t i = 0; i < side.group->count; i++)
        if (!rule_scope_covers_member(rule, &side.set->member[side.group->member[i]])) return false;
    return true;
}

/* The first needed factor that is unknown on a side. */
static const char *first_unknown_needed_factor(const abdb_rulebook *book, abdb_side side)
{
    for (size_t i = 0; i < side.group->count; i++) {
        size_t at = side.group->member[i];
        const abdb_member *m = &side.set->member[at];

        for (size_t t = 0; t < m->traits; t++) {
            bool needed;

            if (m->trait[t].state != ABDB_UNKNOWN) continue;
            abdb_find_factor_role_or_agree(book, side.set, at, m->trait[t].name, &needed);
            if (needed) return m->trait[t].name;
        }
    }
    return NULL;
}

bool abdb_rule_applies_to_pair(const abdb_rulebook *book, const abdb_rule *rule, abdb_side a,
                               abdb_side b, const char **missing_factor)
{
    abdb_arena arena = {0};
    bool unknown, holds;
    const char *x, *y;

    if (!rule_scope_covers_whole_side(rule, a) || !rule_scope_covers_whole_side(rule, b))
        return false;
    if (strcmp(rule->test, "pair") == 0)
        return (side_has_matching_value(a, rule->factor, rule->a) &&
                side_has_matching_value(b, rule->factor, rule->b)) ||
               (side_has_matching_value(b, rule->factor, rule->a) &&
                side_has_matching_value(a, rule->factor, rule->b));
    if (strcmp(rule->test, "either") == 0)
        return side_has_matching_value(a, rule->factor, rule->a) ||
               side_has_matching_value(b, rule->factor, rule->a);
    if (strcmp(rule->test, "needed") == 0) {
        *missing_factor = first_unknown_needed_factor(book, a);
        if (!*missing_factor) *missing_factor = first_unknown_needed_factor(book, b);
        return *missing_factor != NULL;
    }
    x = abdb_side_distinct_factor_values(a, rule->factor, &unknown, &arena);
    y = abdb_side_distinct_factor_values(b, rule->factor, &unknown, &arena);
    /* The test `differ`: both sides have a value, and the values differ. */
    holds = *x && *y && strcmp(x, y) != 0;
    abdb_arena_free(&arena);
    return holds;
}
