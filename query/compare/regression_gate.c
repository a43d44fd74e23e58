/* regression_gate.c - a comparison as a gate; see regression_gate.h. */
#include "query/compare/regression_gate.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "query/answer/escape.h"
#include "query/answer/output.h"

/* A pair in which not even twice A's value would show was not judged, whatever its verdict. */
static const double blind = 1.0;
enum { NAMED_MAX = 5, VERDICTS = ABDB_VERDICT_STATED + 1 };

abdb_status abdb_gate_refuse_unknown_verdict_names(const char *fail_on, abdb_error *err)
{
    while (fail_on && *fail_on) {
        size_t size = strcspn(fail_on, ","), known = 0;

        while (known < VERDICTS &&
               (strlen(abdb_verdict_name((abdb_verdict)known)) != size ||
                strncmp(abdb_verdict_name((abdb_verdict)known), fail_on, size) != 0))
            known++;
        if (known == VERDICTS)
            return ABDB_FAIL(err, ABDB_USAGE,
                             "--fail-on wants faster, slower, same, unclear, too-few or stated, not"
                             " '%.*s'",
                             (int)size, fail_on);
        fail_on += size + (fail_on[size] == ',');
    }
    return ABDB_OK;
}

/* --- messages ----------------------------------------------------------------------- */

static bool pair_could_not_show_a_doubling(const abdb_difference *d)
{
    return d->verdict == ABDB_VERDICT_UNCLEAR && isfinite(d->p) && !(d->detectable_change < blind);
}

/* Was it tested, with nothing found, where the change to be found could not have been? */
static bool pair_hides_change(const abdb_gate *g, const abdb_difference *d)
{
    return d->verdict == ABDB_VERDICT_UNCLEAR && isfinite(d->p) &&
           !(d->detectable_change <= g->find);
}

/* A sentence on the ratio of a pair, or why there is none, in the arena. */
static const char *format_pair_message(abdb_gate *g, const abdb_pair *pair)
{
    const abdb_difference *d = &pair->difference;
    const char *why = abdb_pair_why_no_ratio_or_null(pair);

    if (!pair->has_ratio)
        return abdb_arena_printf(&g->arena, "no value: %s", why ? why : "unknown");
    if (d->reason)
        return abdb_arena_printf(&g->arena, "%s: %s", abdb_verdict_name(d->verdict), d->reason);
    if (d->verdict == ABDB_VERDICT_STATED)
        return abdb_arena_printf(&g->arena,
                                 "stated: %.3fx of single values without samples,"
                                 " which no test can judge",
                                 d->ratio);
    return abdb_arena_printf(
        &g->arena, "%s: %.3fx (%.3f to %.3f), p %.2g over all; shows %.1f %%%s",
        abdb_verdict_name(d->verdict), d->ratio, d->low, d->high, d->p_corrected,
        100 * d->detectable_change,
        pair_could_not_show_a_doubling(d)
            ? ", not even twice A's value: more processes (abdb run --repeat), a"
              " quieter machine"
        : pair_hides_change(g, d)
            ? abdb_arena_printf(&g->arena, ", so a change of %g %% could hide", 100 * g->find)
            : "");
}

/* Adds a judged cell with its name and counts it by its state. */
static abdb_status append_and_count_gate_cell(abdb_gate *g, const abdb_set *set, size_t member,
                                              abdb_gate_cell cell, abdb_error *err)
{
    const char *kernel = abdb_member_text(set, member, ABDB_M_workload);

    cell.kernel = abdb_arena_copy(&g->arena, kernel, strlen(kernel));
    cell.name = abdb_member_display_name(set, member, &g->arena);
    if (!cell.kernel || !cell.name || !cell.message) return ABDB_FAIL(err, ABDB_NOMEM, "a gate");
    g->fails += cell.state == ABDB_GATE_FAILS;
    g->missing += cell.state == ABDB_GATE_MISSING;
    g->unseen += cell.unseen;
    g->cell[g->count++] = cell;
    return ABDB_OK;
}

