/* lines.c - the sentences of a comparison: who, what is shared, what differs, what was refused; see
 * lines.h. */
#include "query/compare/lines.h"

#include <math.h>
#include <string.h>

#include "query/answer/footnotes.h"
#include "query/compare/price_lines.h"
#include "query/compare/trial_lines.h"
#include "query/compare/screen.h"
#include "schema/core/plain.h"
#include "schema/core/text.h"

enum { VALUE_WIDTH_MAX = 36, SAME_MAX = 14, SENTENCES_MAX = 2, PICKS_MAX = 12 };

const char *abdb_kept(abdb_table *t, const char *text)
{
    const char *copy = abdb_arena_copy(&t->arena, text, strlen(text));

    return copy ? copy : "";
}

/* --- words ------------------------------------------------------------------------------------ */

/* "H200-SXM" where all are of that device, else the selection. */
const char *abdb_set_label(const abdb_set *set)
{
    const char *device = abdb_member_text(set, 0, ABDB_M_device);

    if (strncmp(set->selection, "device", 6) != 0 || !*device) return set->selection;
    for (size_t i = 1; i < set->members; i++)
        if (strcmp(abdb_member_text(set, i, ABDB_M_device), device) != 0) return set->selection;
    return device;
}

/* Distinct values of a column over a set, "v5.1,v6.0". */
static void set_values(const abdb_set *set, abdb_member_column column, abdb_text *out)
{
    size_t before = out->size;

    for (size_t i = 0; i < set->members; i++) {
        const char *text = abdb_member_text(set, i, column);
        const char *have = abdb_text_get(out) + before;
        size_t size = strlen(text);
        bool seen = !size;

        for (const char *at = have; !seen && (at = strstr(at, text)); at += size)
            seen = (at == have || at[-1] == ',') && (at[size] == ',' || !at[size]);
        if (!seen && out->size - before < VALUE_WIDTH_MAX)
            abdb_text_printf(out, "%s%s", out->size > before ? "," : "", text);
    }
}

void abdb_compare_heads(const abdb_comparison *c, abdb_text *out)
{
    for (size_t i = 0; i < c->sets; i++) {
        const abdb_set *set = &c->set[i];
        size_t before;

        abdb_text_printf(out, "%s%c %s  ", i ? "    " : "", (char)('A' + i), abdb_set_label(set));
        set_values(set, ABDB_M_evidence, out);
        before = out->size;
        abdb_text_puts(out, " ");
        set_values(set, ABDB_M_round, out);
        if (out->size == before + 1 && out->data) out->data[--out->size] = '\0';
        abdb_text_printf(out, ", %zu result%s", set->members, abdb_s((long long)set->members));
    }
}

bool abdb_is_shown_once(const char *name)
{
    static const char *const hidden[] = {"benchmark", "metric_class",  "rank",      "x",
                                         "unit",      "workload",      "statistic", "source",
                                         "per",       "compatibility", NULL};

    return !abdb_is_word(name, hidden);
}

/* Do all pairs that are shown have this one value on both sides? */
static bool shared(const abdb_comparison *c, const char *name, const char *value)
{
    abdb_arena arena = {0};
    bool all = true, unknown;

    for (size_t i = 0; i < c->pairs && all; i++) {
        if (!abdb_pair_shown(c, &c->pair[i])) continue;
        all =
            strcmp(abdb_side_values(c->pair[i].a, name, &unknown, &arena), value) == 0 && !unknown;
        all = all && strcmp(abdb_side_values(c->pair[i].b, name, &unknown, &arena), value) == 0;
        all = all && !unknown;
    }
    abdb_arena_free(&arena);
    return all;
}

/* "same: suite inference, division closed, ..." */
void abdb_compare_same(const abdb_comparison *c, abdb_text *out)
{
    const abdb_pair *first = NULL;
    size_t at, count = 0, more = 0;

    for (size_t i = 0; i < c->pairs && !first; i++)
        if (abdb_pair_shown(c, &c->pair[i])) first = &c->pair[i];
    if (!first) return;
    at = first->a.group->member[0];
    for (size_t t = 0; t < first->a.set->member[at].traits; t++) {
        const abdb_trait *trait = &first->a.set->member[at].trait[t];
        bool needed;
        const char *role = abdb_role_of(&c->book, first->a.set, at, trait->name, &needed);

        if (trait->state != ABDB_KNOWN || !abdb_is_shown_once(trait->name) ||
            (strcmp(role, "agree") != 0 && strcmp(role, "pair") != 0) ||
            !shared(c, trait->name, trait->text))
            continue;
        if (count == SAME_MAX || abdb_width(trait->text) > VALUE_WIDTH_MAX ||
            strcmp(trait->text, "no") == 0) {
            more++;
            continue;
        }
        abdb_text_printf(out, "%s%s %s", count++ ? ", " : "same: ", trait->name, trait->text);
    }
    if (more && count) abdb_text_printf(out, ", %zu more factors", more);
}

