/* index_page.c - the first page of a site: common questions, each with pictures, the command that
 * made each picture, and links to further pages; see site.h. */
#include "query/answer/escape.h"
#include "query/answer/output.h"
#include "query/answer/site/site.h"

/* Number of pictures at the head of a question; the others are in a list below. */
enum { PICTURES = 2 };

void abdb_write_html_figure_linked_to_page(FILE *out, const abdb_site_page *page)
{
    const char *name = page->plot.figure.name;

    abdb_print_sanitized(out, "<figure%s><a href=\"%s.html\">", abdb_site_figure_class(page),
                         page->name);
    abdb_write_html_phone_source(out, page);
    abdb_print_sanitized(out, "<img loading=\"lazy\" src=\"%s.svg\" alt=\"", name);
    abdb_write_html_escaped(out, page->title);
    abdb_print_sanitized(out, "\">%s</a>", page->phone ? "</picture>" : "");
    if (page->plot.report.question) {
        fputs("<figcaption>", out);
        abdb_write_html_escaped(out, page->plot.report.question);
        abdb_print_sanitized(out, " <code>abdb plot %s</code></figcaption>", name);
    }
    fputs("</figure>\n", out);
}

/* Figures that answer best come first. */
static size_t figure_order_on_index_page(const abdb_site_page *page)
{
    static const char *const first[] = {"choose",   "mlperf-llm", "price-performance", "peaks",
                                        "training", "roofline",   "peak-achieved",     "claims"};
    size_t i = 0;

    while (i < sizeof first / sizeof *first && strcmp(page->name, first[i]) != 0) i++;
    return page->drawn ? i : SIZE_MAX;
}

/* The best picture of a question behind the one with that rank and place; NULL: none. */
static const abdb_site_page *next_figure_of_group_in_index_order(const abdb_site *site,
                                                                 const char *group,
                                                                 const abdb_site_page *after)
{
    const abdb_site_page *best = NULL;

    for (size_t p = 0; p < site->pages; p++) {
        const abdb_site_page *page = &site->page[p];

        if (!page->drawn || strcmp(page->group, group) != 0) continue;
        if (after && (figure_order_on_index_page(page) < figure_order_on_index_page(after) ||
                      (figure_order_on_index_page(page) == figure_order_on_index_page(after) &&
                       page <= after)))
            continue;
        if (!best || figure_order_on_index_page(page) < figure_order_on_index_page(best))
            best = page;
    }
    return best;
}

/* Writes a page as an item of a list: its title, its question and the command that gives the same.
 */
static void write_page_link_as_list_item(FILE *out, const abdb_site_page *page)
{
    abdb_print_sanitized(out, "<li><a href=\"%s.html\">", page->name);
    abdb_write_html_escaped(out, page->title);
    fputs("</a> <span class=\"note\">", out);
    if (page->plot.report.question) {
        abdb_write_html_escaped(out, page->plot.report.question);
        fputs(" ", out);
    }
    abdb_print_sanitized(out, "<code>abdb %s %s</code></span></li>\n",
                         page->drawn ? "plot" : "query",
                         page->drawn ? page->plot.figure.name : page->plot.report.name);
}

/* Writes the section of a group of questions: its first figures as pictures, all of its pages as a
 * list. Writes no section where it has no page. */
static void write_question_section_if_it_has_pages(FILE *out, const abdb_site *site,
                                                   const char *group, bool has_measured_results)
{
    const abdb_site_page *shown[PICTURES] = {NULL},
                         *next = next_figure_of_group_in_index_order(site, group, NULL);
    size_t pictures = 0, entries = 0;

    for (; next && pictures < PICTURES;
         next = next_figure_of_group_in_index_order(site, group, next))
        shown[pictures++] = next;
    for (size_t p = 0; p < site->pages; p++) entries += strcmp(site->page[p].group, group) == 0;
    if (!entries) return;
    fputs("<h2>", out);
    abdb_write_html_escaped(out, group);
    fputs("</h2>\n", out);
    if (!has_measured_results && strcmp(group, ABDB_GROUP_MEASURED) == 0)
        fputs("<p>Nothing yet: all of this was published by others. <code>abdb run --plan quick"
              "</code> measures your machine; its results then stand beside these.</p>\n",
              out);
    if (pictures) fputs("<div class=\"figures\">\n", out);
    for (size_t i = 0; i < pictures; i++) abdb_write_html_figure_linked_to_page(out, shown[i]);
    if (pictures) fputs("</div>\n", out);
    if (entries > pictures)
        abdb_print_sanitized(out,
                             "<details><summary>%zu more answers</summary>\n<ul class=\"lists\">\n",
                             entries - pictures);
    for (size_t p = 0; p < site->pages; p++) {
        bool is_shown = false;

        for (size_t i = 0; i < pictures; i++) is_shown |= shown[i] == &site->page[p];
        if (strcmp(site->page[p].group, group) == 0 && !is_shown)
            write_page_link_as_list_item(out, &site->page[p]);
    }
    if (entries > pictures) fputs("</ul></details>\n", out);
}

