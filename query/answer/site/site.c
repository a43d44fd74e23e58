/* site.c - which pages a site has, and writing them: one for each figure that has rows, one for
 * each report that no figure draws, one for each source of their facts, and three lists of these.
 * See site.h. */
#include "query/answer/site/site.h"
#include "query/answer/mlperf_footnotes.h"

#include <stdlib.h>

#include "query/answer/deadline.h"
#include "query/answer/escape.h"
#include "query/answer/explain.h"
#include "query/answer/render.h"
#include "query/answer/output.h"
#include "schema/core/outfolder.h"
#include "schema/core/array.h"
#include "schema/core/outfile.h"

enum { NAMES_MAX = 256 };

/* Room for one more page, zeroed; site->pages does not count it yet. NULL: no memory. */
static abdb_site_page *reserve_next_page_zeroed(abdb_site *site, abdb_error *err)
{
    abdb_site_page *more =
        abdb_array_reserve_one(site->page, site->pages, &site->capacity, sizeof *more);

    if (!more) {
        (void)ABDB_FAIL(err, ABDB_NOMEM, "the pages of the site");
        return NULL;
    }
    site->page = more;
    memset(&site->page[site->pages], 0, sizeof *site->page);
    return &site->page[site->pages];
}

/* --- which pages ------------------------------------------------------------------------------ */

/* Would the page of a figure of that name take the place of one of the site's own? */
static bool figure_name_collides_with_site_page(const char *name)
{
    static const char *const own[] = {"index", "explore", "figures", "sources", "try", NULL};

    return abdb_text_is_in_list(name, own) || strncmp(name, "source-", 7) == 0 ||
           strncmp(name, "report-", 7) == 0;
}

/* The question that a report helps to answer; of one's own that names none, its heading. */
static const char *report_group_or_heading(const abdb_report *report)
{
    return report->group ? report->group : report->site;
}

/* Is it a fault of one figure or report, which is left out? Of memory, the disk or the database it
 * is the site's. */
static bool failure_concerns_one_page_only(abdb_status st)
{
    return st != ABDB_NOMEM && st != ABDB_IO && st != ABDB_DB && st != ABDB_BUSY;
}

/* The page of a figure, where it has something to draw. */
static abdb_status add_figure_page_if_drawable(abdb_site *site, const char *name, abdb_error *err)
{
    abdb_site_page *page = reserve_next_page_zeroed(site, err);
    abdb_status st;

    if (!page) return ABDB_NOMEM;
    if (figure_name_collides_with_site_page(name)) {
        abdb_print_stderr_remark(
            "left out: figure %s: the site has a page of that name; give it another", name);
        return ABDB_OK;
    }
    st = abdb_plot_load(&page->plot, name, err);
    if (st == ABDB_OK && page->plot.report.site)
        st = abdb_plot_run_report_and_build_script(&page->plot, site->db, NULL, NULL, err);
    if (st == ABDB_OK && page->plot.report.site) {
        snprintf(page->name, sizeof page->name, "%s", name);
        page->group = report_group_or_heading(&page->plot.report);
        page->title = page->plot.table.title ? page->plot.table.title : name;
        page->drawn = true;
        site->pages++;
        return ABDB_OK;
    }
    if (abdb_deadline_has_passed()) return abdb_deadline_fail_with_time_out(err);
    abdb_plot_free(&page->plot);
    if (!failure_concerns_one_page_only(st)) return st;
    if (st != ABDB_OK && st != ABDB_DATA)
        abdb_print_stderr_remark("left out: figure %s: %s", name, err->message);
    return ABDB_OK;
}

/* Does a figure draw the report as it is, without options of its own? */
static bool figure_page_draws_report_without_options(const abdb_site *site, const char *report)
{
    for (size_t i = 0; i < site->pages; i++)
        if (site->page[i].drawn && !site->page[i].plot.figure.with &&
            strcmp(site->page[i].plot.figure.report, report) == 0)
            return true;
    return false;
}

