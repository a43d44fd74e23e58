/* cmd_rank.c - abdb rank: the best under constraints (query/compare/rank.h) as rows. */
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "query/answer/mlperf_footnotes.h"
#include "query/compare/latency_limit.h"
#include "query/compare/like_for_like.h"
#include "query/compare/compare_text.h"
#include "query/compare/price_notes.h"
#include "query/compare/ranking_factors.h"
#include "query/compare/compare_table.h"
#include "query/verbs/normalisation_options.h"
#include "query/verbs/table_output.h"

/* Places of each group that people see; --all and formats for programs show all. */
enum { LIMIT = 20 };

typedef enum {
    C_WORK,
    C_SCENARIO,
    C_METRIC,
    C_PER,
    C_DIVISION,
    C_GROUP,
    C_PLACE,
    C_NAME,
    C_DEVICES,
    C_SUBMITTER,
    C_SYSTEM,
    C_VALUE,
    C_UNIT,
    C_OTHER,
    C_FRONT,
    C_OF,
    C_RATIO,
    C_PRICE,
    C_ROUND,
    C_DTYPE,
    C_VERIFIED,
    C_ID,
    C_UNLIKE,
    C_EXPLORATORY,
    C_MARKS,
    C_VERIFIED_BY,
    C_WARNINGS,
    C_RESULT,
    C_FACTS,
    C_MET_BY,
    C_WHY,
    C_FIRST_IN,
    C_COUNT
} column;
static const struct {
    const char *name, *label, *style;
} columns[C_COUNT] = {{"workload", NULL, "cut30"},
                      {"scenario", NULL, ""},
                      {"metric", NULL, ""},
                      {"per", NULL, ""},
                      {"division", NULL, ""},
                      {"group", NULL, "cut60"},
                      {"place", "#", ""},
                      {"device", NULL, "cut28"},
                      {"devices", "chips", ""},
                      {"submitter", NULL, "cut20"},
                      {"system", NULL, "cut30"},
                      {"value", NULL, "g6"},
                      {"unit", NULL, ""},
                      {"other", NULL, "g5"},
                      {"front", NULL, ""},
                      {"of", NULL, ""},
                      {"ratio", "of first", "2"},
                      {"price", NULL, ""},
                      {"round", NULL, ""},
                      {"dtype", "weights", ""},
                      {"verified", NULL, ""},
                      {"public_id", "ID", ""},
                      {"unlike", "unlike the first in", "cut44"},
                      {"exploratory", NULL, ""},
                      {"marks", NULL, ""},
                      {"verified_by", "verified by", ""},
                      {"warnings", NULL, ""},
                      {"_key", NULL, ""},
                      {"_facts", NULL, ""},
                      {"met_by", "within the limits by", ""},
                      {"why", "why: two largest factors", "cut60"},
                      {"first_in", "first in %", "1"}};

/* The selection that the options spell: --workload, --scenario and the words given. */
static const char *build_selection_text(const abdb_args *args, abdb_arena *arena)
{
    const char *workload = abdb_arg_value(args, "workload"),
               *scenario = abdb_arg_value(args, "scenario");
    abdb_text out = {0};
    const char *copy;

    if (workload) abdb_append_quoted_equal_condition(&out, "work", workload);
    if (scenario) abdb_append_quoted_equal_condition(&out, "scenario", scenario);
    for (int i = 0; i < args->positionals; i++)
        abdb_text_printf(&out, "%s%s", out.size ? "," : "", args->positional[i]);
    copy = abdb_arena_copy(arena, abdb_text_get(&out), out.size);
    abdb_text_free(&out);
    return copy ? copy : "";
}

static void set_text_cell_unless_empty(abdb_table *t, abdb_value *row, column c, const char *value)
{
    if (value && *value)
        row[c] = (abdb_value){.kind = ABDB_STRING, .text = abdb_table_copy_text(t, value)};
}

