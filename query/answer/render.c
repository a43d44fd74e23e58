/* render.c - tables as text, markdown, CSV, JSON, HTML and LaTeX; see render.h.
 * Formats for people round by the columns' styles; formats for programs are exact. */
#include "query/answer/render.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "query/answer/escape.h"
#include "query/answer/output.h"

/* --- shown columns and cells ----------------------------------------------------------------- */

static bool column_has_suffix(const char *name, const char *suffix)
{
    size_t a = strlen(name), b = strlen(suffix);

    return a > b && strcmp(name + a - b, suffix) == 0;
}

static bool values_print_alike(const abdb_value *a, const abdb_value *b)
{
    char x[32], y[32];

    return strcmp(abdb_value_text(a, x), abdb_value_text(b, y)) == 0;
}

static bool column_is_named_in_blank_separated_list(const abdb_table *t, const char *list,
                                                    size_t column)
{
    const char *name = t->column[column].name;

    return list && t->rows > 0 && abdb_list_has_word(list, ' ', name, strlen(name));
}

/* Is the column printed once above the table? Only a column of the report's list `hoist`, where all
 * rows agree. */
static bool column_is_hoisted_above_table(const abdb_table *t, size_t column)
{
    if (!column_is_named_in_blank_separated_list(t, t->hoist, column)) return false;
    for (size_t r = 1; r < t->rows; r++)
        if (!values_print_alike(&t->value[column], &t->value[r * t->columns + column]))
            return false;
    return true;
}

/* Is the column left out, as no row has a value? */
static bool column_is_omitted_because_empty(const abdb_table *t, size_t column)
{
    if (!column_is_named_in_blank_separated_list(t, t->bare, column)) return false;
    for (size_t r = 0; r < t->rows; r++)
        if (t->value[r * t->columns + column].kind != ABDB_NULL) return false;
    return true;
}

/* Is the column one of its own for people? */
bool abdb_column_is_printed_for_people(const abdb_table *t, size_t column)
{
    const char *name = t->column[column].name;

    return name[0] != '_' && !column_has_suffix(name, "__mark") &&
           !column_is_hoisted_above_table(t, column) && !column_is_omitted_because_empty(t, column);
}

const char *abdb_column_label_or_name(const abdb_table *t, size_t column)
{
    return t->column[column].label ? t->column[column].label : t->column[column].name;
}

bool abdb_column_holds_numbers_and_no_text(const abdb_table *t, size_t column)
{
    bool any = false;

    for (size_t r = 0; r < t->rows; r++) {
        abdb_kind kind = t->value[r * t->columns + column].kind;

        if (kind == ABDB_STRING) return false;
        any |= kind != ABDB_NULL;
    }
    return any;
}

/* Sanitizes a text and cuts it at the width of its style. */
static void sanitize_and_cut_text_cell(const char *text, const char *style,
                                       char out[ABDB_CELL_SIZE])
{
    size_t room = ABDB_CELL_SIZE;
    long long most; /* the mark of what was cut has room behind them */

    if (strncmp(style, "cut", 3) == 0 &&
        abdb_integer_parse_in_range(style + 3, ABDB_MARK_POINT, 0, ABDB_CELL_SIZE - 5, &most))
        room = (size_t)most + 1;
    if (!abdb_sanitize_into_buffer(text, out, room) && room < ABDB_CELL_SIZE)
        memcpy(out + strlen(out), "…", 4);
}

/* Formats a number with the significant digits of its style. */
static void format_real_by_style(double value, const char *style, char out[ABDB_CELL_SIZE])
{
    enum { DIGITS = 6, DIGITS_MOST = 17 };
    double size = fabs(value);
    long long said;
    int digits = style[0] == 'g' && abdb_integer_parse_in_range(style + 1, ABDB_MARK_POINT, 1,
                                                                DIGITS_MOST, &said)
                     ? (int)said
                     : DIGITS;
    int decimals;

    if (size >= 1e15 || (size < 1e-4 && size > 0)) {
        snprintf(out, ABDB_CELL_SIZE, "%.*g", digits, value);
        return;
    }
    /* Significant digits as decimals: 6 of 1234.5 are two. */
    decimals = size > 0 ? digits - 1 - (int)floor(log10(size)) : 0;
    snprintf(out, ABDB_CELL_SIZE, "%.*f", decimals > 0 ? decimals : 0, value);
    if (style[0] != 'g' && strchr(out, '.')) { /* no trailing zeros */
        char *end = out + strlen(out) - 1;

        while (*end == '0') *end-- = '\0';
        if (*end == '.') *end = '\0';
    }
}