/* Adds the page of a report if its header has `site` and it has rows. */
static abdb_status add_report_page_if_it_has_rows(abdb_site *site, const char *name,
                                                  abdb_error *err)
{
    abdb_site_page *page = reserve_next_page_zeroed(site, err);
    abdb_status st;

    if (!page) return ABDB_NOMEM;
    st = abdb_report_load(&page->plot.report, name, err);
    if (st == ABDB_OK && page->plot.report.site)
        st = abdb_plot_run_report(&page->plot, site->db, NULL, err);
    if (st == ABDB_OK && page->plot.report.site && page->plot.table.rows) {
        snprintf(page->name, sizeof page->name, "report-%s", name);
        page->group = report_group_or_heading(&page->plot.report);
        page->title = page->plot.table.title ? page->plot.table.title : name;
        site->pages++;
        return ABDB_OK;
    }
    if (abdb_deadline_has_passed()) return abdb_deadline_fail_with_time_out(err);
    abdb_plot_free(&page->plot);
    if (!failure_concerns_one_page_only(st)) return st;
    if (st != ABDB_OK) abdb_print_stderr_remark("left out: report %s: %s", name, err->message);
    return ABDB_OK;
}

/* Adds a page for each figure and report, with a progress bar. */
static abdb_status add_all_figure_and_report_pages(abdb_site *site, abdb_error *err)
{
    const char *figures[NAMES_MAX], *reports[NAMES_MAX];
    size_t drawn = abdb_list_own_and_shipped_figure_names(figures, NAMES_MAX, &site->arena),
           told = abdb_list_own_and_shipped_report_names(reports, NAMES_MAX, &site->arena);
    abdb_status st = ABDB_OK;

    for (size_t i = 0; i < drawn; i++) {
        abdb_show_or_clear_progress_bar(figures[i], (double)i, (double)(drawn + told));
        TRY(add_figure_page_if_drawable(site, figures[i], err));
    }
    for (size_t i = 0; i < told; i++) {
        abdb_show_or_clear_progress_bar(reports[i], (double)(drawn + i), (double)(drawn + told));
        if (strcmp(reports[i], "sources") != 0 &&
            !figure_page_draws_report_without_options(site, reports[i]))
            TRY(add_report_page_if_it_has_rows(site, reports[i], err));
    }
done:
    abdb_show_or_clear_progress_bar("", -1, 0);
    return st;
}

/* The facts of all numbers of all pages. */
static abdb_status load_fact_index_of_all_pages(abdb_site *site, abdb_error *err)
{
    abdb_text keys = {0};
    abdb_status st = ABDB_OK;

    for (size_t i = 0; i < site->pages; i++)
        abdb_append_fact_keys_of_table(&site->page[i].plot.table, ABDB_SITE_FACTS, &keys);
    abdb_text_printf(&keys, " %s", abdb_site_explore_fact_keys(site));
    if (keys.failed) TRY(ABDB_FAIL(err, ABDB_NOMEM, "the facts of the site"));
    TRY(abdb_fact_index_load_and_sort(&site->facts, site->db, abdb_text_get(&keys), err));
done:
    abdb_text_free(&keys);
    return st;
}

/* --- writing ---------------------------------------------------------------------------------- */

/* Draws the figure of a page once more, for phones. One whose names need more width has none. */
static abdb_status draw_phone_figure_if_it_fits(const abdb_site *site, abdb_site_page *page,
                                                abdb_error *err)
{
    char path[4096];
    abdb_status st;

    snprintf(path, sizeof path, "%s/%s-phone.svg", site->folder, page->plot.figure.name);
    st = abdb_plot_draw_same_rows_at_size(&page->plot, site->db, "phone", ABDB_SVG, ABDB_ADAPTIVE,
                                          path, err);
    page->phone = st == ABDB_OK;
    return st == ABDB_USAGE || st == ABDB_FORMAT ? ABDB_OK : st;
}

/* Writes a page, its rows as data and, if it has one, its picture. */
static abdb_status write_page_and_its_figure_svg(const abdb_site *site, abdb_site_page *page,
                                                 abdb_error *err)
{
    char file[300], path[4096];
    abdb_page_buffer sheet;
    json_t *files;
    FILE *out;
    abdb_status st = ABDB_OK;

    if (page->drawn) {
        snprintf(path, sizeof path, "%s/%s.svg", site->folder, page->plot.figure.name);
        st = abdb_plot_draw_with_provenance(&page->plot, ABDB_SVG, ABDB_ADAPTIVE, path, err);
        if (st == ABDB_FORMAT) { /* a figure of one's own that draws otherwise on dark ground */
            abdb_print_stderr_remark("figure %s is light on dark pages too: %s",
                                     page->plot.figure.name, err->message);
            st = abdb_plot_draw_with_provenance(&page->plot, ABDB_SVG, ABDB_LIGHT, path, err);
        }
        if (st == ABDB_OK) st = draw_phone_figure_if_it_fits(site, page, err);
        if (st != ABDB_OK) return st;
    }
    snprintf(file, sizeof file, "%s.html", page->name);
    files = json_object();
    st = abdb_site_write_page_data(site, page, files, err);
    out = st == ABDB_OK ? abdb_page_buffer_open(&sheet) : NULL;
    if (!out) {
        json_decref(files);
        return st == ABDB_OK ? ABDB_FAIL(err, ABDB_NOMEM, "%s", file) : st;
    }
    abdb_write_html_page_head_and_navigation(out, page->title, file);
    abdb_write_page_sharing(out, page);
    abdb_write_html_page_body(out, site, page);
    abdb_write_html_page_foot(out, site);
    return abdb_page_write_with_manifest_and_free_both(
        &sheet, site, file, abdb_figure_or_report_page_manifest(page, files), err);
}