static void set_real_cell_if_finite(abdb_value *row, column c, double value)
{
    if (isfinite(value)) row[c] = (abdb_value){.kind = ABDB_REAL, .real = value};
}

static void set_integer_cell_if_finite(abdb_value *row, column c, double value)
{
    if (isfinite(value)) row[c] = (abdb_value){.kind = ABDB_INTEGER, .integer = (long long)value};
}

/* Copies the columns of a ranked result into the row of the table. */
static void copy_cells_of_ranked_result(const abdb_ranking *r, size_t at, abdb_table *t,
                                        abdb_value *row)
{
    static const struct {
        column to;
        abdb_member_column from;
    } copied[] = {{C_SCENARIO, ABDB_M_scenario}, {C_METRIC, ABDB_M_metric},
                  {C_DIVISION, ABDB_M_division}, {C_SUBMITTER, ABDB_M_submitter},
                  {C_SYSTEM, ABDB_M_system},     {C_ROUND, ABDB_M_round},
                  {C_DTYPE, ABDB_M_dtype},       {C_VERIFIED, ABDB_M_verified},
                  {C_ID, ABDB_M_public_id},      {C_RESULT, ABDB_M_key},
                  {C_MARKS, ABDB_M_marks},       {C_VERIFIED_BY, ABDB_M_verified_by}};
    const abdb_member *m = &r->set.member[at];
    const char *model = abdb_member_text(&r->set, at, ABDB_M_model);

    set_text_cell_unless_empty(t, row, C_WORK,
                               *model ? model : abdb_member_text(&r->set, at, ABDB_M_workload));
    for (size_t i = 0; i < sizeof copied / sizeof copied[0]; i++)
        set_text_cell_unless_empty(t, row, copied[i].to,
                                   abdb_member_text(&r->set, at, copied[i].from));
    set_integer_cell_if_finite(row, C_DEVICES, abdb_member_number(&r->set, at, ABDB_M_devices));
    set_text_cell_unless_empty(t, row, C_PRICE, m->price);
    row[C_FACTS] = (abdb_value){
        .kind = ABDB_STRING,
        .text = abdb_arena_printf(&t->arena, "%s%s%s", abdb_member_text(&r->set, at, ABDB_M_key),
                                  m->facts ? " " : "", m->facts ? m->facts : "")};
}

/* For people: rows of one unit have one prefix, taken from the first of them. */
static void scale_values_to_one_prefix_per_unit(abdb_table *t)
{
    abdb_unit_prefix scale = {1, ""};
    const char *unit = NULL;

    for (size_t i = 0; i < t->rows; i++) {
        abdb_value *row = t->value + i * t->columns;

        if (row[C_UNIT].kind != ABDB_STRING || row[C_VALUE].kind != ABDB_REAL) continue;
        if (!unit || strcmp(unit, row[C_UNIT].text) != 0)
            scale = abdb_pick_unit_prefix(fabs(row[C_VALUE].real), row[C_UNIT].text);
        unit = row[C_UNIT].text;
        row[C_VALUE].real /= scale.factor;
        row[C_UNIT].text =
            strcmp(unit, "1") == 0 ? "%" : abdb_arena_printf(&t->arena, "%s%s", scale.prefix, unit);
    }
}

/* Does this entry of a group's key stand in no other column, and differ among the groups? */
static bool key_entry_tells_groups_apart(const abdb_ranking *r, const char *key, size_t name,
                                         size_t size)
{
    static const char *const shown[] = {"model",    "workload", "scenario", "division",
                                        "evidence", "dtype",    "metric",   NULL};
    char word[64];

    snprintf(word, sizeof word, "%.*s", (int)name, key);
    if (abdb_text_is_in_list(word, shown)) return false;
    if (!abdb_factor_is_displayed(word) && strcmp(word, "compatibility") != 0)
        return false; /* it splits groups */
    for (size_t g = 0; g < r->groups.count; g++) {
        const char *at = strstr(r->groups.group[g].key, word);

        while (at && ((at > r->groups.group[g].key && at[-1] != '\x1f') || at[name] != '='))
            at = strstr(at + 1, word);
        if (!at || strncmp(at, key, size) != 0 || (at[size] && at[size] != '\x1f')) return true;
    }
    return false;
}

