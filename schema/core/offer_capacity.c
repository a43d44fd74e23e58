/* offer_capacity.c - which offers of devices hold a system that was measured; see offer_capacity.h.
 */
#include "schema/core/offer_capacity.h"

#include <math.h>

double abdb_offer_devices_in_whole_nodes(double devices, double nodes, double offered)
{
    double node = nodes >= 1                                    ? devices / nodes
                  : offered > 1 && fmod(devices, offered) < 0.5 ? offered
                                                                : devices;

    return offered < 1 ? 1 : floor(offered / node) * node;
}

bool abdb_offer_holds_one_node(double devices, double nodes, double offered)
{
    return !(abdb_offer_devices_in_whole_nodes(devices, nodes, offered) < 1);
}
