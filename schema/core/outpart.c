/* outpart.c - where a file or a folder is while it is written; see outpart.h. */
#include "schema/core/outpart.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include "schema/core/number.h"

enum { BASE_MAX = 200 };

static const char *base_of(const char *place)
{
    const char *slash = strrchr(place, '/');

    return slash ? slash + 1 : place;
}

abdb_status abdb_outpart_fail(const char *verb, const char *place, abdb_error *err)
{
    size_t size = strlen(place);

    if (errno != ENOENT)
        return ABDB_FAIL(err, ABDB_IO, "cannot %s %s: %s", verb, place,
                         errno ? strerror(errno) : "is the disk full?");
    while (size > 1 && place[size - 1] == '/') size--;
    while (size && place[size - 1] != '/') size--;
    while (size > 1 && place[size - 1] == '/') size--;
    return ABDB_FAIL(err, ABDB_IO, "cannot %s %s: there is no folder %.*s", verb, place,
                     size ? (int)size : 1, size ? place : ".");
}

void abdb_outpart_sweep(const char *place, void (*remove_part)(const char *part))
{
    char folder[PATH_MAX], prefix[BASE_MAX + 8], path[PATH_MAX + NAME_MAX + 2];
    const char *base = base_of(place);
    struct dirent *entry;
    DIR *dir;

    snprintf(folder, sizeof folder, "%.*s", (int)(base - place), place);
    snprintf(prefix, sizeof prefix, ".%.*s.", BASE_MAX, base);
    dir = opendir(*folder ? folder : ".");
    while (dir && (entry = readdir(dir))) {
        const char *end;
        unsigned long long pid = 0;

        if (strncmp(entry->d_name, prefix, strlen(prefix)) != 0) continue;
        end = entry->d_name + strlen(prefix);
        end += abdb_digits_parse_prefix(end, 10, &pid);
        /* The writer's process must be gone for certain (ESRCH): one of another user answers EPERM,
         * and its part stays. A number that was given to another process since only delays the
         * removal. */
        if (*end != '-' || strlen(end) != strlen("-12345678.part") || !strstr(end, ".part") ||
            pid < 1 || pid > INT_MAX || kill((pid_t)pid, 0) == 0 || errno != ESRCH)
            continue;
        snprintf(path, sizeof path, "%s%s", folder, entry->d_name);
        remove_part(path);
    }
    if (dir) closedir(dir);
}

mode_t abdb_outpart_apply_umask(mode_t mode)
{
    mode_t mask = umask(077); /* strict meanwhile: another thread may make a file */

    umask(mask);
    return mode & ~mask;
}

char *abdb_outpart_name(const char *place)
{
    const char *base = base_of(place);
    unsigned number;
    char *part;

    if (getentropy(&number, sizeof number) != 0) return NULL;
    if (asprintf(&part, "%.*s.%.*s.%ld-%08x.part", (int)(base - place), place, BASE_MAX, base,
                 (long)getpid(), number) < 0) {
        errno = ENOMEM;
        return NULL;
    }
    return part;
}
