/* figure.c - a figure's head parsed, and the script made of it: prologue, data (drawing.c),
 * style.gp, the figure's own commands; see figure.h. */
#include "plots/figure.h"

#include <stdlib.h>
#include <string.h>

#include "plots/drawing.h"
#include "schema/core/plain.h"

/* Points of a line of each kind, and what a picture may measure. */
enum {
    SERIES_MOST = 8,
    HEADING_LINE = 18,
    SUBTITLE_LINE = 15,
    CAPTION_LINE = 11,
    LEAST_WIDTH = 300,
    LEAST_HEIGHT = 200,
    MOST = 4000
};

const char *const abdb_tone_name[ABDB_TONES] = {"light", "dark", "adaptive"};
const char *const abdb_picture_name[ABDB_PICTURES] = {"svg", "png", "pdf", "dumb", "sixel", "html"};

enum { NUMBER_MOST = 100000 }; /* of a header: points, rows, levels; what is more says nothing */

/* "24 rows": points for each row, or for each level of a column. */
static void take_grow(abdb_figure *f, char *value)
{
    char *what = strpbrk(value, " ");
    long long points;

    if (!what) return;
    *what = '\0';
    f->grown = abdb_trim(what + 1);
    if (abdb_count_parse(value, ABDB_MARK_POINT, 0, NUMBER_MOST, &points)) f->grow = (int)points;
}

static void take_size(abdb_figure *f, char *value)
{
    char *comma = strchr(value, ',');
    long long width, height;

    if (!comma) return;
    *comma = '\0';
    if (abdb_count_parse(abdb_trim(value), ABDB_MARK_POINT, 1, NUMBER_MOST, &width) &&
        abdb_count_parse(abdb_trim(comma + 1), ABDB_MARK_POINT, 1, NUMBER_MOST, &height)) {
        f->width = (int)width;
        f->height = (int)height;
    }
}

static void take_series(abdb_figure *f, char *value)
{
    char *blank = strpbrk(value, " ");
    char *by = strstr(value, " by ");
    long long most;

    f->series = value;
    if (by) {
        *by = '\0';
        f->series_by = abdb_trim(by + 4);
    }
    if (!blank) return;
    *blank = '\0';
    if (abdb_count_parse(abdb_trim(blank + 1), ABDB_MARK_POINT, 1, NUMBER_MOST, &most))
        f->series_most = (size_t)most;
}

static void take_line(abdb_figure *f, const char *key, char *value)
{
    const struct {
        const char *key, **place;
    } texts[] = {{"title", &f->title},      {"report", &f->report}, {"with", &f->with},
                 {"needs", &f->needs},      {"levels", &f->levels}, {"sets", &f->sets},
                 {"hint", &f->hint},        {"ranks", &f->ranks},   {"names", &f->names},
                 {"subtitle", &f->subtitle}};
    long long number;

    if (strcmp(key, "finding") == 0 && f->findings < ABDB_FINDINGS_MAX)
        f->finding[f->findings++] = value;
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        if (strcmp(key, texts[i].key) == 0) *texts[i].place = value;
    if (strcmp(key, "size") == 0) take_size(f, value);
    if (strcmp(key, "grow") == 0) take_grow(f, value);
    if (strcmp(key, "series") == 0) take_series(f, value);
    if (strcmp(key, "least") == 0 &&
        abdb_count_parse(value, ABDB_MARK_POINT, 0, NUMBER_MOST, &number))
        f->least = (size_t)number;
}

