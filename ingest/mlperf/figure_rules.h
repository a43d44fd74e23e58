/* figure_rules.h - rules for the official figure in LoadGen's log: data/rules/figures.csv, as in
 * the submission checker of each round. round_inference.c reads the rules one after another and
 * takes the first whose figure the log has; mlperf_row.c checks whether a result counts tokens. */
#ifndef ABDB_INGEST_FIGURE_H
#define ABDB_INGEST_FIGURE_H

#include <stdbool.h>
#include <stddef.h>

typedef struct {
    int since, until;           /* rounds: 1000 major + minor; until 0: still */
    const char *suite;          /* the suite of the rule: "inference" */
    const char *model;          /* "*" at the end: all names with this beginning */
    const char *scenario, *ran; /* ran: LoadGen's scenario where the result was inferred, else "" */
    bool tokens;                /* only where LoadGen counted tokens */
    const char *figure, *unit;  /* name in the detail log; the checkers' name of its unit */
    double times;               /* the result is so many times the figure */
} abdb_figure_rule;

/* The result whose rule is wanted. suite NULL: inference. round NULL: unknown, any fits. ran: the
 * scenario that LoadGen ran; NULL: `scenario`. */
typedef struct {
    const char *suite, *round, *model, *scenario, *ran;
    bool tokens; /* LoadGen counted tokens */
} abdb_figure_request;

/* The next fitting rule from *next_position on, the most special first; moves it. NULL: none. */
const abdb_figure_rule *abdb_figure_next_matching_rule(const abdb_figure_request *request,
                                                       size_t *next_position);
/* Has the suite any rule? One without has no official figure. */
bool abdb_figure_suite_has_rules(const char *suite);
/* "v5.1" -> 5001; 0: none. */
int abdb_round_name_to_1000_major_plus_minor(const char *round);
/* Are two names of a scenario the same: "Single Stream", "singlestream"? NULL is none. */
bool abdb_scenario_names_equal_loosely(const char *a, const char *b);
/* Is the official result in tokens? With an unknown round and differing rounds: request->tokens. */
bool abdb_figure_official_unit_is_tokens_per_s(const abdb_figure_request *request);

#endif
