/* figure.c - a figure's head parsed, and the script made of it: prologue, data (figure_data.c),
 * style.gp, the figure's own commands; see figure.h. */
#include "plots/figure.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "plots/figure_data.h"
#include "schema/core/sanitize_text.h"

/* Points of a line of each kind, and limits of a picture's size. */
enum {
    SERIES_MOST = 8,
    HEADING_LINE = 18,
    SUBTITLE_LINE = 15,
    CAPTION_LINE = 11,
    ROOM_ACROSS = 160,
    ROOM_UP = 200,
    ROWS_LEAST = 2, /* of a figure that grows by them */
    LEAST_ROW = 15, /* with a name that can be read */
    NARROW = 480    /* points of width below which names are smaller */
};
static const double narrow_letters = 9.0 / 11; /* of their size elsewhere (style.gp) */

const char *const abdb_tone_name[ABDB_TONES] = {"light", "dark", "adaptive"};
const char *const abdb_picture_name[ABDB_PICTURES] = {"svg", "png", "pdf", "dumb", "sixel", "html"};

enum { NUMBER_MOST = 100000 }; /* of a header: points, rows, levels; more would be unreadable */

/* "24 rows": points for each row, or for each level of a column. */
static void parse_points_per_row_or_level(abdb_figure *f, char *value)
{
    char *what = strpbrk(value, " ");
    long long points;

    if (!what) return;
    *what = '\0';
    f->grown = abdb_trim_in_place(what + 1);
    if (abdb_integer_parse_in_range(value, ABDB_MARK_POINT, 0, NUMBER_MOST, &points))
        f->grow = (int)points;
}

/* WIDTH[,HEIGHT] in points; an invalid number leaves the default. */
static void parse_width_height_or_keep_default(char *value, int *out_width, int *out_height)
{
    char *comma = strchr(value, ',');
    long long points;

    if (comma) *comma++ = '\0';
    if (abdb_integer_parse_in_range(abdb_trim_in_place(value), ABDB_MARK_POINT, 1, NUMBER_MOST,
                                    &points))
        *out_width = (int)points;
    if (comma && abdb_integer_parse_in_range(abdb_trim_in_place(comma), ABDB_MARK_POINT, 1,
                                             NUMBER_MOST, &points))
        *out_height = (int)points;
}

/* series: COLUMN [MOST] [by COLUMN]; changes value. */
static void parse_series_column_limit_and_order(abdb_figure *f, char *value)
{
    char *blank = strpbrk(value, " ");
    char *by = strstr(value, " by ");
    long long most;

    f->series = value;
    if (by) {
        *by = '\0';
        f->series_by = abdb_trim_in_place(by + 4);
    }
    if (!blank) return;
    *blank = '\0';
    if (abdb_integer_parse_in_range(abdb_trim_in_place(blank + 1), ABDB_MARK_POINT, 1, NUMBER_MOST,
                                    &most))
        f->series_most = (size_t)most;
}

/* Sets the field for a line "key: value" of the figure's head; f borrows the value. Unknown keys
 * are ignored. */
static void set_figure_header_field(abdb_figure *f, const char *key, char *value)
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
    if (strcmp(key, "size") == 0) parse_width_height_or_keep_default(value, &f->width, &f->height);
    if (strcmp(key, "room") == 0)
        parse_width_height_or_keep_default(value, &f->room_across, &f->room_up);
    if (strcmp(key, "narrow") == 0 &&
        abdb_integer_parse_in_range(value, ABDB_MARK_POINT, 0, NUMBER_MOST, &number))
        f->narrow_across = (int)number;
    if (strcmp(key, "grow") == 0) parse_points_per_row_or_level(f, value);
    if (strcmp(key, "series") == 0) parse_series_column_limit_and_order(f, value);
    if (strcmp(key, "least") == 0 &&
        abdb_integer_parse_in_range(value, ABDB_MARK_POINT, 0, NUMBER_MOST, &number))
        f->least = (size_t)number;
}

