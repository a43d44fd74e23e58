/* outfolder.c - a folder that appears whole or not at all; see outfolder.h. */
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

abdb_status abdb_outfolder_ensure(const char *path, abdb_error *err)
{
    abdb_status st = abdb_outguard_check_path(path, err);

    if (st == ABDB_OK && mkdir(path, 0777) != 0 && errno != EEXIST)
        st = abdb_outpart_fail("make", path, err);
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

abdb_status abdb_outfolder_commit(abdb_outfolder *out, abdb_error *err)
{
    if (nftw(out->part, sync_one, FOLDERS_OPEN, FTW_DEPTH | FTW_PHYS) != 0 ||
        chmod(out->part, abdb_outpart_apply_umask(0777)) != 0 || rename(out->part, out->place) != 0)
        return fail(out, out->place, err);
    free(out->part);
    out->part = NULL;
    abdb_outfolder_discard(out);
    return ABDB_OK;
}

void abdb_outfolder_discard(abdb_outfolder *out)
{
    if (out->part) remove_tree(out->part);
    free(out->part);
    free(out->place);
    *out = (abdb_outfolder){0};
}
