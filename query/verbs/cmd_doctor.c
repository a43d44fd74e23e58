/* cmd_doctor.c - abdb doctor: this build, this machine, this file, a line each: ok, -- (absent), or
 * ! with a remedy. */
#include <csv.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "kernels/runner/runner.h"
#include "plots/figure.h"
#include "query/run/find_backends.h"
#include "query/verbs/table_output.h"
#include "query/import/outdated_imports.h"
#include "schema/store/derive.h"
#include "schema/store/unfinished_runs.h"

typedef enum { FINE, ABSENT, WANTS_ATTENTION } state;

/* Adds a finding to the table: state, subject, and text. */
static void append_check_result(abdb_table *t, state is, const char *what, const char *text)
{
    static const char *const words[] = {"ok", "absent", "warning"};
    abdb_value *row = abdb_table_append_row(t);

    if (!row) return;
    row[0] = (abdb_value){.kind = ABDB_STRING, .text = words[is]};
    row[1] = (abdb_value){.kind = ABDB_STRING, .text = abdb_arena_printf(&t->arena, "%s", what)};
    row[2] = (abdb_value){.kind = ABDB_STRING, .text = abdb_arena_printf(&t->arena, "%s", text)};
    if (!row[1].text || !row[2].text) t->rows--;
}

/* Adds the versions of abdb, its compiler and its libraries. */
static void append_build_and_library_versions(abdb_table *t)
{
    char text[256];

    snprintf(text, sizeof text, "%s, schema %d, built with %s", ABDB_VERSION, abdb_schema_version(),
             __VERSION__);
    append_check_result(t, FINE, "abdb", text);
    snprintf(text, sizeof text, "SQLite %s, jansson %s, libcsv %d.%d.%d", sqlite3_libversion(),
             JANSSON_VERSION, CSV_MAJOR, CSV_MINOR, CSV_RELEASE);
    append_check_result(t, FINE, "libraries", text);
}

static void report_gnuplot_version_or_absence(abdb_table *t)
{
    char text[128];
    bool fine = abdb_gnuplot_version(text, sizeof text, NULL) == ABDB_OK && *text;

    append_check_result(t, fine ? FINE : ABSENT, "gnuplot",
                        fine ? text : "absent: no figures; apt-get install gnuplot-nox");
}

/* The core type chosen by the BLAS against the best one for the processor: a library for older
 * processors chooses slower kernels, and makes the machine look slow. False: not the best type. */
static bool report_blas_core_type_return_fits(const json_t *described, abdb_table *t)
{
    const char *config = json_string_value(json_object_get(
        json_object_get(json_object_get(described, "environment"), "environment"), "library"));
    const char *best = abdb_best_openblas_core_type();
    char text[512];

    if (!config || !best) return true;
    if (strstr(config, best) || (strcmp(best, "SkylakeX") == 0 &&
                                 (strstr(config, "Cooperlake") || strstr(config, "Sapphire")))) {
        snprintf(text, sizeof text, "%s: fits this processor", config);
        append_check_result(t, FINE, "core type", text);
        return true;
    }
    snprintf(text, sizeof text,
             "%s: chose kernels below what this processor can run (%s);"
             " `abdb run --core-type auto` measures with them",
             config, best);
    append_check_result(t, WANTS_ATTENTION, "core type", text);
    return false;
}

/* Adds a backend and the providers of its kernels to a list of words, each with a blank behind it.
 */
static void append_names_of_backend_and_providers(abdb_text *offered, const char *name,
                                                  const json_t *described)
{
    const json_t *kernels = json_object_get(json_object_get(described, "hello"), "kernels"), *one;
    size_t i;

    abdb_text_printf(offered, "%s ", name);
    json_array_foreach(kernels, i, one)
    {
        const char *provider = json_string_value(json_object_get(one, "provider"));

        if (provider) abdb_text_printf(offered, "%s ", provider);
    }
}

/* Starts each backend for a moment and adds its report, then the backends that were not built.
 * Returns the number of warnings. */
