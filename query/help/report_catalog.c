/* report_catalog.c - lists of reports; see report_catalog.h. */
#include "query/help/report_catalog.h"

#include <string.h>

#include "query/answer/load_figure.h"
#include "query/answer/report.h"
#include "query/cli/command_line.h"
#include "query/cli/pager.h"
#include "schema/functions/authorizer.h"

enum { NAMES_MAX = 256, NAME_WIDTH = 23 };

/* Prints a name and, beside or below it, its meaning folded to the terminal. */
static void print_name_and_meaning(const char *name, const char *meaning, const char *appended_text)
{
    abdb_text text = {0};

    abdb_text_printf(&text, "%s%s", meaning ? meaning : "", appended_text);
    abdb_print_sanitized(stdout, "  %-*s ", NAME_WIDTH - 3, name);
    if (strlen(name) > NAME_WIDTH - 3) abdb_print_sanitized(stdout, "\n%*s", NAME_WIDTH, "");
    abdb_print_paragraphs_wrapped(stdout, abdb_text_get(&text), NAME_WIDTH);
    abdb_text_free(&text);
}

static const char *report_question_or_title(const abdb_report *report)
{
    return report->question ? report->question : report->title;
}

/* Reports of one group, or (NULL) of no group; all, or only the ones marked `first`. Returns the
 * number of omitted ones. */
static size_t print_reports_of_group_count_left_out(const char *group, bool all, const char **names,
                                                    size_t count)
{
    size_t printed = 0, left_out = 0;

    for (size_t i = 0; i < count; i++) {
        abdb_report report;
        abdb_error err;
        bool loaded = abdb_report_load(&report, names[i], &err) == ABDB_OK;
        const char *own =
            loaded && report.group && abdb_text_is_in_list(report.group, abdb_report_groups)
                ? report.group
                : NULL;

        if (!(group ? own && strcmp(own, group) == 0 : !own)) {
            /* another group's */
        } else if (own && !all && !report.first) {
            left_out++;
        } else {
            if (!printed++) abdb_print_sanitized(stdout, "\n%s\n", group ? group : "Your own");
            print_name_and_meaning(names[i],
                                   loaded ? report_question_or_title(&report) : err.message, "");
        }
        if (loaded) abdb_report_free(&report);
    }
    return left_out;
}

/* Prints abdb's own functions of every connection with their arguments, in folded lines. */
static void print_abdb_sql_function_signatures(void)
{
    abdb_text text = {0};

    for (const abdb_sql_function *f = abdb_sql_functions; f->name; f++)
        if (strcmp(f->origin, "abdb") == 0 && strcmp(f->group, "internal") != 0)
            abdb_text_printf(&text, "%s%s(%s)", text.size ? "; " : "", f->name, f->arguments);
    abdb_print_paragraphs_wrapped(stdout, abdb_text_get(&text), 0);
    abdb_text_free(&text);
}

void abdb_print_report_catalog_through_pager(bool all)
{
    abdb_arena arena = {0};
    const char *names[NAMES_MAX];
    size_t count = abdb_list_own_and_shipped_report_names(names, NAMES_MAX, &arena), left_out = 0;

    abdb_pipe_stdout_to_pager();
    puts("What can be asked: `abdb query NAME`; `abdb query NAME --help` explains one,\n"
         "`abdb query --search WORD` looks for one.");
    for (size_t i = 0; abdb_report_groups[i]; i++)
        left_out += print_reports_of_group_count_left_out(abdb_report_groups[i], all, names, count);
    print_reports_of_group_count_left_out(NULL, all, names, count);
    if (left_out) abdb_print_sanitized(stdout, "\n%zu more: `abdb query --all`.\n", left_out);
    puts("\nOr read-only SQL over the public views, which `abdb query --schema` explains:\n"
         "  abdb query \"SELECT device, count(*) FROM v_result GROUP BY device\"\n"
         "  abdb query -i\n"
         "with functions of abdb beside those of SQLite (`abdb query --functions`):");
    print_abdb_sql_function_signatures();
    abdb_arena_free(&arena);
}

