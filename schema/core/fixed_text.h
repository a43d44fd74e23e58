/* fixed_text.h - formatted text in a buffer of fixed size, for words of a user: too long words are
 * refused, never cut. */
#ifndef ABDB_CORE_FIXED_TEXT_H
#define ABDB_CORE_FIXED_TEXT_H

#include <stddef.h>

#include "schema/core/error.h"

/* snprintf into room bytes. False: it did not fit, and out holds its beginning. */
ABDB_MUST_USE bool abdb_format_if_fits(char *out, size_t room, const char *format, ...)
    ABDB_PRINTF(3, 4);

#endif
