/* cmd_export.c - abdb export: facts out of the database, in a form that comes back (JSON lines,
 * CSV, SQL or a database of their own), or as folders of columns; all of them or a selection, as
 * they are or redacted (redact.h). */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "query/compare/result_set.h"
#include "query/cli/command_line.h"
#include "query/export/export_database.h"
#include "query/export/export_records.h"
#include "query/import/input_files.h"
#include "query/verbs/table_output.h"
#include "schema/core/outfile.h"

enum { NAMES_MAX = 1024 };

/* Is it a column of v_statement (1), a factor (2), or neither: then the nearest is named. */
static abdb_status classify_column_or_factor(abdb_db *db, const char *column,
                                             int *one_if_column_two_if_factor, abdb_error *err)
{
    static const char sql[] = "SELECT name, 1 FROM pragma_table_info('v_statement')"
                              " WHERE name <> 'n'" /* that of a matrix, not of samples */
                              " UNION ALL SELECT factor, 2 FROM factor"
                              " UNION ALL SELECT 'factor.' || factor, 2 FROM factor";
    abdb_arena arena = {0};
    const char *names[NAMES_MAX], *near;
    size_t count = 0;
    sqlite3_stmt *s = NULL;
    abdb_status st = ABDB_OK;
    int code = sqlite3_prepare_v2(db->sql, sql, -1, &s, NULL);

    *one_if_column_two_if_factor = 0;
    while (!*one_if_column_two_if_factor && count < NAMES_MAX &&
           (code == SQLITE_OK || code == SQLITE_ROW)) {
        const char *name;

        code = sqlite3_step(s);
        if (code != SQLITE_ROW) break;
        name = abdb_sql_text_or_empty(s, 0);
        if (strcmp(name, column) == 0) *one_if_column_two_if_factor = sqlite3_column_int(s, 1);
        names[count] = abdb_arena_copy(&arena, name, strlen(name));
        count += names[count] != NULL;
    }
    sqlite3_finalize(s);
    if (!*one_if_column_two_if_factor) {
        near = abdb_nearest_name(column, names, count);
        st = ABDB_FAIL(err, ABDB_USAGE,
                       "no column or factor '%s'%s%s; columns are those of"
                       " `abdb query --schema v_statement`",
                       column, near ? ", did you mean " : "", near ? near : "");
    }
    abdb_arena_free(&arena);
    return st;
}

/* SQL of the entries that a selection means; NULL in *out: all. From arena, values quoted. */
static abdb_status build_entry_selection_sql(abdb_db *db, const abdb_args *args, abdb_arena *arena,
                                             const char **out, abdb_error *err)
{
    abdb_selection selection = {0};
    abdb_text sql = {0};
    abdb_status st = ABDB_OK;

    *out = NULL;
    for (int i = 0; i < args->positionals; i++)
        TRY(abdb_selection_parse_and_append(&selection, args->positional[i], err));
    if (!selection.count) goto done;
    abdb_text_puts(&sql, "SELECT entry_id FROM v_statement WHERE 1");
    for (size_t i = 0; i < selection.count; i++) {
        const abdb_condition *c = &selection.condition[i];
        const char *op = abdb_condition_sql_operator(c);
        const char *name = strncmp(c->column, "factor.", 7) == 0 ? c->column + 7 : c->column;
        const char *meant;
        double number;
        char *term;
        int kind;

        TRY(classify_column_or_factor(db, c->column, &kind, err));
        if (strcmp(c->column, "run") == 0 && strcmp(c->op, "=") == 0) {
            TRY(abdb_resolve_run_to_campaign(db->sql, arena, c, &meant, err));
            term = sqlite3_mprintf(" AND (run = %Q OR campaign = %Q)", meant, meant);
        } else if (abdb_condition_is_round_bound_parse_order(c, &number))
            term = sqlite3_mprintf(" AND round_order %s %!.17g", op, number);
        else if (kind == 1)
            term = abdb_is_listed_numeric_column(c->column) &&
                           abdb_double_parse(c->value, ABDB_MARK_UNKNOWN, &number)
                       ? sqlite3_mprintf(" AND \"%w\" %s %!.17g", c->column, op, number)
                       : sqlite3_mprintf(" AND \"%w\" %s %Q", c->column, op, c->value);
        else
            term = abdb_double_parse(c->value, ABDB_MARK_UNKNOWN, &number)
                       ? sqlite3_mprintf(" AND EXISTS (SELECT 1 FROM point_factor p WHERE"
                                         " p.point_id = v_statement.point_id AND p.factor = %Q"
                                         " AND p.num %s %!.17g)",
                                         name, op, number)
                       : sqlite3_mprintf(" AND EXISTS (SELECT 1 FROM point_factor p WHERE"
                                         " p.point_id = v_statement.point_id AND p.factor = %Q"
                                         " AND p.text %s %Q)",
                                         name, op, c->value);
        if (!term) TRY(ABDB_FAIL(err, ABDB_NOMEM, "a selection"));
        abdb_text_puts(&sql, term);
        sqlite3_free(term);
    }
    *out = abdb_arena_copy(arena, abdb_text_get(&sql), sql.size);
    if (sql.failed || !*out) TRY(ABDB_FAIL(err, ABDB_NOMEM, "a selection"));
done:
    abdb_text_free(&sql);
    abdb_selection_free(&selection);
    return st;
}

