/* site.c - which pages a site has, and writing them: one for each figure that has rows, one for
 * each report that no figure draws, one for each source of their facts, and three lists of these.
 * See site.h. */
#include "query/answer/site/site.h"
#include "query/answer/footnotes.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "query/answer/deadline.h"
#include "query/answer/escape.h"
#include "query/answer/explain.h"
#include "query/answer/render.h"
#include "query/answer/say.h"
#include "schema/core/grow.h"
#include "schema/core/outfile.h"

enum { NAMES_MAX = 256 };

static abdb_page *new_page(abdb_site *site, abdb_error *err)
{
    abdb_page *more = abdb_grow(site->page, site->pages, &site->room, sizeof *more);

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
static bool is_taken(const char *name)
{
    static const char *const own[] = {"index", "explore", "figures", "sources", NULL};
    size_t size = strlen(name);

    return abdb_is_word(name, own) || strncmp(name, "source-", 7) == 0 ||
           strncmp(name, "report-", 7) == 0 ||
           (size > 5 && strcmp(name + size - 5, "-dark") == 0); /* the dark picture of another */
}

/* The question that a report helps to answer; of one's own that names none, its heading. */
static const char *group_of(const abdb_report *report)
{
    return report->group ? report->group : report->site;
}

/* The page of a figure, where it has something to draw. */
static abdb_status add_figure(abdb_site *site, const char *name, abdb_error *err)
{
    abdb_page *page = new_page(site, err);
    abdb_status st;

    if (!page) return ABDB_NOMEM;
    if (is_taken(name)) {
        abdb_remark("left out: figure %s: the site has a page of that name; give it another", name);
        return ABDB_OK;
    }
    st = abdb_plot_load(&page->plot, name, err);
    if (st == ABDB_OK && page->plot.report.site)
        st = abdb_plot_fill(&page->plot, site->db, NULL, NULL, err);
    if (st == ABDB_OK && page->plot.report.site) {
        snprintf(page->name, sizeof page->name, "%s", name);
        page->group = group_of(&page->plot.report);
        page->title = page->plot.table.title ? page->plot.table.title : name;
        page->drawn = true;
        site->pages++;
        return ABDB_OK;
    }
    if (abdb_deadline_over()) return abdb_deadline_fail(err);
    if (st != ABDB_OK && st != ABDB_DATA)
        abdb_remark("left out: figure %s: %s", name, err->message);
    abdb_plot_free(&page->plot);
    return ABDB_OK;
}

/* Does a figure draw the report as it is, without options of its own? */
static bool is_covered(const abdb_site *site, const char *report)
{
    for (size_t i = 0; i < site->pages; i++)
        if (site->page[i].drawn && !site->page[i].plot.figure.with &&
            strcmp(site->page[i].plot.figure.report, report) == 0)
            return true;
    return false;
}

static abdb_status add_report(abdb_site *site, const char *name, abdb_error *err)
{
    const char *value[ABDB_PARAM_COUNT] = {0};
    abdb_page *page = new_page(site, err);
    abdb_status st;

    if (!page) return ABDB_NOMEM;
    st = abdb_report_load(&page->plot.report, name, err);
    if (st == ABDB_OK && page->plot.report.site)
        st = abdb_report_answer(site->db, &page->plot.report, value, &page->plot.table, err);
    if (st == ABDB_OK && page->plot.report.site && page->plot.table.rows) {
        snprintf(page->name, sizeof page->name, "report-%s", name);
        page->group = group_of(&page->plot.report);
        page->title = page->plot.table.title ? page->plot.table.title : name;
        site->pages++;
        return ABDB_OK;
    }
    if (abdb_deadline_over()) return abdb_deadline_fail(err);
    if (st != ABDB_OK) abdb_remark("left out: report %s: %s", name, err->message);
    abdb_plot_free(&page->plot);
    return ABDB_OK;
}

static abdb_status find_pages(abdb_site *site, abdb_error *err)
{
    const char *figures[NAMES_MAX], *reports[NAMES_MAX];
    size_t drawn = abdb_figure_names(figures, NAMES_MAX, &site->arena),
           told = abdb_report_names(reports, NAMES_MAX, &site->arena);
    abdb_status st = ABDB_OK;

    for (size_t i = 0; i < drawn; i++) {
        abdb_progress(figures[i], (double)i, (double)(drawn + told));
        TRY(add_figure(site, figures[i], err));
    }
    for (size_t i = 0; i < told; i++) {
        abdb_progress(reports[i], (double)(drawn + i), (double)(drawn + told));
        if (strcmp(reports[i], "sources") != 0 && !is_covered(site, reports[i]))
            TRY(add_report(site, reports[i], err));
    }
done:
    abdb_progress("", -1, 0);
    return st;
}

/* The facts of all numbers of all pages. */
static abdb_status find_facts(abdb_site *site, abdb_error *err)
{
    abdb_text keys = {0};
    abdb_status st = ABDB_OK;

    for (size_t i = 0; i < site->pages; i++)
        abdb_facts_keys(&site->page[i].plot.table, ABDB_SITE_FACTS, &keys);
    abdb_text_printf(&keys, " %s", abdb_explore_keys(site));
    if (keys.failed) TRY(ABDB_FAIL(err, ABDB_NOMEM, "the facts of the site"));
    TRY(abdb_facts_find(&site->facts, site->db, abdb_text_get(&keys), err));
done:
    abdb_text_free(&keys);
    return st;
}

/* --- writing ---------------------------------------------------------------------------------- */

static abdb_status write_page(const abdb_site *site, const abdb_page *page, abdb_error *err)
{
    char file[200], path[4096];
    abdb_outfile made;
    FILE *out;
    abdb_status st = ABDB_OK;

    for (int dark = 0; page->drawn && dark < 2; dark++) {
        snprintf(path, sizeof path, "%s/%s%s.svg", site->folder, page->plot.figure.name,
                 dark ? "-dark" : "");
        TRY(abdb_plot_store(&page->plot, ABDB_SVG, dark, path, err));
    }
    snprintf(file, sizeof file, "%s.html", page->name);
    out = abdb_site_file(&made, site, file, err);
    if (!out) return ABDB_IO;
    abdb_page_begin(out, page->title, file);
    abdb_page_body(out, site, page);
    abdb_page_end(out, site);
    return abdb_outfile_commit(&made, err);
done:
    return st;
}

/* A fact, once: a row of its source's page. HTML wants no end of cells and rows, and thousands of
 * them are a tenth of such a page. */
static void put_fact_row(FILE *out, const abdb_facts *facts, size_t row)
{
    static const char *const texts[] = {"what", "evidence", "locator", "date", "used_by"};
    const char *printed = abdb_facts_cell(facts, row, "raw_value");
    bool is_printed = *printed != '\0';

    fputs("<tr id=\"", out);
    abdb_html_text(out, abdb_facts_cell(facts, row, "key"));
    fputs("\"><td class=\"n\">", out);
    abdb_html_text(out, abdb_facts_cell(facts, row, is_printed ? "raw_value" : "value"));
    fputc(' ', out);
    abdb_html_text(out, abdb_facts_cell(facts, row, is_printed ? "raw_unit" : "unit"));
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        const char *text = abdb_facts_cell(facts, row, texts[i]);

        abdb_say(out, "<td%s>", *text && (i == 2 || i == 4) ? " class=\"w\"" : "");
        abdb_html_text(out, text);
    }
    abdb_say(out, "<td>%.14s\n", abdb_facts_cell(facts, row, "key"));
}

