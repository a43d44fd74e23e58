/* archive.h - the members of a container or compressed file, by libarchive, one after another in
 * memory. Nothing is ever written: paths are labels, links and devices are left out. */
#ifndef ABDB_INGEST_ARCHIVE_H
#define ABDB_INGEST_ARCHIVE_H

#include <stdbool.h>

#include "ingest/importer.h"

enum {
    ABDB_MEMBER_SIZE_MAX = 256 << 20, /* larger members are refused, the rest goes on */
    ABDB_MEMBER_COUNT_MAX = 1000000,
    ABDB_ARCHIVE_RATIO_MAX = 2000 /* bytes out per byte in, past the first 64 MiB: a bomb */
};

/* Do the first bytes say that it is a container or compressed? */
bool abdb_archive_is(const abdb_input *input);

/* Called for each regular member: path "ARCHIVE!MEMBER", and its bytes, or why there are none (err
 * filled, data NULL). Anything but ABDB_OK stops. */
typedef abdb_status (*abdb_member_handler)(void *self, const char *path, const void *data,
                                           size_t size, abdb_error *err);
/* Walks the members. ABDB_DATA: damaged or truncated; the members before were handed over.
 * ABDB_LIMIT: over a limit above. */
ABDB_MUST_USE abdb_status abdb_archive_walk(const abdb_input *input, abdb_member_handler handler,
                                            void *self, abdb_error *err);

#endif
