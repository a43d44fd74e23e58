/* outfile.c - a file that appears whole or not at all; see outfile.h. */
#include "schema/core/outfile.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "schema/core/outpart.h"

/* Does `what` (unlink, a test) with a part and with what SQLite writes beside a database; true when
 * it succeeded with any of the latter. */
static bool each_beside(const char *part, int (*what)(const char *path))
{
    static const char *const suffixes[] = {"-wal", "-shm", "-journal"};
    bool any = false;

    for (size_t i = 0; i < sizeof suffixes / sizeof *suffixes; i++) {
        char path[PATH_MAX];

        snprintf(path, sizeof path, "%s%s", part, suffixes[i]);
        any |= what(path) == 0;
    }
    return any;
}

static int is_there(const char *path)
{
    return access(path, F_OK);
}

void abdb_outfile_remove(const char *path)
{
    unlink(path);
    each_beside(path, unlink);
}

/* A new file beside the place, with the mode that the place has, or that new files have. */
static int open_part(abdb_outfile *out)
{
    struct stat old;
    int file = -1;

    for (int i = 0; file < 0 && i < ABDB_OUTPART_TRIES; i++) {
        free(out->part);
        out->part = abdb_outpart_name(out->place);
        if (!out->part) return -1;
        file = open(out->part, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
        if (file < 0 && errno != EEXIST) return -1;
    }
    if (file >= 0 && stat(out->place, &old) == 0) {
        (void)!fchown(file, old.st_uid, old.st_gid); /* where that is not allowed: the writer's */
        (void)!fchmod(file, old.st_mode & 07777);
    }
    return file;
}

/* The stream that is open already where the path means it, such as /dev/stdout; or NULL. */
static FILE *standard(const char *path)
{
    FILE *const streams[] = {stdout, stderr};
    struct stat asked, has;

    if (!path || strcmp(path, "-") == 0) return stdout;
    for (int i = 0; i < 2 && stat(path, &asked) == 0; i++)
        if (fstat(fileno(streams[i]), &has) == 0 && has.st_ino == asked.st_ino &&
            has.st_dev == asked.st_dev)
            return streams[i];
    return NULL;
}

/* Is there no place that a file could take: a pipe, a device, a descriptor, a link to nothing? */
static bool is_direct(const char *path)
{
    struct stat info;

    if (strncmp(path, "/dev/fd/", 8) == 0 || strncmp(path, "/proc/", 6) == 0) return true;
    if (stat(path, &info) == 0) return !S_ISREG(info.st_mode);
    return lstat(path, &info) == 0 && S_ISLNK(info.st_mode);
}

/* Ends the program where nobody reads any more. */
static void end_unread(FILE *out)
{
    struct pollfd end = {.fd = fileno(out)};

    if (poll(&end, 1, 0) != 1 || !(end.revents & POLLERR)) return;
    signal(SIGPIPE, SIG_DFL);
    raise(SIGPIPE);
}

abdb_status abdb_outfile_unwritten(FILE *out, abdb_error *err)
{
    end_unread(out);
    return ABDB_FAIL(err, ABDB_IO, "cannot write the output: is the disk full?");
}

static abdb_status fail(abdb_outfile *out, const char *path, abdb_error *err)
{
    abdb_status st;
    int why = errno;

    if (why == EPIPE && out->file) end_unread(out->file);
    errno = why;
    st = abdb_outpart_fail("write", path, err);
    abdb_outfile_discard(out);
    return st;
}

abdb_status abdb_outfile_open(abdb_outfile *out, const char *path, abdb_error *err)
{
    int file;

    *out = (abdb_outfile){.file = standard(path)};
    if (out->file) return ABDB_OK;
    if (is_direct(path)) {
        out->file = fopen(path, "we");
        return out->file ? ABDB_OK : fail(out, path, err);
    }
    /* Renaming would replace a file that is write-protected; a plain write would not, and neither
     * do we. */
    if (access(path, F_OK) == 0 && access(path, W_OK) != 0) return fail(out, path, err);
    out->place = access(path, F_OK) == 0 ? realpath(path, NULL) : strdup(path);
    if (!out->place) return fail(out, path, err);
    abdb_outpart_sweep(out->place, abdb_outfile_remove);
    file = open_part(out);
    out->file = file >= 0 ? fdopen(file, "w") : NULL;
    if (out->file) return ABDB_OK;
    if (file >= 0) close(file);
    return fail(out, path, err);
}

abdb_status abdb_outfile_commit(abdb_outfile *out, abdb_error *err)
{
    bool fine;

    errno = 0;
    fine = fflush(out->file) == 0 && !ferror(out->file);
    if (fine && abdb_starved()) { /* a part of it may be missing */
        fine = false;
        errno = ENOMEM;
    }
    if (fine && out->part && each_beside(out->part, is_there)) {
        fine = false; /* a database with a log beside it is not whole: SQLite could not close it */
        errno = 0;
    }
    if (fine && out->part)
        fine = fsync(fileno(out->file)) == 0 && rename(out->part, out->place) == 0;
    if (!fine) return fail(out, out->place ? out->place : "the output", err);
    free(out->part);
    out->part = NULL;
    abdb_outfile_discard(out);
    return ABDB_OK;
}

void abdb_outfile_discard(abdb_outfile *out)
{
    if (out->file && out->file != stdout && out->file != stderr) fclose(out->file);
    if (out->part) abdb_outfile_remove(out->part);
    free(out->part);
    free(out->place);
    *out = (abdb_outfile){0};
}
