/* search_path.c - texts by name; see search_path.h. */
#include "query/answer/search_path.h"

#include <errno.h>
#include <stdio.h>
#include <ctype.h>
#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "query/answer/output.h"
#include "schema/core/array.h"
#include "schema/core/outguard.h"

enum { NAMES_MAX = 256, TEXT_MAX = 16 << 20 };

/* Length of a file's name without the suffix; 0: it is none of them. Completion hands names to the
 * shell, so that a name is letters, digits, '.', '_' and '-', and begins as no option does. */
static size_t name_size_without_suffix_or_zero_if_invalid(const abdb_search_path *shelf,
                                                          const char *file)
{
    size_t size = strlen(file), tail = strlen(shelf->suffix);

    if (!isalnum((unsigned char)*file)) return 0;
    for (const char *s = file; *s; s++)
        if (!isalnum((unsigned char)*s) && !strchr("._-", *s)) return 0;
    return size > tail && strcmp(file + size - tail, shelf->suffix) == 0 ? size - tail : 0;
}

static bool is_hidden_file_of_search_path(const abdb_search_path *shelf, const char *file)
{
    return shelf->hidden && strcmp(file, shelf->hidden) == 0;
}

/* Adds a copy of the name of size bytes; without memory it is left out, and reported. */
static void append_name_copy_or_warn(const abdb_search_path *shelf, const char **names,
                                     size_t *count, const char *name, size_t size,
                                     abdb_arena *arena)
{
    const char *own = abdb_arena_copy(arena, name, size);

    if (own)
        names[(*count)++] = own;
    else
        abdb_print_stderr_remark("left out, for want of memory: %s %.*s", shelf->what, (int)size,
                                 name);
}

size_t abdb_search_path_list_sorted_names(const abdb_search_path *shelf, const char **names,
                                          size_t room, abdb_arena *arena)
{
    const char *folder = abdb_user_config_folder(arena, shelf->folder);
    DIR *dir = folder ? opendir(folder) : NULL;
    struct dirent *entry;
    bool listed = dir || !folder || errno == ENOENT || errno == ENOTDIR || errno == EACCES;
    size_t count = 0, kept = 0, size;

    for (const abdb_embedded *e = shelf->shipped; e->name && count < room; e++)
        if (!is_hidden_file_of_search_path(shelf, e->name))
            append_name_copy_or_warn(shelf, names, &count, e->name,
                                     name_size_without_suffix_or_zero_if_invalid(shelf, e->name),
                                     arena);
    while (dir && count < room) {
        errno = 0;
        entry = readdir(dir);
        listed = entry || errno == 0;
        if (!entry) break;
        if ((size = name_size_without_suffix_or_zero_if_invalid(shelf, entry->d_name)))
            append_name_copy_or_warn(shelf, names, &count, entry->d_name, size, arena);
    }
    if (!listed) abdb_print_stderr_remark("left out: what is in %s: %s", folder, strerror(errno));
    if (dir) closedir(dir);
    abdb_array_sort(names, count, sizeof *names, abdb_compare_text_pointers);
    for (size_t i = 0; i < count; i++)
        if (i == 0 || strcmp(names[i], names[kept - 1]) != 0) names[kept++] = names[i];
    return kept;
}

abdb_status abdb_search_path_read_user_or_shipped_text(const abdb_search_path *shelf,
                                                       const char *name, abdb_text *text,
                                                       const char **origin, abdb_arena *arena,
                                                       abdb_error *err)
{
    const char *folder = abdb_user_config_folder(arena, shelf->folder), *names[NAMES_MAX], *near;
    abdb_text longer = {0};
    struct stat info;
    size_t count;

    *origin = folder && !strchr(name, '/')
                  ? abdb_arena_printf(arena, "%s/%s%s", folder, name, shelf->suffix)
                  : NULL;
    if (*origin && lstat(*origin, &info) == 0)
        return abdb_read_and_protect_regular_text_file(*origin, text, err);
    *origin = NULL;
    for (const abdb_embedded *e = shelf->shipped; e->name; e++)
        if (!is_hidden_file_of_search_path(shelf, e->name) &&
            strlen(name) == name_size_without_suffix_or_zero_if_invalid(shelf, e->name) &&
            strncmp(name, e->name, strlen(name)) == 0) {
            abdb_text_puts(text, e->text);
            return text->failed ? ABDB_FAIL(err, ABDB_NOMEM, "%s %s", shelf->what, name) : ABDB_OK;
        }
    count = abdb_search_path_list_sorted_names(shelf, names, NAMES_MAX, arena);
    near = abdb_nearest_name(name, names, count);
    for (size_t i = 0; i < count; i++) /* "mlperf": all that begin so */
        if (strncmp(names[i], name, strlen(name)) == 0 && names[i][strlen(name)] == '-')
            abdb_text_printf(&longer, "%s%s", longer.size ? "', '" : "", names[i]);
    if (longer.size) near = abdb_arena_copy(arena, longer.data, longer.size);
    abdb_text_free(&longer);
    return ABDB_FAIL(err, ABDB_USAGE, "no %s '%s'%s%s%s; `%s` lists them", shelf->what, name,
                     near ? ", did you mean '" : "", near ? near : "", near ? "'?" : "",
                     shelf->lister);
}

