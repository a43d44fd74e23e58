/* purchase.c - the purchase for a result, in whole offers; see purchase.h. */
#include "query/compare/purchase.h"

#include <math.h>
#include <string.h>

#include "schema/core/offer_capacity.h"

static const double devices_max = 1e12; /* more do not exist; a double counts them exactly */

/* A price and the number of devices that are rented together for it. */
typedef struct {
    double price, size;
} offer;

/* How many devices of an offer are used by whole nodes of a result; 0: it holds no node. */
static double devices_of_offer_in_whole_nodes(const abdb_system_choice *c, size_t member,
                                              double offered)
{
    return abdb_offer_devices_in_whole_nodes(
        abdb_member_number(&c->ranking.set, member, ABDB_M_devices),
        abdb_member_number(&c->ranking.set, member, ABDB_M_nodes), offered);
}

static double whole_units_needed(double wanted, double each)
{
    /* 1 - 1e-12: twice a rate of 50.0 is two systems, despite rounding of the last bit. */
    return ceil(wanted / each * (1 - 1e-12));
}

/* The purchase for one result at one offer, with a rate (of a training: a time) and the power of a
 * system that may be others than the result's. */
static abdb_purchase compute_purchase_of_result(const abdb_system_choice *c,
                                                const abdb_choose_options *o, size_t member,
                                                offer at, double rate_or_seconds, double watts)
{
    double used = devices_of_offer_in_whole_nodes(c, member, at.size);
    double size = abdb_member_number(&c->ranking.set, member, ABDB_M_devices);
    double systems = c->training      ? 1
                     : isnan(o->rate) ? floor(whole_units_needed(size, used) * used / size)
                                      : whole_units_needed(o->rate, rate_or_seconds);
    double rate = isnan(o->rate) ? systems * rate_or_seconds : o->rate;
    abdb_purchase p = {.device = abdb_member_text(&c->ranking.set, member, ABDB_M_device),
                       .member = member,
                       .rate = rate_or_seconds,
                       .systems = systems,
                       .devices = systems * size,
                       .offer_devices = at.size,
                       .rented_devices =
                           whole_units_needed(systems * size, used) * (at.size < 1 ? 1 : at.size),
                       .price = at.price,
                       .usd_per_million = NAN,
                       .usd_of_run = NAN,
                       .watts = systems * watts,
                       .performance = c->training ? -rate_or_seconds : rate_or_seconds,
                       .break_even = NAN};

    p.provider = p.provider_kind = p.price_kind = p.price_date = p.price_key = "";
    /* USD/h / (units/s x 3600 s/h) x 10^6 is USD for a million units; a run costs USD/h x s /
     * 3600. */
    p.usd_per_hour = p.rented_devices * at.price;
    if (c->training)
        p.usd_of_run = p.usd_per_hour * rate_or_seconds / 3600;
    else
        p.usd_per_million = p.usd_per_hour / (rate * 3600) * 1e6;
    p.cost = o->by == ABDB_BY_DEVICE ? p.devices : o->by == ABDB_BY_WATT ? p.watts : p.usd_per_hour;
    if (o->by == ABDB_BY_DOLLAR && c->training) p.cost = p.usd_of_run;
    /* Without a wanted rate, systems of different size are compared: by the cost of one unit a
     * second. */
    if (!c->training && isnan(o->rate)) p.cost /= rate;
    return p;
}

static abdb_purchase compute_purchase_at_measured_rate(const abdb_system_choice *c,
                                                       const abdb_choose_options *o, size_t member,
                                                       offer at)
{
    return compute_purchase_of_result(
        c, o, member, at, abdb_system_rate_or_training_time(c, member), c->watts[member]);
}

abdb_purchase abdb_recompute_purchase_at_multiples(const abdb_system_choice *c,
                                                   const abdb_choose_options *o,
                                                   const abdb_purchase *p, double price_multiple,
                                                   double rate_multiple, double power_multiple)
{
    return compute_purchase_of_result(
        c, o, p->member, (offer){p->price * price_multiple, p->offer_devices},
        p->rate * rate_multiple, c->watts[p->member] * power_multiple);
}

static double purchase_rate_per_device(const abdb_system_choice *c, const abdb_purchase *p)
{
    return p->rate / abdb_member_number(&c->ranking.set, p->member, ABDB_M_devices);
}

abdb_cost_factors abdb_split_cost_ratio_to_first(const abdb_system_choice *c,
                                                 const abdb_choose_options *o,
                                                 const abdb_purchase *p, const abdb_purchase *first)
{
    double rate = purchase_rate_per_device(c, first) / purchase_rate_per_device(c, p);
    abdb_cost_factors f = {1, rate, 1, 1};

    if (o->by == ABDB_BY_DOLLAR) {
        f.price = p->price / first->price;
        f.offers = p->rented_devices / p->devices / (first->rented_devices / first->devices);
    } else if (o->by == ABDB_BY_WATT)
        f.price = p->watts / p->devices / (first->watts / first->devices);
    if (c->training) {
        f.rate = o->by == ABDB_BY_DOLLAR ? p->rate / first->rate : 1;
        f.systems = p->devices / first->devices;
    } else if (!isnan(o->rate)) /* so much more than the wanted rate they deliver */
        f.systems = p->systems * p->rate / (first->systems * first->rate);
    return f;
}

