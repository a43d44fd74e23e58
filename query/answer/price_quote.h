/* price_quote.h - the reader's own prices: 'DEVICE=2.49 USD/h', several joined by ','; also '2.49',
 * '$2.49' and '$2.49/h'. A price of 8 devices together is 'DEVICE=19.92 USD/h/8'. */
#ifndef ABDB_QUERY_QUOTES_H
#define ABDB_QUERY_QUOTES_H

#include "schema/core/text.h"

typedef struct {
    char *device;    /* as written; NULL: there is none any more */
    double amount;   /* USD for one device and hour */
    bool is_counted; /* the quote has a number of devices: /1, /8 */
    double devices;  /* this number; 1 where it has none */
} abdb_quote;

/* Takes the next quote off *rest, whose text is changed. ABDB_USAGE: not of that form, or another
 * currency (a quote is in USD). */
ABDB_MUST_USE abdb_status abdb_parse_next_price_quote_per_device(char **rest, const char *option,
                                                                 abdb_quote *out, abdb_error *err);

#endif
