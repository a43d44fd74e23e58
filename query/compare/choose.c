/* choose.c - what to buy or rent; see choose.h. */
#include "query/compare/choose.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "query/compare/offers.h"
#include "schema/core/grow.h"

static const double devices_max = 1e12; /* nobody has more; a double counts them exactly */

/* --- what is left out ------------------------------------------------------------------------- */

static void leave_out(abdb_choosing *c, const char *what, const char *why, size_t n)
{
    for (size_t i = 0; i < c->left_outs; i++)
        if (strcmp(c->left_out[i].what, what) == 0 && strcmp(c->left_out[i].why, why) == 0) {
            c->left_out[i].n += n;
            return;
        }
    if (c->left_outs < ABDB_LEFT_OUT_MAX)
        c->left_out[c->left_outs++] = (abdb_left_out){what, why, n, NAN};
}

static const abdb_set *set_of(const abdb_choosing *c)
{
    return &c->ranking.set;
}

/* The rate of one system, or the time that a training takes on it. */
static double value_of(const abdb_choosing *c, size_t member)
{
    double value = set_of(c)->member[member].value;

    return c->training ? value : value * abdb_member_number(set_of(c), member, ABDB_M_devices);
}

static bool counts(const abdb_choosing *c, size_t member)
{
    const abdb_member *m = &set_of(c)->member[member];

    return !m->why && isfinite(m->value) && m->value > 0 &&
           abdb_member_number(set_of(c), member, ABDB_M_devices) >= 1 &&
           (!c->by_watt || isfinite(c->watts[member]));
}

/* --- the group -------------------------------------------------------------------------------- */

/* Is member i of a group the first of its device that counts? One device may stand anywhere. */
static bool is_first(const abdb_choosing *c, const abdb_group *g, size_t i)
{
    const char *device = abdb_member_text(set_of(c), g->member[i], ABDB_M_device);

    if (!counts(c, g->member[i])) return false;
    for (size_t k = 0; k < i; k++)
        if (counts(c, g->member[k]) &&
            strcmp(abdb_member_text(set_of(c), g->member[k], ABDB_M_device), device) == 0)
            return false;
    return true;
}

/* How many devices of a group have a result that counts. */
static size_t devices_of(const abdb_choosing *c, const abdb_group *g)
{
    size_t devices = 0;

    for (size_t i = 0; i < g->count; i++) devices += is_first(c, g, i);
    return devices;
}

/* "power_submission=yes": in what the key of a group differs from that of the chosen one. */
static const char *difference(abdb_choosing *c, const char *key, const char *chosen)
{
    abdb_text out = {0};
    const char *copy;

    for (size_t size; *key; key += size + (key[size] != 0)) {
        const char *at = chosen;
        bool same = false;

        size = strcspn(key, "\x1f");
        for (size_t own; *at && !same; at += own + (at[own] != 0)) {
            own = strcspn(at, "\x1f");
            same = own == size && strncmp(at, key, size) == 0;
        }
        if (!same) abdb_text_printf(&out, "%s%.*s", out.size ? " " : "", (int)size, key);
    }
    copy = abdb_arena_printf(&c->arena, "%s", abdb_text_get(&out));
    abdb_text_free(&out);
    return copy ? copy : "";
}

static bool is_rate(const char *unit)
{
    size_t size = strlen(unit);

    return size > 2 && strcmp(unit + size - 2, "/s") == 0;
}

/* Of the groups of rates (or of times to train) the one with the most devices; the first of
 * several. */
