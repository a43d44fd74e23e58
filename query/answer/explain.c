/* explain.c - where a number comes from; see explain.h. */
#include "query/answer/explain.h"

#include <stdlib.h>
#include <string.h>

#include "query/answer/deadline.h"
#include "query/answer/escape.h"
#include "query/answer/figures.h"
#include "query/answer/say.h"

/* TREE_MAX: facts that the tree shows; more are for programs. */
enum { NAMES_MAX = 256, TREE_MAX = 40 };

abdb_status abdb_facts_load(abdb_db *db, const char *keys, abdb_table *facts, abdb_error *err)
{
    const char *value[ABDB_PARAM_COUNT] = {keys};
    abdb_report report = {0};
    abdb_status st = ABDB_OK;

    TRY(abdb_report_load(&report, "facts", err));
    TRY(abdb_report_run(db, &report, value, facts, err));
done:
    abdb_report_free(&report);
    return st;
}

const char *abdb_facts_of(const abdb_table *table, size_t row, size_t column)
{
    char name[160];
    int at;

    /* The column's own list comes first, then that of the row. */
    snprintf(name, sizeof name, "_facts_%s", table->column[column].name);
    at = abdb_table_column(table, name);
    if (at < 0) at = abdb_table_column(table, "_facts");
    if (at < 0) return NULL;
    return table->value[row * table->columns + (size_t)at].kind == ABDB_STRING
               ? table->value[row * table->columns + (size_t)at].text
               : "";
}

void abdb_facts_keys(const abdb_table *table, size_t most, abdb_text *out)
{
    for (size_t c = 0; c < table->columns; c++)
        for (size_t r = 0; r < table->rows; r++) {
            const abdb_value *v = &table->value[r * table->columns + c];
            const char *keys = v->text;

            if (strncmp(table->column[c].name, "_facts", 6) != 0 || v->kind != ABDB_STRING)
                continue;
            for (size_t n = 0; n < most && *(keys += strspn(keys, " ")); n++) {
                size_t size = strcspn(keys, " ");

                abdb_text_printf(out, "%s%.*s", out->size ? " " : "", (int)size, keys);
                keys += size;
            }
        }
}

/* A cell of the facts as exact text; "" where it is missing. The text is the thread's. */
static const char *cell(const abdb_table *facts, size_t row, const char *column)
{
    static _Thread_local char number[32];
    int at = abdb_table_column(facts, column);
    const abdb_value *v = at < 0 ? NULL : &facts->value[row * facts->columns + (size_t)at];

    return v && v->kind != ABDB_NULL ? abdb_value_text(v, number) : "";
}

static void part(FILE *out, const char *before, const char *text)
{
    if (*text) abdb_say(out, "%s%s", before, text);
}

void abdb_explain_tree(const abdb_table *facts, FILE *out)
{
    size_t rows = facts->rows < TREE_MAX ? facts->rows : TREE_MAX;

    for (size_t r = 0; r < rows; r++) {
        bool last = r + 1 == facts->rows;
        const char *bar = last ? "   " : "│  ", *printed = cell(facts, r, "raw_value");

        abdb_say(out, "%s %s", last ? "└" : "├", *printed ? printed : cell(facts, r, "value"));
        part(out, " ", cell(facts, r, *printed ? "raw_unit" : "unit"));
        part(out, "   ", cell(facts, r, "what"));
        part(out, "   ", cell(facts, r, "evidence"));
        part(out, ", ", cell(facts, r, "formula"));
        abdb_say(out, "\n%s %s", bar, cell(facts, r, "source"));
        part(out, ", ", cell(facts, r, "locator"));
        part(out, ", ", cell(facts, r, "date"));
        abdb_say(out, "\n%s ", bar);
        if (*cell(facts, r, "artifact")) abdb_say(out, "%s   ", cell(facts, r, "artifact"));
        part(out, "", cell(facts, r, "key"));
        part(out, "   ", cell(facts, r, "fact"));
        fputc('\n', out);
        if (*cell(facts, r, "used_by"))
            abdb_say(out, "%s used by claim %s\n", bar, cell(facts, r, "used_by"));
    }
    if (facts->rows > rows)
        abdb_say(out, "└ and %zu more facts: -o csv lists all\n", facts->rows - rows);
    for (size_t i = 0; i < facts->notes; i++) abdb_say(out, "%s\n", facts->note[i]);
}

/* --- what else uses them --------------------------------------------------------------------- */

/* Is one of the facts among the keys of a row? */
static bool shares(const abdb_table *facts, const char *keys)
{
    while (keys && *(keys += strspn(keys, " "))) {
        size_t size = strcspn(keys, " ");

        for (size_t r = 0; r < facts->rows; r++) {
            const char *key = cell(facts, r, "key");

            if (strlen(key) == size && strncmp(key, keys, size) == 0) return true;
        }
        keys += size;
    }
    return false;
}

