/* compare_rows.c - a comparison as rows for programs, one per pair; see compare.h. Values are exact
 * and in base units. A pair that is refused has no values, unless the user requested an
* exploratory answer, which a column of every row then marks. */
#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "query/compare/compare.h"
#include "query/compare/ratio_factor_rows.h"

/* The columns in the order in which append_pair_row() fills them. */
static const char *const names[] = {"baseline",
                                    "contender",
                                    "workload",
                                    "scenario",
                                    "metric",
                                    "statistic",
                                    "per",
                                    "unit",
                                    "baseline_value",
                                    "baseline_worst",
                                    "baseline_n",
                                    "contender_value",
                                    "contender_worst",
                                    "contender_n",
                                    "left_out",
                                    "ratio",
                                    "ratio_low",
                                    "ratio_high",
                                    "p",
                                    "verdict",
                                    "standing",
                                    "rule",
                                    "sentence",
                                    "rule_source",
                                    "differ",
                                    "unknown",
                                    "formula",
                                    "exploratory",
                                    "baseline_id",
                                    "contender_id",
                                    "choice",
                                    "unlike",
                                    "baseline_devices",
                                    "contender_devices",
                                    "p_all",
                                    "shows",
                                    "wants",
                                    "drift",
                                    "paired",
                                    "reason",
                                    "_facts",
                                    "baseline_met_by",
                                    "contender_met_by",
                                    "label",
                                    "factors"};
enum { COLUMNS = sizeof names / sizeof names[0] };

const char *abdb_member_display_name(const abdb_set *set, size_t member, abdb_arena *arena)
{
    const char *cell = abdb_member_text(set, member, ABDB_M_cell);
    const char *model = abdb_member_text(set, member, ABDB_M_model),
               *scenario = abdb_member_text(set, member, ABDB_M_scenario);
    const char *number = strstr(cell, " #");

    if (*cell) return abdb_arena_copy(arena, cell, number ? (size_t)(number - cell) : strlen(cell));
    return abdb_arena_printf(arena, "%s%s%s",
                             *model ? model : abdb_member_text(set, member, ABDB_M_workload),
                             *scenario ? " " : "", scenario);
}

static const char *text_or_empty(const char *text)
{
    return text ? text : "";
}

/* Fills the next cell of a row. */
typedef struct {
    abdb_table *table;
    abdb_value *next;
    bool failed;
} row_writer;

static void write_next_text_cell(row_writer *f, const char *value)
{
    abdb_value *v = f->next++;

    if (!value || !*value) return;
    v->kind = ABDB_STRING;
    v->text = abdb_arena_copy(&f->table->arena, value, strlen(value));
    f->failed |= !v->text;
}

static void write_next_number_cell(row_writer *f, double value)
{
    abdb_value *v = f->next++;

    if (!isfinite(value)) return;
    v->kind = ABDB_REAL;
    v->real = value;
}

static void write_next_count_cell(row_writer *f, size_t value)
{
    abdb_value *v = f->next++;

    v->kind = ABDB_INTEGER;
    v->integer = (long long)value;
}

/* "round v5.1|v6.0; dtype fp8|fp4" of differing factors, or the names of the unknown ones. */
static void write_differing_factors_text(const abdb_pair *pair, bool only_unknown, abdb_text *out)
{
    abdb_text_clear(out);
    for (size_t i = 0; i < pair->differs; i++) {
        const abdb_differing *d = &pair->differ[i];

        if (d->unknown != only_unknown) continue;
        abdb_text_printf(out, "%s%s", out->size ? "; " : "", d->name);
        if (!only_unknown) abdb_text_printf(out, " %s|%s", d->a, d->b);
        if (!only_unknown && d->meaning_unknown) abdb_text_puts(out, ", meaning unknown");
    }
}

/* Writes one field of all refusals, "; " between: 0 the rules' names, 1 their sentences, 2 source
 * and place. */
static void write_refusals_rule_sentence_or_source(const abdb_pair *pair, int field, abdb_text *out)
{
    abdb_text_clear(out);
    for (size_t i = 0; i < pair->refusals; i++) {
        const abdb_rule *r = pair->refusal[i];

        abdb_text_printf(out, "%s", out->size ? "; " : "");
        if (field == 2)
            abdb_text_printf(out, "%s, %s", r->source, r->locator);
        else
            abdb_text_puts(out, field == 0 ? r->rule : r->sentence);
    }
}

static double picked_device_count(abdb_side side, const abdb_side_summary *s)
{
    return s->picked == SIZE_MAX ? NAN : abdb_member_number(side.set, s->picked, ABDB_M_devices);
}

