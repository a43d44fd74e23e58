/* site.c - which pages a site has, and writing them: one for each figure that has rows, one for
 * each report that no figure draws, one for each source of their facts, and three lists of these.
 * See site.h. */
#include "query/answer/site/site.h"
#include "query/answer/footnotes.h"

#include <stdlib.h>

#include "query/answer/deadline.h"
#include "query/answer/escape.h"
#include "query/answer/explain.h"
#include "query/answer/render.h"
#include "query/answer/say.h"
#include "schema/core/outfolder.h"
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

    return abdb_is_word(name, own) || strncmp(name, "source-", 7) == 0 ||
           strncmp(name, "report-", 7) == 0;
}

/* The question that a report helps to answer; of one's own that names none, its heading. */
static const char *group_of(const abdb_report *report)
{
    return report->group ? report->group : report->site;
}

/* Is it a fault of one figure or report, which is left out? Of memory, the disk or the database it
 * is the site's. */
static bool is_its_own(abdb_status st)
{
    return st != ABDB_NOMEM && st != ABDB_IO && st != ABDB_DB && st != ABDB_BUSY;
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
    abdb_plot_free(&page->plot);
    if (!is_its_own(st)) return st;
    if (st != ABDB_OK && st != ABDB_DATA)
        abdb_remark("left out: figure %s: %s", name, err->message);
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
    abdb_page *page = new_page(site, err);
    abdb_status st;

    if (!page) return ABDB_NOMEM;
    st = abdb_report_load(&page->plot.report, name, err);
    if (st == ABDB_OK && page->plot.report.site)
        st = abdb_plot_answer(&page->plot, site->db, NULL, err);
    if (st == ABDB_OK && page->plot.report.site && page->plot.table.rows) {
        snprintf(page->name, sizeof page->name, "report-%s", name);
        page->group = group_of(&page->plot.report);
        page->title = page->plot.table.title ? page->plot.table.title : name;
        site->pages++;
        return ABDB_OK;
    }
    if (abdb_deadline_over()) return abdb_deadline_fail(err);
    abdb_plot_free(&page->plot);
    if (!is_its_own(st)) return st;
    if (st != ABDB_OK) abdb_remark("left out: report %s: %s", name, err->message);
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
    abdb_sheet sheet;
    FILE *out;

    if (page->drawn) {
        abdb_status st;

        snprintf(path, sizeof path, "%s/%s.svg", site->folder, page->plot.figure.name);
        st = abdb_plot_store(&page->plot, ABDB_SVG, ABDB_ADAPTIVE, path, err);
        if (st == ABDB_FORMAT) { /* a figure of one's own that draws otherwise on dark ground */
            abdb_remark("figure %s is light on dark pages too: %s", page->plot.figure.name,
                        err->message);
            st = abdb_plot_store(&page->plot, ABDB_SVG, ABDB_LIGHT, path, err);
        }
        if (st != ABDB_OK) return st;
    }
    snprintf(file, sizeof file, "%s.html", page->name);
    out = abdb_sheet_open(&sheet);
    if (!out) return ABDB_FAIL(err, ABDB_NOMEM, "%s", file);
    abdb_page_begin(out, page->title, file);
    abdb_page_body(out, site, page);
    abdb_page_end(out, site);
    return abdb_sheet_store(&sheet, site, file, abdb_carried_by_page(page), err);
}

/* What a page of a source says of each fact; a column that says the same of all stands above. */
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
static void put_fact_row(FILE *out, const abdb_facts *facts, size_t row, const bool *same)
{
    bool is_printed = *abdb_facts_cell(facts, row, "raw_value") != '\0';

    fputs("<tr id=\"", out);
    abdb_html_text(out, abdb_facts_cell(facts, row, "key"));
    fputs("\"><td>", out);
    abdb_html_text(out, abdb_facts_cell(facts, row, is_printed ? "raw_value" : "value"));
    fputc(' ', out);
    abdb_html_text(out, abdb_facts_cell(facts, row, is_printed ? "raw_unit" : "unit"));
    for (size_t i = 0; i < TOLD; i++) {
        if (same[i]) continue;
        fputs("<td>", out);
        abdb_html_text(out, abdb_facts_cell(facts, row, told[i].name));
    }
    fputc('\n', out);
}

/* Which columns say the same of all facts of a source, and what: it is written above the table. */
static void put_same(FILE *out, const abdb_facts *facts, size_t first, size_t next, bool *same)
{
    bool begun = false;

    for (size_t i = 0; i < TOLD; i++) {
        const char *text = abdb_facts_cell(facts, facts->by_source[first], told[i].name);

        same[i] = next - first > 1;
        for (size_t r = first; r < next && same[i]; r++)
            same[i] = strcmp(text, abdb_facts_cell(facts, facts->by_source[r], told[i].name)) == 0;
        if (!same[i] || !*text) continue;
        abdb_say(out, "%s%s: ", begun ? ", " : "<p class=\"note\">Of all: ", told[i].head);
        abdb_html_text(out, text);
        begun = true;
    }
    if (begun) fputs("</p>\n", out);
}

