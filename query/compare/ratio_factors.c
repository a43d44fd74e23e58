/* ratio_factors.c - a ratio as a product of factors; see ratio_factors.h. */
#include "query/compare/ratio_factors.h"

#include <math.h>
#include <string.h>

/* In the order in which a chain changes them, where it has the choice. */
static const struct {
    abdb_member_column column;
    const char *name;
} dimensions[] = {{ABDB_M_backend, "backend"},
                  {ABDB_M_round, "round"},
                  {ABDB_M_devices, "scale"},
                  {ABDB_M_dtype, "number format"},
                  {ABDB_M_device, "device"}};
enum { DIMENSIONS = sizeof dimensions / sizeof dimensions[0], STATES = 1 << DIMENSIONS };

/* Results that may stand in a chain. A state is a set of dimensions that have the contender's value
 * already, as bits; the others have the baseline's. */
typedef struct {
    const abdb_set *set; /* of all results of the question */
    size_t from, to;     /* members: the two ends */
    double end[2];       /* values per device, as printed by compare, not always of one run */
    bool higher, per_device;
    size_t differing, place[DIMENSIONS]; /* dimensions in which the ends differ */
    size_t member[STATES];               /* the result that stands for a state; SIZE_MAX: none */
    unsigned before[STATES];             /* the state before it in the longest chain */
    unsigned steps[STATES];              /* of the longest chain to it */
} chain;

static bool unit_is_per_second(const char *unit)
{
    size_t size = strlen(unit);

    return size > 2 && strcmp(unit + size - 2, "/s") == 0;
}

/* The value that a chain compares. */
static double chain_value_printed_or_per_device(const chain *c, size_t member)
{
    double value = c->set->member[member].value;

    if (member == c->from || member == c->to) return c->end[member == c->to];
    return c->per_device ? value / abdb_member_number(c->set, member, ABDB_M_devices) : value;
}

static const char *dimension_value_text(const chain *c, size_t member, size_t d)
{
    return abdb_member_text(c->set, member, dimensions[d].column);
}

/* Is the member usable, in that state, and equal to both ends in evidence, suite, ...? */
static bool member_may_stand_for_state(const chain *c, size_t member, unsigned state)
{
    static const abdb_member_column same[] = {ABDB_M_evidence, ABDB_M_suite,     ABDB_M_system_type,
                                              ABDB_M_division, ABDB_M_workload,  ABDB_M_model,
                                              ABDB_M_metric,   ABDB_M_statistic, ABDB_M_scenario};

    if (c->set->member[member].why || !(chain_value_printed_or_per_device(c, member) > 0))
        return false;
    for (size_t i = 0; i < sizeof same / sizeof same[0]; i++)
        if (strcmp(abdb_member_text(c->set, member, same[i]),
                   abdb_member_text(c->set, c->from, same[i])) != 0)
            return false;
    for (size_t d = 0; d < DIMENSIONS; d++) {
        size_t like = c->from;

        for (size_t i = 0; i < c->differing; i++)
            if (c->place[i] == d && (state >> i & 1)) like = c->to;
        if (strcmp(dimension_value_text(c, member, d), dimension_value_text(c, like, d)) != 0)
            return false;
    }
    return true;
}

/* Fills in the results of all states: the best ones in the groups of the two ends. sampled: the
 * ends are means of several processes, to which a single result must not be compared. */
static void find_best_result_of_each_state(chain *c, const abdb_groups *groups, bool sampled)
{
    unsigned all = (1U << c->differing) - 1;

    for (unsigned state = 0; state <= all; state++) {
        c->member[state] = state == 0 ? c->from : state == all ? c->to : SIZE_MAX;
        for (size_t g = 0; !sampled && state != 0 && state != all && g < groups->count; g++) {
            const abdb_group *group = &groups->group[g];
            bool wanted = false;

            for (size_t i = 0; i < group->count; i++)
                wanted |= group->member[i] == c->from || group->member[i] == c->to;
            for (size_t i = 0; wanted && i < group->count; i++) {
                size_t m = group->member[i], *best = &c->member[state];

                if (member_may_stand_for_state(c, m, state) &&
                    (*best == SIZE_MAX ||
                     (chain_value_printed_or_per_device(c, m) >
                      chain_value_printed_or_per_device(c, *best)) == c->higher))
                    *best = m;
            }
        }
    }
}

