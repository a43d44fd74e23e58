/* inject.c - runs a program and ends it at its Nth system call of a class, or makes that call fail:
 *
 *     inject [--count FILE] [--CLASS N [--on] [--kill]] -- COMMAND...
 *
 * CLASS is a name of the table below, or `any` for all those that change a file. --kill: SIGKILL in
 * front of the call; else it fails with the errno of its class, with --on each later one of that
 * class, too, as on a disk that stays full. --count FILE: how many calls of each class there were,
 * `hit CLASS FILE` and `survivors N`, processes that lived 5 s longer than the program.
 *
 * A seccomp filter hands the calls over to this process, so that those of the C library, of threads
 * and of static programs are seen. What counts are the calls of the program itself, not of its
 * children, from when shim.so, which is preloaded, says that main begins. Messages (writes to
 * standard error) are left alone. Exit code: that of the program, 128 + signal, 125 for what this
 * program could not do. Linux 5.9 or later. */
#include <errno.h>
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "tests/fault/begin.h"

#ifdef __x86_64__
#define NATIVE AUDIT_ARCH_X86_64
#else
#define NATIVE AUDIT_ARCH_AARCH64
#endif
/* The calls that one of the two machines has and the other has not. */
#ifndef SYS_open
#define SYS_open   -1
#define SYS_creat  -1
#define SYS_rename -1
#define SYS_mkdir  -1
#define SYS_unlink -1
#define SYS_rmdir  -1
#define SYS_fork   -1
#define SYS_vfork  -1
#define SYS_pipe   -1
#endif
#ifndef SYS_renameat
#define SYS_renameat -1
#endif

enum { CALLS = 6, NONE = -1, SURVIVE_MS = 5000, OURS = 125 };
/* Where a call says which file it means. */
typedef enum { BY_NOTHING, BY_FILE, BY_PATH, BY_PATH_AT } path_source;
static const struct class
{
    const char *name;
    int error;
    bool changes; /* a file: `any` */
    path_source how;
    int call[CALLS];
} classes[] = {
    {"write", ENOSPC, true, BY_FILE, {SYS_write, SYS_pwrite64, SYS_writev, SYS_pwritev}},
    {"fsync", EIO, true, BY_FILE, {SYS_fsync, SYS_fdatasync}},
    {"open", EMFILE, true, BY_PATH_AT, {SYS_openat}},
    {"open", EMFILE, true, BY_PATH, {SYS_open, SYS_creat}},
    {"rename", EIO, true, BY_PATH_AT, {SYS_renameat, SYS_renameat2}},
    {"rename", EIO, true, BY_PATH, {SYS_rename}},
    {"mkdir", ENOSPC, true, BY_PATH_AT, {SYS_mkdirat}},
    {"mkdir", ENOSPC, true, BY_PATH, {SYS_mkdir}},
    {"unlink", EIO, true, BY_PATH_AT, {SYS_unlinkat}},
    {"unlink", EIO, true, BY_PATH, {SYS_unlink, SYS_rmdir}},
    {"truncate", EIO, true, BY_FILE, {SYS_ftruncate, SYS_fallocate}},
    {"fork", EAGAIN, false, BY_NOTHING, {SYS_fork, SYS_vfork, SYS_clone, SYS_clone3}},
    {"exec", ENOMEM, false, BY_PATH, {SYS_execve}},
    {"pipe", EMFILE, false, BY_NOTHING, {SYS_pipe, SYS_pipe2}},
    {"read", EIO, false, BY_FILE, {SYS_read, SYS_pread64, SYS_readv}},
    {"list", EIO, false, BY_FILE, {SYS_getdents64}},
};
enum { CLASSES = sizeof classes / sizeof *classes, FILES = 256 };

static struct {
    const char *class; /* NULL: only counted */
    long at;
    bool on, kill;
    const char *count_path;
    pid_t child, begun; /* begun: the child, once its main has begun */
    long count[CLASSES], any;
    bool done;
    char hit[256];
    char written[FILES][200]; /* since they were synced last; "": a free place */
    char unsynced[4096];      /* written files renamed before a sync, a line each */
} job;

static _Noreturn void exit_with_errno_message(const char *what)
{
    perror(what);
    exit(OURS);
}