/* A value for people: rounded, cut, with its mark. */
void abdb_format_cell_rounded_with_mark(const abdb_table *t, size_t row, size_t column,
                                        char out[ABDB_CELL_SIZE])
{
    const abdb_value *v = &t->value[row * t->columns + column];
    const char *style = t->column[column].style ? t->column[column].style : "";
    bool number = v->kind == ABDB_REAL || v->kind == ABDB_INTEGER;
    char mark[80], exact[32];
    int at;

    if (number && style[0] >= '0' && style[0] <= '9')
        snprintf(out, ABDB_CELL_SIZE, "%.*f", style[0] - '0',
                 v->kind == ABDB_REAL ? v->real : (double)v->integer);
    else if (v->kind == ABDB_REAL)
        format_real_by_style(v->real, style, out);
    else
        sanitize_and_cut_text_cell(abdb_value_text(v, exact), v->kind == ABDB_STRING ? style : "",
                                   out);
    snprintf(mark, sizeof mark, "%.60s__mark", t->column[column].name);
    at = abdb_table_column_index(t, mark);
    if (at >= 0 && t->value[row * t->columns + (size_t)at].kind == ABDB_STRING)
        (void)abdb_sanitize_into_buffer(t->value[row * t->columns + (size_t)at].text,
                                        out + strlen(out), ABDB_CELL_SIZE - strlen(out));
}

/* "round v6.0  division closed": the common values of all rows. */
void abdb_format_hoisted_columns_line(const abdb_table *t, char *out, size_t room)
{
    size_t used = 0;

    out[0] = '\0';
    for (size_t c = 0; c < t->columns; c++) {
        char cell[ABDB_CELL_SIZE];

        if (!column_is_hoisted_above_table(t, c)) continue;
        abdb_format_cell_rounded_with_mark(t, 0, c, cell);
        if (!cell[0] || used + strlen(cell) + 40 > room) continue;
        used += (size_t)snprintf(out + used, room - used, "%s%s %s", used ? "   " : "",
                                 abdb_column_label_or_name(t, c), cell);
    }
}

/* --- for people ------------------------------------------------------------------------------ */

void abdb_render_markdown_table(const abdb_table *t, FILE *out)
{
    char cell[ABDB_CELL_SIZE], line[2048];

    abdb_format_hoisted_columns_line(t, line, sizeof line);
    if (t->title) {
        fputs("**", out);
        abdb_write_markdown_escaped(out, t->title);
        fputs("**\n\n", out);
    }
    if (line[0]) {
        abdb_write_markdown_escaped(out, line);
        fputs("\n\n", out);
    }
    for (size_t c = 0; c < t->columns; c++) {
        if (!abdb_column_is_printed_for_people(t, c)) continue;
        fputs("| ", out);
        abdb_write_markdown_escaped(out, abdb_column_label_or_name(t, c));
        fputc(' ', out);
    }
    fputs("|\n", out);
    for (size_t c = 0; c < t->columns; c++)
        if (abdb_column_is_printed_for_people(t, c))
            abdb_print_sanitized(out, "|---%s",
                                 abdb_column_holds_numbers_and_no_text(t, c) ? ":" : "");
    fputs("|\n", out);
    for (size_t r = 0; r < t->rows; r++) {
        for (size_t c = 0; c < t->columns; c++) {
            if (!abdb_column_is_printed_for_people(t, c)) continue;
            abdb_format_cell_rounded_with_mark(t, r, c, cell);
            fputs("| ", out);
            abdb_write_markdown_escaped(out, cell);
            fputc(' ', out);
        }
        fputs("|\n", out);
    }
    if (t->notes) fputc('\n', out);
    for (size_t i = 0; i < t->notes; i++) {
        abdb_write_markdown_escaped(out, t->note[i]);
        fputs("  \n", out);
    }
}

