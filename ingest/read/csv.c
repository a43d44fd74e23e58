/* csv.c - rows of delimited text; see csv.h. Lines are handed to libcsv one by one, so that the
 * line on which a row begins is known even where quoted fields span lines. A row without quotes
 * needs no parser: it is cut at its delimiters, as libcsv would, in a fraction of the time. */
#include "ingest/read/csv.h"

#include <csv.h>
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "schema/core/text.h"

/* States of libcsv's parser, which its header does not name. */
enum { ROW_NOT_BEGUN = 0, FIELD_BEGUN = 2 };

typedef struct {
    /* The state of one reading. Fields of the row at hand lie in arena and are gone with the next
     * row. */
    struct csv_parser parser;
    abdb_csv_handler handler;
    void *self;
    abdb_error *err;
    abdb_status status;
    char *field[ABDB_CSV_COLUMN_MAX];
    size_t count;
    abdb_arena arena;
    const char *row_start, *line_end;
    long row_line;
    bool any; /* a field of the row is not empty */
} csv_reader;

static bool is_csv_blank(char c)
{
    return c == ' ' || (c >= '\t' && c <= '\r');
}

/* Is there room for one more field of so many bytes? */
static bool field_is_within_limits_or_set_error(csv_reader *r, size_t size)
{
    if (r->count < ABDB_CSV_COLUMN_MAX && size <= ABDB_CSV_FIELD_MAX) return true;
    r->status = ABDB_FAIL(r->err, ABDB_LIMIT,
                          "line %ld: more than %d columns, or a field over %d"
                          " bytes",
                          r->row_line, ABDB_CSV_COLUMN_MAX, ABDB_CSV_FIELD_MAX);
    return false;
}

/* libcsv's callback for a field. It cannot stop the parser: after a fault it passes over the rest,
 * and parse_csv_text looks at status. */
static void append_trimmed_field(void *data, size_t size, void *self)
{
    csv_reader *r = self;
    const char *text = data ? data : "";
    char *copy;

    if (r->status != ABDB_OK) return;
    if (!field_is_within_limits_or_set_error(r, size)) return;
    while (size && is_csv_blank(*text)) text++, size--;
    while (size && is_csv_blank(text[size - 1])) size--;
    copy = abdb_arena_copy(&r->arena, text, size);
    if (!copy) {
        r->status = ABDB_FAIL(r->err, ABDB_NOMEM, "line %ld", r->row_line);
        return;
    }
    r->any |= *copy != '\0';
    r->field[r->count++] = copy;
}

/* libcsv's callback for the end of a row. A row of empty fields only is none. */
static void call_handler_unless_row_is_empty(int end, void *self)
{
    csv_reader *r = self;
    abdb_csv_row row = {
        .field = r->field, .count = r->count, .line = r->row_line, .raw = r->row_start};

    (void)end;
    row.raw_size = (size_t)(r->line_end - r->row_start);
    if (r->status == ABDB_OK && r->any) r->status = r->handler(r->self, &row, r->err);
    r->count = 0;
    r->any = false;
    abdb_arena_clear(&r->arena);
}

/* Is the line a whole row without quotes, and without a line end of old Macs in it? */
static bool is_whole_unquoted_row(const csv_reader *r, const char *line, size_t size)
{
    const char *cr;

    if (r->parser.pstate != ROW_NOT_BEGUN || memchr(line, '"', size)) return false;
    cr = memchr(line, '\r', size);
    return !cr || (cr + 2 == line + size && cr[1] == '\n');
}

/* A plain line of so many bytes without its end: one copy, cut at the delimiters. */
static void split_unquoted_row_and_call_handler(csv_reader *r, const char *line, size_t size,
                                                char delimiter)
{
    char *at = abdb_arena_copy(&r->arena, line, size), *end;

    if (!at) {
        r->status = ABDB_FAIL(r->err, ABDB_NOMEM, "line %ld", r->row_line);
        return;
    }
    end = at + size;
    for (;;) {
        char *stop = memchr(at, delimiter, (size_t)(end - at)), *last = stop ? stop : end;

        if (!field_is_within_limits_or_set_error(r, (size_t)(last - at))) return;
        while (at < last && is_csv_blank(*at)) at++;
        while (last > at && is_csv_blank(last[-1])) last--;
        *last = '\0';
        r->any |= *at != '\0';
        r->field[r->count++] = at;
        if (!stop) break;
        at = stop + 1;
    }
    call_handler_unless_row_is_empty('\n', r);
}

