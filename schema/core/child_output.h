/* child_output.h - all that a program prints, within limits of time and size. */
#ifndef ABDB_CORE_CHILD_OUTPUT_H
#define ABDB_CORE_CHILD_OUTPUT_H

#include "schema/core/child_process.h"
#include "schema/core/text.h"

typedef enum { ABDB_OUTPUT_WHOLE, ABDB_OUTPUT_TOO_LONG, ABDB_OUTPUT_TOO_LARGE } abdb_output_end;

/* Closes the input of a program that was started with capture_stderr, reads both of its outputs
 * until they end or a limit is passed, then waits for it or kills it, and reaps it. timeout_s: for
 * all of it. *status: its wait status, if the output is whole. The texts are the caller's to free.
 */
abdb_output_end abdb_program_read_output_and_reap(abdb_program *p, double timeout_s,
                                                  size_t output_max, size_t error_output_max,
                                                  abdb_text *output, abdb_text *error_output,
                                                  int *status);

#endif
