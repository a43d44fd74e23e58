/* run_verb.h - runs a verb of this program as a process of its own, within limits, so that a
 * client's request can neither block nor end the server. */
#ifndef ABDB_MCP_RUN_VERB_H
#define ABDB_MCP_RUN_VERB_H

#include "schema/core/child_output.h"
#include "schema/core/text.h"

enum {
    ABDB_VERB_OUTPUT_MAX = 4 << 20,
    ABDB_VERB_WORDS_MAX = 256 << 10,
    ABDB_VERB_ARGUMENT_MAX = 100000 /* below what Linux hands to a program in one argument */
};

typedef struct {
    abdb_text output, words; /* standard output, and standard error */
    int exit_code;
    const char *cut_off; /* why it was ended early: its time or its output; or NULL */
} abdb_verb_answer;

/* Runs abdb with these arguments (NULL ends them; argument[0] is the verb) for at most timeout_s.
 * input: what it reads from standard input, or NULL. ABDB_IO: it could not be started; ABDB_USAGE:
 * too many arguments, or one over ABDB_VERB_ARGUMENT_MAX. Free with
 * abdb_verb_answer_free. */
ABDB_MUST_USE abdb_status abdb_run_verb_in_child_process(abdb_verb_answer *out,
                                                         const char *const *verb_arguments,
                                                         const char *input, double timeout_s,
                                                         abdb_error *err);
void abdb_verb_answer_free(abdb_verb_answer *answer);

#endif
