/* figure.c - a figure's head parsed, and the script made of it: prologue, data (drawing.c),
 * style.gp, the figure's own commands; see figure.h. */
#include "plots/figure.h"

#include <string.h>

#include "plots/drawing.h"
#include "schema/core/plain.h"

enum { SERIES_MOST = 8, CAPTION_LINE = 11 };

const char *const abdb_picture_name[ABDB_PICTURES] = {"svg", "png", "pdf", "dumb", "sixel", "html"};

/* "24 rows": points for each row, or for each level of a column. */
static void take_grow(abdb_figure *f, char *value)
{
    char *what = strpbrk(value, " ");
    double points;

    if (!what) return;
    *what = '\0';
    f->grown = abdb_trim(what + 1);
    if (abdb_number(value, &points)) f->grow = (int)points;
}

static void take_size(abdb_figure *f, char *value)
{
    char *comma = strchr(value, ',');
    double width, height;

    if (!comma) return;
    *comma = '\0';
    if (abdb_number(abdb_trim(value), &width) && abdb_number(abdb_trim(comma + 1), &height)) {
        f->width = (int)width;
        f->height = (int)height;
    }
}

static void take_series(abdb_figure *f, char *value)
{
    char *blank = strpbrk(value, " ");
    double most;

    f->series = value;
    if (!blank) return;
    *blank = '\0';
    if (abdb_number(abdb_trim(blank + 1), &most) && most >= 1) f->series_most = (size_t)most;
}

static void take_line(abdb_figure *f, const char *key, char *value)
{
    const struct {
        const char *key, **place;
    } texts[] = {{"title", &f->title}, {"report", &f->report}, {"with", &f->with},
                 {"needs", &f->needs}, {"levels", &f->levels}, {"sets", &f->sets},
                 {"hint", &f->hint}};
    double number;

    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        if (strcmp(key, texts[i].key) == 0) *texts[i].place = value;
    if (strcmp(key, "size") == 0) take_size(f, value);
    if (strcmp(key, "grow") == 0) take_grow(f, value);
    if (strcmp(key, "series") == 0) take_series(f, value);
    if (strcmp(key, "least") == 0 && abdb_number(value, &number)) f->least = (size_t)number;
}

