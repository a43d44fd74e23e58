/* shelf.c - texts by name; see shelf.h. */
#include "query/answer/shelf.h"

#include <errno.h>
#include <stdio.h>
#include <ctype.h>
#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "query/answer/say.h"
#include "schema/core/outguard.h"

enum { NAMES_MAX = 256 };

/* Length of a file's name without the suffix; 0: it is none of them. Completion hands names to the
 * shell, so that a name is letters, digits, '.', '_' and '-'. */
static size_t stem(const abdb_shelf *shelf, const char *file)
{
    size_t size = strlen(file), tail = strlen(shelf->suffix);

    for (const char *s = file; *s; s++)
        if (!isalnum((unsigned char)*s) && !strchr("._-", *s)) return 0;
    return size > tail && strcmp(file + size - tail, shelf->suffix) == 0 ? size - tail : 0;
}

static bool is_hidden(const abdb_shelf *shelf, const char *file)
{
    return shelf->hidden && strcmp(file, shelf->hidden) == 0;
}

static int by_text(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* Adds a copy of the name of size bytes; without memory it is left out, and said. */
static void add_name(const abdb_shelf *shelf, const char **names, size_t *count, const char *name,
                     size_t size, abdb_arena *arena)
{
    const char *own = abdb_arena_copy(arena, name, size);

    if (own)
        names[(*count)++] = own;
    else
        abdb_remark("left out, for want of memory: %s %.*s", shelf->what, (int)size, name);
}

size_t abdb_shelf_names(const abdb_shelf *shelf, const char **names, size_t room, abdb_arena *arena)
{
    const char *folder = abdb_user_folder(arena, shelf->folder);
    DIR *dir = folder ? opendir(folder) : NULL;
    struct dirent *entry;
    bool listed = dir || !folder || errno == ENOENT || errno == ENOTDIR || errno == EACCES;
    size_t count = 0, kept = 0, size;

    for (const abdb_embedded *e = shelf->shipped; e->name && count < room; e++)
        if (!is_hidden(shelf, e->name))
            add_name(shelf, names, &count, e->name, stem(shelf, e->name), arena);
    while (dir && count < room) {
        errno = 0;
        entry = readdir(dir);
        listed = entry || errno == 0;
        if (!entry) break;
        if ((size = stem(shelf, entry->d_name)))
            add_name(shelf, names, &count, entry->d_name, size, arena);
    }
    if (!listed) abdb_remark("left out: what is in %s: %s", folder, strerror(errno));
    if (dir) closedir(dir);
    qsort(names, count, sizeof *names, by_text);
    for (size_t i = 0; i < count; i++)
        if (i == 0 || strcmp(names[i], names[kept - 1]) != 0) names[kept++] = names[i];
    return kept;
}

abdb_status abdb_shelf_read(const abdb_shelf *shelf, const char *name, abdb_text *text,
                            const char **origin, abdb_arena *arena, abdb_error *err)
{
    const char *folder = abdb_user_folder(arena, shelf->folder), *names[NAMES_MAX], *near;
    abdb_text longer = {0};
    size_t count;

    *origin = folder && !strchr(name, '/')
                  ? abdb_arena_printf(arena, "%s/%s%s", folder, name, shelf->suffix)
                  : NULL;
    if (*origin && access(*origin, R_OK) == 0) return abdb_read_text_file(*origin, text, err);
    *origin = NULL;
    for (const abdb_embedded *e = shelf->shipped; e->name; e++)
        if (!is_hidden(shelf, e->name) && strlen(name) == stem(shelf, e->name) &&
            strncmp(name, e->name, strlen(name)) == 0) {
            abdb_text_puts(text, e->text);
            return text->failed ? ABDB_FAIL(err, ABDB_NOMEM, "%s %s", shelf->what, name) : ABDB_OK;
        }
    count = abdb_shelf_names(shelf, names, NAMES_MAX, arena);
    near = abdb_nearest(name, names, count);
    for (size_t i = 0; i < count; i++) /* "mlperf": all that begin so */
        if (strncmp(names[i], name, strlen(name)) == 0 && names[i][strlen(name)] == '-')
            abdb_text_printf(&longer, "%s%s", longer.size ? "', '" : "", names[i]);
    if (longer.size) near = abdb_arena_copy(arena, longer.data, longer.size);
    abdb_text_free(&longer);
    return ABDB_FAIL(err, ABDB_USAGE, "no %s '%s'%s%s%s; `%s` lists them", shelf->what, name,
                     near ? ", did you mean '" : "", near ? near : "", near ? "'?" : "",
                     shelf->lister);
}

const char *abdb_user_folder(abdb_arena *arena, const char *kind)
{
    const char *own = getenv("ABDB_PATH"), *config = getenv("XDG_CONFIG_HOME"),
               *home = getenv("HOME");

    if (own && *own) return abdb_arena_printf(arena, "%s/%s", own, kind);
    if (config && *config) return abdb_arena_printf(arena, "%s/abdb/%s", config, kind);
    return home && *home ? abdb_arena_printf(arena, "%s/.config/abdb/%s", home, kind) : NULL;
}

abdb_status abdb_read_file(const char *path, abdb_text *out, abdb_error *err)
{
    FILE *file;
    char chunk[65536];
    size_t size;
    abdb_status st = abdb_outguard_protect_input(path, err);

    if (st != ABDB_OK) return st;
    file = fopen(path, "rb");
    if (!file) return ABDB_FAIL(err, ABDB_IO, "%s: %s", path, strerror(errno));
    while ((size = fread(chunk, 1, sizeof chunk, file)) > 0) abdb_text_add(out, chunk, size);
    if (ferror(file)) st = ABDB_FAIL(err, ABDB_IO, "%s: %s", path, strerror(errno));
    fclose(file);
    if (out->failed) st = ABDB_FAIL(err, ABDB_NOMEM, "%s", path);
    return st;
}

abdb_status abdb_read_text_file(const char *path, abdb_text *out, abdb_error *err)
{
    size_t before = out->size;
    abdb_status st = abdb_read_file(path, out, err);
    const char *text = abdb_text_get(out) + before, *zero;
    long line = 1;

    if (st != ABDB_OK) return st;
    zero = memchr(text, '\0', out->size - before);
    if (!zero) return ABDB_OK;
    for (const char *c = text; c < zero; c++) line += *c == '\n';
    return ABDB_FAIL(err, ABDB_USAGE,
                     "%s, line %ld: a zero byte, which ends no text: is it a text file? UTF-16 is"
                     " not read here (iconv -f UTF-16 -t UTF-8)",
                     path, line);
}