/* --- cells ------------------------------------------------------------------------------------ */

/* Judges a pair: it fails if its verdict is in --fail-on, and is missing if nothing could be
 * judged. */
static abdb_status judge_and_append_pair_cell(abdb_gate *g, const abdb_pair *pair, abdb_error *err)
{
    const char *word = abdb_verdict_name(pair->difference.verdict);
    abdb_gate_cell cell = {.message = format_pair_message(g, pair),
                           .verdict = pair->difference.verdict};

    if (pair->has_ratio && abdb_list_has_word(g->fail_on, ',', word, strlen(word)))
        cell.state = ABDB_GATE_FAILS;
    else if (!pair->has_ratio || cell.verdict == ABDB_VERDICT_STATED ||
             cell.verdict == ABDB_VERDICT_TOO_FEW || !isfinite(pair->difference.p) ||
             pair_could_not_show_a_doubling(&pair->difference))
        cell.state = ABDB_GATE_MISSING;
    else
        cell.unseen = pair_hides_change(g, &pair->difference);
    return append_and_count_gate_cell(g, pair->b.set, pair->b.group->member[0], cell, err);
}

/* Groups of a set that are in no pair with that contender. */
static abdb_status append_unpaired_cells_as_missing(abdb_gate *g, const abdb_comparison *c,
                                                    size_t set, size_t contender, abdb_error *err)
{
    const char letter = (char)('A' + contender), other = set ? 'A' : letter;
    abdb_status st = ABDB_OK;

    for (size_t i = 0; i < c->groups[set].count; i++) {
        const abdb_group *group = &c->groups[set].group[i];
        bool met = false;

        for (size_t p = 0; p < c->pairs && !met; p++)
            met = c->pair[p].contender == contender &&
                  strcmp((set ? c->pair[p].b : c->pair[p].a).group->key, group->key) == 0;
        if (met) continue;
        TRY(append_and_count_gate_cell(
            g, &c->set[set], group->member[0],
            (abdb_gate_cell){.state = ABDB_GATE_MISSING,
                             .verdict = ABDB_VERDICT_TOO_FEW,
                             .message = abdb_arena_printf(
                                 &g->arena, "not paired: %c has nothing like it", other)},
            err));
    }
done:
    return st;
}

/* Turns of a side that failed cannot be judged, however the others went. */
static abdb_status append_failed_turns_as_missing(abdb_gate *g, const abdb_comparison *c,
                                                  size_t set, abdb_error *err)
{
    abdb_text words = {0};
    abdb_status st = ABDB_OK;

    abdb_append_failed_turns(&c->command[set], &words);
    if (words.size) {
        g->cell[g->count] =
            (abdb_gate_cell){.kernel = "command",
                             .name = abdb_arena_printf(&g->arena, "%s", c->command[set].tag),
                             .message = abdb_arena_printf(&g->arena, "%s", abdb_text_get(&words)),
                             .state = ABDB_GATE_MISSING,
                             .verdict = ABDB_VERDICT_TOO_FEW};
        if (!g->cell[g->count].name || !g->cell[g->count].message)
            st = ABDB_FAIL(err, ABDB_NOMEM, "a gate");
        g->count++;
        g->missing++;
    }
    abdb_text_free(&words);
    return st;
}

/* A pair that a rule refuses cannot be judged: "NOT COMPARABLE one-machine: ...". */
static abdb_status append_refused_pair_as_missing(abdb_gate *g, const abdb_pair *pair,
                                                  abdb_error *err)
{
    const abdb_rule *rule = pair->refusal[0];

    return append_and_count_gate_cell(
        g, pair->b.set, pair->b.group->member[0],
        (abdb_gate_cell){.state = ABDB_GATE_MISSING,
                         .verdict = ABDB_VERDICT_TOO_FEW,
                         .message = abdb_arena_printf(
                             &g->arena, "NOT COMPARABLE %s: %s%s%s%s", rule->rule, rule->sentence,
                             pair->machines ? " (" : "", pair->machines ? pair->machines : "",
                             pair->machines ? ")" : "")},
        err);
}

