/* outfolder.c - a folder that appears whole or not at all, or whose files change all together; see
 * outfolder.h. */
#include "schema/core/outfolder.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "schema/core/outguard.h"
#include "schema/core/outfile.h"
#include "schema/core/partial_file.h"

enum { FOLDERS_OPEN = 16 };

static int nftw_remove_entry(const char *path, const struct stat *info, int kind, struct FTW *at)
{
    (void)info, (void)kind, (void)at;
    return remove(path);
}

static void remove_directory_tree(const char *path)
{
    struct stat info;

    if (lstat(path, &info) == 0 && S_ISDIR(info.st_mode))
        nftw(path, nftw_remove_entry, FOLDERS_OPEN, FTW_DEPTH | FTW_PHYS);
}

/* Is it a folder that holds nothing? */
static bool is_empty_directory(const char *path)
{
    DIR *dir = opendir(path);
    int entries = 0;

    if (!dir) return false;
    while (entries <= 2 && readdir(dir)) entries++;
    closedir(dir);
    return entries <= 2;
}

static abdb_status discard_and_report_folder_error(abdb_outfolder *out, const char *path,
                                                   abdb_error *err)
{
    abdb_status st = abdb_partial_report_errno("make", path, err);

    abdb_outfolder_discard(out);
    return st;
}

abdb_status abdb_outfolder_make_if_missing(const char *path, bool *is_new, abdb_error *err)
{
    abdb_status st = abdb_outguard_refuse_protected_path(path, err);

    *is_new = st == ABDB_OK && mkdir(path, 0777) == 0;
    if (st == ABDB_OK && !*is_new && errno != EEXIST)
        st = abdb_partial_report_errno("make", path, err);
    return st;
}

abdb_status abdb_outfolder_open_refusing_nonempty(abdb_outfolder *out, const char *path,
                                                  abdb_error *err)
{
    size_t size = strlen(path);
    struct stat info;
    abdb_status st = abdb_outguard_refuse_protected_path(path, err);

    *out = (abdb_outfolder){0};
    if (st != ABDB_OK) return st;
    while (size > 1 && path[size - 1] == '/') size--;
    if (lstat(path, &info) == 0 && !is_empty_directory(path))
        return ABDB_FAIL(err, ABDB_USAGE, "%s exists: name another folder, or remove it", path);
    out->target_path = strndup(path, size);
    if (!out->target_path) return discard_and_report_folder_error(out, path, err);
    abdb_partial_remove_orphans(out->target_path, remove_directory_tree);
    for (int i = 0; i < ABDB_OUTPART_TRIES; i++) {
        free(out->partial_path);
        out->partial_path = abdb_partial_random_path(out->target_path);
        if (!out->partial_path) break;
        if (mkdir(out->partial_path, 0700) == 0) return ABDB_OK; /* its owner's alone, meanwhile */
        if (errno != EEXIST) break;
    }
    free(out->partial_path); /* nothing was made: nothing to remove */
    out->partial_path = NULL;
    return discard_and_report_folder_error(out, path, err);
}

abdb_status abdb_outfolder_open_merging(abdb_outfolder *out, const char *path, abdb_error *err)
{
    struct stat info;
    char *inside = NULL;
    abdb_status st = ABDB_OK;

    *out = (abdb_outfolder){0};
    TRY(abdb_outguard_refuse_protected_path(path, err));
    if (stat(path, &info) != 0) {
        st = abdb_outfolder_open_refusing_nonempty(out, path, err);
        out->merges = true; /* another may make it meanwhile */
        return st;
    }
    if (!S_ISDIR(info.st_mode)) {
        errno = ENOTDIR;
        return abdb_partial_report_errno("make", path, err);
    }
    /* The part lies inside: a user who may write there may perhaps not write beside it. */
    out->merges = true;
    out->target_path = realpath(path, NULL);
    if (!out->target_path || asprintf(&inside, "%s/output", out->target_path) < 0)
        return discard_and_report_folder_error(out, path, err);
    abdb_partial_remove_orphans(inside, remove_directory_tree);
    out->partial_path = abdb_partial_random_path(inside);
    free(inside);
    if (out->partial_path && mkdir(out->partial_path, 0700) == 0) return ABDB_OK;
    free(out->partial_path);
    out->partial_path = NULL;
    return discard_and_report_folder_error(out, path, err);
done:
    return st;
}

abdb_status abdb_outfolder_make_parents_below_partial(const abdb_outfolder *out, const char *path,
                                                      abdb_error *err)
{
    char *folder = strdup(path), *slash = folder ? folder + strlen(out->partial_path) : NULL;
    abdb_status st = ABDB_OK;

    if (!folder) return ABDB_FAIL(err, ABDB_NOMEM, "a path");
    while ((slash = strchr(slash + 1, '/'))) {
        *slash = '\0';
        if (mkdir(folder, 0777) != 0 && errno != EEXIST)
            TRY(ABDB_FAIL(err, ABDB_IO, "cannot make %s: %s", folder, strerror(errno)));
        *slash = '/';
    }
done:
    free(folder);
    return st;
}

void abdb_outfolder_replace_partial_path_in_error(const abdb_outfolder *out, const char *path,
                                                  abdb_error *err)
{
    char text[ABDB_ERROR_SIZE], *from = text, *found;
    size_t used = 0, size = out->partial_path ? strlen(out->partial_path) : 0, shown = strlen(path);

    while (shown > 1 && path[shown - 1] == '/') shown--;
    if (!size || !strstr(err->message, out->partial_path)) return;
    memcpy(text, err->message, sizeof text);
    err->message[0] = '\0';
    while (used < sizeof err->message && (found = strstr(from, out->partial_path))) {
        used += (size_t)snprintf(err->message + used, sizeof err->message - used, "%.*s%.*s",
                                 (int)(found - from), from, (int)shown, path);
        from = found + size;
    }
    if (used < sizeof err->message)
        snprintf(err->message + used, sizeof err->message - used, "%s", from);
}