static const char *picked_result_key(abdb_side side, const abdb_side_summary *s)
{
    return s->picked == SIZE_MAX ? "" : abdb_member_text(side.set, s->picked, ABDB_M_key);
}

/* How the representative result of a side keeps the limits of --at. */
static const char *picked_met_by(abdb_side side, const abdb_side_summary *s)
{
    return s->picked == SIZE_MAX ? NULL : side.set->member[s->picked].met_by;
}

/* Keys of the facts behind a side's number. */
static void append_side_fact_keys(abdb_side side, const abdb_side_summary *s, abdb_text *out)
{
    for (size_t i = 0; i < side.group->count; i++) {
        size_t at = side.group->member[i];

        if (side.set->member[at].why || (s->picked != SIZE_MAX && !s->sampled && at != s->picked))
            continue;
        abdb_text_printf(out, "%s%s", out->size ? " " : "",
                         abdb_member_text(side.set, at, ABDB_M_key));
        if (side.set->member[at].facts) abdb_text_printf(out, " %s", side.set->member[at].facts);
    }
}

/* Writes the cells that name a pair: both selections, model or workload, scenario, metric,
 * statistic, basis, unit. */
static void write_identity_cells(row_writer *f, const abdb_comparison *c, const abdb_pair *pair)
{
    size_t at = pair->a.group->member[0];
    const char *model = abdb_member_text(pair->a.set, at, ABDB_M_model);

    write_next_text_cell(f, pair->a.set->selection);
    write_next_text_cell(f, pair->b.set->selection);
    write_next_text_cell(f, *model ? model : abdb_member_text(pair->a.set, at, ABDB_M_workload));
    write_next_text_cell(f, abdb_member_text(pair->a.set, at, ABDB_M_scenario));
    write_next_text_cell(f, abdb_member_text(pair->a.set, at, ABDB_M_metric));
    write_next_text_cell(f, abdb_member_text(pair->a.set, at, ABDB_M_statistic));
    write_next_text_cell(f, c->per);
    write_next_text_cell(f, pair->unit);
}

/* Writes values, counts, ratio, interval, p and verdict; where the pair may not be shown, counts
 * and reasons alone. */
static void write_value_ratio_and_verdict_cells(row_writer *f, const abdb_pair *pair, bool shown)
{
    const abdb_difference *d = &pair->difference;
    bool ratio = shown && pair->has_ratio;

    write_next_number_cell(f, shown ? pair->left.value : NAN);
    write_next_number_cell(f, shown ? pair->left.low : NAN);
    write_next_count_cell(f, pair->left.n);
    write_next_number_cell(f, shown ? pair->right.value : NAN);
    write_next_number_cell(f, shown ? pair->right.low : NAN);
    write_next_count_cell(f, pair->right.n);
    write_next_text_cell(f, pair->left.why ? pair->left.why : pair->right.why);
    write_next_number_cell(f, ratio ? d->ratio : NAN);
    write_next_number_cell(f, ratio && d->has_interval ? d->low : NAN);
    write_next_number_cell(f, ratio && d->has_interval ? d->high : NAN);
    write_next_number_cell(f, ratio && d->verdict != ABDB_VERDICT_STATED ? d->p : NAN);
    write_next_text_cell(f, ratio ? abdb_verdict_name(d->verdict) : NULL);
}

/* How well a difference is known. */
static void write_test_quality_cells(row_writer *f, const abdb_pair *pair, bool may_be_shown)
{
    const abdb_difference *d = &pair->difference;
    bool shown = may_be_shown && pair->has_ratio, tested = shown && isfinite(d->p);

    write_next_number_cell(f, tested ? d->p_corrected : NAN);
    write_next_number_cell(f, tested ? d->detectable_change : NAN);
    write_next_number_cell(f, tested && d->processes_needed ? (double)d->processes_needed : NAN);
    write_next_number_cell(f, tested && !d->paired ? d->drift : NAN);
    write_next_text_cell(f, tested ? d->paired ? "yes" : "no" : NULL);
    write_next_text_cell(f, shown          ? d->reason
                            : may_be_shown ? abdb_pair_why_no_ratio_or_null(pair)
                                           : NULL);
}

/* Writes the label of a pair, and the equal factors of both sides as a JSON object: these identify
 * the row. */
