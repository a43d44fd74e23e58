/* resume_command.c - see resume_command.h. */
#include "query/run/resume_command.h"

#include "query/answer/escape.h"

void abdb_print_resume_command(const abdb_args *args, char **argv)
{
    abdb_text command = {0};

    for (int i = 1; argv[i]; i++) abdb_append_blank_and_shell_quoted_word(&command, argv[i]);
    if (!abdb_arg_value(args, "resume")) abdb_text_puts(&command, " --resume");
    if (abdb_arg_value(args, "spool") || abdb_arg_value(args, "search"))
        abdb_print_stderr_remark("stopped; what was measured is kept");
    else
        abdb_print_stderr_remark("stopped; what was measured is kept. To go on: abdb run%s",
                                 abdb_text_get(&command));
    abdb_text_free(&command);
}
