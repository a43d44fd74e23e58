/* deadline.h - how long a verb may take until its answer is there; printing it takes as long as its
 * reader likes.
 *
 * SQLite's progress handler and long loops call abdb_deadline_has_passed() and fail in an orderly
 * way. Code without this call (one long step of a function, a read of an idle pipe) is ended by
 * SIGALRM a second later, with the whole program: this harms nothing that a reading verb holds,
 * files appear whole or not at all (outfile.h), and a gnuplot or backend that still runs ends
 * with it (child_process.h). Without a deadline, as in the extension, no time limit applies.
 */
#ifndef ABDB_QUERY_DEADLINE_H
#define ABDB_QUERY_DEADLINE_H

#include <stdbool.h>

#include "schema/core/error.h"

enum { ABDB_TIMEOUT_S = 60 }; /* unless --timeout gives another number */

/* So many seconds from now; 0: as many as it takes. */
void abdb_deadline_begin_and_arm_alarm(double seconds);
/* The same before options are parsed: the value of --timeout in argv, else ABDB_TIMEOUT_S. */
void abdb_deadline_begin_from_argv_or_default(int argc, char *const *argv);
/* The answer is complete: the time limit no longer applies. */
void abdb_deadline_cancel(void);
bool abdb_deadline_has_passed(void);
/* Seconds until the deadline; INFINITY where there is none. */
double abdb_deadline_seconds_left(void);
/* Fails with ABDB_LIMIT and the remedy. */
abdb_status abdb_deadline_fail_with_time_out(abdb_error *err);

#endif
