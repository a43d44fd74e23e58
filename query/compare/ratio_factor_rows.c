/* ratio_factor_rows.c - see ratio_factor_rows.h. */
#include "query/compare/ratio_factor_rows.h"

#include <math.h>
#include <string.h>

#include "query/compare/compare_text.h"
#include "query/compare/pair_label.h"
#include "query/compare/price_notes.h"
#include "query/compare/ratio_factors.h"
#include "query/compare/refused_pair.h"

typedef enum {
    C_WORK,
    C_SCENARIO,
    C_PER,
    C_PLACE,
    C_FACTOR,
    C_FROM,
    C_TO,
    C_TIMES,
    C_PRODUCT,
    C_RATIO,
    C_BETTER,
    C_KEY,
    C_UNIT,
    C_FACTS,
    C_PAIR,
    C_NOTE, /* of abdb_why: a row of a note alone */
    C_LABEL,
    C_UNLIKE,
    C_FIRST_IN,
    C_COUNT
} column;
static const struct {
    const char *name, *label, *style;
} columns[C_COUNT] = {{"work", "what", "cut30"},
                      {"scenario", NULL, ""},
                      {"per", NULL, ""},
                      {"place", "#", ""},
                      {"factor", NULL, ""},
                      {"a", "A", "cut40"},
                      {"b", "B", "cut40"},
                      {"times", NULL, "3"},
                      {"product", NULL, "3"},
                      {"ratio", "B/A", "3"},
                      {"better", NULL, ""},
                      {"result", "to", ""},
                      {"unit", NULL, ""},
                      {"_facts", NULL, ""},
                      {"_pair", NULL, ""},
                      {"_note", NULL, ""},
                      {"label", "pair", ""},
                      {"unlike", NULL, ""},
                      {"first_in", "B first in %", "1"}};

static void set_text_cell_unless_empty(abdb_table *t, abdb_value *row, column c, const char *text)
{
    if (text && *text)
        row[c] = (abdb_value){.kind = ABDB_STRING, .text = abdb_table_copy_text(t, text)};
}

/* What distinguishes the pair beside model and scenario, which stand before it:
 * "power_submission=yes"; "": nothing. From arena. */
static const char *format_label_beside_work(const abdb_comparison *c, const abdb_pair *pair,
                                            abdb_arena *arena)
{
    static const char *const of_work[] = {"model", "workload", "scenario", NULL};
    const char *name[ABDB_DIFFER_MAX], *label;
    size_t names = abdb_pick_names_distinguishing_pairs(c, pair->contender, arena, name), kept = 0;
    abdb_text text = {0};

    for (size_t i = 0; i < names; i++)
        if (!abdb_text_is_in_list(name[i], of_work)) name[kept++] = name[i];
    if (!kept) return "";
    abdb_format_pair_label(pair, name, kept, &text);
    label = abdb_arena_printf(arena, "%s", abdb_text_get(&text));
    abdb_text_free(&text);
    return label ? label : "";
}

/* The provider of the price of a side, where each side has another; "" where they have one, or the
 * reader's own quote. */
static const char *provider_where_sides_differ(const abdb_pair *pair, bool of_contender)
{
    const abdb_member *a = &pair->a.set->member[pair->left.picked],
                      *b = &pair->b.set->member[pair->right.picked];

    if (!a->price || !b->price || strcmp(a->provider, b->provider) == 0 ||
        strcmp(of_contender ? b->provider : a->provider, "you") == 0)
        return "";
    return of_contender ? b->provider : a->provider;
}

/* Adds the sentence of a pair: "B is 1.52 times A: round 1.05, number format and device 1.45", and
 * the results missing to separate its joint factors. */
