/* outpart.h - where a file or a folder is while it is written: beside its place, as
 * ".NAME.PID-NUMBER.part". See outfile.h and outfolder.h. */
#ifndef ABDB_CORE_OUTPART_H
#define ABDB_CORE_OUTPART_H

#include <sys/types.h>

#include "schema/core/error.h"

enum { ABDB_OUTPART_TRIES = 16 };

/* Fails: nothing can be made at this place, which errno says; of a folder that is not there its
 * name. Returns ABDB_IO. */
abdb_status abdb_outpart_fail(const char *verb, const char *place, abdb_error *err);
/* A name that is hardly taken, for a part of this place; the caller's. NULL: errno says why. */
char *abdb_outpart_name(const char *place);
/* The mode that a new file or folder gets where `mode` is asked for. */
mode_t abdb_outpart_apply_umask(mode_t mode);
/* Removes the parts of this place whose writers are gone. */
void abdb_outpart_sweep(const char *place, void (*remove_part)(const char *part));

#endif
