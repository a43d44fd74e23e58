/* figure_rules.h - which figure of LoadGen's log is the official one: data/rules/figures.csv, as
 * the submission checker of each round has it. round_inference.c asks for the rules one after
 * another and takes the first whose figure the log has; mlperf_row.c asks whether a result counts
 * tokens. */
#ifndef ABDB_INGEST_FIGURE_H
#define ABDB_INGEST_FIGURE_H

#include <stdbool.h>
#include <stddef.h>

typedef struct {
    int since, until;           /* rounds: 1000 major + minor; until 0: still */
    const char *suite;          /* whose rule it is: "inference" */
    const char *model;          /* "*" behind it: what begins so */
    const char *scenario, *ran; /* ran: what LoadGen ran where the result was inferred, else "" */
    bool tokens;                /* only where LoadGen counted tokens */
    const char *figure, *unit;  /* name in the detail log; how checkers call its unit */
    double times;               /* the result is so many times the figure */
} abdb_figure_rule;

/* What is asked for. suite NULL: inference. round NULL: unknown, any fits. ran: what LoadGen ran;
 * NULL: the scenario. */
typedef struct {
    const char *suite, *round, *model, *scenario, *ran;
    bool tokens; /* LoadGen counted tokens */
} abdb_figure_request;

/* The next rule from *at on that fits, the most special first; *at moves behind it. NULL: none. */
const abdb_figure_rule *abdb_figure_next_matching_rule(const abdb_figure_request *request,
                                                       size_t *next_position);
/* Has the suite any rule? One without has no official figure. */
bool abdb_figure_suite_has_rules(const char *suite);
/* "v5.1" -> 5001; 0: none. */
int abdb_round_name_to_1000_major_plus_minor(const char *round);
/* Are two names of a scenario the same: "Single Stream", "singlestream"? NULL is none. */
bool abdb_scenario_names_equal_loosely(const char *a, const char *b);
/* Is the official result in tokens? Where the round is unknown and rounds differ, ask->tokens. */
bool abdb_figure_official_unit_is_tokens_per_s(const abdb_figure_request *request);

#endif
