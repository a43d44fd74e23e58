/* page_html.c - one page of a site: picture, table, where its numbers come from; see site.h. */

#include "query/answer/escape.h"
#include "query/answer/explain.h"
#include "query/answer/render.h"
#include "query/answer/output.h"
#include "query/answer/site/site.h"
#include "schema/core/fixed_text.h"
#include "schema/core/version.h"

/* Columns of text from which a cell may wrap (class w). */
enum { WIDE = 36 };

FILE *abdb_site_open_output_file(abdb_outfile *made, const abdb_site *site, const char *file,
                                 abdb_error *err)
{
    char path[4096];

    if (!abdb_format_if_fits(path, sizeof path, "%s/%s", site->folder, file)) {
        (void)!ABDB_FAIL(err, ABDB_IO, "too long a path: %s/%s", site->folder, file);
        return NULL;
    }
    return abdb_outfile_open_refusing_protected(made, path, err) == ABDB_OK ? made->file : NULL;
}

void abdb_write_html_page_head_and_navigation(FILE *out, const char *title,
                                              const char *current_file)
{
    static const char *const links[][2] = {{"index.html", "Overview"},
                                           {"explore.html", "Explore"},
                                           {"figures.html", "Figures"},
                                           {"sources.html", "Sources"}};

    fputs("<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">"
          "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
          /* file: is needed as some browsers do not apply 'self' to pages of a folder */
          "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; ",
          out);
    if (strcmp(current_file, "try.html") == 0)
        fputs("script-src 'self' file: 'wasm-unsafe-eval'; worker-src blob:; ", out);
    else
        fputs("script-src 'self' file:; ", out);
    fputs("style-src 'self' file:; img-src 'self' file: data: blob:; "
          "base-uri 'none'; form-action 'none'\">\n<title>",
          out);
    abdb_write_html_escaped(out, title);
    fputs(
        "</title><link rel=\"stylesheet\" href=\"site.css\"><script defer src=\"site.js\"></script>"
        "<link rel=\"icon\" href=\"data:,\"><link rel=\"alternate\" type=\"application/atom+xml\" "
        "title=\"Changes\" href=\"changes.atom\"></head>\n<body>"
        "<a class=\"skip\" href=\"#main\">Skip to the content</a>\n"
        "<header><nav aria-label=\"Pages\">",
        out);
    for (size_t i = 0; i < sizeof links / sizeof *links; i++)
        abdb_print_sanitized(out, "<a href=\"%s\"%s>%s</a>\n", links[i][0],
                             strcmp(links[i][0], current_file) == 0 ? " aria-current=\"page\"" : "",
                             links[i][1]);
    fputs("</nav></header>\n<main id=\"main\"><h1>", out);
    abdb_write_html_escaped(out, title);
    fputs("</h1>\n", out);
}

void abdb_write_html_page_foot(FILE *out, const abdb_site *site)
{
    fputs("</main>\n<footer><p>Made from ", out);
    abdb_write_html_escaped(out, site->origin);
    fputs(
        " by abdb " ABDB_VERSION ", the accelerator benchmark database. A number leads to the "
        "facts behind it, a fact to its "
        "source. The MLPerf name and logo are registered and unregistered trademarks of MLCommons "
        "Association in the United States and other countries. All rights reserved. Unauthorized "
        "use strictly prohibited. See www.mlcommons.org for more information.</p></footer></body>"
        "</html>\n",
        out);
}

/* How many facts the keys name, and the row of the first that is known; 0 where none is. */
static size_t count_facts_find_first_known_row(const abdb_fact_index *facts, const char *keys,
                                               size_t *first_known_row)
{
    size_t count = 0;

    *first_known_row = SIZE_MAX;
    while (keys && *(keys += strspn(keys, " "))) {
        size_t size = strcspn(keys, " ");

        if (*first_known_row == SIZE_MAX)
            *first_known_row = abdb_fact_index_find_row_by_key(facts, keys, size);
        count++;
        keys += size;
    }
    return *first_known_row == SIZE_MAX ? 0 : count;
}

