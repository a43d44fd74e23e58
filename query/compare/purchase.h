/* purchase.h - the cheapest purchase of a device, by its results and offers; choose.h has the
 * formulas. */
#ifndef ABDB_COMPARE_PURCHASE_H
#define ABDB_COMPARE_PURCHASE_H

#include "query/compare/choose_filter.h"

/* Below 0: x comes before y. By cost, then by performance, then by USD/h. */
int abdb_purchase_compare_cost_then_performance(const abdb_purchase *x, const abdb_purchase *y);
/* The purchase by the device's cheapest result at a price per device, for any number of devices;
 * member SIZE_MAX: none. */
abdb_purchase abdb_cheapest_purchase_at_price(const abdb_system_choice *c,
                                              const abdb_choose_options *o, const char *device,
                                              double price);
/* The purchase by the device's cheapest result and offer; member SIZE_MAX: no result fits into
 * whole offers. Cheaper offers that are too small are listed by name as left out. */
abdb_purchase abdb_cheapest_purchase_of_offers(abdb_system_choice *c, const abdb_choose_context *s,
                                               const char *device);

/* Chooses the tier whose offers price most of the devices of the group as c->tier; of several the
 * one with more prices of a known day, then (or of one device) the one in which the cheapest costs
 * least. NULL where nothing is offered. */
void abdb_choose_tier_with_most_devices(abdb_system_choice *c, const abdb_choose_context *s);

/* A purchase with price, rate (of a training: time) and power multiplied; numbers of systems and
 * offers are rounded up again. */
abdb_purchase abdb_recompute_purchase_at_multiples(const abdb_system_choice *c,
                                                   const abdb_choose_options *o,
                                                   const abdb_purchase *p, double price_multiple,
                                                   double rate_multiple, double power_multiple);

/* The cost of a purchase relative to another one: the product of these. Of trainings rate is the
 * time, and systems the devices. */
typedef struct {
    double price;   /* per device and hour; per watt: the power of a device */
    double rate;    /* below 1: a device is faster */
    double systems; /* rounding to whole systems */
    double offers;  /* rounding to whole offers */
} abdb_cost_factors;

/* offers x systems x rate x price = p->cost / first->cost. */
abdb_cost_factors abdb_split_cost_ratio_to_first(const abdb_system_choice *c,
                                                 const abdb_choose_options *o,
                                                 const abdb_purchase *p,
                                                 const abdb_purchase *first);

#endif
