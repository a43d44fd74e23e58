/* load_figure.c - figures by name: the user's folder and the shipped ones; see load_figure.h. */
#include "query/answer/load_figure.h"

#include <string.h>

#include "query/answer/search_path.h"

static const abdb_search_path shelf = {"figure",   "figures",   ".gp",
                                       "style.gp", "abdb plot", abdb_figures};

size_t abdb_list_own_and_shipped_figure_names(const char **names, size_t room, abdb_arena *arena)
{
    return abdb_search_path_list_sorted_names(&shelf, names, room, arena);
}

/* Where the comment lines at the head of a figure end. */
static size_t comment_head_size(const char *text)
{
    const char *at = text;

    while (*at == '#') {
        at += strcspn(at, "\n");
        at += *at == '\n';
    }
    return (size_t)(at - text);
}

/* Adds a head; without its findings where another's stand in their place. */
static void append_figure_head_with_or_without_findings(abdb_text *out, const char *text,
                                                        size_t size, bool keep_findings)
{
    static const char finding[] = "# finding:";

    for (const char *line = text; line < text + size;) {
        size_t length = strcspn(line, "\n");

        length += line[length] == '\n'; /* a text may end without one */
        if (keep_findings || strncmp(line, finding, sizeof finding - 1) != 0)
            abdb_text_add(out, line, length);
        line += length;
    }
}

/* `# like: NAME`: the other's head, then this one's, which has the last word, then its commands. */
static abdb_status merge_with_figure_named_by_like_line(abdb_text *text, abdb_arena *arena,
                                                        abdb_error *err)
{
    const char *own = abdb_text_get(text), *path, *like = strstr(own, "# like: "), *name;
    abdb_text other = {0}, both = {0};
    size_t size;
    abdb_status st = ABDB_OK;

    if (!like || (size_t)(like - own) >= comment_head_size(own)) return ABDB_OK;
    like += strlen("# like: ");
    name = abdb_arena_copy(arena, like, strcspn(like, " \r\n"));
    if (!name) return ABDB_FAIL(err, ABDB_NOMEM, "a figure");
    TRY(abdb_search_path_read_user_or_shipped_text(&shelf, name, &other, &path, arena, err));
    size = comment_head_size(abdb_text_get(&other));
    append_figure_head_with_or_without_findings(&both, abdb_text_get(&other), size,
                                                !strstr(own, "# finding:"));
    abdb_text_add(&both, own, comment_head_size(own));
    abdb_text_puts(&both, abdb_text_get(&other) + size);
    if (both.failed) TRY(ABDB_FAIL(err, ABDB_NOMEM, "a figure"));
    abdb_text_clear(text);
    abdb_text_puts(text, abdb_text_get(&both));
done:
    abdb_text_free(&other);
    abdb_text_free(&both);
    return st;
}

abdb_status abdb_figure_load(abdb_figure *out, const char *name, abdb_error *err)
{
    abdb_arena arena = {0};
    abdb_text text = {0};
    const char *path;
    abdb_status st = ABDB_OK;

    TRY(abdb_search_path_read_user_or_shipped_text(&shelf, name, &text, &path, &arena, err));
    TRY(merge_with_figure_named_by_like_line(&text, &arena, err));
    TRY(abdb_figure_parse_header(out, name, abdb_text_get(&text), err));
done:
    abdb_text_free(&text);
    abdb_arena_free(&arena);
    return st;
}
