/* figures.c - figures by name: the user's folder and the shipped ones; see figures.h. */
#include "query/figures.h"

#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "query/cli.h"

enum { FIGURES_MAX = 128 };

static bool is_gp(const char *name)
{
    size_t size = strlen(name);

    return size > 3 && strcmp(name + size - 3, ".gp") == 0;
}

static int by_text(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

size_t abdb_figure_names(const char **names, size_t room, abdb_arena *arena)
{
    const char *folder = abdb_user_folder(arena, "figures");
    DIR *dir = folder ? opendir(folder) : NULL;
    struct dirent *entry;
    size_t count = 0, kept = 0;

    for (size_t i = 0; abdb_figures[i].name && count < room; i++)
        if (strcmp(abdb_figures[i].name, "style.gp") != 0)
            names[count++] =
                abdb_arena_copy(arena, abdb_figures[i].name, strlen(abdb_figures[i].name) - 3);
    while (dir && (entry = readdir(dir)) && count < room)
        if (is_gp(entry->d_name))
            names[count++] = abdb_arena_copy(arena, entry->d_name, strlen(entry->d_name) - 3);
    if (dir) closedir(dir);
    qsort(names, count, sizeof *names, by_text);
    for (size_t i = 0; i < count; i++)
        if (i == 0 || strcmp(names[i], names[kept - 1]) != 0) names[kept++] = names[i];
    return kept;
}

abdb_status abdb_figure_load(abdb_figure *out, const char *name, abdb_error *err)
{
    abdb_arena arena = {0};
    const char *folder = abdb_user_folder(&arena, "figures"), *names[FIGURES_MAX], *near,
               *path = NULL;
    abdb_text text = {0};
    abdb_status st = ABDB_OK;

    if (folder && !strchr(name, '/')) path = abdb_arena_printf(&arena, "%s/%s.gp", folder, name);
    if (path && access(path, R_OK) == 0) {
        TRY(abdb_read_file(path, &text, err));
        TRY(abdb_figure_parse(out, name, abdb_text_get(&text), err));
        goto done;
    }
    for (size_t i = 0; abdb_figures[i].name; i++)
        if (strncmp(abdb_figures[i].name, name, strlen(name)) == 0 &&
            strcmp(abdb_figures[i].name + strlen(name), ".gp") == 0 && strcmp(name, "style") != 0) {
            st = abdb_figure_parse(out, name, abdb_figures[i].text, err);
            goto done;
        }
    near = abdb_nearest(name, names, abdb_figure_names(names, FIGURES_MAX, &arena));
    st = ABDB_FAIL(err, ABDB_USAGE, "no figure '%s'%s%s%s; `abdb plot` lists them", name,
                   near ? ", did you mean '" : "", near ? near : "", near ? "'?" : "");
done:
    abdb_text_free(&text);
    abdb_arena_free(&arena);
    return st;
}
