/* run_verb.c - runs a verb of this program as a process; see run_verb.h. */
#include "query/mcp/run_verb.h"

#include <errno.h>
#include <poll.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "schema/core/timing.h"

/* Reads once from *from into text; closes *from and sets it to -1 at its end. */
static void read_once(int *from, abdb_text *text)
{
    char buffer[1 << 16];
    ssize_t n = read(*from, buffer, sizeof buffer);

    if (n > 0) {
        abdb_text_add(text, buffer, (size_t)n);
    } else if (n == 0 || (errno != EAGAIN && errno != EINTR)) {
        close(*from);
        *from = -1;
    }
}

/* Reads both outputs of the program until they end, or a limit is passed. */
static void read_until_end_or_limit(abdb_program *p, double until, abdb_verb_answer *out)
{
    while (p->out >= 0 || p->error_output >= 0) {
        struct pollfd ends[] = {{p->out, POLLIN, 0}, {p->error_output, POLLIN, 0}};
        double left_s = until - abdb_monotonic_seconds();

        if (left_s <= 0)
            out->cut_off = "it took too long: ask for less, such as one model or round";
        if (out->output.size > ABDB_VERB_OUTPUT_MAX || out->words.size > ABDB_VERB_WORDS_MAX)
            out->cut_off = "its answer is too large: ask for fewer rows or columns";
        if (out->cut_off) return;
        if (poll(ends, 2, (int)(left_s * 1000) + 1) <= 0) continue;
        if (ends[0].revents) read_once(&p->out, &out->output);
        if (ends[1].revents) read_once(&p->error_output, &out->words);
    }
}

abdb_status abdb_run_verb(abdb_verb_answer *out, const char *const *argument, double timeout_s,
                          abdb_error *err)
{
    abdb_start_options how = {.path = "/proc/self/exe", .capture_stderr = true};
    abdb_program p;
    int status;
    abdb_status st;

    *out = (abdb_verb_answer){0};
    for (size_t i = 0; argument[i]; i++) {
        if (i + 1 >= ABDB_ARGUMENTS) return ABDB_FAIL(err, ABDB_USAGE, "too many arguments");
        how.argument[i] = argument[i];
    }
    st = abdb_program_start_with_pipes(&p, &how, err);
    if (st != ABDB_OK) return st;
    close(p.in);
    p.in = -1;
    read_until_end_or_limit(&p, abdb_monotonic_seconds() + timeout_s, out);
    if (!out->cut_off && !abdb_program_wait_until_ended(&p, timeout_s, NULL))
        out->cut_off = "it did not end";
    status = abdb_program_kill_and_reap(&p);
    out->exit_code = out->cut_off ? ABDB_LIMIT : WIFEXITED(status) ? WEXITSTATUS(status) : -1;
    return ABDB_OK;
}

void abdb_verb_answer_free(abdb_verb_answer *answer)
{
    abdb_text_free(&answer->output);
    abdb_text_free(&answer->words);
}
