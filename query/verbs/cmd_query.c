/* cmd_query.c - abdb query: named reports, read-only SQL, the schema, a shell. A word with a blank
 * or a semicolon in it is SQL, any other a report. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "query/answer/deadline.h"
#include "query/answer/sql_rows.h"
#include "query/answer/mlperf_footnotes.h"
#include "query/answer/search_path.h"
#include "query/help/report_catalog.h"
#include "query/verbs/table_output.h"
#include "schema/core/outfile.h"

enum { NAMES_MAX = 256 };

/* --- lists of reports and columns ------------------------------------------------------------- */

/* Prints the names of all reports, for completion. Returns 0. */
static int print_report_names(void)
{
    abdb_arena arena = {0};
    const char *names[NAMES_MAX];
    size_t count = abdb_list_own_and_shipped_report_names(names, NAMES_MAX, &arena);

    for (size_t i = 0; i < count; i++) abdb_print_sanitized(stdout, "%s\n", names[i]);
    abdb_arena_free(&arena);
    return 0;
}

/* The first of the values that an option can have, folded. */
static void print_option_values(const abdb_table *list)
{
    enum { LEFT = 27, RIGHT = 96, MOST = 60 };
    size_t column = abdb_print_sanitized(stdout, "%*s", LEFT, "");

    for (size_t r = 0; r < list->rows && r < MOST; r++) {
        char number[32];
        const char *text = abdb_value_text(&list->value[r * list->columns], number);

        if (column + strlen(text) > RIGHT)
            column = abdb_print_sanitized(stdout, "\n%*s", LEFT, "") - 1;
        column += abdb_print_sanitized(stdout, "%s ", text);
    }
    abdb_print_sanitized(stdout, "%s\n", list->rows > MOST ? "..." : "");
}

/* Prints a column's meaning, and its formula of v_formula or v_scaling. */
static void print_column_meaning(const char *name, const char *meaning, const char *formula)
{
    abdb_print_sanitized(stdout, "  %-24s %s%s%s\n", name, meaning ? meaning : "",
                         formula && meaning && *meaning ? "; " : "", formula ? formula : "");
}

/* Prints title, question, parameters with values from the database, and columns of a report. */
static void print_report_help(const abdb_report *report, const char *path)
{
    const char *nothing[ABDB_PARAM_COUNT] = {0}, *title;
    abdb_table heading = {0};
    abdb_db *db = NULL;
    abdb_error err;

    title = report->title ? abdb_report_fill_title(report, nothing, report->title, &heading) : NULL;
    abdb_print_sanitized(stdout, "abdb query %s - %s\n", report->name, title ? title : "");
    abdb_table_free(&heading);
    if (strcmp(report->origin, "shipped") != 0)
        abdb_print_sanitized(stdout, "from %s\n", report->origin);
    puts("");
    if (abdb_db_open(&db, path, ABDB_READ, &err) == ABDB_OK &&
        abdb_restrict_db_to_reads_begin_deadline(db, 5, &err) != ABDB_OK) {
        abdb_db_close(db);
        db = NULL;
    }
    for (size_t i = 0; i < report->params; i++) {
        const abdb_report_param *p = &report->param[i];
        abdb_table list = {0};
        char left[64];

        snprintf(left, sizeof left, "--%s%s%s", report->option[i].name,
                 strcmp(p->type, "flag") == 0 ? "" : " ",
                 strcmp(p->type, "flag") == 0 ? "" : p->type);
        abdb_print_sanitized(stdout, "  %-24s %s%s%s%s\n", left, p->help ? p->help : "",
                             p->fallback ? " (default " : "", p->fallback ? p->fallback : "",
                             p->fallback ? ")" : "");
        if (db && p->values &&
            abdb_run_readonly_sql(db, p->values, NULL, NULL, &list, &err) == ABDB_OK && list.rows)
            print_option_values(&list);
        abdb_table_free(&list);
    }
    puts("\ncolumns:");
    for (size_t i = 0; i < report->columns; i++)
        print_column_meaning(report->column[i].name, report->column[i].meaning,
                             report->column[i].formula);
    puts("\nalso --db FILE, -o FORMAT, --json, --columns NAME,..., --out PATH, --timeout SECONDS,"
         " --sql");
    abdb_db_close(db);
}

/* --fail-on COLUMN,...: each row must have 0 or no value in these columns. A report with a column
 * `unjudged` must have rows: otherwise a misspelt cell would pass the gate. */
