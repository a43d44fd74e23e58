/* deadline.h - how long a verb may take until its answer is there; printing it takes as long as its
 * reader likes.
 *
 * SQLite's progress handler and long loops ask abdb_deadline_has_passed() and fail in an orderly
 * way. What asks nobody - one long step of a function, a pipe that nobody writes to - is ended with
 * the whole program a second later, by SIGALRM: a verb that answers holds nothing that this could
 * harm, files appear whole or not at all (outfile.h), and a gnuplot or backend that still runs ends
 * with it (child_process.h). Without a deadline, as in the extension, nothing is over.
 */
#ifndef ABDB_QUERY_DEADLINE_H
#define ABDB_QUERY_DEADLINE_H

#include <stdbool.h>

#include "schema/core/error.h"

enum { ABDB_TIMEOUT_S = 60 }; /* unless --timeout says otherwise */

/* So many seconds from now; 0: as many as it takes. */
void abdb_deadline_begin_and_arm_alarm(double seconds);
/* The same before options are parsed: as --timeout among the words says, else ABDB_TIMEOUT_S. */
void abdb_deadline_begin_from_argv_or_default(int argc, char *const *argv);
/* The answer is there: nothing is over any more. */
void abdb_deadline_cancel(void);
bool abdb_deadline_has_passed(void);
/* Seconds until it is over; INFINITY where there is no deadline. */
double abdb_deadline_seconds_left(void);
/* ABDB_LIMIT, with what to do. */
abdb_status abdb_deadline_fail_with_time_out(abdb_error *err);

#endif
