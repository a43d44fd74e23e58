/* process.c - programs that do not outlive the one that started them; see process.h.
 *
 * fork, not posix_spawn: the child must ask for SIGKILL at the end of its parent, which no
 * attribute of posix_spawn does.
 */
#include "schema/core/process.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stddef.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "schema/core/timing.h"

enum { KILLED_S = 60 }; /* a driver may hold a killed process for a while */

static void shut(int *end)
{
    if (*end >= 0) close(*end);
    *end = -1;
}

/* The child: it becomes the program, or ends with 127. `end`: what it reads, writes and says on;
 * `mask`: of signals, before those that the parent handles were blocked. */
static _Noreturn void become(const abdb_start *how, pid_t parent, const int *end,
                             const sigset_t *mask)
{
    const char *argv[ABDB_ARGUMENTS + 2] = {NULL};

    signal(SIGINT, SIG_DFL); /* one that comes now ends it; the parent's handler would lose it */
    signal(SIGTERM, SIG_DFL);
    sigprocmask(SIG_SETMASK, mask, NULL);
    setpgid(0, 0);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent) _exit(127); /* it ended before it was asked to tell */
    if (how->prepare) how->prepare(how->given);
    for (int i = 0; i < 3; i++)
        if (end[i] >= 0) dup2(end[i], i);
    signal(SIGPIPE, SIG_DFL);
    argv[0] = how->path;
    for (size_t i = 0; i < ABDB_ARGUMENTS; i++) argv[i + 1] = how->argument[i];
    execvp(how->path, (char *const *)(size_t)argv); /* the program's copies: nobody writes them */
    _exit(127);
}

/* A process that waits for the end of this one and then kills the group, which may have members
 * that PR_SET_PDEATHSIG does not reach: children of the child. It is in a session of its own, so
 * that what ends its parent's group does not end it; group 0: it leads that group itself. Returns
 * its number; 0: not started. */
static pid_t guard(pid_t group)
{
    pid_t parent = getpid(), pid;
    sigset_t all, mask;
    int number;

    /* All signals are blocked from its first moment and taken by sigwait, so one that comes before
     * the loop is not lost, and none ends it. */
    sigfillset(&all);
    sigprocmask(SIG_SETMASK, &all, &mask);
    pid = fork();
    if (pid != 0) {
        sigprocmask(SIG_SETMASK, &mask, NULL);
        return pid > 0 ? pid : 0;
    }
    if (group)
        setsid();
    else
        setpgid(0, 0);
    syscall(SYS_close_range, 0U, ~0U,
            0U); /* ends of pipes above all; musl has no function for it */
    prctl(PR_SET_PDEATHSIG, SIGTERM);
    while (getppid() == parent) sigwait(&all, &number);
    kill(group ? -group : 0, SIGKILL);
    _exit(0);
}

pid_t abdb_group_start(void)
{
    pid_t group = guard(0);

    if (group) setpgid(group, group); /* here too: whoever of the two comes first */
    return group;
}

abdb_status abdb_program_start(abdb_program *p, const abdb_start *how, abdb_error *err)
{
    pid_t parent = getpid();
    int in[2] = {-1, -1}, out[2] = {-1, -1}, words[2] = {-1, -1};
    sigset_t handled, mask;
    abdb_status st = ABDB_OK;

    *p = (abdb_program){0, 0, -1, -1, -1};
    if (pipe2(in, O_CLOEXEC) != 0 || pipe2(out, O_CLOEXEC) != 0 ||
        (how->words && pipe2(words, O_CLOEXEC) != 0))
        TRY(ABDB_FAIL(err, ABDB_IO, "pipe: %s", strerror(errno)));
    signal(SIGPIPE, SIG_IGN);
    signal(SIGCHLD, SIG_DFL); /* where it was ignored nobody is told how a child ended */
    sigemptyset(&handled);
    sigaddset(&handled, SIGINT);
    sigaddset(&handled, SIGTERM);
    sigprocmask(SIG_BLOCK, &handled, &mask);
    p->pid = fork();
    if (p->pid == 0) become(how, parent, (const int[]){in[0], out[1], words[1]}, &mask);
    sigprocmask(SIG_SETMASK, &mask, NULL);
    if (p->pid < 0) TRY(ABDB_FAIL(err, ABDB_IO, "fork: %s", strerror(errno)));
    setpgid(p->pid, p->pid); /* here too: whoever of the two comes first */
    p->guard = guard(p->pid);
    p->in = in[1];
    p->out = out[0];
    p->words = words[0];
    in[1] = out[0] = words[0] = -1;
    fcntl(p->in, F_SETFL, O_NONBLOCK);
done:
    if (st != ABDB_OK) p->pid = 0;
    for (int i = 0; i < 2; i++) {
        shut(&in[i]);
        shut(&out[i]);
        shut(&words[i]);
    }
    return st;
}

bool abdb_program_ended(const abdb_program *p, double wait_s, const volatile int *stop)
{
    const struct timespec nap = {0, 2000000};
    double until_s = abdb_steady_s() + wait_s;

    for (;;) {
        siginfo_t info = {0};
        /* WNOWAIT leaves it unreaped: until then nobody else can be given its number, which is also
         * that of the group that finish() kills. */
        int code = waitid(P_PID, (id_t)p->pid, &info, WEXITED | WNOHANG | WNOWAIT);

        if ((code == 0 && info.si_pid == p->pid) || (code < 0 && errno != EINTR)) return true;
        if (abdb_steady_s() >= until_s || (stop && *stop > 1)) return false;
        nanosleep(&nap, NULL);
    }
}

int abdb_program_finish(abdb_program *p)
{
    int status = SIGKILL; /* of one that cannot be reaped */

    shut(&p->in);
    kill(-p->pid, SIGKILL); /* the group is there until its leader is reaped */
    if (abdb_program_ended(p, KILLED_S, NULL)) waitpid(p->pid, &status, 0);
    if (p->guard > 0) {
        kill(p->guard, SIGKILL);
        waitpid(p->guard, NULL, 0);
    }
    shut(&p->out);
    shut(&p->words);
    p->pid = p->guard = 0;
    return status;
}
