/* render.c - tables as text, markdown, CSV, JSON, HTML and LaTeX; see render.h.
 * Formats for people round as the columns' styles say; formats for programs are exact. */
#include "query/render.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "query/cli.h"

/* --- what is shown ------------------------------------------------------------------------------
 */

static bool has_suffix(const char *name, const char *suffix)
{
    size_t a = strlen(name), b = strlen(suffix);

    return a > b && strcmp(name + a - b, suffix) == 0;
}

static bool same_value(const abdb_value *a, const abdb_value *b)
{
    char x[32], y[32];

    return strcmp(abdb_value_text(a, x), abdb_value_text(b, y)) == 0;
}

static bool listed(const char *list, const char *name)
{
    size_t size = strlen(name);

    for (const char *at = list; at && (at = strstr(at, name)); at += size)
        if ((at == list || at[-1] == ' ') && (at[size] == ' ' || !at[size])) return true;
    return false;
}

static bool is_hoisted(const abdb_table *t, size_t column)
{
    if (!t->hoist || t->rows < 1 || !listed(t->hoist, t->column[column].name)) return false;
    for (size_t r = 1; r < t->rows; r++)
        if (!same_value(&t->value[column], &t->value[r * t->columns + column])) return false;
    return true;
}

/* Is the column one of its own for people? */
bool abdb_shown(const abdb_table *t, size_t column)
{
    const char *name = t->column[column].name;

    return name[0] != '_' && !has_suffix(name, "__mark") && !is_hoisted(t, column);
}

const char *abdb_label(const abdb_table *t, size_t column)
{
    return t->column[column].label ? t->column[column].label : t->column[column].name;
}

bool abdb_numeric(const abdb_table *t, size_t column)
{
    bool any = false;

    for (size_t r = 0; r < t->rows; r++) {
        abdb_kind kind = t->value[r * t->columns + column].kind;

        if (kind == ABDB_STRING) return false;
        any |= kind != ABDB_NULL;
    }
    return any;
}

/* A value for people: rounded, cut, with its mark. */
void abdb_show(const abdb_table *t, size_t row, size_t column, char out[ABDB_CELL_SIZE])
{
    const abdb_value *v = &t->value[row * t->columns + column];
    const char *style = t->column[column].style ? t->column[column].style : "";
    char mark[80], exact[32];
    int at;

    if (v->kind == ABDB_STRING && strncmp(style, "cut", 3) == 0) {
        size_t room = (size_t)atoi(style + 3), used = 0;

        while (v->text[used] && used < room) used++;
        while (used && (v->text[used] & 0xC0) == 0x80) used--;
        snprintf(out, ABDB_CELL_SIZE, "%.*s%s", (int)used, v->text, v->text[used] ? "…" : "");
    } else if ((v->kind == ABDB_REAL || v->kind == ABDB_INTEGER) && style[0] >= '0' &&
               style[0] <= '9') {
        snprintf(out, ABDB_CELL_SIZE, "%.*f", style[0] - '0',
                 v->kind == ABDB_REAL ? v->real : (double)v->integer);
    } else if (v->kind == ABDB_REAL) {
        double size = fabs(v->real);
        int digits = style[0] == 'g' ? atoi(style + 1) : 6;

        if (size >= 1e15 || (size < 1e-4 && size > 0))
            snprintf(out, ABDB_CELL_SIZE, "%.*g", digits, v->real);
        else {
            int decimals = size > 0 ? digits - 1 - (int)floor(log10(size)) : 0;

            snprintf(out, ABDB_CELL_SIZE, "%.*f", decimals > 0 ? decimals : 0, v->real);
            if (style[0] != 'g' && strchr(out, '.')) { /* no trailing zeros */
                char *end = out + strlen(out) - 1;

                while (*end == '0') *end-- = '\0';
                if (*end == '.') *end = '\0';
            }
        }
    } else {
        snprintf(out, ABDB_CELL_SIZE, "%s", abdb_value_text(v, exact));
    }
    snprintf(mark, sizeof mark, "%.60s__mark", t->column[column].name);
    at = abdb_table_column(t, mark);
    if (at >= 0 && t->value[row * t->columns + (size_t)at].kind == ABDB_STRING) {
        size_t used = strlen(out);

        snprintf(out + used, ABDB_CELL_SIZE - used, "%s",
                 t->value[row * t->columns + (size_t)at].text);
    }
    for (char *s = out; *s; s++)
        if ((unsigned char)*s < 0x20 || *s == 0x7f) *s = ' ';
}

