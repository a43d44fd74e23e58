/* test_notes.h - sentences below a comparison of measured results: the test, the difference that
 * these data could show, and the data needed to show more. */
#ifndef ABDB_COMPARE_TRIAL_LINES_H
#define ABDB_COMPARE_TRIAL_LINES_H

#include "query/compare/compare.h"

/* Where a contender is faster or slower: its other differences from the baseline, in revisions and
 * environment. */
ABDB_MUST_USE abdb_status abdb_note_environment_if_speed_differs(const abdb_comparison *c,
                                                                 abdb_table *t, abdb_error *err);
void abdb_note_test_method_and_power(const abdb_comparison *c, abdb_table *t);

#endif
