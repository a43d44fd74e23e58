/* table.h - rows of a query with what people need to read them, and the seven ways to print them.
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

typedef enum {
    ABDB_TABLE,
    ABDB_MARKDOWN,
    ABDB_CSV,
    ABDB_JSON,
    ABDB_JSONL,
    ABDB_HTML,
    ABDB_LATEX,
    ABDB_SPREADSHEET /* CSV whose text no spreadsheet computes */
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
    const char *title, *hoist, *bare;      /* hoist, bare: names with ' ' between them */
    size_t columns, rows, room, text_size; /* text_size: bytes of text that a query brought */
    abdb_column column[ABDB_COLUMN_MAX];
    abdb_value *value; /* rows x columns */
    size_t notes;
    const char *note[ABDB_NOTE_MAX];
    const char *cut;  /* how much is not shown: the last note, once all others are there; or NULL */
    abdb_arena arena; /* owns every string above */
} abdb_table;

/* The names of all formats, in order; NULL after the last. */
const char *abdb_format_name(size_t i);
/* The format of that name. ABDB_USAGE: none (the nearest is named). */
ABDB_MUST_USE abdb_status abdb_format_find(abdb_format *out, const char *name, abdb_error *err);
/* Room for one more row; NULL: no memory. */
abdb_value *abdb_table_append_row(abdb_table *table);
int abdb_table_column_index(const abdb_table *table, const char *name); /* -1: none */
/* The column that a person names; X_mark, as CSV says it, is X__mark. ABDB_USAGE: none (the nearest
 * is named). */
ABDB_MUST_USE abdb_status abdb_table_require_column(const abdb_table *table, const char *name,
                                                    size_t *out, abdb_error *err);
/* A value as exact text, as the formats for programs print it. out has 32 bytes or more. */
const char *abdb_value_text(const abdb_value *value, char out[32]);
/* Puts `cut` behind the notes. */
void abdb_table_append_cut_note(abdb_table *table);
/* Leaves of the notes only how many there are. */
void abdb_table_notes_to_count(abdb_table *table);
/* Prints. Notes go below the table, or to standard error where the format is for programs. */
ABDB_MUST_USE abdb_status abdb_table_print(const abdb_table *table, abdb_format format, FILE *out,
                                           abdb_error *err);
void abdb_table_free(abdb_table *table);

#endif
