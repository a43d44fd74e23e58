/* choose_filter.c - suitable and omitted results of a choice; see choose_filter.h. */
#include "query/compare/choose_filter.h"

#include <math.h>
#include <string.h>

void abdb_system_choice_record_left_out(abdb_system_choice *c, const char *name, const char *why,
                                        size_t n)
{
    for (size_t i = 0; i < c->left_outs; i++)
        if (strcmp(c->left_out[i].what, name) == 0 && strcmp(c->left_out[i].why, why) == 0) {
            c->left_out[i].n += n;
            return;
        }
    if (c->left_outs < ABDB_LEFT_OUT_MAX)
        c->left_out[c->left_outs++] = (abdb_choice_left_out){name, why, n, NAN};
}

bool abdb_offer_counts(const abdb_system_choice *c, const abdb_choose_context *s, size_t offer_row,
                       const char *device)
{
    const char *tier = abdb_cell_text_or_empty(&s->offers, offer_row, ABDB_OFFER_PROVIDER_KIND);

    return abdb_offer_is_of_device_and_recent(&s->offers, offer_row, device, s->days) &&
           (!c->tier || strcmp(tier, c->tier) == 0 ||
            !*abdb_cell_text_or_empty(&s->offers, offer_row, ABDB_OFFER_KEY));
}

double abdb_system_rate_or_training_time(const abdb_system_choice *c, size_t member)
{
    double value = c->ranking.set.member[member].value;

    return c->training ? value
                       : value * abdb_member_number(&c->ranking.set, member, ABDB_M_devices);
}

bool abdb_result_has_value_devices_needed_watts(const abdb_system_choice *c, size_t member)
{
    const abdb_member *m = &c->ranking.set.member[member];

    return !m->why && isfinite(m->value) && m->value > 0 &&
           abdb_member_number(&c->ranking.set, member, ABDB_M_devices) >= 1 &&
           (!c->by_watt || isfinite(c->watts[member]));
}

bool abdb_result_meets_request(const abdb_system_choice *c, const abdb_choose_options *o,
                               size_t member, const char *device)
{
    if (device && strcmp(abdb_member_text(&c->ranking.set, member, ABDB_M_device), device) != 0)
        return false;
    if (abdb_any_latency_limit_given(&o->latency) && !(c->met_by && c->met_by[member]))
        return false;
    return abdb_result_has_value_devices_needed_watts(c, member) &&
           !(c->training && abdb_system_rate_or_training_time(c, member) > o->time_limit_s);
}

void abdb_leave_out_purchases_above_usd_per_hour(abdb_system_choice *c, double usd_per_hour_most)
{
    size_t kept = 0;

    for (size_t i = 0; i < c->count; i++) {
        if (!(c->row[i].usd_per_hour > usd_per_hour_most)) {
            c->row[kept++] = c->row[i];
            continue;
        }
        abdb_system_choice_record_left_out(
            c, abdb_arena_printf(&c->arena, "%s at %.5g", c->row[i].device, c->row[i].usd_per_hour),
            abdb_arena_printf(&c->arena, "more than %g USD/h", usd_per_hour_most), 0);
    }
    c->count = kept;
}
