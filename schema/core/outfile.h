/* outfile.h - a file that appears whole or not at all.
 *
 * What is written goes into a file beside its place, ".NAME.PID-NUMBER.part", which takes that
 * place by one rename when it is whole and on the disk. Whatever comes before that - an error, a
 * full disk, SIGKILL - leaves what stood there as it was. The part of a killed program is removed
 * by the next one that writes to the same place. Standard output, pipes and devices have no place
 * to take: they are written directly.
 *
 * A symbolic link is followed when the file is opened, also one to a name that does not exist yet:
 * its target is replaced, the link stays. The rename at the end follows none: a link that comes to
 * the place meanwhile is replaced, and its target stays as it is. The part is its owner's alone
 * (0600) until it takes the place; then it has the owner and mode of the file that it replaces, or
 * those of a new file under the umask. outguard.h has the files that no output replaces.
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
    mode_t mode;       /* what the file will have where it has a place */
    uid_t owner;
    gid_t group;
} abdb_outfile;

/* Begins to write to path; NULL and "-" are standard output. ABDB_IO: it cannot be written.
 * ABDB_USAGE: it is the database or an input (outguard.h). */
ABDB_MUST_USE abdb_status abdb_outfile_open_refusing_protected(abdb_outfile *out, const char *path,
                                                               abdb_error *err);
/* Begins a file beside a path where the caller lets nothing be replaced: what is there is not
 * looked at before the commit, which refuses a database. */
ABDB_MUST_USE abdb_status abdb_outfile_open_partial_without_guard(abdb_outfile *out,
                                                                  const char *path,
                                                                  abdb_error *err);
/* The file will have owner and mode of that one, if it is there. */
void abdb_outfile_remember_access_of(abdb_outfile *out, const char *path);
/* What was written takes its place. ABDB_IO: not all of it could be written; then nothing does. */
ABDB_MUST_USE abdb_status abdb_outfile_commit(abdb_outfile *out, abdb_error *err);
/* Not all could be written to a stream: ABDB_IO. Where its reader has seen enough (`| head`) the
 * program ends at once and in silence, as SIGPIPE would have done it, whether or not that is
 * ignored meanwhile for the sake of a program that was started. */
ABDB_MUST_USE abdb_status abdb_fail_write_or_raise_sigpipe(FILE *out, abdb_error *err);
/* Forgets what was written; nothing after a commit, and of one that is zeroed. */
void abdb_outfile_discard(abdb_outfile *out);
/* Removes a file, and what SQLite leaves beside a database that it could not close. */
void abdb_remove_with_sqlite_logs(const char *path);

#endif
