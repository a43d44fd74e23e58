/* child_process.h - programs that are started with pipes and do not outlive the one that started
 * them. */
#ifndef ABDB_CORE_PROCESS_H
#define ABDB_CORE_PROCESS_H

#include <stdbool.h>
#include <sys/types.h>

#include "schema/core/error.h"
#include "schema/core/orphans.h"

/* A running program, and our ends of its pipes: its standard input (`in`, which never blocks),
 * standard output (`out`) and standard error (`error_output`). -1: closed, or not requested; a
 * caller that closes an end before the finish sets it to -1. */
typedef struct {
    pid_t pid;   /* also the number of its process group; 0: none runs */
    pid_t guard; /* its parent, which ends all that it has started when this process ends */
    int in, out, error_output;
    int control; /* the line to the guard */
    /* After the finish: which processes had left its process group and were ended, "sleep (4711),
     * sh (4712) and 3 more"; "": none. */
    char escaped[ABDB_ESCAPED_SIZE];
} abdb_program;

enum { ABDB_ARGUMENTS = 100 };
/* Options of a start. */
typedef struct {
    const char *path;                     /* looked for in PATH where it has no slash */
    const char *argument[ABDB_ARGUMENTS]; /* the first NULL ends them */
    bool capture_stderr;                  /* its standard error comes to `error_output` */
    /* Else so many bytes of it are passed on to ours, as plain text where that is a terminal, and a
     * message stands for the rest; 0: it has ours. */
    size_t words_most;
    int input_file; /* above 0: an open file that is its standard input; 0: the pipe `in` */
    /* Runs in the new process before the program, to set its environment; NULL: nothing. */
    void (*prepare)(const void *given);
    const void *prepare_argument;
} abdb_start_options;

/* Starts a program in a process group of its own. When this process ends, for whatever reason, the
 * program ends with all processes that it has started, in any session. A program that
 * does not exist ends with code 127. ABDB_IO: no pipe or process could be had. From then on SIGPIPE
 * is ignored in this process, and SIGCHLD is not. */
ABDB_MUST_USE abdb_status abdb_program_start_with_pipes(abdb_program *p,
                                                        const abdb_start_options *options,
                                                        abdb_error *err);
/* Waits for it, at most wait_s, and where stop is given until *stop is above 1; true when it has
 * ended. It is not reaped. */
bool abdb_program_wait_until_ended(const abdb_program *p, double wait_s, const volatile int *stop);
/* Closes our ends, kills the program and every process that it has started, and reaps them;
 * p->escaped names processes outside its group. Returns the program's wait status. */
int abdb_program_kill_and_reap(abdb_program *p);
/* A process group for programs that are started otherwise: the process that leads it only waits,
 * and kills the group when this process ends, however that ends. Returns its number; 0: it could
 * not be started. */
pid_t abdb_start_group_killed_with_caller(void);

#endif
