/* measure.c - the options by which compare and rank normalise, from words to an abdb_measure; see
 * measure.h. */
#include "query/program/measure.h"

#include <string.h>

void abdb_measure_options(const abdb_args *args, abdb_measure *out)
{
    *out = (abdb_measure){.metric = abdb_arg(args, "metric"),
                          .per = abdb_arg(args, "per"),
                          .peak = abdb_arg(args, "peak"),
                          .price_date = abdb_arg(args, "price-date"),
                          .provider = abdb_arg(args, "provider"),
                          .price_kind = abdb_arg(args, "price-kind"),
                          .price = abdb_arg(args, "price"),
                          .price_max_age_days = abdb_arg(args, "price-max-age"),
                          .today = abdb_arg(args, "today")};
}

abdb_status abdb_pick_option(const abdb_args *args, abdb_pick *out, abdb_error *err)
{
    static const char *const names[] = {"best", "median", "each"};
    const char *pick = abdb_arg(args, "pick");

    *out = ABDB_PICK_BEST;
    for (int i = 0; pick && i < 3; i++)
        if (strcmp(names[i], pick) == 0) {
            *out = (abdb_pick)i;
            return ABDB_OK;
        }
    return pick ? ABDB_FAIL(err, ABDB_USAGE, "--pick wants best, median or each, not '%s'", pick)
                : ABDB_OK;
}
