/* fixed_text.c - formatted text in a buffer of fixed size; see fixed_text.h. */
#include "schema/core/fixed_text.h"

#include <stdarg.h>
#include <stdio.h>

bool abdb_format_if_fits(char *out, size_t room, const char *format, ...)
{
    va_list args;
    int size;

    va_start(args, format);
    size = vsnprintf(out, room, format, args);
    va_end(args);
    return size >= 0 && (size_t)size < room;
}
