/* table.h - rows of a query with headings, styles and notes, and the ways to print them.
 *
 * A column whose name begins with '_' is hidden. A column `X__mark` is printed behind X by the
 * formats for people and is a column of its own in the formats for programs. A column listed under
 * `hoist` that has one value in all rows is printed once above the table instead; one listed under
 * `bare` that is empty in all rows is left out by the formats for people.
 */
#ifndef ABDB_QUERY_TABLE_H
#define ABDB_QUERY_TABLE_H

#include <stdio.h>

#include "schema/core/text.h"

/* The formats: FORMAT(constant, separator before it in a list of all, name, printing function of
 * render.h, is it for programs?). */
#define ABDB_FORMATS(FORMAT)                                               \
    FORMAT(ABDB_TABLE, "", "table", abdb_render_text_table, 0)             \
    FORMAT(ABDB_MARKDOWN, ", ", "markdown", abdb_render_markdown_table, 0) \
    FORMAT(ABDB_CSV, ", ", "csv", abdb_render_csv, 1)                      \
    FORMAT(ABDB_JSON, ", ", "json", abdb_render_json_array, 1)             \
    FORMAT(ABDB_JSONL, ", ", "jsonl", abdb_render_json_lines, 1)           \
    FORMAT(ABDB_HTML, ", ", "html", abdb_render_html_document, 0)          \
    FORMAT(ABDB_LATEX, " or ", "latex", abdb_render_latex_table, 0)
#define ABDB_FORMAT_CONSTANT(constant, before, name, print, programs) constant,
#define ABDB_FORMAT_WORD(constant, before, name, print, programs)     before name
/* "table, markdown, ... or latex" */
#define ABDB_FORMAT_NAMES ABDB_FORMATS(ABDB_FORMAT_WORD)
typedef enum {
    ABDB_FORMATS(ABDB_FORMAT_CONSTANT) ABDB_SPREADSHEET /* CSV whose text no spreadsheet computes */
} abdb_format;
typedef enum { ABDB_NULL, ABDB_INTEGER, ABDB_REAL, ABDB_STRING } abdb_kind;

typedef struct {
    abdb_kind kind;
    long long integer;
    double real;
    const char *text;
} abdb_value;

typedef struct {
    const char *name;  /* as SQL names it */
    const char *label; /* for people; NULL: the name */
    const char
        *style; /* "2": decimals, "g4": significant digits, "cut30": text cut, "": as it is */
} abdb_column;

enum { ABDB_COLUMN_MAX = 128, ABDB_NOTE_MAX = 256 };

typedef struct {
    const char *title, *hoist, *bare;          /* hoist, bare: names with ' ' between them */
    size_t columns, rows, capacity, text_size; /* text_size: bytes of text that a query brought */
    abdb_column column[ABDB_COLUMN_MAX];
    abdb_value *value; /* rows x columns */
    size_t notes;
    const char *note[ABDB_NOTE_MAX];
    size_t dropped_notes; /* that the last note counts */
    const char
        *screen;       /* names with ' ' between: the columns of a terminal; NULL: the first nine */
    bool every_column; /* a terminal gets as many as fit */
    const char *cut;  /* how much is not shown: the last note, once all others are there; or NULL */
    abdb_arena arena; /* owns every string above */
} abdb_table;

/* The names of all formats, in order; NULL after the last. */
const char *abdb_output_format_name(size_t i);
/* The format of that name. ABDB_USAGE: none (the nearest is named). */
ABDB_MUST_USE abdb_status abdb_find_output_format(abdb_format *out, const char *name,
                                                  abdb_error *err);
/* A copy that belongs to the table; never NULL. */
const char *abdb_table_copy_text(abdb_table *table, const char *text);
/* Room for one more row; NULL: no memory. */
abdb_value *abdb_table_append_row(abdb_table *table);
/* One more column, the last, empty in all rows. */
ABDB_MUST_USE abdb_status abdb_table_append_empty_column(abdb_table *table, const char *name,
                                                         abdb_error *err);
int abdb_table_column_index(const abdb_table *table, const char *name); /* -1: none */
/* A cell as exact text; "" where it is missing. The text may be the thread's one buffer. */
const char *abdb_table_cell_text_or_empty(const abdb_table *table, size_t row, const char *column);
/* The column of a user's name; X_mark, the spelling of CSV, is X__mark. ABDB_USAGE: none (the
 * nearest is named). */
ABDB_MUST_USE abdb_status abdb_table_require_column_by_name_or_heading(const abdb_table *table,
                                                                       const char *name,
                                                                       size_t *out,
                                                                       abdb_error *err);
/* A value as exact text, as the formats for programs print it. out has 32 bytes or more. */
const char *abdb_value_text(const abdb_value *value, char out[32]);
/* One more line below the table, copied; the last that it holds is "and N more notes". */
void abdb_table_add_note(abdb_table *table, const char *text);
void abdb_table_add_note_format(abdb_table *table, const char *format, ...) ABDB_PRINTF(2, 3);
/* Puts `cut` behind the notes. */
void abdb_table_append_cut_note(abdb_table *table);
/* Programs read no notes: the column warnings, where a table has it, repeats in each row the notes
 * that begin with "! ". */
ABDB_MUST_USE abdb_status abdb_table_fill_warnings_column(abdb_table *table, abdb_error *err);
/* Replaces the notes by their number, but for those that name what a typed name was taken for. */
void abdb_table_replace_notes_by_count_keeping_cut(abdb_table *table);
/* Prints. Notes go below the table, or to standard error where the format is for programs. */
ABDB_MUST_USE abdb_status abdb_table_print_in_format(const abdb_table *table, abdb_format format,
                                                     FILE *out, abdb_error *err);
void abdb_table_free(abdb_table *table);

#endif
