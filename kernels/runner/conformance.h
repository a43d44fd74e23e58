/* conformance.h - does a program keep the protocol, kernels/harness/protocol.md? Each of its rules
 * is tried: what the runner refuses (cell_validation.h), and what it lets pass but nobody should
 * do. */
#ifndef ABDB_KERNELS_CONFORM_H
#define ABDB_KERNELS_CONFORM_H

#include "kernels/runner/runner.h"

typedef enum { ABDB_CLAUSE_UNTRIED, ABDB_CLAUSE_HELD, ABDB_CLAUSE_BROKEN } abdb_protocol_rule_state;
typedef struct {
    const char *number, *what;
    abdb_protocol_rule_state state;
    char why[400]; /* the first time that it was broken, or why it could not be tried */
} abdb_protocol_rule;
enum {
#define RULE(number, what) +1
    ABDB_CLAUSES = 0
#include "kernels/runner/conformance.def"
#undef RULE
};

typedef struct {
    const abdb_run_options *run; /* path, argument, threads, stop; what else it has is not asked */
    const abdb_plan *cells;      /* of each kernel, tried in order until one is measured */
    const char *kernel;          /* only this one of those that it lists; NULL: all */
    double wait_s;               /* of silence: then it is taken for dead */
} abdb_conformance;

/* Tries all rules, some starts of the program. ABDB_BACKEND: it cannot be started; ABDB_NOMEM;
 * ABDB_STOPPED. */
ABDB_MUST_USE abdb_status abdb_test_protocol_conformance(const abdb_conformance *how,
                                                         abdb_protocol_rule rule[ABDB_CLAUSES],
                                                         abdb_error *err);

#endif
