/* process.c - processes that do not outlive the one that started them; see process.h. */
#include "schema/core/process.h"

#include <signal.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

void abdb_process_begin(pid_t parent)
{
    setpgid(0, 0);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent) _exit(127); /* it ended before it was asked to tell */
}

/* In a session of its own, so that what ends its parent's group does not end it. */
pid_t abdb_process_guard(pid_t group)
{
    pid_t parent = getpid(), pid = fork();
    sigset_t all;
    int number;

    if (pid != 0) return pid > 0 ? pid : 0;
    sigfillset(&all);
    sigprocmask(SIG_BLOCK, &all, NULL);
    setsid();
    close_range(0, ~0u, 0); /* ends of pipes above all */
    prctl(PR_SET_PDEATHSIG, SIGTERM);
    while (getppid() == parent) sigwait(&all, &number);
    kill(-group, SIGKILL);
    _exit(0);
}

void abdb_process_unguard(pid_t guard)
{
    if (guard <= 0) return;
    kill(guard, SIGKILL);
    waitpid(guard, NULL, 0);
}