/* Is the first dimension in which the two states differ changed in a, not in b? */
static bool state_changes_earlier_dimension_first(const chain *c, unsigned a, unsigned b)
{
    for (size_t i = 0; i < c->differing; i++)
        if ((a >> i & 1) != (b >> i & 1)) return a >> i & 1;
    return false;
}

/* Finds the chain with the most steps to each state that has a result. */
static void find_longest_chain_to_each_state(chain *c)
{
    unsigned all = (1U << c->differing) - 1;

    for (unsigned state = 1; state <= all; state++) {
        c->steps[state] = 0;
        if (c->member[state] == SIZE_MAX) continue;
        /* Every subset of a state is a smaller number. */
        for (unsigned sub = 0; sub < state; sub++) {
            if ((sub & state) != sub || c->member[sub] == SIZE_MAX || (sub && !c->steps[sub]))
                continue;
            if (c->steps[sub] + 1 > c->steps[state] ||
                (c->steps[sub] + 1 == c->steps[state] &&
                 state_changes_earlier_dimension_first(c, sub, c->before[state]))) {
                c->steps[state] = c->steps[sub] + 1;
                c->before[state] = sub;
            }
        }
    }
}

/* A list with one word more; an empty word is unknown. NULL: no memory. */
static const char *list_with_word_or_unknown(const char *list, const char *between,
                                             const char *word, abdb_arena *arena)
{
    return abdb_arena_printf(arena, "%s%s%s", list, *list ? between : "",
                             word && *word ? word : "unknown");
}

/* "fp8, H200-SXM": the values of a member in the dimensions of a set, or their names. */
static const char *describe_dimensions(const chain *c, size_t member, unsigned dimension_bits,
                                       const char *between, bool names, abdb_arena *arena)
{
    const char *out = "";

    for (size_t i = 0; out && i < c->differing; i++)
        if (dimension_bits >> i & 1)
            out = list_with_word_or_unknown(out, between,
                                            names ? dimensions[c->place[i]].name
                                                  : dimension_value_text(c, member, c->place[i]),
                                            arena);
    return out ? out : "";
}

/* "8, fp4, H200-SXM or ...": the results that would separate the dimensions of one step. */
static const char *describe_missing_results(const chain *c, unsigned from_state, unsigned to_state,
                                            abdb_arena *arena)
{
    const char *out = "";

    for (size_t i = 0; out && i < c->differing; i++) {
        unsigned state = from_state | 1U << i;
        const char *one = "";

        if (!((to_state & ~from_state) >> i & 1)) continue;
        for (size_t k = 0; one && k < c->differing; k++)
            one = list_with_word_or_unknown(
                one, ", ", dimension_value_text(c, state >> k & 1 ? c->to : c->from, c->place[k]),
                arena);
        out = list_with_word_or_unknown(out, " or ", one, arena);
    }
    return out && *out ? out : NULL;
}

static void append_factor_with_running_product(abdb_ratio_factors *out, abdb_ratio_factor f)
{
    f.product = f.factor * (out->count ? out->factor[out->count - 1].product : 1);
    if (out->count < ABDB_RATIO_FACTORS_MAX) out->factor[out->count++] = f;
}

static const char *copy_member_text(const chain *c, size_t member, abdb_member_column column,
                                    abdb_arena *arena)
{
    const char *copy = abdb_arena_printf(arena, "%s", abdb_member_text(c->set, member, column));

    return copy ? copy : "";
}

