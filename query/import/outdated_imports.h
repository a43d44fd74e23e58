/* outdated_imports.h - files read by an older version of their importer, which `import --refresh`
 * reads again. */
#ifndef ABDB_QUERY_STALE_H
#define ABDB_QUERY_STALE_H

#include <stdbool.h>

#include "schema/core/text.h"
#include "schema/store/db.h"

/* Files of one format that one version read, and a newer one would read today. */
typedef struct {
    const char *format;
    bool own_map; /* by a map of the user's */
    int was, now;
    long long files;
} abdb_outdated_imports;

/* Finds them, except files that were withdrawn or read again since; *list is arena's. */
ABDB_MUST_USE abdb_status abdb_find_outdated_imports(abdb_db *db, abdb_arena *arena,
                                                     abdb_outdated_imports **list, size_t *count,
                                                     abdb_error *err);
/* Makes the temporary table `again` of their artifact_id. */
ABDB_MUST_USE abdb_status abdb_fill_temp_table_of_outdated_imports(abdb_db *db, abdb_error *err);

#endif
