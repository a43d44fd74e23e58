/* compare_text.c - the sentences of a comparison: sides, shared and differing factors, refused
 * pairs; see compare_text.h. */
#include "query/compare/latency_answer.h"
#include "query/compare/compare_text.h"

#include <math.h>
#include <string.h>

#include "query/answer/mlperf_footnotes.h"
#include "query/compare/machine_identity.h"
#include "query/compare/price_notes.h"
#include "query/compare/ratio_factor_rows.h"
#include "query/compare/test_notes.h"
#include "query/compare/compare_table.h"
#include "schema/core/sanitize_text.h"
#include "schema/core/text.h"

enum { SENTENCES_MAX = 2, PICKS_MAX = 12 };

/* --- lines ------------------------------------------------------------------------------------ */

size_t abdb_count_shown_pairs(const abdb_comparison *c, size_t contender)
{
    size_t n = 0;

    for (size_t i = 0; i < c->pairs; i++)
        n += c->pair[i].contender == contender && abdb_pair_may_be_shown(c, &c->pair[i]);
    return n;
}

/* "B/A  COMPARABLE EXCEPT  round v5.1|v6.0 ..." */
void abdb_append_comparability_line(const abdb_comparison *c, size_t contender, abdb_text *out)
{
    abdb_text differ = {0};
    bool refused = false, unknown = false;

    for (size_t i = 0; i < c->pairs; i++)
        if (c->pair[i].contender == contender && abdb_pair_may_be_shown(c, &c->pair[i])) {
            refused |= c->pair[i].comparability == ABDB_REFUSED;
            for (size_t d = 0; d < c->pair[i].differs; d++) unknown |= c->pair[i].differ[d].unknown;
        }
    abdb_append_contender_differing_factors(c, contender, false, &differ);
    abdb_text_printf(out, "%c/A  %s", (char)('A' + contender),
                     refused       ? "EXPLORATORY, NOT COMPARABLE"
                     : differ.size ? "COMPARABLE EXCEPT"
                     : unknown     ? "COMPARABLE AS FAR AS IS KNOWN"
                                   : "COMPARABLE");
    if (differ.size) abdb_text_printf(out, "  %s", abdb_text_get(&differ));
    abdb_text_free(&differ);
}

/* How many pairs of a contender a rule refuses. */
static size_t count_pairs_refused_by_rule(const abdb_comparison *c, size_t contender,
                                          const abdb_rule *rule)
{
    size_t n = 0;

    for (size_t p = 0; p < c->pairs; p++)
        for (size_t k = 0; k < c->pair[p].refusals; k++)
            n += c->pair[p].contender == contender && c->pair[p].refusal[k] == rule;
    return n;
}

/* A rule with its sentence, and its finding in the first pair that it refuses. */
static void note_rule_with_first_refused_pair(const abdb_comparison *c, const abdb_pair *pair,
                                              const abdb_rule *rule, abdb_table *t)
{
    const char *factor = strcmp(rule->factor, "*") == 0 ? pair->needed_factor : rule->factor;
    size_t n = count_pairs_refused_by_rule(c, pair->contender, rule);
    char letter = (char)('A' + pair->contender);
    abdb_arena arena = {0};
    bool unknown;
    const char *a = abdb_side_distinct_factor_values(pair->a, factor, &unknown, &arena);
    const char *b = abdb_side_distinct_factor_values(pair->b, factor, &unknown, &arena);

    if (rule == &abdb_rule_one_machine)
        abdb_table_add_note_format(t, "%c/A  NOT COMPARABLE  %s (%s; %zu pair%s)", letter,
                                   rule->rule, pair->machines, n, abdb_plural_ending(n));
    else
        abdb_table_add_note_format(t, "%c/A  NOT COMPARABLE  %s (%s: A %s, %c %s; %zu pair%s)",
                                   letter, rule->rule, factor, *a ? a : "unknown", letter,
                                   *b ? b : "unknown", n, abdb_plural_ending(n));
    abdb_table_add_note_format(t, "  %s  %s, %s", rule->sentence, rule->source, rule->locator);
    abdb_arena_free(&arena);
}