/* Does the report, without options, use one of the facts? Not ABDB_OK: it could not be run. */
static abdb_status report_uses(abdb_db *db, const char *name, const abdb_table *facts, bool *out,
                               abdb_error *err)
{
    const char *value[ABDB_PARAM_COUNT] = {0};
    abdb_report report = {0};
    abdb_table table = {0};
    abdb_status st = ABDB_OK;

    *out = false;
    if (abdb_deadline_over()) return abdb_deadline_fail(err);
    TRY(abdb_report_load(&report, name, err));
    /* A report that lists no facts cannot be found by them, and is not run. */
    if (!strstr(report.text, "_facts")) goto done;
    TRY(abdb_report_run(db, &report, value, &table, err));
    for (size_t r = 0; r < table.rows && !*out; r++)
        *out = shares(facts, abdb_facts_of(&table, r, 0));
done:
    abdb_table_free(&table);
    abdb_report_free(&report);
    return st;
}

abdb_status abdb_explain_uses(abdb_db *db, const abdb_table *facts, FILE *out, abdb_error *err)
{
    abdb_arena arena = {0};
    const char *reports[NAMES_MAX], *figures[NAMES_MAX];
    size_t count = abdb_report_names(reports, NAMES_MAX, &arena), used = 0,
           drawn = abdb_figure_names(figures, NAMES_MAX, &arena);
    abdb_text line = {0}, left_out = {0};
    abdb_status st = ABDB_OK;

    for (size_t i = 0; i < count; i++) {
        abdb_error why;
        bool uses;

        if (report_uses(db, reports[i], facts, &uses, &why) != ABDB_OK) /* time, or a broken one */
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
    if (used) abdb_say(out, "%s\n", abdb_text_get(&line));
    if (left_out.size)
        abdb_say(out, "not looked at (they failed, or --timeout was over):%s\n",
                 abdb_text_get(&left_out));
done:
    abdb_text_free(&line);
    abdb_text_free(&left_out);
    abdb_arena_free(&arena);
    return st;
}

/* --- citations ------------------------------------------------------------------------------- */

static void field(FILE *out, const char *name, const char *text,
                  void (*escape)(FILE *out, const char *text))
{
    if (!*text) return;
    abdb_say(out, ",\n  %s = {", name);
    escape(out, text);
    fputc('}', out);
}

static int by_number(const void *a, const void *b)
{
    return strverscmp(*(const char *const *)a, *(const char *const *)b);
}

/* How much of it the place before has said: up to the first ", ". */
static size_t said_before(const char *before, const char *place)
{
    const char *comma = before ? strstr(before, ", ") : NULL;
    size_t size = comma ? (size_t)(comma - before) + 2 : 0;

    return size && strncmp(before, place, size) == 0 ? size : 0;
}

/* The places of the facts of one source, in order, each once; of "row A, column B" and "row A,
 * column C" the row is said once. */
static void places(const abdb_table *facts, size_t first, abdb_text *out)
{
    const char **place = calloc(facts->rows - first, sizeof *place), *before = NULL;
    abdb_text source = {0};
    size_t count = 0;

    if (!place) abdb_starve();
    abdb_text_puts(&source, cell(facts, first, "source"));
    for (size_t r = first; place && r < facts->rows; r++)
        if (strcmp(cell(facts, r, "source"), abdb_text_get(&source)) == 0)
            place[count++] = cell(facts, r, "locator");
    if (count) qsort(place, count, sizeof *place, by_number);
    for (size_t i = 0; i < count; i++) {
        if (!*place[i] || (before && strcmp(before, place[i]) == 0)) continue;
        abdb_text_printf(out, "%s%s", out->size ? "; " : "",
                         place[i] + said_before(before, place[i]));
        before = place[i];
    }
    free(place);
    abdb_text_free(&source);
}

void abdb_explain_cite(const abdb_table *facts, bool bibtex, FILE *out)
{
    for (size_t r = 0; r < facts->rows; r++) {
        abdb_text where = {0}, source = {0};
        bool seen = false;
        char year[8];

        abdb_text_puts(&source, cell(facts, r, "source"));
        for (size_t i = 0; i < r; i++)
            seen |= strcmp(cell(facts, i, "source"), abdb_text_get(&source)) == 0;
        if (!seen) places(facts, r, &where);
        if (!seen && bibtex) {
            fputs("@misc{", out);
            abdb_bibtex_key(out, abdb_text_get(&source));
            field(out, "title", cell(facts, r, "title"), abdb_latex_text);
            field(out, "author", cell(facts, r, "author"), abdb_latex_text);
            snprintf(year, sizeof year, "%.4s", cell(facts, r, "published"));
            field(out, "year", year, abdb_latex_text);
            field(out, "url", cell(facts, r, "url"), abdb_url_text);
            field(out, "urldate", cell(facts, r, "retrieved"), abdb_latex_text);
            field(out, "note", abdb_text_get(&where), abdb_latex_text);
            fputs("\n}\n", out);
        } else if (!seen) {
            part(out, "", cell(facts, r, "author"));
            if (*cell(facts, r, "author")) fputs(". ", out);
            part(out, "",
                 *cell(facts, r, "title") ? cell(facts, r, "title") : abdb_text_get(&source));
            part(out, ", ", cell(facts, r, "published"));
            part(out, ". ", cell(facts, r, "url"));
            part(out, " (read ", cell(facts, r, "retrieved"));
            if (*cell(facts, r, "retrieved")) fputc(')', out);
            part(out, ": ", abdb_text_get(&where));
            fputc('\n', out);
        }
        abdb_text_free(&where);
        abdb_text_free(&source);
    }
}
