/* decimal_marks.c - the decimal mark of each column of a delimited text, found in the column's own
 * cells; see csv.h. "0.5" can only have a decimal point, "0,371" and "34.988,10" only a decimal
 * comma; "1,234" can have either, and decides nothing. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "ingest/read/csv.h"

typedef struct {
    const abdb_csv_header *header;
    unsigned char seen[ABDB_CSV_COLUMN_MAX];
} finder;

enum { SEEN_POINT = 1, SEEN_COMMA = 2 };

/* Which decimal mark the cell must have: SEEN_POINT, SEEN_COMMA, or 0 for either and none. */
static unsigned char find_cell_mark(const char *cell)
{
    bool point, comma;

    if (!strpbrk(cell, ".,") || strspn(cell, "+-0123456789.,eE") != strlen(cell)) return 0;
    point = abdb_number_parse(cell, ABDB_MARK_POINT).found;
    comma = abdb_number_parse(cell, ABDB_MARK_COMMA).found;
    return point == comma ? 0 : point ? SEEN_POINT : SEEN_COMMA;
}

static abdb_status on_row(void *self, const abdb_csv_row *row, abdb_error *err)
{
    finder *f = self;

    if (row->line <= f->header->line) return ABDB_OK;
    if (abdb_csv_row_is_header(f->header, row))
        return ABDB_FAIL(err, ABDB_STOPPED, "another table");
    for (size_t i = 0; i < row->count; i++) f->seen[i] |= find_cell_mark(row->field[i]);
    return ABDB_OK;
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
 * such a number is all that stands between two quotes. */
static bool may_have_commas(const char *text, size_t size, char delimiter)
{
    const char *end = text + size, *at = text;

    while ((at = memchr(at, delimiter == ',' ? '"' : ',', (size_t)(end - at)))) {
        const char *from = ++at;

        if (delimiter != ',') {
            if (at < end && *at >= '0' && *at <= '9') return true;
            continue;
        }
        while (at < end && *at && strchr("+-0123456789.,eE ", *at)) at++;
        if (at < end && *at == '"' && memchr(from, ',', (size_t)(at - from))) return true;
    }
    return false;
}

abdb_status abdb_csv_find_marks(abdb_csv_header *header, const abdb_input *in, char delimiter,
                                abdb_error *err)
{
    finder f = {.header = header};
    abdb_error fault;

    free(header->mark);
    header->mark = NULL;
    if (!may_have_commas(in->text, in->text_size, delimiter) &&
        !may_have_grouping_points(in->text, in->text_size))
        return ABDB_OK;
    header->mark = calloc(ABDB_CSV_COLUMN_MAX, sizeof *header->mark);
    if (!header->mark) return ABDB_FAIL(err, ABDB_NOMEM, "a header");
    /* A damaged file is reported by whoever reads its rows; the rows before count here. */
    (void)!abdb_csv_read(in->text, in->text_size, delimiter, on_row, &f, &fault);
    for (size_t i = 0; i < ABDB_CSV_COLUMN_MAX; i++)
        header->mark[i] = f.seen[i] == SEEN_POINT   ? ABDB_MARK_POINT
                          : f.seen[i] == SEEN_COMMA ? ABDB_MARK_COMMA
                                                    : ABDB_MARK_UNKNOWN;
    return ABDB_OK;
}

abdb_decimal_mark abdb_csv_mark(const abdb_csv_header *header, int column)
{
    return column >= 0 && header->mark ? header->mark[column] : ABDB_MARK_UNKNOWN;
}