/* "input_tokens=8192 concurrency=16": values of one group's results that differ between groups. */
static void format_group_differences(const abdb_ranking *r, size_t group, abdb_text *out)
{
    const char *key = r->groups.group[group].key;

    abdb_text_clear(out);
    for (size_t size; *key; key += size + (key[size] != 0)) {
        size = strcspn(key, "\x1f");
        if (key_entry_tells_groups_apart(r, key, strcspn(key, "="), size))
            abdb_text_printf(out, "%s%.*s", out->size ? " " : "", (int)size, key);
    }
}

/* Adds the row of one place: its value, its ratio to the first, and its group. */
static abdb_status append_ranked_row(const abdb_ranking *r, const abdb_ranked *x,
                                     const abdb_ranked *first, const abdb_rank_options *o,
                                     abdb_table *t, abdb_error *err)
{
    abdb_value *row = abdb_table_append_row(t);

    if (!row) return ABDB_FAIL(err, ABDB_NOMEM, "a ranking");
    if (o->suite) {
        row[C_VALUE] = (abdb_value){.kind = ABDB_REAL, .real = x->geomean};
        set_integer_cell_if_finite(row, C_OF, (double)x->n);
        set_text_cell_unless_empty(t, row, C_UNIT, "geomean of ratios");
    } else {
        abdb_text group = {0};

        copy_cells_of_ranked_result(r, x->member, t, row);
        format_group_differences(r, x->group, &group);
        set_text_cell_unless_empty(t, row, C_GROUP, abdb_text_get(&group));
        abdb_text_free(&group);
        set_real_cell_if_finite(row, C_VALUE, x->value);
        set_real_cell_if_finite(row, C_OTHER, x->other);
        set_text_cell_unless_empty(t, row, C_UNIT, r->set.member[x->member].unit);
        set_integer_cell_if_finite(row, C_OF, (double)x->of);
        set_real_cell_if_finite(row, C_RATIO,
                                first->value > 0 && !*x->unlike ? x->value / first->value : NAN);
        set_text_cell_unless_empty(t, row, C_UNLIKE, x->unlike);
        set_text_cell_unless_empty(t, row, C_FRONT, x->front ? "front" : "");
        set_text_cell_unless_empty(t, row, C_MET_BY, r->set.member[x->member].met_by);
    }
    set_text_cell_unless_empty(t, row, C_PER, strcmp(r->per, "none") != 0 ? r->per : "");
    set_integer_cell_if_finite(row, C_PLACE, (double)x->place);
    set_text_cell_unless_empty(t, row, C_NAME,
                               (o->pareto || o->pick == ABDB_PICK_EACH) && !o->by
                                   ? abdb_member_text(&r->set, x->member, ABDB_M_device)
                                   : x->name);
    if (o->exploratory)
        set_text_cell_unless_empty(t, row, C_EXPLORATORY, "EXPLORATORY: NOT COMPARABLE");
    return ABDB_OK;
}

/* The two largest factors of the ratio to the first; nothing where a rule refuses the pair. */
static abdb_status set_why_cell_of_last_row(const abdb_ranking *r, const abdb_ranked *x,
                                            const abdb_ranked *first, const abdb_rank_options *o,
                                            sqlite3 *db, abdb_table *t, abdb_error *err)
{
    const char *why;
    abdb_status st = ABDB_OK;

    if (x == first || o->suite || o->pareto) return ABDB_OK;
    st = abdb_describe_factors_of_ranked_row(r, x, first, &o->measure, db, &why, &t->arena, err);
    if (st == ABDB_OK)
        set_text_cell_unless_empty(t, t->value + (t->rows - 1) * t->columns, C_WHY, why);
    return st;
}

