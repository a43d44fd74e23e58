/* latency_question.c - the limits, percentile and method of --at as people write them; see
 * latency_answer.h. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "query/compare/latency_answer.h"

/* Reads one "tpot=50ms" into its limit. */
static abdb_status parse_one_limit(char *word, abdb_latency_limits *out, abdb_error *err)
{
    const struct {
        const char *name;
        double *limit;
    } names[] = {{"ttft", &out->ttft_s}, {"tpot", &out->tpot_s}, {"latency", &out->latency_s}};
    char *equals = strchr(word, '=');

    if (equals) *equals = '\0';
    for (size_t i = 0; equals && i < sizeof names / sizeof names[0]; i++)
        if (strcmp(abdb_trim_in_place(word), names[i].name) == 0)
            return abdb_parse_latency_limit_option(names[i].name, abdb_trim_in_place(equals + 1),
                                                   names[i].limit, err);
    return ABDB_FAIL(err, ABDB_USAGE,
                     "--at wants limits such as ttft=2s,tpot=50ms (ttft, tpot, latency), not '%s'",
                     word);
}

abdb_status abdb_parse_latency_question(const char *at, const char *percentile, const char *between,
                                        abdb_latency_question *out, abdb_error *err)
{
    static const char *const methods[] = {"step", "linear", "monotone"};
    char *copy = strdup(at), *rest = copy, *word;
    size_t method = 0;
    abdb_status st = ABDB_OK;

    *out = (abdb_latency_question){
        .limits = {.ttft_s = NAN, .tpot_s = NAN, .latency_s = NAN, .percentile = 99}};
    if (!copy) TRY(ABDB_FAIL(err, ABDB_NOMEM, "--at"));
    while ((word = strsep(&rest, ","))) TRY(parse_one_limit(word, &out->limits, err));
    if (percentile && (!abdb_double_parse(percentile, ABDB_MARK_UNKNOWN, &out->limits.percentile) ||
                       !(out->limits.percentile > 0 && out->limits.percentile < 100)))
        TRY(ABDB_FAIL(err, ABDB_USAGE,
                      "--percentile is one of the requests that keep the limit, such as 50, 90 or"
                      " 99, not '%s'; a mean is none",
                      percentile));
    while (between && method < 3 && strcmp(between, methods[method]) != 0) method++;
    if (method == 3)
        TRY(ABDB_FAIL(err, ABDB_USAGE, "--between wants linear, monotone or step, not '%s'",
                      between));
    out->method = (abdb_curve_method)method;
done:
    free(copy);
    return st;
}
