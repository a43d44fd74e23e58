/* commands.c - the one command table, from commands.def: help, man page and completion come from
 * it. */
#include <string.h>

#include "query/cli/command_line.h"

/* clang-format off */
/* A heading in the help, above the options that follow. */
#define OPTION_GROUP(heading) {"", 0, NULL, heading}
/* Of every verb that writes. */
#define BUSY_OPTION \
    {"busy", 0, "SECONDS", "wait so long while another program writes (default 300)"}
/* Of every verb that answers. */
#define TIMEOUT_OPTION \
    {"timeout", 0, "SECONDS", \
     "give up after so many seconds (default 60, 0: never), or where a value takes 256 MiB or" \
     " the query 2 GiB"}
#define COLUMNS_OPTION {"columns", 0, "NAME,...", "these columns of the table, in this order"}
/* How compare and rank normalise. */
#define AT_OPTIONS \
    {"at", 0, "LIMITS", \
     "throughput within latency limits, ttft=2s,tpot=50ms, read off each curve over load"}, \
    {"quality", 0, "CONDITION", \
     "only what is known to keep it: 'accuracy>=0.99', 'perplexity<6.3'"}, \
    {"percentile", 0, "P", "of --at: of the requests, in percent, that keep them (default 99)"}, \
    {"between", 0, "linear|monotone", \
     "of --at: interpolate between measured points (default: the best of them)"}
#define RANGE_OPTIONS \
    {"ranges", 0, "RANGES", \
     "how often each is first while inputs vary: 'price=0.8..1.5,rate=0.9..1.1' (multiples of" \
     " rate, price, power, utilisation), or evidence: rates from the worst to the best result," \
     " prices from the cheapest to the dearest offer"}, \
    {"seed", 0, "N", "of the 10,000 draws of --ranges (default 1)"}
#define MEASURE_OPTIONS \
    {"where", 'w', "SELECTION", "conditions on all: column OP value, ..."}, \
    {"metric", 'm', "NAME", "the metric (default: the workload's own)"}, \
    {"per", 0, "device|node|watt|joule|dollar|peak|bandwidth|none", \
     "divide rates by what produced them (default: device, where their numbers differ)"}, \
    {"peak", 0, "published|measured|clock", "of --per peak (default published)"}, \
    {"provider", 0, "NAME", \
     "of --per dollar: only prices of this provider; of compare and why also one for each side:" \
     " OCI,Verda"}, \
    {"tier", 0, "KIND", "of --per dollar: only prices of such providers, say 'tier-1 cloud'"}, \
    {"price-kind", 0, "KIND", "of --per dollar: on-demand (default), reserved, spot; any"}, \
    {"price-date", 0, "DATE", \
     "of --per dollar: prices as they were on this day; or one for each side, as --provider"}, \
    {"price-max-age", 0, "DAYS", "of --per dollar: leave out undated and older prices, say 90d"}, \
    {"price", 0, "QUOTES", \
     "your own: 'DEVICE=2.49 USD/h' (of a node of 8: '19.92 USD/h/8'), ..."}, \
    {"today", 0, "DATE", "the day to which a price's age is counted (default: today)"}, \
    {"marks", 0, "any", "with what marks leave out (abdb query \"SELECT * FROM v_mark\")"}, \
    TIMEOUT_OPTION
/* clang-format on */

#define OPTIONS(...) __VA_ARGS__
#define VERB(name, printed, tier, synopsis, summary, takes, options, details, examples) \
    static const abdb_option name##_options[] = {options{NULL, 0, NULL, NULL}};
#include "query/cli/commands.def"
#undef VERB

const abdb_command abdb_commands[] = {
#define VERB(name, printed, tier, synopsis, summary, takes, options, details, examples) \
    {printed, tier, synopsis, summary, name##_options, takes, details, examples},
#include "query/cli/commands.def"
#undef VERB
    {NULL, ABDB_ASK, NULL, NULL, NULL, 0, NULL, NULL}};

const abdb_command *abdb_command_find(const char *name)
{
    for (const abdb_command *c = abdb_commands; c->name; c++)
        if (strcmp(c->name, name) == 0) return c;
    return NULL;
}
