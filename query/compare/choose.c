/* choose.c - what to buy or rent; see choose.h. */
#include "query/compare/choose.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "query/compare/purchase.h"
#include "schema/core/grow.h"

static const abdb_set *set_of(const abdb_choosing *c)
{
    return &c->ranking.set;
}

/* --- the group -------------------------------------------------------------------------------- */

static const abdb_choose_options anything = {.rate = NAN, .most_s = NAN};

/* Is member i of a group the first of its device that will do? One device may stand anywhere. */
static bool is_first(const abdb_choosing *c, const abdb_choose_options *o, const abdb_group *g,
                     size_t i)
{
    const char *device = abdb_member_text(set_of(c), g->member[i], ABDB_M_device);

    if (!abdb_choosing_meets(c, o, g->member[i], NULL)) return false;
    for (size_t k = 0; k < i; k++)
        if (abdb_choosing_meets(c, o, g->member[k], device)) return false;
    return true;
}

/* How many devices of a group have a result that will do. */
static size_t devices_of(const abdb_choosing *c, const abdb_choose_options *o, const abdb_group *g)
{
    size_t devices = 0;

    for (size_t i = 0; i < g->count; i++) devices += is_first(c, o, g, i);
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

/* The key of a group without its number of devices. */
static const char *without_size(abdb_choosing *c, const char *key)
{
    static const char size_is[] = "devices=";
    abdb_text out = {0};
    const char *copy;

    for (size_t size; *key; key += size + (key[size] != 0)) {
        size = strcspn(key, "\x1f");
        if (strncmp(key, size_is, strlen(size_is)) == 0) continue;
        if (out.size) abdb_text_puts(&out, "\x1f");
        abdb_text_add(&out, key, size);
    }
    copy = out.failed ? NULL : abdb_arena_copy(&c->arena, abdb_text_get(&out), out.size);
    abdb_text_free(&out);
    return copy;
}

/* Groups of trainings that only the size of the system keeps apart become one: what a training
 * costs on a system that is done in time is the same question at every size, unlike how long it
 * takes. */
static abdb_status join_sizes(abdb_choosing *c, abdb_error *err)
{
    abdb_groups *all = &c->ranking.groups;
    size_t kept = 0;

    for (size_t g = 0; g < all->count; g++) {
        abdb_group one = all->group[g], *same = NULL;
        size_t *member;

        one.key = without_size(c, one.key);
        if (!one.key) return ABDB_FAIL(err, ABDB_NOMEM, "a choice");
        for (size_t k = 0; k < kept && !same; k++)
            if (strcmp(all->group[k].key, one.key) == 0) same = &all->group[k];
        if (!same) {
            all->group[kept++] = one;
            continue;
        }
        member = abdb_arena_alloc(&c->arena, (same->count + one.count) * sizeof *member);
        if (!member) return ABDB_FAIL(err, ABDB_NOMEM, "a choice");
        memcpy(member, same->member, same->count * sizeof *member);
        memcpy(member + same->count, one.member, one.count * sizeof *member);
        same->member = member;
        same->count += one.count;
    }
    all->count = kept;
    return ABDB_OK;
}

/* Of the groups of rates (or of times to train) the one with the most devices that will do; the
 * first of several. How many these are. */
static size_t pick_group(abdb_choosing *c, const abdb_choose_options *o)
{
    const abdb_groups *all = &c->ranking.groups;
    size_t most = 0;

    for (size_t g = 0; g < all->count; g++) {
        const char *unit = abdb_member_text(set_of(c), all->group[g].member[0], ABDB_M_unit);
        size_t devices = c->training || is_rate(unit) ? devices_of(c, o, &all->group[g]) : 0;

        if (devices > most) {
            most = devices;
            c->group = g;
        }
    }
    return most;
}

/* A device of which another group has what will do, and the chosen one nothing. */
static void leave_elsewhere(abdb_choosing *c, const abdb_choose_options *o, size_t member,
                            const char *key)
{
    const abdb_group *chosen = &c->ranking.groups.group[c->group];
    const char *device = abdb_member_text(set_of(c), member, ABDB_M_device);

    for (size_t i = 0; i < chosen->count; i++)
        if (abdb_choosing_meets(c, o, chosen->member[i], device)) return;
    for (size_t i = 0; i < c->left_outs; i++)
        if (strcmp(c->left_out[i].what, device) == 0) return; /* of the first group that has one */
    abdb_choosing_leave_out(
        c, device,
        abdb_arena_printf(&c->arena, "%s; --where '%s' chooses there",
                          isnan(o->most_s) ? "only results that may not be compared with these"
                                           : "only what may not be compared with these is done"
                                             " in that time",
                          key),
        0);
}

static void choose_group(abdb_choosing *c, const abdb_choose_options *o)
{
    const abdb_groups *all = &c->ranking.groups;

    if (!pick_group(c, o) && !pick_group(c, &anything)) {
        abdb_choosing_leave_out(c, "all results",
                                c->training  ? "no time to train of a known number of devices"
                                : c->by_watt ? "no rate with measured power; a TDP is none"
                                             : "no rate of a known number of devices",
                                set_of(c)->members);
        c->group = SIZE_MAX;
        return;
    }
    for (size_t g = 0; g < all->count; g++) {
        const char *key;

        if (g == c->group) continue;
        key = difference(c, all->group[g].key, all->group[c->group].key);
        abdb_choosing_leave_out(c, key, "may not be compared with these; --where picks it instead",
                                all->group[g].count);
        for (size_t i = 0; c->training && i < all->group[g].count; i++)
            if (is_first(c, o, &all->group[g], i))
                leave_elsewhere(c, o, all->group[g].member[i], key);
    }
}

/* --- rows ------------------------------------------------------------------------------------- */

/* Is it of the device, and of a system of that size? size NAN: of any. */
static bool is_of(const abdb_choosing *c, size_t member, const char *device, double size)
{
    double own = abdb_member_number(set_of(c), member, ABDB_M_devices);

    return strcmp(abdb_member_text(set_of(c), member, ABDB_M_device), device) == 0 &&
           (isnan(size) || fabs(own - size) < 0.5);
}

static size_t submitters_of(const abdb_choosing *c, const char *device, double size)
{
    const abdb_group *g = &c->ranking.groups.group[c->group];
    size_t count = 0;

    for (size_t i = 0; i < g->count; i++) {
        const char *who = abdb_member_text(set_of(c), g->member[i], ABDB_M_submitter);
        size_t k = 0;

        if (!is_of(c, g->member[i], device, size)) continue;
        while (k < i &&
               (!is_of(c, g->member[k], device, size) ||
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
    p.submitters = submitters_of(c, p.device, c->training ? p.devices : NAN);
    c->row[c->count++] = p;
    return ABDB_OK;
}

/* Why no result of a device will do. */
static const char *no_result(const abdb_choosing *c, const abdb_choose_options *o,
                             const char *device)
{
    return !submitters_of(c, device, NAN) ? "no result among these"
           : !isnan(o->most_s)            ? "no result in that time"
           : !isnan(o->rate)              ? "no number of systems up to 10^12 devices has that rate"
                                          : "no result that can be multiplied";
}

/* Why a device has no price, and what gives it one. */
static const char *no_price(const abdb_shop *s, const char *device)
{
    if (strstr(device, " + ")) return "devices of several kinds in a system: no price of one";
    if (abdb_offers_cheapest(&s->offers, device, s->days) != SIZE_MAX)
        return "offered only in fewer devices than a node of its results has:"
               " --price 'DEVICE=2.49 USD/h' takes your own";
    if (abdb_offers_cheapest(&s->offers, device, NAN) != SIZE_MAX)
        return "no price so new: a longer --price-max-age, or --price 'DEVICE=2.49 USD/h'";
    if (s->o->measure.price_date || s->o->measure.provider)
        return "no price on that day or of that provider: --price 'DEVICE=2.49 USD/h' gives one";
    return "no price: --price 'DEVICE=2.49 USD/h' gives one";
}

/* cost: what it would cost at 1 USD per device and hour. */
static void leave_without_price(abdb_choosing *c, const char *device, const char *why, double cost)
{
    size_t before = c->left_outs;

    abdb_choosing_leave_out(c, device, why, 0);
    if (c->left_outs > before) c->left_out[before].first_below = 1 / cost;
}

static bool is_said(const abdb_choosing *c, const char *device)
{
    for (size_t i = 0; i < c->left_outs; i++)
        if (strcmp(c->left_out[i].what, device) == 0) return true;
    for (size_t i = 0; i < c->count; i++)
        if (strcmp(c->row[i].device, device) == 0) return true;
    return false;
}

/* Rents one device, where it has a price or needs none. */
static abdb_status rent(abdb_choosing *c, const abdb_shop *s, const char *device, abdb_error *err)
{
    bool needs_price = s->o->by == ABDB_BY_DOLLAR;
    abdb_purchase p = abdb_purchase_rented(c, s, device);

    if (p.member != SIZE_MAX) return add(c, p, err);
    p = abdb_purchase_at(c, s->o, device, needs_price ? 1 : NAN);
    if (p.member == SIZE_MAX) {
        if (!is_said(c, device)) abdb_choosing_leave_out(c, device, no_result(c, s->o, device), 0);
    } else if (needs_price)
        leave_without_price(c, device, no_price(s, device), p.cost);
    else
        return add(c, p, err);
    return ABDB_OK;
}

/* Quotes of devices of which no line says anything. */
static void leave_quotes(abdb_choosing *c, const abdb_shop *s)
{
    for (size_t i = 0; i < s->offers.rows; i++) {
        const char *device = abdb_cell_text(&s->offers, i, ABDB_OFFER_DEVICE);

        if (strcmp(abdb_cell_text(&s->offers, i, ABDB_OFFER_PROVIDER), "you") != 0) continue;
        if (!is_said(c, device))
            abdb_choosing_leave_out(c, abdb_arena_printf(&c->arena, "%s", device),
                                    "your price is not used, there is no result of it among these:"
                                    " 'abdb query coverage' says for what there is",
                                    0);
    }
}

/* A result that cannot be multiplied: says of which device, and why. */
static void leave_result_out(abdb_choosing *c, size_t member)
{
    const char *why = set_of(c)->member[member].why;

    if (!why && !(abdb_member_number(set_of(c), member, ABDB_M_devices) >= 1))
        why = "number of devices not known";
    else if (!why)
        why = c->by_watt && !isfinite(c->watts[member]) ? "power not measured" : "no rate above 0";
    abdb_choosing_leave_out(c, abdb_member_text(set_of(c), member, ABDB_M_device), why, 1);
}

/* One row for each device of the group, and one for each that is owned. */
static abdb_status fill_rows(abdb_choosing *c, const abdb_shop *s, abdb_error *err)
{
    const abdb_group *g = &c->ranking.groups.group[c->group];
    char *rest = s->o->own.capital ? abdb_arena_printf(&c->arena, "%s", s->o->own.capital) : NULL;
    const char *device;
    double capital;
    abdb_status st = ABDB_OK;

    for (size_t i = 0; i < g->count; i++) {
        device = abdb_member_text(set_of(c), g->member[i], ABDB_M_device);
        if (!abdb_choosing_counts(c, g->member[i])) leave_result_out(c, g->member[i]);
        if (is_first(c, &anything, g, i) && *device) TRY(rent(c, s, device, err));
    }
    while (rest) {
        abdb_purchase p;

        TRY(abdb_capital_next(&rest, s->db, &device, &capital, &c->arena, err));
        if (!device) break;
        p = abdb_purchase_at(c, s->o, device, abdb_owning_per_hour(&s->o->own, capital));
        if (p.member == SIZE_MAX) {
            abdb_choosing_leave_out(c, abdb_arena_printf(&c->arena, "%s (owned)", device),
                                    no_result(c, s->o, device), 0);
            continue;
        }
        p.provider = "you";
        p.price_kind = "owned";
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

    int order = abdb_purchase_order(x, y);

    if (order) return order;
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
                c->watts[k] = abdb_choosing_value(c, k) / set.member[i].value;
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
        abdb_choosing_leave_out(c, "other results", "do not meet the conditions of --where",
                                all.members - set_of(c)->members);
done:
    abdb_set_free(&all);
    return st;
}

abdb_status abdb_choose(abdb_choosing *c, sqlite3 *db, const abdb_choose_options *o,
                        abdb_error *err)
{
    abdb_rank_options rank = {.measure = o->measure};
    abdb_shop s = {.o = o, .db = db, .days = NAN};
    abdb_status st = ABDB_OK;

    *c = (abdb_choosing){
        .by_watt = o->by == ABDB_BY_WATT,
        .training = !isnan(o->most_s) ||
                    (o->measure.metric && strcmp(o->measure.metric, "time_to_train_s") == 0)};
    if (c->training) rank.measure.metric = "time_to_train_s";
    rank.measure.per = c->training ? "none" : "device"; /* whatever a source states it per */
    if (c->training && o->by == ABDB_BY_WATT)
        TRY(ABDB_FAIL(err, ABDB_USAGE, "trainings are chosen per dollar or device"));
    if (o->measure.price_max_age_days &&
        !abdb_double_parse(o->measure.price_max_age_days, ABDB_MARK_UNKNOWN, &s.days))
        TRY(ABDB_FAIL(err, ABDB_USAGE, "--price-max-age wants days, not '%s'",
                      o->measure.price_max_age_days));
    TRY(abdb_ranking_make(&c->ranking, db, o->selection, o->where, &rank, err));
    c->watts = calloc(set_of(c)->members + 1, sizeof *c->watts);
    if (!c->watts) TRY(ABDB_FAIL(err, ABDB_NOMEM, "a choice"));
    for (size_t i = 0; i < set_of(c)->members; i++) c->watts[i] = NAN;
    if (c->by_watt) TRY(measure_watts(c, o, db, err));
    if (c->training) TRY(join_sizes(c, err));
    choose_group(c, o);
    if (c->group == SIZE_MAX) goto done;
    TRY(abdb_offers_load(&s.offers, db, &o->measure, err));
    TRY(fill_rows(c, &s, err));
    leave_quotes(c, &s);
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
