/* figure.c - which figure of LoadGen's log is the official one: the rules of
 * data/rules/figures.csv, which the build embeds, searched in their order; see figure.h. */
#include "ingest/mlperf/figure.h"

#include <ctype.h>
#include <pthread.h>
#include <string.h>

#include "ingest/read/csv.h"
#include "schema/core/embedded.h"

extern const abdb_embedded abdb_figure_rules[];

enum { RULES_MAX = 256 };

/* Parsed once, on first use (pthread_once), and only read afterwards. */
static abdb_figure_rule rule[RULES_MAX];
static size_t rules;
static abdb_arena kept; /* their texts, as long as the program runs */
static pthread_once_t once = PTHREAD_ONCE_INIT;

int abdb_figure_round(const char *round)
{
    const char *minor;
    unsigned long long major = 0;

    if (!round || *round != 'v' || !isdigit((unsigned char)round[1])) return 0;
    minor = round + 1 + abdb_digits_parse_prefix(round + 1, 10, &major);
    if (major > 999) return 0;
    return (int)(1000 * major) + (*minor == '.' ? (int)abdb_digits_parse_or(minor + 1, 999, 0) : 0);
}

static const char *keep(const abdb_csv_row *row, const abdb_csv_header *header, const char *name)
{
    const char *text = abdb_csv_get(row, abdb_csv_column(header, name));

    return text ? abdb_arena_copy(&kept, text, strlen(text)) : "";
}

static abdb_status on_row(void *self, const abdb_csv_row *row, abdb_error *err)
{
    abdb_csv_header *header = self;
    abdb_figure_rule *r = &rule[rules];

    if (!header->count) return abdb_csv_header_take(header, row, err);
    if (rules == RULES_MAX) return ABDB_FAIL(err, ABDB_LIMIT, "more than %d rules", RULES_MAX);
    *r = (abdb_figure_rule){.since = abdb_figure_round(keep(row, header, "since")),
                            .until = abdb_figure_round(keep(row, header, "until")),
                            .model = keep(row, header, "model"),
                            .scenario = keep(row, header, "scenario"),
                            .ran = keep(row, header, "ran"),
                            .tokens = *keep(row, header, "counted") != '\0',
                            .figure = keep(row, header, "figure"),
                            .unit = keep(row, header, "raw_unit")};
    if (!r->model || !r->scenario || !r->ran || !r->figure || !r->unit)
        return ABDB_FAIL(err, ABDB_NOMEM, "rules");
    r->times = abdb_double_parse_or(keep(row, header, "times"), 0);
    rules++;
    return ABDB_OK;
}

/* The rules of this build; a file that does not parse is a fault of the build, and a test finds it.
 */
static void open_rules(void)
{
    const char *text = abdb_figure_rules[0].text;
    abdb_csv_header header = {0};
    abdb_error err;

    (void)!abdb_csv_read(text, strlen(text), ',', on_row, &header, &err);
    abdb_csv_header_free(&header);
}

bool abdb_scenario_same(const char *a, const char *b)
{
    if (!a || !b) return false;
    for (;;) {
        while (*a == ' ' || *a == '-' || *a == '_') a++;
        while (*b == ' ' || *b == '-' || *b == '_') b++;
        if (tolower((unsigned char)*a) != tolower((unsigned char)*b)) return false;
        if (!*a) return true;
        a++;
        b++;
    }
}

static bool fits(const abdb_figure_rule *r, const abdb_figure_ask *ask)
{
    int round = abdb_figure_round(ask->round);
    size_t stem = strcspn(r->model, "*");
    const char *scenario = ask->scenario;
    bool same = !ask->ran || abdb_scenario_same(ask->ran, scenario);

    if (abdb_scenario_same(scenario, "Interactive") &&
        (!ask->ran || abdb_scenario_same(ask->ran, "Server"))) { /* LoadGen knows it as Server */
        scenario = "Server";
        same = true;
    }
    if (round && (round < r->since || (r->until && round > r->until))) return false;
    /* Without a "*" the names must be equal, with it only up to it. */
    if (strncmp(ask->model ? ask->model : "", r->model, stem) != 0) return false;
    if (!r->model[stem] && ask->model && ask->model[stem]) return false;
    if (!abdb_scenario_same(scenario, r->scenario) || (r->tokens && !ask->tokens)) return false;
    /* A rule with `ran` is for an inferred result: it fits only where LoadGen ran just that
     * scenario. */
    return same ? !*r->ran : abdb_scenario_same(ask->ran, r->ran);
}

const abdb_figure_rule *abdb_figure_next(const abdb_figure_ask *ask, size_t *at)
{
    /* round unknown: what stands before what ended */
    int turns = abdb_figure_round(ask->round) ? 1 : 2;

    (void)pthread_once(&once, open_rules);
    /* With a round one pass over the rules. Without, two: first the rules that still hold, then
     * those that have ended; *at counts through both. */
    while (*at < rules * (size_t)turns) {
        const abdb_figure_rule *r = &rule[*at % rules];
        bool ended = *at >= rules;

        ++*at;
        if (fits(r, ask) && (turns == 1 || ended == (r->until != 0))) return r;
    }
    return NULL;
}

bool abdb_figure_in_tokens(const abdb_figure_ask *ask)
{
    size_t at = 0;
    const abdb_figure_rule *first = abdb_figure_next(ask, &at), *other;
    bool tokens = first && strcmp(first->unit, "Tokens/s") == 0;

    if (!tokens || ask->round) return tokens;
    while ((other = abdb_figure_next(ask, &at)))
        if (strcmp(other->model, first->model) == 0 && strcmp(other->unit, first->unit) != 0)
            return ask->tokens; /* rounds of the benchmark differ */
    return true;
}
