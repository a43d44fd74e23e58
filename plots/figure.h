/* figure.h - a table drawn by gnuplot through a pipe.
 *
 * A figure is a .gp file: comment lines `# key: text`, then commands that draw the datablock $data.
 *
 *   # title: words        # report: NAME        # size: W,H (points)
 *   # finding: words      a sentence about the rows, used as the picture's title: the first line
 *                         with a value for all its {words} is used (query/answer/headline.h)
 *   # ranks: VALUE NAME   findings compare the numbers in column VALUE, one for each NAME
 *                         (after them: low, in COLUMN, of COLUMN=TEXT, unless COLUMN)
 *   # names: COLUMN       the devices, for --devices and --highlight (default: device, accelerator)
 *   # subtitle: words     the measured quantity and its unit, below the title; may hold {words}
 *   # like: NAME          uses the head of another figure, except keys given here, and its commands
 *   # with: factor=gas, limit=12    defaults of the report's options, for this figure
 *   # needs: x y>0        columns that must have a number, or one above 0; other rows are not
 *                          drawn, and a note gives their number
 *   # least: 2            rows that a picture needs; fewer are an error
 *   # series: COLUMN 8    rows are grouped by its values, at most so many groups (the first; with
 *                         `by ORDER` the groups with the least number in column ORDER):
 *                         plot for [i=0:series-1] $data index i ... title series_name[i+1]
 *   # levels: COLUMN ...  their values are numbered from 1: levels_COLUMN of them, named
 *                         level_COLUMN[i]; the number of a row's is column(c_COLUMN_level)
 *   # grow: 24 rows       points of height for each row (or each level of a COLUMN)
 *   # room: ACROSS,UP     points that the drawing needs at least: across between its axes, and up
 *                         beside the lines of words (of a figure that grows: two of its rows); a
 *                         smaller picture is refused
 *   # narrow: ACROSS      the same of a picture below 480 points, where `narrow` is 1 and names
 *                         are smaller (default: as the letters shrink)
 *   # sets: mlperf llm    names by which `abdb plot --set` draws it with others
 *   # hint: words         how to get such rows, printed where there are none
 *
 * Before the commands stands a prologue that abdb makes: the terminal (svg, png, pdf, dumb, sixel,
 * html); $data, whose columns are the report's visible ones (and the hidden ones that series and
 * levels name), in order, tab-separated, text quoted; c_NAME, the number of column NAME; min_NAME
 * and max_NAME of numbers; widest_NAME, letters of the longest text; rows, width, height, heading,
 * caption; column(c_lit), 0 where another device is highlighted, and strcol(c_vendor), for colours
 * (style.gp: tint, series_tint); then style.gp. The whole draws with gnuplot alone:
 *   gnuplot -e 'picture="png"; dark=1' NAME.gp
 *
 * Text of the database enters gnuplot in datablocks and string variables only, cleaned, with
 * enhanced text off: it is never a command.
 */
#ifndef ABDB_PLOTS_FIGURE_H
#define ABDB_PLOTS_FIGURE_H

#include <stddef.h>
#include <stdio.h>

#include "schema/core/text.h"

typedef enum {
    ABDB_SVG,
    ABDB_PNG,
    ABDB_PDF,
    ABDB_DUMB,
    ABDB_SIXEL,
    ABDB_CANVAS,
    ABDB_PICTURES
} abdb_picture;

/* ADAPTIVE: light or dark as its reader's screen is (SVG alone; plots/svg_dark_mode.h). */
typedef enum { ABDB_LIGHT, ABDB_DARK, ABDB_ADAPTIVE, ABDB_TONES } abdb_tone;
extern const char *const abdb_tone_name[ABDB_TONES];

/* Names as people type them: svg png pdf dumb sixel html. */
extern const char *const abdb_picture_name[ABDB_PICTURES];

/* CSS_DPI: points of the layout in an inch of print. */
enum { ABDB_FINDINGS_MAX = 8, ABDB_CAPTION_MOST = 2, ABDB_CSS_DPI = 96 };

