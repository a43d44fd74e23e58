/* csv.h - rows of delimited text, by libcsv, with line numbers and a named header, for all
 * importers of CSV. The caller takes the first row as the header (abdb_csv_header_replace_by_row)
 * and reads cells of other rows by column number. */
#ifndef ABDB_INGEST_CSV_H
#define ABDB_INGEST_CSV_H

#include <stdbool.h>
#include <stddef.h>

#include "ingest/importer.h"
#include "schema/core/record.h"

enum { ABDB_CSV_COLUMN_MAX = 512, ABDB_CSV_FIELD_MAX = 1 << 20 };

typedef struct {
    char **field; /* trimmed, NUL-terminated; field[i] for i < count */
    size_t count;
    long line;       /* where the row begins, from 1 */
    const char *raw; /* the row as it is in the text, without the end of line */
    size_t raw_size;
} abdb_csv_row;

/* Called for each row that is not empty. Anything but ABDB_OK stops the reading. */
typedef abdb_status (*abdb_csv_handler)(void *self, const abdb_csv_row *row, abdb_error *err);

/* Reads text[0..size). ABDB_DATA: a quoted field that never ends (a truncated file); ABDB_LIMIT: a
 * row or field over the limits above. Messages name the line. */
ABDB_MUST_USE abdb_status abdb_csv_parse_rows_to_handler(const char *text, size_t size,
                                                         char delimiter, abdb_csv_handler handler,
                                                         void *self, abdb_error *err);
/* The same for the text of an input, whose memory is given back behind the row at hand. */
ABDB_MUST_USE abdb_status abdb_csv_parse_input_rows_to_handler(const abdb_input *in, char delimiter,
                                                               abdb_csv_handler handler, void *self,
                                                               abdb_error *err);
/* '\t', ',' or ';': the one in Excel's first line "sep=;", else the most frequent one of the first
 * line. The readers above skip a line "sep=;". */
char abdb_csv_guess_delimiter(const char *text, size_t size);
/* The bytes of Excel's first line "sep=;" with its end; 0: there is none. */
size_t abdb_csv_sep_line_size(const char *text, size_t size);

/* Names of columns, and their decimal marks where abdb_csv_store_decimal_marks_of_columns looked
 * for them. The memory belongs to the header; free with abdb_csv_header_free. */
typedef struct {
    size_t count;
    char **name;
    abdb_decimal_mark *mark;     /* ABDB_CSV_COLUMN_MAX of them, or NULL: unknown */
    abdb_decimal_mark file_mark; /* of all columns together */
    long line;                   /* where it stands */
    /* Is a row without a number the header of another table of this format? NULL: no check. */
    bool (*is_another)(const void *self, const abdb_csv_row *row);
    const void *self;
    enum { CSV_PADDING_UNKNOWN, CSV_NOT_PADDED, CSV_PADDED } padding; /* of all rows alike */
} abdb_csv_header;
ABDB_MUST_USE abdb_status abdb_csv_header_replace_by_row(abdb_csv_header *header,
                                                         const abdb_csv_row *row, abdb_error *err);
/* Takes the first row of a text as the header, which stays empty where there is none. */
void abdb_csv_header_read_first_row(abdb_csv_header *header, const char *text, size_t size,
                                    char delimiter);
void abdb_csv_header_free(abdb_csv_header *header);
/* Does the row begin another table: is it the header again, or a changed one with mostly names of
 * this one, or one that is_another accepts? */
bool abdb_csv_row_is_another_header(const abdb_csv_header *header, const abdb_csv_row *row);
/* Has the row as many cells as the header? Empty cells behind the last heading are allowed where
 * the header or all rows of the table have them, and where there are several. False, with the
 * reason: values of its cells may belong to other columns. in, delimiter: the whole text. */
bool abdb_csv_row_fits_header_width_or_explain(abdb_csv_header *header, const abdb_csv_row *row,
                                               const abdb_input *in, char delimiter, char *reason,
                                               size_t room);
/* First column with one of the names ('|' between them; white space and case do not count), or -1.
 */
int abdb_csv_find_column_of_any_name(const abdb_csv_header *header, const char *names);
/* The text of column i of the row, NULL when i < 0, the row is short or the field is empty. */
const char *abdb_csv_cell_or_null(const abdb_csv_row *row, int i);
/* Reads the text from this header to the next, or to its end, to find the decimal mark of each
 * column by decimal_marks.h; a text without doubtful numbers is not read. */
ABDB_MUST_USE abdb_status abdb_csv_store_decimal_marks_of_columns(abdb_csv_header *header,
                                                                  const abdb_input *in,
                                                                  char delimiter, abdb_error *err);
/* The decimal mark of a column; unknown for -1, and before
 * abdb_csv_store_decimal_marks_of_columns. */
abdb_decimal_mark abdb_csv_decimal_mark_of_column(const abdb_csv_header *header, int column);
/* Keeps a row as rejected. */
ABDB_MUST_USE abdb_status abdb_csv_reject_row(const abdb_sink *sink, const abdb_csv_row *row,
                                              const char *field, const char *reason,
                                              abdb_error *err);
/* The same, and ends the row. */
ABDB_MUST_USE abdb_status abdb_csv_reject_and_end_row(const abdb_sink *sink,
                                                      const abdb_csv_row *row, const char *field,
                                                      const char *reason, abdb_error *err);
/* Does the first line of text (behind Excel's "sep=;") hold all these words ('|' between them)? For
 * bids. */
bool abdb_csv_first_line_has_all_words(const char *text, size_t size, const char *words);

#endif