int abdb_purchase_compare_cost_then_performance(const abdb_purchase *x, const abdb_purchase *y)
{
    if (x->cost < y->cost || x->cost > y->cost) return x->cost < y->cost ? -1 : 1;
    if (x->performance < y->performance || x->performance > y->performance)
        return x->performance > y->performance ? -1 : 1;
    if (x->usd_per_hour < y->usd_per_hour) return -1;
    return x->usd_per_hour > y->usd_per_hour;
}

/* The cheapest of a device at one offer. */
static abdb_purchase cheapest_purchase_of_device_at_offer(const abdb_system_choice *c,
                                                          const abdb_choose_options *o,
                                                          const char *device, offer at)
{
    const abdb_group *g = &c->ranking.groups.group[c->group];
    abdb_purchase best = {.member = SIZE_MAX};

    for (size_t i = 0; i < g->count; i++) {
        size_t member = g->member[i];
        abdb_purchase p;

        if (!abdb_result_meets_request(c, o, member, device) ||
            devices_of_offer_in_whole_nodes(c, member, at.size) < 1)
            continue;
        p = compute_purchase_at_measured_rate(c, o, member, at);
        if (!isfinite(p.cost) || p.devices > devices_max) continue;
        if (best.member == SIZE_MAX || abdb_purchase_compare_cost_then_performance(&p, &best) < 0)
            best = p;
    }
    return best;
}

abdb_purchase abdb_cheapest_purchase_at_price(const abdb_system_choice *c,
                                              const abdb_choose_options *o, const char *device,
                                              double price)
{
    return cheapest_purchase_of_device_at_offer(c, o, device, (offer){price, 0});
}

/* --- offers ----------------------------------------------------------------------------------- */

static offer read_offer_price_size(const abdb_choose_context *s, size_t offer_row)
{
    double size = abdb_cell_number_or_nan(&s->offers, offer_row, ABDB_OFFER_SIZE);

    return (offer){abdb_cell_number_or_nan(&s->offers, offer_row, ABDB_OFFER_PRICE),
                   size >= 1 ? size : 0};
}

static const char *copy_offer_cell(abdb_system_choice *c, const abdb_table *offers,
                                   size_t offer_row, abdb_offer_column column)
{
    return abdb_arena_printf(&c->arena, "%s", abdb_cell_text_or_empty(offers, offer_row, column));
}

/* Is it the first of its device and provider that counts? */
static bool is_first_offer_of_provider(const abdb_system_choice *c, const abdb_choose_context *s,
                                       size_t offer_row, const char *device)
{
    const char *provider = abdb_cell_text_or_empty(&s->offers, offer_row, ABDB_OFFER_PROVIDER);

    for (size_t k = 0; k < offer_row; k++)
        if (abdb_offer_counts(c, s, k, device) &&
            strcmp(abdb_cell_text_or_empty(&s->offers, k, ABDB_OFFER_PROVIDER), provider) == 0)
            return false;
    return true;
}

/* Fills in details of a device's offers, beside the cheapest. */
static void fill_offer_details_note_small(abdb_system_choice *c, const abdb_choose_context *s,
                                          size_t cheapest_row, abdb_purchase *p)
{
    const abdb_table *t = &s->offers;
    size_t small = SIZE_MAX;

    p->dearest = p->price;
    for (size_t i = 0; i < t->rows; i++) {
        offer one = read_offer_price_size(s, i);

        if (!abdb_offer_counts(c, s, i, p->device)) continue;
        p->providers += is_first_offer_of_provider(c, s, i, p->device);
        if (devices_of_offer_in_whole_nodes(c, p->member, one.size) >= 1)
            p->dearest = fmax(p->dearest, one.price);
        else if (one.price < p->price &&
                 (small == SIZE_MAX || abdb_offer_is_as_cheap_and_larger(t, i, small)))
            small = i;
    }
    if (small != SIZE_MAX)
        abdb_system_choice_record_left_out(
            c,
            abdb_arena_printf(&c->arena, ABDB_OFFER_FORMAT, p->device,
                              read_offer_price_size(s, small).price,
                              abdb_cell_text_or_empty(t, small, ABDB_OFFER_PROVIDER),
                              read_offer_price_size(s, small).size),
            ABDB_OFFER_SMALL, 0);
    p->provider = copy_offer_cell(c, t, cheapest_row, ABDB_OFFER_PROVIDER);
    p->provider_kind = copy_offer_cell(c, t, cheapest_row, ABDB_OFFER_PROVIDER_KIND);
    p->price_kind = copy_offer_cell(c, t, cheapest_row, ABDB_OFFER_KIND);
    p->price_date = copy_offer_cell(c, t, cheapest_row, ABDB_OFFER_FROM);
    p->price_key = copy_offer_cell(c, t, cheapest_row, ABDB_OFFER_KEY);
    p->price_age_days = abdb_cell_number_or_nan(t, cheapest_row, ABDB_OFFER_AGE_DAYS);
}

