/* partial_file.h - where a file or a folder is while it is written: beside its place, as
 * ".NAME.PID-NUMBER.part". See outfile.h and outfolder.h. */
#ifndef ABDB_CORE_OUTPART_H
#define ABDB_CORE_OUTPART_H

#include <sys/types.h>

#include "schema/core/error.h"

enum { ABDB_OUTPART_TRIES = 16 };

/* Fails because the target cannot be made, with the reason of errno; names the folder if that is
 * missing. Returns ABDB_IO. */
abdb_status abdb_partial_report_errno(const char *verb, const char *target, abdb_error *err);
/* A random name for a part file of the target; the caller's. NULL: errno has the reason. */
char *abdb_partial_random_path(const char *target);
/* The mode that a new file or folder gets for a requested `mode`. */
mode_t abdb_outpart_apply_umask(mode_t mode);
/* Removes the parts of this place whose writers are gone. */
void abdb_partial_remove_orphans(const char *target, void (*remove_part)(const char *part));

#endif
