/* explain.c - where a number comes from; see explain.h. */
#include "query/answer/explain.h"

#include <stdlib.h>
#include <string.h>

#include "query/answer/deadline.h"
#include "query/answer/escape.h"
#include "query/answer/load_figure.h"
#include "query/answer/output.h"
#include "schema/core/array.h"

/* TREE_MAX: facts that the tree shows; more are for programs. */
enum { NAMES_MAX = 256, TREE_MAX = 40 };

abdb_status abdb_facts_load_by_keys_names_or_claims(abdb_db *db, const char *keys,
                                                    abdb_table *facts, abdb_error *err)
{
    const char *value[ABDB_PARAM_COUNT] = {keys};
    abdb_report report = {0};
    abdb_status st = ABDB_OK;

    TRY(abdb_report_load(&report, "facts", err));
    TRY(abdb_report_run_into_table(db, &report, value, facts, err));
done:
    abdb_report_free(&report);
    return st;
}

const char *abdb_fact_keys_of_cell_or_its_row(const abdb_table *table, size_t row, size_t column)
{
    char name[160];
    int at;

    /* The column's own list comes first, then that of the row. */
    snprintf(name, sizeof name, "_facts_%s", table->column[column].name);
    at = abdb_table_column_index(table, name);
    if (at < 0) at = abdb_table_column_index(table, "_facts");
    if (at < 0) return NULL;
    return table->value[row * table->columns + (size_t)at].kind == ABDB_STRING
               ? table->value[row * table->columns + (size_t)at].text
               : "";
}

void abdb_append_fact_keys_of_table(const abdb_table *table, size_t most_per_cell, abdb_text *out)
{
    for (size_t c = 0; c < table->columns; c++)
        for (size_t r = 0; r < table->rows; r++) {
            const abdb_value *v = &table->value[r * table->columns + c];
            const char *keys = v->text;

            if (strncmp(table->column[c].name, "_facts", 6) != 0 || v->kind != ABDB_STRING)
                continue;
            for (size_t n = 0; n < most_per_cell && *(keys += strspn(keys, " ")); n++) {
                size_t size = strcspn(keys, " ");

                abdb_text_printf(out, "%s%.*s", out->size ? " " : "", (int)size, keys);
                keys += size;
            }
        }
}

static void print_with_prefix_if_not_empty(FILE *out, const char *prefix, const char *text)
{
    if (*text) abdb_print_sanitized(out, "%s%s", prefix, text);
}

void abdb_print_fact_tree(const abdb_table *facts, FILE *out)
{
    size_t rows = facts->rows < TREE_MAX ? facts->rows : TREE_MAX;

    for (size_t r = 0; r < rows; r++) {
        bool last = r + 1 == facts->rows;
        const char *bar = last ? "   " : "│  ",
                   *printed = abdb_table_cell_text_or_empty(facts, r, "raw_value");

        abdb_print_sanitized(out, "%s %s", last ? "└" : "├",
                             *printed ? printed : abdb_table_cell_text_or_empty(facts, r, "value"));
        print_with_prefix_if_not_empty(
            out, " ", abdb_table_cell_text_or_empty(facts, r, *printed ? "raw_unit" : "unit"));
        print_with_prefix_if_not_empty(out, "   ", abdb_table_cell_text_or_empty(facts, r, "what"));
        print_with_prefix_if_not_empty(out, "   ",
                                       abdb_table_cell_text_or_empty(facts, r, "evidence"));
        print_with_prefix_if_not_empty(out, ", ",
                                       abdb_table_cell_text_or_empty(facts, r, "formula"));
        abdb_print_sanitized(out, "\n%s %s", bar,
                             abdb_table_cell_text_or_empty(facts, r, "source"));
        print_with_prefix_if_not_empty(out, ", ",
                                       abdb_table_cell_text_or_empty(facts, r, "locator"));
        print_with_prefix_if_not_empty(out, ", ", abdb_table_cell_text_or_empty(facts, r, "date"));
        abdb_print_sanitized(out, "\n%s ", bar);
        if (*abdb_table_cell_text_or_empty(facts, r, "artifact"))
            abdb_print_sanitized(out, "%s   ", abdb_table_cell_text_or_empty(facts, r, "artifact"));
        print_with_prefix_if_not_empty(out, "", abdb_table_cell_text_or_empty(facts, r, "key"));
        print_with_prefix_if_not_empty(out, "   ", abdb_table_cell_text_or_empty(facts, r, "fact"));
        fputc('\n', out);
        if (*abdb_table_cell_text_or_empty(facts, r, "used_by"))
            abdb_print_sanitized(out, "%s used by claim %s\n", bar,
                                 abdb_table_cell_text_or_empty(facts, r, "used_by"));
    }
    if (facts->rows > rows)
        abdb_print_sanitized(out, "└ and %zu more facts: -o csv lists all\n", facts->rows - rows);
    for (size_t i = 0; i < facts->notes; i++) abdb_print_sanitized(out, "%s\n", facts->note[i]);
}

