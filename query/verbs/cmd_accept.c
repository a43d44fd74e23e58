/* cmd_accept.c - abdb accept: is a device as fast as others of its kind? Files, or new measurements
 * of this machine, go into a temporary database, with the results of others from the user's
 * database or, without one, from the data that abdb ships. The report accept judges. */
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "query/answer/escape.h"
#include "query/answer/pick_columns.h"
#include "query/answer/sql_rows.h"
#include "query/import/input_files.h"
#include "query/sql_tables/table_functions.h"
#include "query/verbs/table_output.h"
#include "schema/core/outfile.h"

enum { WORDS = 48, PATH_SIZE = 4200 };

/* Columns of a screen; the device stands above them where all rows have one. */
static const char *const screen = "device,check,unit,here,others,ratio,verdict";
static const char *const screen_of_one = "check,unit,here,others,ratio,verdict";

/* The judged results, beside the results of others. */
typedef struct {
    const abdb_args *args;
    abdb_scratch scratch;
    long long last;    /* entry_id of the last run that is judged */
    long long refused; /* rows that were refused */
    int partial;       /* the exit code of an import or a measurement that was not whole, or 0 */
    char root[PATH_SIZE], upto[24];
} judged;

typedef int (*verb)(int argc, char **argv);

/* Runs a verb of this program with these arguments; returns its exit code. */
static int run_verb_return_exit_code(verb run, const char *const *word, size_t words)
{
    char *argv[WORDS + 1] = {0};
    int code = 6;
    size_t n = 0;

    while (n < words && n < WORDS && (argv[n] = strdup(word[n]))) n++;
    if (n == words) code = run((int)n, argv);
    while (n > 0) free(argv[--n]);
    return code;
}

/* --- the judged results ----------------------------------------------------------------------- */

/* Imports the files of the command line. */
static abdb_status import_judged_files(judged *j, abdb_error *err)
{
    const abdb_args *args = j->args;
    const char *word[WORDS] = {"import", "--quiet", "--db", j->scratch.path}, *setting;
    size_t n = 4, at = 0;

    while ((setting = abdb_arg_next_value(args, "set", &at)) && n + 2 < WORDS) {
        word[n++] = "--set";
        word[n++] = setting;
    }
    if (abdb_arg_value(args, "map") && n + 2 < WORDS) {
        word[n++] = "--map";
        word[n++] = abdb_arg_value(args, "map");
    }
    for (int i = 0; i < args->positionals; i++) {
        int code;

        if (n == WORDS) return ABDB_FAIL(err, ABDB_USAGE, "too many words: give a folder");
        word[n] = args->positional[i];
        code = run_verb_return_exit_code(abdb_cmd_import, word, n + 1);
        if (code == 5) j->partial = code;
        if (code && code != 5)
            return ABDB_FAIL(err, code == 2 ? ABDB_USAGE : ABDB_DATA, "%s was not read",
                             args->positional[i]);
    }
    return ABDB_OK;
}

/* Measures this machine by the plan, as far as the time allows. */
static abdb_status measure_this_machine_into_scratch(judged *j, abdb_error *err)
{
    const char *plan = abdb_arg_value(j->args, "plan"), *budget = abdb_arg_value(j->args, "budget");
    const char *backend = abdb_arg_value(j->args, "backend");
    const char *word[WORDS] = {"run",      "--quiet", "--quick", "--interleave",
                               "--plan",   NULL,      "--db",    j->scratch.path,
                               "--budget", NULL,      "--tag",   "accept"};
    size_t n = 12;
    int code;

    if (abdb_arg_value(j->args, "set") || abdb_arg_value(j->args, "map"))
        return ABDB_FAIL(err, ABDB_USAGE,
                         "--set and --map describe a FILE; a device that is measured here names"
                         " itself");
    word[5] = plan ? plan : "accept";
    word[9] = budget ? budget : "180";
    if (backend) {
        word[n++] = "--backend";
        word[n++] = backend;
    }
    code = run_verb_return_exit_code(abdb_cmd_run, word, n);
    if (code == 130 || code == 143) return ABDB_FAIL(err, ABDB_STOPPED, "stopped");
    if (code && code != 4 && code != 5)
        return ABDB_FAIL(err, ABDB_BACKEND, "nothing was measured here");
    j->partial = code;
    return ABDB_OK;
}

/* --- the results of others -------------------------------------------------------------------- */