/* "round v6.0  division closed": what all rows have in common. */
void abdb_hoisted(const abdb_table *t, char *out, size_t room)
{
    size_t used = 0;

    out[0] = '\0';
    for (size_t c = 0; c < t->columns; c++) {
        char cell[ABDB_CELL_SIZE];

        if (!is_hoisted(t, c)) continue;
        abdb_show(t, 0, c, cell);
        if (!cell[0] || used + strlen(cell) + 40 > room) continue;
        used += (size_t)snprintf(out + used, room - used, "%s%s %s", used ? "   " : "",
                                 abdb_label(t, c), cell);
    }
}

/* --- for people ----------------------------------------------------------------------------------
 */

static void pad(FILE *out, const char *text, int width, bool right, bool last)
{
    int left = width - abdb_width(text);

    if (right)
        fprintf(out, "%*s%s", left > 0 ? left : 0, "", text);
    else
        fprintf(out, "%s%*s", text, left > 0 && !last ? left : 0, "");
}

void abdb_render_table(const abdb_table *t, FILE *out)
{
    bool colour = abdb_colour(out);
    int width[ABDB_COLUMN_MAX] = {0};
    char cell[ABDB_CELL_SIZE], line[2048];
    size_t last = 0;

    for (size_t c = 0; c < t->columns; c++) {
        width[c] = abdb_width(abdb_label(t, c));
        if (abdb_shown(t, c)) last = c;
        for (size_t r = 0; r < t->rows && abdb_shown(t, c); r++) {
            abdb_show(t, r, c, cell);
            if (abdb_width(cell) > width[c]) width[c] = abdb_width(cell);
        }
    }
    abdb_hoisted(t, line, sizeof line);
    if (t->title)
        fprintf(out, "%s%s%s\n", colour ? "\033[1m" : "", t->title, colour ? "\033[0m" : "");
    if (line[0]) fprintf(out, "%s\n", line);
    if (t->title || line[0]) fputc('\n', out);
    for (size_t c = 0, shown = 0; c < t->columns; c++) {
        if (!abdb_shown(t, c)) continue;
        fprintf(out, "%s%s", shown++ ? "  " : "", colour ? "\033[2m" : "");
        pad(out, abdb_label(t, c), width[c], abdb_numeric(t, c), c == last);
        if (colour) fputs("\033[0m", out);
    }
    fputc('\n', out);
    for (size_t r = 0; r < t->rows; r++) {
        for (size_t c = 0, shown = 0; c < t->columns; c++) {
            if (!abdb_shown(t, c)) continue;
            abdb_show(t, r, c, cell);
            if (shown++) fputs("  ", out);
            pad(out, cell, width[c], abdb_numeric(t, c), c == last);
        }
        fputc('\n', out);
    }
    if (t->notes) fputc('\n', out);
    for (size_t i = 0; i < t->notes; i++) fprintf(out, "%s\n", t->note[i]);
}

static void markdown_text(FILE *out, const char *text)
{
    for (; *text; text++) {
        if (strchr("|\\`*_<>[]#", *text)) fputc('\\', out);
        fputc(*text == '\n' || *text == '\r' ? ' ' : *text, out);
    }
}

void abdb_render_markdown(const abdb_table *t, FILE *out)
{
    char cell[ABDB_CELL_SIZE], line[2048];

    abdb_hoisted(t, line, sizeof line);
    if (t->title) {
        fputs("**", out);
        markdown_text(out, t->title);
        fputs("**\n\n", out);
    }
    if (line[0]) {
        markdown_text(out, line);
        fputs("\n\n", out);
    }
    for (size_t c = 0; c < t->columns; c++) {
        if (!abdb_shown(t, c)) continue;
        fputs("| ", out);
        markdown_text(out, abdb_label(t, c));
        fputc(' ', out);
    }
    fputs("|\n", out);
    for (size_t c = 0; c < t->columns; c++)
        if (abdb_shown(t, c)) fputs(abdb_numeric(t, c) ? "|---:" : "|---", out);
    fputs("|\n", out);
    for (size_t r = 0; r < t->rows; r++) {
        for (size_t c = 0; c < t->columns; c++) {
            if (!abdb_shown(t, c)) continue;
            abdb_show(t, r, c, cell);
            fputs("| ", out);
            markdown_text(out, cell);
            fputc(' ', out);
        }
        fputs("|\n", out);
    }
    if (t->notes) fputc('\n', out);
    for (size_t i = 0; i < t->notes; i++) {
        markdown_text(out, t->note[i]);
        fputs("  \n", out);
    }
}

