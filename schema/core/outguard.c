/* outguard.c - the files that no output may replace; see outguard.h. */
#include "schema/core/outguard.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

#include "schema/core/array.h"

enum { LINKS_MAX = 40 };

/* The file and folder of a path at this moment. A name without a file has only a folder. */
typedef struct {
    bool exists, has_folder;
    dev_t device, folder_device;
    ino_t inode, folder_inode;
    char name[NAME_MAX + 1];
} identity;

typedef enum { DATABASE, BESIDE_DATABASE, INPUT } protected_role;

typedef struct {
    protected_role role;
    char *path;  /* the path with that role */
    char *shown; /* the name in messages */
    identity was;
} protected_file;

static struct {
    protected_file *item;
    size_t count, room;
} guard;

static const char *const beside[] = {"-wal", "-shm", "-journal"};
enum { BESIDE = sizeof beside / sizeof *beside };

char *abdb_outguard_resolve_links(const char *path)
{
    char *at = realpath(path, NULL);

    if (at) return at;
    at = strdup(path);
    for (int i = 0; at && i < LINKS_MAX; i++) {
        char target[PATH_MAX], *next;
        const char *slash = strrchr(at, '/');
        ssize_t size = readlink(at, target, sizeof target - 1);
        int made;

        if (size < 0) return at; /* no link: here a file can be made, or its folder is missing */
        target[size] = '\0';
        if (*target == '/' || !slash)
            made = asprintf(&next, "%s", target);
        else
            made = asprintf(&next, "%.*s/%s", (int)(slash - at), at, target);
        free(at);
        at = made < 0 ? NULL : next;
        if (made < 0) errno = ENOMEM;
    }
    if (at) errno = ELOOP;
    free(at);
    return NULL;
}

static void set_identity_from_stat(const struct stat *info, identity *out)
{
    out->exists = true;
    out->device = info->st_dev;
    out->inode = info->st_ino;
}

/* Follows links; a name of a file that is not there is that of its folder and its last word. */
static void get_identity_of_path_or_its_folder(const char *path, identity *out)
{
    struct stat info;
    char *resolved, *slash;

    *out = (identity){0};
    if (stat(path, &info) == 0) set_identity_from_stat(&info, out);
    resolved = abdb_outguard_resolve_links(path);
    if (!resolved) return;
    slash = strrchr(resolved, '/');
    snprintf(out->name, sizeof out->name, "%s", slash ? slash + 1 : resolved);
    if (slash) slash[slash == resolved] = '\0';
    if (stat(slash ? resolved : ".", &info) == 0 && *out->name) {
        out->has_folder = true;
        out->folder_device = info.st_dev;
        out->folder_inode = info.st_ino;
    }
    free(resolved);
}

/* Names are compared without regard to case, as some file systems do. */
static bool is_same_file_identity(const identity *one, const identity *other)
{
    if (one->exists && other->exists)
        return one->device == other->device && one->inode == other->inode;
    return one->has_folder && other->has_folder && one->folder_device == other->folder_device &&
           one->folder_inode == other->folder_inode && strcasecmp(one->name, other->name) == 0;
}

bool abdb_outguard_paths_are_same_file(const char *one, const char *other)
{
    identity a, b;

    get_identity_of_path_or_its_folder(one, &a);
    get_identity_of_path_or_its_folder(other, &b);
    return is_same_file_identity(&a, &b);
}

/* Adds a path to the protected files with its role and identity; a path of the same role is added
 * once. */
static abdb_status remember_protected_path_and_identity(protected_role role, const char *path,
                                                        const char *shown, abdb_error *err)
{
    protected_file *more, file = {.role = role};

    for (size_t i = 0; i < guard.count && role != INPUT; i++) /* of inputs there may be many */
        if (guard.item[i].role == role && strcmp(guard.item[i].path, path) == 0) return ABDB_OK;
    more = abdb_array_reserve_one(guard.item, guard.count, &guard.room, sizeof *more);
    if (more) guard.item = more;
    file.path = strdup(path);
    file.shown = strdup(shown);
    if (!more || !file.path || !file.shown) {
        free(file.path);
        free(file.shown);
        return ABDB_FAIL(err, ABDB_NOMEM, "a path");
    }
    get_identity_of_path_or_its_folder(path, &file.was);
    guard.item[guard.count++] = file;
    return ABDB_OK;
}

/* Protects the files that SQLite keeps beside a database: -wal, -shm and -journal. */
static abdb_status protect_sqlite_side_files(const char *database, const char *shown,
                                             abdb_error *err)
{
    abdb_status st = ABDB_OK;

    for (int i = 0; i < BESIDE && st == ABDB_OK; i++) {
        char *path;

        if (asprintf(&path, "%s%s", database, beside[i]) < 0)
            return ABDB_FAIL(err, ABDB_NOMEM, "a path");
        st = remember_protected_path_and_identity(BESIDE_DATABASE, path, shown, err);
        free(path);
    }
    return st;
}

