/* price_quote.c - the reader's own prices; see price_quote.h. */
#include "query/answer/price_quote.h"

#include <string.h>

enum { DEVICES_MAX = 1000000 };

abdb_status abdb_parse_next_price_quote(char **rest, const char *option, abdb_quote *out,
                                        abdb_error *err)
{
    static const char usd[] = " USD/h";
    char *item = strsep(rest, ","), *number = item ? strchr(item, '=') : NULL;
    char *unit = number ? strstr(number, usd) : NULL;
    const char *count = unit ? unit + sizeof usd - 1 : "";
    long long devices = 1;
    bool good = unit && (!*count ||
                         (*count == '/' && abdb_integer_parse_in_range(count + 1, ABDB_MARK_UNKNOWN,
                                                                       1, DEVICES_MAX, &devices)));

    *out = (abdb_quote){.is_counted = *count == '/'};
    if (!item) return ABDB_OK;
    /* Cuts "DEVICE=2.49 USD/h" into three texts; put back where the number is none. */
    if (good) *unit = *number++ = '\0';
    if (!good || !abdb_double_parse(abdb_trim_in_place(number), ABDB_MARK_UNKNOWN, &out->amount) ||
        out->amount <= 0) {
        if (good) { /* for the message */
            *unit = ' ';
            number[-1] = '=';
        }
        return ABDB_FAIL(err, ABDB_USAGE,
                         "--%s wants 'DEVICE=AMOUNT USD/h' for each (for N devices together"
                         " 'AMOUNT USD/h/N'; no exchange rates are kept), not '%s'",
                         option, item);
    }
    out->devices = (double)devices;
    out->amount /= out->devices;
    out->device = abdb_trim_in_place(item);
    return ABDB_OK;
}
