/* choose.c - finds systems to buy or rent; see choose.h. */
#include "query/compare/choose.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "query/compare/merge_group_sizes.h"
#include "query/compare/purchase.h"
#include "schema/core/array.h"

/* --- the group -------------------------------------------------------------------------------- */

static const abdb_choose_options anything = {
    .rate = NAN, .time_limit_s = NAN, .latency = {.ttft_s = NAN, .tpot_s = NAN, .latency_s = NAN}};

/* Is member i of a group the first of its device that will do? One device may stand anywhere. */
static bool is_first_usable_member_of_its_device(const abdb_system_choice *c,
                                                 const abdb_choose_options *o, const abdb_group *g,
                                                 size_t group_index)
{
    const char *device = abdb_member_text(&c->ranking.set, g->member[group_index], ABDB_M_device);

    if (!abdb_result_meets_request(c, o, g->member[group_index], NULL)) return false;
    for (size_t k = 0; k < group_index; k++)
        if (abdb_result_meets_request(c, o, g->member[k], device)) return false;
    return true;
}

/* How many devices of a group have a result that will do. */
static size_t count_devices_with_usable_result(const abdb_system_choice *c,
                                               const abdb_choose_options *o, const abdb_group *g)
{
    size_t devices = 0;

    for (size_t i = 0; i < g->count; i++)
        devices += is_first_usable_member_of_its_device(c, o, g, i);
    return devices;
}

/* "power_submission=yes": the entries of a group's key that the chosen group's key lacks. */
static const char *key_entries_not_in_chosen(abdb_system_choice *c, const char *key,
                                             const char *chosen)
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

static bool unit_is_per_second(const char *unit)
{
    size_t size = strlen(unit);

    return size > 2 && strcmp(unit + size - 2, "/s") == 0;
}

static bool group_serves_tokens(const abdb_system_choice *c, size_t g)
{
    size_t first = c->ranking.groups.group[g].member[0];

    return strcmp(abdb_member_text(&c->ranking.set, first, ABDB_M_scenario), "Server") == 0 &&
           strcmp(abdb_member_text(&c->ranking.set, first, ABDB_M_unit), "token/s") == 0;
}

/* Is there a result that will do of MLPerf's Server scenario? With a latency limit the limit
 * decides which scenario serves. */
static bool any_group_serves_tokens(const abdb_system_choice *c, const abdb_choose_options *o)
{
    const abdb_groups *all = &c->ranking.groups;

    for (size_t g = 0; g < all->count && !abdb_any_latency_limit_given(&o->latency); g++)
        if (group_serves_tokens(c, g) && count_devices_with_usable_result(c, o, &all->group[g]))
            return true;
    return false;
}

/* Of the groups of rates (or of times to train) the one with the most devices that will do; the
 * first of several. How many these are. */
static size_t pick_group_with_most_usable_devices(abdb_system_choice *c,
                                                  const abdb_choose_options *o)
{
    const abdb_groups *all = &c->ranking.groups;
    bool serving = any_group_serves_tokens(c, o);
    size_t most = 0;

    for (size_t g = 0; g < all->count; g++) {
        const char *unit = abdb_member_text(&c->ranking.set, all->group[g].member[0], ABDB_M_unit);
        size_t devices = c->training || unit_is_per_second(unit)
                             ? count_devices_with_usable_result(c, o, &all->group[g])
                             : 0;

        if (serving && devices && !group_serves_tokens(c, g)) {
            c->server_was_assumed = true;
            continue;
        }
        if (devices > most) {
            most = devices;
            c->group = g;
        }
    }
    return most;
}

/* Records a device with a usable result in another group and none in the chosen group. */
static void record_device_left_out_if_only_in_other_group(abdb_system_choice *c,
                                                          const abdb_choose_options *o,
                                                          size_t member, const char *key)
{
    const abdb_group *chosen = &c->ranking.groups.group[c->group];
    const char *device = abdb_member_text(&c->ranking.set, member, ABDB_M_device);

    for (size_t i = 0; i < chosen->count; i++)
        if (abdb_result_meets_request(c, o, chosen->member[i], device)) return;
    for (size_t i = 0; i < c->left_outs; i++)
        if (strcmp(c->left_out[i].what, device) == 0) return; /* of the first group that has one */
    abdb_system_choice_record_left_out(
        c, device,
        abdb_arena_printf(&c->arena, "%s; --where '%s' chooses there",
                          isnan(o->time_limit_s)
                              ? "only results that may not be compared with these"
                              : "only what may not be compared with these is done"
                                " in that time",
                          key),
        0);
}