abdb_purchase abdb_cheapest_purchase_of_offers(abdb_system_choice *c, const abdb_choose_context *s,
                                               const char *device)
{
    abdb_purchase best = {.member = SIZE_MAX};
    size_t at = SIZE_MAX;

    for (size_t i = 0; i < s->offers.rows; i++) {
        abdb_purchase p = {.member = SIZE_MAX};

        if (abdb_offer_counts(c, s, i, device))
            p = cheapest_purchase_of_device_at_offer(c, s->o, device, read_offer_price_size(s, i));
        if (p.member == SIZE_MAX) continue;
        if (best.member == SIZE_MAX || abdb_purchase_compare_cost_then_performance(&p, &best) < 0) {
            best = p;
            at = i;
        }
    }
    if (at != SIZE_MAX) fill_offer_details_note_small(c, s, at, &best);
    return best;
}

/* --- tiers ------------------------------------------------------------------------------------ */

/* What the offers of one tier price of the group: devices, those whose cheapest price is of a known
 * day, and the cost of the cheapest one. */
typedef struct {
    size_t devices, dated;
    double least;
} tier_coverage;

static bool offer_is_of_known_day(const abdb_table *offers, size_t offer_row)
{
    const char *date = abdb_cell_text_or_empty(offers, offer_row, ABDB_OFFER_FROM);

    return *date && !strchr(date, '/');
}

/* The cost of the device's cheapest purchase among the offers of c->tier, INFINITY: none; and
 * whether the day of its price is known. */
static double find_least_cost_of_device(const abdb_system_choice *c, const abdb_choose_context *s,
                                        const char *device, bool *dated)
{
    double least = INFINITY;

    for (size_t i = 0; i < s->offers.rows; i++) {
        abdb_purchase p = {.member = SIZE_MAX};

        if (abdb_offer_counts(c, s, i, device))
            p = cheapest_purchase_of_device_at_offer(c, s->o, device, read_offer_price_size(s, i));
        if (p.member == SIZE_MAX || !(p.cost < least)) continue;
        least = p.cost;
        *dated = offer_is_of_known_day(&s->offers, i);
    }
    return least;
}

static tier_coverage measure_coverage_of_tier(const abdb_system_choice *c,
                                              const abdb_choose_context *s)
{
    const abdb_group *g = &c->ranking.groups.group[c->group];
    tier_coverage tier = {.least = INFINITY};

    for (size_t k = 0; k < g->count; k++) {
        const char *device = abdb_member_text(&c->ranking.set, g->member[k], ABDB_M_device);
        double cost = INFINITY;
        size_t before = 0;
        bool dated = false;

        while (before < k &&
               strcmp(abdb_member_text(&c->ranking.set, g->member[before], ABDB_M_device),
                      device) != 0)
            before++;
        if (before == k) cost = find_least_cost_of_device(c, s, device, &dated);
        tier.devices += isfinite(cost);
        tier.dated += dated;
        if (cost < tier.least) tier.least = cost;
    }
    return tier;
}

static bool tier_covers_more(const tier_coverage *a, const tier_coverage *b)
{
    if (a->devices != b->devices) return a->devices > b->devices;
    if (a->devices > 1 && a->dated != b->dated) return a->dated > b->dated;
    return a->least < b->least;
}

/* Quotes are of no tier. */
static bool is_first_offer_of_tier(const abdb_table *offers, size_t offer_row)
{
    const char *tier = abdb_cell_text_or_empty(offers, offer_row, ABDB_OFFER_PROVIDER_KIND);

    if (!*abdb_cell_text_or_empty(offers, offer_row, ABDB_OFFER_KEY)) return false;
    for (size_t k = 0; k < offer_row; k++)
        if (*abdb_cell_text_or_empty(offers, k, ABDB_OFFER_KEY) &&
            strcmp(abdb_cell_text_or_empty(offers, k, ABDB_OFFER_PROVIDER_KIND), tier) == 0)
            return false;
    return true;
}

void abdb_choose_tier_with_most_devices(abdb_system_choice *c, const abdb_choose_context *s)
{
    const char *best = NULL;
    tier_coverage most = {0};

    for (size_t i = 0; i < s->offers.rows; i++) {
        tier_coverage tier;

        if (!is_first_offer_of_tier(&s->offers, i)) continue;
        c->tier = copy_offer_cell(c, &s->offers, i, ABDB_OFFER_PROVIDER_KIND);
        tier = measure_coverage_of_tier(c, s);
        if (best && !tier_covers_more(&tier, &most)) continue;
        best = c->tier;
        most = tier;
    }
    c->tier = best;
}
