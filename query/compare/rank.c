/* rank.c - the best under constraints; see rank.h. */
#include "query/compare/rank.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "query/compare/like_for_like.h"
#include "query/compare/unknown_factors.h"
#include "schema/core/array.h"
#include "schema/core/stats.h"

/* --- who is ranked ---------------------------------------------------------------------------- */

/* Sets *out to the column of that name. 0: there is none. */
static int find_member_column_by_name(const char *name, abdb_member_column *out)
{
    static const char *const names[] = {
#define X(column) #column,
        ABDB_MEMBER_COLUMNS(X)
#undef X
    };

    for (size_t i = 0; i < ABDB_M_COUNT; i++)
        if (strcmp(names[i], name) == 0) {
            *out = (abdb_member_column)i;
            return 1;
        }
    return 0;
}

/* Where one backend ran the same problem with several providers, its name is that of both. */
static const char *name_with_provider_if_several(abdb_ranking *r, size_t member,
                                                 abdb_member_column by)
{
    const char *name = abdb_member_text(&r->set, member, by);
    const abdb_member_factor *provider =
        by == ABDB_M_backend && r->providers
            ? abdb_member_find_factor(&r->set.member[member], "provider")
            : NULL;

    if (!*name || !provider || provider->state != ABDB_KNOWN) return name;
    name = abdb_arena_printf(&r->arena, "%s/%s", name, provider->text);
    return name ? name : "";
}

/* Are there several providers of one problem in one backend? */
static abdb_status set_flag_if_backend_has_several_providers(abdb_ranking *r, abdb_error *err)
{
    static const char *const backend[] = {"backend", NULL};
    abdb_groups groups;
    abdb_status st =
        abdb_split_set_into_groups(&groups, &r->book, &r->set, false, backend, &r->arena, err);

    if (st == ABDB_OK) r->providers = abdb_groups_mix_factor_values(&groups, &r->set, "provider");
    return st;
}

/* The second metric of the member's run; NAN: it has none. */
static abdb_status load_second_metric_of_member(abdb_ranking *r, sqlite3 *db, const char *name,
                                                size_t member, double *out, abdb_error *err)
{
    abdb_member_column column;
    abdb_binds binds = {0};
    abdb_table t = {0};
    char metric[96];
    const char *colon = strchr(name, ':');
    const abdb_metric_info *info;
    abdb_status st = ABDB_OK;

    *out = NAN;
    if (find_member_column_by_name(name, &column)) {
        *out = abdb_member_number(&r->set, member, column);
        return ABDB_OK;
    }
    snprintf(metric, sizeof metric, "%.*s", (int)strcspn(name, ":"), name);
    (void)(abdb_bind_add_text(&binds, abdb_member_text(&r->set, member, ABDB_M_entry_id)) &&
           abdb_bind_add_text(&binds, metric) &&
           abdb_bind_add_text(&binds, colon ? colon + 1 : NULL));
    TRY(abdb_query_to_table(
        db,
        "SELECT value, statistic FROM result WHERE entry_id = CAST(?1 AS INTEGER) AND metric = ?2"
        " AND statistic <> 'sd' AND (?3 IS NULL OR statistic = ?3) ORDER BY ordinal",
        &binds, &t, err));
    info = abdb_metric_find(metric);
    if (!colon && t.rows > 1 && info && strcmp(info->unit, "s") == 0)
        TRY(ABDB_FAIL(
            err, ABDB_USAGE,
            "--pareto %s: of which statistic? these results have several (%s, %s%s); write"
            " %s:p99",
            name, abdb_cell_text_or_empty(&t, 0, 1), abdb_cell_text_or_empty(&t, 1, 1),
            t.rows > 2 ? ", ..." : "", name));
    if (t.rows) *out = abdb_cell_number_or_nan(&t, 0, 0);
done:
    abdb_table_free(&t);
    return st;
}

static bool member_is_rankable(const abdb_member *m)
{
    return !m->why && isfinite(m->value);
}

/* Keeps a member where it is better than the row of its name so far. Rows of a group are added one
 * after another, so its rows are the last ones. */
static abdb_status update_or_append_best_of_name(abdb_ranking *r, size_t group, size_t member,
                                                 const char *name, abdb_error *err)
{
    double value = r->set.member[member].value;
    abdb_ranked *row;

    for (size_t i = r->count; i > 0 && r->row[i - 1].group == group; i--) {
        row = &r->row[i - 1];
        if (strcmp(row->name, name) != 0) continue;
        row->of++;
        if (abdb_ranking_group_is_higher(r, group) ? value > row->value : value < row->value) {
            row->member = member;
            row->value = value;
        }
        return ABDB_OK;
    }
    row = &r->row[r->count++];
    *row = (abdb_ranked){.group = group,
                         .member = member,
                         .value = value,
                         .other = NAN,
                         .of = 1,
                         .geomean = NAN,
                         .name = abdb_arena_copy(&r->arena, name, strlen(name))};
    return row->name ? ABDB_OK : ABDB_FAIL(err, ABDB_NOMEM, "a ranking");
}

