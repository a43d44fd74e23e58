/* launcher.c - the words that start several ranks; see launcher.h. */
#include "kernels/runner/launcher.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef struct {
    abdb_launcher_command *out;
    size_t count;
    bool full;
} word_list;

static void append_launcher_word(word_list *w, const char *word)
{
    if (w->count < ABDB_LAUNCH_WORDS && word)
        w->out->word[w->count++] = word;
    else
        w->full = true;
}

/* Is a program there, in PATH or at its path? */
static bool is_executable_at_path_or_in_path_variable(const char *name)
{
    const char *path = getenv("PATH");
    char file[4096];

    if (strchr(name, '/')) return access(name, X_OK) == 0;
    while (path && *path) {
        size_t size = strcspn(path, ":");

        snprintf(file, sizeof file, "%.*s/%s", (int)size, path, name);
        if (size && access(file, X_OK) == 0) return true;
        path += size + (path[size] == ':');
    }
    return false;
}

/* The words of a launcher, which blanks separate. */
static void append_words_split_at_blanks(word_list *w, const char *text, abdb_arena *arena)
{
    while (*(text += strspn(text, " \t"))) {
        size_t size = strcspn(text, " \t");

        append_launcher_word(w, abdb_arena_copy(arena, text, size));
        text += size;
    }
}

/* ABDB_USAGE: --hosts is empty, begins like an option, or has characters that no list of hosts
 * has. */
static abdb_status require_hosts_option_is_host_list(const char *hosts, abdb_error *err)
{
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
                                "._-:,[]";

    if (!hosts || (*hosts && *hosts != '-' && strspn(hosts, plain) == strlen(hosts)))
        return ABDB_OK;
    return ABDB_FAIL(err, ABDB_USAGE,
                     "--hosts wants names as the launcher takes them: node1:4,node2:4");
}

/* mpirun takes no more ranks than it counts processors, unless it is told to. */
static void append_mpirun_options(word_list *w, const abdb_launcher_request *a)
{
    if (a->root) append_launcher_word(w, "--allow-run-as-root");
    if (!a->hosts && a->ranks > a->processors) append_launcher_word(w, "--oversubscribe");
    if (!a->hosts) return;
    append_launcher_word(w, "-H");
    append_launcher_word(w, a->hosts);
}

/* A rank that ends badly ends all; what is asked goes to rank 0. */
static void append_srun_options(word_list *w, const abdb_launcher_request *a)
{
    append_launcher_word(w, "--kill-on-bad-exit=1");
    append_launcher_word(w, "--input=0");
    if (!a->hosts) return;
    append_launcher_word(w, "-w");
    append_launcher_word(w, a->hosts);
}

abdb_status abdb_launcher_build_command(abdb_launcher_command *out, const abdb_launcher_request *a,
                                        abdb_arena *arena, abdb_error *err)
{
    static const char *const of_mpi[] = {"mpirun", "mpiexec", "orterun", "prterun", NULL};
    word_list w = {.out = out};
    const char *name, *slash;
    bool is_mpirun;
    abdb_status st = ABDB_OK;

    *out = (abdb_launcher_command){.ranks = a->ranks};
    TRY(require_hosts_option_is_host_list(a->hosts, err));
    append_words_split_at_blanks(&w, a->launcher ? a->launcher : "mpirun", arena);
    if (!w.count) TRY(ABDB_FAIL(err, ABDB_USAGE, "--launcher wants a program: mpirun or srun"));
    slash = strrchr(out->word[0], '/');
    name = slash ? slash + 1 : out->word[0];
    is_mpirun = abdb_text_is_in_list(name, of_mpi);
    if (!is_mpirun && strcmp(name, "srun") != 0)
        TRY(ABDB_FAIL(err, ABDB_USAGE, "--launcher is mpirun or srun, not '%s'", name));
    if (!is_executable_at_path_or_in_path_variable(out->word[0]))
        TRY(ABDB_FAIL(err, ABDB_USAGE, "there is no program %s (Debian: %s)", out->word[0],
                      is_mpirun ? "openmpi-bin" : "slurm-client"));
    append_launcher_word(&w, "-n");
    append_launcher_word(&w, abdb_arena_printf(arena, "%lld", a->ranks));
    if (is_mpirun)
        append_mpirun_options(&w, a);
    else
        append_srun_options(&w, a);
    if (w.full) TRY(ABDB_FAIL(err, ABDB_LIMIT, "--launcher has too many words"));
done:
    return st;
}
