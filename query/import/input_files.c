/* input_files.c - paths on a command line, and the files that they mean; see input_files.h. */
#include "query/import/input_files.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "schema/core/array.h"
#include "schema/core/outfile.h"

enum { DEPTH_MAX = 32, FILES_MAX = 1000000 };

/* Adds a copy of the path to the list. named: the user typed it. */
static abdb_status append_file_path(abdb_file_list *list, const char *path, bool named,
                                    abdb_error *err)
{
    abdb_file *more;
    char *copy;

    if (list->count == FILES_MAX)
        return ABDB_FAIL(err, ABDB_LIMIT, "more than %d files", FILES_MAX);
    more = abdb_array_reserve_one(list->item, list->count, &list->capacity, sizeof *more);
    if (!more) return ABDB_FAIL(err, ABDB_NOMEM, "%zu files", list->count);
    list->item = more;
    copy = strdup(path);
    if (!copy) return ABDB_FAIL(err, ABDB_NOMEM, "%zu files", list->count);
    list->item[list->count++] = (abdb_file){.path = copy, .named = named};
    return ABDB_OK;
}

static int compare_entry_names(const struct dirent **a, const struct dirent **b)
{
    return strcmp((*a)->d_name, (*b)->d_name);
}

bool abdb_is_unfinished_spool_name(const char *path)
{
    static const char begin[] = ".c-", end[] = ".jsonl.part";
    const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
    size_t size = strlen(name);

    return size > sizeof begin + sizeof end && strncmp(name, begin, sizeof begin - 1) == 0 &&
           strcmp(name + size - (sizeof end - 1), end) == 0;
}

void abdb_skipped_files_count_and_name(abdb_skipped_files *skipped, abdb_skipped_kind kind,
                                       const char *path)
{
    if (!skipped) return;
    if (skipped->kind[kind].count++ < ABDB_SKIPPED_NAMES)
        abdb_text_printf(&skipped->kind[kind].names, "%s%.200s",
                         skipped->kind[kind].names.size ? ", " : "", path);
}

void abdb_skipped_files_free(abdb_skipped_files *skipped)
{
    for (size_t i = 0; i < ABDB_SKIPPED_KINDS; i++) abdb_text_free(&skipped->kind[i].names);
    *skipped = (abdb_skipped_files){0};
}

/* A folder being listed. */
typedef struct {
    abdb_file_list *list;
    abdb_skipped_files *skipped;
} listing;

static abdb_status append_files_of_folder_recursively(const listing *l, const char *folder,
                                                      int depth, bool hidden, abdb_error *err);

/* Lists the file or folder of a name in a folder. In a hidden folder files are only counted. */
static abdb_status append_or_count_skipped_folder_entry(const listing *l, const char *path,
                                                        const char *name, int depth, bool hidden,
                                                        abdb_error *err)
{
    struct stat info;

    hidden |= name[0] == '.' && !abdb_is_unfinished_spool_name(name);
    if (lstat(path, &info) != 0) {
        if (errno == ENOENT || hidden) return ABDB_OK; /* it went meanwhile */
        return ABDB_FAIL(err, ABDB_IO, "%s: %s", path, strerror(errno));
    }
    if (S_ISDIR(info.st_mode))
        return append_files_of_folder_recursively(l, path, depth + 1, hidden, err);
    if (hidden)
        abdb_skipped_files_count_and_name(l->skipped, ABDB_SKIPPED_HIDDEN, path);
    else if (S_ISLNK(info.st_mode))
        abdb_skipped_files_count_and_name(l->skipped, ABDB_SKIPPED_SYMLINK, path);
    else if (!S_ISREG(info.st_mode))
        abdb_skipped_files_count_and_name(l->skipped, ABDB_SKIPPED_SPECIAL, path);
    else
        return append_file_path(l->list, path, false, err);
    return ABDB_OK;
}

/* Lists a folder and its subfolders. A hidden folder that cannot be read is no failure. */
static abdb_status append_files_of_folder_recursively(const listing *l, const char *folder,
                                                      int depth, bool hidden, abdb_error *err)
{
    struct dirent **entry = NULL;
    int count = depth < DEPTH_MAX ? scandir(folder, &entry, NULL, compare_entry_names) : -1;
    abdb_status st = ABDB_OK;

    if (count < 0 && hidden) return ABDB_OK;
    if (count < 0)
        return ABDB_FAIL(err, ABDB_IO, "%s: %s", folder,
                         depth < DEPTH_MAX ? strerror(errno) : "folders too deep");
    for (int i = 0; i < count; i++) {
        const char *name = entry[i]->d_name;
        char *path = NULL;

        if (st == ABDB_OK && strcmp(name, ".") != 0 && strcmp(name, "..") != 0) {
            if (asprintf(&path, "%s/%s", folder, name) < 0) {
                path = NULL;
                st = ABDB_FAIL(err, ABDB_NOMEM, "files of %s", folder);
            } else {
                st = append_or_count_skipped_folder_entry(l, path, name, depth, hidden, err);
            }
        }
        free(path);
        free(entry[i]);
    }
    free(entry);
    return st;
}

abdb_status abdb_file_list_add_file_or_folder_files(abdb_file_list *list, const char *path,
                                                    abdb_skipped_files *skipped, abdb_error *err)
{
    struct stat info;

    return stat(path, &info) == 0 && S_ISDIR(info.st_mode)
               ? append_files_of_folder_recursively(&(listing){list, skipped}, path, 0, false, err)
               : append_file_path(list, path, true, err);
}

void abdb_file_list_free(abdb_file_list *list)
{
    for (size_t i = 0; i < list->count; i++) free(list->item[i].path);
    free(list->item);
    *list = (abdb_file_list){0};
}

abdb_status abdb_scratch_folder_create(abdb_scratch *scratch, abdb_error *err)
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
    abdb_remove_with_sqlite_logs(scratch->path);
    rmdir(scratch->folder);
    *scratch->folder = '\0';
}
