/* power_definition.c - which power or energy a question is about; see power_definition.h. */
#include "query/compare/power_definition.h"

#include <string.h>

#include "query/answer/sql_rows.h"
#include "schema/core/array.h"

static const char definition_factor[] = "power_definition";

/* Factors that describe how power was measured. */
static const char *const power_factors[] = {
    definition_factor,  "energy_scope", "power_level",    "power_machine_share", "power_meter",
    "power_subsystems", "power_window", "power_coverage", "power_window_s",
};

static bool is_about_power(const abdb_set *set, size_t member_index, const char *per)
{
    const char *kind = abdb_member_text(set, member_index, ABDB_M_metric_class);

    return (per && (strcmp(per, "watt") == 0 || strcmp(per, "joule") == 0)) ||
           strncmp(kind, "power", strlen("power")) == 0 ||
           strncmp(kind, "energy", strlen("energy")) == 0;
}

static void make_power_factors_inapplicable(abdb_member *m)
{
    for (size_t i = 0; i < m->traits; i++)
        for (size_t k = 0; k < sizeof power_factors / sizeof power_factors[0]; k++)
            if (strcmp(m->trait[i].name, power_factors[k]) == 0)
                m->trait[i].state = ABDB_INAPPLICABLE;
}

static int compare_factor_names(const void *a, const void *b)
{
    return strcmp(((const abdb_member_factor *)a)->name, ((const abdb_member_factor *)b)->name);
}

/* Adds the factor in its place; definition "" is unknown. */
static abdb_status add_definition_factor(abdb_set *set, abdb_member *m, const char *definition,
                                         abdb_error *err)
{
    abdb_member_factor *more = abdb_arena_alloc(&set->arena, (m->traits + 1) * sizeof *more);
    const char *text = abdb_arena_copy(&set->arena, definition, strlen(definition));

    if (!more || !text) return ABDB_FAIL(err, ABDB_NOMEM, "factors");
    memcpy(more, m->trait, m->traits * sizeof *more);
    more[m->traits] =
        (abdb_member_factor){definition_factor, text, *definition ? ABDB_KNOWN : ABDB_UNKNOWN};
    m->trait = more;
    abdb_array_sort(m->trait, ++m->traits, sizeof *more, compare_factor_names);
    return ABDB_OK;
}

abdb_status abdb_set_add_power_definitions(abdb_set *set, sqlite3 *db, const char *per,
                                           abdb_error *err)
{
    sqlite3_stmt *find = NULL;
    abdb_status st = ABDB_OK;

    for (size_t i = 0; i < set->members; i++) {
        abdb_member *m = &set->member[i];
        const char *entry = abdb_member_text(set, i, ABDB_M_entry_id);

        if (!is_about_power(set, i, per) || !*entry) {
            make_power_factors_inapplicable(m);
            continue;
        }
        if (abdb_member_find_factor(m, definition_factor)) continue;
        if (!find && sqlite3_prepare_v2(db,
                                        "SELECT definition FROM power_defined"
                                        " WHERE entry_id = CAST(?1 AS INTEGER)",
                                        -1, &find, NULL) != SQLITE_OK)
            TRY(abdb_fail_with_sql_read_error(db, err));
        sqlite3_reset(find);
        sqlite3_bind_text(find, 1, entry, -1, SQLITE_STATIC);
        if (sqlite3_step(find) != SQLITE_ROW) TRY(abdb_fail_with_sql_read_error(db, err));
        TRY(add_definition_factor(set, m, abdb_sql_text_or_empty(find, 0), err));
    }
done:
    sqlite3_finalize(find);
    return st;
}
