/* child_process.c - programs that do not outlive the one that started them; see child_process.h.
 *
 * Between this process and a program stands its guard: a process that adopts whatever the program
 * leaves behind (PR_SET_CHILD_SUBREAPER), so that neither setsid nor a second fork hides a process
 * from it. It waits for the end of the program, for the word to finish, and for the end of this
 * process, which closes the other end of its socket. fork, not posix_spawn: the child must request
 * SIGKILL for the end of its parent, which no attribute of posix_spawn does.
 */
#include "schema/core/child_process.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "schema/core/relay.h"
#include "schema/core/timing.h"

enum {
    KILLED_S = 60, /* a driver may hold a killed process for a while */
    SLACK_S = 5,   /* and by so much its guard may be late to report that */
    OPEN_MAX_GUESS = 1024
};

/* A report of a guard: the program's number, the program's end, the end of all its processes. */
typedef struct {
    enum { STARTED, ENDED, FINISHED } what;
    int value; /* the number, or the wait status */
    char escaped[ABDB_ESCAPED_SIZE];
} guard_report;

/* The ends of the pipes for the program's three standard streams; `mask`: the signal mask before
 * the parent blocked signals. */
typedef struct {
    const abdb_start_options *how;
    int end[3];
    int words; /* read end of its standard error, for the guard to relay; -1: no relay */
    const sigset_t *mask;
} birth;

static void close_fd_and_forget(int *end)
{
    if (*end >= 0) close(*end);
    *end = -1;
}

/* The child becomes the program, or ends with 127. */
static _Noreturn void exec_program_in_child(const birth *b, pid_t parent)
{
    const char *argv[ABDB_ARGUMENTS + 2] = {NULL};

    signal(SIGINT, SIG_DFL); /* one that comes now ends it; the parent's handler would lose it */
    signal(SIGTERM, SIG_DFL);
    sigprocmask(SIG_SETMASK, b->mask, NULL);
    setpgid(0, 0);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent) _exit(127); /* it ended before the prctl */
    if (b->how->prepare) b->how->prepare(b->how->prepare_argument);
    for (int i = 0; i < 3; i++)
        if (b->end[i] >= 0) dup2(b->end[i], i);
    signal(SIGPIPE, SIG_DFL);
    argv[0] = b->how->path;
    for (size_t i = 0; i < ABDB_ARGUMENTS; i++) argv[i + 1] = b->how->argument[i];
    execvp(b->how->path,
           (char *const *)(size_t)argv); /* the program's copies: execvp writes none */
    _exit(127);
}

/* Closes every file from `first` on: the guard holds no end of a pipe and no database open. */
static void close_descriptors_from(unsigned first)
{
    if (syscall(SYS_close_range, first, ~0U, 0U) == 0) return; /* musl has no function for it */
    for (int file = (int)first; file < OPEN_MAX_GUESS; file++) close(file);
}

static void noop_signal_handler(int number)
{
    (void)number;
}

/* Reports the end of the program once (*ended), without reaping it, and reaps ended orphans, which
 * would fill the table of processes in a long run. */
static void report_program_end_reap_orphans(pid_t pid, int control, bool *ended)
{
    siginfo_t info = {0};

    while (!*ended && waitid(P_ALL, 0, &info, WEXITED | WNOHANG | WNOWAIT) == 0 && info.si_pid) {
        guard_report report = {.what = ENDED};

        *ended = info.si_pid == pid;
        if (*ended)
            send(control, &report, sizeof report, MSG_NOSIGNAL);
        else
            waitpid(info.si_pid, NULL, 0);
        info.si_pid = 0;
    }
}

/* Waits for the guard's next event; true: a request to finish. Where our standard error takes no
 * more, the guard retries after 20 ms, while the program's own writes wait. */
static bool guard_wait_for_event_return_finish_asked(const abdb_relay *words,
                                                     const sigset_t *but_children)
{
    static const struct timespec soon = {0, 20000000};
    bool ready = abdb_relay_source_open_and_target_ready(words),
         blocked = words->from >= 0 && !ready;
    struct pollfd heard[] = {{.fd = 0, .events = POLLIN},
                             {.fd = ready ? words->from : -1, .events = POLLIN}};

    return ppoll(heard, 2, blocked ? &soon : NULL, but_children) > 0 && heard[0].revents;
}