static int fault_class_of_syscall_or_none(int call)
{
    for (int c = 0; c < CLASSES; c++)
        for (int i = 0; i < CALLS; i++)
            if (classes[c].call[i] == call && call > 0) return c;
    /* read is call 0 on one machine, and zeros end the lists */
    return call == SYS_read ? CLASSES - 2 : NONE;
}

/* The filter: every call of the table, and the word that main has begun, goes to the listener. */
static int install_seccomp_filter_get_listener(void)
{
    struct sock_filter code[16 + 2 * CLASSES * CALLS];
    struct sock_fprog program = {0, code};
    unsigned short n = 0;

#define PUT(...) code[n++] = (struct sock_filter)__VA_ARGS__
    PUT(BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, arch)));
    PUT(BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, NATIVE, 1, 0));
    PUT(BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW));
    PUT(BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)));
    for (int call = 0; call < 512; call++) {
        if (fault_class_of_syscall_or_none(call) == NONE) continue;
        PUT(BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (unsigned)call, 0, 1));
        PUT(BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_USER_NOTIF));
    }
    PUT(BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_prctl, 0, 3));
    PUT(BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, args[0])));
    PUT(BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, FAULT_MAIN_BEGINS, 0, 1));
    PUT(BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_USER_NOTIF));
    PUT(BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW));
#undef PUT
    program.len = n;
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) return -1;
    return (int)syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_NEW_LISTENER,
                        &program);
}

/* A descriptor through a socket. */
static void send_descriptor_over_socket(int socket, int file)
{
    char space[CMSG_SPACE(sizeof file)] = {0}, byte = 0;
    struct iovec part = {&byte, 1};
    struct msghdr message = {
        .msg_iov = &part, .msg_iovlen = 1, .msg_control = space, .msg_controllen = sizeof space};
    struct cmsghdr *head = CMSG_FIRSTHDR(&message);

    head->cmsg_level = SOL_SOCKET;
    head->cmsg_type = SCM_RIGHTS;
    head->cmsg_len = CMSG_LEN(sizeof file);
    memcpy(CMSG_DATA(head), &file, sizeof file);
    if (sendmsg(socket, &message, 0) != 1) _exit(OURS);
}

static int receive_descriptor_over_socket(int socket)
{
    char space[CMSG_SPACE(sizeof(int))], byte;
    struct iovec part = {&byte, 1};
    struct msghdr message = {
        .msg_iov = &part, .msg_iovlen = 1, .msg_control = space, .msg_controllen = sizeof space};
    int file = -1;

    if (recvmsg(socket, &message, MSG_CMSG_CLOEXEC) == 1 && CMSG_FIRSTHDR(&message))
        memcpy(&file, CMSG_DATA(CMSG_FIRSTHDR(&message)), sizeof file);
    return file;
}

/* The process that a thread belongs to; the last answers are remembered. */
static pid_t process_of_thread_cached(pid_t thread)
{
    static struct {
        pid_t thread, process;
    } known[64];
    static unsigned next;
    char path[64], line[128];
    pid_t process = thread;
    FILE *file;

    if (thread == job.child) return thread;
    for (size_t i = 0; i < 64; i++)
        if (known[i].thread == thread) return known[i].process;
    snprintf(path, sizeof path, "/proc/%d/status", (int)thread);
    file = fopen(path, "re");
    while (file && fgets(line, sizeof line, file))
        if (sscanf(line, "Tgid: %d", &process) == 1) break;
    if (file) fclose(file);
    known[next].thread = thread;
    known[next].process = process;
    next = (next + 1) % 64;
    return process;
}

/* Which file the call is about, as far as that can be told. */
static void read_path_of_syscall(const struct seccomp_notif *n, path_source how, char *out,
                                 size_t size)
{
    char path[64];
    ssize_t got = -1;

    if (how == BY_FILE) {
        snprintf(path, sizeof path, "/proc/%d/fd/%d", (int)n->pid, (int)n->data.args[0]);
        got = readlink(path, out, size - 1);
    } else if (how != BY_NOTHING) {
        struct iovec here = {out, size - 1},
                     there = {(void *)(size_t)n->data.args[how == BY_PATH_AT], size - 1};

        got = process_vm_readv((pid_t)n->pid, &here, 1, &there, 1, 0);
    }
    out[got > 0 ? got : 0] = '\0';
}

