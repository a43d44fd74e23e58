/* orphans.c - processes that a program leaves behind, found and ended; see orphans.h. */
#include "schema/core/orphans.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "schema/core/number.h"
#include "schema/core/timing.h"

enum { CHILDREN_AT_ONCE = 64, NAMED_MAX = 4, SEEN_MAX = 256, NAP_NS = 1000000 };

void abdb_become_child_subreaper(void)
{
    prctl(PR_SET_CHILD_SUBREAPER, 1);
}

/* Processes that were found outside of the group. */
typedef struct {
    pid_t pid[SEEN_MAX];
    size_t count, named;
} escapees;

/* Reads the start of a file of /proc/PID into out; false: there is no such process any more. */
static bool read_proc_file_start(pid_t pid, const char *file, char *out, size_t room)
{
    char path[64];
    ssize_t size;
    int in;

    snprintf(path, sizeof path, "/proc/%d/%s", (int)pid, file);
    in = open(path, O_RDONLY | O_CLOEXEC);
    if (in < 0) return false;
    size = read(in, out, room - 1);
    close(in);
    out[size > 0 ? size : 0] = '\0';
    return size > 0;
}

/* Notes a process once, and names the first few. */
static void record_escapee_append_name(escapees *e, pid_t pid, char escaped[ABDB_ESCAPED_SIZE])
{
    size_t used = strlen(escaped);
    char name[32];

    for (size_t i = 0; i < e->count; i++)
        if (e->pid[i] == pid) return;
    if (e->count == SEEN_MAX) return;
    e->pid[e->count++] = pid;
    if (e->named == NAMED_MAX || !read_proc_file_start(pid, "comm", name, sizeof name)) return;
    name[strcspn(name, "\n")] = '\0';
    for (char *c = name; *c; c++)
        if (*c < ' ' || *c > '~') *c = '?'; /* also where char is signed: no half of a character */
    snprintf(escaped + used, ABDB_ESCAPED_SIZE - used, "%s%s (%d)", e->named ? ", " : "", name,
             (int)pid);
    e->named++;
}

/* The children of this process that have not ended, at most `room` of them. */
static size_t list_children_except_zombies(pid_t *child, size_t room)
{
    DIR *all = opendir("/proc");
    pid_t self = getpid();
    size_t count = 0;

    for (struct dirent *entry; all && count < room && (entry = readdir(all));) {
        pid_t pid = (pid_t)abdb_digits_parse_prefix_up_to_max_or(entry->d_name, INT_MAX, 0);
        char stat[512], *end;

        if (pid <= 0 || !read_proc_file_start(pid, "stat", stat, sizeof stat)) continue;
        end = strrchr(stat, ')'); /* of its name, which may be any text */
        if (!end || end[1] != ' ' || end[2] == 'Z' || strlen(end) < 4) continue;
        if (abdb_digits_parse_prefix_up_to_max_or(end + 4, INT_MAX, 0) == self)
            child[count++] = pid;
    }
    if (all) closedir(all);
    return count;
}

/* Kills a child, and the group that it leads. False: it belongs to another user. */
static bool kill_child_and_its_group(pid_t pid)
{
    if (getpgid(pid) == pid) kill(-pid, SIGKILL);
    return kill(pid, SIGKILL) == 0 || errno != EPERM;
}

bool abdb_kill_and_reap_children_name_escapees(pid_t group, double wait_s, int *status,
                                               char escaped[ABDB_ESCAPED_SIZE])
{
    const struct timespec nap = {0, NAP_NS};
    double until_s = abdb_monotonic_seconds() + wait_s;
    pid_t child[CHILDREN_AT_ONCE], own = getpgrp();
    escapees found = {.count = 0};
    bool all = false, killed = true;

    *escaped = '\0';
    for (;;) {
        pid_t gone;
        int how;
        size_t count;

        while ((gone = waitpid(-1, &how, WNOHANG)) > 0)
            if (gone == group && status) *status = how;
        all = gone < 0 && errno == ECHILD;
        if (all || !killed || abdb_monotonic_seconds() >= until_s) break;
        count = list_children_except_zombies(child, CHILDREN_AT_ONCE);
        killed = count == 0; /* it has ended between the two looks */
        for (size_t i = 0; i < count; i++) {
            pid_t in = getpgid(child[i]);

            if (in != group && in != own) record_escapee_append_name(&found, child[i], escaped);
            killed |= kill_child_and_its_group(child[i]);
        }
        nanosleep(&nap, NULL);
    }
    if (found.count > found.named) {
        size_t used = strlen(escaped);

        snprintf(escaped + used, ABDB_ESCAPED_SIZE - used, "%s%zu%s%s", used ? " and " : "",
                 found.count - found.named, found.count == SEEN_MAX ? " or " : "",
                 found.count == SEEN_MAX || used ? "more" : " processes");
    }
    return all;
}
