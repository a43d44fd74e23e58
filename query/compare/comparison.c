/* comparison.c - a comparison as rows for programs, one per pair; see compare.h. Values are exact
 * and in base units. A pair that is refused has no values, unless the reader asked for an
 * exploratory answer, which is then said in a column of every row. */
#include <math.h>
#include <string.h>

#include "query/compare/compare.h"

/* The columns in the order in which add_row() fills them. */
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
                                    "_facts"};
enum { COLUMNS = sizeof names / sizeof names[0] };

static const char *or_empty(const char *text)
{
    return text ? text : "";
}

/* Fills the next cell of a row. */
typedef struct {
    abdb_table *table;
    abdb_value *next;
    bool failed;
} filler;

static void text(filler *f, const char *value)
{
    abdb_value *v = f->next++;

    if (!value || !*value) return;
    v->kind = ABDB_STRING;
    v->text = abdb_arena_copy(&f->table->arena, value, strlen(value));
    f->failed |= !v->text;
}

static void number(filler *f, double value)
{
    abdb_value *v = f->next++;

    if (!isfinite(value)) return;
    v->kind = ABDB_REAL;
    v->real = value;
}

static void count(filler *f, size_t value)
{
    abdb_value *v = f->next++;

    v->kind = ABDB_INTEGER;
    v->integer = (long long)value;
}

/* "round v5.1|v6.0; dtype fp8|fp4", of those that differ, or the names of those unknown. */
static void differing(const abdb_pair *pair, bool unknown, abdb_text *out)
{
    abdb_text_clear(out);
    for (size_t i = 0; i < pair->differs; i++) {
        const abdb_differing *d = &pair->differ[i];

        if (d->unknown != unknown) continue;
        abdb_text_printf(out, "%s%s", out->size ? "; " : "", d->name);
        if (!unknown) abdb_text_printf(out, " %s|%s", d->a, d->b);
    }
}

static void rules(const abdb_pair *pair, int part, abdb_text *out)
{
    abdb_text_clear(out);
    for (size_t i = 0; i < pair->refusals; i++) {
        const abdb_rule *r = pair->refusal[i];

        abdb_text_printf(out, "%s", out->size ? "; " : "");
        if (part == 2)
            abdb_text_printf(out, "%s, %s", r->source, r->locator);
        else
            abdb_text_puts(out, part == 0 ? r->rule : r->sentence);
    }
}

static double devices_of(abdb_side side, const abdb_summary_of *s)
{
    return s->picked == SIZE_MAX ? NAN : abdb_member_number(side.set, s->picked, ABDB_M_devices);
}

static const char *id_of(abdb_side side, const abdb_summary_of *s)
{
    return s->picked == SIZE_MAX ? "" : abdb_member_text(side.set, s->picked, ABDB_M_key);
}

/* Keys of what a side's number was made from. */
static void side_facts(abdb_side side, const abdb_summary_of *s, abdb_text *out)
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

static void identity(filler *f, const abdb_comparison *c, const abdb_pair *pair)
{
    size_t at = pair->a.group->member[0];
    const char *model = abdb_member_text(pair->a.set, at, ABDB_M_model);

    text(f, pair->a.set->selection);
    text(f, pair->b.set->selection);
    text(f, *model ? model : abdb_member_text(pair->a.set, at, ABDB_M_workload));
    text(f, abdb_member_text(pair->a.set, at, ABDB_M_scenario));
    text(f, abdb_member_text(pair->a.set, at, ABDB_M_metric));
    text(f, abdb_member_text(pair->a.set, at, ABDB_M_statistic));
    text(f, c->per);
    text(f, pair->unit);
}

static void values(filler *f, const abdb_pair *pair, bool shown)
{
    const abdb_difference *d = &pair->difference;
    bool ratio = shown && pair->has_ratio;

    number(f, shown ? pair->left.value : NAN);
    number(f, shown ? pair->left.low : NAN);
    count(f, pair->left.n);
    number(f, shown ? pair->right.value : NAN);
    number(f, shown ? pair->right.low : NAN);
    count(f, pair->right.n);
    text(f, pair->left.why ? pair->left.why : pair->right.why);
    number(f, ratio ? d->ratio : NAN);
    number(f, ratio && d->has_interval ? d->low : NAN);
    number(f, ratio && d->has_interval ? d->high : NAN);
    number(f, ratio && d->verdict != ABDB_VERDICT_STATED ? d->p : NAN);
    text(f, ratio ? abdb_verdict_name(d->verdict) : NULL);
}

/* How well a difference is known. */
static void evidence(filler *f, const abdb_difference *d, bool shown)
{
    bool tested = shown && isfinite(d->p);

    number(f, tested ? d->p_all : NAN);
    number(f, tested ? d->shows : NAN);
    number(f, tested && d->wants ? (double)d->wants : NAN);
    number(f, tested && !d->paired ? d->drift : NAN);
    text(f, tested ? d->paired ? "yes" : "no" : NULL);
    text(f, shown ? d->reason : NULL);
}

static abdb_status add_row(const abdb_comparison *c, const abdb_pair *pair, abdb_table *out,
                           abdb_error *err)
{
    static const char *const standings[] = {"comparable", "comparable-except", "not-comparable"};
    static const char *const choices[] = {"all", "equal size", "any size"};
    bool shown = abdb_pair_shown(c, pair);
    filler f = {.table = out, .next = abdb_table_row(out)};
    const char *formula = NULL;
    abdb_text words = {0};
    abdb_status st = ABDB_OK;

    if (!f.next) return ABDB_FAIL(err, ABDB_NOMEM, "a comparison");
    TRY(abdb_per_formula(c->per, &formula, err));
    identity(&f, c, pair);
    values(&f, pair, shown);
    text(&f, standings[pair->standing]);
    for (int part = 0; part < 3; part++) {
        rules(pair, part, &words);
        text(&f, abdb_text_get(&words));
    }
    for (int unknown = 0; unknown < 2; unknown++) {
        differing(pair, unknown != 0, &words);
        text(&f, abdb_text_get(&words));
    }
    text(&f, formula);
    text(&f, pair->standing == ABDB_REFUSED && shown ? "EXPLORATORY: NOT COMPARABLE" : NULL);
    text(&f, or_empty(shown ? id_of(pair->a, &pair->left) : NULL));
    text(&f, or_empty(shown ? id_of(pair->b, &pair->right) : NULL));
    text(&f, choices[pair->choice]);
    text(&f, shown ? pair->unlike : NULL);
    number(&f, shown ? devices_of(pair->a, &pair->left) : NAN);
    number(&f, shown ? devices_of(pair->b, &pair->right) : NAN);
    evidence(&f, &pair->difference, shown && pair->has_ratio);
    abdb_text_clear(&words);
    if (shown) side_facts(pair->a, &pair->left, &words);
    if (shown) side_facts(pair->b, &pair->right, &words);
    text(&f, abdb_text_get(&words));
    if (f.failed || words.failed) st = ABDB_FAIL(err, ABDB_NOMEM, "a comparison");
done:
    abdb_text_free(&words);
    return st;
}

abdb_status abdb_comparison_table(const abdb_comparison *c, abdb_table *out, abdb_error *err)
{
    abdb_status st = ABDB_OK;

    out->columns = COLUMNS;
    for (size_t i = 0; i < out->columns; i++) out->column[i].name = names[i];
    for (size_t i = 0; i < c->pairs; i++) TRY(add_row(c, &c->pair[i], out, err));
done:
    return st;
}
