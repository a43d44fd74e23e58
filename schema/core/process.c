/* process.c - processes that do not outlive the one that started them; see process.h. */
#include "schema/core/process.h"

#include <errno.h>
#include <signal.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { KILLED_S = 60 }; /* a driver may hold a killed process for a while */

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

static double now_s(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

bool abdb_process_ended(pid_t pid, double wait_s, const volatile int *stop)
{
    const struct timespec nap = {0, 2000000};
    double until_s = now_s() + wait_s;

    for (;;) {
        siginfo_t info = {0};
        int code = waitid(P_PID, (id_t)pid, &info, WEXITED | WNOHANG | WNOWAIT);

        if ((code == 0 && info.si_pid == pid) || (code < 0 && errno != EINTR)) return true;
        if (now_s() >= until_s || (stop && *stop > 1)) return false;
        nanosleep(&nap, NULL);
    }
}

int abdb_process_finish(pid_t pid, pid_t guard)
{
    int status = 0;

    kill(-pid, SIGKILL); /* the group is there until its leader is reaped */
    if (abdb_process_ended(pid, KILLED_S, NULL)) waitpid(pid, &status, 0);
    if (guard > 0) {
        kill(guard, SIGKILL);
        waitpid(guard, NULL, 0);
    }
    return status;
}