/* A thread is no process. */
static bool syscall_starts_thread(const struct seccomp_notif *n)
{
    unsigned long long flags = n->data.args[0];
    struct iovec here = {&flags, sizeof flags}, there = {(void *)(size_t)flags, sizeof flags};

    if (n->data.nr == SYS_clone3)
        process_vm_readv((pid_t)n->pid, &here, 1, &there, 1, 0);
    else if (n->data.nr != SYS_clone)
        return false;
    return flags & CLONE_THREAD;
}

/* Is it this call's turn? Counts it. */
static bool count_syscall_and_decide_failure(const struct seccomp_notif *n, int class)
{
    bool all = job.class && strcmp(job.class, "any") == 0, ours;
    long now;

    if (class == 0 && n->data.args[0] == STDERR_FILENO) return false;
    if (strcmp(classes[class].name, "fork") == 0 && syscall_starts_thread(n)) return false;
    for (int c = 0; c < class; c++) /* two lines of one class */
        if (strcmp(classes[c].name, classes[class].name) == 0) class = c;
    now = ++job.count[class];
    job.any += classes[class].changes;
    if (all) now = job.any;
    ours =
        job.class && (all ? classes[class].changes : strcmp(job.class, classes[class].name) == 0);
    return ours && (now == job.at || (job.on && now > job.at));
}

static bool class_has_name(int class_index, const char *name)
{
    return strcmp(classes[class_index].name, name) == 0;
}

/* A file that takes its name must be on the disk: notes which are written and not synced, and says
 * which of them are renamed. */
static void track_written_files_note_unsynced_rename(const struct seccomp_notif *n, int class)
{
    char path[200];
    const char *base;
    int place = NONE;

    bool writes = class_has_name(class, "write") || class_has_name(class, "truncate");

    if (!writes && !class_has_name(class, "fsync") && !class_has_name(class, "rename")) return;
    read_path_of_syscall(n, classes[class].how, path, sizeof path);
    base = strrchr(path, '/') ? strrchr(path, '/') + 1 : path;
    if (path[0] == '\0' || strchr(base, ':')) return; /* a pipe */
    for (int i = 0; i < FILES; i++)
        if (strcmp(job.written[i], base) == 0 || (place == NONE && !job.written[i][0])) {
            place = i;
            if (job.written[i][0]) break;
        }
    if (place == NONE) return;
    if (writes) snprintf(job.written[place], sizeof job.written[place], "%s", base);
    if (class_has_name(class, "rename") && job.written[place][0]) {
        size_t used = strlen(job.unsynced);

        snprintf(job.unsynced + used, sizeof job.unsynced - used, "unsynced %s\n", base);
    }
    if (!writes) job.written[place][0] = '\0';
}

static void receive_call_let_continue_fail_or_kill(int listener)
{
    struct seccomp_notif n = {0};
    struct seccomp_notif_resp reply = {.flags = SECCOMP_USER_NOTIF_FLAG_CONTINUE};
    int class;

    if (ioctl(listener, SECCOMP_IOCTL_NOTIF_RECV, &n) != 0) return; /* it ended meanwhile */
    reply.id = n.id;
    class = fault_class_of_syscall_or_none(n.data.nr);
    if (n.data.nr == SYS_prctl) {
        job.begun = process_of_thread_cached((pid_t)n.pid);
    } else if (class == NONE || !job.begun || process_of_thread_cached((pid_t)n.pid) != job.begun) {
        /* nobody's that counts */
    } else if (!count_syscall_and_decide_failure(&n, class)) {
        track_written_files_note_unsynced_rename(&n, class);
    } else {
        char file[200];

        read_path_of_syscall(&n, classes[class].how, file, sizeof file);
        if (!job.done) snprintf(job.hit, sizeof job.hit, "hit %s %s\n", classes[class].name, file);
        job.done = true;
        if (job.kill) kill(job.begun, SIGKILL);
        reply.flags = 0;
        reply.error = -classes[class].error;
    }
    ioctl(listener, SECCOMP_IOCTL_NOTIF_SEND, &reply);
}

