/* normalisation_options.c - the options by which compare and rank normalise, from words to an
 * abdb_normalisation; see normalisation_options.h. */
#include "query/verbs/normalisation_options.h"

#include <string.h>

void abdb_parse_normalisation_options(const abdb_args *args, abdb_normalisation *out)
{
    *out = (abdb_normalisation){.metric = abdb_arg_value(args, "metric"),
                                .per = abdb_arg_value(args, "per"),
                                .peak = abdb_arg_value(args, "peak"),
                                .price_date = abdb_arg_value(args, "price-date"),
                                .provider = abdb_arg_value(args, "provider"),
                                .price_kind = abdb_arg_value(args, "price-kind"),
                                .tier = abdb_arg_value(args, "tier"),
                                .price = abdb_arg_value(args, "price"),
                                .price_max_age_days = abdb_arg_value(args, "price-max-age"),
                                .today = abdb_arg_value(args, "today"),
                                .marks = abdb_arg_value(args, "marks"),
                                .quality = abdb_arg_value(args, "quality")};
}

abdb_status abdb_parse_at_options(const abdb_args *args, abdb_latency_question *question,
                                  abdb_normalisation *out, abdb_error *err)
{
    const char *at = abdb_arg_value(args, "at"), *percentile = abdb_arg_value(args, "percentile"),
               *between = abdb_arg_value(args, "between");

    if (!at && (percentile || between))
        return ABDB_FAIL(err, ABDB_USAGE, "--percentile and --between are of --at: --at tpot=50ms");
    if (!at) return ABDB_OK;
    out->at = question;
    return abdb_parse_latency_question(at, percentile, between, question, err);
}

abdb_status abdb_parse_range_options(const abdb_args *args, abdb_range_question *out,
                                     abdb_error *err)
{
    const char *seed = abdb_arg_value(args, "seed");
    long long number = 1;

    *out = (abdb_range_question){.words = abdb_arg_value(args, "ranges")};
    if (seed && !abdb_integer_parse_in_range(seed, ABDB_MARK_UNKNOWN, 0, INT64_MAX, &number))
        return ABDB_FAIL(err, ABDB_USAGE, "--seed wants a whole number, not '%s'", seed);
    out->seed = (unsigned long long)number;
    return out->words ? abdb_parse_choice_ranges(out->words, &out->ranges, err) : ABDB_OK;
}

abdb_status abdb_parse_pick_option(const abdb_args *args, abdb_pick *out, abdb_error *err)
{
    static const char *const names[] = {"best", "median", "each"};
    const char *pick = abdb_arg_value(args, "pick");

    *out = ABDB_PICK_BEST;
    for (int i = 0; pick && i < 3; i++)
        if (strcmp(names[i], pick) == 0) {
            *out = (abdb_pick)i;
            return ABDB_OK;
        }
    return pick ? ABDB_FAIL(err, ABDB_USAGE, "--pick wants best, median or each, not '%s'", pick)
                : ABDB_OK;
}
