/* outfile.h - a file that appears whole or not at all.
 *
 * What is written goes into a file beside its place, ".NAME.PID-NUMBER.part", which takes that
 * place by one rename when it is whole and on the disk. Whatever comes before that - an error, a
 * full disk, SIGKILL - leaves what stood there as it was. The part of a killed program is removed
 * by the next one that writes to the same place. Standard output, pipes and devices have no place
 * to take: they are written directly. A link is followed; the mode of an old file is kept.
 */
#ifndef ABDB_CORE_OUTFILE_H
#define ABDB_CORE_OUTFILE_H

#include <stdio.h>

#include "schema/core/error.h"

typedef struct {
    FILE *file;         /* written to */
    char *place, *part; /* part: where it is meanwhile (SQLite writes there by name); NULL: directly
                         */
} abdb_outfile;

/* Begins to write to path; NULL and "-" are standard output. ABDB_IO: it cannot be written. */
ABDB_MUST_USE abdb_status abdb_outfile_open(abdb_outfile *out, const char *path, abdb_error *err);
/* What was written takes its place. ABDB_IO: not all of it could be written; then nothing does. */
ABDB_MUST_USE abdb_status abdb_outfile_commit(abdb_outfile *out, abdb_error *err);
/* Not all could be written to a stream: ABDB_IO. Where its reader has seen enough (`| head`) the
 * program ends at once and in silence, as SIGPIPE would have done it, whether or not that is
 * ignored meanwhile for the sake of a program that was started. */
ABDB_MUST_USE abdb_status abdb_outfile_unwritten(FILE *out, abdb_error *err);
/* Forgets what was written; nothing after a commit, and of one that is zeroed. */
void abdb_outfile_discard(abdb_outfile *out);
/* Removes a file, and what SQLite leaves beside a database that it could not close. */
void abdb_outfile_remove(const char *path);

#endif
