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
#include "schema/core/outpart.h"

enum { FOLDERS_OPEN = 16 };

static int remove_one(const char *path, const struct stat *info, int kind, struct FTW *at)
{
    (void)info, (void)kind, (void)at;
    return remove(path);
}

static void remove_tree(const char *path)
{
    struct stat info;

    if (lstat(path, &info) == 0 && S_ISDIR(info.st_mode))
        nftw(path, remove_one, FOLDERS_OPEN, FTW_DEPTH | FTW_PHYS);
}

/* Is it a folder that holds nothing? */
static bool is_empty(const char *path)
{
    DIR *dir = opendir(path);
    int entries = 0;

    if (!dir) return false;
    while (entries <= 2 && readdir(dir)) entries++;
    closedir(dir);
    return entries <= 2;
}

static abdb_status fail(abdb_outfolder *out, const char *path, abdb_error *err)
{
    abdb_status st = abdb_outpart_fail("make", path, err);

    abdb_outfolder_discard(out);
    return st;
}

abdb_status abdb_outfolder_ensure(const char *path, bool *is_new, abdb_error *err)
{
    abdb_status st = abdb_outguard_check_path(path, err);

    *is_new = st == ABDB_OK && mkdir(path, 0777) == 0;
    if (st == ABDB_OK && !*is_new && errno != EEXIST) st = abdb_outpart_fail("make", path, err);
    return st;
}

abdb_status abdb_outfolder_open(abdb_outfolder *out, const char *path, abdb_error *err)
{
    size_t size = strlen(path);
    struct stat info;
    abdb_status st = abdb_outguard_check_path(path, err);

    *out = (abdb_outfolder){0};
    if (st != ABDB_OK) return st;
    while (size > 1 && path[size - 1] == '/') size--;
    if (lstat(path, &info) == 0 && !is_empty(path))
        return ABDB_FAIL(err, ABDB_USAGE, "%s exists: name another folder, or remove it", path);
    out->place = strndup(path, size);
    if (!out->place) return fail(out, path, err);
    abdb_outpart_sweep(out->place, remove_tree);
    for (int i = 0; i < ABDB_OUTPART_TRIES; i++) {
        free(out->part);
        out->part = abdb_outpart_name(out->place);
        if (!out->part) break;
        if (mkdir(out->part, 0700) == 0) return ABDB_OK; /* its owner's alone, meanwhile */
        if (errno != EEXIST) break;
    }
    free(out->part); /* nothing was made: nothing to remove */
    out->part = NULL;
    return fail(out, path, err);
}

abdb_status abdb_outfolder_open_into(abdb_outfolder *out, const char *path, abdb_error *err)
{
    struct stat info;
    char *inside = NULL;
    abdb_status st = ABDB_OK;

    *out = (abdb_outfolder){0};
    TRY(abdb_outguard_check_path(path, err));
    if (stat(path, &info) != 0) {
        st = abdb_outfolder_open(out, path, err);
        out->merges = true; /* another may make it meanwhile */
        return st;
    }
    if (!S_ISDIR(info.st_mode)) {
        errno = ENOTDIR;
        return abdb_outpart_fail("make", path, err);
    }
    /* The part lies inside: whoever may write there may not write beside it, perhaps. */
    out->merges = true;
    out->place = realpath(path, NULL);
    if (!out->place || asprintf(&inside, "%s/output", out->place) < 0) return fail(out, path, err);
    abdb_outpart_sweep(inside, remove_tree);
    out->part = abdb_outpart_name(inside);
    free(inside);
    if (out->part && mkdir(out->part, 0700) == 0) return ABDB_OK;
    free(out->part);
    out->part = NULL;
    return fail(out, path, err);
done:
    return st;
}

abdb_status abdb_outfolder_lead(const abdb_outfolder *out, const char *path, abdb_error *err)
{
    char *folder = strdup(path), *slash = folder ? folder + strlen(out->part) : NULL;
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

/* The names of files are on the disk, not only what is in them. */
static int sync_one(const char *path, const struct stat *info, int kind, struct FTW *at)
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

    if (!file) return abdb_outpart_fail("read", from, err);
    TRY(abdb_outfile_open(&out, to, err));
    while ((size = fread(chunk, 1, sizeof chunk, file)) > 0)
        if (fwrite(chunk, 1, size, out.file) != size) TRY(abdb_outpart_fail("write", to, err));
    if (ferror(file)) TRY(abdb_outpart_fail("read", from, err));
    TRY(abdb_outfile_commit(&out, err));
done:
    abdb_outfile_discard(&out);
    fclose(file);
    return st;
}

