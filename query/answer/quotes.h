/* quotes.h - the reader's own prices: 'DEVICE=2.49 USD/h', several joined by ','. */
#ifndef ABDB_COMPARE_QUOTES_H
#define ABDB_COMPARE_QUOTES_H

#include "schema/core/text.h"

/* Takes the next quote off *rest, whose text is changed. *device NULL: there is none any more.
 * ABDB_USAGE: not of that form, or another currency (no exchange rates are kept). */
ABDB_MUST_USE abdb_status abdb_quote_next(char **rest, const char *option, char **device,
                                          double *amount, abdb_error *err);

#endif