abdb_status abdb_gate_judge_pairs_and_unpaired_cells(abdb_gate *out, const abdb_comparison *c,
                                                     const char *fail_on, bool missing_fails,
                                                     abdb_error *err)
{
    size_t most = c->pairs + c->sets + 1;
    abdb_status st = ABDB_OK;

    *out = (abdb_gate){.fail_on = fail_on,
                       .missing_fails = missing_fails,
                       .find = abdb_change_to_detect_or_default(c)};
    for (size_t s = 1; s < c->sets; s++) most += c->groups[0].count + c->groups[s].count;
    out->cell = calloc(most, sizeof *out->cell);
    if (!out->cell) return ABDB_FAIL(err, ABDB_NOMEM, "a gate");
    for (size_t i = 0; i < c->pairs; i++) {
        if (c->pair[i].choice == ABDB_OF_ANY_SIZE) continue;
        TRY(abdb_pair_may_be_shown(c, &c->pair[i])
                ? judge_and_append_pair_cell(out, &c->pair[i], err)
                : append_refused_pair_as_missing(out, &c->pair[i], err));
    }
    for (size_t s = 0; s < c->sets; s++) TRY(append_failed_turns_as_missing(out, c, s, err));
    for (size_t s = 1; s < c->sets; s++) {
        TRY(append_unpaired_cells_as_missing(out, c, 0, s, err));
        TRY(append_unpaired_cells_as_missing(out, c, s, s, err));
    }
done:
    if (st != ABDB_OK) abdb_gate_free(out);
    return st;
}

void abdb_gate_free(abdb_gate *g)
{
    free(g->cell);
    abdb_arena_free(&g->arena);
    *g = (abdb_gate){0};
}

/* "vec gemm n=512 (slower: ...), ... and 3 more" */
static void append_names_of_first_cells_in_state(const abdb_gate *g, abdb_gate_state state,
                                                 abdb_text *out)
{
    size_t named = 0, all = state == ABDB_GATE_FAILS ? g->fails : g->missing;

    for (size_t i = 0; i < g->count && named < NAMED_MAX; i++) {
        if (g->cell[i].state != state) continue;
        abdb_text_printf(out, "%s%s (%s)", named++ ? "; " : "", g->cell[i].name,
                         g->cell[i].message);
    }
    if (all > named) abdb_text_printf(out, "; and %zu more", all - named);
}

abdb_status abdb_gate_fail_unless_held(const abdb_gate *g, abdb_error *err)
{
    abdb_text words = {0};
    abdb_status st = ABDB_OK;

    if (g->fails) {
        append_names_of_first_cells_in_state(g, ABDB_GATE_FAILS, &words);
        st = ABDB_FAIL(err, ABDB_GATE, "%zu of %zu cell%s: %s (--fail-on %s)", g->fails, g->count,
                       abdb_plural_ending((long long)g->count), abdb_text_get(&words), g->fail_on);
    } else if (g->missing && g->missing_fails) {
        append_names_of_first_cells_in_state(g, ABDB_GATE_MISSING, &words);
        st = ABDB_FAIL(err, ABDB_GATE,
                       "%zu of %zu cell%s could not be judged (--missing warn lets them pass): %s",
                       g->missing, g->count, abdb_plural_ending((long long)g->count),
                       abdb_text_get(&words));
    }
    abdb_text_free(&words);
    return st;
}

/* --- for other programs ----------------------------------------------------------------------- */