static void note_ratio_sentence_and_missing_results(const abdb_pair *pair, const char *label,
                                                    const abdb_ratio_factors *f, abdb_table *t)
{
    const abdb_set *set = pair->a.set;
    const char *model = abdb_member_text(set, pair->left.picked, ABDB_M_model),
               *scenario = abdb_member_text(set, pair->left.picked, ABDB_M_scenario);
    bool is_time = pair->unit && strcmp(pair->unit, "s") == 0;
    const char *device_a = abdb_member_text(set, pair->left.picked, ABDB_M_device),
               *device_b = abdb_member_text(pair->b.set, pair->right.picked, ABDB_M_device);
    const char *at_a = provider_where_sides_differ(pair, false),
               *at_b = provider_where_sides_differ(pair, true);
    abdb_text out = {0};

    for (size_t i = 0; i < f->count; i++)
        abdb_text_printf(&out, "%s%s %.3g", i ? ", " : "", f->factor[i].name, f->factor[i].factor);
    abdb_table_add_note_format(
        t, "%s%s%s%s%s: %s%s%s %s %.3g times %s%s%s %s%s%s: %s%s%s",
        *model ? model : abdb_member_text(set, pair->left.picked, ABDB_M_workload),
        *scenario ? " " : "", scenario, *label ? " " : "", label, device_b, *at_b ? " at " : "",
        at_b, is_time ? "takes" : "has", f->ratio, is_time ? "as long" : "the ",
        is_time ? "" : pair->unit, is_time ? " as" : " of", device_a, *at_a ? " at " : "", at_a,
        abdb_text_get(&out), *pair->unlike ? "; no headline: " : "", pair->unlike);
    for (size_t i = 0; i < f->count; i++)
        if (f->factor[i].missing)
            abdb_table_add_note_format(t, "%s cannot be separated without a result of %s",
                                       f->factor[i].name, f->factor[i].missing);
    abdb_text_free(&out);
}

/* The multiples of the inputs of the better side at which the other one is. */
static void note_multiples_losing_first_of_pair(const abdb_comparison *c, const abdb_pair *pair,
                                                abdb_table *t)
{
    const char *name[] = {abdb_member_text(pair->a.set, pair->left.picked, ABDB_M_device),
                          abdb_member_text(pair->b.set, pair->right.picked, ABDB_M_device)};
    double value[] = {pair->left.value, pair->right.value};
    size_t best = pair->higher ? value[1] > value[0] : value[1] < value[0];

    if (strcmp(name[0], name[1]) == 0) name[0] = "A", name[1] = "B";
    abdb_note_multiples_losing_first_value(c->per, name[best], value[best], name[!best],
                                           value[!best], !pair->higher, t);
}

/* The keys of the two results, each followed by those of its price or power. NULL: no memory. */
static const char *list_fact_keys_of_both_sides(const abdb_pair *pair, abdb_arena *arena)
{
    const char *of_a = pair->a.set->member[pair->left.picked].facts,
               *of_b = pair->b.set->member[pair->right.picked].facts;

    return abdb_arena_printf(arena, "%s%s%s %s%s%s",
                             abdb_member_text(pair->a.set, pair->left.picked, ABDB_M_key),
                             of_a ? " " : "", of_a ? of_a : "",
                             abdb_member_text(pair->b.set, pair->right.picked, ABDB_M_key),
                             of_b ? " " : "", of_b ? of_b : "");
}

