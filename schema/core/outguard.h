/* outguard.h - the files that no output may replace.
 *
 * The program protects the database, the files that SQLite keeps beside it (-wal, -shm, -journal,
 * whether they exist yet or not) and each file that the command reads. outfile.h and outfolder.h
 * check every path here before they open anything, so a new writer cannot forget to. Two paths are
 * the same file where device and inode agree: a symbolic or hard link, another spelling, a bind
 * mount and /proc/self/fd are the file itself. A name that does not exist yet is known by the
 * folder that it lies in, whose device and inode are compared, and its last word.
 *
 * Besides, no output replaces a database of abdb that the command does not use at all.
 */
#ifndef ABDB_CORE_OUTGUARD_H
#define ABDB_CORE_OUTGUARD_H

#include <stdbool.h>

#include "schema/core/error.h"

/* Protects a database and SQLite's files beside it, until the program ends. */
ABDB_MUST_USE abdb_status abdb_outguard_protect_database(const char *path, abdb_error *err);
/* Protects a file that the command reads. Only a regular file needs protection. */
ABDB_MUST_USE abdb_status abdb_outguard_protect_input_if_regular(const char *path, abdb_error *err);
/* May an output take this path? ABDB_USAGE: it is a protected file or another database of abdb;
 * the message names both. NULL and "-" are standard output. Opens no protected file. */
ABDB_MUST_USE abdb_status abdb_outguard_refuse_protected_path(const char *path, abdb_error *err);
/* The same of a file that is open already; name: its name in the message. */
ABDB_MUST_USE abdb_status abdb_outguard_refuse_protected_descriptor(int file, const char *name,
                                                                    abdb_error *err);
/* Do two paths mean one file, or one name that does not exist yet? */
bool abdb_outguard_paths_are_same_file(const char *one, const char *other);
/* The path with all symbolic links followed, also one whose last link leads to a name that does not
 * exist yet; the caller's. NULL: errno is set. */
char *abdb_outguard_resolve_links(const char *path);

#endif