void abdb_gate_write_junit(const abdb_gate *g, const char *suite_name, FILE *out)
{
    size_t errors = g->missing_fails ? g->missing : 0;

    abdb_print_sanitized(
        out, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n  <testsuite name=\"");
    abdb_write_html_escaped(out, suite_name);
    abdb_print_sanitized(out, "\" tests=\"%zu\" failures=\"%zu\" errors=\"%zu\" skipped=\"%zu\">\n",
                         g->count, g->fails, errors, g->missing - errors + g->unseen);
    for (size_t i = 0; i < g->count; i++) {
        const abdb_gate_cell *cell = &g->cell[i];
        const char *element = cell->state == ABDB_GATE_FAILS      ? "failure"
                              : g->missing_fails && !cell->unseen ? "error"
                                                                  : "skipped";

        abdb_print_sanitized(out, "    <testcase classname=\"abdb.");
        abdb_write_html_escaped(out, cell->kernel);
        abdb_print_sanitized(out, "\" name=\"");
        abdb_write_html_escaped(out, cell->name);
        abdb_print_sanitized(out, "\">\n      ");
        if (cell->state == ABDB_GATE_HOLDS && !cell->unseen) {
            abdb_print_sanitized(out, "<system-out>");
            abdb_write_html_escaped(out, cell->message);
            abdb_print_sanitized(out, "</system-out>\n    </testcase>\n");
            continue;
        }
        abdb_print_sanitized(out, "<%s message=\"", element);
        abdb_write_html_escaped(out, cell->message);
        abdb_print_sanitized(out, "\"/>\n    </testcase>\n");
    }
    abdb_print_sanitized(out, "  </testsuite>\n</testsuites>\n");
}

/* Characters that would end a message, or the title before it, are written as codes. */
static void write_github_escaped(FILE *out, const char *text, bool is_title)
{
    abdb_text coded = {0};

    for (; *text; text++)
        if (strchr(is_title ? "%\r\n:," : "%\r\n", *text))
            abdb_text_printf(&coded, "%%%02X", (unsigned)(unsigned char)*text);
        else
            abdb_text_add(&coded, text, 1);
    abdb_print_sanitized(out, "%s", abdb_text_get(&coded));
    abdb_text_free(&coded);
}

void abdb_gate_write_github_annotations(const abdb_gate *g, const char *suite_name, FILE *out)
{
    for (size_t i = 0; i < g->count; i++) {
        const abdb_gate_cell *cell = &g->cell[i];
        bool error = cell->state == ABDB_GATE_FAILS || (g->missing_fails && !cell->unseen);

        if (cell->state == ABDB_GATE_HOLDS && !cell->unseen) continue;
        abdb_print_sanitized(out, "::%s title=", error ? "error" : "warning");
        write_github_escaped(out, cell->name, true);
        abdb_print_sanitized(out, "::");
        write_github_escaped(out, cell->message, false);
        abdb_print_sanitized(out, "\n");
    }
    abdb_print_sanitized(out, "::notice title=");
    write_github_escaped(out, suite_name, true);
    abdb_print_sanitized(out,
                         "::%zu cell%s, %zu fail, %zu could not be judged, in %zu a change of %g %%"
                         " could hide\n",
                         g->count, abdb_plural_ending((long long)g->count), g->fails, g->missing,
                         g->unseen, 100 * g->find);
}

void abdb_gate_write_failure(const char *name, const char *message, int exit_code, bool junit,
                             FILE *out)
{
    abdb_gate_cell cell = {.kernel = "compare", .name = name, .state = ABDB_GATE_MISSING};
    abdb_gate g = {.count = 1, .missing = 1, .missing_fails = true, .cell = &cell};

    cell.message =
        abdb_arena_printf(&g.arena, "could not be judged: exit %d: %s", exit_code, message);
    if (!cell.message) cell.message = "could not be judged";
    (junit ? abdb_gate_write_junit : abdb_gate_write_github_annotations)(&g, name, out);
    abdb_arena_free(&g.arena);
}