/* A column without a value in any row is left out for people. */
static void hide_empty_columns(abdb_table *t)
{
    for (size_t c = 0; c < t->columns; c++) {
        bool any = false;

        for (size_t i = 0; i < t->rows && !any; i++)
            any = t->value[i * t->columns + c].kind != ABDB_NULL;
        if (!any && t->column[c].name[0] != '_')
            t->column[c].name = abdb_table_copy_text(t, "_empty");
    }
}

/* Of the rows that are shown, or of all that make a suite. */
static void add_price_notes(const abdb_ranking *r, const abdb_rank_options *o, abdb_table *t)
{
    abdb_price_summary met = {0};

    for (size_t i = 0; !o->suite && i < r->count; i++)
        abdb_price_summary_add_member(&met, &r->set.member[r->row[i].member]);
    for (size_t i = 0; o->suite && i < r->set.members; i++)
        abdb_price_summary_add_member(&met, &r->set.member[i]);
    abdb_price_summary_add_notes(&met, t);
}

/* Adds the number of omitted results and the first reason; those of a mark are counted by mark. */
static void add_left_out_notes(const abdb_ranking *r, abdb_table *t)
{
    const char *why = NULL;
    size_t counted = 0; /* otherwise */

    for (size_t i = 0; i < r->set.members; i++) {
        const abdb_member *m = &r->set.member[i];
        bool apart = m->mark || (m->why && strcmp(m->why, abdb_another_point_answers) == 0);

        counted += apart;
        if (!why && !apart) why = m->why;
    }
    if (r->left_out > counted)
        abdb_table_add_note_format(t, "%zu of %zu results left out%s%s", r->left_out - counted,
                                   r->set.members, why ? ": " : "", why ? why : "");
    abdb_set_add_notes_of_marked_results(&r->set, NULL, t);
}

/* Adds the notes below a ranking: its normalisation, its groups, the number of hidden rows. */
static abdb_status add_ranking_notes(const abdb_ranking *r, const abdb_rank_options *o,
                                     size_t hidden, abdb_table *t, abdb_error *err)
{
    const char *formula = NULL;
    bool mlperf = strcmp(abdb_member_text(&r->set, 0, ABDB_M_evidence), "mlperf") == 0;

    if (hidden) t->cut = abdb_arena_printf(&t->arena, "… %zu more (--all)", hidden);
    abdb_status st = abdb_find_per_formula(r->per, &formula, err);

    if (st != ABDB_OK) return st;
    if (!o->measure.per && formula) {
        double usual = 0;
        const char *sizes =
            abdb_list_device_counts_find_most_frequent(&r->set, 1, &usual, &t->arena);

        abdb_table_add_note_format(
            t,
            "per %s, because the numbers of devices differ (%s); --per none ranks totals, --where"
            " devices=%.0f systems of one size",
            r->per, sizes, usual);
    }
    if (formula)
        abdb_table_add_note_format(t, "%s: derived by abdb%s", formula,
                                   mlperf ? "; not an official or verified MLPerf® metric." : ".");
    add_price_notes(r, o, t);
    add_left_out_notes(r, t);
    if (o->suite) {
        abdb_table_add_note_format(
            t, "geometric mean of ratios to %s over %zu benchmarks and scenarios%s",
            o->baseline ? o->baseline : "the first", r->suite,
            mlperf ? "; composite, not endorsed by MLCommons" : "");
        if (r->twins)
            abdb_table_add_note_format(
                t, "%zu more repeat a number of another accuracy target: counted once", r->twins);
        if (r->excluded.size)
            abdb_table_add_note_format(t, "excluded, because a result is missing or not alike: %s",
                                       abdb_text_get(&r->excluded));
        if (r->common.size)
            abdb_table_add_note_format(t, "the largest common part%s is %s",
                                       r->part ? ", ranked here," : " (--common ranks it)",
                                       abdb_text_get(&r->common));
    } else if (o->pareto)
        abdb_table_add_note(
            t, "front: no other run here is at least as good in both and better in one");
    else
        abdb_table_add_note(
            t, o->pick == ABDB_PICK_MEDIAN
                   ? "the median of each; `of` counts its results; the row is the nearest one"
                   : "the best of each; `of` counts the results that it is the best of");
    if (!o->exploratory && r->groups.count > 1 && !o->suite)
        abdb_table_add_note_format(
            t, "%zu groups that may not be compared with one another: # begins anew in each",
            r->groups.count);
    return ABDB_OK;
}

