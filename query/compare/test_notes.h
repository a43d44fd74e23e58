/* test_notes.h - sentences below a comparison of what was measured: how it was tested, what these
 * data could show, and what would show more. */
#ifndef ABDB_COMPARE_TRIAL_LINES_H
#define ABDB_COMPARE_TRIAL_LINES_H

#include "query/compare/compare.h"

/* Where a contender is faster or slower: what else differs from the baseline, of revisions and of
 * the environment. */
ABDB_MUST_USE abdb_status abdb_note_environment_if_speed_differs(const abdb_comparison *c,
                                                                 abdb_table *t, abdb_error *err);
void abdb_note_test_method_and_power(const abdb_comparison *c, abdb_table *t);

#endif