/* Notes how many runs and rejects the judged files gave, before the results of others join them. */
static abdb_status note_last_judged_entry_and_rejects(judged *j, abdb_error *err)
{
    abdb_db *db = NULL;
    abdb_table table = {0};
    abdb_status st = ABDB_OK;

    TRY(abdb_db_open(&db, j->scratch.path, ABDB_READ, err));
    TRY(abdb_run_readonly_sql(db,
                              "SELECT coalesce(max(entry_id), 0),"
                              " (SELECT count(*) FROM v_reject) FROM v_run",
                              NULL, NULL, &table, err));
    j->last = table.value[0].integer;
    j->refused = table.value[1].integer;
    snprintf(j->upto, sizeof j->upto, "%lld", j->last);
done:
    abdb_table_free(&table);
    abdb_db_close(db);
    return st;
}

/* --record: the judged results, without hosts, users and files; factors of checks are kept. */
static abdb_status write_redacted_record(const judged *j, const char *path, abdb_error *err)
{
    const char *word[] = {"export",
                          "evidence=measured",
                          "--redacted",
                          "--db",
                          j->scratch.path,
                          "-o",
                          "jsonl",
                          "--out",
                          path,
                          "--keep",
                          NULL};
    abdb_table table = {0};
    abdb_db *db = NULL;
    abdb_status st = ABDB_OK;

    TRY(abdb_db_open(&db, j->scratch.path, ABDB_READ, err));
    TRY(abdb_run_readonly_sql(
        db,
        "SELECT group_concat(DISTINCT 'factor.' || w.value) FROM v_accept_check c,"
        " json_each('[\"gpu\",\"peer_gpu\",\"site\",\"' || replace(c.pair || ' ' || c.same,"
        " ' ', '\",\"') || '\"]') w WHERE w.value IN (SELECT factor FROM v_run_factor)",
        NULL, NULL, &table, err));
    word[10] = abdb_cell_text_or_empty(&table, 0, 0);
    if (run_verb_return_exit_code(abdb_cmd_export, word, *word[10] ? 11 : 9) != 0)
        TRY(ABDB_FAIL(err, ABDB_IO, "%s was not written", path));
done:
    abdb_table_free(&table);
    abdb_db_close(db);
    return st;
}

/* Adds the results of others after the judged ones, which keep their numbers. */
static abdb_status add_results_of_others_to_scratch(judged *j, abdb_error *err)
{
    const abdb_busy_timeout patience = {0};
    const char *path = abdb_arg_db_path(j->args), *data;
    abdb_arena arena = {0};
    abdb_writer *writer = NULL;
    abdb_counts counts = {0};
    abdb_db *db = NULL;
    abdb_status st = ABDB_OK;

    if (access(path, F_OK) == 0) {
        TRY(abdb_open_db_for_writing(&db, &writer, j->scratch.path, &patience, err));
        TRY(abdb_merge_database(db, path, &counts, err));
        TRY(abdb_writer_update_derived(writer, err));
        goto done;
    }
    data = abdb_shipped_data_folder(&arena);
    if (!data || abdb_arg_value(j->args, "db"))
        TRY(ABDB_FAIL(err, ABDB_IO, "there is no database %s: abdb import data", path));
    if (run_verb_return_exit_code(abdb_cmd_import,
                                  (const char *[]){"import", "-q", "--db", j->scratch.path, data},
                                  5) != 0)
        TRY(ABDB_FAIL(err, ABDB_IO, "cannot read the data that abdb ships, in %s", data));
done:
    abdb_writer_rollback_and_close(writer);
    abdb_db_close(db);
    abdb_arena_free(&arena);
    return st;
}

/* The folder that holds the nodes' files: the one folder of the command line. */
static void set_root_if_one_folder_is_given(judged *j)
{
    const abdb_args *args = j->args;
    const char *path = args->positionals == 1 ? args->positional[0] : "";
    size_t size = strlen(path);
    struct stat is;

    while (size > 1 && path[size - 1] == '/') size--;
    if (size && size + 2 < sizeof j->root && stat(path, &is) == 0 && S_ISDIR(is.st_mode))
        snprintf(j->root, sizeof j->root, "%.*s/", (int)size, path);
}

/* --- the answer ------------------------------------------------------------------------------- */

/* The value of that parameter of the report. */
static void set_report_parameter(const abdb_report *report, const char **value, const char *name,
                                 const char *text)
{
    for (size_t i = 0; i < report->params; i++)
        if (strcmp(report->param[i].name, name) == 0) value[i] = text;
}