/* Gives back what lies behind the row at hand, now and then. */
static void release_parsed_pages_every_4_mib(const abdb_input *in, const char *upto,
                                             const char **released)
{
    enum { PIECE = 1 << 22 };

    if (!in || upto - *released < PIECE) return;
    abdb_input_release_pages(in, (size_t)(upto - (const char *)in->data));
    *released = upto;
}

/* Physical lines go to libcsv one by one; a field in quotes may hold line ends, so a row begins
 * only where the parser says that none is open. row_start and row_line remember where: locators
 * and the raw text of rejects are of them. Rows read are given back to the system on the way
 * (release_parsed_pages_every_4_mib). */
static abdb_status parse_csv_text(const abdb_input *in, const char *text, size_t size,
                                  char delimiter, abdb_csv_handler handler, void *self,
                                  abdb_error *err)
{
    csv_reader *r = calloc(1, sizeof *r);
    size_t sep = abdb_csv_sep_line_size(text, size);
    const char *at = text + sep, *end = text + size, *released = text;
    abdb_status st = ABDB_OK;
    long line = 1 + (sep > 0);

    if (!r) return ABDB_FAIL(err, ABDB_NOMEM, "a CSV reader");
    if (csv_init(&r->parser, 0) != 0) {
        free(r);
        return ABDB_FAIL(err, ABDB_NOMEM, "libcsv");
    }
    /* libcsv takes a tab for white space and would trim empty cells away; append_trimmed_field
     * trims by itself. */
    csv_set_delim(&r->parser, (unsigned char)delimiter);
    if (delimiter == '\t') csv_set_space_func(&r->parser, NULL);
    r->handler = handler;
    r->self = self;
    r->err = err;
    r->row_start = at;
    r->row_line = line;
    while (at < end && r->status == ABDB_OK) {
        const char *newline = memchr(at, '\n', (size_t)(end - at));
        size_t length = newline ? (size_t)(newline - at) + 1 : (size_t)(end - at);

        r->line_end = at + length;
        /* strchr finds the terminating NUL too, hence the second question; the same pattern stands
         * wherever text may hold NUL bytes. */
        while (r->line_end > r->row_start && strchr("\r\n", r->line_end[-1]) && r->line_end[-1])
            r->line_end--;
        if (is_whole_unquoted_row(r, at, length)) {
            split_unquoted_row_and_call_handler(r, at, (size_t)(r->line_end - at), delimiter);
        } else if (csv_parse(&r->parser, at, length, append_trimmed_field,
                             call_handler_unless_row_is_empty, r) != length) {
            st = ABDB_FAIL(err, ABDB_DATA, "line %ld: %s", line,
                           csv_strerror(csv_error(&r->parser)));
            break;
        }
        at += length;
        line++;
        if (r->parser.pstate == ROW_NOT_BEGUN &&
            r->status == ABDB_OK) { /* the next line begins a row */
            r->row_start = at;
            r->row_line = line;
            release_parsed_pages_every_4_mib(in, at, &released);
            if (in && in->at) *in->at = (size_t)(at - text);
        }
        /* A quote that is never closed would make the rest of a large file one row. */
        if (line - r->row_line > ABDB_CSV_FIELD_MAX) break;
    }
    if (st == ABDB_OK) st = r->status;
    if (st == ABDB_OK && r->parser.pstate == FIELD_BEGUN && r->parser.quoted)
        st = ABDB_FAIL(err, ABDB_DATA,
                       "line %ld: a quoted field is never closed; the file is"
                       " truncated, or a quote is missing",
                       r->row_line);
    if (st == ABDB_OK)
        csv_fini(&r->parser, append_trimmed_field, call_handler_unless_row_is_empty, r);
    if (st == ABDB_OK) st = r->status;
    csv_free(&r->parser);
    abdb_arena_free(&r->arena);
    free(r);
    return st;
}

abdb_status abdb_csv_parse_rows_to_handler(const char *text, size_t size, char delimiter,
                                           abdb_csv_handler handler, void *self, abdb_error *err)
{
    return parse_csv_text(NULL, text, size, delimiter, handler, self, err);
}

abdb_status abdb_csv_parse_input_rows_to_handler(const abdb_input *in, char delimiter,
                                                 abdb_csv_handler handler, void *self,
                                                 abdb_error *err)
{
    return parse_csv_text(in->decoded ? NULL : in, in->text, in->text_size, delimiter, handler,
                          self, err);
}

