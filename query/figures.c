/* figures.c - figures by name: the user's folder and the shipped ones; see figures.h. */
#include "query/figures.h"

#include "query/shelf.h"

static const abdb_shelf shelf = {"figure", "figures", ".gp", "style.gp", "abdb plot", abdb_figures};

size_t abdb_figure_names(const char **names, size_t room, abdb_arena *arena)
{
    return abdb_shelf_names(&shelf, names, room, arena);
}

abdb_status abdb_figure_load(abdb_figure *out, const char *name, abdb_error *err)
{
    abdb_arena arena = {0};
    abdb_text text = {0};
    const char *path;
    abdb_status st = ABDB_OK;

    TRY(abdb_shelf_read(&shelf, name, &text, &path, &arena, err));
    TRY(abdb_figure_parse(out, name, abdb_text_get(&text), err));
done:
    abdb_text_free(&text);
    abdb_arena_free(&arena);
    return st;
}
