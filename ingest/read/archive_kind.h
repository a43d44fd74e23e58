/* archive_kind.h - recognises containers and compressed files by their first bytes, and names the
 * one filter or format of libarchive that reads each. Private to ingest/read/archive*.c;
 * archive.h is the outside. */
#ifndef ABDB_INGEST_ARCHIVE_KIND_H
#define ABDB_INGEST_ARCHIVE_KIND_H

#include <archive.h>
#include <stdbool.h>
#include <stddef.h>

#include "schema/core/error.h"

/* A container or a compression. By default libarchive would bid with filters that start programs,
 * and chain filters whose bytes are not counted: therefore each kind is one filter or one format.
 */
typedef struct {
    int filter;                              /* ARCHIVE_FILTER_NONE: a container */
    int (*support_filter)(struct archive *); /* NULL: a container */
    int (*support_format)(struct archive *); /* NULL: a compressed file */
    bool needs_seeking;                      /* its directory stands at the end: zip and 7z */
    bool stores_unicode; /* libarchive converts its names to the locale's character set */
} abdb_archive_kind;

/* The kind that the first bytes show, or NULL. Zero bytes are an empty tar where the path ends in
 * tar (an empty tar has no other mark), else no archive. */
const abdb_archive_kind *abdb_archive_detect_kind(const char *path, const void *head, size_t size);
/* Prepares a for this kind and no other. ABDB_DATA: this libarchive was built without the library
 * that the kind needs, and would start a program instead. */
ABDB_MUST_USE abdb_status abdb_archive_enable_filter_and_format(struct archive *a,
                                                                const abdb_archive_kind *kind,
                                                                abdb_error *err);

#endif
