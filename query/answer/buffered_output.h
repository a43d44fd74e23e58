/* buffered_output.h - what a verb says, made in memory before any of it is printed: only the making
 * is under
 * --timeout (deadline.h), for a reader may take longer. */
#ifndef ABDB_QUERY_ANSWER_H
#define ABDB_QUERY_ANSWER_H

#include <stdbool.h>
#include <stdio.h>

#include "schema/core/error.h"

typedef struct {
    FILE *file; /* said into */
    char *data;
    size_t size;
    bool is_terminal_graphics; /* a picture that a terminal obeys: printed as it is, not as text */
} abdb_output_buffer;

ABDB_MUST_USE abdb_status abdb_output_buffer_open(abdb_output_buffer *answer, abdb_error *err);
/* Prints what was said to path, as abdb_outfile_open_refusing_protected takes it. Into a file, the
 * deadline goes on; elsewhere it is over with. */
ABDB_MUST_USE abdb_status abdb_output_buffer_write_to(abdb_output_buffer *answer, const char *path,
                                                      abdb_error *err);
void abdb_output_buffer_free(abdb_output_buffer *answer);

#endif