static const char *cell_text_by_column_name(const abdb_table *t, size_t row, const char *column)
{
    return abdb_cell_text_or_empty(t, row, (size_t)abdb_table_column_index(t, column));
}

/* Rows with 1 in that column. */
static size_t count_rows_with_1_in_column(const abdb_table *t, const char *column)
{
    size_t count = 0;

    for (size_t i = 0; i < t->rows; i++)
        count += strcmp(cell_text_by_column_name(t, i, column), "1") == 0;
    return count;
}

/* For build servers: a test for each check and unit; a slow unit is a failure, an undecided one an
 * error. */
static void write_accept_junit(const abdb_table *t, FILE *out)
{
    abdb_print_sanitized(out,
                         "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n  <testsuite"
                         " name=\"abdb accept\" tests=\"%zu\" failures=\"%zu\" errors=\"%zu\">\n",
                         t->rows, count_rows_with_1_in_column(t, "slow"),
                         count_rows_with_1_in_column(t, "unjudged"));
    for (size_t i = 0; i < t->rows; i++) {
        const char *verdict = cell_text_by_column_name(t, i, "verdict"),
                   *others = cell_text_by_column_name(t, i, "others");
        bool normal = strcmp(verdict, "normal") == 0;

        abdb_print_sanitized(out, "    <testcase classname=\"abdb.accept.");
        abdb_write_html_escaped(out, cell_text_by_column_name(t, i, "device"));
        abdb_print_sanitized(out, "\" name=\"");
        abdb_write_html_escaped(out, cell_text_by_column_name(t, i, "check"));
        abdb_print_sanitized(out, "%s", *cell_text_by_column_name(t, i, "unit") ? ", " : "");
        abdb_write_html_escaped(out, cell_text_by_column_name(t, i, "unit"));
        abdb_print_sanitized(out, "\">\n      %s",
                             normal                         ? "<system-out>"
                             : strcmp(verdict, "slow") == 0 ? "<failure message=\""
                                                            : "<error message=\"");
        abdb_write_html_escaped(out, cell_text_by_column_name(t, i, "here"));
        abdb_print_sanitized(out, "; others ");
        abdb_write_html_escaped(out, *others ? others : "none");
        abdb_print_sanitized(out, "; ");
        abdb_write_html_escaped(out, *cell_text_by_column_name(t, i, "why")
                                         ? cell_text_by_column_name(t, i, "why")
                                         : verdict);
        abdb_print_sanitized(out, "%s\n    </testcase>\n", normal ? "</system-out>" : "\"/>");
    }
    abdb_print_sanitized(out, "  </testsuite>\n</testsuites>\n");
}

static bool format_is_junit(const abdb_args *args)
{
    const char *format = abdb_arg_value(args, "format");

    return format && strcmp(format, "junit") == 0;
}

static bool all_rows_have_one_device(const abdb_table *t)
{
    for (size_t i = 0; i < t->rows; i++)
        if (strcmp(cell_text_by_column_name(t, i, "device"),
                   cell_text_by_column_name(t, 0, "device")) != 0)
            return false;
    return t->rows > 0;
}

/* Prints the table in the requested format: for people the columns of one screen. */
static abdb_status print_accept_table_or_junit(const abdb_args *args, abdb_table *table,
                                               abdb_error *err)
{
    abdb_outfile out = {0};
    abdb_table picked = {0};
    abdb_status st = ABDB_OK;

    if (format_is_junit(args)) {
        TRY(abdb_outfile_open_refusing_protected(&out, abdb_arg_value(args, "out"), err));
        write_accept_junit(table, out.file);
        TRY(abdb_outfile_commit(&out, err));
    } else if (abdb_format_is_for_programs(args) || abdb_arg_value(args, "columns")) {
        TRY(abdb_print_table_by_options_end_deadline(args, table, err));
    } else {
        TRY(abdb_table_copy_picked_columns(
            table, all_rows_have_one_device(table) ? screen_of_one : screen, true, &picked, err));
        TRY(abdb_print_table_by_options_end_deadline(args, &picked, err));
    }
done:
    abdb_outfile_discard(&out);
    abdb_table_free(&picked);
    return st;
}

