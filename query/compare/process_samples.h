/* process_samples.h - the processes behind one side of a pair: each counts once
 * (schema/core/trimmed_mean_test.h). */
#ifndef ABDB_COMPARE_PROCESSES_H
#define ABDB_COMPARE_PROCESSES_H

#include "query/compare/compare.h"

typedef struct {
    const char *campaign; /* the command of abdb run; "": unknown */
    long repetition;      /* of it; 0: unknown */
    const char *id;       /* the process, or a substitute */
    const char *program;  /* the factor `command`; "": unknown */
    double value;         /* logarithm of its median */
    bool in_turn;         /* of a repetition that the other side has, too:
                    abdb_processes_pair_repetition_means */
} abdb_process_value;

typedef struct {
    abdb_process_value *one; /* sorted by campaign, repetition, id; one row each of them */
    size_t count, capacity;
    size_t doubtful; /* left out: unsteady or imprecise */
    size_t commands; /* how many campaigns */
    bool sampled;    /* every result that counts has samples */
} abdb_processes;

/* The processes of a side. Results without samples: sampled is false, and there are none. A result
 * that names no process counts as one; where its factor `sample_unit` is `process` and it is of no
 * repetition, each of its samples counts as one (samples of one repetition are not independent, and
 * count once). Texts live in the comparison. */
ABDB_MUST_USE abdb_status abdb_processes_load_of_side(abdb_processes *out, abdb_comparison *c,
                                                      abdb_side side, abdb_error *err);
void abdb_processes_free(abdb_processes *p);
/* Repetitions that both sides have of the same commands, as pairs a[i], b[i] (logarithms; room for
 * the smaller count each); how many. Processes of one repetition are averaged, and marked. */
size_t abdb_processes_pair_repetition_means(abdb_processes *a, abdb_processes *b, double *x,
                                            double *y);
/* How many are of no pair. */
size_t abdb_processes_count_unpaired(const abdb_processes *p);
/* Two programs among the processes of a side, or of its pairs alone: first and second are set, and
 * it is true. */
bool abdb_processes_find_two_programs(const abdb_processes *p, bool paired_only, const char **first,
                                      const char **second);

#endif
