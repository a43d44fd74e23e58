/* value_ranges.c - see value_ranges.h. */
#include "query/compare/value_ranges.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A value and what its inputs are multiplied by. */
typedef struct {
    double value;
    double low[ABDB_VARY_COUNT], high[ABDB_VARY_COUNT];
} ranged_value;

/* The power of an input in a value: 1 in proportion to it, -1 divided by it, 0 not at all. */
static int exponent_of_input(const char *per, abdb_varied input)
{
    bool dollars = strcmp(per, "dollar") == 0;

    switch (input) {
    case ABDB_VARY_RATE: return 1;
    case ABDB_VARY_PRICE: return dollars ? -1 : 0;
    case ABDB_VARY_UTILISATION: return dollars ? 1 : 0;
    case ABDB_VARY_POWER: return strcmp(per, "watt") == 0 ? -1 : 0;
    default: return 0;
    }
}

/* worst and best: of the results that the value stands for; member: the one with its price. */
static ranged_value make_ranged_value(const abdb_choice_ranges *ranges, double value, double worst,
                                      double best, const abdb_member *member)
{
    ranged_value v = {.value = value};

    for (size_t i = 0; i < ABDB_VARY_COUNT; i++) {
        v.low[i] = ranges->by_evidence ? 1 : ranges->low[i];
        v.high[i] = ranges->by_evidence ? 1 : ranges->high[i];
    }
    if (!ranges->by_evidence) return v;
    v.low[ABDB_VARY_RATE] = fmin(1, fmin(worst, best) / value);
    v.high[ABDB_VARY_RATE] = fmax(1, fmax(worst, best) / value);
    if (member->price && member->dearest_offer > 1) v.high[ABDB_VARY_PRICE] = member->dearest_offer;
    return v;
}

/* Counts for each value the draws in which it is the best of all, as a fraction. */
static void simulate_first_shares(const ranged_value *v, size_t count, const char *per, bool higher,
                                  unsigned long long seed, double *share)
{
    uint64_t state = seed;

    for (size_t i = 0; i < count; i++) share[i] = 0;
    for (size_t draw = 0; draw < ABDB_FIRST_PLACE_DRAWS; draw++) {
        size_t first = SIZE_MAX;
        double best = NAN;

        for (size_t i = 0; i < count; i++) {
            double value = v[i].value;

            for (int k = 0; k < ABDB_VARY_COUNT; k++) {
                double by = abdb_draw_log_uniform(v[i].low[k], v[i].high[k], &state);
                int exponent = exponent_of_input(per, (abdb_varied)k);

                value = exponent > 0 ? value * by : exponent < 0 ? value / by : value;
            }
            if (first != SIZE_MAX && (higher ? value <= best : value >= best)) continue;
            first = i;
            best = value;
        }
        if (first != SIZE_MAX) share[first] += 1.0 / ABDB_FIRST_PLACE_DRAWS;
    }
}

/* The worst of the results of a group that bear the name of a row, and count. */
static double worst_value_of_row(const abdb_ranking *r, const abdb_ranked *row, bool higher)
{
    const abdb_group *g = &r->groups.group[row->group];
    const char *device = abdb_member_text(&r->set, row->member, ABDB_M_device);
    double worst = row->value;

    for (size_t i = 0; i < g->count; i++) {
        const abdb_member *m = &r->set.member[g->member[i]];

        if (m->why || !isfinite(m->value) ||
            strcmp(abdb_member_text(&r->set, g->member[i], ABDB_M_device), device) != 0)
            continue;
        if (higher ? m->value < worst : m->value > worst) worst = m->value;
    }
    return worst;
}

abdb_status abdb_simulate_ranking_first_shares(const abdb_ranking *r,
                                               const abdb_range_question *question, double *share,
                                               abdb_error *err)
{
    ranged_value *v = calloc(r->count + 1, sizeof *v);
    double *found = calloc(r->count + 1, sizeof *found);
    abdb_status st = ABDB_OK;

    if (!v || !found) TRY(ABDB_FAIL(err, ABDB_NOMEM, "ranges of a ranking"));
    for (size_t begin = 0, end; begin < r->count; begin = end) {
        bool higher = abdb_ranking_group_is_higher(r, r->row[begin].group);
        size_t count = 0;

        for (end = begin; end < r->count && r->row[end].group == r->row[begin].group; end++) {
            const abdb_ranked *row = &r->row[end];

            if (*row->unlike) continue;
            v[count++] =
                make_ranged_value(&question->ranges, row->value, worst_value_of_row(r, row, higher),
                                  row->value, &r->set.member[row->member]);
        }
        simulate_first_shares(v, count, r->per, higher, question->seed, found);
        count = 0;
        for (size_t i = begin; i < end; i++) share[i] = *r->row[i].unlike ? NAN : found[count++];
    }
done:
    free(v);
    free(found);
    return st;
}

abdb_status abdb_simulate_contender_first_share(const abdb_comparison *c, const abdb_pair *pair,
                                                const abdb_range_question *question, double *share,
                                                abdb_error *err)
{
    double both[2];
    ranged_value v[2];

    if (pair->left.picked == SIZE_MAX || pair->right.picked == SIZE_MAX)
        return ABDB_FAIL(err, ABDB_UNFAIR, "there is no ratio of two results to be varied");
    v[0] = make_ranged_value(&question->ranges, pair->left.value, pair->left.low, pair->left.high,
                             &pair->a.set->member[pair->left.picked]);
    v[1] = make_ranged_value(&question->ranges, pair->right.value, pair->right.low,
                             pair->right.high, &pair->b.set->member[pair->right.picked]);
    simulate_first_shares(v, 2, c->per, pair->higher, question->seed, both);
    *share = both[1];
    return ABDB_OK;
}

void abdb_note_multiples_losing_first_value(const char *per, const char *first_name, double first,
                                            const char *second_name, double second, bool is_time,
                                            abdb_table *t)
{
    for (int i = 0; i < ABDB_VARY_COUNT; i++) {
        int exponent = exponent_of_input(per, (abdb_varied)i);

        if (exponent)
            abdb_table_add_note_format(
                t, "%s alone: at %.4g times that of %s, %s is first",
                is_time && i == ABDB_VARY_RATE ? "time" : abdb_varied_name((abdb_varied)i),
                exponent > 0 ? second / first : first / second, first_name, second_name);
    }
}

void abdb_note_range_question(const abdb_range_question *question, abdb_table *t)
{
    abdb_table_add_note_format(
        t, "first in %% of %d draws, seed %llu: each input of each value log-uniform within %s",
        ABDB_FIRST_PLACE_DRAWS, question->seed,
        question->ranges.by_evidence ? "its results (rate) and offers (price)" : question->words);
}

void abdb_note_ranking_ranges(const abdb_range_question *question, const abdb_ranking *r,
                              abdb_table *t)
{
    const abdb_ranked *row = r->row;

    abdb_note_range_question(question, t);
    if (r->count > 1 && row[r->count - 1].group == row[0].group && !*row[1].unlike)
        abdb_note_multiples_losing_first_value(r->per, row[0].name, row[0].value, row[1].name,
                                               row[1].value,
                                               !abdb_ranking_group_is_higher(r, row[0].group), t);
}
