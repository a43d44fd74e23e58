/* first_places.c - see first_places.h. */
#include "query/compare/first_places.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "query/compare/purchase.h"

static const double factor_most = 1e6;

const char *abdb_varied_name(abdb_varied input)
{
    static const char *const names[ABDB_VARY_COUNT] = {"price", "rate", "power", "utilisation"};

    return names[input];
}

/* "0.8..1.5" or "1.2". */
static bool parse_multiple_or_range(char *text, double *low, double *high)
{
    char *dots = strstr(text, "..");

    if (dots) *dots = '\0';
    if (!abdb_double_parse(text, ABDB_MARK_UNKNOWN, low)) return false;
    *high = *low;
    if (dots && !abdb_double_parse(dots + 2, ABDB_MARK_UNKNOWN, high)) return false;
    return *low > 0 && *high >= *low && *high <= factor_most && *low >= 1 / factor_most;
}

abdb_status abdb_parse_choice_ranges(const char *text, abdb_choice_ranges *out, abdb_error *err)
{
    char copy[200], *rest = copy, *word;

    *out = (abdb_choice_ranges){{1, 1, 1, 1}, {1, 1, 1, 1}, strcmp(text, "evidence") == 0};
    if (out->by_evidence) return ABDB_OK;
    if (strlen(text) >= sizeof copy)
        return ABDB_FAIL(err, ABDB_USAGE, "ranges of %zu letters: '%.40s...'", strlen(text), text);
    memcpy(copy, text, strlen(text) + 1);
    while ((word = strsep(&rest, ","))) {
        char *equals = strchr(word, '=');
        size_t input = 0;

        if (equals) *equals = '\0';
        while (input < ABDB_VARY_COUNT && strcmp(abdb_varied_name((abdb_varied)input), word) != 0)
            input++;
        if (!equals || input == ABDB_VARY_COUNT ||
            !parse_multiple_or_range(equals + 1, &out->low[input], &out->high[input]))
            return ABDB_FAIL(err, ABDB_USAGE,
                             "ranges are 'evidence', or multiples of price, rate, power and"
                             " utilisation such as 'price=0.8..1.5,rate=0.9..1.1', not '%s'",
                             text);
        if (out->high[ABDB_VARY_UTILISATION] > 1)
            return ABDB_FAIL(err, ABDB_USAGE,
                             "ranges of utilisation end at 1, where every paid hour is used as"
                             " assumed, not at %g",
                             out->high[ABDB_VARY_UTILISATION]);
    }
    return ABDB_OK;
}

/* The next of a sequence of 64 random bits: splitmix64, Steele, Lea and Flood 2014. */
static uint64_t next_splitmix64_bits(uint64_t *state)
{
    uint64_t z = *state += 0x9e3779b97f4a7c15;

    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
    z = (z ^ z >> 27) * 0x94d049bb133111eb;
    return z ^ z >> 31;
}

double abdb_draw_log_uniform(double low, double high, uint64_t *state)
{
    double u = (double)(next_splitmix64_bits(state) >> 11) * 0x1p-53;

    return low < high ? low * pow(high / low, u) : low;
}

/* The ranges of one row: as given, or by its offers and the results of its device. */
static void find_variation_ranges_of_purchase(const abdb_system_choice *c,
                                              const abdb_choose_options *o, const abdb_purchase *p,
                                              const abdb_choice_ranges *ranges, double *low,
                                              double *high)
{
    const abdb_group *g = &c->ranking.groups.group[c->group];
    double each = p->rate / abdb_member_number(&c->ranking.set, p->member, ABDB_M_devices);

    for (size_t i = 0; i < ABDB_VARY_COUNT; i++) {
        low[i] = ranges->by_evidence ? 1 : ranges->low[i];
        high[i] = ranges->by_evidence ? 1 : ranges->high[i];
    }
    if (!ranges->by_evidence) return;
    if (p->dearest > p->price) high[ABDB_VARY_PRICE] = p->dearest / p->price;
    for (size_t i = 0; !c->training && i < g->count; i++) {
        size_t m = g->member[i];
        double rate = abdb_system_rate_or_training_time(c, m) /
                      abdb_member_number(&c->ranking.set, m, ABDB_M_devices) / each;

        if (!abdb_result_meets_request(c, o, m, p->device) || !isfinite(rate)) continue;
        if (rate < low[ABDB_VARY_RATE]) low[ABDB_VARY_RATE] = rate;
        if (rate > high[ABDB_VARY_RATE]) high[ABDB_VARY_RATE] = rate;
    }
}