/* The exit code, the first that applies: 1 slow, 5 a check failed or did not run, 3 unjudged. */
static abdb_status fail_unless_all_units_are_normal(const judged *j, const abdb_table *t,
                                                    abdb_error *err)
{
    size_t slow = count_rows_with_1_in_column(t, "slow"),
           unjudged = count_rows_with_1_in_column(t, "unjudged");

    if (slow) return ABDB_FAIL(err, ABDB_GATE, "slow: %zu of %zu lines", slow, t->rows);
    if (j->refused)
        return ABDB_FAIL(err, ABDB_PARTIAL,
                         "%lld row%s of the input %s refused: abdb import lists %s", j->refused,
                         abdb_plural_ending(j->refused), j->refused == 1 ? "was" : "were",
                         j->refused == 1 ? "it" : "them");
    if (j->partial) return ABDB_FAIL(err, ABDB_PARTIAL, "a check failed, or could not run");
    if (unjudged || !t->rows)
        return ABDB_FAIL(err, ABDB_UNFAIR, "cannot tell: %s",
                         t->rows ? "see above" : "no result here belongs to a check");
    return ABDB_OK;
}

/* --plot FILE: one dot a unit, and the values it was compared with. */
static abdb_status plot_judged_units_to_file(const judged *j, const char *path, abdb_error *err)
{
    const char *word[WORDS] = {"plot",   "accept", "--db",   j->scratch.path, "--upto", j->upto,
                               "--root", j->root,  "--each", "--out",         path};

    return run_verb_return_exit_code(abdb_cmd_plot, word, 11) == 0
               ? ABDB_OK
               : ABDB_FAIL(err, ABDB_IO, "%s was not drawn", path);
}

/* Judges the results in the temporary database, prints, and fails unless all are normal. */
static abdb_status judge_print_and_fail_unless_normal(const judged *j, abdb_error *err)
{
    const char *value[ABDB_PARAM_COUNT] = {0};
    abdb_report report = {0};
    abdb_table table = {0};
    abdb_db *db = NULL;
    bool each = abdb_format_is_for_programs(j->args) || format_is_junit(j->args);
    double timeout_s;
    abdb_status st = ABDB_OK;

    TRY(abdb_report_load(&report, "accept", err));
    TRY(abdb_parse_timeout_option(j->args, &timeout_s, err));
    TRY(abdb_db_open(&db, j->scratch.path, ABDB_READ, err));
    if (abdb_register_allowed_table_functions(db->sql, ABDB_ALLOW_NOTHING) != SQLITE_OK)
        TRY(abdb_db_report_sqlite_error(db, err, "table-valued functions"));
    TRY(abdb_restrict_db_to_reads_begin_deadline(db, timeout_s, err));
    set_report_parameter(&report, value, "upto", j->upto);
    if (*j->root) set_report_parameter(&report, value, "root", j->root);
    if (each || abdb_arg_value(j->args, "each")) set_report_parameter(&report, value, "each", "1");
    if (abdb_arg_value(j->args, "explain")) set_report_parameter(&report, value, "explain", "1");
    TRY(abdb_report_run_into_table(db, &report, value, &table, err));
    TRY(print_accept_table_or_junit(j->args, &table, err));
    if (abdb_arg_value(j->args, "plot"))
        TRY(plot_judged_units_to_file(j, abdb_arg_value(j->args, "plot"), err));
    TRY(fail_unless_all_units_are_normal(j, &table, err));
done:
    abdb_table_free(&table);
    abdb_report_free(&report);
    abdb_db_close(db);
    return st;
}

int abdb_cmd_accept(int argc, char **argv)
{
    abdb_args args;
    judged j = {.args = &args};
    abdb_error err;
    int code = 0;
    abdb_status st = ABDB_OK;

    TRY(abdb_args_parse(&args, argc, argv, "accept", NULL, &err));
    TRY(abdb_scratch_folder_create(&j.scratch, &err));
    TRY(args.positionals ? import_judged_files(&j, &err)
                         : measure_this_machine_into_scratch(&j, &err));
    TRY(note_last_judged_entry_and_rejects(&j, &err));
    if (abdb_arg_value(&args, "record"))
        TRY(write_redacted_record(&j, abdb_arg_value(&args, "record"), &err));
    TRY(add_results_of_others_to_scratch(&j, &err));
    set_root_if_one_folder_is_given(&j);
    TRY(judge_print_and_fail_unless_normal(&j, &err));
done:
    if (st != ABDB_OK) code = abdb_print_error_return_exit_code(&err);
    abdb_scratch_remove(&j.scratch);
    return code;
}
