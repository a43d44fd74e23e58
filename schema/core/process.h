/* process.h - processes that do not outlive the one that started them. */
#ifndef ABDB_CORE_PROCESS_H
#define ABDB_CORE_PROCESS_H

#include <stdbool.h>
#include <sys/types.h>

/* In a child, just after fork: a group of its own, and SIGKILL when its parent ends, however that
 * ends. `parent`: getpid() before the fork. */
void abdb_process_begin(pid_t parent);
/* Starts a process that waits for the end of this one and then kills the group, which may have
 * members that the rule above does not reach. Returns its number; 0: it could not be started. */
pid_t abdb_process_guard(pid_t group);
/* Waits for a child, at most wait_s, and where stop is given until *stop is above 1; true when it
 * has ended. It is not reaped. */
bool abdb_process_ended(pid_t pid, double wait_s, const volatile int *stop);
/* Kills what is left of a child's group, reaps it and ends its guard (0: none). Its wait status. */
int abdb_process_finish(pid_t pid, pid_t guard);

#endif
