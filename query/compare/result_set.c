/* result_set.c - sets of results with their factors; see result_set.h. */
#include "query/compare/result_set.h"

#include <stdlib.h>
#include <string.h>

#include "schema/core/array.h"

static const char *const names[ABDB_M_COUNT] = {
#define X(name) #name,
    ABDB_MEMBER_COLUMNS(X)
#undef X
};

/* Factors that a source gave, read once for each set of factors. */
typedef struct {
    char id[32];
    size_t count;
    const abdb_member_factor *trait;
} point;

typedef struct {
    sqlite3 *db;
    sqlite3_stmt *factors, *spelt;
    abdb_table needs; /* factor, kinds of evidence that have it */
    point *cache;
    size_t points, capacity;
    abdb_arena *arena;
} loader;

const char *abdb_member_text(const abdb_set *set, size_t member, abdb_member_column column)
{
    return abdb_cell_text_or_empty(&set->table, member, column);
}

double abdb_member_number(const abdb_set *set, size_t member, abdb_member_column column)
{
    return abdb_cell_number_or_nan(&set->table, member, column);
}

static int compare_factor_names(const void *a, const void *b)
{
    return strcmp(((const abdb_member_factor *)a)->name, ((const abdb_member_factor *)b)->name);
}

const abdb_member_factor *abdb_member_find_factor(const abdb_member *member, const char *name)
{
    const abdb_member_factor key = {.name = name};

    return abdb_array_find_sorted(&key, member->trait, member->traits, sizeof key,
                                  compare_factor_names);
}

static const char *copy_text_or_null(abdb_arena *arena, const char *text)
{
    return text ? abdb_arena_copy(arena, text, strlen(text)) : NULL;
}

/* Loads the factors of a set of factors by its id. */
static abdb_status load_point_factors(loader *l, const char *id, point *out, abdb_error *err)
{
    abdb_member_factor list[ABDB_TRAITS_MAX];
    abdb_member_factor *kept;
    int code;

    *out = (point){0};
    snprintf(out->id, sizeof out->id, "%s", id);
    sqlite3_reset(l->factors);
    sqlite3_bind_text(l->factors, 1, out->id, -1, SQLITE_STATIC);
    while ((code = sqlite3_step(l->factors)) == SQLITE_ROW && out->count < ABDB_TRAITS_MAX) {
        const char *state = abdb_sql_text_or_empty(l->factors, 1);
        abdb_member_factor *t = &list[out->count++];

        t->name = copy_text_or_null(l->arena, abdb_sql_text_or_empty(l->factors, 0));
        t->state = strcmp(state, "known") == 0     ? ABDB_KNOWN
                   : strcmp(state, "unknown") == 0 ? ABDB_UNKNOWN
                                                   : ABDB_INAPPLICABLE;
        t->text = copy_text_or_null(l->arena, abdb_sql_text_or_null(l->factors, 2));
    }
    if (code != SQLITE_DONE && code != SQLITE_ROW) return abdb_fail_with_sql_read_error(l->db, err);
    kept = abdb_arena_alloc(l->arena, (out->count + 1) * sizeof *kept);
    if (!kept) return ABDB_FAIL(err, ABDB_NOMEM, "factors");
    memcpy(kept, list, out->count * sizeof *kept);
    out->trait = kept;
    return ABDB_OK;
}

/* The factors of a set, from the cache or the database. *out belongs to the loader. */
static abdb_status find_or_load_point_factors(loader *l, const char *id, const point **out,
                                              abdb_error *err)
{
    abdb_status st;
    point *more;

    for (size_t i = l->points; i > 0; i--) /* members of one set come near one another */
        if (strcmp(l->cache[i - 1].id, id) == 0) {
            *out = &l->cache[i - 1];
            return ABDB_OK;
        }
    more = abdb_array_reserve_one(l->cache, l->points, &l->capacity, sizeof *more);
    if (!more) return ABDB_FAIL(err, ABDB_NOMEM, "factors");
    l->cache = more;
    st = load_point_factors(l, id, &l->cache[l->points], err);
    if (st == ABDB_OK) *out = &l->cache[l->points++];
    return st;
}

/* NULL is unknown where this kind of evidence has the factor, else inapplicable. */
static abdb_factor_state state_of_missing_column_value(const loader *l, const char *factor,
                                                       const char *evidence)
{
    for (size_t i = 0; i < l->needs.rows; i++)
        if (strcmp(abdb_cell_text_or_empty(&l->needs, i, 0), factor) == 0)
            return strstr(abdb_cell_text_or_empty(&l->needs, i, 1), evidence) ? ABDB_UNKNOWN
                                                                              : ABDB_INAPPLICABLE;
    return ABDB_INAPPLICABLE;
}

/* Suites of MLPerf without scenarios, as v_factor has them. */
static bool suite_has_no_scenario(const abdb_set *set, size_t member_index)
{
    const char *suite = abdb_member_text(set, member_index, ABDB_M_suite);

    return strcmp(suite, "training") == 0 || strcmp(suite, "hpc") == 0 ||
           strcmp(suite, "storage") == 0;
}

