/* quotes.c - the reader's own prices; see quotes.h. */
#include "query/answer/quotes.h"

#include <string.h>

abdb_status abdb_quote_next(char **rest, const char *option, char **device, double *amount,
                            abdb_error *err)
{
    char *item = strsep(rest, ","), *number = item ? strchr(item, '=') : NULL;
    char *unit = number ? strstr(number, " USD/h") : NULL;

    *device = NULL;
    if (!item) return ABDB_OK;
    if (unit && !unit[6]) *unit = *number++ = '\0';
    if (!unit || unit[6] || !abdb_number(abdb_trim(number), amount) || *amount <= 0)
        return ABDB_FAIL(err, ABDB_USAGE,
                         "--%s wants 'DEVICE=AMOUNT USD/h' for each (no exchange rates are kept),"
                         " not '%s'",
                         option, item);
    *device = abdb_trim(item);
    return ABDB_OK;
}
