/* sanitize_text.h - text of others made plain: it can neither command a terminal nor look like
 * another text.
 *
 * White space becomes a blank, so that no text of others begins a line. Control characters (C0 and
 * C1) and invisible ones (marks of direction, joiners, tags, fillers: default-ignorable in Unicode)
 * are written as in JSON: \u001b, \u202e. A byte that is not UTF-8
 * is \x9b; an unfinished character at the end, which a cut left, is dropped. Plain text stays as it
 * is.
 */
#ifndef ABDB_CORE_PLAIN_H
#define ABDB_CORE_PLAIN_H

#include <stdarg.h>

#include "schema/core/error.h"
#include "schema/core/text.h"

enum { ABDB_PLAIN_SIZE = 16 };

/* The next character of *text in its plain form; false: there is no more. */
bool abdb_sanitize_next_char(const char **text, char out[ABDB_PLAIN_SIZE]);
/* As many whole characters as there is room for; false: not all of them. */
bool abdb_sanitize_into_buffer(const char *text, char *out, size_t room);
void abdb_text_append_sanitized(abdb_text *out, const char *text);
/* As vprintf, but each %s and %c is made plain, and %-9s counts columns. Knows d, i, u, x, c, s, e,
 * f and g, with the lengths l, ll and z. */
void abdb_text_vprintf_sanitized(abdb_text *out, const char *format, va_list args);
/* Checks that `size` bytes of text can be a name, a tag or another word: UTF-8 without line breaks,
 * controls and marks of direction, of at most `most` bytes. ABDB_USAGE: `what` is its name. */
ABDB_MUST_USE abdb_status abdb_check_name_is_short_printable_utf8(const char *what,
                                                                  const char *text, size_t size,
                                                                  size_t most, abdb_error *err);
/* Columns of a terminal that the plain form of a text takes (combining marks 0, all else 1). */
int abdb_display_width(const char *text);

#endif
