/* outfile.h - a file that appears whole or not at all.
 *
 * Output goes into a part file beside the target, ".NAME.PID-NUMBER.part", which replaces the
 * target by one rename when it is complete and on the disk. An error, a full disk or SIGKILL before
 * that leaves the old file unchanged. The part file of a killed program is removed by the next
 * program that writes to the same target. Standard output, pipes and devices cannot be replaced:
 * they are written directly.
 *
 * A symbolic link is followed when the file is opened, also one to a name that does not exist yet:
 * its target is replaced, the link stays. The rename at the end follows none: a link that comes to
 * the place meanwhile is replaced, and its target stays as it is. The part is its owner's alone
 * (0600) until it takes the place; then it has the owner and mode of the file that it replaces, or
 * of a new file under the umask. outguard.h has the files that no output replaces.
 */
#ifndef ABDB_CORE_OUTFILE_H
#define ABDB_CORE_OUTFILE_H

#include <stdio.h>
#include <sys/types.h>

#include "schema/core/error.h"

typedef struct {
    FILE *file; /* written to */
    char *target_path,
        *partial_path; /* part: where it is meanwhile (SQLite writes there by name); NULL: directly
                         */
    mode_t mode;       /* of the file after the rename */
    uid_t owner;
    gid_t group;
} abdb_outfile;

/* Begins to write to path; NULL and "-" are standard output. ABDB_IO: it cannot be written.
 * ABDB_USAGE: it is the database or an input (outguard.h). */
ABDB_MUST_USE abdb_status abdb_outfile_open_refusing_protected(abdb_outfile *out, const char *path,
                                                               abdb_error *err);
/* Begins a file beside a path where the caller lets nothing be replaced: an existing file is not
 * checked before the commit, which refuses a database. */
ABDB_MUST_USE abdb_status abdb_outfile_open_partial_without_guard(abdb_outfile *out,
                                                                  const char *path,
                                                                  abdb_error *err);
/* Gives the file the owner and mode of the file at path, if that exists. */
void abdb_outfile_remember_access_of(abdb_outfile *out, const char *path);
/* Moves the output to its target. ABDB_IO: part of it could not be written; the target is kept. */
ABDB_MUST_USE abdb_status abdb_outfile_commit(abdb_outfile *out, abdb_error *err);
/* Not all could be written to a stream: ABDB_IO. Where its reader has seen enough (`| head`) the
 * program ends at once and in silence, as SIGPIPE would have done it, whether or not that is
 * ignored meanwhile for the sake of a program that was started. */
ABDB_MUST_USE abdb_status abdb_fail_write_or_raise_sigpipe(FILE *out, abdb_error *err);
/* Removes the uncommitted output; does nothing after a commit or on a zeroed struct. */
void abdb_outfile_discard(abdb_outfile *out);
/* Removes a file, and the logs that SQLite leaves beside a database that it could not close. */
void abdb_remove_with_sqlite_logs(const char *path);

#endif
