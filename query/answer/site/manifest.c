/* manifest.c - the manifest of each page of the site for `abdb verify`; see site.h.
 *
 * All have `page` (figure, report, source, explore, try, list), `data`, a SHA-256 of the page's
 * data, and `bytes`, one of the page without the object. A figure or report has its
 * `parameters`, and of each row eight digits of a digest (`prints`) and the key of its first fact
 * (`keys`); a source's page has keys as the names of its rows, explore.html in its data; a list
 * has the data of each page that it names. The data of try.html are the keys of all facts, and it
 * has the digest of the script beside it (`files`). */
#include <jansson.h>
#include <stdlib.h>

#include "plots/provenance.h"
#include "query/answer/provenance_rows.h"
#include "query/answer/sql_rows.h"
#include "query/answer/output.h"
#include "query/answer/site/site.h"
#include "schema/core/version.h"

void abdb_json_sha256(const json_t *object, char out[ABDB_SHA256_HEX])
{
    size_t size;

    abdb_provenance_compact_json_sha256(object, out, &size);
}

/* Adds data, prints and keys of a table. */
static void add_data_digest_row_digests_and_keys(json_t *manifest, const abdb_table *t)
{
    json_t *rows = abdb_provenance_columns_rows_keys_json(t), *prints = json_array(),
           *keys = json_array();
    char digest[ABDB_SHA256_HEX];

    abdb_json_sha256(rows, digest);
    json_object_set_new(manifest, "data", json_string(digest));
    for (size_t r = 0; r < t->rows; r++) {
        const char *key = json_string_value(json_array_get(json_object_get(rows, "keys"), r));

        abdb_json_sha256(json_array_get(json_object_get(rows, "rows"), r), digest);
        json_array_append_new(prints, json_stringn(digest, ABDB_PRINT));
        json_array_append_new(keys, json_stringn(key ? key : "", key ? strcspn(key, " ") : 0));
    }
    json_object_set_new(manifest, "prints", prints);
    json_object_set_new(manifest, "keys", keys);
    json_decref(rows);
}

json_t *abdb_figure_or_report_page_manifest(const abdb_site_page *page, json_t *files)
{
    const abdb_plot *plot = &page->plot;
    const char *kind = page->drawn ? "figure" : "report",
               *name = page->drawn ? plot->figure.name : plot->report.name;
    json_t *said = json_pack("{s:s, s:s, s:o, s:o}", "page", kind, kind, name, "parameters",
                             abdb_provenance_given_parameters_json(plot), "files", files);
    char digest[ABDB_SHA256_HEX];

    if (!said) return NULL;
    add_data_digest_row_digests_and_keys(said, &plot->table);
    if (page->drawn) {
        abdb_sha256_hex(abdb_text_get(&plot->script), plot->script.size, digest);
        json_object_set_new(said, "script", json_string(digest));
    }
    return said;
}

json_t *abdb_source_page_manifest(const abdb_fact_index *facts, size_t first, size_t end)
{
    json_t *rows = json_array();
    const char *source = abdb_fact_cell_text_or_empty(facts, facts->by_source[first], "source");
    char digest[ABDB_SHA256_HEX];

    for (size_t i = first; i < end; i++)
        json_array_append_new(
            rows, abdb_provenance_row_visible_cells_json(&facts->table, facts->by_source[i]));
    abdb_json_sha256(rows, digest);
    json_decref(rows);
    return json_pack("{s:s, s:o, s:s}", "page", "source", "source",
                     abdb_json_string_sanitized_if_invalid(source), "data", digest);
}

static json_t *manifest_with_text_digest(const char *page_kind, const char *text)
{
    char digest[ABDB_SHA256_HEX];

    abdb_sha256_hex(text, strlen(text), digest);
    return json_pack("{s:s, s:s}", "page", page_kind, "data", digest);
}

json_t *abdb_explore_page_manifest(const abdb_site *site)
{
    return manifest_with_text_digest(
        "explore", abdb_site_has_explore_data(site) ? site->explore.value[0].text : "null");
}

