/* command.c - abdb-command WORD... VERB: the wall time of a whole program, for abdb run --command.
 *
 * It follows protocol.md as backends do, with the words of the command before the verb. A sample is
 * a start of the program, from its start to its end, without a shell; a quick one is started a few
 * times in a turn. {KEY} in a word is the parameter KEY of the cell, and {{KEY}} of no parameter is
 * {KEY}. It reads nothing, its standard output goes where --output has it, and of its standard
 * error the last line is the reason where it fails. It runs in a process group that it may end as
 * it likes, and that ends with this process. Processes that it leaves, in any session, are ended
 * after each start.
 */
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "kernels/harness/harness.h"
#include "kernels/programs/braced_params.h"
#include "kernels/programs/command_options.h"
#include "kernels/programs/cpu_quota.h"
#include "kernels/programs/machine_load.h"
#include "kernels/programs/own_metrics.h"
#include "kernels/programs/program_digest.h"
#include "kernels/programs/program_output.h"
#include "schema/core/fixed_text.h"
#include "schema/core/sanitize_text.h"
#include "schema/core/child_process.h"

enum { RUNS_MAX = 20, BEAT_S = 1, LAST_WORDS = 240, FILES_MAX = 64, ORPHANS_S = 5 };
/* A talkative program is listened to now and then, and finds room meanwhile. */
enum { REST_MS = 1, CHUNK = 65536, PIPE_SIZE = 1 << 20 };
static const double turn_s = 0.2; /* starts of a turn, together: a longer one is started once */

static int signals;          /* file of SIGCHLD and SIGINT, which are waited for, never delivered */
static volatile pid_t group; /* of the program; 0: none */
static volatile pid_t program; /* itself; 0: none runs */
static const abdb_backend command = {.name = "command", .summary = "wall time of whole programs"};

typedef struct {
    char *const *words; /* up to a NULL */
    abdb_command_options options;
    const char *cell;
    int said[2];           /* pipe of its standard error */
    char tail[LAST_WORDS]; /* the last of it */
    abdb_program_output output;
    struct rusage used; /* by the last start, with the processes that it waited for */
    int exit_code;      /* of the last start */
    time_t since;       /* the turn began */
    int worst_code;     /* with --ignore-failure: the largest exit code */
    abdb_own_metrics metrics;
    bool cancelled;
    char escaped[ABDB_ESCAPED_SIZE]; /* processes that it left behind and that were ended */
    char why[LAST_WORDS + 120];      /* the failure; "": none */
} program_turn;

/* Reads the program's standard error from the pipe; returns the bytes. Reads at most a full pipe,
 * since processes that the program left may go on writing. */
static ssize_t drain_stderr_keeping_tail(program_turn *t)
{
    static char chunk[CHUNK];
    ssize_t all = 0, size;

    while (all < PIPE_SIZE && (size = read(t->said[0], chunk, sizeof chunk)) > 0) {
        size_t had = strlen(t->tail), came = (size_t)size, room = sizeof t->tail - 1;
        size_t take = came < room ? came : room, keep = had < room - take ? had : room - take;

        for (size_t i = came - take; i < came; i++)
            if (!chunk[i]) chunk[i] = ' ';
        memmove(t->tail, t->tail + had - keep, keep);
        memcpy(t->tail + keep, chunk + came - take, take);
        t->tail[keep + take] = '\0';
        all += size;
    }
    return all;
}

/* The last line of its standard error. */
static const char *trim_stderr_tail_and_get_last_line(program_turn *t)
{
    char *line;

    for (size_t n = strlen(t->tail); n && strchr("\n\r ", t->tail[n - 1]); n--)
        t->tail[n - 1] = '\0';
    line = strrchr(t->tail, '\n');
    return line ? line + 1 : t->tail;
}

/* Writes into t->why how a program that failed ended, with the last line of its standard error;
 * nothing where it ended well. */
static void write_reason_if_exit_failed(program_turn *t, int status)
{
    const char *words;

    t->exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : 0;
    if (t->cancelled || (WIFEXITED(status) && (!t->exit_code || t->options.ignore_failure))) return;
    drain_stderr_keeping_tail(t);
    words = trim_stderr_tail_and_get_last_line(t);
    if (WIFSIGNALED(status))
        snprintf(t->why, sizeof t->why, "%s was ended by signal %d (%s)", t->words[0],
                 WTERMSIG(status), strsignal(WTERMSIG(status)));
    else
        snprintf(t->why, sizeof t->why, "%.80s ended with code %d", t->words[0],
                 WEXITSTATUS(status));
    if (*words) snprintf(t->why + strlen(t->why), sizeof t->why - strlen(t->why), ": %s", words);
}

