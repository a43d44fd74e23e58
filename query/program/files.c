/* files.c - paths on a command line, and the files that they mean; see files.h. */
#include "query/program/files.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "schema/core/grow.h"
#include "schema/core/outfile.h"

enum { DEPTH_MAX = 32, FILES_MAX = 1000000 };

static abdb_status add_file(abdb_file_list *list, const char *path, bool named, abdb_error *err)
{
    abdb_file *more;
    char *copy;

    if (list->count == FILES_MAX)
        return ABDB_FAIL(err, ABDB_LIMIT, "more than %d files", FILES_MAX);
    more = abdb_grow(list->item, list->count, &list->room, sizeof *more);
    if (!more) return ABDB_FAIL(err, ABDB_NOMEM, "%zu files", list->count);
    list->item = more;
    copy = strdup(path);
    if (!copy) return ABDB_FAIL(err, ABDB_NOMEM, "%zu files", list->count);
    list->item[list->count++] = (abdb_file){.path = copy, .named = named};
    return ABDB_OK;
}

static int by_name(const struct dirent **a, const struct dirent **b)
{
    return strcmp((*a)->d_name, (*b)->d_name);
}

bool abdb_files_is_part(const char *path)
{
    static const char begin[] = ".c-", end[] = ".jsonl.part";
    const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
    size_t size = strlen(name);

    return size > sizeof begin + sizeof end && strncmp(name, begin, sizeof begin - 1) == 0 &&
           strcmp(name + size - (sizeof end - 1), end) == 0;
}

static abdb_status walk(abdb_file_list *list, const char *folder, int depth, abdb_error *err)
{
    struct dirent **entry = NULL;
    int count = depth < DEPTH_MAX ? scandir(folder, &entry, NULL, by_name) : -1;
    abdb_status st = ABDB_OK;

    if (count < 0)
        return ABDB_FAIL(err, ABDB_IO, "%s: %s", folder,
                         depth < DEPTH_MAX ? strerror(errno) : "folders too deep");
    for (int i = 0; i < count; i++) {
        char *path = NULL;
        struct stat info;

        if (st == ABDB_OK && (entry[i]->d_name[0] != '.' || abdb_files_is_part(entry[i]->d_name))) {
            if (asprintf(&path, "%s/%s", folder, entry[i]->d_name) < 0) {
                path = NULL;
                st = ABDB_FAIL(err, ABDB_NOMEM, "files of %s", folder);
            } else if (lstat(path, &info) != 0) {
                if (errno != ENOENT) /* it went meanwhile */
                    st = ABDB_FAIL(err, ABDB_IO, "%s: %s", path, strerror(errno));
            } else if (S_ISDIR(info.st_mode))
                st = walk(list, path, depth + 1, err);
            else if (S_ISREG(info.st_mode))
                st = add_file(list, path, false, err);
        }
        free(path);
        free(entry[i]);
    }
    free(entry);
    return st;
}

abdb_status abdb_files_add(abdb_file_list *list, const char *path, abdb_error *err)
{
    struct stat info;

    return stat(path, &info) == 0 && S_ISDIR(info.st_mode) ? walk(list, path, 0, err)
                                                           : add_file(list, path, true, err);
}

void abdb_files_free(abdb_file_list *list)
{
    for (size_t i = 0; i < list->count; i++) free(list->item[i].path);
    free(list->item);
    *list = (abdb_file_list){0};
}

abdb_status abdb_scratch_make(abdb_scratch *scratch, abdb_error *err)
{
    const char *parent = getenv("TMPDIR");

    *scratch = (abdb_scratch){0};
    snprintf(scratch->folder, sizeof scratch->folder, "%.150s/abdb-XXXXXX",
             parent && *parent ? parent : "/tmp");
    if (!mkdtemp(scratch->folder)) {
        scratch->folder[0] = '\0';
        return ABDB_FAIL(err, ABDB_IO, "no folder for a temporary file: %s; TMPDIR names one",
                         strerror(errno));
    }
    snprintf(scratch->path, sizeof scratch->path, "%s/scratch", scratch->folder);
    return ABDB_OK;
}

void abdb_scratch_remove(abdb_scratch *scratch)
{
    if (!*scratch->folder) return;
    abdb_outfile_remove(scratch->path);
    rmdir(scratch->folder);
    *scratch->folder = '\0';
}