const char *abdb_user_config_folder(abdb_arena *arena, const char *kind)
{
    const char *own = getenv("ABDB_PATH"), *config = getenv("XDG_CONFIG_HOME"),
               *home = getenv("HOME");

    if (own && *own) return abdb_arena_printf(arena, "%s/%s", own, kind);
    if (config && *config) return abdb_arena_printf(arena, "%s/abdb/%s", config, kind);
    return home && *home ? abdb_arena_printf(arena, "%s/.config/abdb/%s", home, kind) : NULL;
}

/* Appends the file's contents, up to limit bytes. regular_only: ABDB_USAGE where it is a pipe
 * or a device, which may block or never end. */
static abdb_status append_and_protect_input_file(const char *path, bool regular_only, size_t limit,
                                                 abdb_text *out, abdb_error *err)
{
    size_t before = out->size, size;
    struct stat info;
    char chunk[65536];
    FILE *file = NULL;
    abdb_status st;

    TRY(abdb_outguard_protect_input_if_regular(path, err));
    if (regular_only && stat(path, &info) == 0 && !S_ISREG(info.st_mode))
        TRY(ABDB_FAIL(err, ABDB_USAGE,
                      "%s is not a regular file, and files of this folder are read by name:"
                      " remove it, or put a file in its place",
                      path));
    file = fopen(path, "rb");
    if (!file) TRY(ABDB_FAIL(err, ABDB_IO, "%s: %s", path, strerror(errno)));
    while ((size = fread(chunk, 1, sizeof chunk, file)) > 0) {
        if (size > limit - (out->size - before))
            TRY(ABDB_FAIL(err, ABDB_USAGE,
                          "%s has more than %zu MiB, which no text that people write has: is it"
                          " the right file?",
                          path, limit >> 20));
        abdb_text_add(out, chunk, size);
        if (out->failed) TRY(ABDB_FAIL(err, ABDB_NOMEM, "%s", path));
    }
    if (ferror(file)) TRY(ABDB_FAIL(err, ABDB_IO, "%s: %s", path, strerror(errno)));
done:
    if (file) fclose(file);
    return st;
}

/* ABDB_USAGE: the text behind before holds a zero byte. */
static abdb_status refuse_zero_byte(const char *path, const abdb_text *out, size_t start_offset,
                                    abdb_error *err)
{
    const char *text = abdb_text_get(out) + start_offset,
               *zero = memchr(text, '\0', out->size - start_offset);
    long line = 1;

    if (!zero) return ABDB_OK;
    for (const char *c = text; c < zero; c++) line += *c == '\n';
    return ABDB_FAIL(err, ABDB_USAGE,
                     "%s, line %ld: a zero byte, which ends no text: is it a text file? UTF-16 is"
                     " not read here (iconv -f UTF-16 -t UTF-8)",
                     path, line);
}

abdb_status abdb_read_and_protect_file(const char *path, abdb_text *out, abdb_error *err)
{
    return append_and_protect_input_file(path, false, SIZE_MAX, out, err);
}

abdb_status abdb_read_and_protect_text_file(const char *path, abdb_text *out, abdb_error *err)
{
    size_t before = out->size;
    abdb_status st = append_and_protect_input_file(path, false, TEXT_MAX, out, err);

    return st == ABDB_OK ? refuse_zero_byte(path, out, before, err) : st;
}

abdb_status abdb_read_and_protect_regular_text_file(const char *path, abdb_text *out,
                                                    abdb_error *err)
{
    size_t before = out->size;
    abdb_status st = append_and_protect_input_file(path, true, TEXT_MAX, out, err);

    return st == ABDB_OK ? refuse_zero_byte(path, out, before, err) : st;
}
