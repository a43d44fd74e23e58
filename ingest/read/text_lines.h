/* text_lines.h - console output of programs, line by line.
 *
 * A launcher may have put the number of the process before each line ("12: ", as srun -l does, or
 * "[1,0]<NAME>:", as mpirun --tag-output, of its outputs), and a reply the marks of a quotation
 * ("> "): they are taken off.
 */
#ifndef ABDB_INGEST_LINES_H
#define ABDB_INGEST_LINES_H

#include "ingest/importer.h"

enum { LINE_WORDS_MAX = 64, BID_SIZE = 1 << 20 };

typedef struct {
    long number;                      /* from 1 */
    long rank;                        /* by its launcher's prefix, -1: none */
    const char *text;                 /* without its end, quotation marks and launcher's prefix */
    size_t words;                     /* between blanks, or commas that are no decimal ones; at most
                         LINE_WORDS_MAX */
    const char *word[LINE_WORDS_MAX]; /* "" behind the last */
    abdb_decimal_mark
        mark; /* of lines_deliver_each_with_mark; unknown of lines_deliver_each_without_mark */
} text_line;

/* Called for each line; strings are borrowed for the call. */
typedef abdb_status (*line_handler)(void *self, const text_line *line, abdb_error *err);
/* ABDB_NOMEM, or the handler's status. */
ABDB_MUST_USE abdb_status lines_deliver_each_without_mark(const abdb_input *in,
                                                          line_handler handler, void *self,
                                                          abdb_error *err);
/* The same, with an empty entry in *entry until the end, since it is too large for a stack; finish
 * (or NULL) is called behind the last line. */
ABDB_MUST_USE abdb_status lines_deliver_each_with_entry(
    const abdb_input *in, abdb_entry **entry, line_handler handler,
    abdb_status (*finish)(void *self, abdb_error *err), void *self, abdb_error *err);
/* The same, of lines whose numbers have that decimal mark. */
ABDB_MUST_USE abdb_status lines_deliver_each_with_mark(const abdb_input *in, abdb_decimal_mark mark,
                                                       line_handler handler, void *self,
                                                       abdb_error *err);
/* The decimal mark of the rows of numbers in a console's text, by the evidence of decimal_marks.h;
 * unknown where no number has a comma. Reads the whole text. */
abdb_decimal_mark lines_find_decimal_mark_by_number_rows(const abdb_input *in);
/* For bids, of the first BID_SIZE bytes: is there a table that a program printed, a header that
 * begins with a word and holds all the others ('|' between them), and behind it a line of so many
 * numbers? A program that could print it has the header in quotes, and no numbers. */
bool lines_have_table_header_and_number_row(const abdb_input *in, const char *first_word,
                                            const char *header_words, size_t numbers);
/* Does a line begin with that text, after a launcher's prefix if any? */
bool lines_any_in_first_part_begins_with(const abdb_input *in, const char *text);
/* How long the number is that a text begins with, thousands marks included: 5 of "2,375, max". 0:
 * there is none. */
size_t lines_number_length(const char *text);
/* The word as a number; NAN: there is none, or it is no number. */
double line_word_number_or_nan(const text_line *line, size_t word);
/* The word as a number of a row, column or device: digits alone, to 9999. -1: it is none. */
long line_word_as_index_or_minus_1(const text_line *line, size_t word);
/* Does a word of the line begin as a number does? */
bool line_has_number_like_word(const text_line *line);
/* Keeps the line as rejected, and ends the row. */
ABDB_MUST_USE abdb_status line_reject_and_end_row(const abdb_sink *sink, const text_line *line,
                                                  const char *field, const char *reason,
                                                  abdb_error *err);
/* The same of a row that is refused before results are made of its numbers, which stand behind its
 * first word: they are counted as values that were read. */
ABDB_MUST_USE abdb_status line_reject_count_numbers_and_end_row(const abdb_sink *sink,
                                                                const text_line *line,
                                                                const char *field,
                                                                const char *reason,
                                                                abdb_error *err);

#endif
