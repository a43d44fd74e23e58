/* buffered_output.h - a verb's output, built in memory before any of it is printed: --timeout
 * limits only the building (deadline.h), because a reader may take longer. */
#ifndef ABDB_QUERY_ANSWER_H
#define ABDB_QUERY_ANSWER_H

#include <stdbool.h>
#include <stdio.h>

#include "schema/core/error.h"

typedef struct {
    FILE *file; /* the verb writes here */
    char *data;
    size_t size;
    bool is_terminal_graphics; /* a picture of terminal codes: printed unchanged, not as text */
} abdb_output_buffer;

ABDB_MUST_USE abdb_status abdb_output_buffer_open(abdb_output_buffer *answer, abdb_error *err);
/* Writes the output to path, as abdb_outfile_open_refusing_protected takes it. The deadline applies
 * to a file as well; any other output cancels it first. */
ABDB_MUST_USE abdb_status abdb_output_buffer_write_to(abdb_output_buffer *answer, const char *path,
                                                      abdb_error *err);
void abdb_output_buffer_free(abdb_output_buffer *answer);

#endif
