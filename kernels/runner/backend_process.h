/* backend_process.h - a backend's process: started, written to, read from by lines, ended. */
#ifndef ABDB_KERNELS_CHILD_H
#define ABDB_KERNELS_CHILD_H

#include "kernels/runner/runner.h"
#include "schema/core/child_process.h"

typedef struct {
    abdb_program process;     /* its pid is 0 when none runs */
    volatile const int *stop; /* above 1: end at once */
    abdb_text buffer, line;   /* what was heard, and the line taken out of it, whole */
    double last_output_s;     /* when anything was last heard */
    bool skipping;            /* the rest of a line that was too long */
    int read_errno;           /* errno of a read that failed, or 0 */
    bool launched;            /* the process is what has launched its ranks */
    const abdb_run_options *options;
} abdb_child;

/* ABDB_TOO_LONG: the beginning of a line of more than 1 MiB; the rest is dropped. ABDB_UNHEARD:
 * what it says cannot be read, or there is no memory for it: abdb's failure, not the backend's;
 * nothing that follows can be understood. */
typedef enum { ABDB_LINE, ABDB_QUIET, ABDB_ENDED, ABDB_TOO_LONG, ABDB_UNHEARD } abdb_child_event;

/* Starts `path verb` in a process group of its own, which ends when this process ends. */
ABDB_MUST_USE abdb_status abdb_child_start_backend_with_pipes(abdb_child *child,
                                                              const abdb_run_options *options,
                                                              const char *verb, abdb_error *err);
/* Writes text. ABDB_BACKEND: it has ended; ABDB_LIMIT: it does not read for wait_s; ABDB_IO: abdb
 * cannot write. */
ABDB_MUST_USE abdb_status abdb_child_write_with_timeout(abdb_child *child, const char *text,
                                                        double wait_s, abdb_error *err);
/* The next line, without its end, into *line (owned by the child until the next call, or its end);
 * waits at most wait_s. */
abdb_child_event abdb_child_read_line_or_event(abdb_child *child, double wait_s, char **line);
/* Why it was unheard, as an error: ABDB_NOMEM or ABDB_IO. */
ABDB_MUST_USE abdb_status abdb_child_fail_with_read_error(const abdb_child *child, const char *path,
                                                          abdb_error *err);
/* Asks it to end in good order: SIGINT, or SIGUSR2 where a launcher stands before it, which passes
 * that on to the ranks (on SIGINT mpirun and srun end them and drop what they still say). False:
 * there is nobody to ask. */
bool abdb_child_interrupt_process_group(const abdb_child *child);
/* Closes its input and waits; after GRACE_S SIGTERM to its group, then SIGKILL. What is left of the
 * group when it has gone is killed. Returns its wait status. */
int abdb_child_close_stdin_await_exit_or_kill(abdb_child *child);
/* SIGTERM now, SIGKILL after GRACE_S; at once where *stop is above 1. */
int abdb_child_terminate_group_and_reap(abdb_child *child);

#endif