abdb_status abdb_figure_parse_header(abdb_figure *f, const char *name, const char *text,
                                     abdb_error *err)
{
    char *copy, *line, *rest;

    if (strspn(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-") !=
        strlen(name))
        return ABDB_FAIL(err, ABDB_USAGE, "a figure's name has letters, digits, '.', '_' and '-'");
    *f = (abdb_figure){.width = 720,
                       .height = 440,
                       .room_across = ROOM_ACROSS,
                       .room_up = ROOM_UP,
                       .least = 1,
                       .series_most = SERIES_MOST,
                       .pixels = 2};
    f->name = abdb_arena_copy(&f->arena, name, strlen(name));
    f->text = abdb_arena_copy(&f->arena, text, strlen(text));
    copy = abdb_arena_copy(&f->arena, text, strlen(text));
    if (!f->name || !f->text || !copy) return ABDB_FAIL(err, ABDB_NOMEM, "figure %s", name);
    for (rest = copy; (line = strsep(&rest, "\n")) && *line == '#';) {
        char *colon = strchr(line, ':');

        if (!colon) continue;
        *colon = '\0';
        set_figure_header_field(f, abdb_trim_in_place(line + 1), abdb_trim_in_place(colon + 1));
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

/* One terminal for each kind of picture. In SVG &#44; is the comma of a list of fonts, the rest of
 * `bold` an attribute of its own, since gnuplot writes the name of a font as it is. */
static void write_terminal_settings(abdb_text *out, const abdb_figure *f, int height, int lines)
{
    double inch = f->printed ? ABDB_CSS_DPI : 72; /* points of the layout in an inch of a PDF */

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
                     "font face . ',12' fontscale %g linewidth %g background ground\n"
                     "if (picture eq \"dumb\") set terminal dumb noenhanced size 110,%d\n",
                     f->width / inch, height / inch, 0.75 * 72 / inch, 72 / inch, lines);
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
} folded_text;

/* Adds a text, folded at about `width` letters. */
static void append_text_as_folded_array_lines(folded_text *f, const char *text)
{
    size_t column = 0;

    abdb_text_printf(&f->text, "%s[%zu] = \"", f->array, ++f->lines);
    while (*text) {
        size_t word = strcspn(text, " "), most = f->width < 255 ? f->width : 255, at = 0;
        char one[256];

        /* Signs stay with their word: "· † derived". */
        for (int sign; (sign = abdb_utf8_char_length(text + at)) > 1 && text[at + sign] == ' ';) {
            at += (size_t)sign + 1;
            word = at + strcspn(text + at, " ");
        }
        /* A word longer than a line is cut, not within a letter of UTF-8. */
        if (word > most) word = most;
        while (text[word] && ((unsigned char)text[word] & 0xc0) == 0x80) word--;
        memcpy(one, text, word);
        one[word] = '\0';
        if (column && column + (size_t)abdb_display_width(one) + 1 > f->width) {
            abdb_text_printf(&f->text, "\"\n%s[%zu] = \"", f->array, ++f->lines);
            column = 0;
        }
        if (column) abdb_text_puts(&f->text, " ");
        abdb_figure_append_sanitized_text(&f->text, one);
        column += (size_t)abdb_display_width(one) + 1;
        text += word;
        while (*text == ' ') text++;
    }
    abdb_text_puts(&f->text, "\"\n");
}

/* array NAME[n], its elements, and n as NAME_lines. */
static void write_and_free_folded_array(abdb_text *out, folded_text *f)
{
    abdb_text_printf(out, "%s_lines = %zu\narray %s[%zu]\n%s", f->array, f->lines, f->array,
                     f->lines ? f->lines : 1, abdb_text_get(&f->text));
    abdb_text_free(&f->text);
}

/* How many lines of that width a text takes. */
static size_t count_folded_lines(const char *text, size_t width)
{
    folded_text f = {.array = "", .width = width};

    append_text_as_folded_array_lines(&f, text);
    abdb_text_free(&f.text);
    return f.lines;
}

static void append_caption_note(abdb_text *caption, const char *note)
{
    abdb_text_printf(caption, "%s%s", caption->size ? " · " : "", note);
}

/* Adds a note if the caption then has no more lines than that. */
static bool append_caption_note_if_it_fits(abdb_text *caption, const char *note, size_t width,
                                           size_t lines)
{
    abdb_text longer = {0};
    bool fits;

    abdb_text_puts(&longer, abdb_text_get(caption));
    append_caption_note(&longer, note);
    fits = count_folded_lines(abdb_text_get(&longer), width) <= lines;
    if (fits) append_caption_note(caption, note);
    abdb_text_free(&longer);
    return fits;
}

/* Notes on rows not drawn: their names where these fit, in any case their number. */
static void append_not_drawn_notes(abdb_text *caption, const char *notes, size_t width)
{
    char *copy = strdup(notes), *rest = copy, *one;

    if (!copy) abdb_count_allocation_failure();
    while (copy && (one = strsep(&rest, "\n")) && *one) {
        char *names = strchr(one, ':');
        bool counted = names && strstr(one, " more:");

        if (append_caption_note_if_it_fits(caption, one, width, ABDB_CAPTION_MOST)) continue;
        if (counted) *names = '\0';
        append_caption_note(caption, one);
    }
    free(copy);
}

/* The caption: round, verification and sources; words common to all names; notes without which the
 * picture would mislead, and the count of rows not drawn, at any length. Other notes are added
 * while they fit into its lines; the text beside the picture has all of them. */
static void build_caption(const abdb_figure *f, const abdb_drawing *d, const abdb_text *undrawn,
                          const char *shared, folded_text *caption)
{
    abdb_text text = {0};
    size_t width = (size_t)(f->width / 5.0), lines = ABDB_CAPTION_MOST;

    caption->width = width;
    if (d->status) abdb_text_puts(&text, d->status);
    if (*shared) abdb_text_printf(&text, "%sall: %s", text.size ? " · " : "", shared);
    for (size_t i = 0; i < d->notes; i++)
        if (d->stays && d->stays[i]) append_caption_note(&text, d->note[i]);
    append_not_drawn_notes(&text, abdb_text_get(undrawn), width);
    if (count_folded_lines(abdb_text_get(&text), width) > lines)
        lines = count_folded_lines(abdb_text_get(&text), width);
    for (size_t i = 0; i < d->notes; i++)
        if (!(d->stays && d->stays[i]) && d->note[i][0] != '[')
            append_caption_note_if_it_fits(&text, d->note[i], width, lines);
    if (text.size) append_text_as_folded_array_lines(caption, abdb_text_get(&text));
    abdb_text_free(&text);
}

/* heading, subtitle and caption; *lines: of heading and subtitle beyond one of each, and of the
 * caption. */
static void write_heading_subtitle_caption(const abdb_figure *f, const abdb_drawing *d,
                                           const abdb_text *notes, const abdb_text *shared,
                                           abdb_text *out, size_t lines[3])
{
    bool says = d->subtitle && *d->subtitle;

    /* Points per letter of the widest of the usual fonts, at the sizes of style.gp. */
    folded_text heading = {.array = "heading", .width = (size_t)(f->width / 9.3)};
    folded_text subtitle = {.array = "subtitle", .width = (size_t)(f->width / 6.6)};
    folded_text caption = {.array = "caption"};

    append_text_as_folded_array_lines(&heading, d->title   ? d->title
                                                : f->title ? f->title
                                                           : f->name);
    if (says || shared->size)
        append_text_as_folded_array_lines(&subtitle, says ? d->subtitle : abdb_text_get(shared));
    build_caption(f, d, notes, says ? abdb_text_get(shared) : "", &caption);
    lines[0] = heading.lines;
    lines[1] = subtitle.lines;
    lines[2] = caption.lines;
    write_and_free_folded_array(out, &heading);
    write_and_free_folded_array(out, &subtitle);
    write_and_free_folded_array(out, &caption);
}

/* ABDB_DATA: the number of rows needed, the number found, and how to get more. */
static abdb_status fail_with_too_few_rows(const abdb_figure *f, size_t rows, size_t kept,
                                          abdb_error *err)
{
    const char *asked = f->hint ? NULL : f->with; /* a hint names a way to get rows */
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

/* Is the picture a column of print or a phone? Its names are smaller, and its lines have a key. */
static bool figure_is_narrow(const abdb_figure *f)
{
    return f->width < NARROW;
}

/* Points across that the drawing needs at least. */
static int least_drawing_width(const abdb_figure *f)
{
    if (!figure_is_narrow(f)) return f->room_across;
    return f->narrow_across ? f->narrow_across : (int)(narrow_letters * f->room_across);
}

/* Points that a row takes at least in a picture of given height. */
static int least_row_height(const abdb_figure *f)
{
    if (figure_is_narrow(f) && f->narrow_across && f->grow)
        return f->grow; /* its names may have two lines */
    /* A row of several bars takes 85 % of its height in the figure. */
    return f->grow > 2 * LEAST_ROW ? (int)(0.85 * f->grow) : LEAST_ROW;
}

/* How many rows fit beside the words. */
static size_t count_rows_that_fit(const abdb_figure *f, int words_height)
{
    int room = f->height - f->base - words_height, rows = room / least_row_height(f);

    return rows > ROWS_LEAST ? (size_t)rows : ROWS_LEAST;
}

/* ABDB_USAGE: beside its words, at this width, the picture has no room for the drawing. */
static abdb_status refuse_height_without_room(const abdb_figure *f, int words_height, size_t grown,
                                              abdb_error *err)
{
    const double mm = 25.4 / ABDB_CSS_DPI;
    int rows = grown < ROWS_LEAST ? (int)grown : ROWS_LEAST,
        least = words_height + (f->grow ? f->base + least_row_height(f) * rows : f->room_up);

    if (f->height >= least) return ABDB_OK;
    if (f->printed)
        return ABDB_FAIL(err, ABDB_USAGE,
                         "figure %s with its title and notes needs a height of %.0f mm at this"
                         " width, which a width alone takes: --size %.0fx%.0fmm",
                         f->name, ceil(least * mm), f->width * mm, ceil(least * mm));
    return ABDB_FAIL(err, ABDB_USAGE,
                     "figure %s with its title and notes needs a height of %d points at this width,"
                     " not %d, which a width alone takes: --size %dx%d",
                     f->name, least, f->height, f->width, least);
}

/* Only gnuplot can measure the room between the names at the sides: it ends the script where the
 * room is too small. */
static void append_check_of_width(const abdb_figure *f, abdb_text *out)
{
    abdb_text_printf(
        out,
        "drawn_across = 1.0 * width * GPVAL_TERM_SCALE * (GPVAL_TERM_XMAX - GPVAL_TERM_XMIN)"
        " / GPVAL_TERM_XSIZE\n"
        "if (!terminal && drawn_across < %d) { exit error \"" ABDB_TOO_NARROW
        "\" . int(ceil(width + %d - drawn_across)) }\n",
        least_drawing_width(f), least_drawing_width(f));
}

abdb_status abdb_figure_build_script(const abdb_figure *f, const char *style, const abdb_drawing *d,
                                     abdb_text *out, abdb_error *err)
{
    abdb_text data = {0}, words = {0}, notes = {0}, shared = {0};
    size_t kept = 0, grown = 0, lines[3] = {0};
    int height = f->height, words_height = 0, room_of_words, term_rows;
    abdb_status st = ABDB_OK;

    /* The note that counts rows not drawn takes room of its own, which may drop further rows. */
    do {
        room_of_words = words_height;
        abdb_text_clear(&data);
        abdb_text_clear(&words);
        abdb_text_clear(&notes);
        abdb_text_clear(&shared);
        TRY(abdb_figure_select_rows_and_append_data(f, d, count_rows_that_fit(f, words_height),
                                                    &data, &notes, &shared, &kept, &grown, err));
        if (kept < f->least || !kept) TRY(fail_with_too_few_rows(f, d->rows, kept, err));
        write_heading_subtitle_caption(f, d, &notes, &shared, &words, lines);
        words_height = HEADING_LINE * (int)(lines[0] - 1) + SUBTITLE_LINE * (int)lines[1] +
                       CAPTION_LINE * (int)lines[2];
    } while (f->fixed && words_height > room_of_words);
    if (d->undrawn) abdb_text_puts(d->undrawn, abdb_text_get(&notes));
    /* The drawing keeps its size; levels and lines of words are added to it. */
    if (!f->fixed)
        height += f->grow * (int)grown + words_height;
    else
        TRY(refuse_height_without_room(f, words_height, grown, err));
    abdb_text_printf(
        out,
        "# %s.gp - draws with gnuplot alone: gnuplot -e 'picture=\"png\"; dark=1' %s.gp\n"
        "if (!exists(\"picture\")) picture = \"svg\"\nif (!exists(\"dark\")) dark = 0\n"
        "if (!exists(\"piped\")) set output \"%s.\" . picture\n",
        f->name, f->name, f->name);
    abdb_text_puts(out, "set encoding utf8\nset datafile separator \"\\t\"\n"
                        "set datafile missing \"NaN\"\n");
    term_rows = f->grow ? 12 + 2 * (int)grown : 34;
    write_terminal_settings(out, f, height, term_rows);
    abdb_text_printf(out,
                     "rows = %zu\nwidth = %d\nheight = %d\nterm_rows = %d\nvendor_colours = %d\n"
                     "narrow = picture ne \"dumb\" && %d\n",
                     kept, f->width, height, term_rows, f->vendor_colours, figure_is_narrow(f));
    abdb_text_puts(out, abdb_text_get(&words));
    abdb_text_puts(out, abdb_text_get(&data));
    abdb_text_puts(out, style);
    abdb_text_puts(out, f->text);
    if (f->width_fixed) append_check_of_width(f, out);
    if (out->failed || data.failed || words.failed || notes.failed || shared.failed)
        TRY(ABDB_FAIL(err, ABDB_NOMEM, "figure %s", f->name));
done:
    abdb_text_free(&data);
    abdb_text_free(&words);
    abdb_text_free(&notes);
    abdb_text_free(&shared);
    return st;
}