/* Appends a report as name, group and question; one without a group is "Your own". */
static abdb_status append_report_name_group_question_row(abdb_table *out, const char *name,
                                                         abdb_error *err)
{
    abdb_value *row = abdb_table_append_row(out);
    abdb_report report;
    abdb_status st = ABDB_OK;

    if (!row) return ABDB_FAIL(err, ABDB_NOMEM, "the list of reports");
    TRY(abdb_report_load(&report, name, err));
    row[0] = (abdb_value){.kind = ABDB_STRING, .text = abdb_arena_printf(&out->arena, "%s", name)};
    row[1] = (abdb_value){
        .kind = ABDB_STRING,
        .text = abdb_arena_printf(&out->arena, "%s", report.group ? report.group : "Your own")};
    row[2] = (abdb_value){
        .kind = ABDB_STRING,
        .text = abdb_arena_printf(&out->arena, "%s", report_question_or_title(&report))};
    abdb_report_free(&report);
    if (!row[0].text || !row[1].text || !row[2].text)
        st = ABDB_FAIL(err, ABDB_NOMEM, "the list of reports");
done:
    return st;
}

abdb_status abdb_list_sql_functions_in_table(abdb_table *out, abdb_error *err)
{
    static const char *const columns[] = {"function", "arguments", "origin", "group", "meaning"};

    *out = (abdb_table){.title = "Functions that SQL may call", .columns = 5};
    for (size_t i = 0; i < 5; i++) out->column[i] = (abdb_column){columns[i], NULL, ""};
    for (const abdb_sql_function *f = abdb_sql_functions; f->name; f++) {
        const char *const cells[] = {f->name, f->arguments, f->origin, f->group, f->meaning};
        abdb_value *row;

        if (f->refused || strcmp(f->group, "internal") == 0) continue;
        row = abdb_table_append_row(out);
        if (!row) return ABDB_FAIL(err, ABDB_NOMEM, "the list of functions");
        for (size_t i = 0; i < 5; i++) row[i] = (abdb_value){.kind = ABDB_STRING, .text = cells[i]};
    }
    return ABDB_OK;
}

abdb_status abdb_list_reports_in_table(abdb_table *out, abdb_error *err)
{
    static const char *const columns[] = {"report", "group", "question"};
    abdb_arena arena = {0};
    const char *names[NAMES_MAX];
    size_t count = abdb_list_own_and_shipped_report_names(names, NAMES_MAX, &arena);
    abdb_status st = ABDB_OK;

    *out = (abdb_table){.title = "What can be asked", .columns = 3};
    for (size_t i = 0; i < 3; i++) out->column[i] = (abdb_column){columns[i], NULL, ""};
    for (size_t i = 0; i < count; i++)
        TRY(append_report_name_group_question_row(out, names[i], err));
done:
    abdb_arena_free(&arena);
    return st;
}

/* Does the text hold every word, in any case? */
static bool contains_all_words_ignoring_case(const char *text, const char *words)
{
    while (*words) {
        char word[128];
        size_t size;

        words += strspn(words, " ");
        size = strcspn(words, " ");
        if (size && size < sizeof word) {
            snprintf(word, sizeof word, "%.*s", (int)size, words);
            if (!strcasestr(text, word)) return false;
        }
        words += size;
    }
    return true;
}

/* The whole text of a report without its SQL. */
static void collect_searchable_report_text(const abdb_report *r, abdb_text *out)
{
    abdb_text_clear(out);
    abdb_text_printf(out, "%s %s %s %s", r->name, r->title ? r->title : "",
                     r->question ? r->question : "", r->group ? r->group : "");
    for (size_t i = 0; i < r->params; i++)
        abdb_text_printf(out, " %s %s", r->param[i].name, r->param[i].help ? r->param[i].help : "");
    for (size_t i = 0; i < r->columns; i++)
        abdb_text_printf(out, " %s %s", r->column[i].name,
                         r->column[i].meaning ? r->column[i].meaning : "");
}

