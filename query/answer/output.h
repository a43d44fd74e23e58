/* output.h - the only way out for text: abdb prints all its text by these functions.
 *
 * Much of it was written by others: names of files and members, cells, labels, messages of
 * backends. It reaches people as plain text (see schema/core/sanitize_text.h), and programs as it
 * is.
 */
#ifndef ABDB_QUERY_SAY_H
#define ABDB_QUERY_SAY_H

#include <stdio.h>

#include "schema/core/sanitize_text.h"

/* As fprintf, for people: the format is abdb's own text, each %s and %c may be of others and is
 * made plain. Returns the number of bytes written. */
size_t abdb_print_sanitized(FILE *out, const char *format, ...) ABDB_PRINTF(2, 3);
size_t abdb_vprint_sanitized(FILE *out, const char *format, va_list args);
/* Words of our own to standard error, at once: from a handler of signals too. */
void abdb_print_stderr_signal_safe(const char *words);
/* As fwrite, for programs: the bytes as they are, but on a terminal each line as plain text. False:
 * not all could be written. */
bool abdb_write_sanitized_if_terminal(FILE *out, const char *data, size_t size);
/* Does the stream end at a terminal? */
bool abdb_stream_is_terminal_or_paged(FILE *out);
/* Columns of that terminal; 0: it does not end at one. */
int abdb_terminal_width_or_zero(FILE *out);
/* Standard output goes to a pager now, on a terminal of so many columns. */
void abdb_treat_stdout_as_paged_terminal(int columns);
/* Prints words and ends the line; on a terminal they are folded at its width, and lines after the
 * first are indented. */
void abdb_print_wrapped(FILE *out, int indent, const char *text);
/* SGR codes of our own, "1" or "31", where colours may be; "0" ends them. */
void abdb_print_colour_code_if_colours_allowed(FILE *out, const char *codes);

/* A remark to standard error. */
void abdb_print_stderr_remark(const char *format, ...) ABDB_PRINTF(1, 2);
/* The remark that a program had left processes behind, which were ended. */
void abdb_print_stderr_remark_of_ended_processes(void *self, const char *path,
                                                 const char *processes);
/* One line of progress on standard error, only on a terminal; total 0: unknown. done < 0 clears. */
void abdb_show_or_clear_progress_bar(const char *what, double done, double total);

#endif