static int report_backends_count_warnings(abdb_table *t)
{
    abdb_backend_list list;
    abdb_text offered = {0}, get = {0};
    char text[512];
    int warnings = 0;
    abdb_error err;

    if (abdb_backends_find(&list, &err) != ABDB_OK) {
        abdb_print_stderr_remark("%s", err.message);
        warnings++;
    }
    for (size_t i = 0; i < list.count; i++) {
        abdb_run_options options = {.name = list.backend[i].name,
                                    .path = list.backend[i].path,
                                    .escaped = abdb_print_stderr_remark_of_ended_processes};
        json_t *all = NULL, *device;

        snprintf(text, sizeof text, "backend %s", options.name);
        if (abdb_backend_run_describe_and_collect_records(&options, &all, &err) != ABDB_OK) {
            bool absent = json_object_get(all, "no-device") != NULL;

            append_check_result(t, absent ? ABSENT : WANTS_ATTENTION, options.name, err.message);
            abdb_text_printf(&offered, "%s ", options.name); /* it is there */
            warnings += !absent;
            json_decref(all);
            continue;
        }
        device = json_object_get(all, "device");
        long long threads = (long long)json_integer_value(json_object_get(device, "threads"));
        snprintf(text, sizeof text, "backend, %lld thread%s on %s; clock steps %.0f ns", threads,
                 abdb_plural_ending(threads), json_string_value(json_object_get(device, "name")),
                 1e9 * json_number_value(json_object_get(device, "clock_resolution_s")));
        append_check_result(t, FINE, options.name, text);
        if (strcmp(options.name, "openblas") == 0)
            warnings += !report_blas_core_type_return_fits(all, t);
        append_names_of_backend_and_providers(&offered, options.name, all);
        json_decref(all);
    }
    for (const abdb_backend_package *p = abdb_backend_packages; p->name; p++) {
        if (abdb_list_has_word(abdb_text_get(&offered), ' ', p->name, strlen(p->name))) continue;
        abdb_text_clear(&get);
        abdb_append_install_advice(&get, p);
        snprintf(text, sizeof text, "absent: %s", abdb_text_get(&get));
        append_check_result(t, ABSENT, p->name, text);
    }
    abdb_text_free(&get);
    abdb_text_free(&offered);
    abdb_backends_free(&list);
    return warnings;
}

/* Files that a newer version of their importer would read otherwise. */
static int report_outdated_imports_count_warnings(abdb_db *db, abdb_table *t)
{
    abdb_arena arena = {0};
    abdb_outdated_imports *list;
    size_t count = 0;
    abdb_error err;
    char text[300];

    if (abdb_find_outdated_imports(db, &arena, &list, &count, &err) != ABDB_OK)
        append_check_result(t, WANTS_ATTENTION, "readings", err.message);
    for (size_t i = 0; i < count; i++) {
        snprintf(text, sizeof text,
                 "%.100s: %lld %s read by version %d of its importer, now %d;"
                 " `abdb import --refresh%s` reads %s again",
                 list[i].format, list[i].files, list[i].files == 1 ? "file" : "files", list[i].was,
                 list[i].now, list[i].own_map ? " --map FILE" : "",
                 list[i].files == 1 ? "it" : "them");
        append_check_result(t, WANTS_ATTENTION, "readings", text);
    }
    abdb_arena_free(&arena);
    return (int)count;
}

/* The newest command of abdb run, where it has not ended. Returns 1 if it was stopped. */
static int report_unfinished_run_count_warnings(abdb_db *db, abdb_table *t)
{
    abdb_unfinished_run run;
    bool found = false;
    abdb_error err;
    char text[300];

    if (abdb_unfinished_run_find(db->sql, NULL, &found, &run, &err) != ABDB_OK) {
        append_check_result(t, WANTS_ATTENTION, "runs", err.message);
        return 1;
    }
    if (!found) return 0;
    snprintf(text, sizeof text,
             run.running ? "%s is under way: %lld of %lld cells are measured"
                         : "%s was stopped after %lld of %lld cells: the same command with --resume"
                           " measures the others",
             run.campaign, run.measured, run.planned);
    append_check_result(t, run.running ? FINE : WANTS_ATTENTION, "runs", text);
    return !run.running;
}

/* At rest a database is one file. Returns how many warnings there were. */
static int report_separate_wal_count_warnings(const char *path, abdb_table *t)
{
    char log[PATH_MAX], text[3 * PATH_MAX];

    if (!abdb_db_find_nonempty_wal_or_journal(path, log) || abdb_db_is_open_elsewhere(path))
        return 0;
    snprintf(text, sizeof text,
             "a part of the database is in %s, and no program has it open: copy both files"
             " together, or run `abdb init --db %s`, which puts them together",
             log, path);
    append_check_result(t, WANTS_ATTENTION, "one file", text);
    return 1;
}

/* Adds checks of a database: a single file, version, integrity, views, old imports. Returns
 * the number of warnings. */