/* Factors from the spelling of its device, unless one of that name is among the `count` factors. */
static abdb_status append_device_name_factors_not_given(loader *l, const char *entry_id,
                                                        abdb_member_factor *trait, size_t *count,
                                                        abdb_error *err)
{
    size_t given = *count;
    int code;

    sqlite3_reset(l->spelt);
    sqlite3_bind_text(l->spelt, 1, entry_id, -1, SQLITE_STATIC);
    while ((code = sqlite3_step(l->spelt)) == SQLITE_ROW && *count < given + ABDB_SPELT_MAX) {
        const char *name = abdb_sql_text_or_empty(l->spelt, 0);
        bool is_given = false;

        for (size_t i = 0; i < given; i++) is_given |= strcmp(trait[i].name, name) == 0;
        if (is_given) continue;
        trait[(*count)++] = (abdb_member_factor){
            copy_text_or_null(l->arena, name),
            copy_text_or_null(l->arena, abdb_sql_text_or_empty(l->spelt, 1)), ABDB_KNOWN};
    }
    if (code != SQLITE_DONE && code != SQLITE_ROW) return abdb_fail_with_sql_read_error(l->db, err);
    return ABDB_OK;
}

/* All that is known of one row of a selection, as traits sorted by name so that two rows are
 * compared by one walk: its columns, then the factors of its point and of its device's spelling. A
 * column without a value is unknown where this kind of evidence would have it, else inapplicable;
 * only the first hinders a comparison. */
static abdb_status collect_sorted_member_factors(loader *l, abdb_set *set, size_t member_index,
                                                 abdb_error *err)
{
    const char *id = abdb_member_text(set, member_index, ABDB_M_point_id);
    const char *evidence = abdb_member_text(set, member_index, ABDB_M_evidence);
    abdb_member *m = &set->member[member_index];
    bool is_spec = !*abdb_member_text(set, member_index, ABDB_M_entry_id); /* without an entry */
    bool said = false; /* the divisor of a value; else of the system */
    const point *p = NULL;
    abdb_member_factor *trait;
    size_t count = 0;
    abdb_status st = ABDB_OK;

    if (*id) TRY(find_or_load_point_factors(l, id, &p, err));
    trait = abdb_arena_alloc(l->arena, (ABDB_M_FACTORS + 1 + ABDB_SPELT_MAX + (p ? p->count : 0)) *
                                           sizeof *trait);
    if (!trait) return ABDB_FAIL(err, ABDB_NOMEM, "factors");
    for (size_t c = 0; c < ABDB_M_FACTORS; c++) {
        const abdb_value *v = &set->table.value[member_index * set->table.columns + c];
        bool unknown =
            v->kind == ABDB_NULL ||
            (c == ABDB_M_verified &&
             strcmp(abdb_cell_text_or_empty(&set->table, member_index, c), "unknown") == 0);

        if (c == ABDB_M_result_id || c == ABDB_M_key) continue;
        trait[count].name = names[c];
        trait[count].state = !unknown  ? ABDB_KNOWN
                             : is_spec ? ABDB_INAPPLICABLE
                             : c == ABDB_M_scenario && suite_has_no_scenario(set, member_index)
                                 ? ABDB_INAPPLICABLE
                                 : state_of_missing_column_value(l, names[c], evidence);
        trait[count++].text =
            unknown ? ""
                    : copy_text_or_null(l->arena,
                                        abdb_cell_text_or_empty(&set->table, member_index, c));
    }
    for (size_t k = 0; p && k < p->count; k++) {
        said |= strcmp(p->trait[k].name, "per") == 0;
        trait[count++] = p->trait[k];
    }
    if (!is_spec)
        TRY(append_device_name_factors_not_given(
            l, abdb_member_text(set, member_index, ABDB_M_entry_id), trait, &count, err));
    if (!is_spec && !said) trait[count++] = (abdb_member_factor){"per", "system", ABDB_KNOWN};
    abdb_array_sort(trait, count, sizeof *trait, compare_factor_names);
    m->trait = trait;
    m->traits = count;
done:
    return st;
}

abdb_status abdb_set_load_factors(abdb_set *set, sqlite3 *db, abdb_error *err)
{
    loader l = {.db = db, .arena = &set->arena};
    abdb_status st = ABDB_OK;

    set->members = set->table.rows;
    set->member = calloc(set->members + 1, sizeof *set->member);
    if (!set->member) return ABDB_FAIL(err, ABDB_NOMEM, "%zu results", set->members);
    TRY(abdb_query_to_table(db, "SELECT factor, needs FROM v_column_factor", NULL, &l.needs, err));
    if (sqlite3_prepare_v2(db,
                           "SELECT factor, state, text FROM point_factor WHERE point_id ="
                           " CAST(?1 AS INTEGER) AND factor NOT IN (SELECT factor FROM"
                           " v_column_factor)",
                           -1, &l.factors, NULL) != SQLITE_OK)
        TRY(abdb_fail_with_sql_read_error(db, err));
    if (sqlite3_prepare_v2(db,
                           "SELECT factor, text FROM name_factor WHERE spelling = (SELECT device"
                           " FROM entry WHERE entry_id = CAST(?1 AS INTEGER)) AND factor NOT IN"
                           " (SELECT factor FROM v_column_factor)",
                           -1, &l.spelt, NULL) != SQLITE_OK)
        TRY(abdb_fail_with_sql_read_error(db, err));
    for (size_t i = 0; i < set->members; i++) TRY(collect_sorted_member_factors(&l, set, i, err));
done:
    sqlite3_finalize(l.factors);
    sqlite3_finalize(l.spelt);
    abdb_table_free(&l.needs);
    free(l.cache);
    return st;
}

void abdb_set_free(abdb_set *set)
{
    abdb_table_free(&set->table);
    free(set->member);
    abdb_arena_free(&set->arena);
    *set = (abdb_set){0};
}