abdb_status abdb_figure_parse(abdb_figure *f, const char *name, const char *text, abdb_error *err)
{
    char *copy, *line, *rest;

    if (strspn(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-") !=
        strlen(name))
        return ABDB_FAIL(err, ABDB_USAGE, "a figure's name has letters, digits, '.', '_' and '-'");
    *f = (abdb_figure){.width = 720, .height = 440, .least = 1, .series_most = SERIES_MOST};
    f->name = abdb_arena_copy(&f->arena, name, strlen(name));
    f->text = abdb_arena_copy(&f->arena, text, strlen(text));
    copy = abdb_arena_copy(&f->arena, text, strlen(text));
    if (!f->name || !f->text || !copy) return ABDB_FAIL(err, ABDB_NOMEM, "figure %s", name);
    for (rest = copy; (line = strsep(&rest, "\n")) && *line == '#';) {
        char *colon = strchr(line, ':');

        if (!colon) continue;
        *colon = '\0';
        take_line(f, abdb_trim(line + 1), abdb_trim(colon + 1));
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

/* One terminal for each kind of picture. Fonts of pixels and of PDF are named, so that they are the
 * same everywhere; SVG leaves them to the reader. */
static void add_terminals(abdb_text *out, const abdb_figure *f, int height, int lines)
{
    abdb_text_printf(out,
                     "ground = dark ? \"#16181d\" : \"#ffffff\"\n"
                     "if (picture eq \"svg\") set terminal svg noenhanced size %d,%d font "
                     "'sans-serif,12' background ground name 'abdb'\n"
                     "if (picture eq \"png\") set terminal pngcairo noenhanced size %d,%d font "
                     "'DejaVu Sans,12' fontscale 1.5 linewidth 2 background ground\n",
                     f->width, height, 2 * f->width, 2 * height);
    abdb_text_printf(out,
                     "if (picture eq \"pdf\") set terminal pdfcairo noenhanced size %.3fin,%.3fin "
                     "font 'DejaVu Sans,12' fontscale 0.75 linewidth 1 background ground\n"
                     "if (picture eq \"dumb\") set terminal dumb noenhanced size 110,%d\n",
                     f->width / 72.0, height / 72.0, lines);
    abdb_text_printf(
        out,
        "if (picture eq \"sixel\") set terminal sixelgd noenhanced truecolor size %d,%d "
        "font 'DejaVuSans,12' fontscale 0.75 background ground\n"
        "if (picture eq \"html\") set terminal canvas noenhanced standalone size %d,%d "
        "fsize 11 background ground title '%s'\n",
        f->width, height, f->width, height, f->name);
}

/* The lines of a text, as elements of a gnuplot array: gnuplot's own folding leaves each terminal
 * its own distance between lines. */
typedef struct {
    abdb_text text;
    const char *array;
    size_t lines, width; /* letters */
} folded;

/* Adds a text, folded at about `width` letters. */
static void add_folded(folded *f, const char *text)
{
    size_t column = 0;

    abdb_text_printf(&f->text, "%s[%zu] = \"", f->array, ++f->lines);
    while (*text) {
        size_t word = strcspn(text, " ");
        char one[256];

        if (word >= sizeof one) word = sizeof one - 1;
        /* Not within a letter of UTF-8. */
        while (text[word] && ((unsigned char)text[word] & 0xc0) == 0x80) word--;
        memcpy(one, text, word);
        one[word] = '\0';
        if (column && column + (size_t)abdb_width(one) + 1 > f->width) {
            abdb_text_printf(&f->text, "\"\n%s[%zu] = \"", f->array, ++f->lines);
            column = 0;
        }
        if (column) abdb_text_puts(&f->text, " ");
        abdb_figure_clean(&f->text, one);
        column += (size_t)abdb_width(one) + 1;
        text += word;
        while (*text == ' ') text++;
    }
    abdb_text_puts(&f->text, "\"\n");
}

/* array NAME[n], its elements, and n as NAME_lines. */
static void put_folded(abdb_text *out, folded *f)
{
    abdb_text_printf(out, "%s_lines = %zu\narray %s[%zu]\n%s", f->array, f->lines, f->array,
                     f->lines ? f->lines : 1, abdb_text_get(&f->text));
    abdb_text_free(&f->text);
}

/* heading and caption; *lines: of the caption. */
static void add_words(const abdb_figure *f, const abdb_drawing *d, const abdb_text *notes,
                      abdb_text *out, size_t *lines)
{
    /* About 7.9 points per letter of the heading's font, 5.3 of the caption's. */
    folded heading = {.array = "heading", .width = (size_t)(f->width / 7.9)};
    folded caption = {.array = "caption", .width = (size_t)(f->width / 5.3)};
    const char *more = abdb_text_get(notes);

    add_folded(&heading, d->title ? d->title : f->title ? f->title : f->name);
    while (*more) {
        size_t size = strcspn(more, "\n");
        char line[512];

        snprintf(line, sizeof line, "%.*s", (int)size, more);
        add_folded(&caption, line);
        more += size + 1;
    }
    for (size_t i = 0; i < d->notes; i++) add_folded(&caption, d->note[i]);
    *lines = caption.lines;
    put_folded(out, &heading);
    put_folded(out, &caption);
}

static abdb_status too_few(const abdb_figure *f, size_t rows, size_t kept, abdb_error *err)
{
    abdb_text words = {0};
    abdb_status st;

    if (!rows)
        abdb_text_printf(&words, "report %s has no rows here", f->report);
    else
        abdb_text_printf(&words, "it needs %zu rows%s%s, and report %s has %zu", f->least,
                         f->needs ? " with " : "", f->needs ? f->needs : "", f->report, kept);
    if (f->hint) abdb_text_printf(&words, "; %s", f->hint);
    st = ABDB_FAIL(err, ABDB_DATA, "nothing to draw in %s: %s; `abdb query %s` says more", f->name,
                   abdb_text_get(&words), f->report);
    abdb_text_free(&words);
    return st;
}

abdb_status abdb_figure_script(const abdb_figure *f, const char *style, const abdb_drawing *d,
                               abdb_text *out, abdb_error *err)
{
    abdb_text data = {0}, words = {0}, notes = {0};
    size_t kept = 0, grown = 0, lines = 0;
    int height, term_rows;
    abdb_status st = ABDB_OK;

    TRY(abdb_drawing_add(f, d, &data, &notes, &kept, &grown, err));
    if (kept < f->least || !kept) TRY(too_few(f, d->rows, kept, err));
    add_words(f, d, &notes, &words, &lines);
    /* The drawing keeps its size; levels and lines of the caption are added below it. */
    height = f->height + f->grow * (int)grown + CAPTION_LINE * (int)lines;
    abdb_text_printf(
        out,
        "# %s.gp - draws with gnuplot alone: gnuplot -e 'picture=\"png\"; dark=1' %s.gp\n"
        "if (!exists(\"picture\")) picture = \"svg\"\nif (!exists(\"dark\")) dark = 0\n"
        "if (!exists(\"piped\")) set output \"%s.\" . picture\n",
        f->name, f->name, f->name);
    abdb_text_puts(out, "set encoding utf8\nset datafile separator \"\\t\"\n"
                        "set datafile missing \"NaN\"\n");
    term_rows = f->grow ? 12 + 2 * (int)grown : 34;
    add_terminals(out, f, height, term_rows);
    abdb_text_printf(out, "rows = %zu\nwidth = %d\nheight = %d\nterm_rows = %d\n", kept, f->width,
                     height, term_rows);
    abdb_text_puts(out, abdb_text_get(&words));
    abdb_text_puts(out, abdb_text_get(&data));
    abdb_text_puts(out, style);
    abdb_text_puts(out, f->text);
    if (out->failed || data.failed || words.failed || notes.failed)
        TRY(ABDB_FAIL(err, ABDB_NOMEM, "figure %s", f->name));
done:
    abdb_text_free(&data);
    abdb_text_free(&words);
    abdb_text_free(&notes);
    return st;
}