/* Title, author, date and address of a source. Only addresses of the web become links. */
static void put_source(FILE *out, const abdb_facts *facts, size_t row)
{
    char url[2048];

    snprintf(url, sizeof url, "%s", abdb_facts_cell(facts, row, "url"));
    fputs("<p>", out);
    abdb_html_text(out, abdb_facts_cell(facts, row, "title"));
    if (*abdb_facts_cell(facts, row, "author")) {
        fputs(". ", out);
        abdb_html_text(out, abdb_facts_cell(facts, row, "author"));
    }
    if (*abdb_facts_cell(facts, row, "published")) {
        fputs(", ", out);
        abdb_html_text(out, abdb_facts_cell(facts, row, "published"));
    }
    if (strncmp(url, "https://", 8) == 0 || strncmp(url, "http://", 7) == 0) {
        fputs(". <a rel=\"noopener noreferrer\" href=\"", out);
        abdb_html_text(out, url);
        fputs("\">", out);
        abdb_html_text(out, url);
        fputs("</a>", out);
    }
    fputs("</p>\n", out);
}

/* The page of a source whose facts are by_source[first] and on; *next: the first of another. */
static abdb_status write_source(const abdb_site *site, size_t first, size_t *next, abdb_error *err)
{
    static const char heads[] =
        "<div class=\"scroll\" tabindex=\"0\" role=\"region\" "
        "aria-label=\"Facts\"><table><thead><tr>"
        "<th scope=\"col\" class=\"n\">as printed</th><th scope=\"col\">what</th>"
        "<th scope=\"col\">evidence</th><th scope=\"col\">where</th><th scope=\"col\">date</th>"
        "<th scope=\"col\">claims that use it</th><th scope=\"col\">key</th></tr></thead><tbody>\n";
    const abdb_facts *facts = &site->facts;
    const char *source = abdb_facts_cell(facts, facts->by_source[first], "source");
    char name[ABDB_PAGE_FILE], file[ABDB_PAGE_FILE + 16];
    abdb_outfile made;
    FILE *out;

    abdb_page_file(source, name);
    snprintf(file, sizeof file, "source-%s.html", name);
    out = abdb_site_file(&made, site, file, err);
    if (!out) return ABDB_IO;
    abdb_page_begin(out, source, file);
    put_source(out, facts, facts->by_source[first]);
    abdb_put(out, heads, sizeof heads - 1);
    for (*next = first; *next < facts->table.rows; ++*next) {
        size_t row = facts->by_source[*next];

        if (strcmp(abdb_facts_cell(facts, row, "source"), source) != 0) break;
        put_fact_row(out, facts, row);
    }
    fputs("</tbody></table></div>\n<p class=\"note\"><code>abdb explain KEY</code> tells more of "
          "each: the file that it was read from, and what else uses it. The first digits of a key "
          "are enough; the address of a row ends in the whole.</p>\n",
          out);
    abdb_page_end(out, site);
    return abdb_outfile_commit(&made, err);
}