static void pick_group(abdb_choosing *c)
{
    const abdb_groups *all = &c->ranking.groups;
    size_t most = 0;

    for (size_t g = 0; g < all->count; g++) {
        const char *unit = abdb_member_text(set_of(c), all->group[g].member[0], ABDB_M_unit);
        size_t devices = c->training || is_rate(unit) ? devices_of(c, &all->group[g]) : 0;

        if (devices > most) {
            most = devices;
            c->group = g;
        }
    }
    if (!most) {
        leave_out(c, "all results",
                  c->training  ? "no time to train of a known number of devices"
                  : c->by_watt ? "no rate with measured power; a TDP is none"
                               : "no rate of a known number of devices",
                  set_of(c)->members);
        c->group = SIZE_MAX;
    }
    for (size_t g = 0; g < all->count; g++)
        if (most && g != c->group)
            leave_out(c, difference(c, all->group[g].key, all->group[c->group].key),
                      "may not be compared with these; --where picks it instead",
                      all->group[g].count);
}

/* --- costs ------------------------------------------------------------------------------------ */

/* What is bought of one result at one price. */
static abdb_purchase purchase(const abdb_choosing *c, const abdb_choose_options *o, size_t member,
                              double price)
{
    double value = value_of(c, member);
    double size = abdb_member_number(set_of(c), member, ABDB_M_devices);
    /* 1 - 1e-12: twice a rate of 50.0 is two systems, whatever the last bit of the quotient
     * says. */
    double systems = c->training || isnan(o->rate) ? 1 : ceil(o->rate / value * (1 - 1e-12));
    double rate = isnan(o->rate) ? value : o->rate;
    abdb_purchase p = {.device = abdb_member_text(set_of(c), member, ABDB_M_device),
                       .member = member,
                       .rate = value,
                       .systems = systems,
                       .devices = systems * size,
                       .price = price,
                       .usd_per_million = NAN,
                       .usd_of_run = NAN,
                       .watts = systems * c->watts[member],
                       .break_even = NAN};

    /* USD/h / (units/s x 3600 s/h) x 10^6 is USD for a million units; a run costs USD/h x s /
     * 3600. */
    p.usd_per_hour = p.devices * price;
    if (c->training)
        p.usd_of_run = p.usd_per_hour * value / 3600;
    else
        p.usd_per_million = p.usd_per_hour / (rate * 3600) * 1e6;
    p.cost = o->by == ABDB_BY_DEVICE ? p.devices : o->by == ABDB_BY_WATT ? p.watts : p.usd_per_hour;
    if (o->by == ABDB_BY_DOLLAR && c->training) p.cost = p.usd_of_run;
    /* Without a wanted rate systems of different size meet: what counts is the cost of one unit a
     * second. */
    if (!c->training && isnan(o->rate)) p.cost /= value;
    return p;
}

/* Of the results of a device the one by which it is cheapest at a price; member SIZE_MAX: none. */
static abdb_purchase cheapest(const abdb_choosing *c, const abdb_choose_options *o,
                              const char *device, double price)
{
    const abdb_group *g = &c->ranking.groups.group[c->group];
    abdb_purchase best = {.member = SIZE_MAX};

    for (size_t i = 0; i < g->count; i++) {
        size_t member = g->member[i];
        abdb_purchase p;

        if (!counts(c, member) ||
            strcmp(abdb_member_text(set_of(c), member, ABDB_M_device), device) != 0)
            continue;
        if (!isnan(o->most_s) && value_of(c, member) > o->most_s) continue;
        p = purchase(c, o, member, price);
        if (!isfinite(p.cost) || p.devices > devices_max) continue;
        if (best.member == SIZE_MAX || p.cost < best.cost ||
            (p.cost <= best.cost && value_of(c, member) > value_of(c, best.member)))
            best = p;
    }
    return best;
}

/* --- prices ----------------------------------------------------------------------------------- */

static const char *kept(abdb_choosing *c, const abdb_table *offers, size_t at,
                        abdb_offer_column column)
{
    return abdb_arena_printf(&c->arena, "%s", abdb_cell_text(offers, at, column));
}