static abdb_status fail_if_column_has_nonzero_value(const abdb_args *args, const abdb_table *table,
                                                    abdb_error *err)
{
    const char *list = abdb_arg_value(args, "fail-on"), *names[ABDB_COLUMN_MAX], *near;
    bool asked[ABDB_COLUMN_MAX] = {0};
    char name[128];
    size_t count = 0;
    int column;

    if (!list) return ABDB_OK;
    for (size_t i = 0; i < table->columns; i++) names[i] = table->column[i].name;
    for (const char *rest = list; rest; rest = strchr(rest, ',') ? strchr(rest, ',') + 1 : NULL) {
        snprintf(name, sizeof name, "%.*s", (int)strcspn(rest, ","), rest);
        column = abdb_table_column_index(table, name);
        if (column >= 0) {
            asked[column] = true;
            continue;
        }
        near = abdb_nearest_name(name, names, table->columns);
        return ABDB_FAIL(err, ABDB_USAGE, "--fail-on: there is no column '%s'%s%s%s", name,
                         near ? ", did you mean '" : "", near ? near : "", near ? "'?" : "");
    }
    if (!table->rows && abdb_table_column_index(table, "unjudged") >= 0)
        return ABDB_FAIL(err, ABDB_GATE, "no row: nothing was judged (--fail-on %s)", list);
    for (size_t i = 0; i < table->rows; i++) {
        bool bad = false;

        for (size_t j = 0; j < table->columns; j++) {
            const char *text = asked[j] ? abdb_cell_text_or_empty(table, i, j) : "";

            bad = bad || (*text && strcmp(text, "0") != 0);
        }
        count += bad;
    }
    if (!count) return ABDB_OK;
    return ABDB_FAIL(err, ABDB_GATE, "%zu of %zu row%s %s %s (--fail-on)", count, table->rows,
                     abdb_plural_ending((long long)table->rows), count == 1 ? "has" : "have", list);
}

static bool report_has_parameter(const abdb_report *report, const char *name)
{
    for (size_t i = 0; i < report->params; i++)
        if (strcmp(report->param[i].name, name) == 0) return true;
    return false;
}

/* Runs a report with the parameters of the command line, or prints its help. */
static abdb_status run_and_print_report(abdb_report *report, int argc, char **argv, abdb_error *err)
{
    const char *value[ABDB_PARAM_COUNT] = {0};
    abdb_db *db = NULL;
    abdb_table table = {0};
    abdb_arena arena = {0};
    abdb_args args;
    abdb_status st = ABDB_OK;

    TRY(abdb_args_parse(&args, argc, argv, "query", report->option, err));
    if (abdb_arg_value(&args, "help")) {
        print_report_help(report, abdb_arg_db_path(&args));
        return ABDB_OK;
    }
    if (abdb_arg_value(&args, "sql")) {
        return abdb_write_sanitized_if_terminal(stdout, report->text, strlen(report->text))
                   ? ABDB_OK
                   : abdb_fail_write_or_raise_sigpipe(stdout, err);
    }
    if (abdb_arg_value(&args, "all") && !report_has_parameter(report, "all"))
        TRY(ABDB_FAIL(err, ABDB_USAGE, "--all lists every report: it takes no name"));
    abdb_report_values_from_args(report, &args, value);
    /* a gate also checks all rows */
    if (abdb_format_is_for_programs(&args) || abdb_arg_value(&args, "fail-on"))
        abdb_report_lift_row_limits(report, value);
    TRY(abdb_open_guarded_readonly_db(&args, &db, err));
    TRY(abdb_set_words_as_selection(report, &args, abdb_arg_value(&args, "file") ? 0 : 1, db->sql,
                                    value, &arena, err));
    TRY(abdb_report_run_with_footnotes(db, report, value, &table, err));
    TRY(abdb_print_table_by_options_end_deadline(&args, &table, err));
    TRY(fail_if_column_has_nonzero_value(&args, &table, err));
    if (!table.rows)
        abdb_print_stderr_remark("no rows: nothing in this database matches; `abdb query artifacts`"
                                 " shows what is in it");
done:
    abdb_table_free(&table);
    abdb_db_close(db);
    abdb_arena_free(&arena);
    return st;
}