abdb_status abdb_simulate_first_place_shares(const abdb_system_choice *c,
                                             const abdb_choose_options *o,
                                             const abdb_choice_ranges *ranges,
                                             unsigned long long seed, double *share,
                                             abdb_error *err)
{
    uint64_t state = seed;
    double(*range)[2][ABDB_VARY_COUNT] = calloc(c->count ? c->count : 1, sizeof *range);

    if (!range) return ABDB_FAIL(err, ABDB_NOMEM, "ranges of a choice");
    for (size_t i = 0; i < c->count; i++) {
        share[i] = 0;
        find_variation_ranges_of_purchase(c, o, &c->row[i], ranges, range[i][0], range[i][1]);
    }
    for (size_t draw = 0; draw < ABDB_FIRST_PLACE_DRAWS; draw++) {
        abdb_purchase best = {0};
        size_t first = SIZE_MAX;

        for (size_t i = 0; i < c->count; i++) {
            double by[ABDB_VARY_COUNT];
            abdb_purchase p;

            for (size_t k = 0; k < ABDB_VARY_COUNT; k++)
                by[k] = abdb_draw_log_uniform(range[i][0][k], range[i][1][k], &state);
            p = abdb_recompute_purchase_at_multiples(c, o, &c->row[i], by[ABDB_VARY_PRICE],
                                                     by[ABDB_VARY_RATE], by[ABDB_VARY_POWER],
                                                     by[ABDB_VARY_UTILISATION]);
            if (first != SIZE_MAX && abdb_purchase_compare_cost_then_performance(&p, &best) >= 0)
                continue;
            first = i;
            best = p;
        }
        if (first != SIZE_MAX) share[first] += 1.0 / ABDB_FIRST_PLACE_DRAWS;
    }
    free(range);
    return ABDB_OK;
}

/* The row that is first when one input of row 0 is multiplied. */
static size_t cheapest_row_when_first_is_varied(const abdb_system_choice *c,
                                                const abdb_choose_options *o, abdb_varied input,
                                                double multiple)
{
    abdb_purchase best = abdb_recompute_purchase_at_multiples(
        c, o, &c->row[0], input == ABDB_VARY_PRICE ? multiple : 1,
        input == ABDB_VARY_RATE ? multiple : 1, input == ABDB_VARY_POWER ? multiple : 1,
        input == ABDB_VARY_UTILISATION ? multiple : 1);
    size_t first = 0;

    for (size_t i = 1; i < c->count; i++)
        if (abdb_purchase_compare_cost_then_performance(&c->row[i], &best) < 0) {
            first = i;
            best = c->row[i];
        }
    return first;
}

double abdb_find_multiple_losing_first_place(const abdb_system_choice *c,
                                             const abdb_choose_options *o, abdb_varied input,
                                             size_t *overtaking_row)
{
    double sign =
        (input == ABDB_VARY_RATE && !c->training) || input == ABDB_VARY_UTILISATION ? -1 : 1;
    double keeps = 0, loses = log(factor_most);

    if (c->count < 2) return NAN;
    *overtaking_row = cheapest_row_when_first_is_varied(c, o, input, exp(sign * loses));
    if (*overtaking_row == 0) return NAN;
    for (int step = 0; step < 80;
         step++) { /* costs grow with it, in steps where systems are whole */
        double middle = (keeps + loses) / 2;

        if (cheapest_row_when_first_is_varied(c, o, input, exp(sign * middle)) == 0)
            keeps = middle;
        else
            loses = middle;
    }
    *overtaking_row = cheapest_row_when_first_is_varied(c, o, input, exp(sign * loses));
    return exp(sign * loses);
}