/* The columns of a source's page, a row a fact; a column with equal cells is written above. */
static const struct {
    const char *name, *head;
    bool wide;
} told[] = {{"what", "what", false},
            {"evidence", "evidence", false},
            {"locator", "where", true},
            {"date", "date", false},
            {"used_by", "claims that use it", true}};
enum { TOLD = sizeof told / sizeof *told };

/* A fact, once: a row of its source's page; its name is its key. HTML wants no end of cells and
 * rows, and thousands of them are a tenth of such a page. */
static void write_fact_row_without_common_columns(FILE *out, const abdb_fact_index *facts,
                                                  size_t row, const bool *is_common)
{
    bool is_printed = *abdb_fact_cell_text_or_empty(facts, row, "raw_value") != '\0';

    fputs("<tr id=\"", out);
    abdb_write_html_escaped(out, abdb_fact_cell_text_or_empty(facts, row, "key"));
    fputs("\"><td>", out);
    abdb_write_html_escaped(
        out, abdb_fact_cell_text_or_empty(facts, row, is_printed ? "raw_value" : "value"));
    fputc(' ', out);
    abdb_write_html_escaped(
        out, abdb_fact_cell_text_or_empty(facts, row, is_printed ? "raw_unit" : "unit"));
    for (size_t i = 0; i < TOLD; i++) {
        if (is_common[i]) continue;
        fputs("<td>", out);
        abdb_write_html_escaped(out, abdb_fact_cell_text_or_empty(facts, row, told[i].name));
    }
    fputc('\n', out);
}

/* Writes the columns with one value for all facts of a source above the table, and marks them. */
static void write_common_columns_and_mark_them(FILE *out, const abdb_fact_index *facts,
                                               size_t first, size_t next, bool *is_common)
{
    bool begun = false;

    for (size_t i = 0; i < TOLD; i++) {
        const char *text =
            abdb_fact_cell_text_or_empty(facts, facts->by_source[first], told[i].name);

        is_common[i] = next - first > 1;
        for (size_t r = first; r < next && is_common[i]; r++)
            is_common[i] = strcmp(text, abdb_fact_cell_text_or_empty(facts, facts->by_source[r],
                                                                     told[i].name)) == 0;
        if (!is_common[i] || !*text) continue;
        abdb_print_sanitized(out,
                             "%s%s: ", begun ? ", " : "<p class=\"note\">Of all: ", told[i].head);
        abdb_write_html_escaped(out, text);
        begun = true;
    }
    if (begun) fputs("</p>\n", out);
}

/* The table of a source's facts. */
static void write_facts_table_of_source(FILE *out, const abdb_fact_index *facts, size_t first,
                                        size_t next)
{
    bool same[TOLD];
    size_t place = 1;

    write_common_columns_and_mark_them(out, facts, first, next, same);
    fputs("<div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"Facts\">"
          "<table class=\"facts n1",
          out);
    for (size_t i = 0; i < TOLD; i++)
        if (!same[i] && (place++, told[i].wide)) abdb_print_sanitized(out, " w%zu", place);
    fputs("\"><thead><tr><th scope=\"col\" class=\"n\">as printed</th>", out);
    for (size_t i = 0; i < TOLD; i++)
        if (!same[i]) abdb_print_sanitized(out, "<th scope=\"col\">%s</th>", told[i].head);
    fputs("</tr></thead><tbody>\n", out);
    for (size_t r = first; r < next; r++)
        write_fact_row_without_common_columns(out, facts, facts->by_source[r], same);
    fputs("</tbody></table></div>\n<p class=\"note\"><code>abdb explain KEY</code> tells more of "
          "each: the file that it was read from, and what else uses it. The address of a row ends "
          "in its key, of which the first digits are enough.</p>\n",
          out);
}