abdb_status abdb_outguard_protect_database(const char *path, abdb_error *err)
{
    char *resolved;
    abdb_status st = ABDB_OK;

    TRY(remember_protected_path_and_identity(DATABASE, path, path, err));
    TRY(protect_sqlite_side_files(path, path, err));
    resolved = abdb_outguard_resolve_links(path); /* SQLite keeps its files beside the target */
    if (resolved) st = protect_sqlite_side_files(resolved, path, err);
    free(resolved);
done:
    return st;
}

abdb_status abdb_outguard_protect_input_if_regular(const char *path, abdb_error *err)
{
    struct stat info;

    if (stat(path, &info) != 0 || !S_ISREG(info.st_mode)) return ABDB_OK;
    return remember_protected_path_and_identity(INPUT, path, path, err);
}

/* The error of writing a protected file, by its role. */
static abdb_status report_protected_file_error(const char *out, const protected_file *file,
                                               abdb_error *err)
{
    switch (file->role) {
    case DATABASE:
        return ABDB_FAIL(err, ABDB_USAGE,
                         "cannot write %s: it is the database %s, and no output replaces it; name"
                         " another file",
                         out, file->shown);
    case BESIDE_DATABASE:
        return ABDB_FAIL(err, ABDB_USAGE,
                         "cannot write %s: SQLite keeps a part of the database %s there; name"
                         " another file",
                         out, file->shown);
    case INPUT: break;
    }
    return ABDB_FAIL(err, ABDB_USAGE,
                     "cannot write %s: the command reads %s, which is the same file; name another"
                     " file",
                     out, file->shown);
}

/* Refuses an output that is one of the protected files, as they were and as they are now. */
static abdb_status refuse_protected_identity(const identity *asked, const char *name,
                                             abdb_error *err)
{
    for (size_t i = 0; i < guard.count; i++) {
        const protected_file *file = &guard.item[i];
        bool same = is_same_file_identity(asked, &file->was);

        if (!same && file->role != INPUT) { /* it may have been made or replaced since */
            identity now;

            get_identity_of_path_or_its_folder(file->path, &now);
            same = is_same_file_identity(asked, &now);
        }
        if (same) return report_protected_file_error(name, file, err);
    }
    return ABDB_OK;
}

/* Does the file begin as a database of abdb does? */
static bool has_abdb_database_header(const char *path)
{
    static const char magic[] = "SQLite format 3";
    enum { APPLICATION_ID = 68, HEAD = 72 };
    char head[HEAD];
    int file = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC | O_NOCTTY);
    bool is;

    if (file < 0) return false;
    is = read(file, head, HEAD) == HEAD && memcmp(head, magic, sizeof magic) == 0 &&
         memcmp(head + APPLICATION_ID, "abdb", 4) == 0;
    close(file);
    return is;
}

/* Refuses an output that is a database which the command does not use, or a file that SQLite keeps
 * beside one. */
static abdb_status refuse_overwriting_other_database(const char *path, abdb_error *err)
{
    char *resolved = abdb_outguard_resolve_links(path);
    size_t size = resolved ? strlen(resolved) : 0;
    abdb_status st = ABDB_OK;
    struct stat info;

    if (resolved && stat(resolved, &info) == 0 && S_ISREG(info.st_mode) &&
        has_abdb_database_header(resolved))
        st = ABDB_FAIL(
            err, ABDB_USAGE,
            "cannot write %s: a database of abdb exists there, and no output replaces one;"
            " name another file, or remove it",
            path);
    for (int i = 0; i < BESIDE && resolved && st == ABDB_OK; i++) {
        size_t end = strlen(beside[i]);

        if (size <= end || strcmp(resolved + size - end, beside[i]) != 0) continue;
        resolved[size - end] = '\0';
        if (stat(resolved, &info) == 0 && S_ISREG(info.st_mode) &&
            has_abdb_database_header(resolved))
            st = ABDB_FAIL(err, ABDB_USAGE,
                           "cannot write %s: SQLite keeps a part of the database %s there; name"
                           " another file",
                           path, resolved);
        break;
    }
    free(resolved);
    return st;
}

abdb_status abdb_outguard_refuse_protected_descriptor(int file, const char *name, abdb_error *err)
{
    identity asked = {0};
    struct stat info;

    if (fstat(file, &info) != 0 || !S_ISREG(info.st_mode)) return ABDB_OK;
    set_identity_from_stat(&info, &asked);
    return refuse_protected_identity(&asked, name, err);
}

abdb_status abdb_outguard_refuse_protected_path(const char *path, abdb_error *err)
{
    identity asked;
    struct stat info;
    abdb_status st;

    if (!path || strcmp(path, "-") == 0)
        return abdb_outguard_refuse_protected_descriptor(STDOUT_FILENO, "standard output", err);
    if (stat(path, &info) == 0 && !S_ISREG(info.st_mode) && !S_ISDIR(info.st_mode)) return ABDB_OK;
    get_identity_of_path_or_its_folder(path, &asked);
    st = refuse_protected_identity(&asked, path, err);
    return st == ABDB_OK ? refuse_overwriting_other_database(path, err) : st;
}