/* The table of a source's facts. */
static void put_facts(FILE *out, const abdb_facts *facts, size_t first, size_t next)
{
    bool same[TOLD];
    size_t place = 1;

    put_same(out, facts, first, next, same);
    fputs("<div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"Facts\">"
          "<table class=\"facts n1",
          out);
    for (size_t i = 0; i < TOLD; i++)
        if (!same[i] && (place++, told[i].wide)) abdb_say(out, " w%zu", place);
    fputs("\"><thead><tr><th scope=\"col\" class=\"n\">as printed</th>", out);
    for (size_t i = 0; i < TOLD; i++)
        if (!same[i]) abdb_say(out, "<th scope=\"col\">%s</th>", told[i].head);
    fputs("</tr></thead><tbody>\n", out);
    for (size_t r = first; r < next; r++) put_fact_row(out, facts, facts->by_source[r], same);
    fputs("</tbody></table></div>\n<p class=\"note\"><code>abdb explain KEY</code> tells more of "
          "each: the file that it was read from, and what else uses it. The address of a row ends "
          "in its key, of which the first digits are enough.</p>\n",
          out);
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
    const abdb_facts *facts = &site->facts;
    const char *source = abdb_facts_cell(facts, facts->by_source[first], "source");
    char name[ABDB_PAGE_FILE], file[ABDB_PAGE_FILE + 16];
    abdb_sheet sheet;
    FILE *out = abdb_sheet_open(&sheet);

    for (*next = first; *next < facts->table.rows; ++*next)
        if (strcmp(abdb_facts_cell(facts, facts->by_source[*next], "source"), source) != 0) break;
    abdb_page_file(source, name);
    snprintf(file, sizeof file, "source-%s.html", name);
    if (!out) return ABDB_FAIL(err, ABDB_NOMEM, "%s", file);
    abdb_page_begin(out, source, file);
    put_source(out, facts, facts->by_source[first]);
    put_facts(out, facts, first, *next);
    abdb_page_end(out, site);
    return abdb_sheet_store(&sheet, site, file, abdb_carried_by_source(facts, first, *next), err);
}

static abdb_status write_sources(const abdb_site *site, abdb_error *err)
{
    const abdb_facts *facts = &site->facts;
    abdb_sheet sheet;
    FILE *out = abdb_sheet_open(&sheet);
    abdb_status st = ABDB_OK, stored;

    if (!out) return ABDB_FAIL(err, ABDB_NOMEM, "sources.html");
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
    stored = abdb_sheet_store(&sheet, site, "sources.html",
                              abdb_carried_by_list(site, false, false, true),
                              st == ABDB_OK ? err : &(abdb_error){0});
    return st == ABDB_OK ? stored : st;
}

static abdb_status write_figures(const abdb_site *site, abdb_error *err)
{
    abdb_sheet sheet;
    FILE *out = abdb_sheet_open(&sheet);

    if (!out) return ABDB_FAIL(err, ABDB_NOMEM, "figures.html");
    abdb_page_begin(out, "Figures", "figures.html");
    fputs("<p>Each leads to its page, with the table that it draws.</p>\n<div class=\"figures\">\n",
          out);
    for (size_t i = 0; i < site->pages; i++)
        if (site->page[i].drawn) abdb_front_picture(out, &site->page[i]);
    fputs("</div>\n", out);
    abdb_page_end(out, site);
    return abdb_sheet_store(&sheet, site, "figures.html",
                            abdb_carried_by_list(site, true, false, false), err);
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

static abdb_status find_today(abdb_site *site, abdb_error *err)
{
    abdb_table now = {0};
    abdb_status st = abdb_sql_table(site->db, "SELECT date('now')", NULL, NULL, &now, err);

    if (st == ABDB_OK) snprintf(site->today, sizeof site->today, "%s", now.value[0].text);
    abdb_table_free(&now);
    return st;
}

abdb_status abdb_site_write(abdb_db *db, const char *origin, const char *folder, abdb_error *err)
{
    abdb_outfolder whole = {0};
    abdb_site site = {.origin = origin, .db = db};
    abdb_status st = ABDB_OK;

    TRY(abdb_outfolder_open_into(&whole, folder, err));
    site.folder = whole.part;
    TRY(find_today(&site, err));
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
    TRY(abdb_outfolder_commit(&whole, err));
    abdb_say(stdout, "%s/index.html: %zu pages, %zu facts\n", folder, site.pages,
             site.facts.table.rows);
done:
    abdb_outfolder_discard(&whole);
    for (size_t i = 0; i < site.pages; i++) abdb_plot_free(&site.page[i].plot);
    free(site.page);
    abdb_facts_free(&site.facts);
    abdb_table_free(&site.explore);
    abdb_arena_free(&site.arena);
    return st;
}
