/* program_digest.h - a digest of what a command starts. */
#ifndef ABDB_KERNELS_PROGRAM_DIGEST_H
#define ABDB_KERNELS_PROGRAM_DIGEST_H

#include <stdbool.h>
#include <time.h>

enum { ABDB_PROGRAM_DIGEST = 40 };

/* A digest of the program words[0], the shared libraries that its loader names, the other words,
 * and the files that they name unless they were written since `since` (they may be its output).
 * Files above 64 MiB count by path, size and time. Equal digests of copies in two folders mean
 * equal programs; the path counts where a program may look around itself: of scripts, and of
 * virtual environments of Python. out: PROGRAM.FILES.WORDS: a digest of the program and its
 * libraries, the number of files named, a digest of them, of the program's name and of the other
 * words. False: the program cannot be read, or its libraries are not found. */
bool abdb_digest_program_libraries_and_named_files(char *const *words, time_t since,
                                                   char out[ABDB_PROGRAM_DIGEST]);

#endif