/* Columns and title of the ranking. */
static void set_ranking_columns_and_title(const abdb_rank_options *o, bool why, bool ranges,
                                          abdb_table *t)
{
    const char *what = o->suite                      ? "Suite score"
                       : o->pareto                   ? "Pareto front"
                       : o->pick == ABDB_PICK_MEDIAN ? "Median of each "
                       : o->pick == ABDB_PICK_EACH   ? "Each result"
                                                     : "Best of each ";
    bool whole = o->suite || o->pareto || o->pick == ABDB_PICK_EACH;

    t->columns = ranges ? C_COUNT : why ? C_FIRST_IN : C_WHY; /* the last are of these options */
    for (size_t c = 0; c < t->columns; c++)
        t->column[c] = (abdb_column){columns[c].name, columns[c].label, columns[c].style};
    if (o->by) t->column[C_NAME].label = o->by;
    if (o->pareto) t->column[C_OTHER].label = o->pareto;
    t->title = abdb_arena_printf(&t->arena, "%s%s%s",
                                 o->exploratory ? "EXPLORATORY, NOT COMPARABLE: " : "", what,
                                 whole   ? ""
                                 : o->by ? o->by
                                         : "device");
    t->hoist = "workload scenario metric per division group unit round dtype verified exploratory "
               "verified_by";
    t->screen = "workload scenario metric group place device devices submitter value other ratio "
                "price round unlike marks met_by why first_in";
}

/* Fills the table with the ranking up to --limit, its notes and MLPerf's footnotes. */
static abdb_status fill_ranking_table(const abdb_args *args, const abdb_ranking *r,
                                      const abdb_rank_options *o, const abdb_range_question *ranges,
                                      abdb_db *db, abdb_table *t, abdb_error *err)
{
    double *share = NULL;
    size_t hidden = 0, first = 0;
    long long limit = LIMIT;
    const char *text_limit = abdb_arg_value(args, "limit");
    bool all = abdb_arg_value(args, "all") != NULL;
    abdb_status st = ABDB_OK;

    if (text_limit &&
        !abdb_integer_parse_in_range(text_limit, ABDB_MARK_UNKNOWN, 1, 1000000, &limit))
        return ABDB_FAIL(err, ABDB_USAGE, "--limit wants a number of rows, not '%s'", text_limit);
    if (!text_limit && abdb_format_is_for_programs(args)) limit = LLONG_MAX;
    set_ranking_columns_and_title(o, abdb_arg_value(args, "why") != NULL, ranges->words != NULL, t);
    if (ranges->words) {
        share = abdb_arena_alloc(&t->arena, (r->count + 1) * sizeof *share);
        if (!share) TRY(ABDB_FAIL(err, ABDB_NOMEM, "ranges of a ranking"));
        TRY(abdb_simulate_ranking_first_shares(r, ranges, share, err));
    }
    for (size_t i = 0; i < r->count; i++) {
        if (!i || r->row[i].group != r->row[i - 1].group) first = i;
        if (o->pareto && !all && !r->row[i].front) continue;
        if (!all && (long long)r->row[i].place > limit) {
            hidden++;
            continue;
        }
        TRY(append_ranked_row(r, &r->row[i], &r->row[first], o, t, err));
        if (abdb_arg_value(args, "why"))
            TRY(set_why_cell_of_last_row(r, &r->row[i], &r->row[first], o, db->sql, t, err));
        if (share)
            set_real_cell_if_finite(t->value + (t->rows - 1) * t->columns, C_FIRST_IN,
                                    100 * share[i]);
    }
    if (!t->rows)
        TRY(ABDB_FAIL(err, ABDB_USAGE, "no run here has both metrics: %s is missing", o->pareto));
    if (abdb_arg_value(args, "where"))
        abdb_table_add_note_format(t, "only results with %s (--where)",
                                   abdb_arg_value(args, "where"));
    if (share) abdb_note_ranking_ranges(ranges, r, t);
    TRY(add_ranking_notes(r, o, hidden, t, err));
    TRY(abdb_add_mlperf_scenario_limit_notes(&r->set, db->sql, t, err));
    TRY(abdb_add_mlperf_footnotes_as_table_notes(db, t, false, err));
    abdb_table_append_cut_note(t);
done:
    return st;
}

