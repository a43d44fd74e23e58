/* change_feed.c - changes.atom and changes.json: what was added and withdrawn, the newest first.
 * Rows of the report changes; an entry's identifier is a digest of its words, so that it stays when
 * the site is written again. */
#include <stdlib.h>
#include <string.h>

#include "query/answer/escape.h"
#include "query/answer/output.h"
#include "query/answer/report.h"
#include "query/answer/site/site.h"
#include "schema/core/sanitize_text.h"
#include "schema/core/version.h"

/* An RFC 9562 identifier of version 8 out of a digest. */
static void uuid_of_words(const char *words, char out[48])
{
    char hex[ABDB_SHA256_HEX];

    abdb_sha256_hex(words, strlen(words), hex);
    snprintf(out, 48, "urn:uuid:%.8s-%.4s-8%.3s-8%.3s-%.12s", hex, hex + 8, hex + 12, hex + 15,
             hex + 18);
}

/* The title of an entry, as "mlperf-checker: results of inference v6.1 (492)"; from the table's
 * arena, without control characters. NULL: no memory. */
static const char *title_of_change(abdb_table *changes, size_t row)
{
    const char *source = abdb_table_copy_text(
                   changes, abdb_table_cell_text_or_empty(changes, row, "source")),
               *what = abdb_table_copy_text(changes,
                                            abdb_table_cell_text_or_empty(changes, row, "what")),
               *n = abdb_table_copy_text(changes, abdb_table_cell_text_or_empty(changes, row, "n")),
               *title = NULL;
    bool added = strcmp(abdb_table_cell_text_or_empty(changes, row, "change"), "added") == 0;
    abdb_text plain = {0};

    abdb_text_append_sanitized(&plain, abdb_arena_printf(&changes->arena, "%s: %s (%s)",
                                                         added ? source : "withdrawn", what, n));
    if (!plain.failed) title = abdb_table_copy_text(changes, abdb_text_get(&plain));
    abdb_text_free(&plain);
    return title;
}

/* The address of the source where it is one of the web, else "". */
static const char *web_address_of_source(const abdb_table *changes, size_t row)
{
    const char *url = abdb_table_cell_text_or_empty(changes, row, "url");

    return strncmp(url, "https://", 8) == 0 || strncmp(url, "http://", 7) == 0 ? url : "";
}

/* The day of a row as a time, "" where the row has no whole day. */
static void time_of_change(const abdb_table *changes, size_t row, char out[32])
{
    const char *day = abdb_table_cell_text_or_empty(changes, row, "day");

    snprintf(out, 32, strlen(day) == 10 ? "%sT00:00:00Z" : "1970-01-01T00:00:00Z", day);
}

static void write_atom_entry(FILE *out, abdb_table *changes, size_t row)
{
    const char *title = title_of_change(changes, row);
    char id[48], when[32];

    time_of_change(changes, row, when);
    uuid_of_words(abdb_arena_printf(&changes->arena, "%s %s", when, title), id);
    fputs("<entry><title>", out);
    abdb_write_html_escaped(out, title);
    abdb_print_sanitized(out, "</title><id>%s</id><updated>%s</updated>\n", id, when);
    fputs("<link rel=\"alternate\" href=\"sources.html\"/>", out);
    if (*web_address_of_source(changes, row)) {
        fputs("<link rel=\"via\" href=\"", out);
        abdb_write_html_escaped(out, web_address_of_source(changes, row));
        fputs("\"/>", out);
    }
    fputs("<summary>", out);
    abdb_write_html_escaped(out, abdb_table_cell_text_or_empty(changes, row, "title"));
    fputs("</summary></entry>\n", out);
}

/* Writes the feed of RFC 4287. */
static abdb_status write_atom_feed(const abdb_site *site, abdb_table *changes, abdb_error *err)
{
    abdb_outfile made;
    FILE *out = abdb_site_open_output_file(&made, site, "changes.atom", err);
    char id[48], when[32];

    if (!out) return ABDB_IO;
    time_of_change(changes, 0, when);
    uuid_of_words(site->origin, id);
    fputs("<?xml version=\"1.0\" encoding=\"utf-8\"?>\n<feed xmlns=\"http://www.w3.org/2005/Atom\">"
          "<title>Changes of ",
          out);
    abdb_write_html_escaped(out, site->origin);
    abdb_print_sanitized(out,
                         "</title><id>%s</id><updated>%s</updated>"
                         "<author><name>abdb " ABDB_VERSION "</name></author>\n"
                         "<link rel=\"self\" href=\"changes.atom\"/>\n",
                         id, when);
    for (size_t row = 0; row < changes->rows; row++) write_atom_entry(out, changes, row);
    fputs("</feed>\n", out);
    return abdb_outfile_commit(&made, err);
}

/* Writes the feed of jsonfeed.org, version 1.1. */
static abdb_status write_json_feed(const abdb_site *site, abdb_table *changes, abdb_error *err)
{
    json_t *items = json_array(),
           *feed = json_pack("{s:s,s:o,s:s,s:s,s:o}", "version", "https://jsonfeed.org/version/1.1",
                             "title", json_sprintf("Changes of %s", site->origin), "home_page_url",
                             "index.html", "feed_url", "changes.json", "items", items);
    abdb_outfile made;
    char *text = NULL;
    FILE *out;

    for (size_t row = 0; row < changes->rows; row++) {
        const char *title = title_of_change(changes, row),
                   *url = web_address_of_source(changes, row);
        char id[48], when[32];

        time_of_change(changes, row, when);
        uuid_of_words(abdb_arena_printf(&changes->arena, "%s %s", when, title), id);
        json_array_append_new(items, json_pack("{s:s,s:s,s:s,s:s,s:s,s:s*}", "id", id, "title",
                                               title, "url", "sources.html", "date_published", when,
                                               "content_text",
                                               abdb_table_cell_text_or_empty(changes, row, "title"),
                                               "external_url", *url ? url : NULL));
    }
    if (feed) text = json_dumps(feed, JSON_INDENT(1));
    json_decref(feed);
    if (!text) return ABDB_FAIL(err, ABDB_NOMEM, "changes.json");
    out = abdb_site_open_output_file(&made, site, "changes.json", err);
    if (out) abdb_write_sanitized_if_terminal(out, text, strlen(text));
    free(text);
    return out ? abdb_outfile_commit(&made, err) : ABDB_IO;
}

abdb_status abdb_site_write_change_feeds(const abdb_site *site, abdb_error *err)
{
    const char *value[ABDB_PARAM_COUNT] = {NULL};
    abdb_report report = {0};
    abdb_table changes = {0};
    abdb_status st = ABDB_OK;

    TRY(abdb_report_load(&report, "changes", err));
    TRY(abdb_report_run_into_table(site->db, &report, value, &changes, err));
    if (changes.rows) TRY(write_atom_feed(site, &changes, err));
    if (changes.rows) TRY(write_json_feed(site, &changes, err));
done:
    abdb_table_free(&changes);
    abdb_report_free(&report);
    return st;
}