/* Known values over all shown pairs of a contender, on one side. */
static void union_values(const abdb_comparison *c, size_t contender, const char *name, bool left,
                         abdb_text *out)
{
    size_t before = out->size;

    for (size_t i = 0; i < c->pairs; i++) {
        const abdb_pair *pair = &c->pair[i];
        abdb_side side = left ? pair->a : pair->b;

        if (pair->contender != contender || !abdb_pair_shown(c, pair)) continue;
        for (size_t k = 0; k < side.group->count; k++) {
            const abdb_trait *t = abdb_member_trait(&side.set->member[side.group->member[k]], name);
            const char *have = abdb_text_get(out) + before;
            bool seen = !t || t->state != ABDB_KNOWN;

            for (const char *at = have; !seen && (at = strstr(at, t->text));
                 at += strlen(t->text)) {
                size_t size = strlen(t->text);

                seen = !size || ((at == have || at[-1] == ',') && (at[size] == ',' || !at[size]));
                if (!size) break;
            }
            if (!seen) abdb_text_printf(out, "%s%s", out->size > before ? "," : "", t->text);
        }
    }
}

/* "round v5.1|v6.0  submitter": long values by name only; unknown ones on a line of their own. */
void abdb_compare_differing(const abdb_comparison *c, size_t contender, bool unknown,
                            abdb_text *out)
{
    abdb_text values = {0}, seen = {0};

    for (size_t i = 0; i < c->pairs; i++) {
        const abdb_pair *pair = &c->pair[i];

        if (pair->contender != contender || !abdb_pair_shown(c, pair)) continue;
        for (size_t d = 0; d < pair->differs; d++) {
            const char *name = pair->differ[d].name;
            char word[128];

            snprintf(word, sizeof word, " %s ", name);
            if (pair->differ[d].unknown != unknown || strstr(abdb_text_get(&seen), word)) continue;
            abdb_text_puts(&seen, word);
            abdb_text_printf(out, "%s%s", out->size ? (unknown ? ", " : "  ") : "", name);
            if (unknown) continue;
            abdb_text_clear(&values);
            union_values(c, contender, name, true, &values);
            abdb_text_puts(&values, "|");
            union_values(c, contender, name, false, &values);
            if (values.size <= VALUE_WIDTH_MAX)
                abdb_text_printf(out, " %s", abdb_text_get(&values));
            if (strcmp(name, "round") == 0) {
                const abdb_trait *t = abdb_member_trait(
                    &pair->a.set->member[pair->a.group->member[0]], "compatibility");

                if (t && t->state == ABDB_KNOWN && pair->standing != ABDB_REFUSED)
                    abdb_text_printf(out, " (compatible: %s)", t->text);
            }
        }
    }
    abdb_text_free(&values);
    abdb_text_free(&seen);
}

/* --- lines ------------------------------------------------------------------------------------ */

size_t abdb_shown_pairs(const abdb_comparison *c, size_t contender)
{
    size_t n = 0;

    for (size_t i = 0; i < c->pairs; i++)
        n += c->pair[i].contender == contender && abdb_pair_shown(c, &c->pair[i]);
    return n;
}

/* "B/A  COMPARABLE EXCEPT  round v5.1|v6.0 ..." */
void abdb_compare_standing(const abdb_comparison *c, size_t contender, abdb_text *out)
{
    abdb_text differ = {0};
    bool refused = false, unknown = false;

    for (size_t i = 0; i < c->pairs; i++)
        if (c->pair[i].contender == contender && abdb_pair_shown(c, &c->pair[i])) {
            refused |= c->pair[i].standing == ABDB_REFUSED;
            for (size_t d = 0; d < c->pair[i].differs; d++) unknown |= c->pair[i].differ[d].unknown;
        }
    abdb_compare_differing(c, contender, false, &differ);
    abdb_text_printf(out, "%c/A  %s", (char)('A' + contender),
                     refused       ? "EXPLORATORY, NOT COMPARABLE"
                     : differ.size ? "COMPARABLE EXCEPT"
                     : unknown     ? "COMPARABLE AS FAR AS IS KNOWN"
                                   : "COMPARABLE");
    if (differ.size) abdb_text_printf(out, "  %s", abdb_text_get(&differ));
    abdb_text_free(&differ);
}