/* Chooses the group of results that answers the request; lists the other groups as left out, and
 * for a training the devices found only in them. */
static void choose_result_group_record_others_left_out(abdb_system_choice *c,
                                                       const abdb_choose_options *o)
{
    const abdb_groups *all = &c->ranking.groups;

    if (!pick_group_with_most_usable_devices(c, o) &&
        !pick_group_with_most_usable_devices(c, &anything)) {
        abdb_system_choice_record_left_out(
            c, "all results",
            c->training  ? "no time to train of a known number of devices"
            : c->by_watt ? "no rate with measured power; a TDP is none"
                         : "no rate of a known number of devices",
            c->ranking.set.members);
        c->group = SIZE_MAX;
        return;
    }
    for (size_t g = 0; g < all->count; g++) {
        const char *key;

        if (g == c->group) continue;
        key = key_entries_not_in_chosen(c, all->group[g].key, all->group[c->group].key);
        abdb_system_choice_record_left_out(
            c, key, "may not be compared with these; --where picks it instead",
            all->group[g].count);
        for (size_t i = 0; c->training && i < all->group[g].count; i++)
            if (is_first_usable_member_of_its_device(c, o, &all->group[g], i))
                record_device_left_out_if_only_in_other_group(c, o, all->group[g].member[i], key);
    }
}

/* --- rows ------------------------------------------------------------------------------------- */

/* Is it of the device, and of a system of that size? size NAN: of any. */
static bool result_is_of_device_and_size(const abdb_system_choice *c, size_t member,
                                         const char *device, double device_count)
{
    double own = abdb_member_number(&c->ranking.set, member, ABDB_M_devices);

    return strcmp(abdb_member_text(&c->ranking.set, member, ABDB_M_device), device) == 0 &&
           (isnan(device_count) || fabs(own - device_count) < 0.5);
}

/* Number of different submitters with a result of the device, of that many devices if size is a
 * number. */
static size_t count_distinct_submitters_of_device(const abdb_system_choice *c, const char *device,
                                                  double device_count)
{
    const abdb_group *g = &c->ranking.groups.group[c->group];
    size_t count = 0;

    for (size_t i = 0; i < g->count; i++) {
        const char *who = abdb_member_text(&c->ranking.set, g->member[i], ABDB_M_submitter);
        size_t k = 0;

        if (!result_is_of_device_and_size(c, g->member[i], device, device_count)) continue;
        while (k < i && (!result_is_of_device_and_size(c, g->member[k], device, device_count) ||
                         strcmp(abdb_member_text(&c->ranking.set, g->member[k], ABDB_M_submitter),
                                who) != 0))
            k++;
        count += k == i;
    }
    return count;
}

/* Adds a purchase to the answer, with the number of its submitters. */
static abdb_status append_purchase_with_submitter_count(abdb_system_choice *c, abdb_purchase p,
                                                        abdb_error *err)
{
    abdb_purchase *more = abdb_array_reserve_one(c->row, c->count, &c->capacity, sizeof *more);

    if (!more) return ABDB_FAIL(err, ABDB_NOMEM, "a choice");
    c->row = more;
    p.submitters = count_distinct_submitters_of_device(c, p.device, c->training ? p.devices : NAN);
    c->row[c->count++] = p;
    return ABDB_OK;
}

/* Why no result of a device will do. */
static const char *why_no_usable_result(const abdb_system_choice *c, const abdb_choose_options *o,
                                        const char *device)
{
    return !count_distinct_submitters_of_device(c, device, NAN) ? "no result among these"
           : !isnan(o->time_limit_s)                            ? "no result in that time"
           : abdb_any_latency_limit_given(&o->latency)
               ? "no result of which it is known that it keeps the latency limit"
           : !isnan(o->rate) ? "no number of systems up to 10^12 devices has that rate"
                             : "no result that can be multiplied";
}