/* Parses the options, ranks and prints. */
static abdb_status rank_and_print_by_options(int argc, char **argv, abdb_error *err)
{
    abdb_rank_options o = {0};
    abdb_range_question ranges;
    abdb_latency_question at;
    abdb_ranking ranking = {0};
    abdb_arena arena = {0};
    abdb_table table = {0};
    abdb_args args;
    abdb_db *db = NULL;
    abdb_status st;

    TRY(abdb_args_parse(&args, argc, argv, "rank", NULL, err));
    abdb_parse_normalisation_options(&args, &o.measure);
    TRY(abdb_parse_at_options(&args, &at, &o.measure, err));
    TRY(abdb_parse_pick_option(&args, &o.pick, err));
    TRY(abdb_parse_range_options(&args, &ranges, err));
    o.by = abdb_arg_value(&args, "by");
    o.pareto = abdb_arg_value(&args, "pareto");
    o.baseline = abdb_arg_value(&args, "baseline");
    o.common = abdb_arg_value(&args, "common") != NULL;
    o.suite = o.common || abdb_arg_value(&args, "suite") != NULL;
    o.exploratory = abdb_arg_value(&args, "exploratory") != NULL;
    if (ranges.words && (o.suite || o.pareto || (o.by && ranges.ranges.by_evidence)))
        TRY(ABDB_FAIL(err, ABDB_USAGE,
                      "--ranges varies values of one kind, not --suite and --pareto; evidence is"
                      " that of devices, so with --by give multiples: rate=0.9..1.1"));
    if (!args.positionals && !abdb_arg_value(&args, "workload") && !abdb_arg_value(&args, "where"))
        TRY(ABDB_FAIL(err, ABDB_USAGE,
                      "rank what? --workload NAME, or a selection such as model=llama2-70b-99"));
    TRY(abdb_open_guarded_readonly_db(&args, &db, err));
    TRY(abdb_rank_results(&ranking, db->sql, build_selection_text(&args, &arena),
                          abdb_arg_value(&args, "where"), &o, err));
    if (ranking.set.note) abdb_print_stderr_remark("%s", ranking.set.note);
    if (!ranking.count)
        TRY(ABDB_FAIL(err, ABDB_UNFAIR, "no result can be ranked: %s",
                      ranking.set.member[0].why ? ranking.set.member[0].why
                                                : "none says its device, or what --by names; "
                                                  "import with --set device=NAME, or --by model"));
    TRY(fill_ranking_table(&args, &ranking, &o, &ranges, db, &table, err));
    if (!abdb_format_is_for_programs(&args)) {
        scale_values_to_one_prefix_per_unit(&table);
        hide_empty_columns(&table);
    }
    TRY(abdb_print_table_by_options_end_deadline(&args, &table, err));
done:
    abdb_table_free(&table);
    abdb_ranking_free(&ranking);
    abdb_arena_free(&arena);
    abdb_db_close(db);
    return st;
}

int abdb_cmd_rank(int argc, char **argv)
{
    abdb_error err;

    return rank_and_print_by_options(argc, argv, &err) == ABDB_OK
               ? 0
               : abdb_print_error_return_exit_code(&err);
}
