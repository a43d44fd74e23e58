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

#include "schema/core/outguard.h"
#include "schema/core/partial_file.h"

/* Calls `action` (unlink, a test) for each file that SQLite writes beside a database; true when any
 * call succeeded. */
static bool call_for_sqlite_side_files_any_succeeded(const char *path_base,
                                                     int (*action)(const char *path))
{
    static const char *const suffixes[] = {"-wal", "-shm", "-journal"};
    bool any = false;

    for (size_t i = 0; i < sizeof suffixes / sizeof *suffixes; i++) {
        char path[PATH_MAX];

        snprintf(path, sizeof path, "%s%s", path_base, suffixes[i]);
        any |= action(path) == 0;
    }
    return any;
}

static int access_existence(const char *path)
{
    return access(path, F_OK);
}

void abdb_remove_with_sqlite_logs(const char *path)
{
    unlink(path);
    call_for_sqlite_side_files_any_succeeded(path, unlink);
}

/* Creates a file beside target_path, which its owner alone reads until it is renamed to that; and
 * notes the mode and owner that it gets then. */
static int create_partial_file_note_target_access(abdb_outfile *out)
{
    int file = -1;

    for (int i = 0; file < 0 && i < ABDB_OUTPART_TRIES; i++) {
        free(out->partial_path);
        out->partial_path = abdb_partial_random_path(out->target_path);
        if (!out->partial_path) return -1;
        file = open(out->partial_path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
        if (file < 0 && errno != EEXIST) return -1;
    }
    out->mode = abdb_outpart_apply_umask(0666);
    out->owner = (uid_t)-1;
    out->group = (gid_t)-1;
    abdb_outfile_remember_access_of(out, out->target_path);
    return file;
}

void abdb_outfile_remember_access_of(abdb_outfile *out, const char *path)
{
    struct stat info;

    if (stat(path, &info) != 0) return;
    out->mode = info.st_mode & 0777;
    out->owner = info.st_uid;
    out->group = info.st_gid;
}

/* Gives the part the owner and mode of the place. Where the owner cannot be given, the file is the
 * writer's. */
static bool apply_stored_owner_and_mode(const abdb_outfile *out)
{
    int file = fileno(out->file);
    struct stat info;

    if (fstat(file, &info) != 0) return false;
    if (out->owner != (uid_t)-1 && (out->owner != info.st_uid || out->group != info.st_gid))
        (void)!fchown(file, out->owner, out->group);
    return fchmod(file, out->mode) == 0 || errno == EPERM || errno == ENOTSUP;
}

/* The stream that is open already where the path means it, such as /dev/stdout; or NULL. */
static FILE *stdout_or_stderr_if_path_is_it(const char *path)
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

/* Is there no place that a file could take: a pipe, a device, a descriptor? */
static bool is_path_without_renaming(const char *path)
{
    struct stat info;

    if (strncmp(path, "/dev/fd/", 8) == 0 || strncmp(path, "/proc/", 6) == 0) return true;
    return stat(path, &info) == 0 && !S_ISREG(info.st_mode);
}

/* Opens an output that cannot be renamed into place. The path's file may have changed since its
 * check, so the open file is checked again before its content is removed. */
static abdb_status open_in_place_guarded_truncating(abdb_outfile *out, const char *path,
                                                    abdb_error *err)
{
    struct stat info;
    int file = open(path, O_WRONLY | O_NOCTTY | O_CLOEXEC);
    abdb_status st;

    if (file < 0) return abdb_partial_report_errno("write", path, err);
    st = abdb_outguard_refuse_protected_descriptor(file, path, err);
    if (st == ABDB_OK &&
        (fstat(file, &info) != 0 || (S_ISREG(info.st_mode) && ftruncate(file, 0) != 0)))
        st = abdb_partial_report_errno("write", path, err);
    if (st == ABDB_OK) {
        out->file = fdopen(file, "w");
        if (!out->file) st = abdb_partial_report_errno("write", path, err);
    }
    if (st != ABDB_OK) close(file);
    return st;
}

/* Ends the program where the reader of a pipe has closed it. */
static void raise_sigpipe_if_unread(FILE *out)
{
    struct pollfd end = {.fd = fileno(out)};

    if (poll(&end, 1, 0) != 1 || !(end.revents & POLLERR)) return;
    signal(SIGPIPE, SIG_DFL);
    raise(SIGPIPE);
}

abdb_status abdb_fail_write_or_raise_sigpipe(FILE *out, abdb_error *err)
{
    raise_sigpipe_if_unread(out);
    return ABDB_FAIL(err, ABDB_IO, "cannot write the output: is the disk full?");
}

/* Removes the unfinished output and returns the error of errno; a closed pipe ends the program as
 * SIGPIPE would. */
static abdb_status discard_and_report_write_error(abdb_outfile *out, const char *path,
                                                  abdb_error *err)
{
    abdb_status st;
    int why = errno;

    if (why == EPIPE && out->file) raise_sigpipe_if_unread(out->file);
    errno = why;
    st = abdb_partial_report_errno("write", path, err);
    abdb_outfile_discard(out);
    return st;
}

/* Opens the part of out->place, which is the caller's to set. */
static abdb_status remove_orphans_create_partial_stream(abdb_outfile *out, const char *path,
                                                        abdb_error *err)
{
    int file;

    abdb_partial_remove_orphans(out->target_path, abdb_remove_with_sqlite_logs);
    file = create_partial_file_note_target_access(out);
    out->file = file >= 0 ? fdopen(file, "w") : NULL;
    if (out->file) return ABDB_OK;
    if (file >= 0) close(file);
    return discard_and_report_write_error(out, path, err);
}

abdb_status abdb_outfile_open_partial_without_guard(abdb_outfile *out, const char *path,
                                                    abdb_error *err)
{
    *out = (abdb_outfile){.target_path = strdup(path)};
    return out->target_path ? remove_orphans_create_partial_stream(out, path, err)
                            : discard_and_report_write_error(out, path, err);
}

abdb_status abdb_outfile_open_refusing_protected(abdb_outfile *out, const char *path,
                                                 abdb_error *err)
{
    abdb_status st;

    *out = (abdb_outfile){0};
    st = abdb_outguard_refuse_protected_path(path, err);
    if (st != ABDB_OK) return st;
    out->file = stdout_or_stderr_if_path_is_it(path);
    if (out->file) return ABDB_OK;
    if (is_path_without_renaming(path)) return open_in_place_guarded_truncating(out, path, err);
    /* Renaming would replace a file that is write-protected; a plain write would not, and neither
     * do we. */
    if (access(path, F_OK) == 0 && access(path, W_OK) != 0)
        return discard_and_report_write_error(out, path, err);
    out->target_path = abdb_outguard_resolve_links(path);
    return out->target_path ? remove_orphans_create_partial_stream(out, path, err)
                            : discard_and_report_write_error(out, path, err);
}

abdb_status abdb_outfile_commit(abdb_outfile *out, abdb_error *err)
{
    bool fine;

    errno = 0;
    fine = fflush(out->file) == 0 && !ferror(out->file);
    if (fine && abdb_allocation_failure_count()) { /* a part of it may be missing */
        fine = false;
        errno = ENOMEM;
    }
    if (fine && out->partial_path &&
        call_for_sqlite_side_files_any_succeeded(out->partial_path, access_existence)) {
        fine = false; /* a database with a log beside it is not whole: SQLite could not close it */
        errno = 0;
    }
    if (fine && out->partial_path) { /* another file may have come to the place meanwhile */
        abdb_status st = abdb_outguard_refuse_protected_path(out->target_path, err);

        if (st != ABDB_OK) {
            abdb_outfile_discard(out);
            return st;
        }
        fine = apply_stored_owner_and_mode(out) && fsync(fileno(out->file)) == 0 &&
               rename(out->partial_path, out->target_path) == 0;
    }
    if (!fine)
        return discard_and_report_write_error(
            out, out->target_path ? out->target_path : "the output", err);
    free(out->partial_path);
    out->partial_path = NULL;
    abdb_outfile_discard(out);
    return ABDB_OK;
}

void abdb_outfile_discard(abdb_outfile *out)
{
    if (out->file && out->file != stdout && out->file != stderr) fclose(out->file);
    if (out->partial_path) abdb_remove_with_sqlite_logs(out->partial_path);
    free(out->partial_path);
    free(out->target_path);
    *out = (abdb_outfile){0};
}
