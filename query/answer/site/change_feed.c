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

/* One row as both feeds have it. Texts belong to the table's arena. */
typedef struct {
    const char *title; /* "mlperf-checker: results of inference v6.1 (492)" */
    const char *summary, *url;
    char id[48], time[32];
} change_item;

/* An RFC 9562 identifier of version 8 out of a digest. */
static void uuid_of_words(const char *words, char out[48])
{
    char hex[ABDB_SHA256_HEX];

    abdb_sha256_hex(words, strlen(words), hex);
    snprintf(out, 48, "urn:uuid:%.8s-%.4s-8%.3s-8%.3s-%.12s", hex, hex + 8, hex + 12, hex + 15,
             hex + 18);
}

/* A cell, copied without control characters. */
static const char *plain_cell(abdb_table *changes, size_t row, const char *column)
{
    abdb_text plain = {0};
    const char *copy;

    abdb_text_append_sanitized(&plain, abdb_table_cell_text_or_empty(changes, row, column));
    copy = abdb_table_copy_text(changes, abdb_text_get(&plain));
    abdb_text_free(&plain);
    return copy;
}

/* The item of a row; its address is empty where the source has none of the web. */
static change_item item_of_row(abdb_table *changes, size_t row)
{
    const char *change = plain_cell(changes, row, "change"), *day = plain_cell(changes, row, "day"),
               *url = plain_cell(changes, row, "url");
    bool added = strcmp(change, "added") == 0,
         web = strncmp(url, "https://", 8) == 0 || strncmp(url, "http://", 7) == 0;
    change_item item = {.summary = plain_cell(changes, row, "title"), .url = web ? url : ""};

    item.title = abdb_arena_printf(&changes->arena, "%s: %s (%s)",
                                   added ? plain_cell(changes, row, "source") : "withdrawn",
                                   plain_cell(changes, row, "what"), plain_cell(changes, row, "n"));
    snprintf(item.time, sizeof item.time,
             strlen(day) == 10 ? "%sT00:00:00Z" : "1970-01-01T00:00:00Z", day);
    uuid_of_words(abdb_arena_printf(&changes->arena, "%s %s", item.time, item.title), item.id);
    return item;
}

static void write_atom_entry(FILE *out, const change_item *item)
{
    fputs("<entry><title>", out);
    abdb_write_html_escaped(out, item->title);
    abdb_print_sanitized(out, "</title><id>%s</id><updated>%s</updated>\n", item->id, item->time);
    fputs("<link rel=\"alternate\" href=\"sources.html\"/>", out);
    if (*item->url) {
        fputs("<link rel=\"via\" href=\"", out);
        abdb_write_html_escaped(out, item->url);
        fputs("\"/>", out);
    }
    fputs("<summary>", out);
    abdb_write_html_escaped(out, item->summary);
    fputs("</summary></entry>\n", out);
}

/* Writes the feed of RFC 4287. */
static abdb_status write_atom_feed(const abdb_site *site, const change_item *items, size_t count,
                                   abdb_error *err)
{
    abdb_outfile made;
    FILE *out = abdb_site_open_output_file(&made, site, "changes.atom", err);
    char id[48];

    if (!out) return ABDB_IO;
    uuid_of_words(site->origin, id);
    fputs("<?xml version=\"1.0\" encoding=\"utf-8\"?>\n<feed xmlns=\"http://www.w3.org/2005/Atom\">"
          "<title>Changes of ",
          out);
    abdb_write_html_escaped(out, site->origin);
    abdb_print_sanitized(out,
                         "</title><id>%s</id><updated>%s</updated>"
                         "<author><name>abdb " ABDB_VERSION "</name></author>\n"
                         "<link rel=\"self\" href=\"changes.atom\"/>\n",
                         id, items[0].time);
    for (size_t i = 0; i < count; i++) write_atom_entry(out, &items[i]);
    fputs("</feed>\n", out);
    return abdb_outfile_commit(&made, err);
}

/* Writes the feed of jsonfeed.org, version 1.1. */
static abdb_status write_json_feed(const abdb_site *site, const change_item *items, size_t count,
                                   abdb_error *err)
{
    json_t *list = json_array(),
           *feed = json_pack("{s:s,s:o,s:s,s:s,s:o}", "version", "https://jsonfeed.org/version/1.1",
                             "title", json_sprintf("Changes of %s", site->origin), "home_page_url",
                             "index.html", "feed_url", "changes.json", "items", list);
    abdb_outfile made;
    char *text = NULL;
    FILE *out;

    for (size_t i = 0; i < count; i++)
        json_array_append_new(list,
                              json_pack("{s:s,s:s,s:s,s:s,s:s,s:s*}", "id", items[i].id, "title",
                                        items[i].title, "url", "sources.html", "date_published",
                                        items[i].time, "content_text", items[i].summary,
                                        "external_url", *items[i].url ? items[i].url : NULL));
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
    change_item *items = NULL;
    abdb_status st = ABDB_OK;

    TRY(abdb_report_load(&report, "changes", err));
    TRY(abdb_report_run_into_table(site->db, &report, value, &changes, err));
    if (!changes.rows) goto done;
    items = calloc(changes.rows, sizeof *items);
    if (!items) TRY(ABDB_FAIL(err, ABDB_NOMEM, "changes.atom"));
    for (size_t row = 0; row < changes.rows; row++) items[row] = item_of_row(&changes, row);
    TRY(write_atom_feed(site, items, changes.rows, err));
    TRY(write_json_feed(site, items, changes.rows, err));
done:
    free(items);
    abdb_table_free(&changes);
    abdb_report_free(&report);
    return st;
}