/* Appends the factors of the chain, from its first step to its last. */
static void append_chain_factors(const chain *c, abdb_ratio_factors *out, abdb_arena *arena)
{
    unsigned all = (1U << c->differing) - 1, path[STATES], length = 0;

    for (unsigned state = all; state; state = c->before[state]) path[length++] = state;
    for (unsigned i = length; i-- > 0;) {
        unsigned to = path[i], from = c->before[to], changed = to & ~from;
        bool joint = (changed & (changed - 1)) != 0;

        append_factor_with_running_product(
            out, (abdb_ratio_factor){
                     .name = describe_dimensions(c, c->to, changed, " and ", true, arena),
                     .from = describe_dimensions(c, c->from, changed, ", ", false, arena),
                     .to = describe_dimensions(c, c->to, changed, ", ", false, arena),
                     .factor = chain_value_printed_or_per_device(c, c->member[to]) /
                               chain_value_printed_or_per_device(c, c->member[from]),
                     .key = copy_member_text(c, c->member[to], ABDB_M_key, arena),
                     .missing = joint ? describe_missing_results(c, from, to, arena) : NULL});
    }
    /* Two results of one kind, of other systems, submitters or runs; one result at two prices has
     * no such factor. */
    if (!c->differing && c->from != c->to)
        append_factor_with_running_product(
            out, (abdb_ratio_factor){.name = "system or run",
                                     .from = copy_member_text(c, c->from, ABDB_M_system, arena),
                                     .to = copy_member_text(c, c->to, ABDB_M_system, arena),
                                     .factor = chain_value_printed_or_per_device(c, c->to) /
                                               chain_value_printed_or_per_device(c, c->from),
                                     .key = copy_member_text(c, c->to, ABDB_M_key, arena)});
}

/* The member of a set with that key; SIZE_MAX: none. */
static size_t find_member_by_key(const abdb_set *set, const char *key)
{
    for (size_t i = 0; i < set->members; i++)
        if (strcmp(abdb_member_text(set, i, ABDB_M_key), key) == 0) return i;
    return SIZE_MAX;
}

static bool is_per_dollar_or_watt(const abdb_comparison *c)
{
    return strcmp(c->per, "dollar") == 0 || strcmp(c->per, "watt") == 0;
}

/* USD for one unit of the currency in which the price of a member is stated. */
static double usd_of_stated_currency(const abdb_member *m)
{
    return m->currency ? m->usd_of_currency : 1;
}

/* "3.79 USD/h" or "700 W": the price, as it is stated, or the power of each device, from the value
 * of a device and the value per dollar or watt. */
static const char *describe_price_or_power_divisor(double of_device, double divided,
                                                   const abdb_member *priced, bool dollars,
                                                   abdb_arena *arena)
{
    const char *out =
        dollars ? abdb_arena_printf(arena, "%.4g %s/h",
                                    of_device * 3600 / divided / usd_of_stated_currency(priced),
                                    priced->currency ? priced->currency : "USD")
                : abdb_arena_printf(arena, "%.4g W", of_device / divided);

    return out ? out : "";
}

/* "EUR at 1.16 USD, 2026-11-20, ECB" or "USD". */
static const char *describe_exchange_rate(const abdb_member *priced, abdb_arena *arena)
{
    const char *out = priced->currency
                          ? abdb_arena_printf(arena, "%s at %.6g USD, %s", priced->currency,
                                              priced->usd_of_currency, priced->rate_from)
                          : "USD";

    return out ? out : "";
}

/* Appends the factors of prices as they are stated and of exchange rates, where these differ; or
 * the factor of power. Their product is factor. */
