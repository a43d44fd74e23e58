/* carried_check.c - do the facts of a database still give a page of the site? By what it carries
 * (carried.c). */
#include <stdlib.h>

#include "query/answer/proof_rows.h"
#include "query/answer/rows.h"
#include "query/answer/site/site.h"

enum { KEY_MOST = 200 };

static const char *text_of(const json_t *object, const char *name)
{
    const char *text = json_string_value(json_object_get(object, name));

    return text ? text : "";
}

static const char *text_at(const json_t *array, size_t i)
{
    const char *text = json_string_value(json_array_get(array, i));

    return text ? text : "";
}

/* What a row is called: its first text. */
static const char *name_of(const abdb_table *t, size_t row)
{
    for (size_t c = 0; c < t->columns; c++)
        if (t->column[c].name[0] != '_' && t->value[row * t->columns + c].kind == ABDB_STRING)
            return t->value[row * t->columns + c].text;
    return "";
}

/* The rows of then and of now that are no longer each other's, by their prints; those of one fact
 * are one row that changed. */
static abdb_status compare_prints(abdb_checker *c, const json_t *then, const json_t *now,
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

            while (k < after && (taken[k] || strcmp(text_at(mine, i), text_at(others, k)) != 0))
                k++;
            if (met[i] || k == after || !*text_at(mine, i)) continue;
            met[i] = taken[k] = true;
            if (by_key)
                TRY(abdb_check_add(c, "changed", name_of(t, k), NULL, NULL, NULL,
                                   text_at(new_key, k), err));
        }
    for (size_t i = 0; i < before; i++)
        if (!met[i]) TRY(abdb_check_lost(c, text_at(old_key, i), NULL, err));
    for (size_t k = 0; k < after; k++)
        if (!taken[k])
            TRY(abdb_check_add(c, "added", name_of(t, k), NULL, NULL, NULL, text_at(new_key, k),
                               err));
done:
    free(met);
    free(taken);
    return st;
}

/* The page of that kind and name, asked of this database; said: its parameters. */
static abdb_status ask_again(abdb_checker *c, const json_t *said, const char *kind,
                             const char *name, const char *today, abdb_page *page, abdb_error *err)
{
    const char *value[ABDB_PARAM_COUNT] = {0};
    abdb_plot *plot = &page->plot;
    abdb_status st;

    page->drawn = strcmp(kind, "figure") == 0;
    st = page->drawn ? abdb_plot_load(plot, name, err) : abdb_report_load(&plot->report, name, err);
    if (st == ABDB_OK) st = abdb_check_values(c->file, said, &plot->report, value, err);
    for (size_t p = 0; p < plot->report.params && st == ABDB_OK; p++)
        if (!value[p] && *today && strcmp(plot->report.param[p].name, "today") == 0)
            value[p] = today;
    if (st != ABDB_OK) return st;
    st = page->drawn ? abdb_plot_fill(plot, c->db, value, NULL, err)
                     : abdb_plot_answer(plot, c->db, value, err);
    /* Too little left to draw is a change that rows tell. */
    return st == ABDB_DATA ? ABDB_OK : st;
}

static abdb_status check_plot(abdb_checker *c, const json_t *said, const char *kind,
                              abdb_error *err)
{
    abdb_page page = {0};
    json_t *now = NULL;
    abdb_status st = ABDB_OK;

    TRY(ask_again(c, said, kind, text_of(said, kind), "", &page, err));
    now = abdb_carried_by_page(&page);
    if (strcmp(text_of(now, "data"), text_of(said, "data")) != 0) {
        c->verdict->changed = true;
        TRY(compare_prints(c, said, now, &page.plot.table, err));
    } else if (strcmp(text_of(now, "script"), text_of(said, "script")) != 0)
        TRY(abdb_check_add(c, "drawn otherwise now: another abdb or figure", NULL, NULL, NULL, NULL,
                           NULL, err));
done:
    json_decref(now);
    abdb_plot_free(&page.plot);
    return st;
}

/* Says which keys of then are not among those of now, and the other way round. */
static abdb_status compare_keys(abdb_checker *c, const json_t *then, const json_t *now,
                                abdb_error *err)
{
    const char *key;
    json_t *value;
    size_t before = c->out->rows;
    abdb_status st = ABDB_OK;

    c->verdict->changed = true;
    json_object_foreach((json_t *)(uintptr_t)then, key, value)
    {
        if (!json_object_get(now, key)) TRY(abdb_check_lost(c, key, NULL, err));
    }
    json_object_foreach((json_t *)(uintptr_t)now, key, value)
    {
        if (!json_object_get(then, key))
            TRY(abdb_check_add(c, "added", NULL, NULL, NULL, NULL, key, err));
    }
    if (c->out->rows == before)
        TRY(abdb_check_add(c, "changed", NULL, NULL, NULL, NULL, NULL, err));
done:
    return st;
}

/* The names of the rows of a source's page. */
static json_t *keys_in(const char *html)
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

