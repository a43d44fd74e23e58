/* missing.h - a backend whose file is here while what runs the file is not: no python3, no library.
 */
#ifndef ABDB_KERNELS_MISSING_H
#define ABDB_KERNELS_MISSING_H

#include <stdbool.h>
#include <stddef.h>

/* Did a program with this wait status end because something that runs it is not installed? Then
 * shells, env and the dynamic linker end with code 126 or 127, as a child does that cannot exec. */
bool abdb_exit_code_means_program_missing(int wait_status);
/* Writes a sentence: what the program at path lacks, as far as its first line names that, and the
 * next step. */
void abdb_describe_missing_interpreter_or_library(char *text, size_t size, const char *path,
                                                  int wait_status);

#endif
