/* cmd_demo.c - abdb demo: shows abdb by commands that are printed before they run, so that the
 * reader can type them. Each command runs this program. */
#include <errno.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "plots/figure.h"
#include "query/cli/command_line.h"
#include "schema/core/child_process.h"

enum { WORDS = 16, CHUNK = 4096, ACCEPT_ANSWERS = 3 };

/* Title and command of each step; no word contains a character that a shell would interpret. */
static const struct {
    const char *what, *word[WORDS];
} steps[] = {
    {"The evidence that abdb ships: published results, specifications and prices, each with its"
     " source",
     {"import", "data", "--quiet"}},
    {"Which accelerator serves Llama 2 70B fastest, per chip?",
     {"query", "mlperf-llm", "--round", "v6.0", "--model", "llama2-70b-99", "--scenario",
      "Server"}},
    {"By how much, and may the two be compared?",
     {"compare", "device=H200-SXM", "device=MI355X", "--where",
      "model=llama2-70b-99,devices=8,scenario=Server", "--per", "device"}},
    {"How fast is this machine? A matrix product and a copy through memory, each checked",
     {"run", "--quick", "--quiet", "--backend", "vec", "--kernel", "gemm", "--axis", "n=1024",
      "--axis", "dtype=f32", "--tag", "demo"}},
    {NULL,
     {"run", "--quick", "--quiet", "--backend", "vec", "--kernel", "stream", "--axis", "op=copy",
      "--tag", "demo"}},
    {NULL, {"query", "kernels", "--tag", "demo", "--brief"}},
    {"Is it as fast as others of its kind? abdb says what would settle it, where it cannot tell",
     {"accept", "--backend", "vec", "--budget", "20"}},
    {"A picture for an article",
     {"plot", "mlperf-llm", "--round", "v6.0", "--model", "llama2-70b-99", "--scenario", "Server",
      "--out", "abdb-demo.svg"}},
};

/* Prints the heading of a step and the command that it runs. */
static void print_step_command(const char *what, const char *const *word)
{
    if (what) {
        abdb_print_sanitized(stdout, "\n");
        abdb_print_colour_code_if_colours_allowed(stdout, "1");
        abdb_print_sanitized(stdout, "%s", what);
        abdb_print_colour_code_if_colours_allowed(stdout, "0");
        abdb_print_sanitized(stdout, "\n");
    }
    abdb_print_sanitized(stdout, "$ abdb");
    for (; *word; word++) abdb_print_sanitized(stdout, " %s", *word);
    abdb_print_sanitized(stdout, "\n");
    fflush(stdout);
}

/* A picture needs gnuplot, which a wheel does not contain: without it the step prints a note and
 * does not fail. */
static bool print_and_skip_plot_if_no_gnuplot(const char *verb)
{
    abdb_error err;
    char version[64];

    if (strcmp(verb, "plot") != 0 || abdb_gnuplot_version(version, sizeof version, &err) == ABDB_OK)
        return false;
    abdb_print_sanitized(stdout, "left out: %s\n", err.message);
    return true;
}

/* This program, with these words and that database; its output becomes ours. *code: its exit code.
 */
static abdb_status run_step_copy_output(const char *const *word, const char *db, int *code,
                                        abdb_error *err)
{
    abdb_program p = {.in = -1, .out = -1, .error_output = -1};
    abdb_start_options how = {.path = "/proc/self/exe", .argument = {"--db", db}};
    char chunk[CHUNK];
    ssize_t size;
    int status;
    abdb_status st = ABDB_OK;

    for (int i = 0; i < WORDS && word[i]; i++) how.argument[2 + i] = word[i];
    TRY(abdb_program_start_with_pipes(&p, &how, err));
    close(p.in);
    p.in = -1;
    while ((size = read(p.out, chunk, sizeof chunk)) > 0 || (size < 0 && errno == EINTR))
        if (size > 0) abdb_write_sanitized_if_terminal(stdout, chunk, (size_t)size);
    fflush(stdout);
    if (size < 0)
        st = ABDB_FAIL(err, ABDB_IO, "cannot read what abdb %s says: %s", word[0], strerror(errno));
done:
    status = p.pid ? abdb_program_kill_and_reap(&p) : 0;
    *code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    return st;
}

int abdb_cmd_demo(int argc, char **argv)
{
    abdb_args args;
    abdb_error err;
    const char *db;
    int code = 0, worst = 0;
    abdb_status st = ABDB_OK;

    TRY(abdb_args_parse(&args, argc, argv, "demo", NULL, &err));
    if (args.positionals)
        TRY(ABDB_FAIL(&err, ABDB_USAGE, "demo takes no words: %s", args.positional[0]));
    db = abdb_arg_value(&args, "db");
    if (!db) db = "abdb-demo.db";
    for (size_t i = 0; i < sizeof steps / sizeof steps[0]; i++) {
        print_step_command(steps[i].what, steps[i].word);
        if (print_and_skip_plot_if_no_gnuplot(steps[i].word[0])) continue;
        TRY(run_step_copy_output(steps[i].word, db, &code, &err));
        /* slow, or not to be told: an answer, no failure */
        if (strcmp(steps[i].word[0], "accept") == 0 && code <= ACCEPT_ANSWERS) code = 0;
        if (code > worst) worst = code;
        if (code >= 128) break;      /* stopped by the user, or killed */
        if (!i && code) return code; /* without the evidence there is nothing to show */
    }
    abdb_print_sanitized(
        stdout,
        "\nAll of it is in %s. Next: export ABDB_DB=%s, then abdb query (what can be asked),"
        " abdb choose --help, abdb run --list, abdb site\n",
        db, db);
done:
    if (st != ABDB_OK) return abdb_print_error_return_exit_code(&err);
    return worst;
}