/* An empty set is an error, never an empty file. */
static abdb_status require_nonempty_selection(abdb_db *db, const char *entries, abdb_error *err)
{
    sqlite3_int64 count = 0;
    char *sql;
    abdb_status st = ABDB_OK;

    if (!entries) return ABDB_OK;
    sql = sqlite3_mprintf("SELECT count(*) FROM (%s LIMIT 1)", entries);
    if (!sql) return ABDB_FAIL(err, ABDB_NOMEM, "a selection");
    st = abdb_db_query_integer_or_0(db, sql, &count, err);
    sqlite3_free(sql);
    if (st != ABDB_OK) {
        err->status = ABDB_USAGE;
        return ABDB_USAGE;
    }
    return count ? ABDB_OK
                 : ABDB_FAIL(err, ABDB_USAGE, "the selection is empty: no result is like that");
}

/* The exported rows, and the options of the export. */
typedef struct {
    abdb_db *db;
    const char *entries;       /* SQL, or NULL: all */
    abdb_redaction *redaction; /* NULL: as it is */
    long left_out;             /* values without a column in a CSV */
} export_job;

/* Writes the records as JSON lines. */
static abdb_status write_jsonl_export(export_job *j, FILE *out, abdb_error *err)
{
    abdb_export *e = calloc(1, sizeof *e);
    abdb_sink printer;
    abdb_status st = ABDB_OK;

    if (!e) return ABDB_FAIL(err, ABDB_NOMEM, "an export");
    e->out = out;
    printer = abdb_jsonl_sink(e);
    TRY(abdb_export_records_to_sink(j->db, j->entries, j->redaction, &printer, err));
    if (fflush(out) != 0)
        TRY(ABDB_FAIL(err, ABDB_IO, "cannot write the whole of it: %s", strerror(errno)));
done:
    abdb_text_free(&e->text);
    free(e);
    return st;
}

/* Writes the records into a new database, which appears whole or not at all. */
static abdb_status export_to_database_file(export_job *j, const char *path, abdb_error *err)
{
    abdb_outfile out = {0};
    abdb_status st = ABDB_OK;

    if (!path) return ABDB_FAIL(err, ABDB_USAGE, "-o db wants --out FILE");
    if (access(path, F_OK) == 0)
        return ABDB_FAIL(err, ABDB_USAGE, "%s exists: name another file, or remove it", path);
    TRY(abdb_outfile_open_refusing_protected(&out, path, err));
    if (!out.partial_path)
        TRY(ABDB_FAIL(err, ABDB_USAGE, "-o db wants --out FILE, not '%s'", path));
    out.mode &= ~(mode_t)(S_IWGRP | S_IWOTH); /* as SQLite makes databases, under any umask */
    TRY(abdb_export_to_new_database(j->db, j->entries, j->redaction, out.partial_path, err));
    TRY(abdb_outfile_commit(&out, err));
done:
    abdb_outfile_discard(&out);
    return st;
}

/* The whole database to write out: as it is, or a redacted or selected copy in scratch. The caller
 * closes *copy and removes scratch. */
static abdb_status make_scratch_copy_if_filtered(export_job *j, abdb_scratch *scratch,
                                                 abdb_db **copy, abdb_error *err)
{
    abdb_status st = ABDB_OK;

    if (!j->redaction && !j->entries) return ABDB_OK;
    TRY(abdb_scratch_folder_create(scratch, err));
    TRY(abdb_export_to_new_database(j->db, j->entries, j->redaction, scratch->path, err));
    TRY(abdb_db_open(copy, scratch->path, ABDB_READ, err));
done:
    return st;
}

/* Writes SQL statements that make the database, or the selected part of it, again. */
static abdb_status write_sql_export(export_job *j, FILE *out, abdb_error *err)
{
    abdb_scratch scratch = {0};
    abdb_db *copy = NULL;
    abdb_status st = ABDB_OK;

    TRY(make_scratch_copy_if_filtered(j, &scratch, &copy, err));
    TRY(abdb_export_database_as_sql(copy ? copy : j->db, out, err));
done:
    abdb_db_close(copy);
    abdb_scratch_remove(&scratch);
    return st;
}

