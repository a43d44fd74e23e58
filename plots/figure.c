/* figure.c - scripts for gnuplot; see figure.h. */
#include "plots/figure.h"

#include <string.h>

abdb_status abdb_figure_parse(abdb_figure *f, const char *name, const char *text, abdb_error *err)
{
    char *copy, *line, *rest;

    *f = (abdb_figure){.width = 720, .height = 480};
    f->name = abdb_arena_copy(&f->arena, name, strlen(name));
    f->text = abdb_arena_copy(&f->arena, text, strlen(text));
    copy = abdb_arena_copy(&f->arena, text, strlen(text));
    if (!f->name || !f->text || !copy) return ABDB_FAIL(err, ABDB_NOMEM, "figure %s", name);
    for (rest = copy; (line = strsep(&rest, "\n")) && *line == '#';) {
        char *colon = strchr(line, ':'), *value;
        double width, height;

        if (!colon) continue;
        *colon = '\0';
        value = abdb_trim(colon + 1);
        line = abdb_trim(line + 1);
        if (strcmp(line, "title") == 0)
            f->title = value;
        else if (strcmp(line, "report") == 0)
            f->report = value;
        else if (strcmp(line, "size") == 0) {
            char *comma = strchr(value, ',');

            if (comma) *comma = '\0';
            if (comma && abdb_number(value, &width) && abdb_number(comma + 1, &height)) {
                f->width = (int)width;
                f->height = (int)height;
            }
        }
    }
    if (!f->report)
        return ABDB_FAIL(err, ABDB_FORMAT, "figure %s names no report (# report: NAME)", name);
    return ABDB_OK;
}

void abdb_figure_free(abdb_figure *figure)
{
    abdb_arena_free(&figure->arena);
    *figure = (abdb_figure){0};
}

void abdb_figure_clean(abdb_text *out, const char *text)
{
    for (; *text; text++) {
        char c = *text;

        if (c == '"' || c == '`')
            c = '\'';
        else if (c == '\\')
            c = '/';
        else if ((unsigned char)c < 0x20 || c == 0x7f)
            c = ' ';
        abdb_text_add(out, &c, 1);
    }
}

static void add_terminal(abdb_text *out, const abdb_figure *f, abdb_picture picture, int dark)
{
    const char *ground = dark ? "#16181d" : "#ffffff";

    switch (picture) {
    case ABDB_SVG:
        abdb_text_printf(
            out,
            "set terminal svg noenhanced size %d,%d font 'DejaVu Sans,12' background '%s'"
            " name 'abdb'\n",
            f->width, f->height, ground);
        break;
    case ABDB_PNG:
        abdb_text_printf(
            out,
            "set terminal pngcairo noenhanced size %d,%d font 'DejaVu Sans,12' fontscale 2"
            " linewidth 2 background '%s'\n",
            2 * f->width, 2 * f->height, ground);
        break;
    case ABDB_PDF:
        abdb_text_printf(out,
                         "set terminal pdfcairo noenhanced size %.3fin,%.3fin font 'DejaVu Sans,12'"
                         " background '%s'\n",
                         f->width / 96.0, f->height / 96.0, ground);
        break;
    case ABDB_DUMB: abdb_text_puts(out, "set terminal dumb noenhanced size 110,34\n"); break;
    }
}

static void add_data(abdb_text *out, const abdb_drawing *d)
{
    abdb_text_puts(out, "$data << ABDB_END_OF_DATA\n");
    for (size_t r = 0; r < d->rows; r++)
        for (size_t c = 0; c < d->columns; c++) {
            const char *cell = d->cell[r * d->columns + c];

            if (d->text[c]) abdb_text_puts(out, "\"");
            if (d->text[c])
                abdb_figure_clean(out, cell ? cell : "");
            else
                abdb_text_puts(out, cell && *cell ? cell : "NaN");
            abdb_text_puts(out, d->text[c] ? "\"" : "");
            abdb_text_puts(out, c + 1 < d->columns ? "\t" : "\n");
        }
    abdb_text_puts(out, "ABDB_END_OF_DATA\n");
}

/* A line of the caption folded at about `width` characters. */
static void add_folded(abdb_text *out, const char *text, size_t width)
{
    size_t column = 0;

    while (*text) {
        size_t word = strcspn(text, " ");
        char one[256];

        if (word >= sizeof one) word = sizeof one - 1;
        memcpy(one, text, word);
        one[word] = '\0';
        if (column && column + word + 1 > width) {
            abdb_text_puts(out, "\\n");
            column = 0;
        }
        if (column) abdb_text_puts(out, " ");
        abdb_figure_clean(out, one);
        column += word + 1;
        text += word;
        while (*text == ' ') text++;
    }
}

/* How often the text after `variable` is folded. */
static size_t folds(const abdb_text *out, const char *variable)
{
    const char *s = strstr(abdb_text_get(out), variable);
    size_t count = 0;

    while (s && (s = strstr(s, "\\n"))) {
        s += 2;
        count++;
    }
    return count;
}

abdb_status abdb_figure_script(const abdb_figure *f, const char *style, const abdb_drawing *d,
                               abdb_picture picture, int dark, abdb_text *out, abdb_error *err)
{
    abdb_text_puts(out, "set encoding utf8\nset datafile separator \"\\t\"\n"
                        "set datafile missing \"NaN\"\n");
    add_terminal(out, f, picture, dark);
    abdb_text_printf(out, "dark = %d\nrows = %zu\nwidth = %d\nheight = %d\n", dark, d->rows,
                     f->width, f->height);
    abdb_text_puts(out, "heading = \"");
    add_folded(out, d->title ? d->title : f->title ? f->title : f->name, (size_t)f->width / 9);
    abdb_text_puts(out, "\"\n");
    abdb_text_printf(out, "heading_lines = %zu\n", 1 + folds(out, "heading = "));
    abdb_text_puts(out, "caption = \"");
    for (size_t i = 0; i < d->notes; i++) {
        if (i) abdb_text_puts(out, "\\n");
        add_folded(out, d->note[i], (size_t)f->width / 6);
    }
    abdb_text_puts(out, "\"\n");
    abdb_text_printf(out, "caption_lines = %zu\n", d->notes ? 1 + folds(out, "caption = ") : 0);
    for (size_t c = 0; c < d->columns; c++) /* columns by name: column(c_NAME) */
        abdb_text_printf(out, "c_%s = %zu\n", d->name[c], c + 1);
    add_data(out, d);
    abdb_text_puts(out, style);
    abdb_text_puts(out, f->text);
    if (out->failed) return ABDB_FAIL(err, ABDB_NOMEM, "figure %s", f->name);
    return ABDB_OK;
}
