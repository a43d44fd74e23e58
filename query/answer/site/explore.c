/* explore.c - the page on which a reader chooses, prices and compares: explore.html, with all
 * results as JSON in it, for the scripts explore*.js. See site.h. */
#include "query/answer/escape.h"
#include "query/answer/say.h"
#include "query/answer/site/site.h"
#include "schema/core/outfile.h"

static const char *embedded(const char *name)
{
    for (const abdb_embedded *e = abdb_site_files; e->name; e++)
        if (strcmp(e->name, name) == 0) return e->text;
    return "";
}

abdb_status abdb_explore_load(abdb_site *site, abdb_error *err)
{
    return abdb_sql_table(site->db, embedded("explore.sql"), NULL, NULL, &site->explore, err);
}

const char *abdb_explore_keys(const abdb_site *site)
{
    return abdb_site_explores(site) ? site->explore.value[1].text : "";
}

/* JSON inside of HTML: nothing in it ends the element or begins a comment, and what nobody sees or
 * a line's end of Unicode is shown (plain.h), by a backslash that JSON reads as one. */
static void put_json(FILE *out, const char *json)
{
    char one[ABDB_PLAIN_SIZE];

    while (abdb_plain_next(&json, one)) {
        if (strchr("<>&", one[0]))
            abdb_say(out, "\\u%04x", (unsigned)one[0]);
        else if (one[0] == '\\' && one[1]) {
            for (const char *s = one; *s; s++) abdb_say(out, *s == '\\' ? "\\\\" : "%c", *s);
        } else
            abdb_say(out, "%s", one);
    }
}

static void put_block(FILE *out, const char *id, const char *json)
{
    abdb_say(out, "<script type=\"application/json\" id=\"%s\">", id);
    put_json(out, json);
    fputs("</script>\n", out);
}

/* The page of each source, which only this program can name. */
static abdb_status put_sources(FILE *out, const abdb_site *site, abdb_error *err)
{
    static const char *const told[] = {"title", "author", "published", "url"};
    const abdb_facts *facts = &site->facts;
    const char *before = "";
    abdb_text json = {0};
    abdb_status st = ABDB_OK;

    abdb_text_puts(&json, "{");
    for (size_t i = 0; i < facts->table.rows; i++) {
        size_t row = facts->by_source[i];
        const char *source = abdb_facts_cell(facts, row, "source");
        char file[ABDB_PAGE_FILE];

        if (i && strcmp(source, before) == 0) continue;
        before = source;
        abdb_page_file(source, file);
        abdb_text_puts(&json, json.size > 1 ? "," : "");
        abdb_text_json(&json, source);
        abdb_text_printf(&json, ":[\"source-%s.html\"", file);
        for (size_t k = 0; k < sizeof told / sizeof *told; k++) {
            abdb_text_puts(&json, ",");
            abdb_text_json(&json, abdb_facts_cell(facts, row, told[k]));
        }
        abdb_text_puts(&json, "]");
    }
    abdb_text_puts(&json, "}");
    if (json.failed) TRY(ABDB_FAIL(err, ABDB_NOMEM, "the sources of the site"));
    put_block(out, "sources", abdb_text_get(&json));
done:
    abdb_text_free(&json);
    return st;
}

abdb_status abdb_explore_write(const abdb_site *site, abdb_error *err)
{
    static const char *const scripts[] = {"explore-data.js", "explore-rules.js", "explore-order.js",
                                          "explore-cite.js", "explore-chart.js", "explore.js"};
    const abdb_table *t = &site->explore;
    abdb_sheet sheet;
    FILE *out = abdb_sheet_open(&sheet);
    abdb_status st, stored;

    if (!out) return ABDB_FAIL(err, ABDB_NOMEM, "explore.html");
    abdb_page_begin(out, "Explore", "explore.html");
    abdb_put(out, embedded("explore.html"), strlen(embedded("explore.html")));
    put_block(out, "data", t->value[0].kind == ABDB_STRING ? t->value[0].text : "null");
    st = put_sources(out, site, err);
    if (*site->charts) fputs("<script defer src=\"d3.min.js\"></script>\n", out);
    for (size_t i = 0; i < sizeof scripts / sizeof *scripts; i++)
        abdb_say(out, "<script defer src=\"%s\"></script>\n", scripts[i]);
    abdb_page_end(out, site);
    stored = abdb_sheet_store(&sheet, site, "explore.html", abdb_carried_by_explore(site),
                              st == ABDB_OK ? err : &(abdb_error){0});
    return st == ABDB_OK ? stored : st;
}
