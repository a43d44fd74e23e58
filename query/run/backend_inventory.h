/* backend_inventory.h - an inventory of the backends on this machine: their devices, by their names
 * in the database, and their kernels. */
#ifndef ABDB_QUERY_SEEN_H
#define ABDB_QUERY_SEEN_H

#include <jansson.h>

#include "query/run/find_backends.h"
#include "schema/store/db.h"

/* Of one backend an object for each device that it sees: backend, summary, id (where it has several
 * to choose from), name (as the system calls it), device (as the database does), threads, software
 * (object: driver, library, versions), published and measured (arrays of quantity, dtype, value,
 * unit, source or what, key: the preferred peaks and the best measured values), kernels (array of
 * kernel, parameters, providers) and not_implemented (kernels of abdb that it lacks). Without a
 * device one object, whose `absent` is the reason. db may be NULL: then no published or measured
 * values. The caller's reference. ABDB_NOMEM, ABDB_DB. */
ABDB_MUST_USE abdb_status abdb_probe_backend_devices_to_json(abdb_db *db, const char *name,
                                                             const char *path, json_t **out,
                                                             abdb_error *err);

#endif