/* How many pairs of a contender a rule refuses. */
static size_t refused_by(const abdb_comparison *c, size_t contender, const abdb_rule *rule)
{
    size_t n = 0;

    for (size_t p = 0; p < c->pairs; p++)
        for (size_t k = 0; k < c->pair[p].refusals; k++)
            n += c->pair[p].contender == contender && c->pair[p].refusal[k] == rule;
    return n;
}

/* A rule with its sentence, and what it found in the first pair that it refuses. */
static void refusal_line(const abdb_comparison *c, const abdb_pair *pair, const abdb_rule *rule,
                         abdb_table *t)
{
    const char *factor = strcmp(rule->factor, "*") == 0 ? pair->what : rule->factor;
    size_t n = refused_by(c, pair->contender, rule);
    char letter = (char)('A' + pair->contender);
    abdb_arena arena = {0};
    bool unknown;
    const char *a = abdb_side_values(pair->a, factor, &unknown, &arena);
    const char *b = abdb_side_values(pair->b, factor, &unknown, &arena);

    if (t->notes + 2 < ABDB_NOTE_MAX) {
        t->note[t->notes++] = abdb_arena_printf(
            &t->arena, "%c/A  NOT COMPARABLE  %s (%s: A %s, %c %s; %zu pair%s)", letter, rule->rule,
            factor, *a ? a : "unknown", letter, *b ? b : "unknown", n, abdb_s(n));
        t->note[t->notes++] = abdb_arena_printf(&t->arena, "  %s  %s, %s", rule->sentence,
                                                rule->source, rule->locator);
    }
    abdb_arena_free(&arena);
}

/* The refusals of a contender, each rule once; the first few with their sentences. */
static void refusal_lines(const abdb_comparison *c, size_t contender, abdb_table *t)
{
    abdb_text more = {0};
    size_t count = 0;

    for (size_t r = 0; r < c->book.rules; r++) {
        const abdb_rule *rule = &c->book.rule[r];
        const abdb_pair *first = NULL;

        for (size_t i = 0; i < c->pairs && !first; i++)
            for (size_t k = 0; k < c->pair[i].refusals && !first; k++)
                if (c->pair[i].contender == contender && c->pair[i].refusal[k] == rule)
                    first = &c->pair[i];
        if (!first) continue;
        if (count++ < SENTENCES_MAX)
            refusal_line(c, first, rule, t);
        else
            abdb_text_printf(&more, "%s%s", more.size ? ", " : "", rule->rule);
    }
    if (more.size && t->notes < ABDB_NOTE_MAX)
        t->note[t->notes++] = abdb_arena_printf(&t->arena, "  also against %s (`abdb query rules`)",
                                                abdb_text_get(&more));
    abdb_text_free(&more);
}

void abdb_note(abdb_table *t, const char *text)
{
    if (t->notes < ABDB_NOTE_MAX) t->note[t->notes++] = abdb_kept(t, text);
}

static void remark_lines(const abdb_comparison *c, abdb_table *t)
{
    for (size_t r = 0; r < c->book.rules; r++) {
        bool found = false;

        for (size_t i = 0; i < c->pairs && !found; i++)
            for (size_t k = 0; k < c->pair[i].remarks; k++)
                found |=
                    abdb_pair_shown(c, &c->pair[i]) && c->pair[i].remark[k] == &c->book.rule[r];
        if (found) abdb_note(t, c->book.rule[r].sentence);
    }
}

/* "B: 2 results cannot stand for it: sources disagree on the number of devices" */
static void left_out_lines(const abdb_comparison *c, abdb_table *t)
{
    for (size_t s = 0; s < c->sets; s++) {
        size_t n = 0;
        const char *why = NULL;

        for (size_t i = 0; i < c->set[s].members; i++)
            if (c->set[s].member[i].why) {
                n++;
                why = c->set[s].member[i].why;
            }
        if (n && t->notes < ABDB_NOTE_MAX)
            t->note[t->notes++] =
                abdb_arena_printf(&t->arena, "%c: %zu of %zu results left out: %s", (char)('A' + s),
                                  n, c->set[s].members, why);
    }
}

