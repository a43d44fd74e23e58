/* manifest_verify.c - do the facts of a database still give a page of the site? By its manifest
 * (manifest.c). */
#include <stdlib.h>

#include "query/answer/provenance_rows.h"
#include "query/answer/sql_rows.h"
#include "query/answer/site/site.h"

enum { KEY_MOST = 200 };

static const char *json_member_text_or_empty(const json_t *object, const char *name)
{
    const char *text = json_string_value(json_object_get(object, name));

    return text ? text : "";
}

/* The name of a row: its first text. */
static const char *first_unhidden_text_of_row(const abdb_table *t, size_t row)
{
    for (size_t c = 0; c < t->columns; c++)
        if (t->column[c].name[0] != '_' && t->value[row * t->columns + c].kind == ABDB_STRING)
            return t->value[row * t->columns + c].text;
    return "";
}

/* The rows of then and of now without an equal row on the other side, by their prints; two rows of
 * one fact are one changed row. */
static abdb_status append_differences_of_rows_by_digest_or_key(abdb_verifier *c, const json_t *then,
                                                               const json_t *now,
                                                               const abdb_table *t, abdb_error *err)
{
    const json_t *old = json_object_get(then, "prints"), *new = json_object_get(now, "prints"),
                 *old_key = json_object_get(then, "keys"), *new_key = json_object_get(now, "keys");
    size_t before = json_array_size(old), after = json_array_size(new);
    bool *met = calloc(before + 1, sizeof *met), *taken = calloc(after + 1, sizeof *taken);
    abdb_status st = ABDB_OK;

    if (!met || !taken) TRY(ABDB_FAIL(err, ABDB_NOMEM, "%s", c->file));
    for (size_t by_key = 0; by_key < 2; by_key++)
        for (size_t i = 0; i < before; i++) {
            const json_t *mine = by_key ? old_key : old, *others = by_key ? new_key : new;
            size_t k = 0;

            while (k < after && (taken[k] || strcmp(abdb_json_array_text_or_empty(mine, i),
                                                    abdb_json_array_text_or_empty(others, k)) != 0))
                k++;
            if (met[i] || k == after || !*abdb_json_array_text_or_empty(mine, i)) continue;
            met[i] = taken[k] = true;
            if (by_key)
                TRY(abdb_verify_append_difference_row(
                    c, "changed", first_unhidden_text_of_row(t, k), NULL, NULL, NULL,
                    abdb_json_array_text_or_empty(new_key, k), err));
        }
    for (size_t i = 0; i < before; i++)
        if (!met[i])
            TRY(abdb_verify_append_row_why_fact_missing(
                c, abdb_json_array_text_or_empty(old_key, i), NULL, err));
    for (size_t k = 0; k < after; k++)
        if (!taken[k])
            TRY(abdb_verify_append_difference_row(c, "added", first_unhidden_text_of_row(t, k),
                                                  NULL, NULL, NULL,
                                                  abdb_json_array_text_or_empty(new_key, k), err));
done:
    free(met);
    free(taken);
    return st;
}

/* The page of that kind and name, asked of this database; said: its parameters. */
static abdb_status rerun_page_query(abdb_verifier *c, const json_t *manifest, const char *kind,
                                    const char *name, const char *today, abdb_site_page *page,
                                    abdb_error *err)
{
    const char *value[ABDB_PARAM_COUNT] = {0};
    abdb_plot *plot = &page->plot;
    abdb_status st;

    page->drawn = strcmp(kind, "figure") == 0;
    st = page->drawn ? abdb_plot_load(plot, name, err) : abdb_report_load(&plot->report, name, err);
    if (st == ABDB_OK)
        st = abdb_verify_read_recorded_parameters(c->file, manifest, &plot->report, value, err);
    for (size_t p = 0; p < plot->report.params && st == ABDB_OK; p++)
        if (!value[p] && *today && strcmp(plot->report.param[p].name, "today") == 0)
            value[p] = today;
    if (st != ABDB_OK) return st;
    st = page->drawn ? abdb_plot_run_report_and_build_script(plot, c->db, value, NULL, err)
                     : abdb_plot_run_report(plot, c->db, value, err);
    /* Too little left to draw is reported as changed rows. */
    return st == ABDB_DATA ? ABDB_OK : st;
}

/* Runs the query of a page again, and reports the rows that changed since, if the page would
 * differ. */