/* The refusals of a contender, each rule once; the first few with their sentences. */
static void note_contender_refusals(const abdb_comparison *c, size_t contender, abdb_table *t)
{
    abdb_text more = {0};
    size_t count = 0;

    for (size_t r = 0; r <= c->book.rules; r++) {
        const abdb_rule *rule = r ? &c->book.rule[r - 1] : &abdb_rule_one_machine;
        const abdb_pair *first = NULL;

        for (size_t i = 0; i < c->pairs && !first; i++)
            for (size_t k = 0; k < c->pair[i].refusals && !first; k++)
                if (c->pair[i].contender == contender && c->pair[i].refusal[k] == rule)
                    first = &c->pair[i];
        if (!first) continue;
        if (count++ < SENTENCES_MAX)
            note_rule_with_first_refused_pair(c, first, rule, t);
        else
            abdb_text_printf(&more, "%s%s", more.size ? ", " : "", rule->rule);
    }
    if (more.size)
        abdb_table_add_note_format(t, "  also against %s (`abdb query rules`)",
                                   abdb_text_get(&more));
    abdb_text_free(&more);
}

/* Adds the sentence of each rule that remarks on a pair which is shown, once. */
static void note_rule_remarks(const abdb_comparison *c, abdb_table *t)
{
    for (size_t r = 0; r < c->book.rules; r++) {
        bool found = false;

        for (size_t i = 0; i < c->pairs && !found; i++)
            for (size_t k = 0; k < c->pair[i].remarks; k++)
                found |= abdb_pair_may_be_shown(c, &c->pair[i]) &&
                         c->pair[i].remark[k] == &c->book.rule[r];
        if (found) abdb_table_add_note(t, c->book.rule[r].sentence);
    }
}

/* "B: 2 results cannot stand for it: sources disagree on the number of devices" */
static void note_left_out_results(const abdb_comparison *c, abdb_table *t)
{
    for (size_t s = 0; s < c->sets; s++) {
        size_t n = 0;
        const char *why = NULL;

        for (size_t i = 0; i < c->set[s].members; i++)
            if (c->set[s].member[i].why && !c->set[s].member[i].mark &&
                strcmp(c->set[s].member[i].why, abdb_another_point_answers) != 0) {
                n++;
                why = c->set[s].member[i].why;
            }
        if (n)
            abdb_table_add_note_format(t, "%c: %zu of %zu results left out: %s", (char)('A' + s), n,
                                       c->set[s].members, why);
        abdb_set_add_notes_of_marked_results(&c->set[s], (char[]){(char)('A' + s), '\0'}, t);
    }
}

/* Turns of a side's command without a result, not even a later one (--resume), and the newest of
 * several commands. */
static void note_commands_of_sides(const abdb_comparison *c, abdb_table *t)
{
    abdb_text words = {0};

    for (size_t s = 0; s < c->sets; s++) {
        const abdb_side_command *command = &c->command[s];
        char letter = (char)('A' + s);

        abdb_text_clear(&words);
        abdb_append_failed_turns(command, &words);
        if (words.size)
            abdb_table_add_note_format(t, "%c: %s (abdb query kernels --failed)", letter,
                                       abdb_text_get(&words));
        if (command->narrowed)
            abdb_table_add_note_format(
                t,
                "%c: the newest of %zu commands with this tag, %s; another by --where"
                " run=...",
                letter, command->commands, command->narrowed);
    }
    abdb_text_free(&words);
}

/* Cells without a result of a command that no condition names: of the side's tag, if it has one. */
static abdb_status note_run_cells_without_result(const abdb_comparison *c, abdb_table *t,
                                                 abdb_error *err)
{
    abdb_status st = ABDB_OK;

    for (size_t s = 0; s < c->sets && st == ABDB_OK; s++) {
        const char *campaign = abdb_member_text(&c->set[s], 0, ABDB_M_campaign);
        abdb_binds binds = {0};
        abdb_table rows = {0};

        if (!*campaign || c->command[s].turns || strncmp(c->set[s].selection, "device", 6) == 0)
            continue;
        (void)(abdb_bind_add_text(&binds, campaign) &&
               abdb_bind_add_text(&binds, c->command[s].tag ? c->command[s].tag : ""));
        st = abdb_query_to_table(
            c->db,
            "SELECT count(*) FROM (SELECT tag, cell FROM v_run WHERE campaign = ?1 AND ?2 IN ('',"
            " tag) AND status <> 'ok' EXCEPT SELECT tag, cell FROM v_run WHERE campaign = ?1 "
            "AND status = 'ok')",
            &binds, &rows, err);
        if (st == ABDB_OK && abdb_cell_number_or_nan(&rows, 0, 0) > 0)
            abdb_table_add_note_format(
                t, "%c: %s of the cells of %s without a result (abdb query kernels --failed)",
                (char)('A' + s), abdb_cell_text_or_empty(&rows, 0, 0), campaign);
        abdb_table_free(&rows);
    }
    return st;
}

