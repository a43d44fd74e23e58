/* figure.h - a table drawn by gnuplot through a pipe.
 *
 * A figure is a .gp file: comment lines `# key: text` (title, report, size W,H), then commands that
 * draw the datablock $data, whose columns are the report's, in order, tab-separated, text quoted.
 * abdb sends a prologue (terminal, style, $data, `caption`) before it. Text of the database enters
 * gnuplot in datablocks and string variables only, cleaned, with enhanced text off: it is never a
 * command.
 */
#ifndef ABDB_PLOTS_FIGURE_H
#define ABDB_PLOTS_FIGURE_H

#include <stddef.h>
#include <stdio.h>

#include "schema/core/text.h"

typedef enum { ABDB_SVG, ABDB_PNG, ABDB_PDF, ABDB_DUMB } abdb_picture;

typedef struct {
    const char *name, *title, *report, *text;
    int width, height; /* points; PNG has twice as many pixels */
    abdb_arena arena;
} abdb_figure;

/* What is drawn: cells as text (NULL: missing), numbers unquoted. */
typedef struct {
    size_t columns, rows;
    const char *const *name;   /* columns */
    const char *const *cell;   /* rows x columns */
    const unsigned char *text; /* columns: 1 where the cells are text */
    const char *title;
    size_t notes;
    const char *const *note;
} abdb_drawing;

ABDB_MUST_USE abdb_status abdb_figure_parse(abdb_figure *out, const char *name, const char *text,
                                            abdb_error *err);
void abdb_figure_free(abdb_figure *figure);
/* The whole script: prologue, data, style, commands. */
ABDB_MUST_USE abdb_status abdb_figure_script(const abdb_figure *figure, const char *style,
                                             const abdb_drawing *drawing, abdb_picture picture,
                                             int dark, abdb_text *out, abdb_error *err);
/* Runs gnuplot with the script on its standard input and stores what it draws at path. The path is
 * written by abdb, so that it never enters the script. ABDB_IO: gnuplot is not there, or failed
 * (its words are in the message). */
ABDB_MUST_USE abdb_status abdb_figure_draw(const char *script, FILE *out, abdb_error *err);
/* Text made harmless for a gnuplot string: no quotes, backslashes, backticks, control characters.
 */
void abdb_figure_clean(abdb_text *out, const char *text);

#endif
