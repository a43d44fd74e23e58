/* process.h - processes that do not outlive the one that started them. */
#ifndef ABDB_CORE_PROCESS_H
#define ABDB_CORE_PROCESS_H

#include <sys/types.h>

/* In a child, just after fork: a group of its own, and SIGKILL when its parent ends, however that
 * ends. `parent`: getpid() before the fork. */
void abdb_process_begin(pid_t parent);
/* Starts a process that waits for the end of this one and then kills the group, which may have
 * members that the rule above does not reach. Returns its number; 0: it could not be started. */
pid_t abdb_process_guard(pid_t group);
/* Ends such a guard; 0 is none. */
void abdb_process_unguard(pid_t guard);

#endif
