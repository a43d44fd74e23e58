/* completion.h - completions of a word being typed: shells call it on each TAB. */
#ifndef ABDB_PROGRAM_COMPLETING_H
#define ABDB_PROGRAM_COMPLETING_H

#include <stdio.h>

#include "schema/core/error.h"

/* Prints to `out` completions of the last word of a command line, each on a line, with a tab and
 * its meaning where there is one: verbs, options, names of reports and figures, values of options
 * and of selections from the database. No output: perhaps a file. Errors are not printed. */
void abdb_print_completions(FILE *out, int words, char *const *word);
/* The script for completion in a shell: "bash", "zsh" or "fish". ABDB_USAGE: another one. */
ABDB_MUST_USE abdb_status abdb_print_completion_script(FILE *out, const char *shell,
                                                       abdb_error *err);

#endif