/* Title, author, date and address of a source. Only addresses of the web become links. */
static void write_source_citation(FILE *out, const abdb_fact_index *facts, size_t row)
{
    char url[2048];

    snprintf(url, sizeof url, "%s", abdb_fact_cell_text_or_empty(facts, row, "url"));
    fputs("<p>", out);
    abdb_write_html_escaped(out, abdb_fact_cell_text_or_empty(facts, row, "title"));
    if (*abdb_fact_cell_text_or_empty(facts, row, "author")) {
        fputs(". ", out);
        abdb_write_html_escaped(out, abdb_fact_cell_text_or_empty(facts, row, "author"));
    }
    if (*abdb_fact_cell_text_or_empty(facts, row, "published")) {
        fputs(", ", out);
        abdb_write_html_escaped(out, abdb_fact_cell_text_or_empty(facts, row, "published"));
    }
    if (strncmp(url, "https://", 8) == 0 || strncmp(url, "http://", 7) == 0) {
        fputs(". <a rel=\"noopener noreferrer\" href=\"", out);
        abdb_write_html_escaped(out, url);
        fputs("\">", out);
        abdb_write_html_escaped(out, url);
        fputs("</a>", out);
    }
    fputs("</p>\n", out);
}

/* The page of a source whose facts are by_source[first] and on; *next: the first of another. */
static abdb_status write_source_page(const abdb_site *site, size_t first_fact,
                                     size_t *first_of_next_source, abdb_error *err)
{
    const abdb_fact_index *facts = &site->facts;
    const char *source =
        abdb_fact_cell_text_or_empty(facts, facts->by_source[first_fact], "source");
    char name[ABDB_PAGE_FILE], file[ABDB_PAGE_FILE + 16];
    abdb_page_buffer sheet;
    FILE *out = abdb_page_buffer_open(&sheet);

    for (*first_of_next_source = first_fact; *first_of_next_source < facts->table.rows;
         ++*first_of_next_source)
        if (strcmp(abdb_fact_cell_text_or_empty(facts, facts->by_source[*first_of_next_source],
                                                "source"),
                   source) != 0)
            break;
    abdb_source_to_unique_file_name_part(source, name);
    snprintf(file, sizeof file, "source-%s.html", name);
    if (!out) return ABDB_FAIL(err, ABDB_NOMEM, "%s", file);
    abdb_write_html_page_head_and_navigation(out, source, file);
    write_source_citation(out, facts, facts->by_source[first_fact]);
    write_facts_table_of_source(out, facts, first_fact, *first_of_next_source);
    abdb_write_html_page_foot(out, site);
    return abdb_page_write_with_manifest_and_free_both(
        &sheet, site, file, abdb_source_page_manifest(facts, first_fact, *first_of_next_source),
        err);
}

/* Writes a page for each source and the page that lists them. */
static abdb_status write_source_pages_and_list(const abdb_site *site, abdb_error *err)
{
    const abdb_fact_index *facts = &site->facts;
    abdb_page_buffer sheet;
    FILE *out = abdb_page_buffer_open(&sheet);
    abdb_status st = ABDB_OK, stored;

    if (!out) return ABDB_FAIL(err, ABDB_NOMEM, "sources.html");
    abdb_write_html_page_head_and_navigation(out, "Sources", "sources.html");
    fputs(
        "<p>Who states the numbers of these pages. Each source has a page with every fact that is "
        "used, as printed, and where it stands.</p>\n<ul>\n",
        out);
    for (size_t r = 0, next; st == ABDB_OK && r < facts->table.rows; r = next) {
        size_t row = facts->by_source[r];
        char name[ABDB_PAGE_FILE];

        st = write_source_page(site, r, &next, err);
        abdb_source_to_unique_file_name_part(abdb_fact_cell_text_or_empty(facts, row, "source"),
                                             name);
        abdb_print_sanitized(out, "<li><a href=\"source-%s.html\">", name);
        abdb_write_html_escaped(out, abdb_fact_cell_text_or_empty(facts, row, "source"));
        fputs("</a> ", out);
        abdb_write_html_escaped(out, abdb_fact_cell_text_or_empty(facts, row, "title"));
        fputs("</li>\n", out);
    }
    fputs("</ul>\n", out);
    abdb_write_html_page_foot(out, site);
    stored = abdb_page_write_with_manifest_and_free_both(
        &sheet, site, "sources.html", abdb_list_page_manifest(site, false, false, true),
        st == ABDB_OK ? err : &(abdb_error){0});
    return st == ABDB_OK ? stored : st;
}