/* Cells of a command of abdb run without a result, not even a later one (--resume). */
static abdb_status failed_lines(const abdb_comparison *c, abdb_table *t, abdb_error *err)
{
    abdb_status st = ABDB_OK;

    for (size_t s = 0; s < c->sets; s++) {
        const char *campaign = abdb_member_text(&c->set[s], 0, ABDB_M_campaign);
        abdb_binds binds = {0};
        abdb_table rows = {0};

        if (!*campaign || strncmp(c->set[s].selection, "device", 6) == 0) continue;
        (void)!abdb_bind_add_text(&binds, campaign);
        st = abdb_rows(c->db,
                       "SELECT count(*) FROM (SELECT tag, cell FROM v_run WHERE campaign = ?1"
                       " AND status <> 'ok' EXCEPT SELECT tag, cell FROM v_run WHERE campaign = ?1 "
                       "AND status = 'ok')",
                       &binds, &rows, err);
        if (st == ABDB_OK && abdb_cell_number(&rows, 0, 0) > 0 && t->notes < ABDB_NOTE_MAX)
            t->note[t->notes++] = abdb_arena_printf(
                &t->arena,
                "%c: %s of the cells of %s without a result (abdb query kernels --failed)",
                (char)('A' + s), abdb_cell_text(&rows, 0, 0), campaign);
        abdb_table_free(&rows);
        if (st != ABDB_OK) break;
    }
    return st;
}

/* One number under two accuracy targets is counted once. */
static void twin_lines(const abdb_comparison *c, abdb_table *t)
{
    for (size_t s = 1; s < c->sets; s++) {
        size_t n, left_out, twins;

        abdb_pairs_geomean(c, s, &n, &left_out, &twins);
        if (n > 1 && twins && t->notes < ABDB_NOTE_MAX)
            t->note[t->notes++] = abdb_arena_printf(
                &t->arena,
                "%c/A geomean: %zu pairs repeat a number of another accuracy target, counted once",
                (char)('A' + s), twins);
    }
}

/* What has no like on the other side. */
static void unpaired_lines(const abdb_comparison *c, abdb_table *t)
{
    for (size_t s = 1; s < c->sets; s++)
        if ((c->unpaired[s] || c->alone[s]) && t->notes < ABDB_NOTE_MAX)
            t->note[t->notes++] = abdb_arena_printf(
                &t->arena,
                "not paired, because the other side has nothing like it: %zu of A, %zu of %c",
                c->alone[s], c->unpaired[s], (char)('A' + s));
}

/* Who stands behind the numbers: MLCommons asks for submitter, system and number of chips. */
static void pick_lines(const abdb_comparison *c, abdb_table *t)
{
    for (size_t i = 0; i < c->pairs && i < PICKS_MAX; i++)
        for (int right = 0; right < 2 && abdb_pair_shown(c, &c->pair[i]); right++) {
            abdb_side side = right ? c->pair[i].b : c->pair[i].a;
            size_t at = right ? c->pair[i].right.picked : c->pair[i].left.picked;
            const abdb_set *set = side.set;

            if (at == SIZE_MAX || t->notes == ABDB_NOTE_MAX ||
                strcmp(abdb_member_text(set, at, ABDB_M_evidence), "mlperf") != 0)
                continue;
            t->note[t->notes] = abdb_arena_printf(
                &t->arena, "%c %s %s: ", right ? (char)('A' + c->pair[i].contender) : 'A',
                abdb_member_text(set, at, ABDB_M_model),
                abdb_member_text(set, at, ABDB_M_scenario));
            t->note[t->notes] = abdb_arena_printf(&t->arena, "%s%s, %s, ", t->note[t->notes],
                                                  abdb_member_text(set, at, ABDB_M_submitter),
                                                  abdb_member_text(set, at, ABDB_M_system));
            t->note[t->notes] = abdb_arena_printf(&t->arena, "%s%s chips, %s", t->note[t->notes],
                                                  abdb_member_text(set, at, ABDB_M_devices),
                                                  abdb_member_text(set, at, ABDB_M_round));
            t->notes++;
        }
}