void abdb_html_text(FILE *out, const char *text)
{
    for (; *text; text++) {
        if (*text == '<')
            fputs("&lt;", out);
        else if (*text == '>')
            fputs("&gt;", out);
        else if (*text == '&')
            fputs("&amp;", out);
        else if (*text == '"')
            fputs("&quot;", out);
        else if (*text == '\'')
            fputs("&#39;", out);
        else
            fputc(*text, out);
    }
}

void abdb_html_heads(FILE *out, const abdb_table *t)
{
    fputs("<thead><tr>", out);
    for (size_t c = 0; c < t->columns; c++) {
        if (!abdb_shown(t, c)) continue;
        fprintf(out, "<th scope=\"col\"%s>", abdb_numeric(t, c) ? " class=\"n\"" : "");
        abdb_html_text(out, abdb_label(t, c));
        fputs("</th>", out);
    }
    fputs("</tr></thead>\n<tbody>\n", out);
}

void abdb_render_html(const abdb_table *t, FILE *out)
{
    char cell[ABDB_CELL_SIZE], line[2048];

    abdb_hoisted(t, line, sizeof line);
    fputs("<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><title>", out);
    abdb_html_text(out, t->title ? t->title : "abdb");
    fputs("</title><style>body{font:16px/1.5 system-ui,sans-serif;margin:2rem;color-scheme:light "
          "dark}"
          "table{border-collapse:collapse}th,td{padding:.25rem .75rem;text-align:left;"
          "border-bottom:1px solid #8884}.n{text-align:right;font-variant-numeric:tabular-nums}"
          "</style></head><body>\n<table><caption>",
          out);
    abdb_html_text(out, t->title ? t->title : "");
    if (line[0]) {
        fputs("<br>", out);
        abdb_html_text(out, line);
    }
    fputs("</caption>\n", out);
    abdb_html_heads(out, t);
    for (size_t r = 0; r < t->rows; r++) {
        fputs("<tr>", out);
        for (size_t c = 0; c < t->columns; c++) {
            if (!abdb_shown(t, c)) continue;
            abdb_show(t, r, c, cell);
            fprintf(out, "<td%s>", abdb_numeric(t, c) ? " class=\"n\"" : "");
            abdb_html_text(out, cell);
            fputs("</td>", out);
        }
        fputs("</tr>\n", out);
    }
    fputs("</tbody></table>\n", out);
    for (size_t i = 0; i < t->notes; i++) {
        fputs("<p>", out);
        abdb_html_text(out, t->note[i]);
        fputs("</p>\n", out);
    }
    fputs("</body></html>\n", out);
}

void abdb_latex_text(FILE *out, const char *text)
{
    for (; *text; text++) {
        switch (*text) {
        case '\\': fputs("\\textbackslash{}", out); break;
        case '~': fputs("\\textasciitilde{}", out); break;
        case '^': fputs("\\textasciicircum{}", out); break;
        case '&':
        case '%':
        case '$':
        case '#':
        case '_':
        case '{':
        case '}':
            fputc('\\', out);
            fputc(*text, out);
            break;
        case '\n':
        case '\r': fputc(' ', out); break;
        default: fputc(*text, out);
        }
    }
}

