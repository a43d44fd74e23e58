/* command.c - abdb-command WORD... VERB: the wall time of a whole program, for abdb run --command.
 *
 * It speaks protocol.md as backends do, with the words of the command before the verb. A sample is
 * a start of the program, from its start to its end, without a shell; a quick one is started a few
 * times in a turn. {KEY} in a word is the parameter KEY of the cell, and {{KEY}} of no parameter is
 * {KEY}. It reads nothing, its standard output is dropped, and of its standard error the last line
 * is the reason where it fails.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "kernels/harness/harness.h"
#include "schema/core/plain.h"
#include "schema/core/process.h"

enum { RUNS_MAX = 20, BEAT_S = 1, LAST_WORDS = 240, FILES_MAX = 64 };
static const double turn_s = 0.2; /* starts of a turn, together: a longer one is started once */

static sigset_t awaited; /* SIGCHLD, SIGINT: they are waited for, never delivered */
static const abdb_backend command = {.name = "command", .summary = "wall time of whole programs"};

typedef struct {
    char *const *words; /* up to a NULL */
    const char *cell;
    int said; /* file of its standard error */
    bool cancelled;
    char why[LAST_WORDS + 120]; /* "": it did what it should */
} turn;

/* The last line of what it said on standard error. */
static void last_words(int file, char out[LAST_WORDS])
{
    char text[LAST_WORDS];
    off_t end = lseek(file, 0, SEEK_END), from = end > LAST_WORDS - 1 ? end - LAST_WORDS + 1 : 0;
    ssize_t size = pread(file, text, sizeof text - 1, from);
    char *line;

    text[size > 0 ? size : 0] = '\0';
    for (size_t n = strlen(text); n && strchr("\n\r ", text[n - 1]); n--) text[n - 1] = '\0';
    line = strrchr(text, '\n');
    snprintf(out, LAST_WORDS, "%s", line ? line + 1 : text);
}

static void note_end(turn *t, int status)
{
    char words[LAST_WORDS];

    if (t->cancelled || (WIFEXITED(status) && WEXITSTATUS(status) == 0)) return;
    last_words(t->said, words);
    if (WIFSIGNALED(status))
        snprintf(t->why, sizeof t->why, "%s was ended by signal %d (%s)", t->words[0],
                 WTERMSIG(status), strsignal(WTERMSIG(status)));
    else
        snprintf(t->why, sizeof t->why, "%.80s ended with code %d", t->words[0],
                 WEXITSTATUS(status));
    if (*words) snprintf(t->why + strlen(t->why), sizeof t->why - strlen(t->why), ": %s", words);
}

/* Its wait status; meanwhile a record goes out now and then, and SIGINT ends it. */
static int await(turn *t, pid_t pid, double *end_s)
{
    const struct timespec patience = {.tv_sec = BEAT_S};
    int status = 0;

    while (waitpid(pid, &status, WNOHANG) == 0) {
        int number = sigtimedwait(&awaited, NULL, &patience);

        if (number == SIGINT) {
            t->cancelled = true;
            kill(pid, SIGKILL);
        } else if (number < 0)
            abdb_print_record(json_pack("{s:s}", "kind", "beat"));
    }
    *end_s = abdb_now_s();
    return status;
}