abdb_status abdb_figure_parse(abdb_figure *f, const char *name, const char *text, abdb_error *err)
{
    char *copy, *line, *rest;

    if (strspn(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-") !=
        strlen(name))
        return ABDB_FAIL(err, ABDB_USAGE, "a figure's name has letters, digits, '.', '_' and '-'");
    *f = (abdb_figure){
        .width = 720, .height = 440, .least = 1, .series_most = SERIES_MOST, .pixels = 2};
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

abdb_status abdb_figure_resize(abdb_figure *f, const char *size, abdb_error *err)
{
    static const struct {
        const char *name;
        int width, height;
        double pixels;
    } sizes[] = {{"slide", 800, 450, 2.4}, {"card", 600, 315, 2}};
    const char *end = size;
    unsigned long long width = 0, height = 0;

    if (strcmp(size, "article") == 0) return ABDB_OK;
    f->fixed = true;
    f->base = f->height;
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
        if (strcmp(size, sizes[i].name) == 0) {
            f->width = sizes[i].width;
            f->height = sizes[i].height;
            f->pixels = sizes[i].pixels;
            return ABDB_OK;
        }
    end += abdb_digits_parse_prefix(end, 10, &width);
    end += *end == 'x' ? 1 + abdb_digits_parse_prefix(end + 1, 10, &height) : 0;
    if (*end || width < LEAST_WIDTH || width > MOST || height < LEAST_HEIGHT || height > MOST)
        return ABDB_FAIL(err, ABDB_USAGE,
                         "--size wants article, slide, card, or points such as 720x440 (%dx%d to"
                         " %dx%d), not '%s'",
                         LEAST_WIDTH, LEAST_HEIGHT, MOST, MOST, size);
    f->width = (int)width;
    f->height = (int)height;
    return ABDB_OK;
}

/* One terminal for each kind of picture. In SVG &#44; is the comma of a list of fonts, the rest of
 * `bold` an attribute of its own, since gnuplot writes the name of a font as it is. */
static void add_terminals(abdb_text *out, const abdb_figure *f, int height, int lines)
{
    abdb_text_puts(out, "ground = dark ? \"#16181d\" : \"#ffffff\"\n"
                        "face = picture eq \"svg\" ? \"Lato&#44; 'DejaVu Sans'&#44; sans-serif\" : "
                        "\"Lato\"\n"
                        "bold = picture eq \"svg\" ? face . '\" font-weight=\"bold' : "
                        "picture eq \"png\" || picture eq \"pdf\" ? face . \":Bold\" : \"\"\n");
    abdb_text_printf(out,
                     "if (picture eq \"svg\") set terminal svg noenhanced size %d,%d font "
                     "face . ',12' background ground name 'abdb'\n"
                     "if (picture eq \"png\") set terminal pngcairo noenhanced size %d,%d font "
                     "face . ',12' fontscale %g linewidth %g background ground\n",
                     f->width, height, (int)(f->pixels * f->width), (int)(f->pixels * height),
                     0.75 * f->pixels, f->pixels);
    abdb_text_printf(out,
                     "if (picture eq \"pdf\") set terminal pdfcairo noenhanced size %.3fin,%.3fin "
                     "font face . ',12' fontscale 0.75 linewidth 1 background ground\n"
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

/* Adds a note to the first line that has room for it. */
static bool add_fitting(abdb_text *line, const char *note, size_t width)
{
    static const char mark[] = " · ";

    for (size_t i = 0; i < ABDB_CAPTION_MOST; i++) {
        size_t letters = (size_t)abdb_width(abdb_text_get(&line[i])) + (size_t)abdb_width(note);

        if (letters + 3 > width) continue;
        if (line[i].size) abdb_text_puts(&line[i], mark);
        abdb_text_puts(&line[i], note);
        return true;
    }
    return false;
}

/* What is not drawn is said in any case, where its names do not fit by how many it is. */
static void add_undrawn(abdb_text *line, char *note, size_t width)
{
    if (add_fitting(line, note, width)) return;
    note[strcspn(note, ":")] = '\0';
    add_fitting(line, note, width);
}

/* Is it a note that explains a mark in the picture? */
static bool is_mark(const char *note)
{
    return strncmp(note, "†", strlen("†")) == 0 || strncmp(note, "‡", strlen("‡")) == 0;
}

/* The caption: a line that says round, verification and sources, and what all names say where no
 * subtitle does, and what explains a mark in the picture, whatever room that takes; of the other
 * notes those that fit beside it and into one more line. The rest stands in the text beside it. */
static void add_caption(const abdb_figure *f, const abdb_drawing *d, const abdb_text *notes,
                        const char *shared, folded *caption)
{
    abdb_text line[ABDB_CAPTION_MOST] = {{0}}, marks = {0};
    char *copy = strdup(abdb_text_get(notes)), *rest = copy, *one;

    if (!copy) abdb_starve();
    caption->width = (size_t)(f->width / 5.0);
    if (d->status) abdb_text_puts(&line[0], d->status);
    if (*shared) abdb_text_printf(&line[0], "%sall: %s", line[0].size ? " · " : "", shared);
    for (size_t i = 0; i < d->notes; i++)
        if (is_mark(d->note[i]) && !add_fitting(line, d->note[i], caption->width))
            abdb_text_printf(&marks, "%s%s", marks.size ? " · " : "", d->note[i]);
    while (copy && (one = strsep(&rest, "\n")) && *one) add_undrawn(line, one, caption->width);
    for (size_t i = 0; i < d->notes; i++)
        if (!is_mark(d->note[i]) && d->note[i][0] != '[')
            add_fitting(line, d->note[i], caption->width);
    for (size_t i = 0; i < ABDB_CAPTION_MOST; i++) {
        if (line[i].size && caption->lines < ABDB_CAPTION_MOST)
            add_folded(caption, abdb_text_get(&line[i]));
        abdb_text_free(&line[i]);
    }
    if (marks.size) add_folded(caption, abdb_text_get(&marks));
    abdb_text_free(&marks);
    free(copy);
}

/* heading, subtitle and caption; *lines: of heading and subtitle beyond one of each, and of the
 * caption. */
static void add_words(const abdb_figure *f, const abdb_drawing *d, const abdb_text *notes,
                      const abdb_text *shared, abdb_text *out, size_t lines[3])
{
    bool says = d->subtitle && *d->subtitle;

    /* Points per letter of the widest of the usual fonts, at the sizes of style.gp. */
    folded heading = {.array = "heading", .width = (size_t)(f->width / 9.3)};
    folded subtitle = {.array = "subtitle", .width = (size_t)(f->width / 6.6)};
    folded caption = {.array = "caption"};

    add_folded(&heading, d->title ? d->title : f->title ? f->title : f->name);
    if (says || shared->size) add_folded(&subtitle, says ? d->subtitle : abdb_text_get(shared));
    add_caption(f, d, notes, says ? abdb_text_get(shared) : "", &caption);
    lines[0] = heading.lines;
    lines[1] = subtitle.lines;
    lines[2] = caption.lines;
    put_folded(out, &heading);
    put_folded(out, &subtitle);
    put_folded(out, &caption);
}

static abdb_status too_few(const abdb_figure *f, size_t rows, size_t kept, abdb_error *err)
{
    const char *asked = f->hint ? NULL : f->with; /* a hint says what would give rows */
    abdb_text words = {0};
    abdb_status st;

    if (!rows)
        abdb_text_printf(&words, "report %s has no rows here%s%s%s", f->report,
                         asked ? " (of " : "", asked ? asked : "",
                         asked ? ", unless you ask for others)" : "");
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
    abdb_text data = {0}, words = {0}, notes = {0}, shared = {0};
    size_t kept = 0, grown = 0, lines[3] = {0};
    int height = f->height, term_rows;
    abdb_status st = ABDB_OK;

    TRY(abdb_drawing_add(f, d, &data, &notes, &shared, &kept, &grown, err));
    if (kept < f->least || !kept) TRY(too_few(f, d->rows, kept, err));
    add_words(f, d, &notes, &shared, &words, lines);
    if (d->undrawn) abdb_text_puts(d->undrawn, abdb_text_get(&notes));
    /* The drawing keeps its size; levels and lines of words are added to it. */
    if (!f->fixed)
        height += f->grow * (int)grown + HEADING_LINE * (int)(lines[0] - 1) +
                  SUBTITLE_LINE * (int)lines[1] + CAPTION_LINE * (int)lines[2];
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
    abdb_text_printf(out,
                     "rows = %zu\nwidth = %d\nheight = %d\nterm_rows = %d\nvendor_colours = %d\n",
                     kept, f->width, height, term_rows, f->vendor_colours);
    abdb_text_puts(out, abdb_text_get(&words));
    abdb_text_puts(out, abdb_text_get(&data));
    abdb_text_puts(out, style);
    abdb_text_puts(out, f->text);
    if (out->failed || data.failed || words.failed || notes.failed || shared.failed)
        TRY(ABDB_FAIL(err, ABDB_NOMEM, "figure %s", f->name));
done:
    abdb_text_free(&data);
    abdb_text_free(&words);
    abdb_text_free(&notes);
    abdb_text_free(&shared);
    return st;
}