void abdb_write_html_thead_open_tbody(FILE *out, const abdb_table *t)
{
    fputs("<thead><tr>", out);
    for (size_t c = 0; c < t->columns; c++) {
        if (!abdb_column_is_printed_for_people(t, c)) continue;
        abdb_print_sanitized(out, "<th scope=\"col\"%s>",
                             abdb_column_holds_numbers_and_no_text(t, c) ? " class=\"n\"" : "");
        abdb_write_html_escaped(out, abdb_column_label_or_name(t, c));
        fputs("</th>", out);
    }
    fputs("</tr></thead>\n<tbody>\n", out);
}

void abdb_render_html_document(const abdb_table *t, FILE *out)
{
    char cell[ABDB_CELL_SIZE], line[2048];
    bool right[ABDB_COLUMN_MAX];

    for (size_t c = 0; c < t->columns; c++) right[c] = abdb_column_holds_numbers_and_no_text(t, c);
    abdb_format_hoisted_columns_line(t, line, sizeof line);
    fputs("<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><title>", out);
    abdb_write_html_escaped(out, t->title ? t->title : "abdb");
    fputs("</title><style>body{font:16px/1.5 system-ui,sans-serif;margin:2rem;color-scheme:light "
          "dark}"
          "table{border-collapse:collapse}th,td{padding:.25rem .75rem;text-align:left;"
          "border-bottom:1px solid #8884}.n{text-align:right;font-variant-numeric:tabular-nums}"
          "</style></head><body>\n<table><caption>",
          out);
    abdb_write_html_escaped(out, t->title ? t->title : "");
    if (line[0]) {
        fputs("<br>", out);
        abdb_write_html_escaped(out, line);
    }
    fputs("</caption>\n", out);
    abdb_write_html_thead_open_tbody(out, t);
    for (size_t r = 0; r < t->rows; r++) {
        fputs("<tr>", out);
        for (size_t c = 0; c < t->columns; c++) {
            if (!abdb_column_is_printed_for_people(t, c)) continue;
            abdb_format_cell_rounded_with_mark(t, r, c, cell);
            abdb_print_sanitized(out, "<td%s>", right[c] ? " class=\"n\"" : "");
            abdb_write_html_escaped(out, cell);
            fputs("</td>", out);
        }
        fputs("</tr>\n", out);
    }
    fputs("</tbody></table>\n", out);
    for (size_t i = 0; i < t->notes; i++) {
        fputs("<p>", out);
        abdb_write_html_escaped(out, t->note[i]);
        fputs("</p>\n", out);
    }
    fputs("</body></html>\n", out);
}

void abdb_render_latex_table(const abdb_table *t, FILE *out)
{
    char cell[ABDB_CELL_SIZE], line[2048];
    size_t shown = 0;

    abdb_format_hoisted_columns_line(t, line, sizeof line);
    fputs("\\begin{table}\n\\begin{tabular}{", out);
    for (size_t c = 0; c < t->columns; c++)
        if (abdb_column_is_printed_for_people(t, c))
            abdb_print_sanitized(out, "%c",
                                 abdb_column_holds_numbers_and_no_text(t, c) ? 'r' : 'l');
    fputs("}\n\\hline\n", out);
    for (size_t c = 0; c < t->columns; c++) {
        if (!abdb_column_is_printed_for_people(t, c)) continue;
        if (shown++) fputs(" & ", out);
        abdb_write_latex_escaped(out, abdb_column_label_or_name(t, c));
    }
    fputs(" \\\\\n\\hline\n", out);
    for (size_t r = 0; r < t->rows; r++) {
        shown = 0;
        for (size_t c = 0; c < t->columns; c++) {
            if (!abdb_column_is_printed_for_people(t, c)) continue;
            abdb_format_cell_rounded_with_mark(t, r, c, cell);
            if (shown++) fputs(" & ", out);
            abdb_write_latex_escaped(out, cell);
        }
        fputs(" \\\\\n", out);
    }
    fputs("\\hline\n\\end{tabular}\n\\caption{", out);
    abdb_write_latex_escaped(out, t->title ? t->title : "");
    if (line[0]) {
        fputs(" --- ", out);
        abdb_write_latex_escaped(out, line);
    }
    for (size_t i = 0; i < t->notes; i++) {
        fputs(" \\\\ ", out);
        abdb_write_latex_escaped(out, t->note[i]);
    }
    fputs("}\n\\end{table}\n", out);
}

/* --- for programs ---------------------------------------------------------------------------- */

static bool column_is_printed_for_programs(const abdb_table *t, size_t column)
{
    return t->column[column].name[0] != '_';
}

