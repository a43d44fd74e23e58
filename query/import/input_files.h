/* input_files.h - paths on a command line, and the files that they mean. */
#ifndef ABDB_QUERY_FILES_H
#define ABDB_QUERY_FILES_H

#include <stdbool.h>
#include <stddef.h>

#include "schema/core/error.h"
#include "schema/core/text.h"

typedef struct {
    char *path;
    bool named; /* by the user, not found in a folder */
} abdb_file;

/* Zeroed is empty. */
typedef struct {
    abdb_file *item;
    size_t count, capacity;
} abdb_file_list;

/* Kinds of files in a folder or archive that are not read, but reported with their count. */
typedef enum {
    ABDB_SKIPPED_HIDDEN,  /* its name, or that of a folder above it, begins with a point */
    ABDB_SKIPPED_SYMLINK, /* its target, if it lies there, is read where it lies */
    ABDB_SKIPPED_SPECIAL, /* a device, a named pipe, a socket */
    ABDB_SKIPPED_KINDS
} abdb_skipped_kind;

enum { ABDB_SKIPPED_NAMES = 5 }; /* that are kept of each kind */
/* Zeroed is empty. */
typedef struct {
    struct {
        size_t count;
        abdb_text names; /* of the first of them */
    } kind[ABDB_SKIPPED_KINDS];
} abdb_skipped_files;

/* Counts a file, and keeps the names of the first. */
void abdb_skipped_files_count_and_name(abdb_skipped_files *skipped, abdb_skipped_kind kind,
                                       const char *path);
void abdb_skipped_files_free(abdb_skipped_files *skipped);

/* Is it an unfinished file of abdb run --spool, ".c-....jsonl.part"? */
bool abdb_is_unfinished_spool_name(const char *path);
/* Adds the files of path: a folder's files, in the order of their names; else path itself, whether
 * it exists or not. Of a folder, symbolic links, special files and hidden ones (but for unfinished
 * spools) go to skipped, which may be NULL. ABDB_LIMIT: too many, or too deep. */
ABDB_MUST_USE abdb_status abdb_file_list_add_file_or_folder_files(abdb_file_list *list,
                                                                  const char *path,
                                                                  abdb_skipped_files *skipped,
                                                                  abdb_error *err);
void abdb_file_list_free(abdb_file_list *list);

/* A file for a moment, in a folder of its own in $TMPDIR or /tmp. Zeroed is none. */
typedef struct {
    char folder[200], path[240];
} abdb_scratch;
/* Makes the folder; the file is the caller's to make. ABDB_IO: it cannot be made. */
ABDB_MUST_USE abdb_status abdb_scratch_folder_create(abdb_scratch *scratch, abdb_error *err);
void abdb_scratch_remove(abdb_scratch *scratch);

#endif