/* Runs the guard: it starts the program, waits until this process requests the end or ends, and
 * kills all its descendants. It has a session of its own, so that a signal to its parent's
 * group does not reach it; only SIGKILL ends it. */
static _Noreturn void run_guard_then_kill_descendants(const birth *b, int control)
{
    abdb_relay words = {.from = -1};
    guard_report report = {.what = STARTED};
    sigset_t but_children;
    pid_t self = getpid(), pid;
    bool ended = false;

    abdb_become_child_subreaper();
    signal(SIGCHLD, noop_signal_handler);
    pid = fork();
    if (pid == 0) exec_program_in_child(b, self);
    report.value = pid > 0 ? pid : -errno;
    if (pid > 0) setpgid(pid, pid); /* here too: whoever of the two comes first */
    setsid();
    dup2(control, 0);
    if (b->words >= 0) {
        dup2(b->words, 1);
        abdb_relay_init_nonblocking(&words, 1, 2, b->how->words_most, b->how->path);
    }
    close_descriptors_from(b->words >= 0 ? 3 : 1);
    send(0, &report, sizeof report, MSG_NOSIGNAL);
    if (pid < 0) _exit(1);
    sigfillset(&but_children);
    sigdelset(&but_children, SIGCHLD);
    do {
        report_program_end_reap_orphans(pid, 0, &ended);
        abdb_relay_pass_chunk_within_limit(&words);
    } while (!guard_wait_for_event_return_finish_asked(&words, &but_children));
    kill(-pid, SIGKILL); /* the group is there until its leader is reaped */
    report = (guard_report){.what = FINISHED, .value = SIGKILL};
    abdb_kill_and_reap_children_name_escapees(pid, KILLED_S, &report.value, report.escaped);
    abdb_relay_drain_and_flush(&words);
    send(0, &report, sizeof report, MSG_NOSIGNAL);
    _exit(0);
}

/* Like fork, but the child has all signals blocked from its first moment, so that none ends it;
 * `mask` gets the signal mask from before. */
static pid_t fork_with_signals_blocked(sigset_t *mask)
{
    sigset_t all;
    pid_t pid;

    sigfillset(&all);
    sigprocmask(SIG_SETMASK, &all, mask);
    pid = fork();
    if (pid != 0) sigprocmask(SIG_SETMASK, mask, NULL);
    return pid;
}

pid_t abdb_start_group_killed_with_caller(void)
{
    pid_t parent = getpid(), group;
    sigset_t all, mask;
    int number;

    group = fork_with_signals_blocked(&mask);
    if (group > 0) setpgid(group, group); /* here too: whoever of the two comes first */
    if (group != 0) return group > 0 ? group : 0;
    setpgid(0, 0);
    close_descriptors_from(0);
    prctl(PR_SET_PDEATHSIG, SIGTERM);
    sigfillset(&all);
    while (getppid() == parent) sigwait(&all, &number);
    kill(0, SIGKILL);
    _exit(0);
}

/* --- from this side --------------------------------------------------------------------------- */

/* Waits at most wait_s for the next report of the guard, which stays unread where `peek` is given.
 * False: none came; *gone: none will. */
static bool receive_guard_report(const abdb_program *p, double wait_s, int peek, guard_report *out,
                                 bool *guard_ended)
{
    struct pollfd waiting = {.fd = p->control, .events = POLLIN};
    ssize_t size;

    *guard_ended = false;
    if (poll(&waiting, 1, wait_s > 0 ? (int)(wait_s * 1000) + 1 : 0) <= 0) return false;
    size = recv(p->control, out, sizeof *out, peek | MSG_DONTWAIT);
    *guard_ended = size == 0 || (size < 0 && errno != EINTR && errno != EAGAIN);
    return size == (ssize_t)sizeof *out;
}

