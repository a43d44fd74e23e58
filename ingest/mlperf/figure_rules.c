/* figure_rules.c - which figure of LoadGen's log is the official one: the rules of
 * data/rules/figures.csv, which the build embeds, searched in their order; see figure.h. */
#include "ingest/mlperf/figure_rules.h"

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

int abdb_round_name_to_1000_major_plus_minor(const char *round)
{
    const char *minor;
    unsigned long long major = 0;

    if (!round || *round != 'v' || !isdigit((unsigned char)round[1])) return 0;
    minor = round + 1 + abdb_digits_parse_prefix(round + 1, 10, &major);
    if (major > 999) return 0;
    return (int)(1000 * major) +
           (*minor == '.' ? (int)abdb_digits_parse_prefix_up_to_max_or(minor + 1, 999, 0) : 0);
}

static const char *copy_figure_rule_cell_or_empty(const abdb_csv_row *row,
                                                  const abdb_csv_header *header, const char *name)
{
    const char *text = abdb_csv_cell_or_null(row, abdb_csv_find_column_of_any_name(header, name));

    return text ? abdb_arena_copy(&kept, text, strlen(text)) : "";
}

/* "automotive:ssd" -> "automotive", and *model moves behind the colon; no suite is inference. */
static const char *split_suite_off_model_or_inference(const char **model)
{
    const char *colon = *model ? strchr(*model, ':') : NULL, *suite;

    if (!colon) return "inference";
    suite = abdb_arena_copy(&kept, *model, (size_t)(colon - *model));
    *model = colon + 1;
    return suite;
}

/* Takes the first row of figures.csv as its header, and appends each later one to the table `rule`.
 * ABDB_LIMIT: more than RULES_MAX. */
static abdb_status store_header_or_append_figure_rule(void *self, const abdb_csv_row *row,
                                                      abdb_error *err)
{
    abdb_csv_header *header = self;
    abdb_figure_rule *r = &rule[rules];

    if (!header->count) return abdb_csv_header_replace_by_row(header, row, err);
    if (rules == RULES_MAX) return ABDB_FAIL(err, ABDB_LIMIT, "more than %d rules", RULES_MAX);
    *r = (abdb_figure_rule){.since = abdb_round_name_to_1000_major_plus_minor(
                                copy_figure_rule_cell_or_empty(row, header, "since")),
                            .until = abdb_round_name_to_1000_major_plus_minor(
                                copy_figure_rule_cell_or_empty(row, header, "until")),
                            .model = copy_figure_rule_cell_or_empty(row, header, "model"),
                            .scenario = copy_figure_rule_cell_or_empty(row, header, "scenario"),
                            .ran = copy_figure_rule_cell_or_empty(row, header, "ran"),
                            .tokens =
                                *copy_figure_rule_cell_or_empty(row, header, "counted") != '\0',
                            .figure = copy_figure_rule_cell_or_empty(row, header, "figure"),
                            .unit = copy_figure_rule_cell_or_empty(row, header, "raw_unit")};
    r->suite = split_suite_off_model_or_inference(&r->model);
    if (!r->suite || !r->model || !r->scenario || !r->ran || !r->figure || !r->unit)
        return ABDB_FAIL(err, ABDB_NOMEM, "rules");
    r->times = abdb_double_parse_prefix_or(copy_figure_rule_cell_or_empty(row, header, "times"), 0);
    rules++;
    return ABDB_OK;
}

/* The rules of this build; a file that does not parse is a fault of the build, and a test finds it.
 */
static void parse_embedded_figure_rules(void)
{
    const char *text = abdb_figure_rules[0].text;
    abdb_csv_header header = {0};
    abdb_error err;

    (void)!abdb_csv_parse_rows_to_handler(text, strlen(text), ',',
                                          store_header_or_append_figure_rule, &header, &err);
    abdb_csv_header_free(&header);
}

bool abdb_scenario_names_equal_loosely(const char *a, const char *b)
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

/* Does a rule fit a result's suite, round, model and scenario, and LoadGen's scenario and unit?
 * Without a round, rules of all rounds fit; "Interactive" has the rules of Server. */
static bool figure_rule_applies(const abdb_figure_rule *r, const abdb_figure_request *ask)
{
    int round = abdb_round_name_to_1000_major_plus_minor(ask->round);
    size_t stem = strcspn(r->model, "*");
    const char *scenario = ask->scenario;
    bool same = !ask->ran || abdb_scenario_names_equal_loosely(ask->ran, scenario);

    if (abdb_scenario_names_equal_loosely(scenario, "Interactive") &&
        (!ask->ran ||
         abdb_scenario_names_equal_loosely(ask->ran, "Server"))) { /* LoadGen's name is Server */
        scenario = "Server";
        same = true;
    }
    if (strcmp(r->suite, ask->suite ? ask->suite : "inference") != 0) return false;
    if (round && (round < r->since || (r->until && round > r->until))) return false;
    /* Without a "*" the names must be equal, with it only up to it. */
    if (strncmp(ask->model ? ask->model : "", r->model, stem) != 0) return false;
    if (!r->model[stem] && ask->model && ask->model[stem]) return false;
    if (!abdb_scenario_names_equal_loosely(scenario, r->scenario) || (r->tokens && !ask->tokens))
        return false;
    /* A rule with `ran` is for an inferred result: it fits only where LoadGen ran just that
     * scenario. */
    return same ? !*r->ran : abdb_scenario_names_equal_loosely(ask->ran, r->ran);
}

bool abdb_figure_suite_has_rules(const char *suite)
{
    (void)pthread_once(&once, parse_embedded_figure_rules);
    for (size_t i = 0; i < rules; i++)
        if (strcmp(rule[i].suite, suite) == 0) return true;
    return false;
}

const abdb_figure_rule *abdb_figure_next_matching_rule(const abdb_figure_request *request,
                                                       size_t *next_position)
{
    /* round unknown: current rules before ended ones */
    int turns = abdb_round_name_to_1000_major_plus_minor(request->round) ? 1 : 2;

    (void)pthread_once(&once, parse_embedded_figure_rules);
    /* With a round one pass over the rules. Without, two: first the rules that still hold, then
     * ended ones; *next_position counts through both. */
    while (*next_position < rules * (size_t)turns) {
        const abdb_figure_rule *r = &rule[*next_position % rules];
        bool ended = *next_position >= rules;

        ++*next_position;
        if (figure_rule_applies(r, request) && (turns == 1 || ended == (r->until != 0))) return r;
    }
    return NULL;
}

bool abdb_figure_official_unit_is_tokens_per_s(const abdb_figure_request *request)
{
    size_t at = 0;
    const abdb_figure_rule *first = abdb_figure_next_matching_rule(request, &at), *other;
    bool tokens = first && strcmp(first->unit, "Tokens/s") == 0;

    if (!tokens || request->round) return tokens;
    while ((other = abdb_figure_next_matching_rule(request, &at)))
        if (strcmp(other->model, first->model) == 0 && strcmp(other->unit, first->unit) != 0)
            return request->tokens; /* rounds of the benchmark differ */
    return true;
}