static bool is_shipped_question_group(const char *group)
{
    for (size_t i = 0; abdb_report_groups[i]; i++)
        if (strcmp(abdb_report_groups[i], group) == 0) return true;
    return false;
}

/* Common questions, in the order of the report groups; then the headings of the user's reports. */
static void write_shipped_then_own_question_sections(FILE *out, const abdb_site *site,
                                                     bool has_measured_results)
{
    for (size_t i = 0; abdb_report_groups[i]; i++)
        write_question_section_if_it_has_pages(out, site, abdb_report_groups[i],
                                               has_measured_results);
    for (size_t i = 0; i < site->pages; i++) {
        bool seen = is_shipped_question_group(site->page[i].group);

        for (size_t p = 0; p < i; p++)
            seen |= strcmp(site->page[i].group, site->page[p].group) == 0;
        if (!seen)
            write_question_section_if_it_has_pages(out, site, site->page[i].group,
                                                   has_measured_results);
    }
}

static void write_try_link_or_why_not(FILE *out, const abdb_site_try *program)
{
    if (program->wasm && program->database)
        fputs(
            "<p class=\"lead\"><a href=\"try.html\">Try abdb here</a>: type a command; the program"
            " itself answers in this page, and nothing is sent anywhere.</p>\n",
            out);
    else if (program->wasm)
        abdb_print_sanitized(out,
                             "<p class=\"note\">abdb cannot be tried in a page here: its database"
                             " has %lld MB, and a page carries %d at most.</p>\n",
                             program->size >> 20, ABDB_TRY_MOST >> 20);
}

abdb_status abdb_site_write_index_page(const abdb_site *site, abdb_error *err)
{
    sqlite3_int64 measured = 0;
    abdb_status st = abdb_db_query_integer_or_0(
        site->db, "SELECT EXISTS (SELECT 1 FROM v_result WHERE evidence = 'measured')", &measured,
        err);
    abdb_page_buffer sheet;
    FILE *out;

    if (st != ABDB_OK) return st;
    out = abdb_page_buffer_open(&sheet);
    if (!out) return ABDB_FAIL(err, ABDB_NOMEM, "index.html");
    abdb_write_html_page_head_and_navigation(out, "Accelerator benchmarks", "index.html");
    fputs("<p>Results, specifications and prices of AI accelerators, each with its source. Every "
          "number is a link to the facts that it was made from. Values of different kinds of "
          "evidence (measured, published, MLPerf\u00ae) are never mixed. Below each picture stands "
          "the command that draws it.</p>\n",
          out);
    if (abdb_site_has_explore_data(site))
        fputs("<p class=\"lead\"><a href=\"explore.html\">Explore all results</a>: choose model, "
              "scenario, round and devices, type what an hour costs you, see who leads, ask why "
              "two may not be compared, and <a href=\"explore.html#per=rate\">what a wanted rate "
              "takes</a>.</p>\n",
              out);
    write_try_link_or_why_not(out, site->program);
    fputs("<p>What was added and withdrawn, by day and source: <a href=\"changes.atom\">Atom</a> "
          "and <a href=\"changes.json\">JSON</a> feed, or <code>abdb query changes</code>.</p>\n",
          out);
    write_shipped_then_own_question_sections(out, site, measured != 0);
    abdb_write_html_page_foot(out, site);
    return abdb_page_write_with_manifest_and_free_both(
        &sheet, site, "index.html", abdb_list_page_manifest(site, true, true, false), err);
}