void abdb_render_latex(const abdb_table *t, FILE *out)
{
    char cell[ABDB_CELL_SIZE], line[2048];
    size_t shown = 0;

    abdb_hoisted(t, line, sizeof line);
    fputs("\\begin{table}\n\\begin{tabular}{", out);
    for (size_t c = 0; c < t->columns; c++)
        if (abdb_shown(t, c)) fputc(abdb_numeric(t, c) ? 'r' : 'l', out);
    fputs("}\n\\hline\n", out);
    for (size_t c = 0; c < t->columns; c++) {
        if (!abdb_shown(t, c)) continue;
        if (shown++) fputs(" & ", out);
        abdb_latex_text(out, abdb_label(t, c));
    }
    fputs(" \\\\\n\\hline\n", out);
    for (size_t r = 0; r < t->rows; r++) {
        shown = 0;
        for (size_t c = 0; c < t->columns; c++) {
            if (!abdb_shown(t, c)) continue;
            abdb_show(t, r, c, cell);
            if (shown++) fputs(" & ", out);
            abdb_latex_text(out, cell);
        }
        fputs(" \\\\\n", out);
    }
    fputs("\\hline\n\\end{tabular}\n\\caption{", out);
    abdb_latex_text(out, t->title ? t->title : "");
    if (line[0]) {
        fputs(" --- ", out);
        abdb_latex_text(out, line);
    }
    for (size_t i = 0; i < t->notes; i++) {
        fputs(" \\\\ ", out);
        abdb_latex_text(out, t->note[i]);
    }
    fputs("}\n\\end{table}\n", out);
}

/* --- for programs --------------------------------------------------------------------------------
 */

static bool in_data(const abdb_table *t, size_t column)
{
    return t->column[column].name[0] != '_';
}

/* "of__mark" is called "of_mark" where it is a column. */
static void data_name(const abdb_table *t, size_t column, char out[80])
{
    const char *name = t->column[column].name;

    snprintf(out, 80, "%.70s", name);
    if (has_suffix(name, "__mark")) snprintf(out, 80, "%.*s_mark", (int)(strlen(name) - 6), name);
}

static void csv_text(FILE *out, const char *text)
{
    if (!strpbrk(text, ",\"\r\n") && text[0] != ' ') {
        fputs(text, out);
        return;
    }
    fputc('"', out);
    for (; *text; text++) {
        if (*text == '"') fputc('"', out);
        fputc(*text, out);
    }
    fputc('"', out);
}

void abdb_render_csv(const abdb_table *t, FILE *out)
{
    char name[80], number[32];
    size_t shown = 0;

    for (size_t c = 0; c < t->columns; c++) {
        if (!in_data(t, c)) continue;
        data_name(t, c, name);
        if (shown++) fputc(',', out);
        csv_text(out, name);
    }
    fputc('\n', out);
    for (size_t r = 0; r < t->rows; r++) {
        shown = 0;
        for (size_t c = 0; c < t->columns; c++) {
            if (!in_data(t, c)) continue;
            if (shown++) fputc(',', out);
            csv_text(out, abdb_value_text(&t->value[r * t->columns + c], number));
        }
        fputc('\n', out);
    }
}

static void json_row(const abdb_table *t, size_t row, abdb_text *text)
{
    char name[80], number[32];
    size_t shown = 0;

    abdb_text_clear(text);
    abdb_text_puts(text, "{");
    for (size_t c = 0; c < t->columns; c++) {
        const abdb_value *v = &t->value[row * t->columns + c];

        if (!in_data(t, c)) continue;
        if (shown++) abdb_text_puts(text, ",");
        data_name(t, c, name);
        abdb_text_json(text, name);
        abdb_text_puts(text, ":");
        if (v->kind == ABDB_NULL || (v->kind == ABDB_REAL && !isfinite(v->real)))
            abdb_text_puts(text, "null");
        else if (v->kind == ABDB_STRING)
            abdb_text_json(text, v->text);
        else
            abdb_text_puts(text, abdb_value_text(v, number));
    }
    abdb_text_puts(text, "}");
}

static void json_rows(const abdb_table *t, FILE *out, const char *between)
{
    abdb_text text = {0};

    for (size_t r = 0; r < t->rows; r++) {
        json_row(t, r, &text);
        fprintf(out, "%s%s", r ? between : "", abdb_text_get(&text));
    }
    abdb_text_free(&text);
}

void abdb_render_json(const abdb_table *t, FILE *out)
{
    fputc('[', out);
    json_rows(t, out, ",\n ");
    fputs("]\n", out);
}

void abdb_render_jsonl(const abdb_table *t, FILE *out)
{
    json_rows(t, out, "\n");
    if (t->rows) fputc('\n', out);
}