/* Appends the rows of one pair, a factor each. */
static abdb_status append_factor_rows_of_pair_with_note(const abdb_comparison *c,
                                                        const abdb_pair *pair,
                                                        const abdb_range_question *ranges,
                                                        long long pair_number, abdb_table *t,
                                                        abdb_error *err)
{
    double share = NAN;
    abdb_arena arena = {0};
    abdb_ratio_factors factors;
    const abdb_set *set = pair->a.set;
    const char *model, *facts, *label = format_label_beside_work(c, pair, &t->arena);
    abdb_status st = ABDB_OK;

    TRY(abdb_split_ratio_into_factors(&factors, c, pair, &arena, err));
    if (ranges && ranges->words)
        TRY(abdb_simulate_contender_first_share(c, pair, ranges, &share, err));
    model = abdb_member_text(set, pair->left.picked, ABDB_M_model);
    facts = list_fact_keys_of_both_sides(pair, &arena);
    for (size_t i = 0; i < factors.count; i++) {
        const abdb_ratio_factor *f = &factors.factor[i];
        abdb_value *row = abdb_table_append_row(t);

        if (!row || !facts) TRY(ABDB_FAIL(err, ABDB_NOMEM, "factors of a ratio"));
        set_text_cell_unless_empty(
            t, row, C_WORK,
            *model ? model : abdb_member_text(set, pair->left.picked, ABDB_M_workload));
        set_text_cell_unless_empty(t, row, C_SCENARIO,
                                   abdb_member_text(set, pair->left.picked, ABDB_M_scenario));
        set_text_cell_unless_empty(t, row, C_PER, strcmp(c->per, "none") != 0 ? c->per : "");
        row[C_PLACE] = (abdb_value){.kind = ABDB_INTEGER, .integer = (long long)i + 1};
        set_text_cell_unless_empty(t, row, C_FACTOR, f->name);
        set_text_cell_unless_empty(t, row, C_FROM, f->from);
        set_text_cell_unless_empty(t, row, C_TO, f->to);
        row[C_TIMES] = (abdb_value){.kind = ABDB_REAL, .real = f->factor};
        row[C_PRODUCT] = (abdb_value){.kind = ABDB_REAL, .real = f->product};
        row[C_RATIO] = (abdb_value){.kind = ABDB_REAL, .real = factors.ratio};
        set_text_cell_unless_empty(t, row, C_BETTER, pair->higher ? "higher" : "lower");
        set_text_cell_unless_empty(t, row, C_KEY, f->key);
        set_text_cell_unless_empty(t, row, C_UNIT, pair->unit);
        set_text_cell_unless_empty(t, row, C_FACTS, facts);
        set_text_cell_unless_empty(t, row, C_LABEL, label);
        set_text_cell_unless_empty(t, row, C_UNLIKE, pair->unlike);
        if (isfinite(share)) row[C_FIRST_IN] = (abdb_value){.kind = ABDB_REAL, .real = 100 * share};
        row[C_PAIR] = (abdb_value){.kind = ABDB_INTEGER, .integer = pair_number};
    }
    note_ratio_sentence_and_missing_results(pair, label, &factors, t);
    if (isfinite(share)) note_multiples_losing_first_of_pair(c, pair, t);
done:
    abdb_arena_free(&arena);
    return st;
}

/* Notes each rule that refuses pairs once, with their number, the differences of the first, and the
 * results that would meet. */
static abdb_status note_each_refusing_rule_once(const abdb_comparison *c, abdb_table *t,
                                                abdb_error *err)
{
    abdb_status st = ABDB_OK;

    for (size_t i = 0; i < c->pairs; i++) {
        const abdb_pair *pair = &c->pair[i];
        abdb_text differ = {0};
        size_t count = 0;
        bool first = true;

        if (pair->comparability != ABDB_REFUSED || !pair->refusals) continue;
        for (size_t k = 0; k < c->pairs; k++)
            if (c->pair[k].refusals && c->pair[k].refusal[0] == pair->refusal[0]) {
                count++;
                first &= k >= i;
            }
        if (!first) continue;
        for (size_t k = 0; k < pair->differs; k++)
            if (abdb_factor_is_displayed(pair->differ[k].name) && strlen(pair->differ[k].a) < 40 &&
                strlen(pair->differ[k].b) < 40)
                abdb_text_printf(&differ, "%s%s %s|%s", differ.size ? ", " : "",
                                 pair->differ[k].name, pair->differ[k].a, pair->differ[k].b);
        abdb_table_add_note_format(t, "! NOT COMPARABLE  %s (%zu pair%s): %s%s%s",
                                   pair->refusal[0]->rule, count,
                                   abdb_plural_ending((long long)count), pair->refusal[0]->sentence,
                                   differ.size ? " Factors: " : "", abdb_text_get(&differ));
        abdb_text_free(&differ);
        TRY(abdb_note_results_meeting_refused_pair(c, pair, t, err));
    }
done:
    return st;
}

/* Of values per dollar: kinds, providers and ages of the prices. */
static void add_price_notes_of_picked_results(const abdb_comparison *c, abdb_table *t)
{
    abdb_price_summary met = {0};

    for (size_t i = 0; i < c->pairs; i++) {
        const abdb_pair *pair = &c->pair[i];

        if (!pair->has_ratio || pair->left.picked == SIZE_MAX || pair->right.picked == SIZE_MAX)
            continue;
        if (!pair->a.set->member[pair->left.picked].price) continue;
        abdb_price_summary_add_member(&met, &pair->a.set->member[pair->left.picked]);
        abdb_price_summary_add_member(&met, &pair->b.set->member[pair->right.picked]);
    }
    abdb_price_summary_add_notes(&met, t);
}

