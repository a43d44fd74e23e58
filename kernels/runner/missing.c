/* missing.c - reads from a backend's first line what it needs and what is not here; see missing.h.
 */
#include "kernels/runner/missing.h"

#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { NOT_EXECUTABLE = 126, NOT_FOUND = 127, FIRST_LINE = 256 };

bool abdb_exit_code_means_program_missing(int wait_status)
{
    return WIFEXITED(wait_status) &&
           (WEXITSTATUS(wait_status) == NOT_EXECUTABLE || WEXITSTATUS(wait_status) == NOT_FOUND);
}

/* Reads the interpreter out of "#!/usr/bin/env python3 -u" and returns whether the file has one. Of
 * env it is the program that env looks for, without options of env. */
static bool read_shebang_interpreter(const char *path, char name[FIRST_LINE])
{
    char line[FIRST_LINE] = "", *word, *rest = NULL;
    FILE *file = strchr(path, '/') ? fopen(path, "rb") : NULL;
    bool has = file && fgets(line, sizeof line, file) && strncmp(line, "#!", 2) == 0;

    if (file) fclose(file);
    word = has ? strtok_r(line + 2, " \t\r\n", &rest) : NULL;
    if (!word) return false;
    if (strcmp(strrchr(word, '/') ? strrchr(word, '/') + 1 : word, "env") == 0 &&
        access(word, X_OK) == 0) {
        char *of_env;

        while ((of_env = strtok_r(NULL, " \t\r\n", &rest)) &&
               (*of_env == '-' || strchr(of_env, '=')))
            continue;
        if (of_env) word = of_env;
    }
    snprintf(name, FIRST_LINE, "%s", word);
    return true;
}

void abdb_describe_missing_interpreter_or_library(char *text, size_t size, const char *path,
                                                  int wait_status)
{
    char name[FIRST_LINE];
    bool has = read_shebang_interpreter(path, name), is_path = has && strchr(name, '/');

    if (has && (!is_path || access(name, X_OK) != 0))
        snprintf(text, size, "%s needs %s, which is not here: install that program", path, name);
    else
        snprintf(text, size,
                 "a program or a library that %s needs is not here (it ends with code %d, as a"
                 " command that is not found): `%s describe` names it",
                 path, WEXITSTATUS(wait_status), path);
}
