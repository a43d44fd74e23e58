/* cmd_explain.c - abdb explain: where a number comes from. Either words are keys, names and claims,
 * or a report, its column and a selection that picks one row; in both cases the facts are printed
 * as a tree, a table or citations. */
#include <math.h>
#include <string.h>

#include "query/answer/buffered_output.h"
#include "query/answer/explain.h"
#include "query/answer/mlperf_footnotes.h"
#include "query/answer/render.h"
#include "query/answer/sql_rows.h"
#include "query/compare/selection.h"
#include "query/cli/pager.h"
#include "query/verbs/table_output.h"

enum { NAMES_MAX = 256 };

/* The explained value as a line, its formula where no source states it, and the question. */
typedef struct {
    abdb_text line, made, question;
    const char *factors; /* of a ratio, a line each: "device 3.53, MI300X > MI355X"; or NULL */
    double value;        /* NAN: no number */
    bool per_dollar;     /* the formula of its column divides a rate by a price */
    const char *quote;   /* the reader's own price, which no fact holds; or NULL */
} heading;

static void print_explained_value_line(const heading *head, FILE *out)
{
    abdb_print_sanitized(out, "%s\n", abdb_text_get(&head->line));
    abdb_print_sanitized(out, "  in: %s\n", abdb_text_get(&head->question));
    for (const char *at = head->factors; at && *at;
         at += strcspn(at, "\n") + (strchr(at, '\n') != NULL))
        abdb_print_sanitized(out, "├ times %.*s\n", (int)strcspn(at, "\n"), at);
    if (head->made.size) abdb_print_sanitized(out, "└ %s\n", abdb_text_get(&head->made));
}

static double value_as_number_or_nan(const abdb_value *value)
{
    if (value->kind == ABDB_INTEGER) return (double)value->integer;
    return value->kind == ABDB_REAL ? value->real : NAN;
}

/* Has it at most three digits that are not 0? */
static bool has_at_most_three_significant_digits(double value)
{
    return isfinite(value) &&
           fabs(abdb_round_to_significant_digits(value, 3) - value) < 1e-9 * fabs(value);
}

/* "= 1st / 2nd x 3.6e-15": the formula from two facts in their base units to the value, where it is
 * known: from the column's formula, or because exactly one combination of the two facts leaves a
 * round factor. A factor that is not round would be a made-up formula. */
static void print_two_fact_formula_if_known(const heading *head, const abdb_table *facts, FILE *out)
{
    int at = abdb_table_column_index(facts, "value");
    double first, second, value = head->value;
    size_t found = 0, way = 0;

    if (facts->rows != 2 || at < 0 || !isfinite(value)) return;
    first = value_as_number_or_nan(&facts->value[at]);
    second = value_as_number_or_nan(&facts->value[facts->columns + (size_t)at]);
    {
        const struct {
            const char *text;
            double factor;
        } ways[] = {{"1st / 2nd", value * second / first},
                    {"1st x 2nd", value / first / second},
                    {"1st x 2nd / 3600", value * 3600 / first / second}, /* s, and USD an hour */
                    {"1st", value / first},
                    {"2nd", value / second}}; /* a price, divided by a rate */

        for (size_t i = 0; i < sizeof ways / sizeof ways[0]; i++)
            if (has_at_most_three_significant_digits(ways[i].factor)) {
                found++;
                way = i;
            }
        if (head->per_dollar) way = 0;
        if ((found == 1 || head->per_dollar) && isfinite(ways[way].factor))
            abdb_print_sanitized(out, "= %s x %.6g\n", ways[way].text, ways[way].factor);
    }
}

/* The facts as a tree below `head`, which may be NULL, and the uses of these facts. */
static abdb_status print_fact_tree_and_uses(const abdb_args *args, abdb_db *db, const heading *head,
                                            const abdb_table *facts, FILE *out, abdb_error *err)
{
    if (head) {
        print_explained_value_line(head, out);
        print_two_fact_formula_if_known(head, facts, out);
    }
    abdb_print_fact_tree(facts, out);
    if (head && head->quote)
        abdb_print_sanitized(out, "and your own price: --price '%s'\n", head->quote);
    if (facts->rows && abdb_arg_value(args, "uses"))
        return abdb_print_reports_and_figures_citing_facts(db, facts, out, err);
    if (facts->rows)
        abdb_print_sanitized(out, "which reports and figures use %s: add --uses\n",
                             facts->rows == 1 ? "it" : "them");
    return ABDB_OK;
}