/* What is known of the offers of a device, beside the cheapest. */
static void describe_offers(abdb_choosing *c, const abdb_table *offers, size_t at, double days,
                            abdb_purchase *p)
{
    const char *device = abdb_cell_text(offers, at, ABDB_OFFER_DEVICE);

    p->dearest = p->price;
    for (size_t i = 0; i < offers->rows; i++) {
        const char *provider = abdb_cell_text(offers, i, ABDB_OFFER_PROVIDER);
        double price = abdb_cell_number(offers, i, ABDB_OFFER_PRICE);
        size_t k = 0;

        if (strcmp(abdb_cell_text(offers, i, ABDB_OFFER_DEVICE), device) != 0) continue;
        if (!isnan(days) && !(abdb_cell_number(offers, i, ABDB_OFFER_AGE_DAYS) <= days)) continue;
        while (k < i && (strcmp(abdb_cell_text(offers, k, ABDB_OFFER_DEVICE), device) != 0 ||
                         strcmp(abdb_cell_text(offers, k, ABDB_OFFER_PROVIDER), provider) != 0))
            k++;
        p->providers += k == i;
        if (price > p->dearest) p->dearest = price;
    }
    p->provider = kept(c, offers, at, ABDB_OFFER_PROVIDER);
    p->provider_kind = kept(c, offers, at, ABDB_OFFER_PROVIDER_KIND);
    p->price_kind = kept(c, offers, at, ABDB_OFFER_KIND);
    p->price_date = kept(c, offers, at, ABDB_OFFER_FROM);
    p->price_key = kept(c, offers, at, ABDB_OFFER_KEY);
    p->price_age_days = abdb_cell_number(offers, at, ABDB_OFFER_AGE_DAYS);
}

/* --- rows ------------------------------------------------------------------------------------- */

static size_t submitters_of(const abdb_choosing *c, const char *device)
{
    const abdb_group *g = &c->ranking.groups.group[c->group];
    size_t count = 0;

    for (size_t i = 0; i < g->count; i++) {
        const char *who = abdb_member_text(set_of(c), g->member[i], ABDB_M_submitter);
        size_t k = 0;

        if (strcmp(abdb_member_text(set_of(c), g->member[i], ABDB_M_device), device) != 0) continue;
        while (k < i &&
               (strcmp(abdb_member_text(set_of(c), g->member[k], ABDB_M_device), device) != 0 ||
                strcmp(abdb_member_text(set_of(c), g->member[k], ABDB_M_submitter), who) != 0))
            k++;
        count += k == i;
    }
    return count;
}

static abdb_status add(abdb_choosing *c, abdb_purchase p, abdb_error *err)
{
    abdb_purchase *more = abdb_grow(c->row, c->count, &c->room, sizeof *more);

    if (!more) return ABDB_FAIL(err, ABDB_NOMEM, "a choice");
    c->row = more;
    p.submitters = submitters_of(c, p.device);
    c->row[c->count++] = p;
    return ABDB_OK;
}

typedef struct {
    const abdb_choose_options *o;
    sqlite3 *db;
    abdb_table offers;
    double days;
} shop;

/* Why no result of a device will do. */
static const char *no_result(const abdb_choosing *c, const abdb_choose_options *o,
                             const char *device)
{
    return !submitters_of(c, device) ? "no result among these"
           : !isnan(o->most_s)       ? "no result in that time"
           : !isnan(o->rate)         ? "no number of systems up to 10^12 devices has that rate"
                                     : "no result that can be multiplied";
}

/* Why a device has no price, and what gives it one. */
static const char *no_price(const shop *s, const char *device)
{
    if (strstr(device, " + ")) return "devices of several kinds in a system: no price of one";
    if (!isnan(s->days) && abdb_offers_cheapest(&s->offers, device, NAN) != SIZE_MAX)
        return "no price so new: a longer --price-max-age, or --price 'DEVICE=2.49 USD/h'";
    if (s->o->measure.price_date || s->o->measure.provider)
        return "no price on that day or of that provider: --price 'DEVICE=2.49 USD/h' gives one";
    return "no price: --price 'DEVICE=2.49 USD/h' gives one";
}

