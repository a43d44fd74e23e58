/* orphans.h - processes that a program leaves behind, in whatever group or session: the nearest
 * process above them that adopts orphans becomes their parent, finds them and ends them. */
#ifndef ABDB_CORE_ORPHANS_H
#define ABDB_CORE_ORPHANS_H

#include <stdbool.h>
#include <sys/types.h>

enum { ABDB_ESCAPED_SIZE = 256 };

/* Makes this process the parent of every process below it whose own parent ends. */
void abdb_become_child_subreaper(void);
/* Kills the children of this process and the orphans that they leave to it, and reaps them, for at
 * most wait_s. The wait status of the process `group` goes to *status (may be NULL); processes
 * outside of that process group are named in `escaped`. False: some could not be ended. */
bool abdb_kill_and_reap_children_name_escapees(pid_t group, double wait_s, int *status,
                                               char escaped[ABDB_ESCAPED_SIZE]);

#endif
