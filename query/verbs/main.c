/* main.c - the abdb program: finds the verb and runs it. */
#include <malloc.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "query/answer/deadline.h"
#include "query/answer/report.h"
#include "query/cli/command_line.h"
#include "query/verbs/json_oom_reserve.h"
#include "schema/core/outfile.h"

static const struct {
    const char *name;
    int (*run)(int argc, char **argv);
} verbs[] = {
#define VERB(name, printed, ...) {printed, abdb_cmd_##name},
#include "query/cli/commands.def"
#undef VERB
};

/* Verbs of other programs that users may type, and abdb's command for each. */
static const struct {
    const char *word, *meant;
} others[] = {{"sql", "abdb query \"SELECT ...\""},
              {"search", "abdb query --search WORD"},
              {"list", "abdb query"},
              {"reports", "abdb query"},
              {"figures", "abdb plot"},
              {"draw", "abdb plot NAME"},
              {"devices", "abdb query specs"},
              {"models", "abdb query coverage"},
              {"load", "abdb import FILE"},
              {"show", "abdb explain KEY"},
              {"man", "abdb help VERB"}};

/* Prints that there is no such verb, with the nearest one. Returns the exit status. */
static int print_unknown_verb_error(const char *name)
{
    abdb_report report = {0};
    bool known;
    const char *names[64], *near;
    size_t count = 0;
    abdb_error err;

    while (count < 64 && abdb_commands[count].name) {
        names[count] = abdb_commands[count].name;
        count++;
    }
    if (name[0] == '-') {
        abdb_set_error_return_status(
            &err, ABDB_USAGE, "no verb '%s': options stand behind it, only --db FILE before", name);
        return abdb_print_error_return_exit_code(&err);
    }
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (strcmp(others[i].word, name) == 0) {
            abdb_set_error_return_status(&err, ABDB_USAGE, "no verb '%s'; that is `%s`", name,
                                         others[i].meant);
            return abdb_print_error_return_exit_code(&err);
        }
    known = abdb_report_load(&report, name, &err) == ABDB_OK;
    abdb_report_free(&report);
    if (known) {
        abdb_set_error_return_status(&err, ABDB_USAGE,
                                     "no verb '%s'; the report of that name is `abdb query %s`",
                                     name, name);
        return abdb_print_error_return_exit_code(&err);
    }
    near = abdb_nearest_name(name, names, count);
    abdb_set_error_return_status(&err, ABDB_USAGE, "no verb '%s'%s%s%s; `abdb help` lists them",
                                 name, near ? ", did you mean '" : "", near ? near : "",
                                 near ? "'?" : "");
    return abdb_print_error_return_exit_code(&err);
}

/* `abdb --db FILE VERB NAME ...`, as people write it, becomes `abdb VERB NAME ... --db FILE`: some
 * verbs need a name first. Words behind `--` stay behind it. */
static void move_verb_before_db_option(int argc, char **argv)
{
    int given = argc > 1 && strncmp(argv[1], "--db=", 5) == 0         ? 1
                : argc > 2 && argv[1] && strcmp(argv[1], "--db") == 0 ? 2
                                                                      : 0;
    char *words[2] = {argc > 1 ? argv[1] : NULL, argc > 2 ? argv[2] : NULL};
    int at = given + 1;

    if (!given || argc <= at) return;
    while (at < argc && strcmp(argv[at], "--") != 0) at++;
    memmove(argv + 1, argv + given + 1, (size_t)(at - given - 1) * sizeof *argv);
    memcpy(argv + at - given, words, (size_t)given * sizeof *words);
}

/* A verb that could not print its whole output has failed, whatever its own exit code: the end of
 * the output may still be in the buffer. */
static int flush_stdout_return_exit_code(int code)
{
    abdb_error err;

    bool written = fflush(stdout) == 0 && !ferror(stdout);

    if (abdb_db_report_log_left_by_close(&err) != ABDB_OK) {
        int left = abdb_print_error_return_exit_code(&err);

        if (code == 0) code = left;
    }
    if (code != 0 || (written && !abdb_allocation_failure_count())) return code;
    if (written) {
        abdb_set_error_return_status(&err, ABDB_NOMEM, "not all was said or done");
        return abdb_print_error_return_exit_code(&err);
    }
    (void)!abdb_fail_write_or_raise_sigpipe(stdout, &err);
    return abdb_print_error_return_exit_code(&err);
}

/* Runs the verb of the command line. Returns its exit status. */
static int dispatch_verb(int argc, char **argv)
{
    const abdb_command *command;
    abdb_error err;

    signal(SIGXFSZ, SIG_IGN); /* a file over its limit is an error, not an end */
    move_verb_before_db_option(argc, argv);
    if (abdb_refuse_and_divert_streams_onto_database(argc, argv, &err) != ABDB_OK)
        return abdb_print_error_return_exit_code(&err);
    if (argc < 2 || strcmp(argv[1], "-h") == 0 || strcmp(argv[1], "--help") == 0) {
        abdb_print_help_of_verb_or_program(argc < 2 ? stderr : stdout, NULL);
        return argc < 2 ? 2 : 0;
    }
    if (strcmp(argv[1], "--version") == 0 || strcmp(argv[1], "-V") == 0)
        return abdb_cmd_version(1, argv);
    command = abdb_command_find(argv[1]);
    if (!command) return print_unknown_verb_error(argv[1]);
    for (int i = 2; i < argc; i++) { /* reports and figures have help of their own */
        if (strcmp(argv[i], "--") == 0) break;
        if ((strcmp(argv[i], "--help") == 0 || strcmp(argv[i], "-h") == 0) &&
            (argc == 3 || !(command->takes & ABDB_TAKES_NAME))) {
            abdb_print_help_of_verb_or_program(stdout, command);
            return 0;
        }
    }
    if (command->takes & ABDB_HAS_DEADLINE)
        abdb_deadline_begin_from_argv_or_default(argc - 1, argv + 1);
    for (size_t i = 0; i < sizeof verbs / sizeof verbs[0]; i++)
        if (strcmp(verbs[i].name, command->name) == 0) return verbs[i].run(argc - 1, argv + 1);
    return print_unknown_verb_error(argv[1]);
}

int main(int argc, char **argv)
{
    /* SQLite prepares a query on views from many small blocks. glibc puts the freed ones into bins
     * that it empties again and again: a sixth of the time of a report. */
    (void)mallopt(M_MXFAST, 0);
    abdb_json_install_oom_reserve();
    return flush_stdout_return_exit_code(dispatch_verb(argc, argv));
}