/* cost: what it would cost at 1 USD per device and hour. */
static void leave_without_price(abdb_choosing *c, const char *device, const char *why, double cost)
{
    size_t before = c->left_outs;

    leave_out(c, device, why, 0);
    if (c->left_outs > before) c->left_out[before].first_below = 1 / cost;
}

/* Rents one device, where it has a price or needs none. */
static abdb_status rent(abdb_choosing *c, const shop *s, const char *device, abdb_error *err)
{
    bool needs_price = s->o->by == ABDB_BY_DOLLAR;
    size_t at = abdb_offers_cheapest(&s->offers, device, s->days);
    double price = at == SIZE_MAX ? NAN : abdb_cell_number(&s->offers, at, ABDB_OFFER_PRICE);
    abdb_purchase p = cheapest(c, s->o, device, needs_price && isnan(price) ? 1 : price);

    if (p.member == SIZE_MAX)
        leave_out(c, device, no_result(c, s->o, device), 0);
    else if (needs_price && isnan(price))
        leave_without_price(c, device, no_price(s, device), p.cost);
    else {
        p.provider = p.provider_kind = p.price_kind = p.price_date = p.price_key = "";
        if (at != SIZE_MAX) describe_offers(c, &s->offers, at, s->days, &p);
        return add(c, p, err);
    }
    return ABDB_OK;
}

/* A result that cannot be multiplied: says of which device, and why. */
static void leave_result_out(abdb_choosing *c, size_t member)
{
    const char *why = set_of(c)->member[member].why;

    if (!why && !(abdb_member_number(set_of(c), member, ABDB_M_devices) >= 1))
        why = "number of devices not known";
    else if (!why)
        why = c->by_watt && !isfinite(c->watts[member]) ? "power not measured" : "no rate above 0";
    leave_out(c, abdb_member_text(set_of(c), member, ABDB_M_device), why, 1);
}

/* One row for each device of the group, and one for each that is owned. */
static abdb_status fill_rows(abdb_choosing *c, const shop *s, abdb_error *err)
{
    const abdb_group *g = &c->ranking.groups.group[c->group];
    char *rest = s->o->own.capital ? abdb_arena_printf(&c->arena, "%s", s->o->own.capital) : NULL;
    const char *device;
    double capital;
    abdb_status st = ABDB_OK;

    for (size_t i = 0; i < g->count; i++) {
        device = abdb_member_text(set_of(c), g->member[i], ABDB_M_device);
        if (!counts(c, g->member[i])) leave_result_out(c, g->member[i]);
        if (is_first(c, g, i) && *device) TRY(rent(c, s, device, err));
    }
    while (rest) {
        abdb_purchase p;

        TRY(abdb_capital_next(&rest, s->db, &device, &capital, &c->arena, err));
        if (!device) break;
        p = cheapest(c, s->o, device, abdb_owning_per_hour(&s->o->own, capital));
        if (p.member == SIZE_MAX) {
            leave_out(c, abdb_arena_printf(&c->arena, "%s (owned)", device),
                      no_result(c, s->o, device), 0);
            continue;
        }
        p.provider = "you";
        p.price_kind = "owned";
        p.provider_kind = p.price_date = p.price_key = "";
        p.dearest = p.price;
        p.providers = 1;
        TRY(add(c, p, err));
    }
done:
    return st;
}

static int by_cost(const void *a, const void *b)
{
    const abdb_purchase *x = a, *y = b;

    if (x->cost < y->cost || x->cost > y->cost) return x->cost < y->cost ? -1 : 1;
    if (strcmp(x->device, y->device) != 0) return strcmp(x->device, y->device);
    return strcmp(x->price_kind, y->price_kind); /* rented and owned at the same cost */
}

/* At which price does each tie with the first, and the first with the second, and what has no price
 * with the first? Costs are in proportion to prices. */
static void find_break_even(abdb_choosing *c)
{
    for (size_t i = 0; i < c->left_outs; i++)
        c->left_out[i].first_below *= c->count ? c->row[0].cost : NAN;
    for (size_t i = 0; i < c->count && c->count > 1; i++)
        c->row[i].break_even = c->row[i].price * c->row[i ? 0 : 1].cost / c->row[i].cost;
}

