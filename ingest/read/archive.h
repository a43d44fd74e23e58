/* archive.h - the members of containers and compressed files, by libarchive, one after another, in
 * bounded memory. An archive is read as a stream, from a file, a pipe or another archive. Nothing
 * is extracted: paths are labels, links and devices are left out, and a member too large for memory
 * lies in a file without a name (abdb_spool in importer.h) while it is read. Nothing is started:
 * only filters and formats that run inside of this process are known. What is left out is read too,
 * where libarchive must expand it to get past it, and counts as what is read. */
#ifndef ABDB_INGEST_ARCHIVE_H
#define ABDB_INGEST_ARCHIVE_H

#include <stdbool.h>

#include "ingest/importer.h"

enum {
    ABDB_MEMBER_COUNT_MAX = 1000000,
    ABDB_ARCHIVE_DEPTH_MAX = 4,    /* archives in archives */
    ABDB_ARCHIVE_RATIO_MAX = 2000, /* bytes out per byte in, past the first 64 MiB: a bomb */
    ABDB_ARCHIVE_HEAD = 512        /* bytes that tell an archive */
};

/* Do the first bytes say that it is a container or compressed? */
bool abdb_archive_is(const void *head, size_t size);
/* Does the name end as those of archives and compressed files do? What is only packed inside (a
 * document, a network's weights) has another name, and is no archive where nobody named it. */
bool abdb_archive_is_named(const char *path);

typedef struct {
    void *self;
    /* Is the member worth reading? NULL: all are. */
    bool (*wants)(void *self, const char *path);
    /* Called for each regular member, with the path "ARCHIVE!MEMBER": input, or NULL and why in
     * err. Anything but ABDB_OK stops. */
    abdb_status (*member)(void *self, const char *path, const abdb_input *input, abdb_error *err);
} abdb_member_handler;

/* Walks the members of an archive in memory. ABDB_DATA: damaged or truncated; the members before
 * were handed over. ABDB_LIMIT: over a limit above. */
ABDB_MUST_USE abdb_status abdb_archive_walk(const abdb_input *input,
                                            const abdb_member_handler *handler, abdb_error *err);
/* The same for a file or pipe: head[0..size) was read from it already. path names it. */
ABDB_MUST_USE abdb_status abdb_archive_stream(int file, const char *path, const void *head,
                                              size_t size, const abdb_member_handler *handler,
                                              abdb_error *err);

#endif
