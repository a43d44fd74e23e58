/* test_notes.c - sentences below a comparison of measured results; see test_notes.h. */
#include "query/compare/test_notes.h"

#include <math.h>
#include <string.h>

#include "query/compare/environment_diff.h"

enum { REASONS_MAX = 4, BESIDE_MAX = 6 };

typedef struct {
    size_t tested, blind, hopeless, drifting, most, unused, processes, busy, throttled;
    double least_drift, most_drift;
    bool wall_time;
} tested_pair_counts;

/* The results of a side with a flag. */
static size_t count_members_with_flag(abdb_side side, const char *flag)
{
    size_t count = 0;

    for (size_t i = 0; i < side.group->count; i++)
        count += abdb_list_has_word(abdb_member_text(side.set, side.group->member[i], ABDB_M_flags),
                                    ' ', flag, strlen(flag));
    return count;
}

static void add_disturbed_processes(abdb_side side, tested_pair_counts *n)
{
    n->processes += side.group->count;
    n->busy += count_members_with_flag(side, "busy");
    n->throttled += count_members_with_flag(side, "throttled");
    n->wall_time |=
        strcmp(abdb_member_text(side.set, side.group->member[0], ABDB_M_metric), "time_s") == 0;
}

/* Summary of the tested pairs. */
static tested_pair_counts summarise_tested_pairs(const abdb_comparison *c)
{
    tested_pair_counts n = {.least_drift = INFINITY};

    for (size_t i = 0; i < c->pairs; i++) {
        const abdb_difference *d = &c->pair[i].difference;

        if (!isfinite(d->detectable_change) || !abdb_pair_may_be_shown(c, &c->pair[i])) continue;
        n.tested++;
        n.unused += d->unused;
        add_disturbed_processes(c->pair[i].a, &n);
        add_disturbed_processes(c->pair[i].b, &n);
        n.blind += d->detectable_change > abdb_change_to_detect_or_default(c);
        n.hopeless +=
            d->detectable_change > abdb_change_to_detect_or_default(c) && !d->processes_needed;
        if (d->detectable_change > abdb_change_to_detect_or_default(c) &&
            d->processes_needed > n.most)
            n.most = d->processes_needed;
        if (d->paired) continue;
        n.drifting++;
        n.least_drift = fmin(n.least_drift, d->drift);
        n.most_drift = fmax(n.most_drift, d->drift);
    }
    return n;
}

/* Adds the note of the drift that was assumed between separate commands, in per cent, if there was
 * any. */
static void note_drift_range(const tested_pair_counts *n, abdb_table *t)
{
    char range[64];

    if (!n->drifting) return;
    snprintf(range, sizeof range, "%.1f", 100 * n->least_drift);
    if (n->most_drift > n->least_drift + 5e-4)
        snprintf(range, sizeof range, "%.1f to %.1f", 100 * n->least_drift, 100 * n->most_drift);
    abdb_table_add_note_format(
        t,
        "measured by separate commands, between which this machine is taken to drift by %s"
        " %% (one standard deviation, by abdb run --calibrate, 1 %% at least, or --drift):"
        " abdb run --builds lets two builds take turns, and it cancels.",
        range);
}

/* Adds how many processes other programs or a quota disturbed (flags busy and throttled). */
static void note_disturbed_processes(const tested_pair_counts *n, abdb_table *t)
{
    if (n->busy)
        abdb_table_add_note_format(t,
                                   "busy: other programs used over a tenth of the machine beside"
                                   " %zu of %zu processes%s.",
                                   n->busy, n->processes,
                                   n->wall_time ? "; they disturb processor time less"
                                                  " (--metric user_time_s)"
                                                : "");
    if (n->throttled)
        abdb_table_add_note_format(t, "throttled: %zu of %zu processes used up a processor quota.",
                                   n->throttled, n->processes);
}

/* Why pairs could not be tested, each reason once. */
static void note_distinct_reasons_of_shown_pairs(const abdb_comparison *c, abdb_table *t)
{
    const char *seen[REASONS_MAX];
    size_t count = 0;

    for (size_t i = 0; i < c->pairs && count < REASONS_MAX; i++) {
        const char *reason = c->pair[i].difference.reason;
        bool known = !reason || !abdb_pair_may_be_shown(c, &c->pair[i]);

        for (size_t k = 0; k < count; k++) known = known || strcmp(seen[k], reason) == 0;
        if (known) continue;
        seen[count++] = reason;
        abdb_table_add_note_format(t, "%s: %s.", abdb_verdict_name(c->pair[i].difference.verdict),
                                   reason);
    }
}

