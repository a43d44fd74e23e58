/* backend_inventory.h - what the backends that are here see: their devices, as the database knows
 * them, and which kernels they have. */
#ifndef ABDB_QUERY_SEEN_H
#define ABDB_QUERY_SEEN_H

#include <jansson.h>

#include "query/run/find_backends.h"
#include "schema/store/db.h"

/* Of one backend an object for each device that it sees: backend, summary, id (where it has several
 * to choose from), name (as the system calls it), device (as the database does), threads, software
 * (object: driver, library, versions), published and measured (arrays of quantity, dtype, value,
 * unit, source or what, key: the preferred peaks and the best that was measured), kernels (array of
 * kernel, parameters, providers) and not_implemented (kernels that abdb knows and it does not).
 * Without a device one object, with `absent`, why. db may be NULL: nothing is known then. The
 * caller's reference. ABDB_NOMEM, ABDB_DB. */
ABDB_MUST_USE abdb_status abdb_probe_backend_devices_to_json(abdb_db *db, const char *name,
                                                             const char *path, json_t **out,
                                                             abdb_error *err);

#endif