abdb_status abdb_tabulate_ratio_factors(const abdb_comparison *c, const abdb_range_question *ranges,
                                        abdb_table *t, abdb_error *err)
{
    long long number = 0;
    abdb_status st = ABDB_OK;

    if (t->columns < C_COUNT) t->columns = C_COUNT; /* a caller may have more behind these */
    for (size_t i = 0; i < C_COUNT; i++)
        t->column[i] = (abdb_column){columns[i].name, columns[i].label, columns[i].style};
    for (size_t i = 0; i < c->pairs; i++) {
        const abdb_pair *pair = &c->pair[i];

        if (pair->choice == ABDB_OF_ANY_SIZE) continue; /* the same results once more */
        if (pair->comparability == ABDB_REFUSED) continue;
        if (pair->has_ratio)
            TRY(append_factor_rows_of_pair_with_note(c, pair, ranges, ++number, t, err));
        else if (pair->left.why || pair->right.why)
            abdb_table_add_note_format(t, "no ratio: %s",
                                       pair->left.why ? pair->left.why : pair->right.why);
    }
    if (number && ranges && ranges->words) abdb_note_range_question(ranges, t);
    TRY(note_each_refusing_rule_once(c, t, err));
    add_price_notes_of_picked_results(c, t);
done:
    return st;
}

abdb_status abdb_note_ratio_factors(const abdb_comparison *c, abdb_table *t, abdb_error *err)
{
    abdb_status st = ABDB_OK;

    for (size_t i = 0; i < c->pairs && st == ABDB_OK; i++) {
        const abdb_pair *pair = &c->pair[i];
        abdb_arena arena = {0};
        abdb_ratio_factors factors;

        if (pair->choice == ABDB_OF_ANY_SIZE || pair->comparability == ABDB_REFUSED ||
            !pair->has_ratio)
            continue;
        st = abdb_split_ratio_into_factors(&factors, c, pair, &arena, err);
        if (st == ABDB_OK)
            note_ratio_sentence_and_missing_results(
                pair, format_label_beside_work(c, pair, &t->arena), &factors, t);
        if (st == ABDB_UNFAIR) st = ABDB_OK; /* no ratio of two results */
        abdb_arena_free(&arena);
    }
    return st;
}

abdb_status abdb_describe_two_largest_ratio_factors(const abdb_comparison *c, const abdb_pair *pair,
                                                    const char **out, abdb_arena *arena,
                                                    abdb_error *err)
{
    abdb_ratio_factors f;
    size_t first = SIZE_MAX, second = SIZE_MAX;
    abdb_status st;

    *out = "";
    if (pair->comparability == ABDB_REFUSED || !pair->has_ratio) return ABDB_OK;
    st = abdb_split_ratio_into_factors(&f, c, pair, arena, err);
    if (st == ABDB_UNFAIR) return ABDB_OK; /* a ratio of medians, or of no single result */
    if (st != ABDB_OK) return st;
    for (size_t i = 0; i < f.count; i++) {
        if (first == SIZE_MAX || fabs(log(f.factor[i].factor)) > fabs(log(f.factor[first].factor)))
            second = first, first = i;
        else if (second == SIZE_MAX ||
                 fabs(log(f.factor[i].factor)) > fabs(log(f.factor[second].factor)))
            second = i;
    }
    if (first == SIZE_MAX) return ABDB_OK;
    *out = second == SIZE_MAX
               ? abdb_arena_printf(arena, "%s %.3g", f.factor[first].name, f.factor[first].factor)
               : abdb_arena_printf(arena, "%s %.3g, %s %.3g", f.factor[first].name,
                                   f.factor[first].factor, f.factor[second].name,
                                   f.factor[second].factor);
    return *out ? ABDB_OK : ABDB_FAIL(err, ABDB_NOMEM, "factors of a ratio");
}