/* -o csv --partition DIR. */
static abdb_status check_options_and_export_partitioned_csv(export_job *j, const char *form,
                                                            const char *folder, const char *file,
                                                            abdb_error *err)
{
    abdb_scratch scratch = {0};
    abdb_db *copy = NULL;
    abdb_status st = ABDB_OK;

    if (strcmp(form, "csv") != 0)
        return ABDB_FAIL(err, ABDB_USAGE, "--partition DIR writes CSV: say -o csv, not -o %s",
                         form);
    if (file)
        return ABDB_FAIL(err, ABDB_USAGE,
                         "--partition DIR or --out FILE, not both: DIR is the"
                         " folder that is made");
    TRY(make_scratch_copy_if_filtered(j, &scratch, &copy, err));
    TRY(abdb_export_partitioned_csv(copy ? copy : j->db, folder, err));
done:
    abdb_db_close(copy);
    abdb_scratch_remove(&scratch);
    return st;
}

/* Writes the export in its format to path or standard output. */
static abdb_status export_records_in_format_to_path(export_job *j, const char *form,
                                                    const char *path, abdb_error *err)
{
    abdb_outfile out = {0};
    abdb_status st = ABDB_OK;

    if (strcmp(form, "db") == 0) return export_to_database_file(j, path, err);
    TRY(abdb_outfile_open_refusing_protected(&out, path, err));
    if (strcmp(form, "jsonl") == 0)
        st = write_jsonl_export(j, out.file, err);
    else if (strcmp(form, "csv") == 0)
        st = abdb_export_csv(j->db, j->entries, j->redaction, out.file, &j->left_out, err);
    else if (strcmp(form, "sql") == 0)
        st = write_sql_export(j, out.file, err);
    else
        st = ABDB_FAIL(err, ABDB_USAGE, "-o %s: csv, jsonl, sql or db", form);
    if (st == ABDB_OK) st = abdb_outfile_commit(&out, err);
done:
    abdb_outfile_discard(&out);
    return st;
}

/* --list: the texts that would be exported, as a table. */
static abdb_status print_redaction_preview(const export_job *j, const abdb_args *args,
                                           abdb_error *err)
{
    abdb_table table = {.title = "What leaves, as what it leaves, and what stays"};
    abdb_status st = ABDB_OK;

    if (!j->redaction)
        return ABDB_FAIL(err, ABDB_USAGE,
                         "--list is of --redacted: it prints what would leave; without it,"
                         " everything does");
    TRY(abdb_redaction_preview_to_table(j->redaction, j->entries, &table, err));
    TRY(abdb_print_table_by_options_end_deadline(args, &table, err));
done:
    abdb_table_free(&table);
    return st;
}

/* Prints the numbers of values omitted by the format, and replaced or withheld by a redaction. */
static void print_left_out_and_redaction_counts(const export_job *j)
{
    if (j->left_out)
        abdb_print_stderr_remark(
            "values that a CSV has no column for (samples, environments, ...): %ld; -o jsonl"
            " has them",
            j->left_out);
    if (!j->redaction) return;
    abdb_print_stderr_remark(
        "texts replaced by pseudonyms: %ld; rows of prices, specifications, names, notes"
        " that abdb does not ship, kept back: %ld (--list shows what leaves)",
        abdb_redaction_count_replaced(j->redaction), abdb_redaction_count_withheld(j->redaction));
}

int abdb_cmd_export(int argc, char **argv)
{
    export_job j = {0};
    abdb_arena arena = {0};
    abdb_args args;
    abdb_error err;
    const char *form;
    int code = 0;
    abdb_status st = ABDB_OK;

    TRY(abdb_args_parse(&args, argc, argv, "export", NULL, &err));
    form = abdb_arg_value(&args, "format");
    TRY(abdb_db_open(&j.db, abdb_arg_db_path(&args), ABDB_READ, &err));
    TRY(build_entry_selection_sql(j.db, &args, &arena, &j.entries, &err));
    TRY(require_nonempty_selection(j.db, j.entries, &err));
    if (abdb_arg_value(&args, "redacted"))
        TRY(abdb_redaction_open(&j.redaction, j.db, abdb_arg_value(&args, "keep"), &err));
    else if (abdb_arg_value(&args, "keep"))
        TRY(ABDB_FAIL(&err, ABDB_USAGE, "--keep is of --redacted: without it, everything leaves"));
    if (abdb_arg_value(&args, "list")) {
        TRY(print_redaction_preview(&j, &args, &err));
    } else if (abdb_arg_value(&args, "partition")) {
        TRY(check_options_and_export_partitioned_csv(&j, form ? form : "csv",
                                                     abdb_arg_value(&args, "partition"),
                                                     abdb_arg_value(&args, "out"), &err));
        print_left_out_and_redaction_counts(&j);
    } else {
        TRY(export_records_in_format_to_path(&j, form ? form : "jsonl",
                                             abdb_arg_value(&args, "out"), &err));
        print_left_out_and_redaction_counts(&j);
    }
done:
    if (st != ABDB_OK) code = abdb_print_error_return_exit_code(&err);
    abdb_redaction_close(j.redaction);
    abdb_arena_free(&arena);
    abdb_db_close(j.db);
    return code;
}
