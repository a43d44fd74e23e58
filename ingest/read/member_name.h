/* member_name.h - reads the headers of an archive's members with their names as UTF-8, whatever
 * the locale is. Private to ingest/read/archive*.c. */
#ifndef ABDB_INGEST_MEMBER_NAME_H
#define ABDB_INGEST_MEMBER_NAME_H

#include <archive.h>
#include <archive_entry.h>
#include <locale.h>

#include "ingest/read/archive_kind.h"
#include "schema/core/text.h"

/* The locales in which libarchive reads headers; a zeroed one is no locale. */
typedef struct {
    locale_t bytes, unicode;
} abdb_name_locales;

void abdb_name_locales_open(abdb_name_locales *out);
void abdb_name_locales_close(abdb_name_locales *locales);

/* A member's header. name and target are valid UTF-8 from the arena: bytes that are not UTF-8 are
 * read as code page 437 in a zip (by its format) and as ISO 8859-1 elsewhere. name is NULL
 * where the archive has none, or one that cannot be read; target is NULL unless it is a hard link.
 */
typedef struct {
    struct archive_entry *entry; /* libarchive's, until the next header */
    const char *name, *target;
} abdb_member_header;

/* Reads the next header under a locale that keeps every name, and restores the caller's locale.
 * *code is libarchive's. ABDB_NOMEM is the only failure. */
ABDB_MUST_USE abdb_status abdb_member_header_read_with_utf8_names(
    struct archive *a, const abdb_archive_kind *kind, const abdb_name_locales *locales,
    abdb_arena *arena, abdb_member_header *out, int *code, abdb_error *err);
/* The name without leading slashes and without "." and empty parts, by which a hard link finds its
 * target; from arena, or NULL: no memory. */
char *abdb_member_name_drop_empty_and_dot_parts(abdb_arena *arena, const char *name);
#endif