/* --- other uses of the facts ----------------------------------------------------------------- */

/* Is one of the facts among the keys of a row? */
static bool any_fact_among_keys(const abdb_table *facts, const char *keys)
{
    while (keys && *(keys += strspn(keys, " "))) {
        size_t size = strcspn(keys, " ");

        for (size_t r = 0; r < facts->rows; r++) {
            const char *key = abdb_table_cell_text_or_empty(facts, r, "key");

            if (strlen(key) == size && strncmp(key, keys, size) == 0) return true;
        }
        keys += size;
    }
    return false;
}

/* Does the report, without options, use one of the facts? Not ABDB_OK: it could not be run. */
static abdb_status run_report_see_if_rows_cite_facts(abdb_db *db, const char *name,
                                                     const abdb_table *facts, bool *cites_any_fact,
                                                     abdb_error *err)
{
    const char *value[ABDB_PARAM_COUNT] = {0};
    abdb_report report = {0};
    abdb_table table = {0};
    abdb_status st = ABDB_OK;

    *cites_any_fact = false;
    if (abdb_deadline_has_passed()) return abdb_deadline_fail_with_time_out(err);
    TRY(abdb_report_load(&report, name, err));
    /* A report that lists no facts cannot be found by them, and is not run. */
    if (!strstr(report.text, "_facts")) goto done;
    TRY(abdb_report_run_into_table(db, &report, value, &table, err));
    for (size_t r = 0; r < table.rows && !*cites_any_fact; r++)
        *cites_any_fact =
            any_fact_among_keys(facts, abdb_fact_keys_of_cell_or_its_row(&table, r, 0));
done:
    abdb_table_free(&table);
    abdb_report_free(&report);
    return st;
}

abdb_status abdb_print_reports_and_figures_citing_facts(abdb_db *db, const abdb_table *facts,
                                                        FILE *out, abdb_error *err)
{
    abdb_arena arena = {0};
    const char *reports[NAMES_MAX], *figures[NAMES_MAX];
    size_t count = abdb_list_own_and_shipped_report_names(reports, NAMES_MAX, &arena), used = 0,
           drawn = abdb_list_own_and_shipped_figure_names(figures, NAMES_MAX, &arena);
    abdb_text line = {0}, left_out = {0};
    abdb_status st = ABDB_OK;

    for (size_t i = 0; i < count; i++) {
        abdb_error why;
        bool uses;

        if (run_report_see_if_rows_cite_facts(db, reports[i], facts, &uses, &why) !=
            ABDB_OK) /* time, or a broken one */
            abdb_text_printf(&left_out, " %s", reports[i]);
        if (!uses) continue;
        abdb_text_printf(&line, "%s%s %s", used++ ? ", " : "also in ",
                         strncmp(reports[i], "audit-", 6) == 0 ? "audit" : "report",
                         reports[i] + (strncmp(reports[i], "audit-", 6) == 0 ? 6 : 0));
        for (size_t f = 0; f < drawn; f++) {
            abdb_figure figure = {0};
            abdb_error ignored;

            if (abdb_figure_load(&figure, figures[f], &ignored) != ABDB_OK) continue;
            if (strcmp(figure.report, reports[i]) == 0)
                abdb_text_printf(&line, ", figure %s", figures[f]);
            abdb_figure_free(&figure);
        }
    }
    if (line.failed || left_out.failed) TRY(ABDB_FAIL(err, ABDB_NOMEM, "what uses a fact"));
    if (used) abdb_print_sanitized(out, "%s\n", abdb_text_get(&line));
    if (left_out.size)
        abdb_print_sanitized(out, "not looked at (they failed, or --timeout was over):%s\n",
                             abdb_text_get(&left_out));
done:
    abdb_text_free(&line);
    abdb_text_free(&left_out);
    abdb_arena_free(&arena);
    return st;
}

/* --- citations ------------------------------------------------------------------------------- */

static void write_bibtex_field_if_not_empty(FILE *out, const char *name, const char *text,
                                            void (*escape)(FILE *out, const char *text))
{
    if (!*text) return;
    abdb_print_sanitized(out, ",\n  %s = {", name);
    escape(out, text);
    fputc('}', out);
}

static int compare_locators_numbers_by_value(const void *a, const void *b)
{
    return strverscmp(*(const char *const *)a, *(const char *const *)b);
}