/* In data a mark is a column of its own: X__mark is called X_mark. */
static void format_column_name_for_programs(const abdb_table *t, size_t column, char out[80])
{
    const char *name = t->column[column].name;

    snprintf(out, 80, "%.70s", name);
    if (column_has_suffix(name, "__mark"))
        snprintf(out, 80, "%.*s_mark", (int)(strlen(name) - 6), name);
}

/* Appends the names of the exported columns as a line of CSV. */
static void append_csv_header(const abdb_table *t, int style, abdb_text *line)
{
    char name[80];
    size_t shown = 0;

    for (size_t c = 0; c < t->columns; c++) {
        if (!column_is_printed_for_programs(t, c)) continue;
        format_column_name_for_programs(t, c, name);
        if (shown++) abdb_text_puts(line, ",");
        abdb_append_csv_field_quoted_if_needed(line, name, style);
    }
    abdb_text_puts(line, "\n");
}

/* Appends the exported cells of a row as a line of CSV. */
static void append_csv_row(const abdb_table *t, size_t row, int style, abdb_text *line)
{
    char number[32];
    size_t shown = 0;

    for (size_t c = 0; c < t->columns; c++) {
        const abdb_value *v = &t->value[row * t->columns + c];

        if (!column_is_printed_for_programs(t, c)) continue;
        if (shown++) abdb_text_puts(line, ",");
        abdb_append_csv_field_quoted_if_needed(line, abdb_value_text(v, number), style);
    }
    abdb_text_puts(line, "\n");
}

/* Writes the exported columns as CSV with a header. */
static void write_csv_header_and_rows(const abdb_table *t, int style, FILE *out)
{
    abdb_text line = {0};

    if (abdb_stream_is_terminal_or_paged(out)) style |= ABDB_CSV_PLAIN;
    append_csv_header(t, style, &line);
    abdb_write_sanitized_if_terminal(out, abdb_text_get(&line), line.size);
    for (size_t r = 0; r < t->rows; r++) {
        abdb_text_clear(&line);
        append_csv_row(t, r, style, &line);
        abdb_write_sanitized_if_terminal(out, abdb_text_get(&line), line.size);
    }
    abdb_text_free(&line);
}

void abdb_render_csv(const abdb_table *t, FILE *out)
{
    write_csv_header_and_rows(t, 0, out);
}

void abdb_render_csv_safe_from_formulas(const abdb_table *t, FILE *out)
{
    write_csv_header_and_rows(t, ABDB_CSV_SPREADSHEET, out);
}

/* Appends a row as a JSON object of its exported columns. */
static void append_row_as_json_object(const abdb_table *t, size_t row, abdb_text *text)
{
    char name[80], number[32];
    size_t shown = 0;

    abdb_text_puts(text, "{");
    for (size_t c = 0; c < t->columns; c++) {
        const abdb_value *v = &t->value[row * t->columns + c];

        if (!column_is_printed_for_programs(t, c)) continue;
        if (shown++) abdb_text_puts(text, ",");
        format_column_name_for_programs(t, c, name);
        abdb_text_append_json_string(text, name);
        abdb_text_puts(text, ":");
        if (v->kind == ABDB_NULL || (v->kind == ABDB_REAL && !isfinite(v->real)))
            abdb_text_puts(text, "null");
        else if (v->kind == ABDB_STRING)
            abdb_text_append_json_string(text, v->text);
        else
            abdb_text_puts(text, abdb_value_text(v, number));
    }
    abdb_text_puts(text, "}");
}

/* Writes the rows as JSON objects with that text between them. */
static void write_rows_as_json_objects(const abdb_table *t, FILE *out, const char *between)
{
    abdb_text text = {0};

    for (size_t r = 0; r < t->rows; r++) {
        abdb_text_clear(&text);
        if (r) abdb_text_puts(&text, between);
        append_row_as_json_object(t, r, &text);
        abdb_write_sanitized_if_terminal(out, abdb_text_get(&text), text.size);
    }
    abdb_text_free(&text);
}

void abdb_render_json_array(const abdb_table *t, FILE *out)
{
    fputc('[', out);
    write_rows_as_json_objects(t, out, ",\n ");
    fputs("]\n", out);
}

void abdb_render_json_lines(const abdb_table *t, FILE *out)
{
    write_rows_as_json_objects(t, out, "\n");
    if (t->rows) fputc('\n', out);
}