/* A script ends with this error, and the width that would do, where names leave its drawing too
 * little room. */
#define ABDB_TOO_NARROW "too narrow: at least "

typedef struct {
    const char *name, *title, *report, *with, *needs, *levels, *sets, *hint, *text;
    const char *ranks, *names, *subtitle, *finding[ABDB_FINDINGS_MAX];
    size_t findings;
    const char *series, *series_by, *grown; /* columns, or NULL; grown may be "rows" */
    size_t series_most, least;
    int width, height, grow;  /* points */
    int narrow_across;        /* of a narrow picture; 0: less, as its letters are */
    int room_across, room_up; /* points that the drawing needs at least */
    double pixels;            /* of PNG, a point */
    bool printed;             /* a point is a 96th of an inch, as in CSS: letters are as in print */
    bool width_fixed;         /* the width was given */
    bool fixed;               /* width and height are of the whole picture */
    int base;                 /* then: points beside the rows by which it grows */
    bool vendor_colours;
    abdb_arena arena;
} abdb_figure;

/* The drawn data: cells as text (NULL: missing), numbers unquoted. */
typedef struct {
    size_t columns, rows;
    const char *const *name;      /* columns */
    const char *const *cell;      /* rows x columns */
    const unsigned char *text;    /* columns: 1 where the cells are text */
    const char *title, *subtitle; /* subtitle may be NULL */
    const char *status;           /* round, verification, sources: the caption begins with it */
    size_t notes;
    const char *const *note;    /* drawn after the status and on a second line, if they fit */
    const unsigned char *stays; /* notes: 1: stands in the picture at any size; NULL: none */
    const unsigned char *lit;   /* rows: 0 where another device is highlighted; NULL: all are lit */
    const char *const *vendor;  /* rows: of the device, or NULL */
    abdb_text *undrawn;         /* gets a line about rows not drawn, for the text beside */
} abdb_drawing;

/* Sets the size of the whole picture: article (the figure's own size), slide, card (of a social
 * network) or WIDTHxHEIGHT in points, mm or in. ABDB_USAGE: anything else. */
ABDB_MUST_USE abdb_status abdb_figure_set_size(abdb_figure *figure, const char *size,
                                               abdb_error *err);

ABDB_MUST_USE abdb_status abdb_figure_parse_header(abdb_figure *out, const char *name,
                                                   const char *text, abdb_error *err);
void abdb_figure_free(abdb_figure *figure);
/* The whole script: prologue, data, style, commands. ABDB_DATA: too few rows to draw, with the
 * figure's hint; ABDB_USAGE: the words and two rows need more height than the picture has;
 * ABDB_FORMAT: the header names a column that the report does not have. */
ABDB_MUST_USE abdb_status abdb_figure_build_script(const abdb_figure *figure, const char *style,
                                                   const abdb_drawing *drawing, abdb_text *out,
                                                   abdb_error *err);
/* Runs gnuplot with the script on its standard input and writes the picture to out. The picture's
 * path never enters the script: abdb itself writes the file. The same script makes the same
 * bytes: the date of a PDF is taken out, the libraries of an HTML canvas are put in. ABDB_IO:
 * gnuplot is not there, or failed (its words are in the message). ABDB_USAGE: the picture is too
 * narrow, or no font here has a letter of it. ABDB_LIMIT: it took longer than limit_s (INFINITY: it
 * may); it is ended. */
ABDB_MUST_USE abdb_status abdb_figure_draw(const char *script, abdb_picture picture, abdb_tone tone,
                                           double limit_s, FILE *out, abdb_error *err);
/* "gnuplot 5.4 patchlevel 4" into out; ABDB_IO as above. */
ABDB_MUST_USE abdb_status abdb_gnuplot_version(char *out, size_t room, abdb_error *err);
/* Text made harmless for a gnuplot string, a CDATA section and a script element: no quotes,
 * backslashes, backticks, control characters, "</", "<!" and "]>". */
void abdb_figure_append_sanitized_text(abdb_text *out, const char *text);

#endif
