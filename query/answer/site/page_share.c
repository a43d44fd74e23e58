/* page_share.c - the reusable parts of a page of a figure or report: its rows as CSV and JSON, an
 * address that holds the question and the digest of its answer, and lines that embed it elsewhere;
 * see site.h. site.js compares an address with the page, and gives embedded pages their layout. */
#include <stdlib.h>
#include <string.h>

#include "query/answer/escape.h"
#include "query/answer/output.h"
#include "query/answer/provenance_rows.h"
#include "query/answer/render.h"
#include "query/answer/site/site.h"
#include "schema/core/version.h"

/* Digits of the digest that an address holds: too many for two answers to agree by chance. */
enum { ANSWER_DIGITS = 16 };

/* --- rows ------------------------------------------------------------------------------------- */

/* Stores a text as a file of the site, and its digest in `files`. */
static abdb_status write_file_and_note_digest(const abdb_site *site, const char *name,
                                              const char *data, size_t size, json_t *files,
                                              abdb_error *err)
{
    char digest[ABDB_SHA256_HEX];
    abdb_outfile made = {0};
    abdb_status st = ABDB_OK;

    if (!abdb_site_open_output_file(&made, site, name, err)) return err->status;
    (void)abdb_write_sanitized_if_terminal(made.file, data, size);
    TRY(abdb_outfile_commit(&made, err));
    abdb_sha256_hex(data, size, digest);
    json_object_set_new(files, name, json_string(digest));
done:
    abdb_outfile_discard(&made);
    return st;
}

/* The value of a parameter of a page: given, or the default of the figure or of a row limit; NULL:
 * the report's own default, which `abdb query` has, too. */
static const char *asked_value_or_null(const abdb_plot *plot, size_t p)
{
    const abdb_report_param *param = &plot->report.param[p];

    if (plot->asked[p]) return plot->asked[p];
    return abdb_report_param_is_row_limit(param) ? param->fallback : NULL;
}

static json_t *asked_parameters_json(const abdb_plot *plot)
{
    json_t *out = json_object();

    for (size_t p = 0; p < plot->report.params; p++)
        if (asked_value_or_null(plot, p))
            json_object_set_new(
                out, plot->report.param[p].name,
                abdb_json_string_sanitized_if_invalid(asked_value_or_null(plot, p)));
    return out;
}

/* The command that prints the rows of a page, for a shell. */
static json_t *command_of_rows_json(const abdb_plot *plot)
{
    abdb_text command = {0}, word = {0};
    json_t *out;

    abdb_text_puts(&command, "abdb query");
    abdb_append_blank_and_shell_quoted_word(&command, plot->report.name);
    for (size_t p = 0; p < plot->report.params; p++) {
        const char *value = asked_value_or_null(plot, p);
        bool flag = strcmp(plot->report.param[p].type, "flag") == 0;

        if (!value) continue;
        abdb_text_clear(&word);
        abdb_text_printf(&word, "--%s%s%s", plot->report.option[p].name, flag ? "" : "=",
                         flag ? "" : value);
        abdb_append_blank_and_shell_quoted_word(&command, abdb_text_get(&word));
    }
    abdb_text_puts(&command, " -o json");
    out = abdb_json_string_sanitized_if_invalid(abdb_text_get(&command));
    abdb_text_free(&command);
    abdb_text_free(&word);
    return out;
}

/* The JSON of a page without its rows: the question, its command, the footnotes, and for each row
 * the keys of its facts. */
static json_t *page_head_json(const abdb_site_page *page, const char *digest)
{
    const abdb_plot *plot = &page->plot;
    json_t *notes = json_array(), *keys = json_array();

    for (size_t i = 0; i < plot->table.notes; i++)
        json_array_append_new(notes, abdb_json_string_sanitized_if_invalid(plot->table.note[i]));
    for (size_t r = 0; r < plot->table.rows; r++)
        json_array_append_new(keys, abdb_provenance_row_fact_keys_json(&plot->table, r));
    return json_pack("{s:s, s:o, s:s, s:o, s:o, s:s, s:o, s:o}", "abdb", ABDB_VERSION, "title",
                     abdb_json_string_sanitized_if_invalid(page->title),
                     page->drawn ? "figure" : "report",
                     page->drawn ? plot->figure.name : plot->report.name, "parameters",
                     asked_parameters_json(plot), "command", command_of_rows_json(plot), "answer",
                     digest, "notes", notes, "keys", keys);
}

/* Writes the rows of a page as JSON to a stream. */
static void write_page_json(const abdb_site_page *page, const char *head, FILE *out)
{
    abdb_print_sanitized(out, "%.*s,\"rows\":\n", (int)(strlen(head) - 1), head);
    abdb_render_json_array(&page->plot.table, out);
    fputs("}\n", out);
}