/* Prints the reports whose name, title, question, options or columns have all words, and
 * returns their number. */
static size_t print_reports_with_all_words_count_them(const char *words, const char **names,
                                                      size_t count)
{
    abdb_text text = {0};
    size_t found = 0;

    for (size_t i = 0; i < count; i++) {
        abdb_report report;
        abdb_error err;

        if (abdb_report_load(&report, names[i], &err) != ABDB_OK) continue;
        collect_searchable_report_text(&report, &text);
        if (contains_all_words_ignoring_case(abdb_text_get(&text), words)) {
            if (!found++) puts("reports (abdb query NAME):");
            print_name_and_meaning(names[i], report_question_or_title(&report), "");
        }
        abdb_report_free(&report);
    }
    abdb_text_free(&text);
    return found;
}

/* Prints the figures whose name or title has all words, and returns their number. */
static size_t print_figures_with_all_words_count_them(const char *words, const char **names,
                                                      size_t count)
{
    abdb_text text = {0};
    size_t found = 0;

    for (size_t i = 0; i < count; i++) {
        abdb_figure figure;
        abdb_error err;

        if (abdb_figure_load(&figure, names[i], &err) != ABDB_OK) continue;
        abdb_text_clear(&text);
        abdb_text_printf(&text, "%s %s", names[i], figure.title ? figure.title : "");
        if (contains_all_words_ignoring_case(abdb_text_get(&text), words)) {
            if (!found++) puts("figures (abdb plot NAME):");
            print_name_and_meaning(names[i], figure.title, "");
        }
        abdb_figure_free(&figure);
    }
    abdb_text_free(&text);
    return found;
}

/* Prints the columns of views whose name or meaning has all words; adds their number to *found. */
static abdb_status print_columns_with_all_words_count_them(abdb_db *db, const char *words,
                                                           size_t *found, abdb_error *err)
{
    abdb_table columns = {0};
    size_t printed = 0;
    abdb_status st = ABDB_OK;

    TRY(abdb_run_readonly_sql(db,
                              "SELECT view || '.' || column_name, meaning,"
                              " CASE WHEN coalesce(unit, '') = '' THEN '' ELSE ', in ' || unit END"
                              " FROM v_column ORDER BY view, place",
                              NULL, NULL, &columns, err));
    for (size_t i = 0; i < columns.rows; i++) {
        const abdb_value *row = columns.value + i * columns.columns;
        abdb_text text = {0};

        abdb_text_printf(&text, "%s %s", row[0].text, row[1].text ? row[1].text : "");
        if (contains_all_words_ignoring_case(abdb_text_get(&text), words)) {
            if (!printed++) puts("columns of public views (abdb query --schema VIEW):");
            print_name_and_meaning(row[0].text, row[1].text, row[2].text ? row[2].text : "");
        }
        abdb_text_free(&text);
    }
    *found += printed;
done:
    abdb_table_free(&columns);
    return st;
}

abdb_status abdb_print_catalog_matches_or_fail(abdb_db *db, const char *words, abdb_error *err)
{
    abdb_arena arena = {0};
    const char *names[NAMES_MAX];
    size_t found = 0, count = abdb_list_own_and_shipped_report_names(names, NAMES_MAX, &arena);
    abdb_status st = ABDB_OK;

    found += print_reports_with_all_words_count_them(words, names, count);
    count = abdb_list_own_and_shipped_figure_names(names, NAMES_MAX, &arena);
    found += print_figures_with_all_words_count_them(words, names, count);
    if (db) TRY(print_columns_with_all_words_count_them(db, words, &found, err));
    if (!found)
        st = ABDB_FAIL(err, ABDB_USAGE,
                       "nothing that can be asked speaks of '%s'; `abdb query` lists all", words);
done:
    abdb_arena_free(&arena);
    return st;
}
