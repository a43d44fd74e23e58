/* program_output.h - where the standard output of a measured program goes. */
#ifndef ABDB_KERNELS_PROGRAM_OUTPUT_H
#define ABDB_KERNELS_PROGRAM_OUTPUT_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

typedef struct {
    int pipe[2], file; /* -1: none; neither: /dev/null */
    char *tail;        /* the end of the last start's output; NULL: not kept */
    size_t size;
} abdb_program_output;

/* Opens what --output names (null, pipe or a file; NULL: null). keep: its end is kept, so that null
 * becomes a pipe. A failure is written into why, as is a file that is a database. */
void abdb_program_output_open(abdb_program_output *o, const char *where, bool keep, char *why,
                              size_t room);
/* The file for the program; -1: /dev/null. */
int abdb_program_output_file(const abdb_program_output *o);
/* "null", "pipe" or "file". */
const char *abdb_program_output_name(const abdb_program_output *o);
/* Reads what is in the pipe; returns the bytes. */
ssize_t abdb_program_output_drain(abdb_program_output *o);
/* Empties the kept end, before another start. */
void abdb_program_output_forget(abdb_program_output *o);
void abdb_program_output_close(abdb_program_output *o);

#endif