static abdb_status check_source(abdb_checker *c, const json_t *said, const char *html,
                                abdb_error *err)
{
    json_t *then = keys_in(html), *now = json_object(), *made = NULL, *value;
    const char *source = text_of(said, "source"), *key;
    abdb_text words = {0};
    abdb_facts facts = {0};
    size_t first, next;
    abdb_status st = ABDB_OK;

    json_object_foreach(then, key, value) abdb_text_printf(&words, " %s", key);
    if (words.failed) TRY(ABDB_FAIL(err, ABDB_NOMEM, "%s", c->file));
    TRY(abdb_facts_find(&facts, c->db, abdb_text_get(&words), err));
    for (first = 0; first < facts.table.rows; first++)
        if (strcmp(abdb_facts_cell(&facts, facts.by_source[first], "source"), source) == 0) break;
    for (next = first; next < facts.table.rows; next++) {
        if (strcmp(abdb_facts_cell(&facts, facts.by_source[next], "source"), source) != 0) break;
        json_object_set_new(now, abdb_facts_cell(&facts, facts.by_source[next], "key"),
                            json_true());
    }
    if (first < next) made = abdb_carried_by_source(&facts, first, next);
    if (strcmp(text_of(made, "data"), text_of(said, "data")) != 0)
        TRY(compare_keys(c, then, now, err));
done:
    json_decref(then);
    json_decref(now);
    json_decref(made);
    abdb_text_free(&words);
    abdb_facts_free(&facts);
    return st;
}

/* The keys of the results in the JSON of explore.html. */
static json_t *keys_of_results(const char *json, size_t size)
{
    json_t *data = json_loadb(json, size, 0, NULL), *keys = json_object(), *row;
    size_t i;

    json_array_foreach(json_object_get(data, "rows"), i, row)
        json_object_set_new(keys, text_at(row, 0), json_true());
    json_decref(data);
    return keys;
}

static abdb_status check_explore(abdb_checker *c, const json_t *said, const char *html,
                                 abdb_error *err)
{
    static const char mark[] = "id=\"data\">";
    abdb_site site = {.db = c->db};
    const char *at = strstr(html, mark), *now;
    json_t *made = NULL, *then_keys = NULL, *now_keys = NULL;
    abdb_status st = ABDB_OK;

    TRY(abdb_explore_load(&site, err));
    made = abdb_carried_by_explore(&site);
    if (strcmp(text_of(made, "data"), text_of(said, "data")) == 0) goto done;
    now = abdb_site_explores(&site) ? site.explore.value[0].text : "null";
    at = at ? at + sizeof mark - 1 : "";
    then_keys = keys_of_results(at, strcspn(at, "<"));
    now_keys = keys_of_results(now, strlen(now));
    TRY(compare_keys(c, then_keys, now_keys, err));
done:
    json_decref(made);
    json_decref(then_keys);
    json_decref(now_keys);
    abdb_table_free(&site.explore);
    return st;
}

/* One page that a list names: is it made of the same? name: "figure NAME". */
static abdb_status check_named(abdb_checker *c, const char *name, const char *digest,
                               const char *today, abdb_error *err)
{
    const char *whole = name;
    char kind[8], now[ABDB_SHA256_HEX];
    size_t size = strcspn(name, " ");
    abdb_page page = {0};
    abdb_table titles = {0};
    json_t *none = json_object(), *rows = NULL;
    abdb_status st = ABDB_OK;

    snprintf(kind, sizeof kind, "%.*s", (int)size, name);
    name += size + (name[size] == ' ');
    if (strcmp(kind, "source") == 0) {
        TRY(abdb_rows(c->db->sql, "SELECT title FROM v_source WHERE source = ?1",
                      &(abdb_binds){1, {{name, 0}}}, &titles, err));
        if (titles.rows)
            abdb_sha256_hex(abdb_cell_text(&titles, 0, 0), strlen(abdb_cell_text(&titles, 0, 0)),
                            now);
    } else {
        TRY(ask_again(c, none, kind, name, today, &page, err));
        rows = abdb_proof_rows(&page.plot.table);
        abdb_carried_digest(rows, now);
    }
    if ((rows || titles.rows) && strncmp(now, digest, ABDB_PRINT) == 0) goto done;
    c->verdict->changed = true;
    TRY(abdb_check_add(c, "changed", whole, NULL, NULL, NULL, NULL, err));
done:
    json_decref(none);
    json_decref(rows);
    abdb_table_free(&titles);
    abdb_plot_free(&page.plot);
    return st;
}

abdb_status abdb_check_page(abdb_checker *c, const json_t *said, const abdb_text *rest,
                            abdb_error *err)
{
    const char *kind = text_of(said, "page"), *html = abdb_text_get(rest), *name;
    json_t *of = json_object_get(said, "of"), *digest;
    abdb_status st = ABDB_OK;

    if (strcmp(kind, "figure") == 0 || strcmp(kind, "report") == 0)
        return check_plot(c, said, kind, err);
    if (strcmp(kind, "source") == 0) return check_source(c, said, html, err);
    if (strcmp(kind, "explore") == 0) return check_explore(c, said, html, err);
    if (strcmp(kind, "list") != 0)
        return ABDB_FAIL(err, ABDB_FORMAT, "%s: what it carries is no word of abdb's", c->file);
    json_object_foreach(of, name, digest)
    {
        const char *text = json_string_value(digest);

        TRY(check_named(c, name, text ? text : "", text_of(said, "today"), err));
    }
done:
    return st;
}
