/* price_quote.c - the reader's own prices; see price_quote.h. */
#include "query/answer/price_quote.h"

#include <string.h>
#include <strings.h>

#include "schema/core/fixed_text.h"

enum { DEVICES_MAX = 1000000 };

/* Parses the text behind the amount: "", " USD/h", "/h", " USD/hr/8", in either case. *devices: the
 * number behind the last '/', else 1. */
static bool parse_quote_unit_and_device_count(const char *text, bool has_dollar_sign,
                                              bool *gives_device_count, long long *devices)
{
    static const char *const hours[] = {"/hour", "/hr", "/h"};
    size_t i = 0;

    text += strspn(text, " ");
    if (strncasecmp(text, "USD", 3) == 0)
        text += 3;
    else if (*text && !has_dollar_sign)
        return false;
    while (i < 3 && strncasecmp(text, hours[i], strlen(hours[i])) != 0) i++;
    if (i == 3) return !*text;
    text += strlen(hours[i]);
    *gives_device_count = *text == '/';
    return !*text ||
           (*gives_device_count &&
            abdb_integer_parse_in_range(text + 1, ABDB_MARK_UNKNOWN, 1, DEVICES_MAX, devices));
}

abdb_status abdb_parse_next_price_quote_per_device(char **rest, const char *option, abdb_quote *out,
                                                   abdb_error *err)
{
    char *item = strsep(rest, ","), *equals = item ? strchr(item, '=') : NULL;
    const char *amount = equals ? equals + 1 + strspn(equals + 1, " ") : "";
    bool dollars = *amount == '$';
    char number[64];
    long long devices = 1;

    *out = (abdb_quote){0};
    if (!item) return ABDB_OK;
    amount += dollars;
    if (!equals ||
        !abdb_format_if_fits(number, sizeof number, "%.*s", (int)strcspn(amount, " /uU"), amount) ||
        !abdb_double_parse(number, ABDB_MARK_UNKNOWN, &out->amount) || out->amount <= 0 ||
        !parse_quote_unit_and_device_count(amount + strlen(number), dollars, &out->is_counted,
                                           &devices))
        return ABDB_FAIL(err, ABDB_USAGE,
                         "--%s wants 'DEVICE=AMOUNT USD/h' for each (for N devices together"
                         " 'AMOUNT USD/h/N'; USD alone), not '%s'",
                         option, item);
    *equals = '\0';
    out->devices = (double)devices;
    out->amount /= out->devices;
    out->device = abdb_trim_in_place(item);
    return ABDB_OK;
}