static int report_database_file_count_warnings(const char *path, abdb_table *t)
{
    abdb_db *db = NULL;
    abdb_error err;
    struct stat info;
    sqlite3_int64 results = 0, fine = 0;
    char text[600];
    int stale, apart;

    if (stat(path, &info) != 0) {
        snprintf(text, sizeof text, "%.400s is not there yet: init, import and run make it", path);
        append_check_result(t, ABSENT, "database", text);
        return 0;
    }
    apart = report_separate_wal_count_warnings(path, t); /* before it is opened here */
    if (abdb_db_open(&db, path, ABDB_READ, &err) != ABDB_OK ||
        abdb_db_query_integer_or_0(db, "SELECT count(*) FROM result", &results, &err) != ABDB_OK ||
        abdb_db_query_integer_or_0(
            db, "SELECT count(*) FROM pragma_quick_check WHERE quick_check = 'ok'", &fine, &err) !=
            ABDB_OK) {
        append_check_result(t, WANTS_ATTENTION, "database", err.message);
        abdb_db_close(db);
        return 1 + apart;
    }
    snprintf(text, sizeof text, "%.400s: %lld values, %s, %s", path, (long long)results,
             fine ? "sound" : "DAMAGED", access(path, W_OK) == 0 ? "writable" : "read-only");
    append_check_result(t, fine ? FINE : WANTS_ATTENTION, "database", text);
    if (db->lent)
        append_check_result(
            t, WANTS_ATTENTION, "views",
            "those in the file are not this program's: it answers with its own, and `abdb init`"
            " makes them anew");
    stale = report_outdated_imports_count_warnings(db, t) +
            report_unfinished_run_count_warnings(db, t) + db->lent;
    abdb_db_close(db);
    return !fine + stale + apart;
}

/* --rebuild: all derived rows from nothing. */
static abdb_status rebuild_derived_rows_and_report(const abdb_args *args, abdb_table *t,
                                                   abdb_error *err)
{
    abdb_db *db = NULL;
    abdb_writer *writer = NULL;
    abdb_busy_timeout patience;
    sqlite3_int64 names, subjects;
    char text[128];
    abdb_status st = ABDB_OK;

    TRY(abdb_busy_timeout_from_args(args, &patience, err));
    TRY(abdb_open_db_for_writing(&db, &writer, abdb_arg_db_path(args), &patience, err));
    TRY(abdb_derive_update_in_transaction_if_behind(db, true, err));
    TRY(abdb_db_query_integer_or_0(db, "SELECT count(*) FROM name", &names, err));
    TRY(abdb_db_query_integer_or_0(db, "SELECT count(*) FROM subject", &subjects, err));
    snprintf(text, sizeof text, "%lld names and %lld statements that others repeat",
             (long long)names, (long long)subjects);
    append_check_result(t, FINE, "rebuilt", text);
done:
    abdb_writer_rollback_and_close(writer);
    abdb_db_close(db);
    return st;
}

/* For people: a line each, and whether anything wants attention. */
static void print_check_results(const abdb_table *t, int warnings)
{
    static const struct {
        const char *word, *mark;
    } marks[] = {{"ok", "ok"}, {"absent", "--"}, {"warning", "! "}};

    for (size_t i = 0; i < t->rows; i++)
        for (size_t m = 0; m < 3; m++)
            if (strcmp(t->value[3 * i].text, marks[m].word) == 0)
                abdb_print_sanitized(stdout, "%s %-12s %s\n", marks[m].mark,
                                     t->value[3 * i + 1].text, t->value[3 * i + 2].text);
    abdb_print_sanitized(stdout, "%s\n",
                         warnings ? "lines with ! want attention" : "nothing wants attention");
}

/* Checks build, data, backends and database, and prints the results. */
static abdb_status run_and_print_doctor_checks(int argc, char **argv, abdb_error *err)
{
    abdb_arena arena = {0};
    abdb_table t = {.columns = 3,
                    .column = {{.name = "state"}, {.name = "what"}, {.name = "text"}}};
    const char *data;
    abdb_args args;
    int warnings = 0;
    abdb_status st = ABDB_OK;

    TRY(abdb_args_parse(&args, argc, argv, "doctor", NULL, err));
    if (abdb_arg_value(&args, "rebuild")) TRY(rebuild_derived_rows_and_report(&args, &t, err));
    append_build_and_library_versions(&t);
    data = abdb_shipped_data_folder(&arena);
    append_check_result(&t, data ? FINE : ABSENT, "data",
                        data ? data : "absent: `abdb import data` has nothing to read");
    report_gnuplot_version_or_absence(&t);
    warnings += report_backends_count_warnings(&t);
    warnings += report_database_file_count_warnings(abdb_arg_db_path(&args), &t);
    if (abdb_arg_value(&args, "json") || abdb_arg_value(&args, "format") ||
        abdb_arg_value(&args, "out"))
        TRY(abdb_print_table_by_options_end_deadline(&args, &t, err));
    else
        print_check_results(&t, warnings);
done:
    abdb_table_free(&t);
    abdb_arena_free(&arena);
    return st;
}

int abdb_cmd_doctor(int argc, char **argv)
{
    abdb_error err;

    return run_and_print_doctor_checks(argc, argv, &err) == ABDB_OK
               ? 0
               : abdb_print_error_return_exit_code(&err);
}
