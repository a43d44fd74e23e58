/* markdown_tables.c - tables of markdown files, read line by line: a line of cells waits
 * (reader.before) until the next one shows whether it was a header; see markdown_tables.h. */
#include "ingest/read/markdown_tables.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ingest/read/decimal_marks.h"

enum { CELLS_MAX = 64, HEAD = 1 << 20 };

typedef struct {
    char *copy; /* the line, taken apart */
    char *cell[CELLS_MAX];
    size_t cells;
} table_line;

/* The text of a cell or title, in place: without **, `, and [text](link). */
static char *strip_markup_in_place(char *cell)
{
    char *out = cell;

    cell = out = abdb_trim_in_place(cell);
    for (char *s = cell; *s; s++) {
        char *close;

        if (*s == '`' || (s[0] == '*' && s[1] == '*')) {
            s += *s == '*';
            continue;
        }
        close = *s == '[' ? strstr(s, "](") : NULL;
        if (close && strchr(close, ')')) {
            size_t size = (size_t)(close - s - 1);

            memmove(out, s + 1, size);
            out += size;
            s = strchr(close, ')');
            continue;
        }
        *out++ = *s;
    }
    *out = '\0';
    return abdb_trim_in_place(cell);
}

/* Takes "| a | b |" apart; cells 0: no such line, or no memory, which ends the unit. */
static void split_line_into_table_cells(table_line *line, const char *text, size_t size)
{
    char *s;

    *line = (table_line){0};
    while (size && (*text == ' ' || *text == '\t')) text++, size--;
    if (!size || *text != '|') return;
    line->copy = strndup(text + 1, size - 1);
    if (!line->copy) abdb_count_allocation_failure();
    for (s = line->copy; s && line->cells < CELLS_MAX;) {
        char *bar = s;

        /* "\|" is a bar within a cell. */
        while (*bar && (*bar != '|' || (bar > s && bar[-1] == '\\'))) bar++;
        if (!*bar && !*(s + strspn(s, " \t\r"))) break; /* behind the last bar */
        line->cell[line->cells++] = s;
        if (!*bar) break;
        *bar = '\0';
        s = bar + 1;
    }
}

/* "|---|:--:|": the line that makes the one above it a header. */
static bool is_header_separator(const table_line *line)
{
    for (size_t i = 0; i < line->cells; i++)
        if (!strchr(line->cell[i], '-') || line->cell[i][strspn(line->cell[i], " \t\r:-")] != '\0')
            return false;
    return line->cells > 0;
}

static void free_table_line(table_line *line)
{
    free(line->copy);
    *line = (table_line){0};
}

typedef struct {
    abdb_flat_handler handler;
    void *self;
    const abdb_sink *sink;     /* for rows of another width */
    table_line before, header; /* before: the line above, which dashes make a header */
    bool in_table, needs_marks;
    abdb_mark_evidence table, file; /* of the table at hand, and of all */
    const char *end;                /* of the text */
    char title[200], header_title[200];
} markdown_reader;

/* Looks for decimal marks in the cells from text on, up to the end of the table, or of the file. */
static void collect_decimal_mark_evidence(markdown_reader *r, const char *text, bool whole_file)
{
    abdb_mark_evidence *evidence = whole_file ? &r->file : &r->table;

    *evidence = (abdb_mark_evidence){0};
    while (r->needs_marks && text < r->end) {
        const char *stop = memchr(text, '\n', (size_t)(r->end - text));
        table_line line;

        split_line_into_table_cells(&line, text, (size_t)((stop ? stop : r->end) - text));
        for (size_t i = 0; i < line.cells; i++)
            abdb_marks_add_evidence_of_cell(evidence, i,
                                            i < r->header.cells ? r->header.cell[i] : NULL,
                                            strip_markup_in_place(line.cell[i]));
        text = stop && (line.cells || whole_file) ? stop + 1 : r->end;
        free_table_line(&line);
    }
}

/* A table without evidence, among others that have decimal commas, may have either mark. */
static abdb_decimal_mark table_column_decimal_mark(const markdown_reader *r, size_t column)
{
    abdb_decimal_mark mark = abdb_marks_decide_for_column(&r->table, column, '|'),
                      others = abdb_marks_decide_for_file(&r->file, '|');
    bool has_commas = others == ABDB_MARK_COMMA || others == ABDB_MARK_EITHER;

    return mark == ABDB_MARK_UNKNOWN && has_commas ? ABDB_MARK_EITHER : mark;
}

/* Delivers a row of a table as a record under its headings, or rejects one with more or fewer
 * cells. */