/* The name of a device or model is no fact: the error names the reports that list its facts. */
static abdb_status fail_if_word_names_device_or_model(abdb_db *db, const char *word,
                                                      abdb_error *err)
{
    abdb_binds binds = {0};
    abdb_table found = {0};
    bool device;
    abdb_status st = ABDB_OK;

    (void)abdb_bind_add_text(&binds, word);
    TRY(abdb_query_to_table(db->sql,
                            "SELECT kind, canon FROM v_name WHERE kind IN ('device', 'model') AND"
                            " parts = 1 AND (spelling = ?1 OR abdb_fold(canon) = abdb_fold(?1))"
                            " ORDER BY kind LIMIT 1",
                            &binds, &found, err));
    if (!found.rows) goto done;
    device = strcmp(abdb_cell_text_or_empty(&found, 0, 0), "device") == 0;
    TRY(ABDB_FAIL(err, ABDB_USAGE, "%s is a %s; its facts: `abdb query %s%s'%s`, each with its key",
                  word, device ? "device" : "model",
                  device ? "specs --device '"
                         : "\"SELECT key, device, metric, value, unit FROM"
                           " v_result WHERE model = '",
                  abdb_cell_text_or_empty(&found, 0, 1), device ? "" : "\""));
done:
    abdb_table_free(&found);
    return st;
}

/* The facts: as citations, as a table, or as a tree below `head`, which may be NULL. */
static abdb_status print_facts_in_requested_form(const abdb_args *args, abdb_db *db,
                                                 const heading *head, const char *keys,
                                                 abdb_error *err)
{
    const char *cite = abdb_arg_value(args, "cite"), *path = abdb_arg_value(args, "out");
    abdb_table facts = {0};
    abdb_output_buffer said = {0};
    abdb_status st = ABDB_OK;

    if (cite && strcmp(cite, "text") != 0 && strcmp(cite, "bibtex") != 0)
        TRY(ABDB_FAIL(err, ABDB_USAGE, "--cite wants text or bibtex, not '%s'", cite));
    TRY(abdb_facts_load_by_keys_names_or_claims(db, keys, &facts, err));
    if (!facts.rows && !facts.notes && !head)
        TRY(fail_if_word_names_device_or_model(db, keys, err));
    if (!facts.rows && !facts.notes && !head)
        TRY(ABDB_FAIL(err, ABDB_USAGE,
                      "nothing here is called '%s': give a key, a public ID, the name of a fact or "
                      "of a claim,"
                      " or a report with column and selection",
                      keys));
    if (!cite && (abdb_arg_value(args, "format") || abdb_arg_value(args, "json"))) {
        TRY(abdb_print_table_by_options_end_deadline(args, &facts, err));
        goto done;
    }
    TRY(abdb_output_buffer_open(&said, err));
    if (cite)
        abdb_print_citation_per_source(&facts, strcmp(cite, "bibtex") == 0, said.file);
    else
        TRY(print_fact_tree_and_uses(args, db, head, &facts, said.file, err));
    if (!path) abdb_pipe_stdout_to_pager();
    TRY(abdb_output_buffer_write_to(&said, path, err));
done:
    abdb_output_buffer_free(&said);
    abdb_table_free(&facts);
    return st;
}

/* --- of a report ------------------------------------------------------------------------------ */

/* Keeps the rows that the selection picks. */
static abdb_status drop_rows_not_meeting_selection(abdb_table *table,
                                                   const abdb_selection *selection, abdb_error *err)
{
    size_t kept = 0, width = table->columns;

    for (size_t r = 0; r < table->rows; r++) {
        bool match;
        abdb_status st = abdb_row_meets_selection(selection, table, r, &match, err);

        if (st != ABDB_OK) return st;
        if (match)
            memmove(&table->value[kept++ * width], &table->value[r * width],
                    width * sizeof *table->value);
    }
    table->rows = kept;
    return ABDB_OK;
}

