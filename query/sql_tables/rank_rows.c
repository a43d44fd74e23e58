/* rank_rows.c - abdb_members(selection, per, metric): each result that a selection picks, with its
 * values in `abdb rank` and `abdb compare`; see table_functions.h.
 *
 * part: the equal values of results that may be ranked together ("model=..., unit=..."). factors: a
 * JSON array of [name, text, counts]: text null where it is unknown, counts 1 where a difference in
 * it is reported (role pair, load or agree), 0 where it is free or only shown. needs: the first
 * unknown factor that its workload needs; a rule of test `needed` refuses it.
 */
#include <math.h>

#include "query/compare/compare.h"
#include "query/sql_tables/table_functions.h"

/* In the order of append_result_row_with_factors(). */
static const char *const names[] = {"result_id", "key",   "part",  "value",   "unit",
                                    "why",       "facts", "needs", "factors", "better"};
enum { COLUMNS = sizeof names / sizeof names[0] };

/* "a=b\x1fc=d\x1f" as "a=b, c=d". */
static void append_group_key_with_commas(abdb_text *out, const char *key)
{
    for (size_t size; *key; key += size + (key[size] != 0)) {
        size = strcspn(key, "\x1f");
        if (out->size) abdb_text_puts(out, ", ");
        abdb_text_add(out, key, size);
    }
}

/* The factors as JSON; returns the first that is needed and unknown, or NULL. */
static const char *append_factors_json_return_unknown_needed(abdb_text *out,
                                                             const abdb_rulebook *book,
                                                             const abdb_set *set,
                                                             size_t member_index)
{
    const abdb_member *m = &set->member[member_index];
    const char *missing = NULL;

    abdb_text_puts(out, "[");
    for (size_t t = 0; t < m->traits; t++) {
        const abdb_member_factor *trait = &m->trait[t];
        const char *role;
        bool needed;

        if (trait->state == ABDB_INAPPLICABLE) continue;
        role = abdb_find_factor_role_or_agree(book, set, member_index, trait->name, &needed);
        if (trait->state == ABDB_UNKNOWN && needed && !missing) missing = trait->name;
        abdb_text_puts(out, out->size > 1 ? ",[" : "[");
        abdb_text_append_json_string(out, trait->name);
        abdb_text_puts(out, ",");
        if (trait->state == ABDB_KNOWN)
            abdb_text_append_json_string(out, trait->text);
        else
            abdb_text_puts(out, "null");
        abdb_text_puts(out,
                       strcmp(role, "free") == 0 || strcmp(role, "report") == 0 ? ",0]" : ",1]");
    }
    abdb_text_puts(out, "]");
    return missing;
}

/* Adds a member of a group with its factors and the missing ones. */
static abdb_status append_result_row_with_factors(abdb_table *out, const abdb_rulebook *book,
                                                  const abdb_set *set, const char *key,
                                                  size_t member_index, abdb_error *err)
{
    const abdb_member *m = &set->member[member_index];
    abdb_value *v = abdb_table_append_row(out);
    abdb_text part = {0}, factors = {0};
    const char *needs =
        append_factors_json_return_unknown_needed(&factors, book, set, member_index);
    const char *text[COLUMNS];
    abdb_status st = ABDB_OK;

    append_group_key_with_commas(&part, key);
    if (!v || part.failed || factors.failed) TRY(ABDB_FAIL(err, ABDB_NOMEM, "a result"));
    memcpy(text,
           (const char *const[COLUMNS]){NULL, abdb_member_text(set, member_index, ABDB_M_key),
                                        abdb_text_get(&part), NULL, m->unit, m->why, m->facts,
                                        needs, abdb_text_get(&factors),
                                        abdb_member_text(set, member_index, ABDB_M_better)},
           sizeof text);
    for (size_t c = 0; c < COLUMNS; c++) {
        v[c] = (abdb_value){0};
        if (!text[c] || !*text[c]) continue;
        v[c] = (abdb_value){.kind = ABDB_STRING,
                            .text = abdb_arena_copy(&out->arena, text[c], strlen(text[c]))};
        if (!v[c].text) TRY(ABDB_FAIL(err, ABDB_NOMEM, "a result"));
    }
    v[0] = set->table.value[member_index * set->table.columns + ABDB_M_result_id];
    if (isfinite(m->value)) v[3] = (abdb_value){.kind = ABDB_REAL, .real = m->value};
done:
    abdb_text_free(&part);
    abdb_text_free(&factors);
    return st;
}

/* abdb_members(...): the members of every group of a selection. */
static abdb_status fill_rows_of_selected_results(sqlite3 *db, const char *const *argument,
                                                 abdb_table *out, abdb_error *err)
{
    const abdb_normalisation asked = {.per = argument[1] ? argument[1] : "none",
                                      .metric = argument[2]};
    abdb_rulebook book = {0};
    abdb_set set = {0};
    abdb_groups groups;
    abdb_arena arena = {0};
    abdb_status st = ABDB_OK;

    out->columns = COLUMNS;
    for (size_t c = 0; c < COLUMNS; c++) out->column[c].name = names[c];
    TRY(abdb_rulebook_load(&book, db, err));
    TRY(abdb_set_load_normalised(&set, db, argument[0], NULL, &asked, err));
    TRY(abdb_split_set_into_groups(&groups, &book, &set, false, NULL, &arena, err));
    for (size_t g = 0; g < groups.count; g++)
        for (size_t i = 0; i < groups.group[g].count; i++)
            TRY(append_result_row_with_factors(out, &book, &set, groups.group[g].key,
                                               groups.group[g].member[i], err));
done:
    abdb_set_free(&set);
    abdb_rulebook_free(&book);
    abdb_arena_free(&arena);
    return st;
}

const abdb_table_function abdb_table_members = {
    "abdb_members",
    "CREATE TABLE x(result_id INTEGER, key TEXT, part TEXT, value REAL, unit TEXT, why TEXT,"
    " facts TEXT, needs TEXT, factors TEXT, better TEXT, selection HIDDEN, per HIDDEN,"
    " of_metric HIDDEN)",
    COLUMNS,
    1,
    3,
    ABDB_ALLOW_NOTHING,
    fill_rows_of_selected_results};