static void append_price_and_exchange_or_power_factors(const chain *c, const abdb_comparison *all,
                                                       const abdb_pair *pair, double factor,
                                                       abdb_ratio_factors *out, abdb_arena *arena)
{
    bool dollars = strcmp(all->per, "dollar") == 0;
    const abdb_member *a = &pair->a.set->member[pair->left.picked],
                      *b = &pair->b.set->member[pair->right.picked];
    double exchange = dollars ? usd_of_stated_currency(a) / usd_of_stated_currency(b) : 1;
    bool converted = dollars && (exchange < 1 || exchange > 1 || !a->currency != !b->currency ||
                                 (a->currency && strcmp(a->currency, b->currency) != 0));

    append_factor_with_running_product(
        out,
        (abdb_ratio_factor){
            .name = dollars ? "price per device-hour" : "power per device",
            .from = describe_price_or_power_divisor(c->end[0], pair->left.value, a, dollars, arena),
            .to = describe_price_or_power_divisor(c->end[1], pair->right.value, b, dollars, arena),
            .factor = factor / exchange,
            .key = ""});
    if (converted)
        append_factor_with_running_product(
            out, (abdb_ratio_factor){.name = "exchange rate",
                                     .from = describe_exchange_rate(a, arena),
                                     .to = describe_exchange_rate(b, arena),
                                     .factor = exchange,
                                     .key = ""});
}

/* The factors before the chain, if any: devices of a system, or price or power of each device. */
static void append_device_count_or_price_power_factors(const chain *c, const abdb_comparison *all,
                                                       const abdb_pair *pair,
                                                       abdb_ratio_factors *out, abdb_arena *arena)
{
    double chained =
        chain_value_printed_or_per_device(c, c->to) / chain_value_printed_or_per_device(c, c->from);
    double from = abdb_member_number(c->set, c->from, ABDB_M_devices),
           to = abdb_member_number(c->set, c->to, ABDB_M_devices);

    if (is_per_dollar_or_watt(all))
        append_price_and_exchange_or_power_factors(c, all, pair, out->ratio / chained, out, arena);
    else if (c->per_device && (from < to || from > to))
        append_factor_with_running_product(
            out, (abdb_ratio_factor){.name = "devices of the system",
                                     .from = abdb_arena_printf(arena, "%.0f", from),
                                     .to = abdb_arena_printf(arena, "%.0f", to),
                                     .factor = to / from,
                                     .key = ""});
}

/* All results of the pair's workload, model and scenario, per device where values are divided. */
static abdb_status load_results_of_same_model_and_scenario(abdb_set *out, const abdb_comparison *c,
                                                           const abdb_pair *pair, abdb_error *err)
{
    abdb_normalisation measure = c->options->measure;
    const abdb_set *set = pair->a.set;
    const char *model = abdb_member_text(set, pair->left.picked, ABDB_M_model),
               *scenario = abdb_member_text(set, pair->left.picked, ABDB_M_scenario);
    abdb_text selection = {0};
    abdb_status st;

    abdb_append_quoted_equal_condition(
        &selection, "work",
        *model ? model : abdb_member_text(set, pair->left.picked, ABDB_M_workload));
    if (*scenario) abdb_append_quoted_equal_condition(&selection, "scenario", scenario);
    measure.per = strcmp(c->per, "none") == 0 ? "none" : "device";
    measure.provider = measure.price_date = NULL; /* of prices, which none has */
    st = abdb_set_load_normalised(out, c->db, abdb_text_get(&selection), NULL, &measure, err);
    abdb_text_free(&selection);
    return st;
}

/* Sets the values of the two ends in the chain: the ones printed by compare, per device. */
static void set_printed_end_values_per_device(chain *ch, const abdb_comparison *c,
                                              const abdb_pair *pair)
{
    const double printed[] = {pair->left.value, pair->right.value};
    const size_t member[] = {ch->from, ch->to};

    for (size_t i = 0; i < 2; i++) {
        double devices = abdb_member_number(ch->set, member[i], ABDB_M_devices);

        ch->end[i] = is_per_dollar_or_watt(c) ? ch->set->member[member[i]].value : printed[i];
        if (ch->per_device) ch->end[i] /= devices;
    }
}