static abdb_status deliver_or_reject_row_as_record(markdown_reader *r, table_line *row,
                                                   const char *raw, size_t size, long number,
                                                   abdb_error *err)
{
    abdb_flat_record *record = calloc(1, sizeof *record);
    char locator[32], *copy = strndup(raw, size);
    char reason[80];
    size_t filled = 0;
    abdb_status st = ABDB_OK;

    if (!record || !copy) TRY(ABDB_FAIL(err, ABDB_NOMEM, "a row"));
    snprintf(locator, sizeof locator, "line %ld", number);
    record->line = number;
    record->locator = locator;
    record->raw = copy;
    for (size_t i = 0; i < row->cells; i++) {
        row->cell[i] = strip_markup_in_place(row->cell[i]);
        if (row->cell[i][0]) filled = i + 1;
    }
    if (!filled) goto done;
    if (row->cells < r->header.cells || filled > r->header.cells ||
        row->cells == r->header.cells + 1) {
        snprintf(reason, sizeof reason, "%zu columns where the header has %zu", row->cells,
                 r->header.cells);
        TRY(abdb_flat_reject_and_end_row(r->sink, record, "row", reason, err));
        goto done;
    }
    for (size_t i = 0; i < r->header.cells; i++) {
        record->item[record->items].name = r->header.cell[i];
        record->item[record->items].mark = table_column_decimal_mark(r, i);
        record->item[record->items++].text = row->cell[i];
    }
    record->item[record->items].name = "(title)";
    record->item[record->items++].text = r->header_title;
    TRY(r->handler(r->self, record, err));
done:
    free(copy);
    free(record);
    return st;
}

/* Keeps a line above a table as its title, without markup and a colon at its end. */
static void remember_table_title(markdown_reader *r, const char *text, size_t size)
{
    char line[200];
    char *s;

    snprintf(line, sizeof line, "%.*s", (int)(size < sizeof line ? size : sizeof line - 1), text);
    s = line + strspn(line, "#> \t");
    s = strip_markup_in_place(s);
    if (!*s || strncmp(s, "```", 3) == 0) return;
    if (s[strlen(s) - 1] == ':') s[strlen(s) - 1] = '\0';
    snprintf(r->title, sizeof r->title, "%s", s);
}

/* Are dashes what stands from text to the end of its line? */
static bool is_separator_line(const char *text, const char *end)
{
    const char *stop = memchr(text, '\n', (size_t)(end - text));
    table_line line;
    bool is;

    split_line_into_table_cells(&line, text, (size_t)((stop ? stop : end) - text));
    is = is_header_separator(&line);
    free_table_line(&line);
    return is;
}

/* Three cases: dashes under a line of cells begin a table, cells within a table are a row (unless
 * the next line makes them a header), anything else ends the table (and, if it is text, is the
 * title of the next). */
static abdb_status begin_table_deliver_row_or_keep_title(markdown_reader *r, const char *text,
                                                         size_t size, bool is_header, long number,
                                                         abdb_error *err)
{
    const char *end_of_line = memchr(text + size, '\n', (size_t)(r->end - text) - size);
    table_line line;
    abdb_status st = ABDB_OK;

    split_line_into_table_cells(&line, text, size);
    if (line.cells && is_header_separator(&line) && r->before.cells) {
        free_table_line(&r->header);
        r->header = r->before;
        r->before = (table_line){0};
        for (size_t i = 0; i < r->header.cells; i++)
            r->header.cell[i] = strip_markup_in_place(r->header.cell[i]);
        snprintf(r->header_title, sizeof r->header_title, "%s", r->title);
        r->title[0] = '\0';
        r->in_table = true;
        collect_decimal_mark_evidence(r, end_of_line ? end_of_line + 1 : r->end, false);
    } else if (line.cells && r->in_table && !is_header) {
        st = deliver_or_reject_row_as_record(r, &line, text, size, number, err);
    } else {
        r->in_table = false;
        free_table_line(&r->before);
        r->before = line;
        if (!line.cells) remember_table_title(r, text, size);
        return ABDB_OK;
    }
    free_table_line(&line);
    return st;
}

abdb_status markdown_deliver_table_rows_as_records(const abdb_input *in, const abdb_sink *sink,
                                                   abdb_flat_handler handler, void *self,
                                                   abdb_error *err)
{
    markdown_reader *r = calloc(1, sizeof *r);
    const char *text = in->text, *end = in->text + in->text_size;
    abdb_status st = ABDB_OK;

    if (!r) return ABDB_FAIL(err, ABDB_NOMEM, "a markdown file");
    r->handler = handler;
    r->self = self;
    r->end = end;
    r->needs_marks = abdb_marks_text_may_have_commas_or_groups(in->text, in->text_size, '|');
    collect_decimal_mark_evidence(r, text, true);
    r->sink = sink;
    for (long number = 1; text < end && st == ABDB_OK; number++) {
        const char *stop = memchr(text, '\n', (size_t)(end - text));
        size_t size = (size_t)((stop ? stop : end) - text);

        while (size && text[size - 1] == '\r') size--;
        st = begin_table_deliver_row_or_keep_title(
            r, text, size, stop && is_separator_line(stop + 1, end), number, err);
        text = stop ? stop + 1 : end;
    }
    free_table_line(&r->before);
    free_table_line(&r->header);
    free(r);
    return st;
}

bool markdown_has_table(const abdb_input *in)
{
    const char *text = in->text;
    const char *end = text + (in->text_size < HEAD ? in->text_size : HEAD);
    bool before = false, found = false;

    while (text < end && !found) {
        const char *stop = memchr(text, '\n', (size_t)(end - text));
        table_line line;

        split_line_into_table_cells(&line, text, (size_t)((stop ? stop : end) - text));
        found = before && is_header_separator(&line);
        before = line.cells > 0;
        free_table_line(&line);
        text = stop ? stop + 1 : end;
    }
    return found;
}