/* Writes the names of files to the disk, not only their contents. */
static int nftw_fsync_directory(const char *path, const struct stat *info, int kind, struct FTW *at)
{
    int folder, code;

    (void)info, (void)at;
    if (kind != FTW_DP) return 0;
    folder = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (folder < 0) return -1;
    code = fsync(folder);
    close(folder);
    return code;
}

/* Copies a file through a symbolic link, which stays. */
static abdb_status copy_through_link(const char *from, const char *to, abdb_error *err)
{
    char chunk[1 << 14];
    size_t size;
    abdb_outfile out = {0};
    FILE *file = fopen(from, "rbe");
    abdb_status st = ABDB_OK;

    if (!file) return abdb_partial_report_errno("read", from, err);
    TRY(abdb_outfile_open_refusing_protected(&out, to, err));
    while ((size = fread(chunk, 1, sizeof chunk, file)) > 0)
        if (fwrite(chunk, 1, size, out.file) != size)
            TRY(abdb_partial_report_errno("write", to, err));
    if (ferror(file)) TRY(abdb_partial_report_errno("read", from, err));
    TRY(abdb_outfile_commit(&out, err));
done:
    abdb_outfile_discard(&out);
    fclose(file);
    return st;
}

/* One file takes its place; it has the mode of the file that it replaces. */
static abdb_status move_file_keeping_target_mode_or_link(const char *from, const char *to,
                                                         abdb_error *err)
{
    struct stat old;

    if (lstat(to, &old) == 0) {
        if (S_ISLNK(old.st_mode)) return copy_through_link(from, to, err);
        if (S_ISREG(old.st_mode)) (void)!chmod(from, old.st_mode & 07777);
    }
    return rename(from, to) == 0 ? ABDB_OK : abdb_partial_report_errno("write", to, err);
}

/* Every file below `from` takes its place below `to`. checks_only: moves nothing, and checks that
 * no file meets a folder there, and no folder a file. */
static abdb_status move_tree_or_check_only(const char *from, const char *to, bool checks_only,
                                           abdb_error *err)
{
    DIR *dir = opendir(from);
    struct dirent *entry;
    char *one = NULL, *other = NULL;
    abdb_status st = ABDB_OK;

    if (!dir) return abdb_partial_report_errno("read", from, err);
    while ((entry = readdir(dir))) {
        struct stat is, was;
        bool had;

        if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0) continue;
        free(one), free(other);
        one = other = NULL;
        if (asprintf(&one, "%s/%s", from, entry->d_name) < 0) one = NULL;
        if (asprintf(&other, "%s/%s", to, entry->d_name) < 0) other = NULL;
        if (!one || !other) TRY(ABDB_FAIL(err, ABDB_NOMEM, "a path"));
        if (lstat(one, &is) != 0) TRY(abdb_partial_report_errno("read", one, err));
        had = stat(other, &was) == 0;
        if (had && S_ISDIR(was.st_mode) != S_ISDIR(is.st_mode)) {
            errno = S_ISDIR(is.st_mode) ? ENOTDIR : EISDIR;
            TRY(abdb_partial_report_errno("write", other, err));
        }
        if (!S_ISDIR(is.st_mode)) {
            TRY(checks_only ? abdb_outguard_refuse_protected_path(other, err)
                            : move_file_keeping_target_mode_or_link(one, other, err));
            continue;
        }
        if (!had && checks_only) continue;
        if (!had && mkdir(other, 0777) != 0) TRY(abdb_partial_report_errno("make", other, err));
        TRY(move_tree_or_check_only(one, other, checks_only, err));
    }
done:
    free(one);
    free(other);
    closedir(dir);
    return st;
}

/* The folder as a whole takes a place where nothing is; else its files do, one by one. */
static abdb_status rename_or_merge_into_target(const abdb_outfolder *out, abdb_error *err)
{
    struct stat info;
    abdb_status st = ABDB_OK;

    if (!out->merges || stat(out->target_path, &info) != 0) {
        if (chmod(out->partial_path, abdb_outpart_apply_umask(0777)) != 0)
            return abdb_partial_report_errno("make", out->target_path, err);
        if (rename(out->partial_path, out->target_path) == 0) return ABDB_OK;
        if (!out->merges || (errno != ENOTEMPTY && errno != EEXIST))
            return abdb_partial_report_errno("make", out->target_path, err);
    }
    TRY(move_tree_or_check_only(out->partial_path, out->target_path, true, err));
    TRY(move_tree_or_check_only(out->partial_path, out->target_path, false, err));
    remove_directory_tree(out->partial_path);
done:
    return st;
}

abdb_status abdb_outfolder_commit(abdb_outfolder *out, abdb_error *err)
{
    abdb_status st = ABDB_OK;

    if (nftw(out->partial_path, nftw_fsync_directory, FOLDERS_OPEN, FTW_DEPTH | FTW_PHYS) != 0)
        return discard_and_report_folder_error(out, out->target_path, err);
    st = rename_or_merge_into_target(out, err);
    if (st == ABDB_OK) {
        free(out->partial_path);
        out->partial_path = NULL;
    }
    abdb_outfolder_discard(out);
    return st;
}

void abdb_outfolder_discard(abdb_outfolder *out)
{
    if (out->partial_path) remove_directory_tree(out->partial_path);
    free(out->partial_path);
    free(out->target_path);
    *out = (abdb_outfolder){0};
}