/* Runs one SELECT of the user and prints its rows. */
static abdb_status run_and_print_sql(const char *sql, const abdb_args *args, abdb_error *err)
{
    abdb_db *db = NULL;
    abdb_table table = {0};
    abdb_status st = ABDB_OK;

    TRY(abdb_open_guarded_readonly_db(args, &db, err));
    TRY(abdb_run_readonly_sql(db, sql, NULL, NULL, &table, err));
    table.every_column = true; /* each was requested */
    TRY(abdb_add_mlperf_footnotes_as_table_notes(db, &table, strstr(sql, "v_mlperf") != NULL, err));
    TRY(abdb_print_table_by_options_end_deadline(args, &table, err));
    TRY(fail_if_column_has_nonzero_value(args, &table, err));
done:
    abdb_table_free(&table);
    abdb_db_close(db);
    return st;
}

/* Prints the columns of a view with units and meanings. */
static abdb_status print_view_columns(const char *view, const abdb_args *args, abdb_error *err)
{
    const char *value[1] = {view};
    abdb_report report = {.params = 1};
    abdb_db *db = NULL;
    abdb_table table = {0};
    abdb_status st = ABDB_OK;

    report.param[0] = (abdb_report_param){.name = "view", .type = "text"};
    TRY(abdb_open_guarded_readonly_db(args, &db, err));
    TRY(abdb_run_readonly_sql(
        db,
        "SELECT view, column_name AS \"column\", unit, meaning FROM v_column WHERE :view IS NULL OR"
        " view = :view ORDER BY view, place",
        &report, value, &table, err));
    if (!table.rows) {
        abdb_table views = {0};
        const char **names, *near;
        TRY(abdb_run_readonly_sql(db, "SELECT DISTINCT view FROM v_column", NULL, NULL, &views,
                                  err));
        names = calloc(views.rows + 1, sizeof *names);
        for (size_t i = 0; names && i < views.rows; i++) names[i] = views.value[i].text;
        near = names ? abdb_nearest_name(view, names, views.rows) : NULL;
        st = ABDB_FAIL(err, ABDB_USAGE, "no view '%s'%s%s", view, near ? ", did you mean " : "",
                       near ? near : "");
        free(names);
        abdb_table_free(&views);
        goto done;
    }
    TRY(abdb_print_table_by_options_end_deadline(args, &table, err));
done:
    abdb_table_free(&table);
    abdb_db_close(db);
    return st;
}

/* --search: columns too, where there is a database. */
static abdb_status print_catalog_search(const abdb_args *args, abdb_error *err)
{
    abdb_db *db = NULL;
    abdb_error none;
    abdb_status st;

    if (abdb_open_guarded_readonly_db(args, &db, &none) != ABDB_OK) {
        abdb_db_close(db);
        db = NULL;
    }
    st = abdb_print_catalog_matches_or_fail(db, abdb_arg_value(args, "search"), err);
    abdb_db_close(db);
    return st;
}

/* Prints the reports, or the functions of SQL, as rows (-o, --json or --out was given). */
static abdb_status
print_catalog_as_table(const abdb_args *args,
                       abdb_status (*fill_table)(abdb_table *out, abdb_error *err), abdb_error *err)
{
    abdb_table table;
    abdb_status st = fill_table(&table, err);

    if (st == ABDB_OK) st = abdb_print_table_by_options_end_deadline(args, &table, err);
    abdb_table_free(&table);
    return st;
}

/* --- the shell -------------------------------------------------------------------------------- */

static const char shell_help[] = "SQL ends with ';'. Also:\n"
                                 "  .reports              named reports\n"
                                 "  .views                public views\n"
                                 "  .schema VIEW          its columns\n"
                                 "  .functions            functions that SQL may call\n"
                                 "  .mode FORMAT          " ABDB_FORMAT_NAMES "\n"
                                 "  .quit\n";

typedef struct {
    abdb_db *db;
    abdb_format format;
    double timeout_s;
} shell;

/* Runs the statements one after another, each with its own time, and prints the rows of each. The
 * first error is printed and ends them. */
static void run_and_print_statements(shell *s, const char *sql)
{
    abdb_status st = ABDB_OK;

    while (st == ABDB_OK && *sql) {
        abdb_table table = {0};
        abdb_error err;

        st = abdb_restrict_db_to_reads_begin_deadline(s->db, s->timeout_s, &err);
        if (st == ABDB_OK)
            st = abdb_run_next_readonly_statement_and_advance(s->db, &sql, &table, &err);
        abdb_deadline_cancel();
        if (st == ABDB_OK && table.columns)
            st = abdb_table_print_in_format(&table, s->format, stdout, &err);
        if (st != ABDB_OK) abdb_print_error_return_exit_code(&err);
        abdb_table_free(&table);
    }
}

