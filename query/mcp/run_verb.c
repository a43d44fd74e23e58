/* run_verb.c - runs a verb of this program as a process; see run_verb.h. */
#include "query/mcp/run_verb.h"

#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "schema/core/memory_file.h"

abdb_status abdb_run_verb_in_child_process(abdb_verb_answer *out, const char *const *verb_arguments,
                                           const char *input, double timeout_s, abdb_error *err)
{
    abdb_start_options how = {.path = "/proc/self/exe", .capture_stderr = true};
    static const char *const cut_off[] = {
        [ABDB_OUTPUT_WHOLE] = NULL,
        [ABDB_OUTPUT_TOO_LONG] = "it took too long: ask for less, such as one model or round",
        [ABDB_OUTPUT_TOO_LARGE] = "its answer is too large: ask for fewer rows or columns"};
    abdb_program p;
    int status;
    abdb_status st;

    *out = (abdb_verb_answer){0};
    for (size_t i = 0; verb_arguments[i]; i++) {
        if (i + 1 >= ABDB_ARGUMENTS) return ABDB_FAIL(err, ABDB_USAGE, "too many arguments");
        if (strlen(verb_arguments[i]) > ABDB_VERB_ARGUMENT_MAX)
            return ABDB_FAIL(err, ABDB_USAGE, "an argument is too long: %d bytes at most",
                             ABDB_VERB_ARGUMENT_MAX);
        how.argument[i] = verb_arguments[i];
    }
    if (input) {
        how.input_file = abdb_memory_file_open(input, strlen(input), err);
        if (how.input_file < 0) return err->status;
    }
    st = abdb_program_start_with_pipes(&p, &how, err);
    if (input) close(how.input_file);
    if (st != ABDB_OK) return st;
    out->cut_off = cut_off[abdb_program_read_output_and_reap(&p, timeout_s, ABDB_VERB_OUTPUT_MAX,
                                                             ABDB_VERB_WORDS_MAX, &out->output,
                                                             &out->words, &status)];
    out->exit_code = out->cut_off ? ABDB_LIMIT : WIFEXITED(status) ? WEXITSTATUS(status) : -1;
    return ABDB_OK;
}

void abdb_verb_answer_free(abdb_verb_answer *answer)
{
    abdb_text_free(&answer->output);
    abdb_text_free(&answer->words);
}