static void write_label_and_factors_cells(row_writer *f, const abdb_pair *pair)
{
    json_t *factors = json_object();
    char *text;

    write_next_text_cell(
        f, abdb_member_display_name(pair->a.set, pair->a.group->member[0], &f->table->arena));
    for (const char *at = pair->a.group->key; *at; at += strcspn(at, "\x1f") + 1) {
        size_t name = strcspn(at, "="), size = strcspn(at, "\x1f");
        const char *same = pair->b.group->key;

        while (*same && (strncmp(same, at, size) != 0 || same[size] != '\x1f'))
            same += strcspn(same, "\x1f") + 1;
        if (!*same) continue;
        json_object_setn_new(factors, at, name, json_stringn(at + name + 1, size - name - 1));
    }
    text = json_dumps(factors, JSON_COMPACT | JSON_SORT_KEYS);
    f->failed |= !text;
    write_next_text_cell(f, text);
    free(text);
    json_decref(factors);
}

/* Appends a pair as one row: its cells in the order of the columns. */
static abdb_status append_pair_row(const abdb_comparison *c, const abdb_pair *pair, abdb_table *out,
                                   abdb_error *err)
{
    static const char *const standings[] = {"comparable", "comparable-except", "not-comparable"};
    static const char *const choices[] = {"all", "equal size", "any size"};
    bool shown = abdb_pair_may_be_shown(c, pair);
    row_writer f = {.table = out, .next = abdb_table_append_row(out)};
    const char *formula = NULL;
    abdb_text words = {0};
    abdb_status st = ABDB_OK;

    if (!f.next) return ABDB_FAIL(err, ABDB_NOMEM, "a comparison");
    TRY(abdb_find_per_formula(c->per, &formula, err));
    write_identity_cells(&f, c, pair);
    write_value_ratio_and_verdict_cells(&f, pair, shown);
    write_next_text_cell(&f, standings[pair->comparability]);
    for (int part = 0; part < 3; part++) {
        write_refusals_rule_sentence_or_source(pair, part, &words);
        write_next_text_cell(&f, abdb_text_get(&words));
    }
    for (int unknown = 0; unknown < 2; unknown++) {
        write_differing_factors_text(pair, unknown != 0, &words);
        write_next_text_cell(&f, abdb_text_get(&words));
    }
    write_next_text_cell(&f, formula);
    write_next_text_cell(
        &f, pair->comparability == ABDB_REFUSED && shown ? "EXPLORATORY: NOT COMPARABLE" : NULL);
    write_next_text_cell(&f, text_or_empty(shown ? picked_result_key(pair->a, &pair->left) : NULL));
    write_next_text_cell(&f,
                         text_or_empty(shown ? picked_result_key(pair->b, &pair->right) : NULL));
    write_next_text_cell(&f, choices[pair->choice]);
    write_next_text_cell(&f, shown ? pair->unlike : NULL);
    write_next_number_cell(&f, shown ? picked_device_count(pair->a, &pair->left) : NAN);
    write_next_number_cell(&f, shown ? picked_device_count(pair->b, &pair->right) : NAN);
    write_test_quality_cells(&f, pair, shown);
    abdb_text_clear(&words);
    if (shown) append_side_fact_keys(pair->a, &pair->left, &words);
    if (shown) append_side_fact_keys(pair->b, &pair->right, &words);
    write_next_text_cell(&f, abdb_text_get(&words));
    write_next_text_cell(&f, shown ? picked_met_by(pair->a, &pair->left) : NULL);
    write_next_text_cell(&f, shown ? picked_met_by(pair->b, &pair->right) : NULL);
    write_label_and_factors_cells(&f, pair);
    if (f.failed || words.failed) st = ABDB_FAIL(err, ABDB_NOMEM, "a comparison");
done:
    abdb_text_free(&words);
    return st;
}

abdb_status abdb_comparison_to_data_table(const abdb_comparison *c, bool with_why, abdb_table *out,
                                          abdb_error *err)
{
    abdb_status st = ABDB_OK;

    out->columns = COLUMNS;
    for (size_t i = 0; i < out->columns; i++) out->column[i].name = names[i];
    if (with_why) out->column[out->columns++].name = "why";
    for (size_t i = 0; i < c->pairs; i++) {
        const char *why;

        TRY(append_pair_row(c, &c->pair[i], out, err));
        if (!with_why) continue;
        TRY(abdb_describe_two_largest_ratio_factors(c, &c->pair[i], &why, &out->arena, err));
        if (*why)
            out->value[out->rows * out->columns - 1] =
                (abdb_value){.kind = ABDB_STRING, .text = why};
    }
done:
    return st;
}