/* A number is a link: to its fact, or to the list of facts of its row. */
static void write_cell_linked_to_facts(FILE *out, const abdb_site *site, const abdb_table *t,
                                       size_t row, size_t column, bool numeric)
{
    const abdb_value *v = &t->value[row * t->columns + column];
    char cell[ABDB_CELL_SIZE], digits[32];
    size_t first, count = 0;

    abdb_format_cell_rounded_with_mark(t, row, column, cell);
    if (numeric && v->kind != ABDB_NULL) {
        const char *exact = abdb_value_text(v, digits);

        count = count_facts_find_first_known_row(
            &site->facts, abdb_fact_keys_of_cell_or_its_row(t, row, column), &first);
        if (abdb_double_parse_prefix_or(exact, 0) ==
            abdb_double_parse_prefix_or(cell, 0)) /* the number that the script reads */
            fputs("<td>", out);
        else
            abdb_print_sanitized(out, "<td data-v=\"%s\">", exact);
    } else
        abdb_print_sanitized(out, "<td%s>",
                             !numeric && abdb_display_width(cell) > WIDE ? " class=\"w\"" : "");
    if (count == 1) {
        fputs("<a href=\"", out);
        abdb_write_url_of_fact_on_source_page(&site->facts, first, out);
        fputs("\">", out);
    } else if (count)
        abdb_print_sanitized(out, "<a href=\"#d%zu\">", row + 1);
    abdb_write_html_escaped(out, cell);
    if (count) fputs("</a>", out);
}

/* Begins a table whose class names list its columns of numbers ("n3"): one word per column. */
static void write_table_open_with_head(FILE *out, const abdb_table *t)
{
    size_t place = 0;

    fputs(
        "<div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"Table\"><table class=\"",
        out);
    for (size_t c = 0; c < t->columns; c++)
        if (abdb_column_is_printed_for_people(t, c) &&
            (place++, abdb_column_holds_numbers_and_no_text(t, c)))
            abdb_print_sanitized(out, " n%zu", place);
    fputs("\">\n", out);
    abdb_write_html_thead_open_tbody(out, t);
}

/* Writes the table of a page; each value links to its facts. */
static void write_table_with_fact_links(FILE *out, const abdb_site *site,
                                        const abdb_site_page *page)
{
    abdb_table shown = page->plot.table; /* warnings are notes below it, not a cell in each row */
    const abdb_table *t = &shown;
    int warnings = abdb_table_column_index(t, "warnings");
    char line[2048];

    if (warnings >= 0) shown.column[warnings].name = "_warnings";
    abdb_format_hoisted_columns_line(t, line, sizeof line);
    if (line[0]) {
        fputs("<p class=\"note\">", out);
        abdb_write_html_escaped(out, line);
        fputs("</p>\n", out);
    }
    write_table_open_with_head(out, t);
    for (size_t r = 0; r < t->rows; r++) { /* HTML wants no end of cells and rows */
        fputs("<tr>", out);
        for (size_t c = 0; c < t->columns; c++)
            if (abdb_column_is_printed_for_people(t, c))
                write_cell_linked_to_facts(out, site, t, r, c,
                                           abdb_column_holds_numbers_and_no_text(t, c));
        fputs("\n", out);
    }
    fputs("</tbody></table></div>\n", out);
}

/* The name of a row: its first text, or its number. */
static void write_row_name_first_text_or_number(FILE *out, const abdb_table *t, size_t row_index)
{
    char cell[ABDB_CELL_SIZE];

    for (size_t c = 0; c < t->columns; c++)
        if (abdb_column_is_printed_for_people(t, c) &&
            t->value[row_index * t->columns + c].kind == ABDB_STRING) {
            abdb_format_cell_rounded_with_mark(t, row_index, c, cell);
            abdb_write_html_escaped(out, cell);
            return;
        }
    abdb_print_sanitized(out, "row %zu", row_index + 1);
}

/* Writes a fact as printed, with a link to it, and its source. */
static void write_fact_link_and_source(FILE *out, const abdb_fact_index *facts, size_t row)
{
    const char *printed = abdb_fact_cell_text_or_empty(facts, row, "raw_value");
    bool is_printed = *printed != '\0';

    fputs("<a href=\"", out);
    abdb_write_url_of_fact_on_source_page(facts, row, out);
    fputs("\">", out);
    abdb_write_html_escaped(
        out, abdb_fact_cell_text_or_empty(facts, row, is_printed ? "raw_value" : "value"));
    fputc(' ', out);
    abdb_write_html_escaped(
        out, abdb_fact_cell_text_or_empty(facts, row, is_printed ? "raw_unit" : "unit"));
    fputs("</a> ", out);
    abdb_write_html_escaped(out, abdb_fact_cell_text_or_empty(facts, row, "source"));
}

