/* explore_page.c - the page on which a reader chooses, prices and compares: explore.html, with all
 * results as JSON in it, for the scripts explore*.js. See site.h. */
#include "query/answer/escape.h"
#include "query/answer/output.h"
#include "query/answer/site/site.h"
#include "schema/core/outfile.h"

const char *abdb_site_embedded_text_or_empty(const char *name)
{
    for (const abdb_embedded *e = abdb_site_files; e->name; e++)
        if (strcmp(e->name, name) == 0) return e->text;
    return "";
}

abdb_status abdb_site_load_explore_data(abdb_site *site, abdb_error *err)
{
    return abdb_run_readonly_sql(site->db, abdb_site_embedded_text_or_empty("explore.sql"), NULL,
                                 NULL, &site->explore, err);
}

const char *abdb_site_explore_fact_keys(const abdb_site *site)
{
    return abdb_site_has_explore_data(site) ? site->explore.value[1].text : "";
}

/* JSON inside of HTML: no text in it ends the element or begins a comment. Invisible characters and
 * Unicode's ends of lines are shown (sanitize_text.h), by a backslash that JSON reads as one. */
static void write_json_escaped_for_html(FILE *out, const char *json)
{
    char one[ABDB_PLAIN_SIZE];

    while (abdb_sanitize_next_char(&json, one)) {
        if (strchr("<>&", one[0]))
            abdb_print_sanitized(out, "\\u%04x", (unsigned)one[0]);
        else if (one[0] == '\\' && one[1]) {
            for (const char *s = one; *s; s++)
                abdb_print_sanitized(out, *s == '\\' ? "\\\\" : "%c", *s);
        } else
            abdb_print_sanitized(out, "%s", one);
    }
}

static void write_json_script_element(FILE *out, const char *id, const char *json)
{
    abdb_print_sanitized(out, "<script type=\"application/json\" id=\"%s\">", id);
    write_json_escaped_for_html(out, json);
    fputs("</script>\n", out);
}

/* The page of each source, which only this program can name. */
static abdb_status write_sources_json_script_element(FILE *out, const abdb_site *site,
                                                     abdb_error *err)
{
    static const char *const told[] = {"title", "author", "published", "url"};
    const abdb_fact_index *facts = &site->facts;
    const char *before = "";
    abdb_text json = {0};
    abdb_status st = ABDB_OK;

    abdb_text_puts(&json, "{");
    for (size_t i = 0; i < facts->table.rows; i++) {
        size_t row = facts->by_source[i];
        const char *source = abdb_fact_cell_text_or_empty(facts, row, "source");
        char file[ABDB_PAGE_FILE];

        if (i && strcmp(source, before) == 0) continue;
        before = source;
        abdb_source_to_unique_file_name_part(source, file);
        abdb_text_puts(&json, json.size > 1 ? "," : "");
        abdb_text_append_json_string(&json, source);
        abdb_text_printf(&json, ":[\"source-%s.html\"", file);
        for (size_t k = 0; k < sizeof told / sizeof *told; k++) {
            abdb_text_puts(&json, ",");
            abdb_text_append_json_string(&json, abdb_fact_cell_text_or_empty(facts, row, told[k]));
        }
        abdb_text_puts(&json, "]");
    }
    abdb_text_puts(&json, "}");
    if (json.failed) TRY(ABDB_FAIL(err, ABDB_NOMEM, "the sources of the site"));
    write_json_script_element(out, "sources", abdb_text_get(&json));
done:
    abdb_text_free(&json);
    return st;
}

abdb_status abdb_site_write_explore_page(const abdb_site *site, abdb_error *err)
{
    static const char *const scripts[] = {"explore-data.js", "explore-rules.js", "explore-order.js",
                                          "explore-cite.js", "explore-chart.js", "explore-why.js",
                                          "explore.js"};
    const abdb_table *t = &site->explore;
    abdb_page_buffer sheet;
    FILE *out = abdb_page_buffer_open(&sheet);
    abdb_status st, stored;

    if (!out) return ABDB_FAIL(err, ABDB_NOMEM, "explore.html");
    abdb_write_html_page_head_and_navigation(out, "Explore", "explore.html");
    abdb_write_sanitized_if_terminal(out, abdb_site_embedded_text_or_empty("explore.html"),
                                     strlen(abdb_site_embedded_text_or_empty("explore.html")));
    write_json_script_element(out, "data",
                              t->value[0].kind == ABDB_STRING ? t->value[0].text : "null");
    if (abdb_site_has_try_page(site)) fputs("<template id=\"try\"></template>\n", out);
    st = write_sources_json_script_element(out, site, err);
    if (*site->charts) fputs("<script defer src=\"d3.min.js\"></script>\n", out);
    for (size_t i = 0; i < sizeof scripts / sizeof *scripts; i++)
        abdb_print_sanitized(out, "<script defer src=\"%s\"></script>\n", scripts[i]);
    abdb_write_html_page_foot(out, site);
    stored = abdb_page_write_with_manifest_and_free_both(&sheet, site, "explore.html",
                                                         abdb_explore_page_manifest(site),
                                                         st == ABDB_OK ? err : &(abdb_error){0});
    return st == ABDB_OK ? stored : st;
}
