/* time_budget.h - the seconds that a run may take: then the sample at hand ends, and no other cell
 * begins. */
#ifndef ABDB_QUERY_TIME_BUDGET_H
#define ABDB_QUERY_TIME_BUDGET_H

#include <stdbool.h>

enum { ABDB_BUDGET_MOST_S = 30 * 86400 };

/* Sets *stop to 1 after so many seconds, unless it is set before. One at a time. */
void abdb_time_budget_start(double seconds, volatile int *stop);
/* Ends the count. Was it the time that set *stop? */
bool abdb_time_budget_end_was_exceeded(void);

#endif