size_t abdb_csv_sep_line_size(const char *text, size_t size)
{
    const char *end = memchr(text, '\n', size);

    if (!end || end - text < 5 || end - text > 6 || strncasecmp(text, "sep=", 4) != 0) return 0;
    if (!strchr(",;\t", text[4]) || (end - text == 6 && text[5] != '\r')) return 0;
    return (size_t)(end - text) + 1;
}

/* Quotes are not looked at: a comma within a quoted name of the header counts, and has never
 * outweighed the real delimiter. */
char abdb_csv_guess_delimiter(const char *text, size_t size)
{
    size_t tabs = 0, commas = 0, semicolons = 0;

    if (abdb_csv_sep_line_size(text, size)) return text[4];
    for (size_t i = 0; i < size && text[i] != '\n'; i++) {
        tabs += text[i] == '\t';
        commas += text[i] == ',';
        semicolons += text[i] == ';';
    }
    if (tabs > commas && tabs > semicolons) return '\t';
    return semicolons > commas ? ';' : ',';
}

abdb_status abdb_csv_header_replace_by_row(abdb_csv_header *header, const abdb_csv_row *row,
                                           abdb_error *err)
{
    const abdb_csv_header asked = {.is_another = header->is_another, .self = header->self};

    abdb_csv_header_free(header);
    *header = asked;
    header->line = row->line;
    header->name = calloc(row->count ? row->count : 1, sizeof *header->name);
    if (!header->name) return ABDB_FAIL(err, ABDB_NOMEM, "header");
    for (size_t i = 0; i < row->count; i++) {
        header->name[i] = strdup(row->field[i]);
        if (!header->name[i]) return ABDB_FAIL(err, ABDB_NOMEM, "header");
        header->count = i + 1;
    }
    return ABDB_OK;
}

/* ABDB_STOPPED ends the reading behind the header and is no fault. */
static abdb_status copy_header_and_stop(void *self, const abdb_csv_row *row, abdb_error *err)
{
    abdb_status st = abdb_csv_header_replace_by_row(self, row, err);

    return st == ABDB_OK ? ABDB_FAIL(err, ABDB_STOPPED, "header read") : st;
}

void abdb_csv_header_read_first_row(abdb_csv_header *header, const char *text, size_t size,
                                    char delimiter)
{
    abdb_error ignored;

    (void)!abdb_csv_parse_rows_to_handler(text, size, delimiter, copy_header_and_stop, header,
                                          &ignored);
}

void abdb_csv_header_free(abdb_csv_header *header)
{
    for (size_t i = 0; i < header->count; i++) free(header->name[i]);
    free(header->name);
    free(header->mark);
    *header = (abdb_csv_header){0};
}

/* Does name equal word[0..size) without case and white space? */
static bool names_match_ignoring_case_and_space(const char *name, const char *word, size_t size)
{
    const char *end = word + size;

    for (;;) {
        while (isspace((unsigned char)*name)) name++;
        while (word < end && isspace((unsigned char)*word)) word++;
        if (!*name || word == end) return !*name && word == end;
        if (tolower((unsigned char)*name++) != tolower((unsigned char)*word++)) return false;
    }
}

int abdb_csv_find_column_of_any_name(const abdb_csv_header *header, const char *names)
{
    while (*names) {
        size_t size = strcspn(names, "|");

        for (size_t i = 0; i < header->count; i++)
            if (names_match_ignoring_case_and_space(header->name[i], names, size)) return (int)i;
        names += size + (names[size] == '|');
    }
    return -1;
}

static bool cell_equals_a_heading(const abdb_csv_header *header, const char *cell)
{
    for (size_t i = 0; i < header->count; i++)
        if (names_match_ignoring_case_and_space(header->name[i], cell, strlen(cell))) return true;
    return false;
}

/* Numbers are no headings: a look that spares most rows the comparison with all names. */
static bool has_cell_beginning_with_digit(const abdb_csv_row *row)
{
    for (size_t i = 0; i < row->count; i++)
        if (isdigit((unsigned char)row->field[i][0])) return true;
    return false;
}