/* Of a program that has made a group for itself, as timeout does, that too. */
static void kill_program_own_and_guard_groups(void)
{
    pid_t own = program ? getpgid(program) : 0;

    if (own > 0 && own != getpgrp()) kill(-own, SIGKILL);
    if (group) kill(-group, SIGKILL);
}

/* Ends processes that the program has left, before the next start; processes that had left its
 * group are named in t->escaped. */
static void kill_leftover_processes_and_reap_group(program_turn *t)
{
    char escaped[ABDB_ESCAPED_SIZE];

    kill_program_own_and_guard_groups(); /* its number stays in use until it is reaped */
    waitpid(group, NULL, 0);
    abdb_kill_and_reap_children_name_escapees(group, ORPHANS_S, NULL, escaped);
    if (*escaped) memcpy(t->escaped, escaped, sizeof t->escaped);
    group = 0;
}

/* Waits for its end; meanwhile a record goes out now and then, and SIGINT ends it. */
static void await_exit_with_heartbeats_and_kill_on_sigint(program_turn *t, pid_t pid, double *end_s)
{
    struct pollfd heard[] = {{.fd = signals, .events = POLLIN},
                             {.fd = t->said[0], .events = POLLIN},
                             {.fd = t->output.pipe[0], .events = POLLIN}};
    double beat_s = abdb_clock_seconds();
    int status = 0;
    pid_t gone;

    while ((gone = wait4(pid, &status, WNOHANG, &t->used)) == 0) {
        ssize_t said = drain_stderr_keeping_tail(t);
        ssize_t printed = abdb_program_output_drain(&t->output);
        bool rest = !printed && said && said < PIPE_SIZE / 4;
        struct signalfd_siginfo came;

        heard[1].fd = rest ? -1 : t->said[0];
        poll(heard, 3, rest ? REST_MS : BEAT_S * 1000);
        if (read(signals, &came, sizeof came) == sizeof came && came.ssi_signo == SIGINT) {
            t->cancelled = true;
            kill_program_own_and_guard_groups();
        } else if (abdb_clock_seconds() - beat_s >= BEAT_S) {
            abdb_print_and_free_record(json_pack("{s:s}", "kind", "beat"));
            beat_s = abdb_clock_seconds();
        }
    }
    *end_s = abdb_clock_seconds();
    program = 0;
    abdb_program_output_drain(&t->output);
    if (gone == pid)
        write_reason_if_exit_failed(t, status);
    else
        snprintf(t->why, sizeof t->why, "how %.80s ended cannot be told: %s", t->words[0],
                 strerror(errno));
}

/* Starts the program once and waits for its end; seconds, where t->why stays "". Its group is there
 * before it, so that whatever ends this process now ends it, too. */