/* "0.6646 ExaFLOP/$   meaning of the column in the report". */
static void append_first_row_cell_and_meaning(const abdb_report *report, const abdb_table *table,
                                              size_t column, abdb_text *out)
{
    const abdb_column *c = &table->column[column];
    char shown[ABDB_CELL_SIZE];

    abdb_format_cell_rounded_with_mark(table, 0, column, shown);
    abdb_text_printf(out, "%s %s", *shown ? shown : "(no value)", c->label ? c->label : c->name);
    for (size_t i = 0; i < report->columns; i++)
        if (strcmp(report->column[i].name, c->name) == 0 && report->column[i].meaning &&
            *report->column[i].meaning)
            abdb_text_printf(out, "   %s%s%s", report->column[i].meaning,
                             report->column[i].formula ? "; " : "",
                             report->column[i].formula ? report->column[i].formula : "");
}

/* The report's parameters, of a number that has no facts. */
static void append_statement_that_value_is_computed(const abdb_report *report,
                                                    const abdb_args *args, abdb_text *out)
{
    abdb_text_printf(out,
                     "no source states it: computed by `abdb query %s --sql` from this"
                     " database and",
                     report->name);
    for (size_t i = 0; i < report->params; i++) {
        const char *given = abdb_arg_value(args, report->option[i].name);

        if (given || report->param[i].fallback)
            abdb_text_printf(out, " --%s %s%s", report->option[i].name,
                             given ? given : report->param[i].fallback,
                             given ? " (yours)" : " (default)");
    }
    abdb_text_puts(out, report->params ? "" : " no option");
}

/* Does the formula of the column divide by a price? */
static bool formula_divides_by_price(const abdb_report *report, const char *column)
{
    for (size_t i = 0; i < report->columns; i++)
        if (strcmp(report->column[i].name, column) == 0)
            return report->column[i].formula && strstr(report->column[i].formula, "per_dollar");
    return false;
}

/* Was the row made with the reader's own price? */
static bool first_row_uses_own_price(const abdb_table *table)
{
    int provider = abdb_table_column_index(table, "provider");

    return provider >= 0 && strcmp(abdb_cell_text_or_empty(table, 0, (size_t)provider), "you") == 0;
}

/* Appends ", NAME VALUE" where the title has not the value. */
static void append_unless_in_title(const char *shared, const char *title, abdb_text *out)
{
    const char *value = strchr(shared, ' ');

    if (value && !strstr(title, value + 1)) abdb_text_printf(out, ", %s", shared);
}

/* The question that the report answers here: its title, the values shared by all its rows, and a
 * note where an option was given, because options change the question. */
static void append_question(const abdb_report *report, const abdb_args *args,
                            const abdb_table *table, abdb_text *out)
{
    const char *title = table->title ? table->title : report->name;
    char shared[512], *rest = shared, *one;
    bool given = false;

    abdb_format_hoisted_columns_line(table, shared, sizeof shared);
    abdb_text_puts(out, title);
    while ((one = strstr(rest, "   "))) { /* "round v6.0   division closed" */
        *one = '\0';
        append_unless_in_title(rest, title, out);
        rest = one + 3;
    }
    append_unless_in_title(rest, title, out);
    for (size_t i = 0; i < report->params; i++)
        given |= abdb_arg_value(args, report->option[i].name) != NULL;
    if (report->params && !given) abdb_text_puts(out, "; no option was given");
}

/* The factors of a ratio, from the hidden column _factors_COLUMN of the first row; or NULL. */
static const char *find_factors_of_cell(const abdb_table *table, size_t column)
{
    char name[128];
    int at;

    snprintf(name, sizeof name, "_factors_%s", table->column[column].name);
    at = abdb_table_column_index(table, name);
    return at >= 0 ? abdb_cell_text_or_empty(table, 0, (size_t)at) : NULL;
}

/* A number of a report is named by its column and by the selection of its row. It was made of the
 * facts in the hidden column _facts_COLUMN, or else _facts; none: it was made of options. */