/* Starts the program once and waits for its end; seconds, where t->why stays "". */
static double start_once(turn *t)
{
    posix_spawn_file_actions_t files;
    posix_spawnattr_t how;
    sigset_t none, usual;
    double begin_s, end_s = 0;
    pid_t pid;
    int fault;

    sigemptyset(&none);
    sigemptyset(&usual);
    sigaddset(&usual, SIGPIPE);
    posix_spawnattr_init(&how);
    posix_spawnattr_setsigmask(&how, &none);
    posix_spawnattr_setsigdefault(&how, &usual);
    posix_spawnattr_setflags(&how, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
    posix_spawn_file_actions_init(&files);
    posix_spawn_file_actions_addopen(&files, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_addopen(&files, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
    posix_spawn_file_actions_adddup2(&files, t->said, STDERR_FILENO);
    if (ftruncate(t->said, 0) == 0) lseek(t->said, 0, SEEK_SET);
    begin_s = abdb_now_s();
    fault = posix_spawnp(&pid, t->words[0], &files, &how, t->words, environ);
    if (fault)
        snprintf(t->why, sizeof t->why, "%.200s cannot be started: %s", t->words[0],
                 strerror(fault));
    else
        note_end(t, await(t, pid, &end_s));
    posix_spawn_file_actions_destroy(&files);
    posix_spawnattr_destroy(&how);
    return end_s - begin_s;
}

/* --- a cell ----------------------------------------------------------------------------------- */

/* The parameter of {KEY} at s, or NULL. */
static const char *param_at(const char *s, const json_t *params)
{
    const char *end = *s == '{' ? strchr(s, '}') : NULL;
    char key[64];

    snprintf(key, sizeof key, "%.*s", end ? (int)(end - s - 1) : 0, s + 1);
    return end ? json_string_value(json_object_get(params, key)) : NULL;
}

/* A word with each {KEY} replaced by that parameter; {{KEY}} of no parameter is {KEY}, and other
 * braces stay. */
static char *filled(const char *word, const json_t *params)
{
    abdb_text out = {0};
    char *copy;

    while (*word) {
        const char *value = param_at(word, params);
        size_t size = *word == '{' && !param_at(word + 1, params) ? abdb_braced(word + 1) : 0;

        if (value) {
            abdb_text_puts(&out, value);
            word = strchr(word, '}') + 1;
        } else if (size && word[1 + size] == '}') {
            abdb_text_add(&out, word + 1, size);
            word += 1 + size + 1;
        } else
            abdb_text_add(&out, word++, 1);
    }
    copy = out.failed ? NULL : strdup(abdb_text_get(&out));
    abdb_text_free(&out);
    return copy;
}

static void tell(const char *cell, char *const *words)
{
    abdb_text line = {0};

    for (size_t i = 0; words[i]; i++) abdb_text_printf(&line, "%s%s", i ? " " : "", words[i]);
    abdb_print_record(json_pack("{s:s,s:s,s:s,s:s,s:f,s:f,s:s,s:i,s:{s:s,s:s,s:s}}", "kind",
                                "result", "cell", cell, "formula", "wall-time@1", "dtype", "",
                                "ops", 0.0, "bytes", 0.0, "verified", "pass", "batch", 1, "factors",
                                "sample_unit", "process", "command", abdb_text_get(&line),
                                "verified_by", "exit code"));
    abdb_text_free(&line);
}

/* The starts of one turn. */
static void take_turn(turn *t)
{
    double first_s = abdb_now_s(), all = 0;

    for (int i = 0; i < RUNS_MAX && (!i || all < turn_s); i++) {
        double at_s = abdb_now_s() - first_s, time_s = start_once(t);

        if (*t->why || t->cancelled) return;
        all += time_s;
        abdb_print_record(json_pack("{s:s,s:s,s:i,s:f,s:f}", "kind", "sample", "cell", t->cell,
                                    "seq", i, "t_s", at_s, "time_s", time_s));
    }
    tell(t->cell, t->words);
}

static void run_cell(char *const *words, size_t count, json_t *request)
{
    char *own[ABDB_ARGUMENTS + 1] = {NULL};
    turn t = {.words = own,
              .cell = json_string_value(json_object_get(request, "cell")),
              .said = memfd_create("said", MFD_CLOEXEC)};
    const json_t *params = json_object_get(request, "params");
    abdb_text why = {0};

    abdb_print_record(json_pack("{s:s,s:s}", "kind", "begin", "cell", t.cell));
    for (size_t i = 0; i < count && i < ABDB_ARGUMENTS; i++)
        if (!(own[i] = filled(words[i], params))) snprintf(t.why, sizeof t.why, "no memory");
    if (t.said < 0) snprintf(t.why, sizeof t.why, "no file for its words: %s", strerror(errno));
    if (!*t.why) take_turn(&t);
    abdb_text_plain(&why, t.why);
    abdb_print_record(json_pack("{s:s,s:s,s:s,s:s}", "kind", "end", "cell", t.cell, "status",
                                t.cancelled ? "cancelled"
                                : *t.why    ? "failed"
                                            : "ok",
                                "reason", t.cancelled ? "interrupted" : abdb_text_get(&why)));
    abdb_text_free(&why);
    for (size_t i = 0; i < count && i < ABDB_ARGUMENTS; i++) free(own[i]);
    if (t.said >= 0) close(t.said);
}

static void print_device(void)
{
    cpu_set_t set;
    int threads = sched_getaffinity(0, sizeof set, &set) == 0 ? CPU_COUNT(&set) : 1;
    abdb_device device = *abdb_host_device(1);
    json_t *machine;

    device.threads = 0; /* none of ours: no region of them is timed */
    machine = abdb_machine(&command, &device);
    json_object_del(machine, "compiler"); /* of this program, which is not what is measured */
    abdb_print_record(json_pack("{s:s,s:o}", "kind", "environment", "environment", machine));
    abdb_print_record(json_pack("{s:s,s:s,s:i,s:i,s:s,s:f,s:f}", "kind", "device", "name",
                                device.name, "devices", 1, "threads", threads, "clock",
                                device.clock, "clock_resolution_s", device.resolution_s,
                                "clock_cost_s", device.cost_s));
}

int main(int argc, char **argv)
{
    const char *verb = argc > 2 ? argv[argc - 1] : "";
    bool run = strcmp(verb, "run") == 0;
    char *line = NULL;
    size_t room = 0;

    if (!run && strcmp(verb, "describe") != 0 && strcmp(verb, "estimate") != 0) {
        fputs("abdb-command - wall time of whole programs\nusage: abdb-command WORD... describe |"
              " run | estimate\nabdb run --command NAME='WORD...' starts it\n",
              stderr);
        return 2;
    }
    if (!abdb_records_open()) return 6;
    for (int file = 3; file < FILES_MAX; file++) fcntl(file, F_SETFD, FD_CLOEXEC);
    sigemptyset(&awaited);
    sigaddset(&awaited, SIGCHLD);
    sigaddset(&awaited, SIGINT);
    sigprocmask(SIG_BLOCK, &awaited, NULL);
    abdb_print_record(json_pack("{s:s,s:i,s:s,s:s,s:[{s:s,s:s,s:s,s:s}]}", "kind", "hello",
                                "protocol", 1, "backend", command.name, "summary", command.summary,
                                "kernels", "name", "wall-time", "provider", command.name, "summary",
                                "a program, from its start to its end", "formula", "wall-time@1"));
    print_device();
    while (run && getline(&line, &room, stdin) > 0) {
        json_error_t fault;
        json_t *request = json_loads(line, 0, &fault);

        if (json_is_string(json_object_get(request, "cell")))
            run_cell(argv + 1, (size_t)argc - 2, request);
        json_decref(request);
    }
    free(line);
    abdb_print_record(json_pack("{s:s}", "kind", "bye"));
    return 0;
}
