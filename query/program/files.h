/* files.h - paths on a command line, and the files that they mean. */
#ifndef ABDB_QUERY_FILES_H
#define ABDB_QUERY_FILES_H

#include <stdbool.h>
#include <stddef.h>

#include "schema/core/error.h"

typedef struct {
    char *path;
    bool named; /* by the user, not found in a folder */
} abdb_file;

/* Zeroed is empty. */
typedef struct {
    abdb_file *item;
    size_t count, room;
} abdb_file_list;

/* Is it what abdb run --spool has not finished, ".c-....jsonl.part"? */
bool abdb_files_is_part(const char *path);
/* Adds what path means: a folder's files, in the order of their names, links and hidden ones left
 * out, but unfinished spools; else path itself, whether it is there or not. ABDB_LIMIT: too many,
 * or too deep. */
ABDB_MUST_USE abdb_status abdb_files_add(abdb_file_list *list, const char *path, abdb_error *err);
void abdb_files_free(abdb_file_list *list);

/* A file for a moment, in a folder of its own in $TMPDIR or /tmp. Zeroed is none. */
typedef struct {
    char folder[200], path[240];
} abdb_scratch;
/* Makes the folder; the file is the caller's to make. ABDB_IO: it cannot be made. */
ABDB_MUST_USE abdb_status abdb_scratch_make(abdb_scratch *scratch, abdb_error *err);
void abdb_scratch_remove(abdb_scratch *scratch);

#endif