bool abdb_csv_row_is_another_header(const abdb_csv_header *header, const abdb_csv_row *row)
{
    size_t cells = 0, headings = 0;

    if (!row->count || !header->count) return false;
    if (strcmp(row->field[0], header->name[0]) != 0 && has_cell_beginning_with_digit(row))
        return false;
    if (header->is_another && header->is_another(header->self, row)) return true;
    for (size_t i = 0; i < row->count; i++) {
        if (!row->field[i][0]) continue;
        cells++;
        headings += cell_equals_a_heading(header, row->field[i]);
    }
    return headings > 1 && 2 * headings > cells;
}

/* Cells up to the last that is not empty. */
static size_t count_cells_up_to_last_filled(char *const *cell, size_t count)
{
    while (count && !cell[count - 1][0]) count--;
    return count;
}

typedef struct {
    const abdb_csv_header *header;
    size_t width, rows, others; /* others: rows of another width */
} padding_look;

/* Counts the rows of a table, and those of another width than asked; stops at the next header. */
static abdb_status count_rows_and_those_of_other_width(void *self, const abdb_csv_row *row,
                                                       abdb_error *err)
{
    padding_look *look = self;

    if (row->line <= look->header->line) return ABDB_OK;
    if (abdb_csv_row_is_another_header(look->header, row))
        return ABDB_FAIL(err, ABDB_STOPPED, "another table");
    look->rows++;
    look->others += row->count != look->width;
    return ABDB_OK;
}

/* A cell too many that is empty may be a cell put in before an empty last one: it is padding where
 * every row has it. */
static bool all_rows_have_padding_cell_cached(abdb_csv_header *header, size_t width,
                                              const abdb_input *in, char delimiter)
{
    padding_look look = {.header = header, .width = width};
    abdb_error fault;

    if (header->padding == CSV_PADDING_UNKNOWN) {
        (void)!abdb_csv_parse_rows_to_handler(in->text, in->text_size, delimiter,
                                              count_rows_and_those_of_other_width, &look, &fault);
        header->padding = look.others ? CSV_NOT_PADDED : CSV_PADDED;
    }
    return header->padding == CSV_PADDED;
}

bool abdb_csv_row_fits_header_width_or_explain(abdb_csv_header *header, const abdb_csv_row *row,
                                               const abdb_input *in, char delimiter, char *reason,
                                               size_t room)
{
    size_t named = count_cells_up_to_last_filled(header->name, header->count);

    if (row->count == named || row->count == header->count) {
        if (count_cells_up_to_last_filled(row->field, row->count) <= named) return true;
    } else if (row->count > named && header->count == named &&
               count_cells_up_to_last_filled(row->field, row->count) <= named &&
               (row->count > named + 1 ||
                all_rows_have_padding_cell_cached(header, row->count, in, delimiter))) {
        return true;
    }
    snprintf(reason, room, "%zu columns where the header has %zu", row->count, named);
    return false;
}

const char *abdb_csv_cell_or_null(const abdb_csv_row *row, int i)
{
    if (i < 0 || (size_t)i >= row->count || !row->field[i][0]) return NULL;
    return row->field[i];
}

abdb_status abdb_csv_reject_row(const abdb_sink *sink, const abdb_csv_row *row, const char *field,
                                const char *reason, abdb_error *err)
{
    /* Enough to recognise the row by; a whole one may have a megabyte. */
    char raw[4096];
    size_t size = row->raw_size < sizeof raw - 1 ? row->raw_size : sizeof raw - 1;
    abdb_reject reject = {.line = row->line, .field = field, .reason = reason, .raw = raw};

    memcpy(raw, row->raw, size);
    raw[size] = '\0';
    return sink->reject(sink->self, &reject, err);
}

abdb_status abdb_csv_reject_and_end_row(const abdb_sink *sink, const abdb_csv_row *row,
                                        const char *field, const char *reason, abdb_error *err)
{
    abdb_status st = abdb_csv_reject_row(sink, row, field, reason, err);

    return st == ABDB_OK ? sink->row_end(sink->self, err) : st;
}

bool abdb_csv_first_line_has_all_words(const char *text, size_t size, const char *words)
{
    size_t sep = abdb_csv_sep_line_size(text, size), length;
    const char *end = memchr(text + sep, '\n', size - sep);

    text += sep;
    length = end ? (size_t)(end - text) : size - sep;
    while (*words) {
        size_t word = strcspn(words, "|");
        bool found = false;

        for (size_t i = 0; i + word <= length && !found; i++)
            found = strncasecmp(text + i, words, word) == 0;
        if (!found) return false;
        words += word + (words[word] == '|');
    }
    return true;
}
