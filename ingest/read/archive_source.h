/* archive_source.h - the bytes of an archive for libarchive: memory, a file, a pipe, or the member
 * at hand of the archive around it; counts expanded bytes, and keeps bytes that come only once.
 * Private to ingest/read/archive*.c. */
#ifndef ABDB_INGEST_ARCHIVE_SOURCE_H
#define ABDB_INGEST_ARCHIVE_SOURCE_H

#include <archive.h>

#include "ingest/importer.h"
#include "ingest/read/archive_kind.h"

/* 128 KiB are held of a stream at a time. */
enum { ARCHIVE_CHUNK = 1 << 17 };

/* An archive that is being walked, and the one that it is a member of. */
typedef struct archive_level {
    struct archive *a;
    const abdb_archive_kind *kind;
    const struct archive_level *outer; /* or NULL */
    size_t before;                     /* the walk's expanded bytes when it began */
    size_t index;                      /* 0: the outermost */
    bool can_seek;
} archive_level;

/* The bytes of one archive, in this order: memory[at..size), the file, then the pipe or the member
 * at hand of the outer archive. */
typedef struct {
    const char *memory;
    size_t size, at;
    int file; /* -1: none; it can seek, and the archive begins at `start` */
    off_t start;
    int pipe;                   /* -1: none */
    const archive_level *outer; /* whose member it is, or NULL */
    bool outer_ended;           /* all bytes of that member were read already */
    bool uncounted;             /* outer is its compression: only bytes of expanded members count */
    size_t *total;              /* expanded bytes of the walk */
    char *chunk;                /* ARCHIVE_CHUNK bytes, or NULL where memory is all */
    abdb_spool *copy;           /* takes the bytes of the pipe, while they fit; or NULL */
    abdb_error error;           /* why the last read failed; status ABDB_OK: none did */
} archive_source;

/* ABDB_LIMIT: the expanded bytes so far are out of proportion to the bytes read of this archive, or
 * of one around it. */
ABDB_MUST_USE abdb_status abdb_archive_fail_if_bomb(size_t total, const archive_level *level,
                                                    abdb_error *err);
/* Reads the rest of a source that cannot seek into the spool, and lets the source read and seek
 * there. A source of more than ABDB_INPUT_SIZE_MAX bytes goes on as a stream behind the spool. */
ABDB_MUST_USE abdb_status abdb_archive_source_spool_rest_and_switch(archive_source *source,
                                                                    abdb_spool *spool,
                                                                    abdb_error *err);
bool abdb_archive_source_can_seek(const archive_source *source);
/* Goes back to the first byte: by seeking, or in the copy of the pipe. False: it cannot. */
bool abdb_archive_source_rewind(archive_source *source);
/* Opens a on the source, as an archive of this kind. */
ABDB_MUST_USE abdb_status abdb_archive_source_open_with_callbacks(struct archive *a,
                                                                  archive_source *source,
                                                                  const abdb_archive_kind *kind,
                                                                  abdb_error *err);

#endif
