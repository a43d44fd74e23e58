/* offer_capacity.h - which offers of devices hold a system that was measured, and when a price is
 * old: one rule for every answer that divides by a rented price. */
#ifndef ABDB_CORE_OFFER_H
#define ABDB_CORE_OFFER_H

#include <stdbool.h>

/* A price of more days is called old wherever it is shown: the market has moved on. */
enum { ABDB_PRICE_OLD_DAYS = 180 };

/* How to renew prices: the end of the line that names prices that are old or of unknown age. */
#define ABDB_PRICE_RENEWAL                                                                         \
    "--price takes a quote of today, abdb import FILE --set provider=NAME --set valid_from=DAY a " \
    "price list"

/* Format of an offer (device, USD/h, provider, devices), and the reason of its omission. */
#define ABDB_OFFER_FORMAT "%s at %.4g USD/h of %s, %.0f together"
#define ABDB_OFFER_SMALL  "offers of fewer devices than a node of the measured system has"

/* How many of the devices that are offered together are used by whole nodes of a system; below 1:
 * the offer holds no node. Offered 0: a price per device, for any number of devices. Where
 * the number of nodes is not known (NAN, 0), a system is made of whole offers of several
 * devices, or is one node. */
double abdb_offer_devices_in_whole_nodes(double devices, double nodes, double offered);
/* Does the offer hold a node? Also true where the number of devices is not known (NAN).
 */
bool abdb_offer_holds_one_node(double devices, double nodes, double offered);

#endif