static void price_lines(const abdb_comparison *c, abdb_table *t)
{
    abdb_prices_met met = {0};

    for (size_t i = 0; i < c->pairs; i++)
        for (int right = 0; right < 2; right++) {
            const abdb_summary_of *s = right ? &c->pair[i].right : &c->pair[i].left;
            abdb_side side = right ? c->pair[i].b : c->pair[i].a;
            const char *line;
            bool seen = false;

            if (!s->n || s->picked == SIZE_MAX || !side.set->member[s->picked].price) continue;
            abdb_prices_add(&met, &side.set->member[s->picked]);
            line = abdb_arena_printf(&t->arena, "price of %s: %s",
                                     abdb_member_text(side.set, s->picked, ABDB_M_device),
                                     side.set->member[s->picked].price);
            for (size_t k = 0; line && k < t->notes; k++) seen |= strcmp(t->note[k], line) == 0;
            if (line && !seen && t->notes < ABDB_NOTE_MAX) t->note[t->notes++] = line;
        }
    abdb_prices_say(&met, t);
}

/* Below the table: what its words mean, but only of those that it uses. */
static void legend_lines(const abdb_comparison *c, abdb_table *t)
{
    bool stated = false, run = false, tested = false, mlperf = false, vague = false, apart = false,
         untested = false;
    const char *per = c->per, *formula = NULL;
    abdb_error ignored;

    for (size_t i = 0; i < c->pairs; i++) {
        if (!abdb_pair_shown(c, &c->pair[i]) || !c->pair[i].has_ratio) continue;
        stated |= c->pair[i].difference.verdict == ABDB_VERDICT_STATED;
        apart |= *c->pair[i].unlike != '\0';
        run |= strcmp(abdb_member_text(c->pair[i].a.set, 0, ABDB_M_evidence), "measured") == 0;
        tested |= c->pair[i].difference.verdict != ABDB_VERDICT_STATED;
        vague |= isfinite(c->pair[i].difference.p) &&
                 c->pair[i].difference.verdict == ABDB_VERDICT_UNCLEAR;
        untested |= !isfinite(c->pair[i].difference.p) && c->pair[i].left.sampled;
        mlperf |= strcmp(abdb_member_text(c->pair[i].a.set, 0, ABDB_M_evidence), "mlperf") == 0;
    }
    if (stated)
        abdb_note(t, run ? "stated = single values without samples: a ratio, not a test."
                         : "stated = published single values: a ratio, not a test; spread"
                           " unknown.");
    if (tested) abdb_trial_lines(c, t);
    if (vague) abdb_note(t, "~ no evidence of a difference in these data.");
    if (untested) abdb_note(t, "~ was not tested, for the reason above: it may be a difference.");
    if (apart)
        abdb_note(t,
                  "(ratio): what is compared differs in what the row names; no headline, and in no"
                  " geometric mean.");
    if (abdb_per_formula(per, &formula, &ignored) == ABDB_OK && formula && t->notes < ABDB_NOTE_MAX)
        t->note[t->notes++] =
            abdb_arena_printf(&t->arena, "%s%s: derived by abdb%s", mlperf ? "† " : "", formula,
                              mlperf ? "; not an official or verified MLPerf® metric." : ".");
    remark_lines(c, t);
    left_out_lines(c, t);
    twin_lines(c, t);
    unpaired_lines(c, t);
    pick_lines(c, t);
    price_lines(c, t);
}

/* The footnotes of all results that stand in the numbers. */
static abdb_status footnotes(const abdb_comparison *c, abdb_db *db, abdb_table *t, abdb_error *err)
{
    abdb_table rows = {0};
    abdb_status st = ABDB_OK;

    TRY(abdb_comparison_table(c, &rows, err));
    TRY(abdb_footnotes_add(db, &rows, false, err));
    for (size_t i = 0; i < rows.notes; i++) abdb_note(t, rows.note[i]);
done:
    abdb_table_free(&rows);
    return st;
}

void abdb_compare_stamp(const abdb_comparison *c, abdb_text *out)
{
    if (c->options->exploratory && c->refused)
        abdb_text_printf(out, "EXPLORATORY: %zu of %zu pairs are NOT COMPARABLE. ", c->refused,
                         c->pairs);
}

/* Everything after the blocks. */
abdb_status abdb_compare_tail(const abdb_comparison *c, abdb_db *db, abdb_table *t, abdb_error *err)
{
    abdb_status st = ABDB_OK;

    for (size_t s = 1; s < c->sets; s++) refusal_lines(c, s, t);
    if (c->refused && !c->options->exploratory)
        abdb_note(t, "  next: say what you compare by --where (evidence=..., round=...), or "
                     "--exploratory (stamped)");
    legend_lines(c, t);
    TRY(abdb_beside_lines(c, t, err));
    TRY(failed_lines(c, t, err));
    TRY(footnotes(c, db, t, err));
done:
    return st;
}