static double start_program_and_time_until_exit(program_turn *t)
{
    posix_spawn_file_actions_t files;
    posix_spawnattr_t how;
    sigset_t none, usual;
    double begin_s, end_s = 0;
    pid_t pid;
    int fault;

    if (!(group = abdb_start_group_killed_with_caller())) {
        snprintf(t->why, sizeof t->why, "no process group for it");
        return 0;
    }
    drain_stderr_keeping_tail(t); /* the rest of the start before */
    abdb_program_output_drain(&t->output);
    *t->tail = '\0';
    abdb_program_output_forget(&t->output);
    sigemptyset(&none);
    sigemptyset(&usual);
    sigaddset(&usual, SIGPIPE);
    posix_spawnattr_init(&how);
    posix_spawnattr_setsigmask(&how, &none);
    posix_spawnattr_setsigdefault(&how, &usual);
    posix_spawnattr_setpgroup(&how, group);
    posix_spawnattr_setflags(&how, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF |
                                       POSIX_SPAWN_SETPGROUP);
    posix_spawn_file_actions_init(&files);
    posix_spawn_file_actions_addopen(&files, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    if (abdb_program_output_file(&t->output) >= 0)
        posix_spawn_file_actions_adddup2(&files, abdb_program_output_file(&t->output),
                                         STDOUT_FILENO);
    else
        posix_spawn_file_actions_addopen(&files, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
    posix_spawn_file_actions_adddup2(&files, t->said[1], STDERR_FILENO);
    begin_s = abdb_clock_seconds();
    fault = posix_spawnp(&pid, t->words[0], &files, &how, t->words, environ);
    if (fault)
        snprintf(t->why, sizeof t->why, "%.200s cannot be started: %s", t->words[0],
                 strerror(fault));
    else
        await_exit_with_heartbeats_and_kill_on_sigint(t, program = pid, &end_s);
    kill_leftover_processes_and_reap_group(t);
    posix_spawn_file_actions_destroy(&files);
    posix_spawnattr_destroy(&how);
    return end_s - begin_s;
}

/* --- a cell ----------------------------------------------------------------------------------- */

/* Prints `result` of a program: no operations and bytes, verified by its exit code, its words as
 * the factor `command`. */
static void print_command_result_record(const program_turn *t, const abdb_disturbance *d)
{
    abdb_text all = {0}, line = {0};
    char digest[ABDB_PROGRAM_DIGEST];
    json_t *factors, *record;

    /* A blank ends the last, too: a byte at the end would be taken for half a character. */
    for (size_t i = 0; t->words[i]; i++) abdb_text_printf(&all, "%s ", t->words[i]);
    abdb_text_append_sanitized(&line, abdb_text_get(&all));
    factors = json_pack("{s:s,s:s#,s:s}", "sample_unit", "process", "command", abdb_text_get(&line),
                        line.size ? (int)line.size - 1 : 0, "verified_by", "exit code");
    if (abdb_digest_program_libraries_and_named_files(t->words, t->since, digest))
        json_object_set_new(factors, "program_digest", json_string(digest));
    json_object_set_new(factors, "output", json_string(abdb_program_output_name(&t->output)));
    if (isfinite(abdb_smallest_cgroup_cpu_quota()))
        json_object_set_new(factors, "cpu_quota",
                            json_sprintf("%.6g", abdb_smallest_cgroup_cpu_quota()));
    if (t->options.ignore_failure)
        json_object_set_new(factors, "exit_code", json_sprintf("%d", t->worst_code));
    if (t->options.warmup)
        json_object_set_new(factors, "warmup", json_sprintf("%d", t->options.warmup));
    record = json_pack("{s:s,s:s,s:s,s:s,s:f,s:f,s:s,s:i,s:o}", "kind", "result", "cell", t->cell,
                       "formula", "wall-time@1", "dtype", "", "ops", 0.0, "bytes", 0.0, "verified",
                       "pass", "batch", 1, "factors", factors);
    abdb_disturbance_add_to_record(d, record);
    abdb_print_and_free_record(record);
    abdb_text_free(&line);
    abdb_text_free(&all);
}

/* Adds what the last start used, and the metrics that it printed; the failure goes to t->why. */
static void add_metrics_of_last_start(program_turn *t)
{
    abdb_error err;
    abdb_status st = ABDB_OK;

    TRY(abdb_own_metrics_add_usage(&t->metrics, &t->used, &err));
    for (size_t i = 0; i < t->options.metrics; i++)
        TRY(abdb_own_metrics_read_output(&t->metrics, t->options.metric[i],
                                         t->output.tail ? t->output.tail : "", &err));
done:
    if (st != ABDB_OK) snprintf(t->why, sizeof t->why, "%.300s", err.message);
}

static void print_metric_records(program_turn *t)
{
    for (size_t i = 0; i < t->metrics.count; i++)
        abdb_print_and_free_record(json_pack("{s:s,s:s,s:s,s:s,s:f}", "kind", "metric", "cell",
                                             t->cell, "metric", t->metrics.metric[i].name,
                                             "statistic", "median", "value",
                                             abdb_own_metric_median(&t->metrics.metric[i])));
}

/* Runs a line of --setup, --prepare or --cleanup in a shell, untimed. False: it failed or was
 * interrupted, and t->why names it. */
static bool run_shell_line_untimed(program_turn *t, const char *option, const char *line)
{
    char *copy = line ? strdup(line) : NULL,
         *shell[] = {(char[]){"sh"}, (char[]){"-c"}, copy, NULL};
    char *const *words = t->words;
    bool ignored = t->options.ignore_failure;
    char why[LAST_WORDS + 120];

    if (!line) return true;
    if (!copy) snprintf(t->why, sizeof t->why, "no memory");
    t->words = shell;
    t->options.ignore_failure = false;
    if (copy) start_program_and_time_until_exit(t);
    t->words = words;
    t->options.ignore_failure = ignored;
    free(copy);
    if (*t->why) {
        memcpy(why, t->why, sizeof why);
        snprintf(t->why, sizeof t->why, "%s: %.*s", option, (int)sizeof why - 20, why);
    }
    return !*t->why && !t->cancelled;
}

/* Starts the program once, after --prepare; timed starts give a sample. False: it failed. */
static bool run_one_start(program_turn *t, int seq, double first_s, double *time_s)
{
    double at_s;

    if (!run_shell_line_untimed(t, "--prepare", t->options.prepare)) return false;
    at_s = abdb_clock_seconds() - first_s;
    *time_s = start_program_and_time_until_exit(t);
    if (*t->why || t->cancelled || seq < 0) return !*t->why && !t->cancelled;
    if (t->exit_code > t->worst_code) t->worst_code = t->exit_code;
    add_metrics_of_last_start(t);
    if (*t->why) return false;
    abdb_print_and_free_record(json_pack("{s:s,s:s,s:i,s:f,s:f}", "kind", "sample", "cell", t->cell,
                                         "seq", seq, "t_s", at_s, "time_s", *time_s));
    return true;
}

/* The starts of one turn, the untimed ones first. */
static void run_program_and_print_samples_and_result(program_turn *t)
{
    double first_s = abdb_clock_seconds(), all = 0, time_s;
    abdb_machine_load begin;
    abdb_disturbance disturbance;

    if (!run_shell_line_untimed(t, "--setup", t->options.setup)) return;
    abdb_read_machine_load(&begin);
    for (int i = -t->options.warmup; i < RUNS_MAX && (i <= 0 || all < turn_s); i++) {
        if (!run_one_start(t, i, first_s, &time_s)) return;
        if (i >= 0) all += time_s;
    }
    disturbance = abdb_disturbance_since(&begin);
    if (!run_shell_line_untimed(t, "--cleanup", t->options.cleanup)) return;
    print_metric_records(t);
    print_command_result_record(t, &disturbance);
}

/* Names on standard error the processes that the program left. */
static void print_escaped_processes_to_stderr(const program_turn *t)
{
    abdb_text line = {0};

    abdb_text_append_sanitized(&line, t->words[0]);
    fprintf(stderr, "abdb: %s left processes behind, which were ended: %s\n", abdb_text_get(&line),
            t->escaped);
    abdb_text_free(&line);
}

/* Names on standard error the members of JSON lines that are no metric, in the first turn alone. */
static void print_left_out_members_to_stderr_once(const program_turn *t)
{
    static bool printed;
    abdb_text line = {0};

    if (printed) return;
    printed = true;
    abdb_text_append_sanitized(&line, t->metrics.left_out);
    fprintf(stderr, "abdb: left out, no names of schema/core/metric.def: %s\n",
            abdb_text_get(&line));
    abdb_text_free(&line);
}

static void close_files_of_turn(program_turn *t)
{
    for (int i = 0; i < 2; i++)
        if (t->said[i] >= 0) close(t->said[i]);
    abdb_program_output_close(&t->output);
}

/* Runs the program as one cell: its words with the parameters put in, samples, and an `end` with
 * the reason of a failure. */
static void run_command_cell_and_print_records(char *const *words, size_t count, json_t *request)
{
    char *own[ABDB_ARGUMENTS + 1] = {NULL};
    program_turn t = {.cell = json_string_value(json_object_get(request, "cell")),
                      .said = {-1, -1},
                      .output = {.pipe = {-1, -1}, .file = -1},
                      .since = time(NULL)};
    const json_t *params = json_object_get(request, "params");
    abdb_text why = {0};

    abdb_print_and_free_record(json_pack("{s:s,s:s}", "kind", "begin", "cell", t.cell));
    for (size_t i = 0; i < count && i < ABDB_ARGUMENTS; i++)
        if (!(own[i] = abdb_copy_word_substituting_braced_params(words[i], params)))
            snprintf(t.why, sizeof t.why, "no memory");
    if (!*t.why) t.words = own + abdb_command_options_parse(&t.options, own, count);
    if (pipe2(t.said, O_CLOEXEC) != 0)
        snprintf(t.why, sizeof t.why, "no pipe for its words: %s", strerror(errno));
    fcntl(t.said[0], F_SETFL, O_NONBLOCK);
    fcntl(t.said[0], F_SETPIPE_SZ, PIPE_SIZE); /* where that is not allowed it has less */
    if (!*t.why)
        abdb_program_output_open(&t.output, t.options.output, t.options.metrics, t.why,
                                 sizeof t.why);
    if (!*t.why) run_program_and_print_samples_and_result(&t);
    if (*t.escaped) print_escaped_processes_to_stderr(&t);
    if (*t.metrics.left_out && !*t.why) print_left_out_members_to_stderr_once(&t);
    abdb_text_append_sanitized(&why, t.why);
    abdb_print_and_free_record(
        json_pack("{s:s,s:s,s:s,s:s}", "kind", "end", "cell", t.cell, "status",
                  t.cancelled ? "cancelled"
                  : *t.why    ? "failed"
                              : "ok",
                  "reason", t.cancelled ? "interrupted" : abdb_text_get(&why)));
    abdb_text_free(&why);
    for (size_t i = 0; i < count && i < ABDB_ARGUMENTS; i++) free(own[i]);
    close_files_of_turn(&t);
}

/* Prints the machine and the clock, without values of abdb-command itself. */
static void print_host_environment_and_device_records(void)
{
    cpu_set_t set;
    int threads = sched_getaffinity(0, sizeof set, &set) == 0 ? CPU_COUNT(&set) : 1;
    abdb_device device = *abdb_init_host_device(1);
    json_t *machine;

    device.threads = 0; /* none of ours: no region of them is timed */
    machine = abdb_describe_machine_json(&command, &device);
    json_object_del(machine, "compiler"); /* of abdb-command, not of the measured program */
    abdb_print_and_free_record(
        json_pack("{s:s,s:o}", "kind", "environment", "environment", machine));
    abdb_print_and_free_record(json_pack("{s:s,s:s,s:i,s:i,s:s,s:f,s:f}", "kind", "device", "name",
                                         device.name, "devices", 1, "threads", threads, "clock",
                                         device.clock, "clock_resolution_s", device.resolution_s,
                                         "clock_cost_s", device.cost_s));
}

/* The program goes first. */
static void kill_program_groups_and_reraise_signal(int number)
{
    kill_program_own_and_guard_groups();
    signal(number, SIG_DFL);
    raise(number);
}

/* Sets SIGCHLD to its default, since a parent process may have ignored it: then no exit status of
 * a child could be read. */
static bool block_signals_and_open_signalfd(void)
{
    sigset_t awaited;

    signal(SIGCHLD, SIG_DFL);
    signal(SIGTERM, kill_program_groups_and_reraise_signal);
    sigemptyset(&awaited);
    sigaddset(&awaited, SIGCHLD);
    sigaddset(&awaited, SIGINT);
    sigprocmask(SIG_BLOCK, &awaited, NULL);
    signals = signalfd(-1, &awaited, SFD_CLOEXEC | SFD_NONBLOCK);
    return signals >= 0;
}

/* abdb-command WORD... describe|run|estimate, by the protocol of backends: the cells to run come
 * as lines on standard input. */
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
    if (!abdb_records_take_stdout_divert_prints()) return 6;
    for (int file = 3; file < FILES_MAX; file++) fcntl(file, F_SETFD, FD_CLOEXEC);
    if (!block_signals_and_open_signalfd()) return 6;
    abdb_become_child_subreaper();
    abdb_print_and_free_record(json_pack(
        "{s:s,s:i,s:s,s:s,s:[{s:s,s:s,s:s,s:s}]}", "kind", "hello", "protocol", 1, "backend",
        command.name, "summary", command.summary, "kernels", "name", "wall-time", "provider",
        command.name, "summary", "a program, from its start to its end", "formula", "wall-time@1"));
    print_host_environment_and_device_records();
    while (run && getline(&line, &room, stdin) > 0) {
        json_error_t fault;
        json_t *request = json_loads(line, 0, &fault);

        if (json_is_string(json_object_get(request, "cell")))
            run_command_cell_and_print_records(argv + 1, (size_t)argc - 2, request);
        json_decref(request);
    }
    free(line);
    abdb_print_and_free_record(json_pack("{s:s}", "kind", "bye"));
    return 0;
}