static abdb_status append_differences_of_figure_or_report_page(abdb_verifier *c,
                                                               const json_t *manifest,
                                                               const char *kind, abdb_error *err)
{
    abdb_site_page page = {0};
    json_t *now = NULL;
    abdb_status st = ABDB_OK;

    TRY(rerun_page_query(c, manifest, kind, json_member_text_or_empty(manifest, kind), "", &page,
                         err));
    now = abdb_figure_or_report_page_manifest(&page, json_object());
    if (strcmp(json_member_text_or_empty(now, "data"),
               json_member_text_or_empty(manifest, "data")) != 0) {
        c->verdict->changed = true;
        TRY(append_differences_of_rows_by_digest_or_key(c, manifest, now, &page.plot.table, err));
    } else if (strcmp(json_member_text_or_empty(now, "script"),
                      json_member_text_or_empty(manifest, "script")) != 0)
        TRY(abdb_verify_append_difference_row(c, "drawn otherwise now: another abdb or figure",
                                              NULL, NULL, NULL, NULL, NULL, err));
done:
    json_decref(now);
    abdb_plot_free(&page.plot);
    return st;
}

/* Reports keys of then that are missing now, and keys of now that were missing then. */
static abdb_status append_differences_of_keys(abdb_verifier *c, const json_t *then,
                                              const json_t *now, abdb_error *err)
{
    const char *key;
    json_t *value;
    size_t before = c->out->rows;
    abdb_status st = ABDB_OK;

    c->verdict->changed = true;
    json_object_foreach((json_t *)(uintptr_t)then, key, value)
    {
        if (!json_object_get(now, key))
            TRY(abdb_verify_append_row_why_fact_missing(c, key, NULL, err));
    }
    json_object_foreach((json_t *)(uintptr_t)now, key, value)
    {
        if (!json_object_get(then, key))
            TRY(abdb_verify_append_difference_row(c, "added", NULL, NULL, NULL, NULL, key, err));
    }
    if (c->out->rows == before)
        TRY(abdb_verify_append_difference_row(c, "changed", NULL, NULL, NULL, NULL, NULL, err));
done:
    return st;
}

/* The names of the rows of a source's page. */
static json_t *collect_row_ids_of_html_as_json_set(const char *html)
{
    static const char mark[] = "<tr id=\"";
    json_t *keys = json_object();

    while ((html = strstr(html, mark))) {
        char key[KEY_MOST];
        size_t size = strcspn(html += sizeof mark - 1, "\"");

        snprintf(key, sizeof key, "%.*s", (int)(size < KEY_MOST ? size : KEY_MOST - 1), html);
        json_object_set_new(keys, key, json_true()); /* words to a query, whatever they are */
    }
    return keys;
}

/* Reports the facts of a source that the page has and the database has no longer, or the reverse.
 */
static abdb_status append_differences_of_source_page(abdb_verifier *c, const json_t *manifest,
                                                     const char *html, abdb_error *err)
{
    json_t *then = collect_row_ids_of_html_as_json_set(html), *now = json_object(), *made = NULL,
           *value;
    const char *source = json_member_text_or_empty(manifest, "source"), *key;
    abdb_text words = {0};
    abdb_fact_index facts = {0};
    size_t first, next;
    abdb_status st = ABDB_OK;

    json_object_foreach(then, key, value) abdb_text_printf(&words, " %s", key);
    if (words.failed) TRY(ABDB_FAIL(err, ABDB_NOMEM, "%s", c->file));
    TRY(abdb_fact_index_load_and_sort(&facts, c->db, abdb_text_get(&words), err));
    for (first = 0; first < facts.table.rows; first++)
        if (strcmp(abdb_fact_cell_text_or_empty(&facts, facts.by_source[first], "source"),
                   source) == 0)
            break;
    for (next = first; next < facts.table.rows; next++) {
        if (strcmp(abdb_fact_cell_text_or_empty(&facts, facts.by_source[next], "source"), source) !=
            0)
            break;
        json_object_set_new(now, abdb_fact_cell_text_or_empty(&facts, facts.by_source[next], "key"),
                            json_true());
    }
    if (first < next) made = abdb_source_page_manifest(&facts, first, next);
    if (strcmp(json_member_text_or_empty(made, "data"),
               json_member_text_or_empty(manifest, "data")) != 0)
        TRY(append_differences_of_keys(c, then, now, err));
done:
    json_decref(then);
    json_decref(now);
    json_decref(made);
    abdb_text_free(&words);
    abdb_fact_index_free(&facts);
    return st;
}

/* The keys of the results in the JSON of explore.html. */
static json_t *collect_result_keys_of_explore_json(const char *json, size_t size)
{
    json_t *data = json_loadb(json, size, 0, NULL), *keys = json_object(), *row;
    size_t i;

    json_array_foreach(json_object_get(data, "rows"), i, row)
        json_object_set_new(keys, abdb_json_array_text_or_empty(row, 0), json_true());
    json_decref(data);
    return keys;
}

