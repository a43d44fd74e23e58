/* completion.h - what can stand where a word is being typed: the shells ask for it on each TAB. */
#ifndef ABDB_PROGRAM_COMPLETING_H
#define ABDB_PROGRAM_COMPLETING_H

#include <stdio.h>

#include "schema/core/error.h"

/* Prints to `out` what the last of the words of a command line can become, each on a line, with a
 * tab and its meaning where there is one: verbs, options, names of reports and figures, values of
 * options and of selections out of the database. Nothing: perhaps a file. Errors are not said. */
void abdb_print_completions(FILE *out, int words, char *const *word);
/* The script that makes a shell ask: "bash", "zsh" or "fish". ABDB_USAGE: another one. */
ABDB_MUST_USE abdb_status abdb_print_completion_script(FILE *out, const char *shell,
                                                       abdb_error *err);

#endif
