/* regression_gate.h - a comparison as a gate: which of its cells hold, which do not, and which
 * could not be judged. A cell that could not be judged is reported. */
#ifndef ABDB_COMPARE_GATE_H
#define ABDB_COMPARE_GATE_H

#include <stdio.h>

#include "query/compare/compare.h"

typedef enum {
    ABDB_GATE_HOLDS,
    ABDB_GATE_FAILS,  /* its verdict is one that must not be */
    ABDB_GATE_MISSING /* no test: one side lacks it, or has too few processes that are sound */
} abdb_gate_state;

typedef struct {
    const char *kernel, *name, *message; /* of the cell; its message */
    abdb_gate_state state;
    abdb_verdict verdict; /* of a pair */
    bool unseen;          /* it holds, but a change of the size to be found would not show */
} abdb_gate_cell;

typedef struct {
    size_t count, fails, missing, unseen;
    double find; /* the change that shall be found, a fraction */
    abdb_gate_cell *cell;
    bool missing_fails;
    const char *fail_on; /* verdicts, ',' between */
    abdb_arena arena;
} abdb_gate;

/* Is it a list of verdicts? ABDB_USAGE: it names the word that is none. */
ABDB_MUST_USE abdb_status abdb_gate_refuse_unknown_verdict_names(const char *fail_on,
                                                                 abdb_error *err);
/* Each pair and each unpaired group as a cell, and one cell for each side with failed turns. A pair
 * refused by a rule is missing. */
ABDB_MUST_USE abdb_status abdb_gate_judge_pairs_and_unpaired_cells(abdb_gate *out,
                                                                   const abdb_comparison *c,
                                                                   const char *fail_on,
                                                                   bool missing_fails,
                                                                   abdb_error *err);
void abdb_gate_free(abdb_gate *gate);
/* ABDB_GATE, and which cells, where it does not hold. */
ABDB_MUST_USE abdb_status abdb_gate_fail_unless_held(const abdb_gate *gate, abdb_error *err);
/* JUnit's XML: a test case a cell. name: of the suite. */
void abdb_gate_write_junit(const abdb_gate *gate, const char *suite_name, FILE *out);
/* Workflow commands of GitHub Actions: an annotation for each cell that does not hold. */
void abdb_gate_write_github_annotations(const abdb_gate *gate, const char *suite_name, FILE *out);
/* A gate that failed before it could judge anything, as one case that is an error, in either form.
 */
void abdb_gate_write_failure(const char *name, const char *message, int exit_code, bool junit,
                             FILE *out);

#endif
