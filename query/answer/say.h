/* say.h - the only way out for text: what abdb prints, it prints by these.
 *
 * Much of it was written by others: names of files and members, cells, labels, messages of
 * backends. It reaches people as plain text (see schema/core/plain.h), and programs as it is.
 */
#ifndef ABDB_QUERY_SAY_H
#define ABDB_QUERY_SAY_H

#include <stdio.h>

#include "schema/core/plain.h"

/* As fprintf, for people: what stands in the format is ours, each %s and %c is others' and made
 * plain. Returns the bytes that were written. */
size_t abdb_say(FILE *out, const char *format, ...) ABDB_PRINTF(2, 3);
size_t abdb_vsay(FILE *out, const char *format, va_list args);
/* Words of our own to standard error, at once: from a handler of signals too. */
void abdb_say_now(const char *words);
/* As fwrite, for programs: the bytes as they are, but on a terminal each line as plain text. False:
 * not all could be written. */
bool abdb_put(FILE *out, const char *data, size_t size);
/* Does the stream end at a terminal? */
bool abdb_is_screen(FILE *out);
/* Columns of that terminal; 0: it does not end at one. */
int abdb_screen_width(FILE *out);
/* Standard output goes to a pager now, on a terminal of so many columns. */
void abdb_say_paged(int columns);
/* Prints words and ends the line; on a terminal they are folded at its width, and lines after the
 * first are indented. */
void abdb_say_folded(FILE *out, int indent, const char *text);
/* SGR codes of our own, "1" or "31", where colours may be; "0" ends them. */
void abdb_paint(FILE *out, const char *codes);

/* A remark to standard error. */
void abdb_remark(const char *format, ...) ABDB_PRINTF(1, 2);
/* The remark that a program had left processes behind, which were ended. */
void abdb_remark_escaped(void *self, const char *path, const char *processes);
/* One line of progress on standard error, only on a terminal; total 0: unknown. done < 0 clears. */
void abdb_progress(const char *what, double done, double total);

#endif