/* Reports results that were added or removed since explore.html was written. */
static abdb_status append_differences_of_explore_page(abdb_verifier *c, const json_t *manifest,
                                                      const char *html, abdb_error *err)
{
    static const char mark[] = "id=\"data\">";
    abdb_site site = {.db = c->db};
    const char *at = strstr(html, mark), *now;
    json_t *made = NULL, *then_keys = NULL, *now_keys = NULL;
    abdb_status st = ABDB_OK;

    TRY(abdb_site_load_explore_data(&site, err));
    made = abdb_explore_page_manifest(&site);
    if (strcmp(json_member_text_or_empty(made, "data"),
               json_member_text_or_empty(manifest, "data")) == 0)
        goto done;
    now = abdb_site_has_explore_data(&site) ? site.explore.value[0].text : "null";
    at = at ? at + sizeof mark - 1 : "";
    then_keys = collect_result_keys_of_explore_json(at, strcspn(at, "<"));
    now_keys = collect_result_keys_of_explore_json(now, strlen(now));
    TRY(append_differences_of_keys(c, then_keys, now_keys, err));
done:
    json_decref(made);
    json_decref(then_keys);
    json_decref(now_keys);
    abdb_table_free(&site.explore);
    return st;
}

static abdb_status append_differences_of_try_page(abdb_verifier *c, const json_t *manifest,
                                                  abdb_error *err)
{
    json_t *now = abdb_try_page_manifest(c->db, NULL, err);
    abdb_status st = ABDB_OK;

    if (!now) return err->status;
    if (strcmp(json_member_text_or_empty(now, "data"),
               json_member_text_or_empty(manifest, "data")) != 0) {
        c->verdict->changed = true;
        TRY(abdb_verify_append_difference_row(c, "changed", "the facts of the database", NULL, NULL,
                                              NULL, NULL, err));
    }
done:
    json_decref(now);
    return st;
}

/* One page that a list names: is it made of the same? name: "figure NAME". */
static abdb_status append_difference_if_listed_page_changed(abdb_verifier *c, const char *name,
                                                            const char *digest, const char *today,
                                                            abdb_error *err)
{
    const char *whole = name;
    char kind[8], now[ABDB_SHA256_HEX];
    size_t size = strcspn(name, " ");
    abdb_site_page page = {0};
    abdb_table titles = {0};
    json_t *none = json_object(), *rows = NULL;
    abdb_status st = ABDB_OK;

    snprintf(kind, sizeof kind, "%.*s", (int)size, name);
    name += size + (name[size] == ' ');
    if (strcmp(kind, "source") == 0) {
        TRY(abdb_query_to_table(c->db->sql, "SELECT title FROM v_source WHERE source = ?1",
                                &(abdb_binds){1, {{name, 0}}}, &titles, err));
        if (titles.rows)
            abdb_sha256_hex(abdb_cell_text_or_empty(&titles, 0, 0),
                            strlen(abdb_cell_text_or_empty(&titles, 0, 0)), now);
    } else {
        TRY(rerun_page_query(c, none, kind, name, today, &page, err));
        rows = abdb_provenance_columns_rows_keys_json(&page.plot.table);
        abdb_json_sha256(rows, now);
    }
    if ((rows || titles.rows) && strncmp(now, digest, ABDB_PRINT) == 0) goto done;
    c->verdict->changed = true;
    TRY(abdb_verify_append_difference_row(c, "changed", whole, NULL, NULL, NULL, NULL, err));
done:
    json_decref(none);
    json_decref(rows);
    abdb_table_free(&titles);
    abdb_plot_free(&page.plot);
    return st;
}

abdb_status abdb_verify_site_page(abdb_verifier *c, const json_t *manifest,
                                  const abdb_text *page_html, abdb_error *err)
{
    const char *kind = json_member_text_or_empty(manifest, "page"),
               *html = abdb_text_get(page_html), *name;
    json_t *of = json_object_get(manifest, "of"), *digest;
    abdb_status st = ABDB_OK;

    if (strcmp(kind, "figure") == 0 || strcmp(kind, "report") == 0)
        return append_differences_of_figure_or_report_page(c, manifest, kind, err);
    if (strcmp(kind, "source") == 0)
        return append_differences_of_source_page(c, manifest, html, err);
    if (strcmp(kind, "explore") == 0)
        return append_differences_of_explore_page(c, manifest, html, err);
    if (strcmp(kind, "try") == 0) return append_differences_of_try_page(c, manifest, err);
    if (strcmp(kind, "list") != 0)
        return ABDB_FAIL(err, ABDB_FORMAT, "%s: what it carries is no word of abdb's", c->file);
    json_object_foreach(of, name, digest)
    {
        const char *text = json_string_value(digest);

        TRY(append_difference_if_listed_page_changed(
            c, name, text ? text : "", json_member_text_or_empty(manifest, "today"), err));
    }
done:
    return st;
}