/* Why a device has no price, and how to supply one. */
static const char *why_device_has_no_price(const abdb_system_choice *c,
                                           const abdb_choose_context *s, const char *device)
{
    size_t counting = 0;

    while (counting < s->offers.rows && !abdb_offer_counts(c, s, counting, device)) counting++;
    if (strstr(device, " + ")) return "devices of several kinds in a system: no price of one";
    if (counting < s->offers.rows)
        return "offered only in fewer devices than a node of its results has:"
               " --price 'DEVICE=2.49 USD/h' takes your own";
    if (abdb_find_cheapest_offer(&s->offers, device, s->days) != SIZE_MAX)
        return "offered only by providers of another kind: --tier any takes their prices too";
    if (abdb_find_cheapest_offer(&s->offers, device, NAN) != SIZE_MAX)
        return "no price so new: a longer --price-max-age, or --price 'DEVICE=2.49 USD/h'";
    if (s->o->measure.price_date || s->o->measure.provider || s->o->measure.tier)
        return "no price on that day or of that provider or tier: --price 'DEVICE=2.49 USD/h' "
               "gives one";
    return "no price: --price 'DEVICE=2.49 USD/h' gives one";
}

/* cost_at_one_usd: the cost at 1 USD per device and hour. */
static void record_device_left_out_for_want_of_price(abdb_system_choice *c, const char *device,
                                                     const char *why, double cost_at_one_usd)
{
    size_t before = c->left_outs;

    abdb_system_choice_record_left_out(c, device, why, 0);
    if (c->left_outs > before) c->left_out[before].first_below = 1 / cost_at_one_usd;
}

static bool device_has_purchase_or_left_out_note(const abdb_system_choice *c, const char *device)
{
    for (size_t i = 0; i < c->left_outs; i++)
        if (strcmp(c->left_out[i].what, device) == 0) return true;
    for (size_t i = 0; i < c->count; i++)
        if (strcmp(c->row[i].device, device) == 0) return true;
    return false;
}

/* Rents one device, where it has a price or needs none. */
static abdb_status append_rented_or_leave_out(abdb_system_choice *c, const abdb_choose_context *s,
                                              const char *device, abdb_error *err)
{
    bool needs_price = s->o->by == ABDB_BY_DOLLAR;
    abdb_purchase p = abdb_cheapest_purchase_of_offers(c, s, device);

    if (p.member != SIZE_MAX) return append_purchase_with_submitter_count(c, p, err);
    p = abdb_cheapest_purchase_at_price(c, s->o, device, needs_price ? 1 : NAN);
    if (p.member == SIZE_MAX) {
        if (!device_has_purchase_or_left_out_note(c, device))
            abdb_system_choice_record_left_out(c, device, why_no_usable_result(c, s->o, device), 0);
    } else if (needs_price)
        record_device_left_out_for_want_of_price(c, device, why_device_has_no_price(c, s, device),
                                                 p.cost);
    else
        return append_purchase_with_submitter_count(c, p, err);
    return ABDB_OK;
}

/* Records quotes for devices that no other line mentions. */
static void record_unused_quotes_left_out(abdb_system_choice *c, const abdb_choose_context *s)
{
    for (size_t i = 0; i < s->offers.rows; i++) {
        const char *device = abdb_cell_text_or_empty(&s->offers, i, ABDB_OFFER_DEVICE);

        if (strcmp(abdb_cell_text_or_empty(&s->offers, i, ABDB_OFFER_PROVIDER), "you") != 0)
            continue;
        if (!device_has_purchase_or_left_out_note(c, device))
            abdb_system_choice_record_left_out(
                c, abdb_arena_printf(&c->arena, "%s", device),
                "your price is not used, there is no result of it among these:"
                " 'abdb query coverage' says for what there is",
                0);
    }
}

/* Records the device of a result that cannot be multiplied, with the reason. */
static void record_unusable_result_left_out(abdb_system_choice *c, size_t member)
{
    const char *why = c->ranking.set.member[member].why;

    if (!why && !(abdb_member_number(&c->ranking.set, member, ABDB_M_devices) >= 1))
        why = "number of devices not known";
    else if (!why)
        why = c->by_watt && !isfinite(c->watts[member]) ? "power not measured" : "no rate above 0";
    abdb_system_choice_record_left_out(c, abdb_member_text(&c->ranking.set, member, ABDB_M_device),
                                       why, 1);
}