/* Measured power of one system of each member, in the order of the ranking's set: its rate divided
 * by its rate per watt. */
static abdb_status measure_watts(abdb_choosing *c, const abdb_choose_options *o, sqlite3 *db,
                                 abdb_error *err)
{
    abdb_measure per_watt = o->measure;
    abdb_set set = {0};
    abdb_status st = ABDB_OK;

    per_watt.per = "watt";
    TRY(abdb_set_load(&set, db, o->selection, o->where, &per_watt, err));
    for (size_t i = 0; i < set.members; i++)
        for (size_t k = 0; k < set_of(c)->members; k++)
            if (strcmp(abdb_member_text(&set, i, ABDB_M_key),
                       abdb_member_text(set_of(c), k, ABDB_M_key)) == 0)
                c->watts[k] = value_of(c, k) / set.member[i].value;
done:
    abdb_set_free(&set);
    return st;
}

/* What the conditions of `where` leave out. */
static abdb_status count_conditions(abdb_choosing *c, const abdb_choose_options *o, sqlite3 *db,
                                    const abdb_measure *m, abdb_error *err)
{
    abdb_set all = {0};
    abdb_status st = ABDB_OK;

    if (!o->where || !*o->where || !*o->selection) return ABDB_OK;
    TRY(abdb_set_load(&all, db, o->selection, NULL, m, err));
    if (all.members > set_of(c)->members)
        leave_out(c, "other results", "do not meet the conditions of --where",
                  all.members - set_of(c)->members);
done:
    abdb_set_free(&all);
    return st;
}

abdb_status abdb_choose(abdb_choosing *c, sqlite3 *db, const abdb_choose_options *o,
                        abdb_error *err)
{
    abdb_rank_options rank = {.measure = o->measure};
    shop s = {.o = o, .db = db, .days = NAN};
    abdb_status st = ABDB_OK;

    *c = (abdb_choosing){
        .by_watt = o->by == ABDB_BY_WATT,
        .training = !isnan(o->most_s) ||
                    (o->measure.metric && strcmp(o->measure.metric, "time_to_train_s") == 0)};
    if (c->training) rank.measure.metric = "time_to_train_s";
    rank.measure.per = c->training ? "none" : "device"; /* whatever a source states it per */
    if (c->training && o->by == ABDB_BY_WATT)
        TRY(ABDB_FAIL(err, ABDB_USAGE, "trainings are chosen per dollar or device"));
    if (o->measure.price_max_age_days && !abdb_number(o->measure.price_max_age_days, &s.days))
        TRY(ABDB_FAIL(err, ABDB_USAGE, "--price-max-age wants days, not '%s'",
                      o->measure.price_max_age_days));
    TRY(abdb_ranking_make(&c->ranking, db, o->selection, o->where, &rank, err));
    c->watts = calloc(set_of(c)->members + 1, sizeof *c->watts);
    if (!c->watts) TRY(ABDB_FAIL(err, ABDB_NOMEM, "a choice"));
    for (size_t i = 0; i < set_of(c)->members; i++) c->watts[i] = NAN;
    if (c->by_watt) TRY(measure_watts(c, o, db, err));
    pick_group(c);
    if (c->group == SIZE_MAX) goto done;
    TRY(abdb_offers_load(&s.offers, db, &o->measure, err));
    TRY(fill_rows(c, &s, err));
    TRY(count_conditions(c, o, db, &rank.measure, err));
    if (c->count) qsort(c->row, c->count, sizeof *c->row, by_cost);
    if (o->by == ABDB_BY_DOLLAR) find_break_even(c);
done:
    abdb_table_free(&s.offers);
    return st;
}

void abdb_choosing_free(abdb_choosing *c)
{
    abdb_ranking_free(&c->ranking);
    free(c->row);
    free(c->watts);
    abdb_arena_free(&c->arena);
    *c = (abdb_choosing){0};
}
