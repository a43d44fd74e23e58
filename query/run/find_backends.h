/* find_backends.h - which backends are here: programs abdb-run-NAME beside abdb, or in
 * $ABDB_BACKENDS.
 */
#ifndef ABDB_QUERY_BACKENDS_H
#define ABDB_QUERY_BACKENDS_H

#include "kernels/runner/plan.h"
#include "schema/core/embedded.h"
#include "schema/core/text.h"

enum { ABDB_BACKEND_MAX = 64 };

typedef struct {
    size_t count;
    struct {
        const char *name, *path;
        bool foreign; /* of $ABDB_BACKENDS, which is another folder than abdb's own */
    } backend[ABDB_BACKEND_MAX];
    abdb_arena arena;
} abdb_backend_list;

/* Sorted by name; folders that do not exist, or may not be read, hold none. ABDB_IO: a folder could
 * not be listed; out has the backends found before. */
abdb_status abdb_backends_find(abdb_backend_list *out, abdb_error *err);
void abdb_backends_free(abdb_backend_list *list);
/* abdb's own program that counts the work of others (recount_work.h). From arena; NULL: no memory,
 * or no folder. */
const char *abdb_path_of_work_counter(abdb_arena *arena);
/* Prints backends with their devices and kernels, and the plans that abdb ships; beside devices it
 * prints data from the database (a path; it need not exist). json: the devices
 * as one array (backend_inventory.h). ABDB_DB, ABDB_NOMEM. */
ABDB_MUST_USE abdb_status abdb_probe_and_print_backends_and_plans(const abdb_backend_list *list,
                                                                  const char *database, bool json,
                                                                  abdb_error *err);
extern const abdb_embedded abdb_plans[];

/* Each backend, and each provider besides, that needs a library: the Debian packages that building
 * it needs, and the one that `make deb` makes of it ("": none; NULL: it is no backend). From the
 * Makefile. End: name NULL. */
typedef struct {
    const char *name, *package, *made;
} abdb_backend_package;
extern const abdb_backend_package abdb_backend_packages[];
/* Appends how to install one of these packages. */
void abdb_append_install_advice(abdb_text *out, const abdb_backend_package *of);
/* The same of stores (store_client.h). */
extern const abdb_backend_package abdb_store_packages[];

#endif