/* One row for each device of the group, and one for each that is owned. */
static abdb_status append_rented_and_owned_devices(abdb_system_choice *c,
                                                   const abdb_choose_context *s, abdb_error *err)
{
    const abdb_group *g = &c->ranking.groups.group[c->group];
    char *rest = s->o->ownership.capital
                     ? abdb_arena_printf(&c->arena, "%s", s->o->ownership.capital)
                     : NULL;
    abdb_ownership_costs own = s->o->ownership;
    const char *device;
    double capital;
    abdb_status st = ABDB_OK;

    for (size_t i = 0; i < g->count; i++) {
        device = abdb_member_text(&c->ranking.set, g->member[i], ABDB_M_device);
        if (!abdb_result_has_value_devices_needed_watts(c, g->member[i]))
            record_unusable_result_left_out(c, g->member[i]);
        if (is_first_usable_member_of_its_device(c, &anything, g, i) && *device)
            TRY(append_rented_or_leave_out(c, s, device, err));
    }
    while (rest) {
        abdb_purchase p;

        TRY(abdb_parse_next_owned_device_capital(&rest, s->db, &device, &capital, &c->arena, err));
        if (!device) break;
        own.power_w = s->o->ownership.power_w;
        TRY(abdb_set_power_as_specified_if_not_given(&own, s->db, device, err));
        p = abdb_cheapest_purchase_at_price(c, s->o, device,
                                            abdb_ownership_cost_per_hour(&own, capital));
        if (p.member == SIZE_MAX) {
            abdb_system_choice_record_left_out(c,
                                               abdb_arena_printf(&c->arena, "%s (owned)", device),
                                               why_no_usable_result(c, s->o, device), 0);
            continue;
        }
        p.provider = "you";
        p.price_kind = "owned";
        p.price_of_energy = abdb_ownership_cost_per_hour(&own, 0);
        p.dearest = p.price;
        p.providers = 1;
        TRY(append_purchase_with_submitter_count(c, p, err));
    }
done:
    return st;
}

/* Orders purchases by cost, then by device and kind of price. */
static int compare_cost_then_device(const void *a, const void *b)
{
    const abdb_purchase *x = a, *y = b;

    int order = abdb_purchase_compare_cost_then_performance(x, y);

    if (order) return order;
    if (strcmp(x->device, y->device) != 0) return strcmp(x->device, y->device);
    return strcmp(x->price_kind, y->price_kind); /* e.g. one device, rented and owned */
}

/* Sets the price at which each device ties with the first, the first with the second, and a device
 * without price with the first. Costs are in proportion to prices. */
static void compute_break_even_prices(abdb_system_choice *c)
{
    for (size_t i = 0; i < c->left_outs; i++)
        c->left_out[i].first_below *= c->count ? c->row[0].cost : NAN;
    for (size_t i = 0; i < c->count && c->count > 1; i++)
        c->row[i].break_even = c->row[i].price * c->row[i ? 0 : 1].cost / c->row[i].cost;
}

/* Measured power of one system of each member, in the order of the ranking's set: its rate divided
 * by its rate per watt. */
static abdb_status derive_system_watts_from_rate_per_watt(abdb_system_choice *c,
                                                          const abdb_choose_options *o, sqlite3 *db,
                                                          abdb_error *err)
{
    abdb_normalisation per_watt = o->measure;
    abdb_set set = {0};
    abdb_status st = ABDB_OK;

    per_watt.per = "watt";
    TRY(abdb_set_load_normalised(&set, db, o->selection, o->where, &per_watt, err));
    for (size_t i = 0; i < set.members; i++)
        for (size_t k = 0; k < c->ranking.set.members; k++)
            if (strcmp(abdb_member_text(&set, i, ABDB_M_key),
                       abdb_member_text(&c->ranking.set, k, ABDB_M_key)) == 0)
                c->watts[k] = abdb_system_rate_or_training_time(c, k) / set.member[i].value;
done:
    abdb_set_free(&set);
    return st;
}

/* Was one model taken for the name that was typed, if any was? */
static bool same_model_was_taken(const abdb_set *a, const abdb_set *b)
{
    return a->taken_model && b->taken_model ? strcmp(a->taken_model, b->taken_model) == 0
                                            : a->taken_model == b->taken_model;
}