/* Prints the SQL functions of abdb. */
static void print_sql_functions(abdb_format format)
{
    abdb_table table;
    abdb_error err;
    abdb_status st = abdb_list_sql_functions_in_table(&table, &err);

    if (st == ABDB_OK) st = abdb_table_print_in_format(&table, format, stdout, &err);
    if (st != ABDB_OK) abdb_print_error_return_exit_code(&err);
    abdb_table_free(&table);
}

/* A line that begins with a dot; returns whether the shell goes on. */
static bool shell_run_dot_command(shell *s, char *line)
{
    char *rest = NULL, *verb = strtok_r(line, " \t\n", &rest),
         *word = strtok_r(NULL, " \t\n", &rest);
    abdb_error err;
    char *sql;

    if (strcmp(verb, ".quit") == 0 || strcmp(verb, ".exit") == 0) return false;
    if (strcmp(verb, ".reports") == 0)
        abdb_print_report_catalog_through_pager(true);
    else if (strcmp(verb, ".functions") == 0)
        print_sql_functions(s->format);
    else if (strcmp(verb, ".views") == 0)
        run_and_print_statements(s, "SELECT DISTINCT view FROM v_column");
    else if (strcmp(verb, ".schema") == 0) {
        sql = sqlite3_mprintf("SELECT view, column_name AS \"column\", unit, meaning FROM v_column "
                              "WHERE %Q IS NULL OR"
                              " view = %Q ORDER BY view, place",
                              word, word);
        if (sql) run_and_print_statements(s, sql);
        sqlite3_free(sql);
    } else if (strcmp(verb, ".mode") == 0 && word) {
        if (abdb_find_output_format(&s->format, word, &err) != ABDB_OK)
            abdb_print_error_return_exit_code(&err);
    } else {
        abdb_write_sanitized_if_terminal(stdout, shell_help, sizeof shell_help - 1);
    }
    return true;
}

/* Lines are gathered until SQLite calls them a whole statement; a line that begins with a dot,
 * at the beginning of one, is a command of the shell. */
static abdb_status run_interactive_sql_shell(const abdb_args *args, abdb_error *err)
{
    shell s = {0};
    abdb_text statement = {0};
    char *line = NULL;
    size_t room = 0;
    ssize_t size;
    bool terminal = isatty(STDIN_FILENO);
    abdb_status st = ABDB_OK;

    TRY(abdb_open_guarded_readonly_db(args, &s.db, err));
    TRY(abdb_parse_timeout_option(args, &s.timeout_s, err));
    abdb_deadline_cancel(); /* each statement has its own */
    if (terminal)
        abdb_print_sanitized(stdout, "abdb %s, read-only: %s. `.help` says what can be typed.\n",
                             ABDB_VERSION, abdb_arg_db_path(args));
    for (;;) {
        if (terminal) abdb_print_sanitized(stdout, "%s> ", statement.size ? "   ..." : "abdb");
        fflush(stdout);
        size = getline(&line, &room, stdin);
        if (size < 0) break;
        if (strlen(line) != (size_t)size)
            TRY(ABDB_FAIL(err, ABDB_USAGE, "standard input holds a zero byte: it is no text"));
        if (!statement.size && line[strspn(line, " \t")] == '.') {
            if (!shell_run_dot_command(&s, line)) break;
            continue;
        }
        abdb_text_puts(&statement, line);
        if (!sqlite3_complete(abdb_text_get(&statement))) {
            if (strspn(abdb_text_get(&statement), " \t\n") == statement.size)
                abdb_text_clear(&statement);
            continue;
        }
        run_and_print_statements(&s, abdb_text_get(&statement));
        abdb_text_clear(&statement);
    }
    if (ferror(stdin))
        TRY(ABDB_FAIL(err, ABDB_IO, "cannot read standard input: %s", strerror(errno)));
    if (statement.size) run_and_print_statements(&s, abdb_text_get(&statement));
done:
    free(line);
    abdb_text_free(&statement);
    abdb_db_close(s.db);
    return st;
}