/* One file takes its place; it has the mode of the file that it replaces. */
static abdb_status move_file(const char *from, const char *to, abdb_error *err)
{
    struct stat old;

    if (lstat(to, &old) == 0) {
        if (S_ISLNK(old.st_mode)) return copy_through_link(from, to, err);
        if (S_ISREG(old.st_mode)) (void)!chmod(from, old.st_mode & 07777);
    }
    return rename(from, to) == 0 ? ABDB_OK : abdb_outpart_fail("write", to, err);
}

/* Every file below `from` takes its place below `to`. checks_only: moves nothing, and checks that
 * no file meets a folder there, and no folder a file. */
static abdb_status move_tree(const char *from, const char *to, bool checks_only, abdb_error *err)
{
    DIR *dir = opendir(from);
    struct dirent *entry;
    char *one = NULL, *other = NULL;
    abdb_status st = ABDB_OK;

    if (!dir) return abdb_outpart_fail("read", from, err);
    while ((entry = readdir(dir))) {
        struct stat is, was;
        bool had;

        if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0) continue;
        free(one), free(other);
        one = other = NULL;
        if (asprintf(&one, "%s/%s", from, entry->d_name) < 0) one = NULL;
        if (asprintf(&other, "%s/%s", to, entry->d_name) < 0) other = NULL;
        if (!one || !other) TRY(ABDB_FAIL(err, ABDB_NOMEM, "a path"));
        if (lstat(one, &is) != 0) TRY(abdb_outpart_fail("read", one, err));
        had = stat(other, &was) == 0;
        if (had && S_ISDIR(was.st_mode) != S_ISDIR(is.st_mode)) {
            errno = S_ISDIR(is.st_mode) ? ENOTDIR : EISDIR;
            TRY(abdb_outpart_fail("write", other, err));
        }
        if (!S_ISDIR(is.st_mode)) {
            TRY(checks_only ? abdb_outguard_check_path(other, err) : move_file(one, other, err));
            continue;
        }
        if (!had && checks_only) continue;
        if (!had && mkdir(other, 0777) != 0) TRY(abdb_outpart_fail("make", other, err));
        TRY(move_tree(one, other, checks_only, err));
    }
done:
    free(one);
    free(other);
    closedir(dir);
    return st;
}

/* The folder as a whole takes a place where nothing is; else its files do, one by one. */
static abdb_status take_place(const abdb_outfolder *out, abdb_error *err)
{
    struct stat info;
    abdb_status st = ABDB_OK;

    if (!out->merges || stat(out->place, &info) != 0) {
        if (chmod(out->part, abdb_outpart_apply_umask(0777)) != 0)
            return abdb_outpart_fail("make", out->place, err);
        if (rename(out->part, out->place) == 0) return ABDB_OK;
        if (!out->merges || (errno != ENOTEMPTY && errno != EEXIST))
            return abdb_outpart_fail("make", out->place, err);
    }
    TRY(move_tree(out->part, out->place, true, err));
    TRY(move_tree(out->part, out->place, false, err));
    remove_tree(out->part);
done:
    return st;
}

abdb_status abdb_outfolder_commit(abdb_outfolder *out, abdb_error *err)
{
    abdb_status st = ABDB_OK;

    if (nftw(out->part, sync_one, FOLDERS_OPEN, FTW_DEPTH | FTW_PHYS) != 0)
        return fail(out, out->place, err);
    st = take_place(out, err);
    if (st == ABDB_OK) {
        free(out->part);
        out->part = NULL;
    }
    abdb_outfolder_discard(out);
    return st;
}

void abdb_outfolder_discard(abdb_outfolder *out)
{
    if (out->part) remove_tree(out->part);
    free(out->part);
    free(out->place);
    *out = (abdb_outfolder){0};
}