/* Counts the results excluded by the conditions of `where`. */
static abdb_status record_count_excluded_by_where(abdb_system_choice *c,
                                                  const abdb_choose_options *o, sqlite3 *db,
                                                  const abdb_normalisation *m, abdb_error *err)
{
    abdb_set all = {0};
    abdb_status st = ABDB_OK;

    if (!o->where || !*o->where || !*o->selection) return ABDB_OK;
    TRY(abdb_set_load_normalised(&all, db, o->selection, NULL, m, err));
    if (all.members > c->ranking.set.members && same_model_was_taken(&all, &c->ranking.set))
        abdb_system_choice_record_left_out(c, "other results",
                                           "do not meet the conditions of --where",
                                           all.members - c->ranking.set.members);
done:
    abdb_set_free(&all);
    return st;
}

abdb_status abdb_choose_cheapest_systems(abdb_system_choice *c, sqlite3 *db,
                                         const abdb_choose_options *o, abdb_error *err)
{
    abdb_rank_options rank = {.measure = o->measure};
    abdb_choose_context s = {.o = o, .db = db, .days = NAN};
    abdb_latency_question within = {.limits = o->latency};
    abdb_latency_answers kept;
    abdb_status st = ABDB_OK;

    *c = (abdb_system_choice){
        .by_watt = o->by == ABDB_BY_WATT,
        .training = !isnan(o->time_limit_s) ||
                    (o->measure.metric && strcmp(o->measure.metric, "time_to_train_s") == 0)};
    if (c->training) rank.measure.metric = "time_to_train_s";
    rank.measure.per = c->training ? "none" : "device"; /* whatever a source states it per */
    if (c->training && abdb_any_latency_limit_given(&o->latency))
        TRY(ABDB_FAIL(err, ABDB_USAGE,
                      "a training has no latency: leave out --ttft, --tpot and"
                      " --latency"));
    if (c->training && o->by == ABDB_BY_WATT)
        TRY(ABDB_FAIL(err, ABDB_USAGE, "trainings are chosen per dollar or device"));
    if (o->measure.price_max_age_days &&
        !abdb_days_parse_nonnegative(o->measure.price_max_age_days, &s.days))
        TRY(ABDB_FAIL(err, ABDB_USAGE, "--price-max-age wants days, such as 90d, not '%s'",
                      o->measure.price_max_age_days));
    TRY(abdb_rank_results(&c->ranking, db, o->selection, o->where, &rank, err));
    c->watts = calloc(c->ranking.set.members + 1, sizeof *c->watts);
    if (!c->watts) TRY(ABDB_FAIL(err, ABDB_NOMEM, "a choice"));
    for (size_t i = 0; i < c->ranking.set.members; i++) c->watts[i] = NAN;
    if (c->by_watt) TRY(derive_system_watts_from_rate_per_watt(c, o, db, err));
    if (c->training) TRY(abdb_merge_groups_across_sizes(c, err));
    if (abdb_any_latency_limit_given(&o->latency)) {
        TRY(abdb_answer_within_latency(&c->ranking.set, db, &within, &kept, &c->arena, err));
        c->met_by = kept.met_by;
    }
    choose_result_group_record_others_left_out(c, o);
    if (c->group == SIZE_MAX) goto done;
    TRY(abdb_load_offers_and_quotes(&s.offers, db, &o->measure, err));
    if (o->widest_tier) abdb_choose_tier_with_most_devices(c, &s);
    TRY(append_rented_and_owned_devices(c, &s, err));
    record_unused_quotes_left_out(c, &s);
    TRY(record_count_excluded_by_where(c, o, db, &rank.measure, err));
    abdb_array_sort(c->row, c->count, sizeof *c->row, compare_cost_then_device);
    abdb_leave_out_purchases_above_usd_per_hour(c, o->usd_per_hour_most);
    if (o->by == ABDB_BY_DOLLAR) compute_break_even_prices(c);
done:
    abdb_table_free(&s.offers);
    return st;
}

void abdb_system_choice_free(abdb_system_choice *c)
{
    abdb_ranking_free(&c->ranking);
    free(c->row);
    free(c->watts);
    abdb_arena_free(&c->arena);
    *c = (abdb_system_choice){0};
}
