/* refused_pair.h - of two results that a rule refuses to compare: the results that would meet. */
#ifndef ABDB_COMPARE_REFUSED_PAIR_H
#define ABDB_COMPARE_REFUSED_PAIR_H

#include "query/compare/compare.h"

/* Adds for each side of a refused pair, of one device each, whether it has results with the other
 * side's benchmark, scenario and value of the factor of the rule: then they are named as a
 * selection; without them on both sides device and factor cannot be separated, and that is added.
 */
ABDB_MUST_USE abdb_status abdb_note_results_meeting_refused_pair(const abdb_comparison *c,
                                                                 const abdb_pair *pair,
                                                                 abdb_table *t, abdb_error *err);

#endif