/* One number under two accuracy targets is counted once. */
static void note_pairs_repeating_a_number(const abdb_comparison *c, abdb_table *t)
{
    for (size_t s = 1; s < c->sets; s++) {
        size_t n, left_out, twins;

        abdb_geomean_of_like_ratios(c, s, &n, &left_out, &twins);
        if (n > 1 && twins)
            abdb_table_add_note_format(
                t,
                "%c/A geomean: %zu pairs repeat a number of another accuracy target, counted once",
                (char)('A' + s), twins);
    }
}

/* Notes results without a partner on the other side. */
static void note_unpaired_results(const abdb_comparison *c, abdb_table *t)
{
    for (size_t s = 1; s < c->sets; s++)
        if (c->contender_unpaired[s] || c->baseline_unpaired[s])
            abdb_table_add_note_format(
                t, "not paired, because the other side has nothing like it: %zu of A, %zu of %c",
                c->baseline_unpaired[s], c->contender_unpaired[s], (char)('A' + s));
}

/* The origin of the numbers: MLCommons requires submitter, system and number of chips. */
static void note_mlperf_submissions_behind_numbers(const abdb_comparison *c, abdb_table *t)
{
    abdb_text line = {0};

    for (size_t i = 0; i < c->pairs && i < PICKS_MAX; i++)
        for (int right = 0; right < 2 && abdb_pair_may_be_shown(c, &c->pair[i]); right++) {
            abdb_side side = right ? c->pair[i].b : c->pair[i].a;
            size_t at = right ? c->pair[i].right.picked : c->pair[i].left.picked;
            const abdb_set *set = side.set;

            if (at == SIZE_MAX || strcmp(abdb_member_text(set, at, ABDB_M_evidence), "mlperf") != 0)
                continue;
            abdb_text_clear(&line);
            abdb_text_printf(&line, "%c %s %s: ", right ? (char)('A' + c->pair[i].contender) : 'A',
                             abdb_member_text(set, at, ABDB_M_model),
                             abdb_member_text(set, at, ABDB_M_scenario));
            abdb_text_printf(&line, "%s, %s, ", abdb_member_text(set, at, ABDB_M_submitter),
                             abdb_member_text(set, at, ABDB_M_system));
            abdb_text_printf(&line, "%s chips, %s", abdb_member_text(set, at, ABDB_M_devices),
                             abdb_member_text(set, at, ABDB_M_round));
            abdb_table_add_note(t, abdb_text_get(&line));
        }
    abdb_text_free(&line);
}

/* Adds a line for each different price that a picked result was divided by, and the notes that all
 * of them together need. */
static void note_prices_of_picked_results(const abdb_comparison *c, abdb_table *t)
{
    abdb_price_summary met = {0};

    for (size_t i = 0; i < c->pairs; i++)
        for (int right = 0; right < 2; right++) {
            const abdb_side_summary *s = right ? &c->pair[i].right : &c->pair[i].left;
            abdb_side side = right ? c->pair[i].b : c->pair[i].a;
            const char *line;
            bool seen = false;

            if (!s->n || s->picked == SIZE_MAX || !side.set->member[s->picked].price) continue;
            abdb_price_summary_add_member(&met, &side.set->member[s->picked]);
            line = abdb_arena_printf(&t->arena, "price of %s: %s",
                                     abdb_member_text(side.set, s->picked, ABDB_M_device),
                                     side.set->member[s->picked].price);
            for (size_t k = 0; line && k < t->notes; k++) seen |= strcmp(t->note[k], line) == 0;
            if (line && !seen) abdb_table_add_note(t, line);
        }
    abdb_price_summary_add_notes(&met, t);
}

/* How the results that stand in the table keep the limits of --at, one line for each. */
static void note_how_limits_are_met(const abdb_comparison *c, abdb_table *t)
{
    for (size_t i = 0; c->options->measure.at && i < c->pairs; i++)
        for (int k = 0; k < 2 && abdb_pair_may_be_shown(c, &c->pair[i]); k++) {
            abdb_side side = k ? c->pair[i].b : c->pair[i].a;
            const abdb_side_summary *s = k ? &c->pair[i].right : &c->pair[i].left;
            const char *line;
            bool seen = false;

            if (!s->n || s->picked == SIZE_MAX || !side.set->member[s->picked].met_by) continue;
            line = abdb_arena_printf(&t->arena, "%c within the limits by %s",
                                     k ? (char)('A' + c->pair[i].contender) : 'A',
                                     side.set->member[s->picked].met_by);
            for (size_t n = 0; line && n < t->notes; n++) seen |= strcmp(t->note[n], line) == 0;
            if (line && !seen) abdb_table_add_note(t, line);
        }
}

