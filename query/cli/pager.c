/* pager.c - a pager on the terminal; see pager.h. */
#include "query/cli/pager.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "query/answer/output.h"

static FILE *pager;

/* Waits until the user ends the pager; ^C is then for the pager alone. */
static void close_stdout_wait_for_pager(void)
{
    signal(SIGINT, SIG_IGN);
    fflush(stdout);
    close(STDOUT_FILENO);
    pclose(pager);
}

/* A reader who has seen enough ends the program, which is no error. */
static void exit_success_on_sigpipe(int number)
{
    (void)number;
    _exit(EXIT_SUCCESS);
}

/* Is there a program of that name in $PATH? */
static bool program_is_in_path(const char *name)
{
    const char *path = getenv("PATH");

    while (path && *path) {
        size_t size = strcspn(path, ":");
        char file[4096];

        snprintf(file, sizeof file, "%.*s/%s", (int)size, path, name);
        if (access(file, X_OK) == 0) return true;
        path += size + (path[size] == ':');
    }
    return false;
}

/* Can the first word of a command be run? Yes, where only a shell could find out. */
static bool command_is_runnable(const char *command)
{
    char word[4096];

    snprintf(word, sizeof word, "%.*s", (int)strcspn(command, " "), command);
    if (word[strcspn(word, "'\"\\$`|;&<>()=~*?{}[]!#")]) return true;
    return strchr(word, '/') ? access(word, X_OK) == 0 : program_is_in_path(word);
}

static const char *choose_pager_command(void)
{
    const char *own = getenv("ABDB_PAGER"), *any = getenv("PAGER");

    if (!own) own = any;
    if (!own) return program_is_in_path("less") ? "less" : NULL;
    return *own && strcmp(own, "cat") != 0 ? own : NULL;
}

void abdb_pipe_stdout_to_pager(void)
{
    const char *program = choose_pager_command(), *term = getenv("TERM");
    int columns = abdb_terminal_width_or_zero(stdout);

    if (pager || !columns || !program || (term && strcmp(term, "dumb") == 0)) return;
    if (!command_is_runnable(program)) {
        abdb_print_stderr_remark("no pager '%s' can be run, so this is printed as it is", program);
        return;
    }
    /* The options that git gives to less: F to end at once where all fits, R to keep colours, X to
     * leave the text on the screen. 0: the user's own LESS stays. */
    setenv("LESS", "FRX", 0);
    fflush(stdout);
    pager = popen(program, "w");
    if (!pager) return; /* then it is printed as it is */
    abdb_treat_stdout_as_paged_terminal(columns);
    dup2(fileno(pager), STDOUT_FILENO);
    signal(SIGPIPE, exit_success_on_sigpipe);
    atexit(close_stdout_wait_for_pager);
}
