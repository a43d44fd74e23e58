/* git_commit.c - which revision is measured; see git_commit.h. */
#include "query/run/git_commit.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "schema/core/child_process.h"

enum { SAID_MAX = 4096, WAIT_S = 30 };

/* git status would refresh, and lock, the index of somebody's checkout. */
static void disable_git_locks(const void *given)
{
    (void)given;
    setenv("GIT_OPTIONAL_LOCKS", "0", 1);
    setenv("TZ", "UTC", 1); /* dates of commits are printed in it */
}

/* The first line of git's output, into out; returns its exit code, 127: it could not be started.
 * core.fsmonitor is switched off because it names a program that git would start; git's standard
 * error is dropped. */
static int read_first_line_of_git_command(const char *folder, const char *const *words,
                                          char out[SAID_MAX])
{
    abdb_start_options how = {.path = "git",
                              .argument = {"-C", folder, "-c", "core.fsmonitor=false"},
                              .capture_stderr = true,
                              .prepare = disable_git_locks};
    abdb_program git;
    char rest[SAID_MAX];
    size_t size = 0, n = 4;
    ssize_t got;
    int status;

    *out = '\0';
    for (; *words && n < ABDB_ARGUMENTS - 1; words++) how.argument[n++] = *words;
    if (abdb_program_start_with_pipes(&git, &how, NULL) != ABDB_OK) return 127;
    close(git.in);
    git.in = -1;
    while ((got = read(git.out, rest, sizeof rest)) > 0 || (got < 0 && errno == EINTR))
        for (ssize_t i = 0; i < got && size < SAID_MAX - 1; i++) out[size++] = rest[i];
    if (got < 0) size = 0; /* half of a name is another's */
    out[size] = '\0';
    out[strcspn(out, "\n")] = '\0';
    abdb_program_wait_until_ended(&git, WAIT_S, NULL);
    status = abdb_program_kill_and_reap(&git);
    return got == 0 && WIFEXITED(status) ? WEXITSTATUS(status) : 127;
}

static const char *copy_text(abdb_arena *arena, const char *text)
{
    return abdb_arena_copy(arena, text, strlen(text));
}

/* When a revision was committed, UTC, or NULL. */
static const char *commit_date(const char *revision, const char *folder, abdb_arena *arena)
{
    const char *const words[] = {"log",
                                 "-1",
                                 "--date=format-local:%Y-%m-%dT%H:%M:%SZ",
                                 "--format=%cd",
                                 "--end-of-options",
                                 revision,
                                 "--",
                                 NULL};
    char said[SAID_MAX];

    if (read_first_line_of_git_command(folder, words, said) != 0 || !*said) return NULL;
    return copy_text(arena, said);
}

abdb_status abdb_resolve_commit_branch_and_dirty(abdb_commit *out, const char *word,
                                                 const char *folder, abdb_arena *arena,
                                                 abdb_error *err)
{
    static const char *const revision[] = {"rev-parse", "--verify", "HEAD", NULL},
                             *const branch[] = {"symbolic-ref", "-q", "--short", "HEAD", NULL},
                             *const changed[] = {"status", "--porcelain", "--untracked-files=no",
                                                 NULL};
    char said[SAID_MAX];
    int code;

    *out = (abdb_commit){0};
    if (strcmp(word, "auto") != 0) {
        if (!*word) return ABDB_FAIL(err, ABDB_USAGE, "--commit wants auto, or a name");
        out->commit = copy_text(arena, word);
        out->date = commit_date(word, folder, arena);
        return out->commit ? ABDB_OK : ABDB_FAIL(err, ABDB_NOMEM, "a commit");
    }
    code = read_first_line_of_git_command(folder, revision, said);
    if (code == 127)
        return ABDB_FAIL(err, ABDB_USAGE, "--commit auto: git cannot be started; name it instead");
    if (code != 0 || !*said)
        return ABDB_FAIL(err, ABDB_USAGE,
                         "--commit auto: '%s' is in no checkout of git that has a commit", folder);
    out->commit = copy_text(arena, said);
    out->date = commit_date(said, folder, arena);
    if (read_first_line_of_git_command(folder, branch, said) == 0 && *said)
        out->branch = copy_text(arena, said);
    if (read_first_line_of_git_command(folder, changed, said) == 0)
        out->dirty = *said ? "yes" : "no";
    return out->commit ? ABDB_OK : ABDB_FAIL(err, ABDB_NOMEM, "a commit");
}