/* --pick median: each name stands at the median of its results, by the one nearest to it. */
static abdb_status replace_best_by_median(abdb_ranking *r, abdb_member_column by, abdb_error *err)
{
    double *x = calloc(r->set.members + 1, sizeof *x);

    if (!x) return ABDB_FAIL(err, ABDB_NOMEM, "a ranking");
    for (size_t i = 0; i < r->count; i++) {
        abdb_ranked *row = &r->row[i];
        const abdb_group *group = &r->groups.group[row->group];
        size_t n = 0;

        for (size_t k = 0; k < group->count; k++)
            if (member_is_rankable(&r->set.member[group->member[k]]) &&
                strcmp(name_with_provider_if_several(r, group->member[k], by), row->name) == 0)
                x[n++] = r->set.member[group->member[k]].value;
        abdb_array_sort(x, n, sizeof *x, abdb_compare_double);
        row->value = abdb_quantile_sorted(x, n, 0.5);
        for (size_t k = 0; k < group->count; k++) {
            size_t at = group->member[k];

            if (member_is_rankable(&r->set.member[at]) &&
                strcmp(name_with_provider_if_several(r, at, by), row->name) == 0 &&
                fabs(r->set.member[at].value - row->value) <
                    fabs(r->set.member[row->member].value - row->value))
                row->member = at;
        }
    }
    free(x);
    return ABDB_OK;
}

/* qsort has no argument for it, so the direction is folded into the key. */
typedef struct {
    abdb_ranked row;
    double key;
} sortable;

static int compare_group_value_name(const void *a, const void *b)
{
    const sortable *x = a, *y = b;

    if (x->row.group != y->row.group) return x->row.group < y->row.group ? -1 : 1;
    if (x->key < y->key || x->key > y->key) return x->key < y->key ? -1 : 1;
    return strcmp(x->row.name, y->row.name);
}

/* Sorts by group and value and numbers the places, from 1 in each group. */
static abdb_status sort_rows_number_places_in_groups(abdb_ranking *r, abdb_error *err)
{
    sortable *all = calloc(r->count + 1, sizeof *all);

    if (!all) return ABDB_FAIL(err, ABDB_NOMEM, "a ranking");
    for (size_t i = 0; i < r->count; i++)
        all[i] = (sortable){r->row[i], abdb_ranking_group_is_higher(r, r->row[i].group)
                                           ? -r->row[i].value
                                           : r->row[i].value};
    abdb_array_sort(all, r->count, sizeof *all, compare_group_value_name);
    for (size_t i = 0; i < r->count; i++) {
        r->row[i] = all[i].row;
        r->row[i].place = i && r->row[i - 1].group == r->row[i].group ? r->row[i - 1].place + 1 : 1;
    }
    free(all);
    return ABDB_OK;
}

/* --- the front -------------------------------------------------------------------------------- */

/* The Pareto front of each group: a row is on it unless another one of its group is at least as
 * good in both values and better in one. O(n^2), of the rows that are ranked. */
static abdb_status load_second_metric_mark_pareto_front(abdb_ranking *r, sqlite3 *db,
                                                        const char *name, abdb_error *err)
{
    const abdb_metric_info *info;
    abdb_member_column ignored;
    char metric[96];
    abdb_status st = ABDB_OK;

    snprintf(metric, sizeof metric, "%.*s", (int)strcspn(name, ":"), name);
    info = abdb_metric_find(metric);
    if (!info && !find_member_column_by_name(name, &ignored))
        TRY(ABDB_FAIL(err, ABDB_USAGE,
                      "--pareto '%s' is no metric and no column; `abdb query \"SELECT metric FROM"
                      " metric\"` lists metrics",
                      name));
    r->other_higher = info && strcmp(info->better, "higher") == 0;
    for (size_t i = 0; i < r->count; i++)
        TRY(load_second_metric_of_member(r, db, name, r->row[i].member, &r->row[i].other, err));
    for (size_t i = 0; i < r->count; i++) {
        abdb_ranked *x = &r->row[i];

        x->front = isfinite(x->other);
        for (size_t k = 0; k < r->count && x->front; k++) {
            const abdb_ranked *y = &r->row[k];
            double gain =
                (abdb_ranking_group_is_higher(r, x->group) ? 1 : -1) * (y->value - x->value);
            double other = (r->other_higher ? 1 : -1) * (y->other - x->other);

            if (y->group == x->group && isfinite(y->other) && gain >= 0 && other >= 0 &&
                (gain > 0 || other > 0))
                x->front = false;
        }
    }
done:
    return st;
}

