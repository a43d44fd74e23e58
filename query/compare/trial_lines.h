/* trial_lines.h - sentences below a comparison of what was measured: how it was tested, what these
 * data could show, and what would show more. */
#ifndef ABDB_COMPARE_TRIAL_LINES_H
#define ABDB_COMPARE_TRIAL_LINES_H

#include "query/compare/compare.h"

void abdb_trial_lines(const abdb_comparison *c, abdb_table *t);

#endif