static abdb_status write_sources(const abdb_site *site, abdb_error *err)
{
    const abdb_facts *facts = &site->facts;
    abdb_outfile made = {0};
    FILE *out = abdb_site_file(&made, site, "sources.html", err);
    abdb_status st = ABDB_OK;

    if (!out) return ABDB_IO;
    abdb_page_begin(out, "Sources", "sources.html");
    fputs(
        "<p>Who states the numbers of these pages. Each source has a page with every fact that is "
        "used, as printed, and where it stands.</p>\n<ul>\n",
        out);
    for (size_t r = 0, next; st == ABDB_OK && r < facts->table.rows; r = next) {
        size_t row = facts->by_source[r];
        char name[ABDB_PAGE_FILE];

        st = write_source(site, r, &next, err);
        abdb_page_file(abdb_facts_cell(facts, row, "source"), name);
        abdb_say(out, "<li><a href=\"source-%s.html\">", name);
        abdb_html_text(out, abdb_facts_cell(facts, row, "source"));
        fputs("</a> ", out);
        abdb_html_text(out, abdb_facts_cell(facts, row, "title"));
        fputs("</li>\n", out);
    }
    fputs("</ul>\n", out);
    abdb_page_end(out, site);
    if (st == ABDB_OK) return abdb_outfile_commit(&made, err);
    abdb_outfile_discard(&made);
    return st;
}

static abdb_status write_figures(const abdb_site *site, abdb_error *err)
{
    abdb_outfile made = {0};
    FILE *out = abdb_site_file(&made, site, "figures.html", err);

    if (!out) return ABDB_IO;
    abdb_page_begin(out, "Figures", "figures.html");
    fputs("<p>Each leads to its page, with the table that it draws.</p>\n<div class=\"figures\">\n",
          out);
    for (size_t i = 0; i < site->pages; i++)
        if (site->page[i].drawn) abdb_front_picture(out, &site->page[i]);
    fputs("</div>\n", out);
    abdb_page_end(out, site);
    return abdb_outfile_commit(&made, err);
}

static abdb_status write_assets(const abdb_site *site, abdb_error *err)
{
    abdb_status st = ABDB_OK;

    for (const abdb_embedded *e = abdb_site_files; e->name; e++) {
        const char *dot = strrchr(e->name, '.');
        abdb_outfile made;
        FILE *out;

        if (!dot || (strcmp(dot, ".css") != 0 && strcmp(dot, ".js") != 0)) continue;
        out = abdb_site_file(&made, site, e->name, err);

        if (!out) return ABDB_IO;
        abdb_put(out, e->text, strlen(e->text));
        TRY(abdb_outfile_commit(&made, err));
    }
done:
    return st;
}

abdb_status abdb_site_write(abdb_db *db, const char *origin, const char *folder, abdb_error *err)
{
    abdb_site site = {.folder = folder, .origin = origin, .db = db};
    abdb_status st = ABDB_OK;

    if (mkdir(folder, 0777) != 0 && errno != EEXIST)
        return ABDB_FAIL(err, ABDB_IO, "cannot make %s: %s", folder, strerror(errno));
    TRY(find_pages(&site, err));
    TRY(abdb_explore_load(&site, err));
    if (!site.pages && !abdb_site_explores(&site))
        TRY(ABDB_FAIL(err, ABDB_DATA,
                      "nothing to show: the database is empty; `abdb import data`"
                      " brings what abdb ships"));
    TRY(find_facts(&site, err));
    TRY(write_assets(&site, err));
    TRY(abdb_charts_write(&site, err));
    TRY(abdb_explore_write(&site, err));
    for (size_t i = 0; i < site.pages; i++) {
        abdb_progress(site.page[i].name, (double)i, (double)site.pages);
        TRY(write_page(&site, &site.page[i], err));
    }
    abdb_progress("", -1, 0);
    TRY(write_sources(&site, err));
    TRY(write_figures(&site, err));
    TRY(abdb_front_write(&site, err));
    abdb_say(stdout, "%s/index.html: %zu pages, %zu facts\n", folder, site.pages,
             site.facts.table.rows);
done:
    for (size_t i = 0; i < site.pages; i++) abdb_plot_free(&site.page[i].plot);
    free(site.page);
    abdb_facts_free(&site.facts);
    abdb_table_free(&site.explore);
    abdb_arena_free(&site.arena);
    return st;
}
