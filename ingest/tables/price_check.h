/* price_check.h - a price of a catalog held against its own row. */
#ifndef ABDB_INGEST_PRICE_CHECK_H
#define ABDB_INGEST_PRICE_CHECK_H

#include "schema/core/record.h"

/* Is the price one of a machine with that number of devices? False, with reason: the instance's
 * name counts other devices ("gpu_8x_h100"), or a catalog of instances names none, because it lists
 * accelerators without the machine that they need. */
bool price_devices_match_instance_name(const abdb_fact *price, bool instance_required, char *reason,
                                       size_t room);

#endif
