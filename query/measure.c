/* measure.c - the options by which compare and rank normalise; see measure.h. */
#include "query/measure.h"

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