/* --- like with like --------------------------------------------------------------------------- */

/* Sets the differences of each row from the first of its group. */
static abdb_status set_differences_from_group_leader(abdb_ranking *r, sqlite3 *db, abdb_error *err)
{
    abdb_single_member_side first, own;
    const char *unknown;
    abdb_status st = ABDB_OK;

    for (size_t i = 0; i < r->count; i++) {
        abdb_make_single_member_side(&own, &r->set, r->row[i].member);
        if (!i || r->row[i].group != r->row[i - 1].group)
            abdb_make_single_member_side(&first, &r->set, r->row[i].member);
        r->row[i].unlike =
            own.member == first.member
                ? ""
                : abdb_describe_unlike_factors(first.side, own.side, r->per, &r->arena);
        if (own.member == first.member) continue;
        TRY(abdb_describe_differences_of_unknown_meaning(&unknown, db, &r->book, &r->set,
                                                         first.member, own.member, &r->arena, err));
        if (!*unknown) continue;
        r->row[i].unlike = abdb_arena_printf(&r->arena, "%s%s%s", r->row[i].unlike,
                                             *r->row[i].unlike ? ", " : "", unknown);
        if (!r->row[i].unlike) TRY(ABDB_FAIL(err, ABDB_NOMEM, "a ranking"));
    }
done:
    return st;
}

/* --- all of it -------------------------------------------------------------------------------- */

/* --exploratory: one group of all that has one unit. */
static abdb_status merge_all_members_into_one_group(abdb_ranking *r, abdb_error *err)
{
    abdb_group *all = abdb_arena_alloc(&r->arena, sizeof *all);

    if (!all) return ABDB_FAIL(err, ABDB_NOMEM, "a ranking");
    all->key = "";
    all->member = abdb_arena_alloc(&r->arena, (r->set.members + 1) * sizeof *all->member);
    if (!all->member) return ABDB_FAIL(err, ABDB_NOMEM, "a ranking");
    for (size_t i = 0; i < r->set.members; i++) all->member[all->count++] = i;
    r->groups = (abdb_groups){1, all};
    return ABDB_OK;
}

abdb_status abdb_rank_results(abdb_ranking *out, sqlite3 *db, const char *selection,
                              const char *where, const abdb_rank_options *o, abdb_error *err)
{
    abdb_member_column by = o->pareto || o->pick == ABDB_PICK_EACH ? ABDB_M_key : ABDB_M_device;
    abdb_status st = ABDB_OK;

    *out = (abdb_ranking){0};
    if (o->by && !find_member_column_by_name(o->by, &by))
        TRY(ABDB_FAIL(err, ABDB_USAGE,
                      "--by '%s' is no column; device, system, submitter, backend, dtype and others"
                      " of `abdb query --schema v_comparable`",
                      o->by));
    TRY(abdb_rulebook_load(&out->book, db, err));
    TRY(abdb_set_load_normalised(&out->set, db, selection, where, &o->measure, err));
    TRY(abdb_sets_normalise_per_device_if_counts_differ(&out->set, 1, db, &o->measure, &out->per,
                                                        err));
    TRY(set_flag_if_backend_has_several_providers(out, err));
    if (o->exploratory)
        TRY(merge_all_members_into_one_group(out, err));
    else
        TRY(abdb_split_set_into_groups(&out->groups, &out->book, &out->set, false, NULL,
                                       &out->arena, err));
    out->row = calloc(out->set.members + 1, sizeof *out->row);
    if (!out->row) TRY(ABDB_FAIL(err, ABDB_NOMEM, "a ranking"));
    for (size_t g = 0; g < out->groups.count; g++)
        for (size_t i = 0; i < out->groups.group[g].count; i++) {
            size_t member = out->groups.group[g].member[i];
            const char *name = name_with_provider_if_several(out, member, by);

            if (member_is_rankable(&out->set.member[member]) && *name)
                TRY(update_or_append_best_of_name(out, g, member, name, err));
            else
                out->left_out++;
        }
    if (o->pick == ABDB_PICK_MEDIAN) TRY(replace_best_by_median(out, by, err));
    TRY(sort_rows_number_places_in_groups(out, err));
    if (o->pareto) TRY(load_second_metric_mark_pareto_front(out, db, o->pareto, err));
    TRY(set_differences_from_group_leader(out, db, err));
    if (o->suite) TRY(abdb_ranking_replace_rows_by_suite_geomean(out, o, err));
done:
    return st;
}

void abdb_ranking_free(abdb_ranking *r)
{
    free(r->row);
    abdb_set_free(&r->set);
    abdb_rulebook_free(&r->book);
    abdb_text_free(&r->excluded);
    abdb_text_free(&r->common);
    abdb_arena_free(&r->arena);
    *r = (abdb_ranking){0};
}
