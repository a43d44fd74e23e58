/* commit.c - which revision is measured; see commit.h. */
#include "query/program/commit.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "schema/core/process.h"

enum { SAID_MAX = 4096 };

/* In the child: git, with its errors to nobody, and nothing of the checkout's settings that would
 * start another program. */
static void start_git(const char *folder, const char *const *words)
{
    const char *argv[16] = {"git",           "-C", folder, "-c", "core.fsmonitor=false", "-c",
                            "core.pager=cat"};
    int nobody = open("/dev/null", O_RDWR | O_CLOEXEC);
    size_t n = 7;

    for (; *words && n < 15; words++) argv[n++] = *words;
    if (nobody < 0) _exit(127);
    dup2(nobody, STDIN_FILENO);
    dup2(nobody, STDERR_FILENO);
    setenv("GIT_OPTIONAL_LOCKS", "0", 1);
    execvp("git", (char *const *)(size_t)argv);
    _exit(127);
}

/* The first line that git says, into out; its exit code, 127: it could not be started. */
static int ask_git(const char *folder, const char *const *words, char out[SAID_MAX])
{
    pid_t parent = getpid(), pid;
    size_t size = 0;
    ssize_t got;
    int ends[2], status = 0;

    *out = '\0';
    if (pipe2(ends, O_CLOEXEC) != 0) return 127;
    pid = fork();
    if (pid == 0) {
        abdb_process_begin(parent);
        dup2(ends[1], STDOUT_FILENO);
        start_git(folder, words);
    }
    close(ends[1]);
    while (pid > 0 && ((got = read(ends[0], out + size, SAID_MAX - 1 - size)) > 0 ||
                       (got < 0 && errno == EINTR)))
        size += got > 0 ? (size_t)got : 0;
    close(ends[0]);
    out[size] = '\0';
    out[strcspn(out, "\n")] = '\0';
    if (pid < 0) return 127;
    while (waitpid(pid, &status, 0) < 0 && errno == EINTR) continue;
    return WIFEXITED(status) ? WEXITSTATUS(status) : 127;
}

static const char *kept(abdb_arena *arena, const char *text)
{
    return abdb_arena_copy(arena, text, strlen(text));
}

abdb_status abdb_commit_find(abdb_commit *out, const char *word, const char *folder,
                             abdb_arena *arena, abdb_error *err)
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
        out->commit = kept(arena, word);
        return out->commit ? ABDB_OK : ABDB_FAIL(err, ABDB_NOMEM, "a commit");
    }
    code = ask_git(folder, revision, said);
    if (code == 127)
        return ABDB_FAIL(err, ABDB_USAGE, "--commit auto: git cannot be started; name it instead");
    if (code != 0 || !*said)
        return ABDB_FAIL(err, ABDB_USAGE,
                         "--commit auto: '%s' is in no checkout of git that has a commit", folder);
    out->commit = kept(arena, said);
    if (ask_git(folder, branch, said) == 0 && *said) out->branch = kept(arena, said);
    if (ask_git(folder, changed, said) == 0) out->dirty = *said ? "yes" : "no";
    return out->commit ? ABDB_OK : ABDB_FAIL(err, ABDB_NOMEM, "a commit");
}