static bool is_pair_of_specifications(const abdb_pair *pair)
{
    return strcmp(abdb_member_text(pair->a.set, pair->left.picked, ABDB_M_workload),
                  "specification") == 0;
}

/* Specifications have no results between them: all in which they differ is one factor. */
static void append_one_factor_of_specifications(const abdb_pair *pair, abdb_ratio_factors *out,
                                                abdb_arena *arena)
{
    abdb_ratio_factor f = {.name = "", .from = "", .to = "", .factor = out->ratio};

    for (size_t d = 0; d < DIMENSIONS && f.name && f.from && f.to; d++) {
        const char *a = abdb_member_text(pair->a.set, pair->left.picked, dimensions[d].column),
                   *b = abdb_member_text(pair->b.set, pair->right.picked, dimensions[d].column);

        if (strcmp(a, b) == 0) continue;
        f.name = list_with_word_or_unknown(f.name, " and ", dimensions[d].name, arena);
        f.from = list_with_word_or_unknown(f.from, ", ", a, arena);
        f.to = list_with_word_or_unknown(f.to, ", ", b, arena);
    }
    if (!f.name || !*f.name) f.name = "source";
    if (!f.from || !f.to) f.from = f.to = "";
    f.key = abdb_arena_printf(arena, "%s",
                              abdb_member_text(pair->b.set, pair->right.picked, ABDB_M_key));
    if (!f.key) f.key = "";
    append_factor_with_running_product(out, f);
}

abdb_status abdb_split_ratio_into_factors(abdb_ratio_factors *out, const abdb_comparison *c,
                                          const abdb_pair *pair, abdb_arena *arena, abdb_error *err)
{
    abdb_set set = {0};
    abdb_groups groups;
    chain ch = {.set = &set, .higher = pair->higher};
    abdb_status st = ABDB_OK;

    *out = (abdb_ratio_factors){.ratio = pair->difference.ratio};
    if (!pair->has_ratio || pair->left.picked == SIZE_MAX || pair->right.picked == SIZE_MAX)
        TRY(ABDB_FAIL(err, ABDB_UNFAIR, "there is no ratio of two results to be split"));
    if (is_pair_of_specifications(pair)) {
        append_one_factor_of_specifications(pair, out, arena);
        goto done;
    }
    TRY(load_results_of_same_model_and_scenario(&set, c, pair, err));
    ch.from =
        find_member_by_key(&set, abdb_member_text(pair->a.set, pair->left.picked, ABDB_M_key));
    ch.to = find_member_by_key(&set, abdb_member_text(pair->b.set, pair->right.picked, ABDB_M_key));
    if (ch.from == SIZE_MAX || ch.to == SIZE_MAX)
        TRY(ABDB_FAIL(err, ABDB_UNFAIR, "one of the two results has no value per device"));
    ch.per_device = strcmp(c->per, "none") == 0 && unit_is_per_second(set.member[ch.from].unit) &&
                    abdb_member_number(&set, ch.from, ABDB_M_devices) >= 1 &&
                    abdb_member_number(&set, ch.to, ABDB_M_devices) >= 1;
    set_printed_end_values_per_device(&ch, c, pair);
    for (size_t d = 0; d < DIMENSIONS; d++)
        if (strcmp(dimension_value_text(&ch, ch.from, d), dimension_value_text(&ch, ch.to, d)) != 0)
            ch.place[ch.differing++] = d;
    TRY(abdb_split_set_into_groups(&groups, &c->book, &set, false, NULL, arena, err));
    find_best_result_of_each_state(&ch, &groups, pair->left.sampled || pair->right.sampled);
    find_longest_chain_to_each_state(&ch);
    append_device_count_or_price_power_factors(&ch, c, pair, out, arena);
    append_chain_factors(&ch, out, arena);
done:
    abdb_set_free(&set);
    return st;
}
