/* decimal_marks.c - the evidence for decimal marks; see decimal_marks.h. */
#include "ingest/read/decimal_marks.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ingest/read/csv.h"

enum { SEEN_POINT = 1, SEEN_COMMA = 2, CELL = 64 };

/* Columns whose numbers with a mark are no measures: "CUDA 12.4", "25.11", "GPU IDs 0,1". */
static bool is_heading_of_no_measure(const char *heading)
{
    static const char *const words[] = {"version", "driver", "cuda",    "rocm",   "date",
                                        "datum",   "build",  "release", "commit", "ids",
                                        "visible", "list",   "ranks",   "cpus"};

    for (size_t i = 0; heading && i < sizeof words / sizeof words[0]; i++)
        if (strcasestr(heading, words[i])) return true;
    return false;
}

/* "0,1" without a heading may be two numbers: devices of a list. */
static bool is_possible_index_pair(const char *heading, const char *number)
{
    return !heading && strlen(number) == 3 && number[1] == ',';
}

void abdb_marks_add_evidence_of_cell(abdb_mark_evidence *evidence, size_t column,
                                     const char *heading, const char *cell)
{
    bool alone;

    if (column >= ABDB_MARK_COLUMNS) return;
    cell += strspn(cell, "$ ");
    if (!strchr("+-.,0123456789", *cell) || !strpbrk(cell, ".,")) return;
    alone = is_heading_of_no_measure(heading);
    while (*cell) {
        size_t size = abdb_number_chars_prefix_length(cell);
        char number[CELL];
        abdb_decimal_mark mark = ABDB_MARK_UNKNOWN;
        unsigned char seen;

        snprintf(number, sizeof number, "%.*s", (int)(size < CELL ? size : 0), cell);
        cell += size;
        size = strlen(number);
        /* "12.5E" of "12.5EB": a letter of the unit. */
        while (size && strchr("eE", number[size - 1])) number[--size] = '\0';
        if (!isdigit((unsigned char)*cell)) mark = abdb_number_infer_decimal_mark(number);
        seen = mark == ABDB_MARK_POINT ? SEEN_POINT : mark == ABDB_MARK_COMMA ? SEEN_COMMA : 0;
        evidence->column[column] |= seen;
        if (!alone && !is_possible_index_pair(heading, number)) evidence->file |= seen;
        cell += strcspn(cell, " ");
        cell += strspn(cell, " ");
    }
}

static abdb_decimal_mark decimal_mark_from_evidence(unsigned char seen)
{
    return seen == SEEN_POINT   ? ABDB_MARK_POINT
           : seen == SEEN_COMMA ? ABDB_MARK_COMMA
           : seen               ? ABDB_MARK_EITHER
                                : ABDB_MARK_UNKNOWN;
}

abdb_decimal_mark abdb_marks_decide_for_file(const abdb_mark_evidence *evidence, char delimiter)
{
    if (!evidence->file && delimiter == ';') return ABDB_MARK_EITHER;
    return decimal_mark_from_evidence(evidence->file);
}

abdb_decimal_mark abdb_marks_decide_for_column(const abdb_mark_evidence *evidence, size_t column,
                                               char delimiter)
{
    if (column < ABDB_MARK_COLUMNS && evidence->column[column])
        return decimal_mark_from_evidence(evidence->column[column]);
    return abdb_marks_decide_for_file(evidence, delimiter);
}

/* Are there digits grouped by points, as in "1.024.000"? */
static bool may_have_grouping_points(const char *text, size_t size)
{
    const char *end = text + size, *at = text;

    while (end - at > 5 && (at = memchr(at, '.', (size_t)(end - at - 5)))) {
        if (at[4] == '.' && isdigit((unsigned char)at[1]) && isdigit((unsigned char)at[2]) &&
            isdigit((unsigned char)at[3]))
            return true;
        at++;
    }
    return false;
}

/* Is there a comma between digits that may be part of a number? Where the comma separates cells,
 * such a number is the beginning of what stands between two quotes. */
static bool may_have_commas_within_numbers(const char *text, size_t size, char delimiter)
{
    const char *end = text + size, *at = text;

    while ((at = memchr(at, delimiter == ',' ? '"' : ',', (size_t)(end - at)))) {
        const char *from = ++at;

        if (delimiter != ',') {
            if (at < end && *at >= '0' && *at <= '9') return true;
            continue;
        }
        if (at == end || !*at || !strchr("+-$ .0123456789", *at)) continue;
        while (at < end && *at != '"' && *at != '\n') at++;
        if (at < end && *at == '"' && memchr(from, ',', (size_t)(at - from))) return true;
    }
    return false;
}

bool abdb_marks_text_may_have_commas_or_groups(const char *text, size_t size, char delimiter)
{
    return delimiter == ';' || may_have_commas_within_numbers(text, size, delimiter) ||
           may_have_grouping_points(text, size);
}

/* --- of delimited text ------------------------------------------------------------------------ */

typedef struct {
    const abdb_csv_header *header;
    abdb_mark_evidence evidence;
} finder;

/* Adds what the cells of a row show of their columns' decimal marks; stops at the next header. */
static abdb_status add_mark_evidence_of_row(void *self, const abdb_csv_row *row, abdb_error *err)
{
    finder *f = self;

    if (row->line <= f->header->line) return ABDB_OK;
    if (abdb_csv_row_is_another_header(f->header, row))
        return ABDB_FAIL(err, ABDB_STOPPED, "another table");
    for (size_t i = 0; i < row->count; i++)
        abdb_marks_add_evidence_of_cell(
            &f->evidence, i, i < f->header->count ? f->header->name[i] : NULL, row->field[i]);
    return ABDB_OK;
}

abdb_status abdb_csv_store_decimal_marks_of_columns(abdb_csv_header *header, const abdb_input *in,
                                                    char delimiter, abdb_error *err)
{
    finder f = {.header = header};
    abdb_error fault;

    free(header->mark);
    header->mark = NULL;
    header->file_mark = ABDB_MARK_UNKNOWN;
    if (!abdb_marks_text_may_have_commas_or_groups(in->text, in->text_size, delimiter))
        return ABDB_OK;
    header->mark = calloc(ABDB_CSV_COLUMN_MAX, sizeof *header->mark);
    if (!header->mark) return ABDB_FAIL(err, ABDB_NOMEM, "a header");
    /* A damaged file is reported by whoever reads its rows; the rows before count here. */
    (void)!abdb_csv_parse_rows_to_handler(in->text, in->text_size, delimiter,
                                          add_mark_evidence_of_row, &f, &fault);
    header->file_mark = abdb_marks_decide_for_file(&f.evidence, delimiter);
    for (size_t i = 0; i < ABDB_CSV_COLUMN_MAX; i++)
        header->mark[i] = abdb_marks_decide_for_column(&f.evidence, i, delimiter);
    return ABDB_OK;
}

abdb_decimal_mark abdb_csv_decimal_mark_of_column(const abdb_csv_header *header, int column)
{
    return column >= 0 && header->mark ? header->mark[column] : ABDB_MARK_UNKNOWN;
}