/* Rows whose numbers were made from several facts: which. */
static void write_facts_of_rows_made_from_several(FILE *out, const abdb_site *site,
                                                  const abdb_table *t)
{
    bool begun = false;

    for (size_t r = 0; r < t->rows; r++) {
        const char *keys = NULL;
        size_t first, count = 0, shown = 0;

        for (size_t c = 0; c < t->columns; c++) {
            const char *some = abdb_column_is_printed_for_people(t, c) &&
                                       t->value[r * t->columns + c].kind != ABDB_STRING
                                   ? abdb_fact_keys_of_cell_or_its_row(t, r, c)
                                   : NULL;
            size_t found = count_facts_find_first_known_row(&site->facts, some, &first);

            if (found > count) {
                count = found;
                keys = some;
            }
        }
        if (count < 2) continue;
        if (!begun) fputs("<h2>Facts behind each row</h2><ul class=\"how\">\n", out);
        begun = true;
        abdb_print_sanitized(out, "<li id=\"d%zu\">", r + 1);
        write_row_name_first_text_or_number(out, t, r);
        fputs(": ", out);
        for (; *(keys += strspn(keys, " ")) && shown < ABDB_SITE_FACTS;
             keys += strcspn(keys, " ")) {
            size_t row = abdb_fact_index_find_row_by_key(&site->facts, keys, strcspn(keys, " "));

            if (row == SIZE_MAX) continue;
            if (shown++) fputs(", ", out);
            write_fact_link_and_source(out, &site->facts, row);
        }
        if (count > shown) abdb_print_sanitized(out, " and %zu more", count - shown);
        fputs("</li>\n", out);
    }
    if (begun) fputs("</ul>\n", out);
}

/* The meanings of the columns, with the formulas of computed ones. */
static void write_column_meanings(FILE *out, const abdb_site_page *page)
{
    const abdb_report *report = &page->plot.report;

    fputs("<details><summary>Columns and formulas</summary><dl class=\"how\">\n", out);
    for (size_t i = 0; i < report->columns; i++) {
        const char *meaning = report->column[i].meaning;

        if (!meaning || !*meaning) continue;
        fputs("<dt>", out);
        abdb_write_html_escaped(out, report->column[i].label && *report->column[i].label
                                         ? report->column[i].label
                                         : report->column[i].name);
        fputs("</dt><dd>", out);
        abdb_write_html_escaped(out, meaning);
        fputs("</dd>\n", out);
    }
    fputs("</dl></details>\n", out);
}

const char *abdb_site_figure_class(const abdb_site_page *page)
{
    return page->phone ? " class=\"fits\"" : "";
}

void abdb_write_html_phone_source(FILE *out, const abdb_site_page *page)
{
    if (page->phone)
        abdb_print_sanitized(out,
                             "<picture><source media=\"(max-width: 600px)\""
                             " srcset=\"%s-phone.svg\">",
                             page->plot.figure.name);
}

void abdb_write_html_page_body(FILE *out, const abdb_site *site, const abdb_site_page *page)
{
    if (page->drawn) {
        const char *name = page->plot.figure.name;

        abdb_print_sanitized(out, "<figure%s><a href=\"%s.svg\">", abdb_site_figure_class(page),
                             name);
        abdb_write_html_phone_source(out, page);
        abdb_print_sanitized(out, "<img src=\"%s.svg\" alt=\"", name);
        abdb_write_html_escaped(out, page->title);
        abdb_print_sanitized(out, ": drawn from the table below\">%s</a></figure>\n",
                             page->phone ? "</picture>" : "");
    }
    if (page->plot.report.explore && abdb_site_has_explore_data(site)) {
        fputs("<p><a href=\"explore.html#", out);
        abdb_write_html_escaped(out, page->plot.report.explore);
        fputs("\">Choose and price it yourself</a></p>\n", out);
    }
    write_table_with_fact_links(out, site, page);
    for (size_t i = 0; i < page->plot.table.notes; i++) {
        fputs("<p class=\"note\">", out);
        abdb_write_html_escaped(out, page->plot.table.note[i]);
        fputs("</p>\n", out);
    }
    write_facts_of_rows_made_from_several(out, site, &page->plot.table);
    write_column_meanings(out, page);
    abdb_print_sanitized(out, "<p class=\"note\"><code>abdb %s %s</code></p>\n",
                         page->drawn ? "plot" : "query",
                         page->drawn ? page->plot.figure.name : page->plot.report.name);
}