/* Forks the guard, which starts the program, and reads the number of the program. */
static abdb_status fork_guard_that_starts_program_read_pid(abdb_program *p, birth *b,
                                                           const int control[2], abdb_error *err)
{
    sigset_t mask;
    guard_report report = {.what = ENDED};
    ssize_t size;

    b->mask = &mask;
    p->guard = fork_with_signals_blocked(&mask);
    if (p->guard == 0) run_guard_then_kill_descendants(b, control[1]);
    if (p->guard < 0) return ABDB_FAIL(err, ABDB_IO, "fork: %s", strerror(errno));
    close(control[1]); /* here, so that the end of the guard ends the wait */
    do size = recv(control[0], &report, sizeof report, 0);
    while (size < 0 && errno == EINTR);
    if (size == (ssize_t)sizeof report && report.what == STARTED && report.value > 0) {
        p->pid = report.value;
        return ABDB_OK;
    }
    waitpid(p->guard, NULL, 0);
    return ABDB_FAIL(err, ABDB_IO, "fork: %s",
                     size == (ssize_t)sizeof report && report.value < 0 ? strerror(-report.value)
                                                                        : "its guard has ended");
}

abdb_status abdb_program_start_with_pipes(abdb_program *p, const abdb_start_options *options,
                                          abdb_error *err)
{
    int in[2] = {-1, -1}, out[2] = {-1, -1}, words[2] = {-1, -1}, control[2] = {-1, -1};
    birth b = {.how = options, .words = -1};
    abdb_status st = ABDB_OK;

    *p = (abdb_program){.in = -1, .out = -1, .error_output = -1, .control = -1};
    if (pipe2(in, O_CLOEXEC) != 0 || pipe2(out, O_CLOEXEC) != 0 ||
        ((options->capture_stderr || options->words_most) && pipe2(words, O_CLOEXEC) != 0) ||
        socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, control) != 0)
        TRY(ABDB_FAIL(err, ABDB_IO, "pipe: %s", strerror(errno)));
    signal(SIGPIPE, SIG_IGN);
    signal(SIGCHLD, SIG_DFL); /* if it is ignored, wait() reports no child's end */
    b.end[0] = options->input_file > 0 ? options->input_file : in[0];
    b.end[1] = out[1];
    b.end[2] = words[1];
    if (!options->capture_stderr) b.words = words[0];
    st = fork_guard_that_starts_program_read_pid(p, &b, control, err);
    control[1] = -1;
    TRY(st);
    p->in = in[1];
    p->out = out[0];
    if (options->capture_stderr) p->error_output = words[0];
    p->control = control[0];
    in[1] = out[0] = control[0] = -1;
    if (options->capture_stderr) words[0] = -1;
    fcntl(p->in, F_SETFL, O_NONBLOCK);
done:
    if (st != ABDB_OK) p->pid = p->guard = 0;
    for (int i = 0; i < 2; i++) {
        close_fd_and_forget(&in[i]);
        close_fd_and_forget(&out[i]);
        close_fd_and_forget(&words[i]);
        close_fd_and_forget(&control[i]);
    }
    return st;
}

bool abdb_program_wait_until_ended(const abdb_program *p, double wait_s, const volatile int *stop)
{
    double until_s = abdb_monotonic_seconds() + wait_s, most_s = stop ? 0.02 : 1;

    for (;;) {
        double left_s = until_s - abdb_monotonic_seconds();
        guard_report report;
        bool gone;

        if (receive_guard_report(p, left_s < most_s ? left_s : most_s, MSG_PEEK, &report, &gone) ||
            gone)
            return true;
        if (abdb_monotonic_seconds() >= until_s || (stop && *stop > 1)) return false;
    }
}

int abdb_program_kill_and_reap(abdb_program *p)
{
    double until_s = abdb_monotonic_seconds() + KILLED_S + SLACK_S;
    int status = SIGKILL; /* of one that cannot be reaped */
    bool gone = false, finished = false;

    close_fd_and_forget(&p->in);
    shutdown(p->control, SHUT_WR);
    while (!finished && !gone && abdb_monotonic_seconds() < until_s) {
        guard_report report;

        if (!receive_guard_report(p, 1, 0, &report, &gone)) continue;
        status = report.value;
        finished = report.what == FINISHED;
        if (finished) memcpy(p->escaped, report.escaped, sizeof p->escaped);
    }
    kill(p->guard, SIGKILL);
    waitpid(p->guard, NULL, 0);
    close_fd_and_forget(&p->out);
    close_fd_and_forget(&p->error_output);
    close_fd_and_forget(&p->control);
    p->pid = p->guard = 0;
    return status;
}
