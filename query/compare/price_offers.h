/* price_offers.h - the prices that count on a day; the user's own replace stored ones. */
#ifndef ABDB_COMPARE_OFFERS_H
#define ABDB_COMPARE_OFFERS_H

#include "query/compare/result_set.h"

/* Columns of an offer. Of the reader's own: provider "you", kind "own quote", no date, no key,
 * locator "--price DEVICE=2.49 USD/h". */
typedef enum {
    ABDB_OFFER_DEVICE, /* canonical */
    ABDB_OFFER_PRICE,  /* USD for one device and hour */
    ABDB_OFFER_PROVIDER,
    ABDB_OFFER_KIND,
    ABDB_OFFER_FROM,     /* date of the price */
    ABDB_OFFER_AGE_DAYS, /* on the day `today`, of its first day; 0 of the reader's own; none:
                            undated */
    ABDB_OFFER_LOCATOR,
    ABDB_OFFER_KEY,
    ABDB_OFFER_PROVIDER_KIND, /* tier-1 cloud, GPU cloud, ...; none: not known */
    ABDB_OFFER_SIZE,          /* devices that are rented together; 0: any number */
    ABDB_OFFER_CONVERTED, /* ", 2 EUR at 1.08 USD of 2026-11-20 (SOURCE)"; none: stated in USD */
    ABDB_OFFER_CURRENCY,  /* in which it is stated; none: the reader's own, in USD */
    ABDB_OFFER_RATE,      /* USD for one unit of it; none: it is stated in USD */
    ABDB_OFFER_RATE_FROM, /* "2026-11-20, SOURCE"; none: it is stated in USD */
    ABDB_OFFER_COLUMNS
} abdb_offer_column;

/* The offers of v_price_offer that count on asked->price_date (NULL: the latest of each provider
 * and kind), of asked->provider and of providers of asked->tier where these are given, and of one
 * kind: asked->price_kind, else on-demand; "any": of all kinds. A device that asked->price quotes
 * has that price alone. Cheapest first. ABDB_USAGE: an invalid quote, or its device; a quote so far
 * above stored prices that it seems to be for a node; a tier that no provider has. */
ABDB_MUST_USE abdb_status abdb_load_offers_and_quotes(abdb_table *out, sqlite3 *db,
                                                      const abdb_normalisation *options,
                                                      abdb_error *err);
/* Is the offer in that row of the device, and at most so many days old (NAN: of any age, and
 * undated)? */
bool abdb_offer_is_of_device_and_recent(const abdb_table *offers, size_t offer_row,
                                        const char *device, double max_age_days);
/* Is the offer in a row as cheap as that in an earlier one, but of more devices? Of offers that are
 * too small one is named: the cheapest, of several the largest. */
bool abdb_offer_is_as_cheap_and_larger(const abdb_table *offers, size_t offer_row, size_t earlier);
/* The cheapest offer of a device that is not older than days (NAN: of any age, and undated);
 * SIZE_MAX: none. */
size_t abdb_find_cheapest_offer(const abdb_table *offers, const char *device, double max_age_days);
/* The cheapest of them that holds a node of a system of so many devices on so many nodes (NAN: not
 * known), by schema/core/offer_capacity.h; the user's own always counts. too_small_offers: a text
 * to which the cheapest of all cheaper, too small offers is added. */
size_t abdb_find_cheapest_fitting_offer(const abdb_table *offers, const char *device,
                                        double max_age_days, double system_devices,
                                        double system_nodes, abdb_text *too_small_offers);

#endif
