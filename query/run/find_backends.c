/* find_backends.c - which backends are here; see find_backends.h. */
#include "query/run/find_backends.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#ifdef ABDB_EXTENSION
#include <dlfcn.h>
#else
#include "query/cli/command_line.h"
#endif
#include "schema/core/array.h"

static const char prefix[] = "abdb-run-";

static bool list_has_backend(const abdb_backend_list *list, const char *name)
{
    for (size_t i = 0; i < list->count; i++)
        if (strcmp(list->backend[i].name, name) == 0) return true;
    return false;
}

/* Adds the programs abdb-run-NAME of a folder; a missing folder has none. */
static abdb_status add_backends_in_folder(abdb_backend_list *list, const char *folder,
                                          abdb_error *err)
{
    DIR *dir = folder ? opendir(folder) : NULL;
    struct dirent *entry;
    bool listed = dir || !folder || errno == ENOENT || errno == ENOTDIR || errno == EACCES;

    while (dir && list->count < ABDB_BACKEND_MAX) {
        const char *name, *path;

        errno = 0;
        entry = readdir(dir);
        listed = entry || errno == 0;
        if (!entry) break;
        name = entry->d_name + sizeof prefix - 1;
        if (strncmp(entry->d_name, prefix, sizeof prefix - 1) != 0 || !*name ||
            list_has_backend(list, name))
            continue;
        path = abdb_arena_printf(&list->arena, "%s/%s", folder, entry->d_name);
        if (!path || access(path, X_OK) != 0) continue;
        list->backend[list->count].name = abdb_arena_copy(&list->arena, name, strlen(name));
        list->backend[list->count].path = path;
        list->count += list->backend[list->count].name != NULL;
    }
    if (!listed) (void)ABDB_FAIL(err, ABDB_IO, "cannot list %s: %s", folder, strerror(errno));
    if (dir) closedir(dir);
    return listed ? ABDB_OK : ABDB_IO;
}

/* Where the backends stand: beside the program; of the extension beside it, in bin where it is in
 * lib/abdb (as a wheel has them), and where both are installed. */
static abdb_status add_installed_backends(abdb_backend_list *list, abdb_error *err)
{
#ifdef ABDB_EXTENSION
    Dl_info info;
    const char *slash = dladdr((void *)(size_t)add_installed_backends, &info) && info.dli_fname
                            ? strrchr(info.dli_fname, '/')
                            : NULL;
    int size = slash ? (int)(slash - info.dli_fname) : 0;
    abdb_status st = ABDB_OK;

    if (slash)
        st = add_backends_in_folder(
            list, abdb_arena_printf(&list->arena, "%.*s", size, info.dli_fname), err);
    if (st == ABDB_OK && slash)
        st = add_backends_in_folder(
            list, abdb_arena_printf(&list->arena, "%.*s/../../bin", size, info.dli_fname), err);
    return st == ABDB_OK ? add_backends_in_folder(list, ABDB_PREFIX "/bin", err) : st;
#else
    return add_backends_in_folder(list, abdb_program_folder(&list->arena), err);
#endif
}

/* Is a folder the one beside the program? The extension has none that is sure. */
static bool is_program_folder(abdb_backend_list *list, const char *folder)
{
#ifdef ABDB_EXTENSION
    (void)list;
    (void)folder;
    return false;
#else
    const char *own = abdb_program_folder(&list->arena);
    struct stat one, other;

    return own && stat(own, &one) == 0 && stat(folder, &other) == 0 && one.st_dev == other.st_dev &&
           one.st_ino == other.st_ino;
#endif
}

abdb_status abdb_backends_find(abdb_backend_list *out, abdb_error *err)
{
    const char *own = getenv("ABDB_BACKENDS");
    size_t of_user;
    abdb_status st = ABDB_OK;

    *out = (abdb_backend_list){0};
    if (own && *own) st = add_backends_in_folder(out, own, err);
    of_user = out->count;
    if (st == ABDB_OK) st = add_installed_backends(out, err);
    for (size_t i = 0; i < of_user; i++) out->backend[i].foreign = !is_program_folder(out, own);
    abdb_array_sort(out->backend, out->count, sizeof out->backend[0],
                    abdb_compare_text_pointers); /* name is the first member */
    return st;
}

const char *abdb_path_of_work_counter(abdb_arena *arena)
{
#ifdef ABDB_EXTENSION
    (void)arena;
    return NULL;
#else
    const char *folder = abdb_program_folder(arena);

    return folder ? abdb_arena_printf(arena, "%s/%sref", folder, prefix) : NULL;
#endif
}

void abdb_append_install_advice(abdb_text *out, const abdb_backend_package *of)
{
    if (of->made && *of->made) abdb_text_printf(out, "install the package %s, or ", of->made);
    abdb_text_printf(out, "build abdb from its source with %s (`make deps`, then `make`)",
                     of->package);
}

void abdb_backends_free(abdb_backend_list *list)
{
    abdb_arena_free(&list->arena);
    *list = (abdb_backend_list){0};
}