abdb_status abdb_site_write_page_data(const abdb_site *site, const abdb_site_page *page,
                                      json_t *files, abdb_error *err)
{
    char name[ABDB_PAGE_FILE + 300], digest[ABDB_SHA256_HEX], *head = NULL;
    json_t *said;
    abdb_status st = ABDB_OK;

    abdb_page_answer_digest(page, digest);
    said = page_head_json(page, digest);
    head = said ? json_dumps(said, JSON_COMPACT | JSON_ENSURE_ASCII) : NULL;
    if (!head) TRY(ABDB_FAIL(err, ABDB_NOMEM, "%s.json", page->name));
    for (int is_json = 0; is_json < 2; is_json++) {
        char *data = NULL;
        size_t size = 0;
        FILE *memory = open_memstream(&data, &size);

        if (!memory) TRY(ABDB_FAIL(err, ABDB_NOMEM, "%s", page->name));
        if (is_json)
            write_page_json(page, head, memory);
        else
            abdb_render_csv_safe_from_formulas(&page->plot.table, memory);
        st = fclose(memory) == 0 ? ABDB_OK : ABDB_FAIL(err, ABDB_NOMEM, "%s", page->name);
        snprintf(name, sizeof name, "%s.%s", page->name, is_json ? "json" : "csv");
        if (st == ABDB_OK) st = write_file_and_note_digest(site, name, data, size, files, err);
        free(data);
        if (st != ABDB_OK) break;
    }
done:
    json_decref(said);
    free(head);
    return st;
}

/* --- addresses and embeddings ----------------------------------------------------------------- */

void abdb_page_answer_digest(const abdb_site_page *page, char out[ABDB_SHA256_HEX])
{
    json_t *rows = abdb_provenance_columns_rows_keys_json(&page->plot.table);

    abdb_json_sha256(rows, out);
    json_decref(rows);
}

/* Writes markup as text that a reader copies; site.js puts the site's address before its files. */
static void write_markup_to_copy(FILE *out, const char *what, const abdb_text *markup)
{
    abdb_print_sanitized(out, "<dt>%s</dt><dd><code class=\"copy\">", what);
    abdb_write_html_escaped(out, abdb_text_get(markup));
    fputs("</code></dd>\n", out);
}

/* Appends a text as it may stand in markup. */
static void append_html_escaped(abdb_text *to, const char *text)
{
    char *data = NULL;
    size_t size = 0;
    FILE *memory = open_memstream(&data, &size);

    if (!memory) return;
    abdb_write_html_escaped(memory, text);
    if (fclose(memory) == 0) abdb_text_add(to, data, size);
    free(data);
}

/* The lines that show a figure in another page, each with where its numbers come from. */
static void write_embeddings(FILE *out, const abdb_site_page *page, const char *digest)
{
    const char *name = page->name;
    abdb_text title = {0}, status = {0}, markup = {0};

    append_html_escaped(&title, page->title);
    if (page->plot.status) append_html_escaped(&status, page->plot.status);
    abdb_text_printf(&markup,
                     "<figure><a href=\"%s.html#answer=%.*s\"><img src=\"%s.svg\" alt=\"%s\"></a>"
                     "<figcaption>%s</figcaption></figure>",
                     name, ANSWER_DIGITS, digest, name, abdb_text_get(&title),
                     abdb_text_get(&status));
    write_markup_to_copy(out, "Picture with its source line", &markup);
    abdb_text_clear(&markup);
    abdb_text_printf(&markup,
                     "<iframe src=\"%s.html#embed&amp;answer=%.*s\" title=\"%s\" width=\"100%%\""
                     " height=\"560\" loading=\"lazy\"></iframe>",
                     name, ANSWER_DIGITS, digest, abdb_text_get(&title));
    write_markup_to_copy(out, "Frame, a table where it is narrow", &markup);
    abdb_text_free(&title);
    abdb_text_free(&status);
    abdb_text_free(&markup);
}

void abdb_write_page_sharing(FILE *out, const abdb_site_page *page)
{
    char digest[ABDB_SHA256_HEX];
    const char *name = page->name;

    abdb_page_answer_digest(page, digest);
    abdb_print_sanitized(out,
                         "<p class=\"note\">These rows: <a href=\"%s.csv\">CSV</a>, <a href=\""
                         "%s.json\">JSON</a>. <a href=\"%s.html#answer=%.*s\">Address of this"
                         " answer</a></p>\n<p id=\"changed\" class=\"warn\" role=\"status\" hidden>"
                         "</p>\n",
                         name, name, name, ANSWER_DIGITS, digest);
    if (!page->drawn) return;
    fputs("<details><summary>Embed</summary><dl class=\"how\">\n", out);
    write_embeddings(out, page, digest);
    fputs("</dl></details>\n", out);
}