/* How much of it the place before has said: up to the first ", ". */
static size_t size_of_comma_prefix_shared_with_previous(const char *previous, const char *locator)
{
    const char *comma = previous ? strstr(previous, ", ") : NULL;
    size_t size = comma ? (size_t)(comma - previous) + 2 : 0;

    return size && strncmp(previous, locator, size) == 0 ? size : 0;
}

/* The places of the facts of one source, in order, each once; of "row A, column B" and "row A,
 * column C" the row is said once. */
static void append_sorted_distinct_locators_of_source(const abdb_table *facts,
                                                      size_t first_fact_of_source, abdb_text *out)
{
    const char **place = calloc(facts->rows - first_fact_of_source, sizeof *place), *before = NULL;
    abdb_text source = {0};
    size_t count = 0;

    if (!place) abdb_count_allocation_failure();
    abdb_text_puts(&source, abdb_table_cell_text_or_empty(facts, first_fact_of_source, "source"));
    for (size_t r = first_fact_of_source; place && r < facts->rows; r++)
        if (strcmp(abdb_table_cell_text_or_empty(facts, r, "source"), abdb_text_get(&source)) == 0)
            place[count++] = abdb_table_cell_text_or_empty(facts, r, "locator");
    abdb_array_sort(place, count, sizeof *place, compare_locators_numbers_by_value);
    for (size_t i = 0; i < count; i++) {
        if (!*place[i] || (before && strcmp(before, place[i]) == 0)) continue;
        abdb_text_printf(out, "%s%s", out->size ? "; " : "",
                         place[i] + size_of_comma_prefix_shared_with_previous(before, place[i]));
        before = place[i];
    }
    free(place);
    abdb_text_free(&source);
}

void abdb_print_citation_per_source(const abdb_table *facts, bool bibtex, FILE *out)
{
    for (size_t r = 0; r < facts->rows; r++) {
        abdb_text where = {0}, source = {0};
        bool seen = false;
        char year[8];

        abdb_text_puts(&source, abdb_table_cell_text_or_empty(facts, r, "source"));
        for (size_t i = 0; i < r; i++)
            seen |= strcmp(abdb_table_cell_text_or_empty(facts, i, "source"),
                           abdb_text_get(&source)) == 0;
        if (!seen) append_sorted_distinct_locators_of_source(facts, r, &where);
        if (!seen && bibtex) {
            fputs("@misc{", out);
            abdb_write_bibtex_key(out, abdb_text_get(&source));
            write_bibtex_field_if_not_empty(out, "title",
                                            abdb_table_cell_text_or_empty(facts, r, "title"),
                                            abdb_write_latex_escaped);
            write_bibtex_field_if_not_empty(out, "author",
                                            abdb_table_cell_text_or_empty(facts, r, "author"),
                                            abdb_write_latex_escaped);
            snprintf(year, sizeof year, "%.4s",
                     abdb_table_cell_text_or_empty(facts, r, "published"));
            write_bibtex_field_if_not_empty(out, "year", year, abdb_write_latex_escaped);
            write_bibtex_field_if_not_empty(out, "url",
                                            abdb_table_cell_text_or_empty(facts, r, "url"),
                                            abdb_write_url_escaping_invalid_chars);
            write_bibtex_field_if_not_empty(out, "urldate",
                                            abdb_table_cell_text_or_empty(facts, r, "retrieved"),
                                            abdb_write_latex_escaped);
            write_bibtex_field_if_not_empty(out, "note", abdb_text_get(&where),
                                            abdb_write_latex_escaped);
            fputs("\n}\n", out);
        } else if (!seen) {
            print_with_prefix_if_not_empty(out, "",
                                           abdb_table_cell_text_or_empty(facts, r, "author"));
            if (*abdb_table_cell_text_or_empty(facts, r, "author")) fputs(". ", out);
            print_with_prefix_if_not_empty(out, "",
                                           *abdb_table_cell_text_or_empty(facts, r, "title")
                                               ? abdb_table_cell_text_or_empty(facts, r, "title")
                                               : abdb_text_get(&source));
            print_with_prefix_if_not_empty(out, ", ",
                                           abdb_table_cell_text_or_empty(facts, r, "published"));
            print_with_prefix_if_not_empty(out, ". ",
                                           abdb_table_cell_text_or_empty(facts, r, "url"));
            print_with_prefix_if_not_empty(out, " (read ",
                                           abdb_table_cell_text_or_empty(facts, r, "retrieved"));
            if (*abdb_table_cell_text_or_empty(facts, r, "retrieved")) fputc(')', out);
            print_with_prefix_if_not_empty(out, ": ", abdb_text_get(&where));
            fputc('\n', out);
        }
        abdb_text_free(&where);
        abdb_text_free(&source);
    }
}