static long monotonic_now_ms(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

/* Answers until every process has ended; returns the program's status. Those that live on too long
 * are counted and ended. */
static int answer_calls_until_all_processes_end(int listener, int *survivors)
{
    sigset_t set;
    int children, status = 0;
    long end = 0;

    sigemptyset(&set);
    sigaddset(&set, SIGCHLD);
    children = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
    for (;;) {
        struct pollfd wait[2] = {{listener, POLLIN, 0}, {children, POLLIN, 0}};
        struct signalfd_siginfo said;
        int code;
        pid_t pid;

        poll(wait, 2, 200);
        if (wait[0].revents & POLLIN) receive_call_let_continue_fail_or_kill(listener);
        while (read(children, &said, sizeof said) > 0) {
        }
        while ((pid = waitpid(-1, &code, WNOHANG)) > 0)
            if (pid == job.child) {
                status = code;
                end = monotonic_now_ms();
            }
        if (pid < 0 && errno == ECHILD) return status;
        if (end && monotonic_now_ms() - end > SURVIVE_MS) break;
    }
    for (pid_t pid; (pid = waitpid(-1, NULL, WNOHANG)) == 0 && *survivors < 1000; (*survivors)++) {
        char path[64], line[4096] = "";
        FILE *list;
        int orphan = 0;

        snprintf(path, sizeof path, "/proc/self/task/%d/children", (int)getpid());
        list = fopen(path, "re");
        if (list && fgets(line, sizeof line, list)) orphan = atoi(line);
        if (list) fclose(list);
        if (orphan <= 0) break;
        kill(orphan, SIGKILL);
        waitpid(orphan, NULL, 0);
    }
    return status;
}

static void write_counts_hit_and_survivors(int survivors)
{
    FILE *file = job.count_path ? fopen(job.count_path, "we") : NULL;

    if (!file) return;
    for (int c = 0; c < CLASSES; c++)
        if (c == 0 || strcmp(classes[c].name, classes[c - 1].name) != 0)
            fprintf(file, "%s %ld\n", classes[c].name, job.count[c]);
    fprintf(file, "any %ld\n%s%ssurvivors %d\n", job.any, job.hit, job.unsynced, survivors);
    fclose(file);
}

static bool is_known_class_name(const char *name)
{
    for (int c = 0; c < CLASSES; c++)
        if (strcmp(name, classes[c].name) == 0) return true;
    return strcmp(name, "any") == 0;
}

static char **parse_options_into_job_return_command(int argc, char **argv)
{
    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "--") == 0 && i + 1 < argc) return argv + i + 1;
        if (strcmp(argv[i], "--on") == 0)
            job.on = true;
        else if (strcmp(argv[i], "--kill") == 0)
            job.kill = true;
        else if (strcmp(argv[i], "--count") == 0 && i + 1 < argc)
            job.count_path = argv[++i];
        else if (strncmp(argv[i], "--", 2) == 0 && is_known_class_name(argv[i] + 2) &&
                 i + 1 < argc) {
            job.class = argv[i] + 2;
            job.at = atol(argv[++i]);
        } else
            break;
    }
    fprintf(stderr, "inject [--count FILE] [--CLASS N [--on] [--kill]] -- COMMAND...\n");
    exit(OURS);
}

int main(int argc, char **argv)
{
    char **command = parse_options_into_job_return_command(argc, argv);
    int pair[2], listener, status, survivors = 0;
    sigset_t set;

    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) != 0)
        exit_with_errno_message("socketpair");
    sigemptyset(&set);
    sigaddset(&set, SIGCHLD);
    sigprocmask(SIG_BLOCK, &set, NULL);
    prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0);
    job.child = fork();
    if (job.child < 0) exit_with_errno_message("fork");
    if (job.child == 0) {
        int file;

        sigprocmask(SIG_UNBLOCK, &set, NULL);
        file = install_seccomp_filter_get_listener();
        if (file < 0) exit_with_errno_message("seccomp");
        send_descriptor_over_socket(pair[1], file);
        close(file);
        execvp(command[0], command);
        exit_with_errno_message(command[0]);
    }
    close(pair[1]);
    listener = receive_descriptor_over_socket(pair[0]);
    if (listener < 0) exit(OURS);
    status = answer_calls_until_all_processes_end(listener, &survivors);
    write_counts_hit_and_survivors(survivors);
    return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}