static abdb_status select_row_and_explain_its_cell(const abdb_report *report, const abdb_args *args,
                                                   abdb_db *db, abdb_table *table, abdb_error *err)
{
    abdb_selection selection = {0};
    heading head = {.value = NAN};
    const char *keys;
    size_t column = 0;
    abdb_status st = ABDB_OK;

    for (int i = 2; i < args->positionals; i++)
        TRY(abdb_selection_parse_and_append(&selection, args->positional[i], err));
    TRY(abdb_table_require_column_by_name_or_heading(table, args->positional[1], &column, err));
    append_question(report, args, table, &head.question);
    TRY(drop_rows_not_meeting_selection(table, &selection, err));
    if (!table->rows)
        TRY(ABDB_FAIL(err, ABDB_USAGE, "no row of %s is like that; `abdb query %s` lists them",
                      report->name, report->name));
    if (table->rows > 1) {
        TRY(abdb_print_table_by_options_end_deadline(args, table, err));
        TRY(ABDB_FAIL(err, ABDB_USAGE, "%zu rows of %s: which one? pick it by column=value,...",
                      table->rows, report->name));
    }
    keys = abdb_fact_keys_of_cell_or_its_row(table, 0, column);
    head.value = value_as_number_or_nan(&table->value[column]);
    head.factors = find_factors_of_cell(table, column);
    head.per_dollar = formula_divides_by_price(report, table->column[column].name);
    if (first_row_uses_own_price(table)) head.quote = abdb_arg_value(args, "price");
    append_first_row_cell_and_meaning(report, table, column, &head.line);
    if (!keys || !*keys) append_statement_that_value_is_computed(report, args, &head.made);
    if (head.line.failed || head.made.failed || head.question.failed)
        TRY(ABDB_FAIL(err, ABDB_NOMEM, "explaining %s", report->name));
    TRY(print_facts_in_requested_form(args, db, &head, keys ? keys : "", err));
done:
    abdb_selection_free(&selection);
    abdb_text_free(&head.line);
    abdb_text_free(&head.made);
    abdb_text_free(&head.question);
    return st;
}

/* Explains one value of a report: its formula, and the facts that it was computed from. */
static abdb_status run_report_and_explain_cell(const char *name, int argc, char **argv,
                                               abdb_error *err)
{
    const char *value[ABDB_PARAM_COUNT] = {0};
    abdb_report report = {0};
    abdb_table table = {0};
    abdb_args args;
    abdb_db *db = NULL;
    abdb_status st = ABDB_OK;

    TRY(abdb_report_load(&report, name, err));
    TRY(abdb_args_parse(&args, argc, argv, "explain", report.option, err));
    if (args.positionals < 2)
        TRY(ABDB_FAIL(err, ABDB_USAGE, "which column of %s? `abdb query %s --help` lists them",
                      name, name));
    abdb_report_values_from_args(&report, &args, value);
    TRY(abdb_open_guarded_readonly_db(&args, &db, err));
    TRY(abdb_report_run_with_footnotes(db, &report, value, &table, err));
    TRY(select_row_and_explain_its_cell(&report, &args, db, &table, err));
done:
    abdb_table_free(&table);
    abdb_report_free(&report);
    abdb_db_close(db);
    return st;
}

/* --- of keys and names ------------------------------------------------------------------------ */

/* Explains each key or fact of the command line. */
static abdb_status explain_fact_keys(int argc, char **argv, abdb_error *err)
{
    abdb_text keys = {0};
    abdb_args args;
    abdb_db *db = NULL;
    abdb_status st = ABDB_OK;

    TRY(abdb_args_parse(&args, argc, argv, "explain", NULL, err));
    if (!args.positionals)
        TRY(ABDB_FAIL(err, ABDB_USAGE,
                      "explain what? a key, a fact, a claim, or REPORT COLUMN SELECTION"));
    for (int i = 0; i < args.positionals; i++)
        abdb_text_printf(&keys, "%s%s", i ? " " : "", args.positional[i]);
    if (keys.failed) TRY(ABDB_FAIL(err, ABDB_NOMEM, "explain"));
    TRY(abdb_open_guarded_readonly_db(&args, &db, err));
    TRY(print_facts_in_requested_form(&args, db, NULL, abdb_text_get(&keys), err));
done:
    abdb_text_free(&keys);
    abdb_db_close(db);
    return st;
}

int abdb_cmd_explain(int argc, char **argv)
{
    abdb_arena arena = {0};
    const char *names[NAMES_MAX];
    size_t count = abdb_list_own_and_shipped_report_names(names, NAMES_MAX, &arena);
    bool of_report = false;
    abdb_error err;
    abdb_status st;

    for (size_t i = 0; argc > 1 && i < count; i++) of_report |= strcmp(argv[1], names[i]) == 0;
    st = of_report ? run_report_and_explain_cell(argv[1], argc, argv, &err)
                   : explain_fact_keys(argc, argv, &err);
    abdb_arena_free(&arena);
    return st == ABDB_OK ? 0 : abdb_print_error_return_exit_code(&err);
}
