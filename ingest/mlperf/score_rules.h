/* score_rules.h - how many runs make the score of a training benchmark: data/rules/scores.csv. */
#ifndef ABDB_INGEST_SCORE_H
#define ABDB_INGEST_SCORE_H

typedef struct {
    int since, until; /* rounds: 1000 major + minor; until 0: still */
    const char *benchmark;
    int runs, dropped; /* runs of a folder; how many of each end are left out of the mean */
} abdb_score_rule;

/* The first rule of that benchmark that holds in that round; round NULL: in any. NULL: none. */
const abdb_score_rule *abdb_score_find_rule_of_benchmark_and_round(const char *benchmark,
                                                                   const char *round);

#endif