/* Below the table: the meaning of the words used in it. */
static void note_legend_and_caveats(const abdb_comparison *c, abdb_table *t)
{
    bool stated = false, run = false, tested = false, mlperf = false, vague = false, apart = false,
         untested = false;
    const char *per = c->per, *formula = NULL;
    abdb_error ignored;

    for (size_t i = 0; i < c->pairs; i++) {
        if (!abdb_pair_may_be_shown(c, &c->pair[i]) || !c->pair[i].has_ratio) continue;
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
        abdb_table_add_note(t, run ? "stated = single values without samples: a ratio, not a test."
                                   : "stated = published single values: a ratio, not a test; spread"
                                     " unknown.");
    if (tested) abdb_note_test_method_and_power(c, t);
    if (vague) abdb_table_add_note(t, "~ no evidence of a difference in these data.");
    if (untested)
        abdb_table_add_note(t, "~ was not tested, for the reason above: it may be a difference.");
    if (apart)
        abdb_table_add_note(
            t, "(ratio): what is compared differs in what the row names; no headline, and in no"
               " geometric mean.");
    if (abdb_find_per_formula(per, &formula, &ignored) == ABDB_OK && formula)
        abdb_table_add_note_format(t, "%s%s: derived by abdb%s", mlperf ? "† " : "", formula,
                                   mlperf ? "; not an official or verified MLPerf® metric." : ".");
    note_rule_remarks(c, t);
    note_how_limits_are_met(c, t);
    note_left_out_results(c, t);
    if (c->identifiers.size)
        abdb_table_add_note_format(
            t, "left aside, with another value in every row of their files:%.*s",
            (int)c->identifiers.size - 1, abdb_text_get(&c->identifiers));
    note_pairs_repeating_a_number(c, t);
    note_unpaired_results(c, t);
    note_mlperf_submissions_behind_numbers(c, t);
    note_prices_of_picked_results(c, t);
}

/* The footnotes of all results that stand in the numbers. */
static abdb_status note_mlperf_footnotes(const abdb_comparison *c, abdb_db *db, abdb_table *t,
                                         abdb_error *err)
{
    abdb_table rows = {0};
    abdb_status st = ABDB_OK;

    TRY(abdb_comparison_to_data_table(c, false, &rows, err));
    TRY(abdb_add_mlperf_footnotes_as_table_notes(db, &rows, false, err));
    for (size_t i = 0; i < rows.notes; i++) abdb_table_add_note(t, rows.note[i]);
done:
    abdb_table_free(&rows);
    return st;
}

void abdb_append_exploratory_stamp_if_refused(const abdb_comparison *c, abdb_text *out)
{
    if (c->options->exploratory && c->refused)
        abdb_text_printf(out, "EXPLORATORY: %zu of %zu pairs are NOT COMPARABLE. ", c->refused,
                         c->pairs);
}

/* Is a pair refused by more than its machines, whose rule names the way out itself? */
static bool another_rule_than_one_machine_refuses(const abdb_comparison *c)
{
    for (size_t i = 0; i < c->pairs; i++)
        for (size_t k = 0; k < c->pair[i].refusals; k++)
            if (c->pair[i].refusal[k] != &abdb_rule_one_machine) return true;
    return false;
}

/* Everything after the blocks. */
abdb_status abdb_add_comparison_notes(const abdb_comparison *c, abdb_db *db, abdb_table *t,
                                      abdb_error *err)
{
    abdb_status st = ABDB_OK;

    for (size_t s = 1; s < c->sets; s++) note_contender_refusals(c, s, t);
    if (another_rule_than_one_machine_refuses(c) && !c->options->exploratory)
        /* Groups are split by the factors of all refusing rules: no condition lifts a refusal. */
        abdb_table_add_note(t,
                            "  next: no --where makes these pairs comparable; --exploratory shows"
                            " them, stamped");
    note_legend_and_caveats(c, t);
    if (c->options->why) TRY(abdb_note_ratio_factors(c, t, err));
    TRY(abdb_note_environment_if_speed_differs(c, t, err));
    note_commands_of_sides(c, t);
    TRY(note_run_cells_without_result(c, t, err));
    TRY(note_mlperf_footnotes(c, db, t, err));
done:
    return st;
}
