/* resume_command.h - the command that goes on with an interrupted run. */
#ifndef ABDB_QUERY_RESUME_COMMAND_H
#define ABDB_QUERY_RESUME_COMMAND_H

#include "query/cli/command_line.h"

/* Prints it to standard error: the same command with --resume. */
void abdb_print_resume_command(const abdb_args *args, char **argv);

#endif
