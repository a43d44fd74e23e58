/* outfolder.h - a folder that appears whole or not at all, or whose files change all together.
 *
 * Its files are written into a folder beside its place, ".NAME.PID-NUMBER.part", which takes that
 * place by one rename when all of them are there. The folder of a killed program is removed by the
 * next program that writes to the same place.
 */
#ifndef ABDB_CORE_OUTFOLDER_H
#define ABDB_CORE_OUTFOLDER_H

#include <stdbool.h>

#include "schema/core/error.h"

typedef struct {
    char *target_path, *partial_path; /* part: where files are written meanwhile */
    bool merges;                      /* the place may hold files already */
} abdb_outfolder;

/* Makes a folder for files that appear one by one, unless it is there; *is_new: it was made.
 * ABDB_IO: it cannot be made. ABDB_USAGE: the path is the database's or an input's (outguard.h). */
ABDB_MUST_USE abdb_status abdb_outfolder_make_if_missing(const char *path, bool *is_new,
                                                         abdb_error *err);
/* Begins to write a folder at path. ABDB_USAGE: something is there that is no empty folder.
 * ABDB_IO: it cannot be made. */
ABDB_MUST_USE abdb_status abdb_outfolder_open_refusing_nonempty(abdb_outfolder *out,
                                                                const char *path, abdb_error *err);
/* Begins to write files into a folder that may be there and hold others: at the commit each takes
 * its place by one rename, and files with other names stay. Until then the folder does not
 * change. ABDB_IO: it cannot be made or written. */
ABDB_MUST_USE abdb_status abdb_outfolder_open_merging(abdb_outfolder *out, const char *path,
                                                      abdb_error *err);
/* Makes the folders that lead from the part to the file: all of its path but the last word.
 * path: begins with out->part. */
ABDB_MUST_USE abdb_status abdb_outfolder_make_parents_below_partial(const abdb_outfolder *out,
                                                                    const char *path,
                                                                    abdb_error *err);
/* Replaces the path of the part by `path`, the folder's own, wherever an error names it: the part
 * is gone when a reader looks for it. */
void abdb_outfolder_replace_partial_path_in_error(const abdb_outfolder *out, const char *path,
                                                  abdb_error *err);
/* Moves the output to its place. ABDB_IO: it cannot; then no output is left, unless an existing
 * folder refused some of the renames. */
ABDB_MUST_USE abdb_status abdb_outfolder_commit(abdb_outfolder *out, abdb_error *err);
/* Removes uncommitted output; does nothing after a commit or on a zeroed struct. */
void abdb_outfolder_discard(abdb_outfolder *out);

#endif