/* --- the verb --------------------------------------------------------------------------------- */

/* The first argument that is no option: a report's own options are needed before parsing. */
static const char *find_first_positional_and_file_option(int argc, char **argv, const char **file)
{
    int at = abdb_first_positional_index("query", argc, argv);

    *file = NULL;
    for (int i = 1; i + 1 < (at ? at : argc); i++)
        if (strcmp(argv[i], "-f") == 0 || strcmp(argv[i], "--file") == 0) *file = argv[i + 1];
    return at ? argv[at] : NULL;
}

/* Reads the report in a file and runs it. */
static abdb_status run_report_file(const char *path, int argc, char **argv, abdb_error *err)
{
    abdb_text text = {0};
    abdb_report report = {0};
    abdb_status st = ABDB_OK;

    TRY(abdb_read_and_protect_text_file(path, &text, err));
    TRY(abdb_report_parse(&report, path, abdb_text_get(&text), err));
    report.origin = path;
    TRY(run_and_print_report(&report, argc, argv, err));
done:
    abdb_report_free(&report);
    abdb_text_free(&text);
    return st;
}

/* Runs the report of that name. */
static abdb_status run_named_report(const char *word, int argc, char **argv, abdb_error *err)
{
    abdb_report report = {0};
    abdb_status st = abdb_report_load(&report, word, err);

    for (int i = 1; i < argc && st == ABDB_OK; i++)
        if (strncmp(argv[i], "--search", 8) == 0 || strcmp(argv[i], "--functions") == 0)
            st = ABDB_FAIL(err, ABDB_USAGE, "%s goes without the name of a report", argv[i]);
    if (st == ABDB_OK) st = run_and_print_report(&report, argc, argv, err);
    abdb_report_free(&report);
    return st;
}

/* Runs a file, SQL, --schema, a report, or the list; returns the exit status. */
static int dispatch_query_form(int argc, char **argv)
{
    const char *file, *word = find_first_positional_and_file_option(argc, argv, &file);
    bool is_sql = word && strpbrk(word, " \t\n;") != NULL, is_schema = false;
    abdb_args args;
    abdb_error err;
    abdb_status st = ABDB_OK;

    if (argc == 2 && strcmp(argv[1], "--names") == 0) return print_report_names();
    for (int i = 1; i < argc; i++) is_schema |= strcmp(argv[i], "--schema") == 0;
    if (file)
        TRY(run_report_file(file, argc, argv, &err));
    else if (word && !is_sql && !is_schema)
        TRY(run_named_report(word, argc, argv, &err));
    else {
        TRY(abdb_args_parse(&args, argc, argv, "query", NULL, &err));
        if (args.positionals > 1)
            TRY(ABDB_FAIL(&err, ABDB_USAGE, "one statement at a time: quote the SQL"));
        if (abdb_arg_value(&args, "interactive"))
            TRY(run_interactive_sql_shell(&args, &err));
        else if (is_schema)
            TRY(print_view_columns(word, &args, &err));
        else if (abdb_arg_value(&args, "search"))
            TRY(print_catalog_search(&args, &err));
        else if (abdb_arg_value(&args, "functions"))
            TRY(print_catalog_as_table(&args, abdb_list_sql_functions_in_table, &err));
        else if (is_sql)
            TRY(run_and_print_sql(word, &args, &err));
        else if (abdb_arg_value(&args, "format") || abdb_arg_value(&args, "json") ||
                 abdb_arg_value(&args, "out") || abdb_arg_value(&args, "columns"))
            TRY(print_catalog_as_table(&args, abdb_list_reports_in_table, &err));
        else
            abdb_print_report_catalog_through_pager(abdb_arg_value(&args, "all") != NULL);
    }
done:
    return st == ABDB_OK ? 0 : abdb_print_error_return_exit_code(&err);
}

/* SQL that begins with comments, which look like options. */
static char *skip_leading_sql_comments(char *sql)
{
    while (strncmp(sql, "-- ", 3) == 0 && strchr(sql, '\n')) {
        sql = strchr(sql, '\n') + 1;
        sql += strspn(sql, " \t\r\n");
    }
    return sql;
}

int abdb_cmd_query(int argc, char **argv)
{
    for (int i = 1; i < argc; i++) argv[i] = skip_leading_sql_comments(argv[i]);
    return dispatch_query_form(argc, argv);
}