json_t *abdb_try_page_manifest(abdb_db *db, const char *file_digest, abdb_error *err)
{
    static const char sql[] = "SELECT coalesce(group_concat(key, ' '), '') FROM"
                              " (SELECT key FROM v_fact ORDER BY key)";
    abdb_table keys = {0};
    json_t *said = NULL;

    if (abdb_run_readonly_sql(db, sql, NULL, NULL, &keys, err) == ABDB_OK) {
        said = manifest_with_text_digest("try", abdb_cell_text_or_empty(&keys, 0, 0));
        if (!said) (void)!ABDB_FAIL(err, ABDB_NOMEM, "try.html");
    }
    if (said && file_digest)
        json_object_set_new(said, "files", json_pack("{s:s}", "try-data.js", file_digest));
    abdb_table_free(&keys);
    return said;
}

/* Adds the digest of a source's title to a list. */
static void add_source_title_digest(json_t *list, const char *source, const char *title)
{
    char name[256], digest[ABDB_SHA256_HEX];

    snprintf(name, sizeof name, "source %.200s", source);
    abdb_sha256_hex(title, strlen(title), digest);
    json_object_set_new(list, name, json_stringn(digest, ABDB_PRINT));
}

json_t *abdb_list_page_manifest(const abdb_site *site, bool figures, bool reports, bool sources)
{
    json_t *list = json_object();
    const abdb_fact_index *facts = &site->facts;
    char digest[ABDB_SHA256_HEX], name[256];

    for (size_t i = 0; i < site->pages; i++) {
        const abdb_site_page *page = &site->page[i];
        json_t *rows;

        if (!(page->drawn ? figures : reports)) continue;
        rows = abdb_provenance_columns_rows_keys_json(&page->plot.table);
        abdb_json_sha256(rows, digest);
        json_decref(rows);
        snprintf(name, sizeof name, "%s %.200s", page->drawn ? "figure" : "report",
                 page->drawn ? page->plot.figure.name : page->plot.report.name);
        json_object_set_new(list, name, json_stringn(digest, ABDB_PRINT));
    }
    for (size_t i = 0; sources && i < facts->table.rows; i++)
        add_source_title_digest(list,
                                abdb_fact_cell_text_or_empty(facts, facts->by_source[i], "source"),
                                abdb_fact_cell_text_or_empty(facts, facts->by_source[i], "title"));
    abdb_json_sha256(list, digest);
    return json_pack("{s:s, s:s, s:s, s:o}", "page", "list", "data", digest, "today", site->today,
                     "of", list);
}

FILE *abdb_page_buffer_open(abdb_page_buffer *sheet)
{
    *sheet = (abdb_page_buffer){0};
    sheet->out = open_memstream(&sheet->data, &sheet->size);
    return sheet->out;
}

abdb_status abdb_page_write_with_manifest_and_free_both(abdb_page_buffer *sheet,
                                                        const abdb_site *site, const char *file,
                                                        json_t *manifest, abdb_error *err)
{
    char digest[ABDB_SHA256_HEX], *json = NULL;
    bool whole = sheet->out && fclose(sheet->out) == 0 && manifest;
    abdb_outfile made = {0};
    abdb_text page = {0};
    FILE *out;
    abdb_status st = ABDB_OK;

    if (!whole) TRY(ABDB_FAIL(err, ABDB_NOMEM, "%s", file));
    abdb_sha256_hex(sheet->data, sheet->size, digest);
    json_object_set_new(manifest, "abdb", json_string(ABDB_VERSION));
    json_object_set_new(manifest, "bytes", json_string(digest));
    json = json_dumps(manifest, JSON_COMPACT | JSON_ENSURE_ASCII);
    if (json) abdb_provenance_embed_in_page(sheet->data, sheet->size, json, &page);
    if (!json || page.failed) TRY(ABDB_FAIL(err, ABDB_NOMEM, "%s", file));
    out = abdb_site_open_output_file(&made, site, file, err);
    st = out ? ABDB_OK : ABDB_IO;
    if (out) {
        abdb_write_sanitized_if_terminal(out, page.data, page.size);
        st = abdb_outfile_commit(&made, err);
    }
done:
    free(json);
    free(sheet->data);
    json_decref(manifest);
    abdb_text_free(&page);
    return st;
}
