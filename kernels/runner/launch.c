/* launch.c - the words that start several ranks; see launch.h. */
#include "kernels/runner/launch.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef struct {
    abdb_launch *out;
    size_t count;
    bool full;
} words;

static void add(words *w, const char *word)
{
    if (w->count < ABDB_LAUNCH_WORDS && word)
        w->out->word[w->count++] = word;
    else
        w->full = true;
}

/* Is a program there, in PATH or at its path? */
static bool is_there(const char *name)
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
static void split(words *w, const char *text, abdb_arena *arena)
{
    while (*(text += strspn(text, " \t"))) {
        size_t size = strcspn(text, " \t");

        add(w, abdb_arena_copy(arena, text, size));
        text += size;
    }
}

static abdb_status check_hosts(const char *hosts, abdb_error *err)
{
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
                                "._-:,[]";

    if (!hosts || (*hosts && *hosts != '-' && strspn(hosts, plain) == strlen(hosts)))
        return ABDB_OK;
    return ABDB_FAIL(err, ABDB_USAGE,
                     "--hosts wants names as the launcher takes them: node1:4,node2:4");
}

/* mpirun takes no more ranks than it counts processors, unless it is told to. */
static void add_mpirun(words *w, const abdb_launch_asked *a)
{
    if (a->root) add(w, "--allow-run-as-root");
    if (!a->hosts && a->ranks > a->processors) add(w, "--oversubscribe");
    if (!a->hosts) return;
    add(w, "-H");
    add(w, a->hosts);
}

/* A rank that ends badly ends all; what is asked goes to rank 0. */
static void add_srun(words *w, const abdb_launch_asked *a)
{
    add(w, "--kill-on-bad-exit=1");
    add(w, "--input=0");
    if (!a->hosts) return;
    add(w, "-w");
    add(w, a->hosts);
}

abdb_status abdb_launch_make(abdb_launch *out, const abdb_launch_asked *a, abdb_arena *arena,
                             abdb_error *err)
{
    static const char *const of_mpi[] = {"mpirun", "mpiexec", "orterun", "prterun", NULL};
    words w = {.out = out};
    const char *name, *slash;
    bool is_mpirun;
    abdb_status st = ABDB_OK;

    *out = (abdb_launch){.ranks = a->ranks};
    TRY(check_hosts(a->hosts, err));
    split(&w, a->launcher ? a->launcher : "mpirun", arena);
    if (!w.count) TRY(ABDB_FAIL(err, ABDB_USAGE, "--launcher wants a program: mpirun or srun"));
    slash = strrchr(out->word[0], '/');
    name = slash ? slash + 1 : out->word[0];
    is_mpirun = abdb_is_word(name, of_mpi);
    if (!is_mpirun && strcmp(name, "srun") != 0)
        TRY(ABDB_FAIL(err, ABDB_USAGE, "--launcher is mpirun or srun, not '%s'", name));
    if (!is_there(out->word[0]))
        TRY(ABDB_FAIL(err, ABDB_USAGE, "there is no program %s (Debian: %s)", out->word[0],
                      is_mpirun ? "openmpi-bin" : "slurm-client"));
    add(&w, "-n");
    add(&w, abdb_arena_printf(arena, "%lld", a->ranks));
    if (is_mpirun)
        add_mpirun(&w, a);
    else
        add_srun(&w, a);
    if (w.full) TRY(ABDB_FAIL(err, ABDB_LIMIT, "--launcher has too many words"));
done:
    return st;
}
