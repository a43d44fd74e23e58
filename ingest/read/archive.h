/* archive.h - the members of containers and compressed files, by libarchive, one after another, in
 * bounded memory. An archive is read as a stream, from a file, a pipe or another archive; a zip or
 * 7z, whose directory stands at its end, is first copied to a file without a name (abdb_spool in
 * importer.h) where its source cannot seek. Bytes of a pipe are also copied, up to 1 GiB, since
 * hard links are read when the archive is read again. Nothing is extracted: paths are labels,
 * symbolic links are not followed, and a member too large for memory lies in a file without a name
 * while it is read. No program is started: only filters and formats that run inside of this process
 * are used. Omitted members are also read where libarchive must expand them to get past them, and
 * count as read. */
#ifndef ABDB_INGEST_ARCHIVE_H
#define ABDB_INGEST_ARCHIVE_H

#include <stdbool.h>

#include "ingest/importer.h"

enum {
    ABDB_MEMBER_COUNT_MAX = 1000000,
    ABDB_ARCHIVE_DEPTH_MAX = 4,    /* archives in archives */
    ABDB_ARCHIVE_RATIO_MAX = 2000, /* bytes out per byte in, past the first 64 MiB: a bomb */
    ABDB_ARCHIVE_HEAD = 512        /* bytes that identify an archive */
};

/* Do the first bytes show a container or a compression that abdb reads? The path decides where an
 * empty tar cannot be told from other zero bytes. */
bool abdb_archive_has_known_first_bytes(const char *path, const void *head, size_t size);
/* The reason why abdb does not read this archive, which it recognises (RAR and others), and the
 * user's next step; or NULL. */
const char *abdb_archive_why_kind_is_unsupported(const void *head, size_t size);
/* Has the name an ending of archives or compressed files? Files with packed contents (a document, a
 * network's weights) have other names, and are archives only where the user names them. */
bool abdb_archive_has_suffix(const char *path);

typedef enum {
    ABDB_MEMBER_SYMLINK, /* its target, if it is a member, is read where it stands */
    ABDB_MEMBER_SPECIAL  /* a device, a named pipe, a socket */
} abdb_member_kind;

typedef struct {
    void *self;
    /* Is the file worth reading? name: the member's name in its archive, "" of a file that is only
     * compressed. NULL: all are. Called once for each file and hard link. */
    bool (*wants)(void *self, const char *path, const char *name);
    /* Called for each file and hard link, with the path "ARCHIVE!MEMBER" in UTF-8: input, or NULL
     * and the reason in err. A hard link has its target's bytes, and comes when all else was read.
     * Anything but ABDB_OK stops. */
    abdb_status (*member)(void *self, const char *path, const abdb_input *input, abdb_error *err);
    /* Called for each member that is neither a file nor a folder. NULL: no call. Anything but
     * ABDB_OK stops. */
    abdb_status (*leave_out)(void *self, const char *path, const char *name, abdb_member_kind kind,
                             abdb_error *err);
} abdb_member_handler;

/* Walks the members of an archive in memory. ABDB_DATA: damaged, truncated, or without files; the
 * members before were handed over. ABDB_LIMIT: over a limit above. */
ABDB_MUST_USE abdb_status abdb_archive_deliver_members_of_memory(const abdb_input *input,
                                                                 const abdb_member_handler *handler,
                                                                 abdb_error *err);
/* The same for a file or pipe: head[0..size) was read from it already. path names it. */
ABDB_MUST_USE abdb_status abdb_archive_deliver_members_of_file(int file, const char *path,
                                                               const void *head, size_t size,
                                                               const abdb_member_handler *handler,
                                                               abdb_error *err);

#endif