/* Writes the page with all figures. */
static abdb_status write_figures_html_page(const abdb_site *site, abdb_error *err)
{
    abdb_page_buffer sheet;
    FILE *out = abdb_page_buffer_open(&sheet);

    if (!out) return ABDB_FAIL(err, ABDB_NOMEM, "figures.html");
    abdb_write_html_page_head_and_navigation(out, "Figures", "figures.html");
    fputs("<p>Each leads to its page, with the table that it draws.</p>\n<div class=\"figures\">\n",
          out);
    for (size_t i = 0; i < site->pages; i++)
        if (site->page[i].drawn) abdb_write_html_figure_linked_to_page(out, &site->page[i]);
    fputs("</div>\n", out);
    abdb_write_html_page_foot(out, site);
    return abdb_page_write_with_manifest_and_free_both(
        &sheet, site, "figures.html", abdb_list_page_manifest(site, true, false, false), err);
}

/* Writes the embedded style sheets and scripts; files of try.html only where it is written. */
static abdb_status write_embedded_css_and_scripts(const abdb_site *site, abdb_error *err)
{
    abdb_status st = ABDB_OK;

    for (const abdb_embedded *e = abdb_site_files; e->name; e++) {
        const char *dot = strrchr(e->name, '.');
        abdb_outfile made;
        FILE *out;

        if (!dot || (strcmp(dot, ".css") != 0 && strcmp(dot, ".js") != 0)) continue;
        if (strncmp(e->name, "try", 3) == 0 && !abdb_site_has_try_page(site)) continue;
        out = abdb_site_open_output_file(&made, site, e->name, err);

        if (!out) return ABDB_IO;
        abdb_write_sanitized_if_terminal(out, e->text, strlen(e->text));
        TRY(abdb_outfile_commit(&made, err));
    }
done:
    return st;
}

/* Reads today's date from SQLite. */
static abdb_status read_today_into_site(abdb_site *site, abdb_error *err)
{
    abdb_table now = {0};
    abdb_status st = abdb_run_readonly_sql(site->db, "SELECT date('now')", NULL, NULL, &now, err);

    if (st == ABDB_OK) snprintf(site->today, sizeof site->today, "%s", now.value[0].text);
    abdb_table_free(&now);
    return st;
}

abdb_status abdb_site_write_folder_and_print_summary(abdb_db *db, const char *origin,
                                                     const char *folder,
                                                     const abdb_site_try *program, abdb_error *err)
{
    abdb_outfolder whole = {0};
    abdb_site site = {.origin = origin, .db = db, .program = program};
    abdb_status st = ABDB_OK;

    TRY(abdb_outfolder_open_merging(&whole, folder, err));
    site.folder = whole.partial_path;
    TRY(read_today_into_site(&site, err));
    TRY(add_all_figure_and_report_pages(&site, err));
    TRY(abdb_site_load_explore_data(&site, err));
    if (!site.pages && !abdb_site_has_explore_data(&site))
        TRY(ABDB_FAIL(err, ABDB_DATA,
                      "nothing to show: the database is empty; `abdb import data`"
                      " brings what abdb ships"));
    TRY(load_fact_index_of_all_pages(&site, err));
    TRY(write_embedded_css_and_scripts(&site, err));
    TRY(abdb_site_copy_d3_and_licence_or_warn(&site, err));
    TRY(abdb_site_write_explore_page(&site, err));
    if (abdb_site_has_try_page(&site)) TRY(abdb_site_write_try_page_and_data(&site, err));
    for (size_t i = 0; i < site.pages; i++) {
        abdb_show_or_clear_progress_bar(site.page[i].name, (double)i, (double)site.pages);
        TRY(write_page_and_its_figure_svg(&site, &site.page[i], err));
    }
    abdb_show_or_clear_progress_bar("", -1, 0);
    TRY(write_source_pages_and_list(&site, err));
    TRY(write_figures_html_page(&site, err));
    TRY(abdb_site_write_change_feeds(&site, err));
    TRY(abdb_site_write_index_page(&site, err));
    TRY(abdb_outfolder_commit(&whole, err));
    abdb_print_sanitized(stdout, "%s/index.html: %zu pages, %zu facts\n", folder, site.pages,
                         site.facts.table.rows);
done:
    if (st != ABDB_OK) abdb_outfolder_replace_partial_path_in_error(&whole, folder, err);
    abdb_outfolder_discard(&whole);
    for (size_t i = 0; i < site.pages; i++) abdb_plot_free(&site.page[i].plot);
    free(site.page);
    abdb_fact_index_free(&site.facts);
    abdb_table_free(&site.explore);
    abdb_arena_free(&site.arena);
    return st;
}