void abdb_note_test_method_and_power(const abdb_comparison *c, abdb_table *t)
{
    tested_pair_counts n = summarise_tested_pairs(c);
    double find = 100 * abdb_change_to_detect_or_default(c);
    const char *beyond = "";

    note_distinct_reasons_of_shown_pairs(c, t);
    if (!n.tested) return;
    abdb_table_add_note_format(
        t,
        "each process counts once, by its median; trimmed means and their ratio with its"
        " %g %% interval; faster and slower: %g %% or more, and p at most %g%s"
        " (Holm). shows: the smallest change found 99 times in 100.",
        100 * (1 - abdb_significance_level_or_default(c)),
        100 * abdb_effect_threshold_or_default(c), abdb_significance_level_or_default(c),
        n.tested > 1 ? abdb_arena_printf(&t->arena, " over all %zu pairs", n.tested) : "");
    if (n.unused)
        abdb_table_add_note_format(t,
                                   "%zu process%s took no turn with the other side and %s not"
                                   " counted (--where run=latest picks the last command).",
                                   n.unused, n.unused == 1 ? "" : "es",
                                   n.unused == 1 ? "is" : "are");
    note_disturbed_processes(&n, t);
    note_drift_range(&n, t);
    if (!n.blind) return;
    if (n.hopeless == n.blind)
        beyond =
            abdb_arena_printf(&t->arena, "; not even %d processes a side would", ABDB_REPEAT_MOST);
    abdb_table_add_note_format(t, "%zu of %zu pair%s cannot show a change of %g %%%s.", n.blind,
                               n.tested, abdb_plural_ending((long long)n.tested), find, beyond);
    if (n.most)
        abdb_table_add_note_format(t, "%s would with %zu processes a side (abdb run --repeat %zu).",
                                   n.hopeless     ? "The others"
                                   : n.blind == 1 ? "It"
                                                  : "They",
                                   n.most, n.most);
}

/* --- other differences ------------------------------------------------------------------------ */

/* Is the contender faster or slower in a pair that may be shown? */
static bool contender_is_faster_or_slower(const abdb_comparison *c, size_t contender)
{
    for (size_t i = 0; i < c->pairs; i++) {
        abdb_verdict verdict = c->pair[i].difference.verdict;

        if (c->pair[i].contender == contender && abdb_pair_may_be_shown(c, &c->pair[i]) &&
            (verdict == ABDB_VERDICT_FASTER || verdict == ABDB_VERDICT_SLOWER))
            return true;
    }
    return false;
}

/* A factor that all of a set share, or "". */
static const char *factor_value_shared_by_set_or_empty(const abdb_set *set, const char *name)
{
    const abdb_member_factor *first =
        set->members ? abdb_member_find_factor(&set->member[0], name) : NULL;

    if (!first || first->state != ABDB_KNOWN) return "";
    for (size_t i = 1; i < set->members; i++) {
        const abdb_member_factor *t = abdb_member_find_factor(&set->member[i], name);

        if (!t || t->state != ABDB_KNOWN || strcmp(t->text, first->text) != 0) return "";
    }
    return first->text;
}

/* "commit 1a2b|3c4d  compiler gcc 12|gcc 13", of one contender: possible causes of a change. */
static abdb_status append_revision_and_environment_changes(const abdb_comparison *c,
                                                           size_t contender, abdb_text *out,
                                                           abdb_error *err)
{
    static const char *const revision[] = {"commit", "branch", "dirty"};
    const abdb_set *a = &c->set[0], *b = &c->set[contender];
    abdb_table rows = {0};
    size_t named = 0, more = 0;
    abdb_status st = ABDB_OK;

    for (size_t i = 0; i < sizeof revision / sizeof revision[0]; i++) {
        const char *x = factor_value_shared_by_set_or_empty(a, revision[i]),
                   *y = factor_value_shared_by_set_or_empty(b, revision[i]);

        if (strcmp(x, y) != 0)
            abdb_text_printf(out, "%s%s %.12s|%.12s", out->size ? "  " : "", revision[i], x, y);
    }
    TRY(abdb_query_environment_diff(c->db, a, b, &rows, err));
    for (size_t i = 0; i < rows.rows; i++) {
        if (strcmp(abdb_cell_text_or_empty(&rows, i, 3), "matters") != 0) continue;
        if (named++ < BESIDE_MAX)
            abdb_text_printf(out, "%s%s %.60s|%.60s", out->size ? "  " : "",
                             abdb_cell_text_or_empty(&rows, i, 0),
                             abdb_cell_text_or_empty(&rows, i, 1),
                             abdb_cell_text_or_empty(&rows, i, 2));
        else
            more++;
    }
    if (more) abdb_text_printf(out, "  and %zu more (--environment)", more);
done:
    abdb_table_free(&rows);
    return st;
}

abdb_status abdb_note_environment_if_speed_differs(const abdb_comparison *c, abdb_table *t,
                                                   abdb_error *err)
{
    abdb_text words = {0};
    abdb_status st = ABDB_OK;

    for (size_t s = 1; s < c->sets; s++) {
        if (!contender_is_faster_or_slower(c, s)) continue;
        abdb_text_clear(&words);
        TRY(append_revision_and_environment_changes(c, s, &words, err));
        if (words.size)
            abdb_table_add_note_format(t, "beside it %c differs from A: %s", (char)('A' + s),
                                       abdb_text_get(&words));
    }
done:
    abdb_text_free(&words);
    return st;
}
